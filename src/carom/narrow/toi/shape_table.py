"""All shapes of a world packed into two arrays that kernels read.

`ints` holds one row of HEADER numbers for each shape; where it says "at", that is an index into `floats`.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from carom.errors import UnsupportedPairError
from carom.shapes import Family, Polyhedral, Shape, SurfaceShape
from carom.shapes.kind import ROUND
from carom.shapes.shape import core_of
from carom.trees.obb.tree import ObbTree, tree_of

# Columns of a shape's header row
H_KIND = 0
H_PARAM = 1
"""At: Sphere: radius. Box: half sizes (3,). HalfSpace: unit normal (3,), offset. Others: nothing."""
H_NODES = 2
"""At: tree nodes (n, 13), rows as in carom.trees.obb.node."""
H_LINKS = 3
"""At: tree links (n,): right child, or -1 - k at the leaf of triangle k."""
H_TRIS = 4
"""At: triangles in leaf order (m, 9)."""
H_FACES = 5
"""At: the triangles' rows in the shape's faces (m,)."""
H_HULL = 6
"""At: extreme vertices and the row of one face of each (k, 4)."""
H_N_HULL = 7
H_PLANES = 8
"""At: sides of a solid as outward unit normal, offset and the row of one of its faces (p, 5)."""
H_N_PLANES = 9
"""0: the shape is its surface only."""
H_CENTRE = 10
"""At: centre of the bounding sphere (3,) and its radius."""
H_CORE = 11
"""At: core of a convex shape, as carom.narrow.convex.support reads it; only once the table holds a round shape."""
HEADER = 12
HULL_ROW = 4
PLANE_ROW = 5


def check_has_test(shape: Shape) -> None:
    """Raise UnsupportedPairError for a shape that no exact pair test knows."""
    if shape.family in (Family.UNION, Family.POLLED):
        raise UnsupportedPairError(f"a world has no pair test for a {type(shape).__name__}; add its pieces one by one")


class ShapeTable:
    """Shapes in the order in which they were added, each once.

    `floats` and `ints` are views of growing buffers: fetch them anew (and their addresses) after every `add`.
    """

    def __init__(self) -> None:
        self.shapes: list[Shape] = []
        self._index: dict[int, int] = {}
        self._floats = np.zeros(1024)
        self._ints = np.zeros(16 * HEADER, dtype=np.int64)
        self._n_floats = 0
        self.round = False
        """Does the table hold a shape of kind ROUND?"""

    def __len__(self) -> int:
        return len(self.shapes)

    @property
    def floats(self) -> NDArray[np.float64]:
        """Numbers of all shapes (n,)."""
        return self._floats[: self._n_floats]

    @property
    def ints(self) -> NDArray[np.int64]:
        """Headers of all shapes (HEADER * len,)."""
        return self._ints[: HEADER * len(self.shapes)]

    def add(self, shape: Shape) -> int:
        """Index of `shape`; a shape already held (the same object) keeps its index."""
        index = self._index.get(id(shape))
        if index is not None:
            return index
        check_has_test(shape)
        index = len(self.shapes)
        header = self._new_header()
        header[H_KIND] = shape.kind
        if isinstance(shape, SurfaceShape):
            self._pack_surface(shape, tree_of(shape), header)
        row = shape.straight_row()
        if row is not None:
            header[H_PARAM] = self._append(row)
        if shape.kind == ROUND:
            centre, radius = shape.bounding_sphere()
            header[H_CENTRE] = self._append(np.append(centre, radius))
            self._add_cores()
        if self.round and shape.family is Family.CONVEX:
            header[H_CORE] = self._append(core_of(shape))
        self._ints[HEADER * index : HEADER * (index + 1)] = header
        self.shapes.append(shape)
        self._index[id(shape)] = index
        return index

    def _add_cores(self) -> None:
        """Give all convex shapes a core: from now on there are round ones to be tested with."""
        if self.round:
            return
        self.round = True
        for index, shape in enumerate(self.shapes):
            if shape.family is Family.CONVEX:
                self._ints[HEADER * index + H_CORE] = self._append(core_of(shape))

    def _pack_surface(self, shape: SurfaceShape, tree: ObbTree, header: NDArray[np.int64]) -> None:
        header[H_NODES] = self._append(tree.nodes)
        header[H_LINKS] = self._append(tree.links)
        header[H_TRIS] = self._append(tree.tris)
        header[H_FACES] = self._append(tree.face)
        hull = shape.hull_vertices
        face_of = np.zeros(len(shape.vertices))
        face_of[shape.faces.ravel()] = np.repeat(np.arange(len(shape.faces)), 3)
        header[H_HULL] = self._append(np.column_stack([shape.vertices[hull], face_of[hull]]))
        header[H_N_HULL] = len(hull)
        centre, radius = shape.bounding_sphere()
        header[H_CENTRE] = self._append(np.append(centre, radius))
        if isinstance(shape, Polyhedral):
            header[H_PLANES] = self._append(np.column_stack([shape.planes, shape.plane_faces]))
            header[H_N_PLANES] = len(shape.planes)

    def _new_header(self) -> NDArray[np.int64]:
        if HEADER * (len(self.shapes) + 1) > len(self._ints):
            self._ints = np.concatenate([self._ints, np.zeros_like(self._ints)])
        return np.zeros(HEADER, dtype=np.int64)

    def _append(self, values: NDArray[np.float64] | NDArray[np.int32]) -> int:
        """Where the flattened `values` now start in `floats`; doubles hold the integers among them exactly."""
        start = self._n_floats
        end = start + values.size
        if end > len(self._floats):
            grown = np.zeros(max(end, 2 * len(self._floats)))
            grown[:start] = self._floats[:start]
            self._floats = grown
        self._floats[start:end] = values.ravel()
        self._n_floats = end
        return start
