"""The static search finds exactly the overlapping pairs."""

from __future__ import annotations

import numpy as np
import pytest

from carom.broad.static_pairs import static_pairs


def brute(lo: np.ndarray, hi: np.ndarray) -> set[tuple[int, int]]:
    return {
        (i, j)
        for i in range(len(lo))
        for j in range(i + 1, len(lo))
        if (lo[i] <= hi[j]).all() and (lo[j] <= hi[i]).all()
    }


@pytest.mark.parametrize("n_axes", [1, 2, 3, 5])
@pytest.mark.parametrize("seed", range(4))
def test_static_pairs_equals_brute_force(n_axes: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    n = 120
    lo = rng.uniform(0.0, 10.0, (n, n_axes))
    hi = lo + rng.uniform(0.0, 1.5, (n, n_axes)) * rng.choice([1.0, 0.0, 8.0], (n, 1), p=[0.8, 0.1, 0.1])
    lo[3, 0] = -np.inf
    hi[5, -1] = np.inf
    lo[6], hi[6] = -np.inf, np.inf
    found = static_pairs(lo, hi)
    assert len(found) == len({tuple(p) for p in found.tolist()})
    assert {tuple(p) for p in found.tolist()} == brute(lo, hi)


def test_static_pairs_of_none_one_and_identical_boxes() -> None:
    assert static_pairs(np.zeros((0, 3)), np.zeros((0, 3))).shape == (0, 2)
    assert static_pairs(np.zeros((1, 3)), np.ones((1, 3))).shape == (0, 2)
    assert len(static_pairs(np.zeros((5, 3)), np.zeros((5, 3)))) == 10
