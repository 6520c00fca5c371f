"""Kernels of PossiblePairs: space-time bounds of balls that are steered, and which of the pairs that can meet do so now."""

from __future__ import annotations

from carom._compile.jit import inner_kernel, lean_kernel
from carom.bounds.meetings.meeting import meeting
from carom.bounds.meetings.neighbours import overlap_aside, sweep_boxes
from carom.bounds.meetings.sorting import insertion_sort, spread_sort
from carom.bounds.space_time import PLANE_OFFSET, PLANE_SPEED
from carom.tolerances import BOUND_PAD, BOUND_PAD_ULPS, EPSILON, GUIDED_SLACK

_AHEAD = 1
"""Followers along x that each body is first compared with."""


@inner_kernel
def _first_of_neighbours(sides, planes, cut, soon, last, order):
    """A time in (soon, last] at which bounds meet that follow each other in `order`, else `last`."""
    n = len(order)
    for a in range(n):
        for b in range(a + 1, min(n, a + 1 + _AHEAD)):
            t = meeting(sides, planes, cut, min(order[a], order[b]), max(order[a], order[b]), last)
            if soon < t < last:
                last = t
    return last


@inner_kernel
def look_ahead(sides, planes, cut, soon, span, order, starts, swept, near):
    """Pairs whose bounds meet until `soon`, into near (m, 2), and when, up to `span`, the bounds of others first meet.

    Returns that time and the number of pairs; what near has no room for counts among the others.
    """
    low = swept[0]
    for i in range(len(order)):
        low[i] = sides[i, 0]
    spread_sort(order, low, starts)
    last = _first_of_neighbours(sides, planes, cut, soon, span, order)
    sweep_boxes(sides, last, swept)
    insertion_sort(order, low)
    n_near = 0
    for a in range(len(order)):
        one = order[a]
        end = swept[3, one]
        for b in range(a + 1, len(order)):
            other = order[b]
            if low[other] > end:
                break
            if not overlap_aside(swept, one, other):
                continue
            t = meeting(sides, planes, cut, min(one, other), max(one, other), last)
            if t <= soon and n_near < len(near):
                near[n_near, 0], near[n_near, 1] = min(one, other), max(one, other)
                n_near += 1
            else:
                last = min(last, t)
    return last, n_near


@lean_kernel
def find_near(position, velocity, radius, acceleration, speed, direction, span, soon, room, near):
    """Pairs of balls that can meet until `soon`, into near (m, 2), and when, up to `span`, others first can.

    position, velocity, direction (n, 3); radius, acceleration, speed (n,): limits, inf for none; a direction of zero cuts
    nothing off. room: sides (n, 12), planes (n, 5), order (n,), starts (n + 1,), swept (6, n). Returns that time and the number
    of pairs; a full `near` may have lost some.
    """
    sides, planes, order, starts, swept = room
    cut = False
    for i in range(len(order)):
        growth = 0.5 * acceleration[i] * span * (1.0 + GUIDED_SLACK) if span > 0.0 else 0.0
        fastest = speed[i] * (1.0 + GUIDED_SLACK)
        offset, rate, farthest, cuts = 0.0, 0.0, radius[i], False
        for d in range(3):
            farthest = max(farthest, abs(position[i, d]))
        pad = BOUND_PAD * radius[i] + BOUND_PAD_ULPS * EPSILON * farthest
        wide = radius[i] + pad
        for d in range(3):
            x, v, n = position[i, d], velocity[i, d], direction[i, d]
            sides[i, 4 * d] = x - wide
            sides[i, 4 * d + 1] = max(v - growth, -fastest)
            sides[i, 4 * d + 2] = x + wide
            sides[i, 4 * d + 3] = min(v + growth, fastest)
            planes[i, d] = n
            offset += n * x
            rate += n * v
            cuts = cuts or n != 0.0
        planes[i, PLANE_OFFSET] = offset + wide + pad if cuts else 0.0
        planes[i, PLANE_SPEED] = rate
        cut = cut or cuts
    return look_ahead(sides, planes, cut, soon, span, order, starts, swept, near)


@lean_kernel
def touching_now(position, radius, near, n_near, important, pairs):
    """Pairs of `near` whose balls touch, into pairs (m, 2), those with an important (n,) body first; how many."""
    n = 0
    turns = 2 if important.any() else 1
    for turn in range(turns):
        for k in range(n_near):
            i, j = near[k, 0], near[k, 1]
            if turns == 2 and (important[i] or important[j]) == (turn == 1):
                continue
            dx, dy, dz = (
                position[j, 0] - position[i, 0],
                position[j, 1] - position[i, 1],
                position[j, 2] - position[i, 2],
            )
            reach = (radius[i] + radius[j]) * (1.0 + BOUND_PAD)
            if dx * dx + dy * dy + dz * dz <= reach * reach:
                pairs[n, 0], pairs[n, 1] = i, j
                n += 1
    return n
