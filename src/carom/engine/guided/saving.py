"""Guided bodies and broken bounds as arrays, and back, bit for bit."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from carom.engine.guided.bodies import BrokenBound, GuidedBody
from carom.motion import Guided

Arrays = Mapping[str, NDArray[Any]]

_COLUMNS = 23
"""Of a row: position 3, velocity 3, max_acceleration, expires, direction 3, start, max_speed, region 6, orientation 4."""
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


def restored_guided(saved: Arrays) -> tuple[dict[int, GuidedBody], list[BrokenBound]]:
    """The inverse of `saved_guided`."""
    bodies = {}
    columns = ("guided_ids", "guided_told", "guided_bound", "guided_arriving", "guided_mass")
    for body, told, bound, arriving, mass in zip(*(saved[name] for name in columns), strict=True):
        limits = None if np.isnan(bound).all() else _guided(bound)
        bodies[int(body)] = GuidedBody(_guided(told), limits, bool(arriving), float(mass))
    told_of = zip(saved["broken_times"], saved["broken_ids"], saved["broken_how"], strict=True)
    return bodies, [BrokenBound(float(t), int(body), str(how)) for t, body, how in told_of]


def _row(told: Guided | None) -> NDArray[np.float64]:
    if told is None:
        return _NOTHING
    direction = np.full(3, np.nan) if told.direction is None else told.direction
    region = np.full((2, 3), np.nan) if told.region is None else np.stack(told.region)
    limits = (told.max_acceleration, told.expires, *direction, told.start, told.max_speed, *region.ravel())
    return np.array((*told.position, *told.velocity, *limits, *told.orientation))


def _guided(row: NDArray[np.float64]) -> Guided:
    """Not through the constructor, which would scale direction and orientation to length 1 a second time."""
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
    told = object.__new__(Guided)
    for name, value in fields.items():
        object.__setattr__(told, name, value)
    return told
