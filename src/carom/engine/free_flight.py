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

from carom._jit import inner_kernel, lean_kernel
from carom.engine.audit import present_rows
from carom.engine.contact import advance_row, turn_row
from carom.engine.pool import collide_groups
from carom.engine.predict import relative_state
from carom.engine.state import NOW, SAME_AT
from carom.engine.tables import Tables
from carom.errors import InvalidInputError
from carom.layout import AX, CX, FLAGS, ID, KEYED, KIND, LAST_HIT, RADIUS, T_REF, VX, X
from carom.queues.event_queue import EventQueue
from carom.shapes.kind import HALF_SPACE, POLLED
from carom.tolerances import EPSILON, FACING_PLANES, REBASE_AFTER

_MOST_BODIES = 4096
"""Every pair is looked at: with more bodies that would take longer than the events it saves."""
_LONGEST = 1e15
"""Seconds that are looked ahead at most."""
_ROUNDINGS = 8.0
"""Roundings of a position, in units of its last place, for each time that the origin of time moves."""
_FARTHEST = 2.0**24 * REBASE_AFTER
"""Seconds that bodies that turn or accelerate are taken ahead at most: a second or two for each of them."""
_NEAR = 1e-6
"""Relative to their radii: bodies nearer than this are left to the broad phase."""


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
    return _ROUNDINGS * EPSILON * (ahead / REBASE_AFTER + 16.0) * reach


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


@lean_kernel
def _all_stay_apart(bodies, rows, now, ahead):
    """Do no two rows touch from now on, for `ahead` seconds?"""
    body, link, spin = bodies.body, bodies.link, bodies.spin
    for a in range(rows.shape[0]):
        for b in range(a):
            i, j = np.int64(rows[a]), np.int64(rows[b])
            if not _stay_apart(body, link, spin, i, j, now, ahead) and collide_groups(bodies, i, j):
                return False
    return True


def free_seconds(tables: Tables, least: float) -> float:
    """Seconds from now in which surely no two bodies touch and no timer is due; 0 where they are less than `least`.

    The answer depends on bodies alone, not on the broad phase. Polled and deforming bodies may do anything; a guided one stays
    on the path of its row until its timer.
    """
    rows = present_rows(tables)
    if not least > 0.0 or len(rows) > _MOST_BODIES or tables.periods.any() or (tables.link[rows, KIND] == POLLED).any():
        return 0.0
    now = float(tables.param[NOW])
    timer = float(tables.timers.keys[: tables.capacity].min(initial=math.inf)) - now
    free, ahead, bodies = 0.0, least, tables.bodies()
    while free < min(timer, _LONGEST) and _all_stay_apart(bodies, rows, now, ahead):
        free = ahead
        ahead *= 4.0
    free = min(free, timer)
    return free if free >= least else 0.0


@lean_kernel
def after_steps(value, step, times):
    """What `times` additions of `step` to a value give, one after the other, to the last bit; at most some hundred are made.

    Between two powers of two all sums round to multiples of one unit, so that from the third on (a tie rounds to an even
    multiple, and from there to even ones) each adds the same number of units, which is exact.
    """
    if not abs(value) < math.inf:
        return value
    while times > 0:
        before = value
        value += step
        times -= 1
        if value == before:
            return value
        if times < 4:
            continue
        second = value + step
        third = second + step
        gain = third - second
        _, exponent = math.frexp(value)
        low, high = math.ldexp(0.5, exponent), math.ldexp(1.0, exponent)
        if not (low < abs(second) < high and low < abs(third) < high) or gain == 0.0:
            continue
        room = high - abs(third) if (gain > 0.0) == (third > 0.0) else abs(third) - low
        leap = min(np.int64(room / abs(gain)) - 2, times - 2)
        if leap > 0:
            value = third + leap * gain
            times -= 2 + leap
    return value


@lean_kernel
def passed_stretches(origin, time):
    """Where the time origin is at `time`, and how often it moves on the way there: after every REBASE_AFTER seconds."""
    times = np.int64(0)
    while time - origin > REBASE_AFTER:
        some = max(np.int64(0.5 * (time - origin) / REBASE_AFTER), np.int64(1))
        origin = after_steps(origin, REBASE_AFTER, some)
        times += some
    return origin, times


@inner_kernel
def _flies_straight(body, spin, row):
    """Does a row neither accelerate nor turn?"""
    for d in range(3):
        if body[row, AX + d] != 0.0 or spin[row, d] != 0.0:
            return False
    return True


@lean_kernel
def _first_slow(body, link, spin, rows):
    """Place of the first row that is taken through time stretch by stretch, -1 for none."""
    for k in range(rows.shape[0]):
        row = np.int64(rows[k])
        if link[row, FLAGS] != KEYED and (link[row, KIND] == POLLED or not _flies_straight(body, spin, row)):
            return k
    return -1


def check_distance(tables: Tables, now: float, target: float) -> None:
    """Refuse a time so far ahead that getting there would take hours, however little happens. Straight flights are leaps."""
    if target - now <= _FARTHEST:
        return
    rows = present_rows(tables)
    k = int(_first_slow(tables.body, tables.link, tables.spin, rows))
    if k >= 0:
        raise InvalidInputError(
            f"until is {target}; expected at most {now + _FARTHEST}: body {tables.link[rows[k], ID]} turns, accelerates, "
            f"deforms or is polled, and is followed in stretches of {REBASE_AFTER:g} s"
        )


@lean_kernel
def _advance_bodies(body, link, quat, spin, rows, shift, times):
    """Move the epoch of rows `times` times by `shift` seconds, to where the origin of time moves with it."""
    for k in range(rows.shape[0]):
        row = np.int64(rows[k])
        if link[row, FLAGS] == KEYED:
            continue
        steps = min(times, np.int64(1)) if _flies_straight(body, spin, row) else times
        for _ in range(steps):
            turn_row(body, quat, spin, row, shift)
            advance_row(body, row, shift)
            body[row, T_REF] = 0.0
        for d in range(3):
            v = body[row, VX + d]
            body[row, X + d] = after_steps(body[row, X + d], 0.5 * (v + v) * shift, times - steps)


@lean_kernel
def _subtract(values, shift, times):
    """Subtract `shift` from each value `times` times, as so many steps would."""
    for k in range(values.shape[0]):
        values[k] = after_steps(values[k], -shift, times)


def move_origin(tables: Tables, since: NDArray[np.float64], shift: float, times: int) -> None:
    """Move the time origin `times` times by `shift` seconds: bodies go on, and everything that holds a time is written anew.

    One step at a time, also where nothing happens in between: so the log does not depend on who looks, and when. The clock
    stands where the origin comes to in the end, or later. since (n,): times to be written anew as well.
    """
    body = tables.body
    _advance_bodies(body, tables.link, tables.quat, tables.spin, present_rows(tables), shift, times)
    keyed = tables.link[:, FLAGS] == KEYED
    epochs, hits = body[keyed, T_REF], body[:, LAST_HIT].copy()
    given = tables.given[:, 1:3].flatten()
    timers = tables.timers.keys[: tables.capacity].copy()
    clocks = tables.param[[NOW, SAME_AT]]
    for values in (epochs, hits, given, timers, clocks, tables.key_time, since):
        _subtract(values, shift, times)
    body[keyed, T_REF] = epochs
    body[:, LAST_HIT] = hits
    tables.param[[NOW, SAME_AT]] = clocks
    tables.given[:, 1:3] = given.reshape(-1, 2)
    tables.timers = EventQueue(tables.capacity, tables.timers.method)
    tables.timers.keys[: tables.capacity] = timers
    tables.timers.build()
