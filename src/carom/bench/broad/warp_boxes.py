"""Pairs of boxes with warp's tree. Imported only if warp is installed, because its compiler reads annotations of functions."""

import contextlib
import sys
from typing import Any

import numpy as np
import warp as wp
from numpy.typing import NDArray

_ROOM = 10  # Largest number of pairs per box

with contextlib.redirect_stdout(sys.stderr):  # its greeting must not be printed on standard output
    wp.init()


@wp.kernel
def _find(  # type: ignore[no-untyped-def]
    tree: wp.uint64,
    low: wp.array(dtype=wp.vec3),  # type: ignore[valid-type]
    high: wp.array(dtype=wp.vec3),  # type: ignore[valid-type]
    found: wp.array(dtype=wp.int32),  # type: ignore[valid-type]
    pairs: wp.array(dtype=wp.vec2i),  # type: ignore[valid-type]
):
    i = wp.tid()
    query = wp.bvh_query_aabb(tree, low[i], high[i])
    j = wp.int32(0)
    while wp.bvh_query_next(query, j):
        if j > i:
            k = wp.atomic_add(found, 0, 1)
            if k < pairs.shape[0]:
                pairs[k] = wp.vec2i(i, j)


class WarpTree:
    """Boxes (n, 3) float32 in warp's form."""

    def __init__(self, low: NDArray[np.float32], high: NDArray[np.float32]) -> None:
        self._low: Any = wp.array(low, dtype=wp.vec3, device="cpu")
        self._high: Any = wp.array(high, dtype=wp.vec3, device="cpu")
        self._pairs: Any = wp.zeros(_ROOM * len(low), dtype=wp.vec2i, device="cpu")

    def pairs(self) -> NDArray[np.int32]:
        """Build the tree and query it with every box: (m, 2)."""
        tree = wp.Bvh(self._low, self._high)
        found = wp.zeros(1, dtype=wp.int32, device="cpu")
        inputs = [tree.id, self._low, self._high, found, self._pairs]
        wp.launch(_find, len(self._low), inputs, device="cpu")
        return np.asarray(self._pairs.numpy()[: int(found.numpy()[0])])
