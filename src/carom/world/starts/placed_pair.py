"""Two rigid bodies of a world at the current time, as shapes and poses that queries take."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from carom._compile.jit import compiling
from carom.engine.body_queries import orientations_at, positions_at
from carom.engine.tables import Tables
from carom.queries import gap
from carom.shapes import Shape
from carom.shapes.kind import HALF_SPACE
from carom.tables.body_columns import KIND, RADIUS, SHAPE
from carom.tables.run_columns import NOW
from carom.tolerances import GUIDED_APART

Floats = NDArray[np.float64]


class PlacedPair:
    """Rows i and j now; in periodic space j is the image nearest to i."""

    def __init__(self, tables: Tables, i: int, j: int) -> None:
        self._tables, self.rows = tables, np.array([i, j], np.int32)
        self.now = float(tables.param[NOW])
        here, there = positions_at(tables, self.rows, self.now)
        offset, periods = there - here, tables.periods
        shift = np.divide(offset, periods, out=np.zeros(3), where=periods > 0.0)
        self.places: tuple[Floats, Floats] = here, there - periods * np.round(shift)
        self.kinds = tables.link[self.rows, KIND]

    def shapes(self) -> tuple[Shape, Shape]:
        """What the two are."""
        first, second = (self._tables.shapes.shapes[int(shape)] for shape in self._tables.link[self.rows, SHAPE])
        return first, second

    def poses(self) -> tuple[Floats, Floats]:
        """Where they are: (4, 4) each."""
        quats = orientations_at(self._tables, self.rows, self.now)
        poses = []
        for place, (w, x, y, z) in zip(self.places, quats, strict=True):
            pose = np.eye(4)
            pose[:3, :3] = (
                (1.0 - 2.0 * (y * y + z * z), 2.0 * (x * y - w * z), 2.0 * (x * z + w * y)),
                (2.0 * (x * y + w * z), 1.0 - 2.0 * (x * x + z * z), 2.0 * (y * z - w * x)),
                (2.0 * (x * z - w * y), 2.0 * (y * z + w * x), 1.0 - 2.0 * (x * x + y * y)),
            )
            pose[:3, 3] = place
            poses.append(pose)
        return poses[0], poses[1]

    def are_apart(self) -> bool:
        """Are the two farther from each other than GUIDED_APART?"""
        radii = self._tables.body[self.rows, RADIUS]
        size = float(radii[self.kinds != HALF_SPACE].min())
        with compiling("whether steered bodies have parted"):
            return bool(gap(*self.shapes(), GUIDED_APART * size, *self.poses(), threads=1))
