"""Time in which no two bodies can touch, whatever the broad phase: a world passes over it without an event.

Broad phases have events, or frames, of their own also where bodies are far from each other. So an event loop that has worked
for a while without a contact asks whether any two bodies can touch soon; while none can, the world leaves the broad phase
behind and builds a new one when the time is over, or when somebody asks.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from carom._compile.jit import inner_kernel, lean_kernel
from carom.engine.audit import present_rows
from carom.engine.events.pairs import collide_groups
from carom.engine.events.row_motion import relative_state
from carom.engine.tables import Tables
from carom.errors import InvalidInputError
from carom.shapes.kind import HALF_SPACE, POLLED
from carom.tables.body_columns import AX, CX, ID, KIND, RADIUS, T_REF, VX, X
from carom.tables.run_columns import NOW
from carom.tolerances import EPSILON, FACING_PLANES, REBASE_AFTER

Reported = tuple[NDArray[np.int32], NDArray[np.int32], NDArray[np.float64]]
"""Rows of pairs whose contact was reported, and the times from which they may touch again"""

_MOST_BODIES = 4096  # Every pair is looked at: with more bodies that would take longer than the events it saves
_LONGEST = 1e15  # Seconds that are looked ahead at most
_ROUNDINGS = 128.0  # More than the roundings of a position on a flight of any length, in units of its last place
_FARTHEST = 2.0**16 * REBASE_AFTER  # Seconds that polled and deforming bodies are taken ahead at most: some minutes
_NEAR = 1e-6  # Relative to their radii: bodies nearer than this are left to the broad phase


@dataclass
class FreeFlight:
    """A world without a broad phase. end: no contact comes before it, s. The rest: what `Engine.reported` gave before."""

    end: float
    first: NDArray[np.int32]
    second: NDArray[np.int32]
    since: NDArray[np.float64]


@inner_kernel
def _rounding(body, i, j, now, ahead):
    """More than what rounding moves rows i and j within `ahead` seconds from now, m."""
    reach = 0.0
    for row in (i, j):
        h = abs(now - body[row, T_REF]) + ahead
        for d in range(3):
            reach += (
                abs(body[row, RADIUS])
                + abs(body[row, X + d])
                + abs(body[row, CX + d])
                + h * (abs(body[row, VX + d]) + 0.5 * h * abs(body[row, AX + d]))
            )
    return _ROUNDINGS * EPSILON * reach


@inner_kernel
def _least_on(gap, speed, bend, ahead):
    """The smallest value of gap + speed s + bend s^2 / 2 for s in [0, ahead]."""
    least = min(gap, gap + ahead * (speed + 0.5 * bend * ahead))
    if bend > 0.0 and 0.0 < -speed < bend * ahead:
        least = min(least, gap - 0.5 * speed * speed / bend)
    return least


@inner_kernel
def _planes_stay_apart(body, i, j, moved, ahead, slack):
    """Do two half-spaces, `moved` (9,) relative to each other, not touch within `ahead` seconds?"""
    facing = gap = speed = bend = 0.0
    for d in range(3):
        n = body[i, CX + d]
        facing += n * body[j, CX + d]
        gap += n * moved[d]
        speed += n * moved[3 + d]
        bend += n * moved[6 + d]
    if facing > -1.0 + FACING_PLANES:
        return True
    return _least_on(gap - (body[i, RADIUS] + body[j, RADIUS]), speed, bend, ahead) > slack


@inner_kernel
def _plane_stays_apart(body, plane, other, sign, moved, ahead, slack):
    """Does a half-space, from which the other body is sign * moved, stay off its bounding sphere for `ahead` seconds?"""
    gap = speed = bend = 0.0
    for d in range(3):
        n = body[plane, CX + d]
        gap += n * (sign * moved[d] + body[other, CX + d])
        speed += n * sign * moved[3 + d]
        bend += n * sign * moved[6 + d]
    gap -= body[plane, RADIUS] + (1.0 + _NEAR) * body[other, RADIUS]
    return _least_on(gap, speed, bend, ahead) > slack


@inner_kernel
def _spheres_stay_apart(body, i, j, moved, ahead, slack):
    """Do two bounding spheres, `moved` (9,) relative to each other, stay apart for `ahead` seconds?"""
    reach = (1.0 + _NEAR) * (body[i, RADIUS] + body[j, RADIUS]) + slack
    dx = moved[0] + body[j, CX] - body[i, CX]
    dy = moved[1] + body[j, CX + 1] - body[i, CX + 1]
    dz = moved[2] + body[j, CX + 2] - body[i, CX + 2]
    vx, vy, vz, ax, ay, az = moved[3], moved[4], moved[5], moved[6], moved[7], moved[8]
    distance = math.sqrt(dx * dx + dy * dy + dz * dz)
    if not distance > reach:
        return False
    approach = dx * vx + dy * vy + dz * vz
    if ax != 0.0 or ay != 0.0 or az != 0.0:  # as far as they are apart along the line between their places now
        bend = (dx * ax + dy * ay + dz * az) / distance
        return _least_on(distance, approach / distance, bend, ahead) > reach
    if approach >= 0.0:
        return True
    s = min(-approach / (vx * vx + vy * vy + vz * vz), ahead)
    dx, dy, dz = dx + s * vx, dy + s * vy, dz + s * vz
    return math.sqrt(dx * dx + dy * dy + dz * dz) > reach


@inner_kernel
def _stay_apart(body, link, spin, i, j, now, ahead):
    """Do rows i and j surely not touch from now on, for `ahead` seconds?"""
    rests = True
    for d in range(3):
        rests &= body[i, VX + d] == body[j, VX + d] and body[i, AX + d] == 0.0 and body[j, AX + d] == 0.0
        rests &= spin[i, d] == 0.0 and spin[j, d] == 0.0
    if rests:
        return True  # nothing between them changes
    moved = relative_state(body, i, j, now)
    slack = _rounding(body, i, j, now, ahead)
    plane_i, plane_j = link[i, KIND] == HALF_SPACE, link[j, KIND] == HALF_SPACE
    if plane_i and plane_j:
        return _planes_stay_apart(body, i, j, moved, ahead, slack)
    if plane_i:
        return _plane_stays_apart(body, i, j, 1.0, moved, ahead, slack)
    if plane_j:
        return _plane_stays_apart(body, j, i, -1.0, moved, ahead, slack)
    return _spheres_stay_apart(body, i, j, moved, ahead, slack)


@inner_kernel
def _is_over(over, i, j):
    """Is the pair of rows i and j among those in `over`, each the lower row << 32 | the other, ascending?"""
    pair = (min(i, j) << 32) | max(i, j)
    place = np.searchsorted(over, pair)
    return place < over.shape[0] and over[place] == pair


@lean_kernel
def _all_stay_apart(bodies, rows, over, now, ahead):
    """Do no two rows touch anew from now on, for `ahead` seconds? over: pairs that never do so under their motions."""
    body, link, spin = bodies.body, bodies.link, bodies.spin
    for a in range(rows.shape[0]):
        for b in range(a):
            i, j = np.int64(rows[a]), np.int64(rows[b])
            if _stay_apart(body, link, spin, i, j, now, ahead):
                continue
            if collide_groups(bodies, i, j) and not _is_over(over, i, j):
                return False
    return True


def free_seconds(tables: Tables, least: float, reported: Reported) -> float:
    """Seconds from now in which surely no two bodies touch anew and no timer is due; 0 where they are less than `least`.

    The answer depends on bodies alone, not on the broad phase. Polled and deforming bodies may do anything; a guided one stays
    on the path of its row until its timer.
    reported: what `Engine.reported` gives; bodies that went into each other and will never part do not touch anew.
    """
    rows = present_rows(tables)
    if not least > 0.0 or len(rows) > _MOST_BODIES or tables.periods.any() or (tables.link[rows, KIND] == POLLED).any():
        return 0.0
    now = float(tables.param[NOW])
    timer = float(tables.timers.keys[: tables.capacity].min(initial=math.inf)) - now
    free, ahead, bodies = 0.0, least, tables.bodies()
    first, second, since = reported
    pairs = np.stack((first, second)).astype(np.int64)[:, since == math.inf]
    over = np.sort((pairs.min(axis=0) << 32) | pairs.max(axis=0))
    while free < min(timer, _LONGEST) and _all_stay_apart(bodies, rows, over, now, ahead):
        free = ahead
        ahead *= 4.0
    free = min(free, timer)
    return free if free >= least else 0.0


def check_distance(tables: Tables, now: float, target: float) -> None:
    """Refuse a time so far ahead that getting there would take hours, however little happens."""
    if target - now <= _FARTHEST:
        return
    rows = present_rows(tables)
    slow = rows[tables.link[rows, KIND] == POLLED]
    if len(slow):
        raise InvalidInputError(
            f"until is {target}; expected at most {now + _FARTHEST}: body {tables.link[slow[0], ID]} deforms or is polled, "
            f"and is followed in stretches of {REBASE_AFTER:g} s"
        )
