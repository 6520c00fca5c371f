"""Local times: a world counts time from an origin that moves by REBASE_AFTER seconds again and again.

So event times keep their resolution however long a world runs. The states of bodies are told anew where the origin moves.
Each is computed from the motion as it began, not from the state before: roundings of positions would add up on a long flight,
always in the same direction, and contacts come late.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from carom._compile.jit import inner_kernel, lean_kernel
from carom.engine.audit import present_rows
from carom.engine.tables import Tables
from carom.maths.exact import product_error, sum_error
from carom.maths.turning_orientation import turned_quaternion
from carom.queues.event_queue import EventQueue
from carom.tables.body_columns import (
    AX,
    ELAPSED,
    FLAGS,
    FROM_AX,
    FROM_QUAT,
    FROM_SPIN,
    FROM_T,
    FROM_VX,
    FROM_X,
    KEYED,
    LAST_HIT,
    T_REF,
    VX,
    X,
)
from carom.tables.run_columns import NOW, SAME_AT
from carom.tolerances import REBASE_AFTER

_LARGEST = 2.0**52  # A step is a multiple of the last place of every time of at most so many steps
_PLACE_COLUMNS = 10  # Position (3), velocity (3), orientation (4)


@lean_kernel
def after_steps(value, step, times):
    """`value` after `step`, a power of two or its negative, was added `times` times, and each sum was rounded.

    The work does not grow with `times`: between two powers of two, the sums are exact, since both terms are multiples of the
    last place there. So are all sums on the way to 0. At most one sum in each binade is rounded.
    """
    while times > 0 and abs(value) < math.inf and value + step != value:
        size, stride = abs(value), abs(step)
        room = size
        if (value < 0.0) == (step < 0.0):
            room = math.ldexp(1.0, math.frexp(size)[1]) - size
        one = room < 2.0 * stride or size > _LARGEST * stride
        exact = 1 if one else np.int64(min(room / stride, 1.0 * times))
        value += exact * step
        times -= exact
    return value


@lean_kernel
def passed_stretches(origin, time):
    """Where the time origin is at `time`, and how often it moves on the way there: after every REBASE_AFTER seconds."""
    times = max(np.int64((time - origin) / REBASE_AFTER) - 2, 0)
    origin = after_steps(origin, REBASE_AFTER, times)
    while time - origin > REBASE_AFTER:
        origin += REBASE_AFTER
        times += 1
    return origin, times


@inner_kernel
def _flown(place, velocity, acceleration, h, h_low):
    """Position and velocity after h + h_low seconds, each rounded once; |h_low| is at most half a last place of h."""
    way, half = velocity * h, 0.5 * acceleration
    way_low = product_error(velocity, h) + velocity * h_low
    gain = half * h
    gain_low = product_error(half, h) + half * h_low
    bend = gain * h
    bend_low = product_error(gain, h) + gain_low * h + gain * h_low
    total = place + way
    low = sum_error(place, way) + way_low + bend_low
    speed = velocity + 2.0 * gain
    speed_low = sum_error(velocity, 2.0 * gain) + 2.0 * gain_low
    return (total + bend) + (sum_error(total, bend) + low), speed + speed_low


@inner_kernel
def _arrive(departure, row, place):
    """Fill `place` with the state of a row that departed: the one that it has where the time origin is now."""
    begin = departure[row]
    h = begin[ELAPSED] - begin[FROM_T]
    h_low = sum_error(begin[ELAPSED], -begin[FROM_T])
    for d in range(3):
        place[d], place[3 + d] = _flown(begin[FROM_X + d], begin[FROM_VX + d], begin[FROM_AX + d], h, h_low)
    for k in range(4):
        place[6 + k] = begin[FROM_QUAT + k]
    x, y, z = begin[FROM_SPIN], begin[FROM_SPIN + 1], begin[FROM_SPIN + 2]
    if x != 0.0 or y != 0.0 or z != 0.0:
        a, b, c, d = turned_quaternion(place[6], place[7], place[8], place[9], x, y, z, h)
        length = math.sqrt(a * a + b * b + c * c + d * d)
        place[6], place[7], place[8], place[9] = a / length, b / length, c / length, d / length


@inner_kernel
def _goes_on(body, quat, spin, departure, row, place):
    """Has the motion of a row not changed since the time origin moved? Fills `place` where it departed before."""
    begin = departure[row]
    if begin[ELAPSED] == 0.0 or body[row, T_REF] != 0.0:
        return False
    _arrive(departure, row, place)
    same = True
    for d in range(3):
        same &= body[row, X + d] == place[d] and body[row, VX + d] == place[3 + d]
        same &= body[row, AX + d] == begin[FROM_AX + d] and spin[row, d] == begin[FROM_SPIN + d]
    for k in range(4):
        same &= quat[row, k] == place[6 + k]
    return same


@lean_kernel
def _carry(body, link, quat, spin, departure, rows, seconds, place):
    """Let the states of rows be those `seconds` after the time origin, which moves there. place (10,): working space."""
    for k in range(rows.shape[0]):
        row = np.int64(rows[k])
        if link[row, FLAGS] == KEYED:
            continue
        begin = departure[row]
        if not _goes_on(body, quat, spin, departure, row, place):
            for d in range(3):
                begin[FROM_X + d], begin[FROM_VX + d] = body[row, X + d], body[row, VX + d]
                begin[FROM_AX + d], begin[FROM_SPIN + d] = body[row, AX + d], spin[row, d]
            for d in range(4):
                begin[FROM_QUAT + d] = quat[row, d]
            begin[FROM_T], begin[ELAPSED] = body[row, T_REF], 0.0
        begin[ELAPSED] += seconds
        _arrive(departure, row, place)
        for d in range(3):
            body[row, X + d], body[row, VX + d] = place[d], place[3 + d]
        for d in range(4):
            quat[row, d] = place[6 + d]
        body[row, T_REF] = 0.0


@lean_kernel
def _step_back(values, times):
    """Tell times anew, after the time origin has moved so many times."""
    for k in range(values.shape[0]):
        values[k] = after_steps(values[k], -REBASE_AFTER, times)


def move_origin(tables: Tables, since: NDArray[np.float64], times: int) -> None:
    """Move the time origin `times` times by REBASE_AFTER seconds: everything that holds a time is written anew.

    Two calls give the same as one with the sum of their `times`: so the log does not depend on who looks, and when. The
    clock stands where the origin comes to in the end, or later. since (n,): times to be written anew as well.
    """
    body = tables.body
    _carry(
        body, tables.link, tables.quat, tables.spin, tables.departure, present_rows(tables), times * REBASE_AFTER,
        np.zeros(_PLACE_COLUMNS),
    )  # fmt: skip
    keyed = tables.link[:, FLAGS] == KEYED
    epochs, hits = body[keyed, T_REF], body[:, LAST_HIT].copy()
    given = tables.given[:, 1:3].flatten()
    timers = tables.timers.keys[: tables.capacity].copy()
    clocks = tables.param[[NOW, SAME_AT]]
    for values in (epochs, hits, given, timers, clocks, tables.key_time, since):
        _step_back(values, times)
    body[keyed, T_REF] = epochs
    body[:, LAST_HIT] = hits
    tables.param[[NOW, SAME_AT]] = clocks
    tables.given[:, 1:3] = given.reshape(-1, 2)
    tables.timers = EventQueue(tables.capacity, tables.timers.method)
    tables.timers.keys[: tables.capacity] = timers
    tables.timers.build()
