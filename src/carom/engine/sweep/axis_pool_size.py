"""How many axes suit the speeds of a world, and how wide a zone: paper VADOP leaves both to the application.

What counts is how many of its radii a body moves in a frame. Of slow bodies boxes swept over the frame prune as well, and
lists of more axes only cost; the faster the bodies are, the more axes pay. The steps were measured (`carom bench vadop`).
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from carom.bounds.axis_pool import axis_pool
from carom.engine.body_queries import velocities_at
from carom.engine.tables import Tables
from carom.shapes.kind import HALF_SPACE, POLLED
from carom.tables.body_columns import KIND, RADIUS
from carom.tables.run_columns import FRAME_LENGTH, MOTION_CHANGES, NOW

STEPS = ((100.0, 65), (45.0, 32))
"""Radii a frame of the faster half of the bodies, from which on a pool has so many axes; below the last, none."""
CHOSEN_WIDTH = 1.0
"""Zone phi over the covering angle of a pool that was chosen: the least at which any two bodies share an axis, the fastest."""
GIVEN_WIDTH = 2.0
"""The same for a pool that was given: a few common axes, all round, which prune most for their number."""
KINETIC_POOL, KINETIC_WIDTH = 65, 1.0
"""Axes and width where every exchange is an event: exchanges grow with the third power of the width, and a pair that is close
on its few common axes alone costs one prediction."""
SLOW = 3.0
"""Radii a frame below which a body chooses no axis unless told otherwise. There every axis has its price, while boxes leave
hardly more pairs: at 3 radii a frame an exact test would have to take 55 µs for a pool to pay, at 1 some 250 µs."""

_FIRST_LOOK = 1000
_SAMPLE = 2000


class PoolChoice:
    """Which pool of axes a world uses: as given, or by the speeds, looked at again when bodies or changes have doubled."""

    def __init__(self, size: int | None, zone: float | None, slow: float | None) -> None:
        """size: axes of the pool, 0 for none; zone: phi, rad; slow: radii a frame. None for any: chosen."""
        self._size = size
        self._zone = zone
        self._width = CHOSEN_WIDTH if size is None else GIVEN_WIDTH
        self._n = 0
        self.look_at: float = _FIRST_LOOK if size is None else math.inf
        """Motion changes after which to look again."""
        self.least_way = SLOW if slow is None else slow
        """Radii a frame below which a body chooses no axis."""

    def grown(self, n: int) -> bool:
        """There are n bodies now: is it time for a look?"""
        return n >= 2 * self._n

    def look(self, tables: Tables, rows: NDArray[np.int32]) -> tuple[int, float]:
        """Axes of the pool and zone, rad, that suit the bodies in `rows` as they move now."""
        self._n = len(rows)
        if self._size is None:
            self.look_at = max(_FIRST_LOOK, 2 * int(tables.count[MOTION_CHANGES]))
        size = self._suited(tables, rows) if self._size is None else self._size
        if size == 0:
            return 0, 0.5 * math.pi
        zone = self._width * axis_pool(size).covering if self._zone is None else self._zone
        return size, min(zone, 0.5 * math.pi)

    def _suited(self, tables: Tables, rows: NDArray[np.int32]) -> int:
        kinds = tables.link[rows, KIND]
        rows = rows[(kinds != HALF_SPACE) & (kinds != POLLED)]
        rows = rows[:: max(1, len(rows) // _SAMPLE)]
        speed = np.linalg.norm(velocities_at(tables, rows, float(tables.param[NOW])), axis=1)
        radius = tables.body[rows, RADIUS]
        way = speed[radius > 0.0] * float(tables.param[FRAME_LENGTH]) / radius[radius > 0.0]
        moving = np.sort(way[way > SLOW])
        if 2 * len(moving) < len(way) or not len(moving):
            return 0
        typical = float(moving[len(moving) // 2])
        return next((size for least, size in STEPS if typical >= least), 0)
