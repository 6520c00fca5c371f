"""A contact of a deforming body: its row in the log, and the impulse that a rigid body takes from it."""

from __future__ import annotations

from dataclasses import dataclass, field
from math import inf, sqrt

import numpy as np
from numpy.typing import NDArray

from carom.engine.contact import advance_row, turn_row
from carom.engine.tables import Tables
from carom.maths.fixed_order import dot
from carom.tables import run_columns as run
from carom.tables.body_columns import AX, INV_INERTIA, INV_MASS, LAST_HIT, RADIUS, VX, X
from carom.tolerances import REBOUND_SPEED, SAME_INSTANT
from carom.world.deforming.touches import Touches

Floats = NDArray[np.float64]

_REPEATS = 1_000
"""Repeated contacts within SAME_INSTANT before a world is called stuck, one more per pair of bodies and 100 more per body. Each
takes a millisecond or more. What touches for the first time does not count: however many triangles land at once, no pair of
them lands twice, but contacts without end are those of the same triangles over and over."""


@dataclass(eq=False)
class Repeats:
    """Which triangles of which bodies have touched at the present instant, and how many contacts repeated one of these.

    It is not saved: a world that goes on from a file only takes a little longer to be called stuck.
    """

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


def bounce(tables: Tables, row: int, point: Floats, away: Floats, speed: float) -> bool:
    """Let a rigid body bounce off a deforming one, which nothing moves, without friction; False where nothing changes.

    away: unit normal towards the body; speed: of approach along it. Restitution as between rigid bodies.
    """
    body, spin = tables.body[row], tables.spin[row]
    t = float(tables.param[run.NOW])
    pull = -float(dot(body[AX : AX + 3], away))
    if body[INV_MASS] == 0.0 or (speed <= 0.0 and pull <= 0.0):
        return False
    leaving = tables.param[run.RESTITUTION] * speed
    if t - body[LAST_HIT] < tables.param[run.COLLAPSE]:
        leaving = speed
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
