"""Flights that start in overlap: the time of impact is then the start."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from carom.maths.rotations import turned
from carom.narrow.toi.advancement.scratch import F_D, F_ROT_A
from carom.narrow.toi.flight_starts import near_starts
from carom.queries.pairs.pair import Pair, Touches
from carom.tolerances import ADVANCE_ULPS, EPSILON, TOUCH_DEPTH

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


class StartOverlaps(NamedTuple):
    """rows (m,) of the flights, ascending; point from a's origin and normal (m, 3), world axes; features (m,)."""

    rows: Ints
    point: Floats
    normal: Floats
    feature_a: Ints
    feature_b: Ints


def start_overlaps(pair: Pair, flights: Floats, extent: Floats, threads: int | None) -> StartOverlaps | None:
    """Return the flights (n, FLIGHT_COLUMNS) that start with an overlap deeper than a touch; None if there are none.

    A touch is an overlap by up to TOUCH_DEPTH of the smaller shape, plus the rounding of coordinates of the size `extent`
    (n,), m. Point, normal and features are those of one contact, as `collide` describes it.
    """
    spheres = pair.a.bounding_sphere(), pair.b.bounding_sphere()
    near = near_starts(flights, *spheres)
    if not len(near.rows):
        return None
    hit = np.flatnonzero(pair.touching(near.rots, near.shifts, 0.0, threads).hit)
    if not len(hit):
        return None
    rots, shifts = near.rots[hit], near.shifts[hit]
    radii = [radius for _, radius in spheres if np.isfinite(radius)]
    size = min(radii, default=0.0)
    touching = near.rows[hit]
    offset = np.abs(flights[touching, F_D : F_D + 3]).max(axis=1)
    touch = TOUCH_DEPTH * size + ADVANCE_ULPS * EPSILON * (sum(radii) + extent[touching] + offset)
    found = _deeper(pair.touches(rots, shifts, False, threads), touch)
    # The first contact found may be a touch although another one is deep.
    rest = np.setdiff1d(np.arange(len(hit)), found.pose)
    if len(rest):
        more = _deeper(pair.touches(rots[rest], shifts[rest], True, threads), touch[rest])
        both = zip(found, more._replace(pose=rest[more.pose]), strict=True)
        columns: list[NDArray[Any]] = [np.concatenate(two) for two in both]
        order = np.argsort(columns[0])
        found = Touches(*(column[order] for column in columns))
    if not len(found.pose):
        return None
    rows = touching[found.pose]
    out = flights[rows, F_ROT_A : F_ROT_A + 9]
    return StartOverlaps(rows, turned(out, found.point), turned(out, found.normal), found.feature_a, found.feature_b)


def _deeper(touches: Touches, touch: Floats) -> Touches:
    """Return the deepest contact of each pose that has one deeper than `touch` (n,)."""
    deep = np.flatnonzero(touches.depth > touch[touches.pose])
    order = deep[np.lexsort((-touches.depth[deep], touches.pose[deep]))]
    first = order[np.unique(touches.pose[order], return_index=True)[1]]
    columns: list[NDArray[Any]] = [column[first] for column in touches]
    return Touches(*columns)
