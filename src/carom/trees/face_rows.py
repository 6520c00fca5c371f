"""Conversion from triangles in the order of a tree to faces of the shape."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray


def faces_of(face: NDArray[np.int32], rows: NDArray[np.int64]) -> NDArray[np.int64]:
    """Faces (n,) of the triangles at `rows` (n,) of a tree whose face numbers are `face` (m,); -1 where the row is negative."""
    return np.where(rows >= 0, face[rows], -1).astype(np.int64)
