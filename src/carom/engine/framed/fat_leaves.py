"""Swept boxes with a margin: a body stays in its fat box for many frames, and only then has to be moved."""

from __future__ import annotations

import math

from carom._compile.jit import inner_kernel
from carom.engine.body_boxes import ends_at, extreme

_MARGIN = 0.05
"""Relative to the box. Margin on every side."""

_AHEAD = 0.4
"""Relative to the box. More margin in the direction of motion."""

_LOOSE = 2.0
"""A fat box that is this much longer than a new one would be is replaced though the body has not left it."""

_LOOK_AHEAD = 16.0
"""Frames for which the speed of an accelerated end is bounded when the time at which it leaves its box is looked for."""


@inner_kernel
def read_box(bodies, row, now, end, ends, swept):
    """Box (6,) of `row` swept from `now` to `end`, and per end position, speed and half acceleration at `now` (2a, 3).

    Returns whether the box is finite. Axes that there are not have the box [0, 1].
    """
    n_axes = ends.shape[0] >> 1
    for d in range(n_axes, 3):
        swept[d] = 0.0
        swept[3 + d] = 1.0
    ends_at(bodies, row, now, ends)
    finite = True
    for e in range(ends.shape[0]):
        position = extreme(ends[e, 0], ends[e, 1], ends[e, 2], 0.0, end - now, e & 1)
        swept[3 * (e & 1) + (e >> 1)] = position
        finite &= abs(position) < math.inf
    return finite


@inner_kernel
def fatten(ends, swept, fat):
    """The swept box with its margins."""
    n_axes = ends.shape[0] >> 1
    size = 0.0
    speed = 0.0
    for d in range(n_axes):
        if swept[3 + d] - swept[d] < math.inf:
            size = max(size, swept[3 + d] - swept[d])
        speed = max(speed, abs(ends[2 * d, 1]), abs(ends[2 * d + 1, 1]))
    if size == 0.0:  # endless on every axis: what it passes in a second
        size = speed
    ahead = _AHEAD * size / speed if speed > 0.0 else 0.0
    for d in range(3):
        fat[d] = swept[d]
        fat[3 + d] = swept[3 + d]
    for d in range(n_axes):
        fat[d] -= _MARGIN * size + ahead * max(-ends[2 * d, 1], 0.0)
        fat[3 + d] += _MARGIN * size + ahead * max(ends[2 * d + 1, 1], 0.0)


@inner_kernel
def still_fits(box, swept, fat):
    """Does `box` contain the swept box, and is it not much longer than the new fat one?"""
    for d in range(3):
        if swept[d] < box[d] or swept[3 + d] > box[3 + d]:
            return False
        if box[3 + d] - box[d] > _LOOSE * (fat[3 + d] - fat[d]):
            return False
    return True


@inner_kernel
def time_inside(ends, box, frame):
    """Seconds for which a body with these ends surely stays in `box`."""
    time = math.inf
    for e in range(ends.shape[0]):
        gain = 2.0 * abs(ends[e, 2]) * _LOOK_AHEAD * frame
        if gain > 0.0:
            time = min(time, _LOOK_AHEAD * frame)
        outward = gain + (ends[e, 1] if e & 1 else -ends[e, 1])
        if outward > 0.0:
            room = box[3 + (e >> 1)] - ends[e, 0] if e & 1 else ends[e, 0] - box[e >> 1]
            time = min(time, (1.0 - 1e-9) * room / outward)
    return time
