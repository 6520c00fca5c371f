"""Guided bodies and broken bounds as arrays, and back, bit for bit."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import inf
from typing import Any

import numpy as np
from numpy.typing import NDArray

from carom._copies import settle
from carom.errors import InvalidInputError
from carom.motion import Guided
from carom.world.guided.bodies import BrokenBound, GuidedBody
from carom.world.saved.fields import LARGEST, Fields

_COLUMNS = 23
"""Of a row: position 3, velocity 3, max_acceleration, expires, direction 3, start, max_speed, region 6, orientation 4."""
_OFF_UNIT = 1e-9
_NOTHING = np.full(_COLUMNS, np.nan)


def saved_guided(bodies: Mapping[int, GuidedBody], broken: Sequence[BrokenBound]) -> dict[str, NDArray[Any]]:
    """What users told, whose limits are bounds now, and the broken bounds that nobody has asked for yet."""
    known = list(bodies.values())
    return {
        "guided_ids": np.array(list(bodies), np.int64),
        "guided_told": np.array([_row(each.told) for each in known]).reshape(-1, _COLUMNS),
        "guided_bound": np.array([_row(each.bound) for each in known]).reshape(-1, _COLUMNS),
        "guided_arriving": np.array([each.arriving for each in known], np.bool_),
        "guided_mass": np.array([each.mass for each in known], np.float64),
        "broken_times": np.array([each.time for each in broken], np.float64),
        "broken_ids": np.array([each.body for each in broken], np.int64),
        "broken_how": np.array([each.how for each in broken], np.str_),
    }


def restored_guided(saved: Fields, expected: NDArray[np.int64]) -> tuple[dict[int, GuidedBody], list[BrokenBound]]:
    """The inverse of `saved_guided`. expected: ids of the bodies that have a guided body's row, ascending."""
    ids = saved.array("guided_ids", np.int64, (None,))
    if not np.array_equal(np.sort(ids), expected):
        raise saved.wrong(
            "guided_ids", f" is {ids.tolist()}; expected {expected.tolist()}, the bodies with such bounds"
        )
    n = len(ids)
    told, bound = (saved.array(name, np.float64, (n, _COLUMNS)) for name in ("guided_told", "guided_bound"))
    arriving = saved.array("guided_arriving", np.bool_, (n,))
    mass = saved.array("guided_mass", np.float64, (n,))
    saved.require("guided_mass", mass, mass > 0.0, "a number above 0, or inf")
    bodies = {}
    for k, body in enumerate(ids.tolist()):
        limits = None if np.isnan(bound[k]).all() else _guided(saved, "guided_bound", bound, k)
        bodies[body] = GuidedBody(_guided(saved, "guided_told", told, k), limits, bool(arriving[k]), float(mass[k]))
    times = saved.numbers("broken_times", (None,))
    whose = saved.whole("broken_ids", np.int64, (len(times),), 0, np.iinfo(np.int32).max)
    how = saved.array("broken_how", np.str_, (len(times),))
    return bodies, [BrokenBound(*each) for each in zip(times.tolist(), whose.tolist(), map(str, how), strict=True)]


def _row(told: Guided | None) -> NDArray[np.float64]:
    if told is None:
        return _NOTHING
    direction = np.full(3, np.nan) if told.direction is None else told.direction
    region = np.full((2, 3), np.nan) if told.region is None else np.stack(told.region)
    limits = (told.max_acceleration, told.expires, *direction, told.start, told.max_speed, *region.ravel())
    return np.array((*told.position, *told.velocity, *limits, *told.orientation))


def _guided(saved: Fields, name: str, rows: NDArray[np.float64], k: int) -> Guided:
    """What row k says, checked by the constructor, but not made by it: it scales direction and orientation to length 1."""
    row = rows[k]
    saved.require(name, row, np.isnan(row) | (np.abs(row) <= LARGEST) | (row == inf), "a number, or inf for no limit")
    fields: dict[str, Any] = {
        "position": row[:3].copy(),
        "velocity": row[3:6].copy(),
        "max_acceleration": float(row[6]),
        "expires": float(row[7]),
        "direction": None if np.isnan(row[8]) else row[8:11].copy(),
        "start": float(row[11]),
        "max_speed": float(row[12]),
        "region": None if np.isnan(row[13]) else (row[13:16].copy(), row[16:19].copy()),
        "orientation": row[19:].copy(),
    }
    try:
        Guided(**fields)
    except InvalidInputError as error:
        raise saved.wrong(name, f"[{k}] is no state of a guided body: {error}") from None
    for vector in (fields["direction"], fields["orientation"]):
        if vector is not None and not abs(float(vector @ vector) - 1.0) <= _OFF_UNIT:
            raise saved.wrong(name, f"[{k}] holds {vector.tolist()}; expected a direction or quaternion of length 1")
    told = object.__new__(Guided)
    settle(told, **fields)
    return told
