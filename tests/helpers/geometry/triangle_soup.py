"""Triangles without order: solid, flat, on a line, in a point, stretched, few."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

SCALES = {
    "solid": (1.0, 1.0, 1.0), "flat": (1.0, 1.0, 0.0), "line": (1.0, 0.0, 0.0), "point": (0.0, 0.0, 0.0),
    "stretched": (1e-6, 1.0, 1e6), "far stretched": (1e-9, 1.0, 1e9), "one": (1.0, 1.0, 1.0), "two": (1e6, 1e6, 1e6),
    "small": (1e-6, 1e-6, 1e-6),
}  # fmt: skip
NUMBERS = {"one": 1, "two": 2, "small": 9}


def soup(
    seed: int, scale: tuple[float, float, float], n_tris: int = 60, n_points: int = 30
) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    return rng.normal(size=(n_points, 3)) * scale, rng.integers(0, n_points, size=(n_tris, 3))


def soups(n_tris: int, leave_out: str = "") -> Any:
    """Parametrise a test by (vertices, faces)."""
    made = {
        name: soup(seed, scale, NUMBERS.get(name, n_tris), 60)
        for seed, (name, scale) in enumerate(SCALES.items())
        if name != leave_out
    }
    return pytest.mark.parametrize(("vertices", "faces"), list(made.values()), ids=list(made))
