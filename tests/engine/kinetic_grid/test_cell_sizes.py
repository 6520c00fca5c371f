"""Cells are chosen so that boxes fit them."""

from __future__ import annotations

import numpy as np
import pytest

from carom.engine.framed.hash_grid import hash_cells
from carom.engine.framed.uniform_grid import uniform_cells


@pytest.mark.parametrize("scale", [1e-6, 1.0, 1e6])
def test_uniform_cells_are_a_little_larger_than_most_boxes(scale: float) -> None:
    sizes = np.random.default_rng(0).uniform(0.9, 1.1, 1000) * scale
    fineness, levels = uniform_cells(sizes, 0.0)
    assert levels == 1
    assert (sizes * fineness < 1.0).mean() > 0.9
    assert (sizes * fineness).min() > 0.5


def test_uniform_cells_are_larger_where_bodies_are_far_apart() -> None:
    assert uniform_cells(np.ones(10), 10.0)[0] < 0.5 * uniform_cells(np.ones(10), 1.0)[0]


def test_hash_cells_have_a_level_at_which_every_box_fits() -> None:
    sizes = 2.0 ** np.random.default_rng(1).uniform(-10.0, 10.0, 5000)
    fineness, levels = hash_cells(sizes, 0.0)
    cells = np.array([2.0**k for k in range(60) if levels >> k & 1]) / fineness
    ratio = sizes[:, None] / cells
    best = np.where(ratio <= 1.0, ratio, 0.0).max(axis=1)
    assert (best > 0.25).all()
    assert 18 <= levels.bit_count() <= 23


def test_hash_cells_of_equal_boxes_are_those_of_the_uniform_grid() -> None:
    assert hash_cells(np.ones(100), 3.0) == uniform_cells(np.ones(100), 3.0)


@pytest.mark.parametrize("choose", [uniform_cells, hash_cells])
def test_cells_for_no_boxes_and_for_points(choose: object) -> None:
    for sizes in (np.zeros(0), np.zeros(5)):
        fineness, levels = choose(sizes, 0.0)  # type: ignore[operator]
        assert fineness == 1.0
        assert levels == 1
