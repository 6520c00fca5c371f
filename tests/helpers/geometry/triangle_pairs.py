"""Random and degenerate pairs of triangles for the tests of carom.narrow, each triangle (9,)."""

from __future__ import annotations

import numpy as np
from hypothesis import strategies as st
from numpy.typing import NDArray

Floats = NDArray[np.float64]

GRID_TRIANGLES = st.lists(st.integers(-3, 3), min_size=9, max_size=9).map(lambda t: np.array(t, dtype=np.float64))
"""Corners on a small grid: they touch, coincide and degenerate often."""


def random_pair(rng: np.random.Generator, apart: float) -> tuple[Floats, Floats]:
    """Two random triangles of size about 1 whose middles are `apart` from each other."""
    step = rng.normal(size=3)
    a, b = rng.normal(size=(2, 3, 3))
    b += apart * step / np.linalg.norm(step)
    return a.ravel(), b.ravel()


def thin_pair(rng: np.random.Generator, thickness: float) -> tuple[Floats, Floats]:
    """Two slivers of length about 1 and the given height, close to each other."""
    tris = []
    for _ in range(2):
        begin, along, aside = rng.normal(size=(3, 3))
        tris.append(np.array([begin, begin + along, begin + rng.uniform() * along + thickness * aside]).ravel())
    tris[1] += np.tile(tris[0].reshape(3, 3).mean(axis=0) - tris[1].reshape(3, 3).mean(axis=0), 3)
    tris[1] += np.tile(0.1 * rng.normal(size=3), 3)
    return tris[0], tris[1]
