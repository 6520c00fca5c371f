"""Random numbers of the standard normal distribution: the same bits on every machine."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

_TAIL = 3.65
"""Beyond 3.6541 NumPy's generator takes a logarithm from the C library, whose last bit is not the same everywhere."""


def standard_normals(rng: np.random.Generator, *shape: int) -> NDArray[np.float64]:
    """What rng.standard_normal(shape) gives, but for the few numbers in the tails, one in 4000: they have single precision."""
    drawn = rng.standard_normal(shape)
    return np.where(np.abs(drawn) > _TAIL, drawn.astype(np.float32), drawn)
