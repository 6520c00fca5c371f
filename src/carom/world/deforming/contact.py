"""A contact of a deforming body: its row in the log, and the impulse that a rigid body takes from it."""

from __future__ import annotations

from math import inf, sqrt

import numpy as np
from numpy.typing import NDArray

from carom.engine.contact import advance_row, turn_row
from carom.engine.tables import Tables
from carom.maths.fixed_order import dot
from carom.tables.body_columns import AX, INV_INERTIA, INV_MASS, LAST_HIT, RADIUS, VX, X
from carom.tables.run_columns import (
    COLLAPSE,
    CONTACTS,
    LOG_A,
    LOG_B,
    LOG_FEATURE_A,
    LOG_FEATURE_B,
    LOG_NORMAL,
    LOG_POINT,
    LOG_SPEED,
    LOG_STATUS,
    LOG_TIME,
    N_LOG,
    NOW,
    RESTITUTION,
    SAME_AT,
    SAME_TIME,
    SAME_TIME_LIMIT,
)
from carom.tolerances import REBOUND_SPEED
from carom.world.deforming.touches import Touches

Floats = NDArray[np.float64]


def write_contact(tables: Tables, row_a: int, row_b: int, touches: Touches, k: int) -> bool:
    """Append contact k to the log, at the current time; False where contacts at this instant do not come to an end."""
    t = float(tables.param[NOW])
    n = int(tables.count[N_LOG])
    row = tables.log[n]
    row[LOG_TIME], row[LOG_A], row[LOG_B] = t, row_a, row_b
    row[LOG_POINT : LOG_POINT + 3] = touches.points[k]
    row[LOG_NORMAL : LOG_NORMAL + 3] = touches.normals[k]
    row[LOG_SPEED] = touches.speeds[k]
    row[LOG_FEATURE_A], row[LOG_FEATURE_B] = touches.faces[k]
    row[LOG_STATUS] = touches.status[k]
    tables.weights[n] = touches.weights[k]
    tables.count[N_LOG] += 1
    tables.count[CONTACTS] += 1
    if t > tables.param[SAME_AT]:
        tables.param[SAME_AT] = t
        tables.count[SAME_TIME] = 0
    tables.count[SAME_TIME] += 1
    return bool(tables.count[SAME_TIME] <= tables.count[SAME_TIME_LIMIT])


def bounce(tables: Tables, row: int, point: Floats, away: Floats, speed: float) -> bool:
    """Let a rigid body bounce off a deforming one, which nothing moves, without friction; False where nothing changes.

    away: unit normal towards the body; speed: of approach along it. Restitution as between rigid bodies.
    """
    body, spin = tables.body[row], tables.spin[row]
    t = float(tables.param[NOW])
    pull = -float(dot(body[AX : AX + 3], away))
    if body[INV_MASS] == 0.0 or (speed <= 0.0 and pull <= 0.0):
        return False
    leaving = tables.param[RESTITUTION] * speed
    if t - body[LAST_HIT] < tables.param[COLLAPSE]:
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
