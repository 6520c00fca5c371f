"""A contact of a deforming body: its row in the log, and the impulse that a rigid body takes from it."""

from __future__ import annotations

from dataclasses import dataclass, field
from math import inf, sqrt
from typing import Any

import numpy as np
from numpy.typing import NDArray

from carom.engine.events.row_motion import advance_row, turn_row
from carom.engine.tables import Tables
from carom.maths.fixed_order import dot, length
from carom.tables import run_columns as run
from carom.tables.body_columns import AX, INV_INERTIA, INV_MASS, LAST_HIT, RADIUS, T_REF, VX, X
from carom.tolerances import REBOUND_SPEED, ROLLING_SPEED, SAME_INSTANT, SPEED_NOISE
from carom.world.deforming.touches import Touches
from carom.world.saved.fields import Fields

Floats = NDArray[np.float64]

_REPEATS = 1_000
"""Repeated contacts within SAME_INSTANT before a world is called stuck, one more per pair of bodies and 100 more per body. Each
takes a millisecond or more. What touches for the first time does not count: however many triangles land at once, no pair of
them lands twice, but contacts without end are those of the same triangles over and over."""

_MOST_COUNTED = 2**62


@dataclass(eq=False)
class Repeats:
    """Which triangles of which bodies have touched at the present instant, and how many contacts repeated one of these."""

    _since: float = -inf
    _known: set[tuple[int, int, int, int]] = field(default_factory=set)
    _again: int = 0

    def come_to_an_end(self, t: float, bodies: tuple[int, int], faces: NDArray[np.int64], n_bodies: int) -> bool:
        """Note a contact at local time t; False where contacts at this instant do not come to an end."""
        if not self._since <= t <= self._since + SAME_INSTANT * t:
            self._since, self._again = t, 0
            self._known.clear()
        contact = (*bodies, int(faces[0]), int(faces[1]))
        self._again += contact in self._known
        self._known.add(contact)
        return self._again <= _REPEATS + n_bodies * (n_bodies - 1) // 2 + 100 * n_bodies

    def shift_time(self, shift: float) -> None:
        """The world's time origin moves by `shift` seconds."""
        self._since -= shift

    def saved(self) -> dict[str, NDArray[Any]]:
        """Everything as arrays."""
        return {
            "since": np.array(self._since),
            "known": np.array(sorted(self._known), np.int64).reshape(-1, 4),
            "again": np.array(self._again, np.int64),
        }

    @classmethod
    def restored(cls, saved: Fields) -> Repeats:
        """The inverse of `saved`."""
        known = saved.whole("known", np.int64, (None, 4), -1, _MOST_COUNTED)
        saved.each_once("known", known)
        again = int(saved.whole("again", np.int64, (), 0, _MOST_COUNTED))
        return cls(float(saved.times("since", ())), {(a, b, i, j) for a, b, i, j in known.tolist()}, again)


def write_contact(tables: Tables, row_a: int, row_b: int, touches: Touches, k: int) -> None:
    """Append contact k to the log, at the current time."""
    t = float(tables.param[run.NOW])
    n = int(tables.count[run.N_LOG])
    row = tables.log[n]
    row[run.LOG_TIME], row[run.LOG_A], row[run.LOG_B] = t, row_a, row_b
    row[run.LOG_POINT : run.LOG_POINT + 3] = touches.points[k]
    row[run.LOG_NORMAL : run.LOG_NORMAL + 3] = touches.normals[k]
    row[run.LOG_SPEED] = touches.speeds[k]
    row[run.LOG_FEATURE_A], row[run.LOG_FEATURE_B] = touches.faces[k]
    row[run.LOG_STATUS] = touches.status[k]
    tables.weights[n] = touches.weights[k]
    tables.count[run.N_LOG] += 1
    tables.count[run.CONTACTS] += 1


def _velocity(tables: Tables, row: int) -> Floats:
    """Velocity (3,) of a rigid body now."""
    body = tables.body[row]
    return np.asarray(body[VX : VX + 3] + (tables.param[run.NOW] - body[T_REF]) * body[AX : AX + 3])


def _hit_just_now(tables: Tables, row: int) -> bool:
    """Was the body hit so short a time ago that restitution does not count (the TC model)?"""
    return bool(tables.param[run.NOW] - tables.body[row, LAST_HIT] < tables.param[run.COLLAPSE])


def _turning_pull(tables: Tables, row: int, point: Floats, speed: float, drift: Floats, turning: float) -> float:
    """How fast a contact that hardly closes accelerates into itself because the two turn; an upper bound, 0 for other contacts.

    As between rigid bodies: see _turning_pull in carom.engine.events.contact.
    """
    body, t = tables.body[row], float(tables.param[run.NOW])
    rate = float(length(tables.spin[row, :3]))
    h = t - body[T_REF]
    arm = float(length(point - (body[X : X + 3] + h * (body[VX : VX + 3] + 0.5 * h * body[AX : AX + 3]))))
    along = float(length(_velocity(tables, row) - drift)) + rate * arm
    rolls = speed <= ROLLING_SPEED * along or (tables.param[run.RESTITUTION] < 1.0 and _hit_just_now(tables, row))
    return rate * rate * arm + 2.0 * (rate + turning) * along if rolls else 0.0


def bounce(tables: Tables, row: int, point: Floats, away: Floats, speed: float, drift: Floats, turning: float) -> bool:
    """Let a rigid body of finite mass bounce off a deforming one, which nothing moves, without friction.

    Returns False where nothing changes.

    away: unit normal towards the body; speed: of approach along it; drift (3,): velocity of the deforming body there;
    turning: how fast its triangle turns, rad/s. Restitution as between rigid bodies.
    """
    body, spin = tables.body[row], tables.spin[row]
    t = float(tables.param[run.NOW])
    pull = max(-float(dot(body[AX : AX + 3], away)), 0.0)
    pull += _turning_pull(tables, row, point, speed, drift, turning)
    if speed <= 0.0 and pull <= 0.0:
        return False
    leaving = speed if _hit_just_now(tables, row) else tables.param[run.RESTITUTION] * speed
    noise = SPEED_NOISE * float(np.abs(_velocity(tables, row)).sum() + np.abs(drift).sum())
    if speed <= noise:
        leaving = max(leaving, noise)
    if pull > 0.0 and body[RADIUS] < inf:
        leaving = max(leaving, REBOUND_SPEED * sqrt(2.0 * pull * float(body[RADIUS])))
    if speed + leaving <= 0.0:  # they part already, faster than the body would bounce
        return False
    turn_row(tables.body, tables.quat, tables.spin, row, t)
    advance_row(tables.body, row, t)
    lever = np.cross(point - body[X : X + 3], away)
    weight = float(body[INV_MASS] + spin[INV_INERTIA] * (dot(lever, lever)))
    impulse = (speed + leaving) / weight
    body[VX : VX + 3] += impulse * body[INV_MASS] * away
    spin[:3] += impulse * spin[INV_INERTIA] * lever
    body[LAST_HIT] = t
    return True
