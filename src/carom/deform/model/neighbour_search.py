"""Neighbours that may touch beyond their shared vertices: those in fans that no direction could certify."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from carom._compile.aligned import aligned_zeros
from carom.deform.chord_front.search import Batch
from carom.deform.model.vertex_fans import Fans, moving_normals, prove_fans, unproved_pairs
from carom.deform.triangles.lanes.fans import NORMALS


class NeighbourSearch:
    """Candidates among triangles `faces` (m, 3) that share a vertex, one interval after the other."""

    def __init__(self, faces: NDArray[np.int32], fans: Fans) -> None:
        self._faces = faces
        self._fans = fans
        self._rows = np.unique(fans.pairs).astype(np.int64)
        self._normals = aligned_zeros((len(faces), NORMALS), np.float32)
        self._directions = np.zeros((len(fans.kind), 3))
        self._proved = np.zeros(len(fans.kind), np.uint8)
        self._pairs = np.empty((len(fans.pairs), 2), np.int32)
        self._windows = np.tile((0.0, 1.0), (len(fans.pairs), 1))

    def proved(self, start: NDArray[np.float64], end: NDArray[np.float64]) -> NDArray[np.uint8]:
        """Which vertices (n,) have a fan without contact while all move straight from `start` to `end`, (n, 4); good until
        the next call."""
        fans = self._fans
        moving_normals(self._faces, self._rows, start, end, self._normals)
        prove_fans(
            fans.kind,
            fans.first,
            fans.faces,
            fans.rim,
            fans.ends,
            fans.first_pair,
            start,
            end,
            self._normals,
            self._directions,
            self._proved,
        )
        return self._proved

    def interval(self, start: NDArray[np.float64], end: NDArray[np.float64]) -> Batch:
        """Candidates of one interval after the other; start, end (n, 4) vertices. Their window is the whole interval."""
        fans = self._fans
        proved = self.proved(start, end)
        n = unproved_pairs(proved, fans.first_pair, fans.held, fans.pairs, fans.shared, self._pairs)
        return self._pairs, self._windows, int(n)
