"""Separating axes of two convex sets that move without rotating.

Orientations are fixed, so a separating axis is fixed too, and the offset along it is a quadratic in time: an axis
separates on a few intervals of time that are known exactly. The sets first overlap when no axis separates any more.
Rows of axes, their number N_AXES and their sides are explained in carom.narrow.toi.workspace.
"""

from __future__ import annotations

from math import inf, sqrt

from carom._compile.jit import inner_kernel, kernel
from carom.maths.roots import enter_quadratic
from carom.narrow.toi import workspace as ws
from carom.narrow.toi.status import EXACT, OVERLAPPING
from carom.narrow.toi.workspace import pad_at
from carom.tolerances import NEUTRAL_RATE


@inner_kernel
def _side_gap(work, side):
    """Coefficients g0, g1, g2 of the gap g0 + g1 s + g2 s^2 on one side of an axis; separated where it is positive."""
    row = ws.AXES + ws.AXIS_ROW * (side // 2)
    if side % 2 == 0:
        return work[row + ws.A_AHEAD] + work[row + ws.A_D], work[row + ws.A_V], work[row + ws.A_H]
    return work[row + ws.A_BEHIND] - work[row + ws.A_D], -work[row + ws.A_V], -work[row + ws.A_H]


@inner_kernel
def leave_axis(work, k, s, pad):
    """First time from s on at which axis k does not separate by more than `pad`; the root itself is not padded."""
    row = ws.AXES + ws.AXIS_ROW * k
    g0, g1, g2 = work[row + ws.A_D], work[row + ws.A_V], work[row + ws.A_H]
    along = g0 + s * (g1 + s * g2)
    if work[row + ws.A_AHEAD] + along > pad:
        g0 += work[row + ws.A_AHEAD]
    elif work[row + ws.A_BEHIND] - along > pad:
        g0, g1, g2 = work[row + ws.A_BEHIND] - g0, -g1, -g2
    else:
        return s
    return enter_quadratic(g0, g1, g2, s)


@inner_kernel
def leave_axis_first(work, k, s, s_from):
    """leave_axis for the first round: at the start, sets without thickness that are within TOUCH touch.

    Rounding may have left two parallel faces on the wrong sides of each other, from where they would seem to meet anew.
    """
    row = ws.AXES + ws.AXIS_ROW * k
    thin = s == s_from and work[row + ws.A_AHEAD] + work[row + ws.A_BEHIND] >= -work[ws.TOUCH]
    return leave_axis(work, k, s, work[ws.TOUCH] if thin else pad_at(work, s))


@kernel
def settle(work, s, s_max):
    """First time in [s, s_max] at which no axis separates; inf if none.

    Each axis stops separating at most twice (a parabola enters an interval at most twice), so the loop ends.
    """
    n_axes = int(work[ws.N_AXES])
    quiet = 0
    while quiet < n_axes and s <= s_max and s < inf:
        for k in range(n_axes):
            later = leave_axis(work, k, s, pad_at(work, s))
            quiet = quiet + 1 if later == s else 1
            s = later
            if quiet >= n_axes or s > s_max or s == inf:
                break
    return s if s <= s_max else inf


@inner_kernel
def speed_at(work, s):
    """Speed of B relative to A at time s."""
    square = 0.0
    for d in range(3):
        square += (work[ws.FROM_A + ws.M_V + d] + 2.0 * s * work[ws.FROM_A + ws.M_H + d]) ** 2
    return sqrt(square)


@inner_kernel
def _start_in_overlap(work, s):
    """When do sets that overlap at s next come into contact, by the sides alone: (time, deeper than a touch?). Sets SIDE.

    Sides that overlap by at most TOUCH touch: parting along any of them is parting. Otherwise approaching along one
    of them is a contact now. With none of them, the side of least overlap decides.
    """
    touch, noise = work[ws.TOUCH], NEUTRAL_RATE * speed_at(work, s)
    parted, parted_side = -inf, -1.0
    now_rate, now_side = 0.0, -1.0
    calm, calm_side = inf, -1.0
    least, least_side, least_later = -inf, -1.0, inf
    for side in range(2 * int(work[ws.N_AXES])):
        g0, g1, g2 = _side_gap(work, side)
        gap = g0 + s * (g1 + s * g2)
        rate = g1 + 2.0 * s * g2
        if gap < -touch and gap <= least:
            continue
        later = enter_quadratic(g0, g1, g2, s)
        if gap > least:
            least, least_side, least_later = gap, side, later
        if gap < -touch:
            continue
        if rate < now_rate:
            now_rate, now_side = rate, side
        if rate < 0.0:
            continue
        if rate > noise or g2 > 0.0:
            if later > parted:
                parted, parted_side = later, side
        elif later < calm:
            calm, calm_side = later, side
    if parted_side >= 0.0:
        work[ws.SIDE] = parted_side
        return parted, False
    if now_side >= 0.0:
        work[ws.SIDE] = now_side
        return s, False
    if least >= -touch:
        work[ws.SIDE] = calm_side
        return calm, False
    work[ws.SIDE] = least_side
    return least_later, True


@inner_kernel
def all_sides_closed(work, s, slack):
    """Is every side of the sets closed at time s, but for a gap of `slack`?"""
    for side in range(2 * int(work[ws.N_AXES])):
        g0, g1, g2 = _side_gap(work, side)
        if g0 + s * (g1 + s * g2) > slack:
            return False
    return True


@inner_kernel
def _parting_until(work, s, s_from):
    """When do all sides that touch at s, but for rounding, and part have closed again? s itself where none parts.

    Sets in touch at s_from may be there because they bounced and sank a little: then all of a touch counts, lest they
    meet from inside on the way out. A direction in which neither set is thick has two touching sides, one of which always
    parts: that is crossing it.
    """
    slack = work[ws.TOUCH] if all_sides_closed(work, s_from, work[ws.TOUCH]) else pad_at(work, s)
    noise = NEUTRAL_RATE * speed_at(work, s)
    last = s
    for side in range(2 * int(work[ws.N_AXES])):
        row = ws.AXES + ws.AXIS_ROW * (side // 2)
        g0, g1, g2 = _side_gap(work, side)
        thick = work[row + ws.A_AHEAD] + work[row + ws.A_BEHIND] < -4.0 * slack
        if thick and g1 + 2.0 * s * g2 > noise and g0 + s * (g1 + s * g2) >= -slack:
            last = max(last, enter_quadratic(g0, g1, g2, s))
    return last


@inner_kernel
def open_and_close(work, s):
    """When does the first side of sets in overlap at s open, and when has it closed again? inf for never."""
    opened, closed = inf, inf
    for side in range(2 * int(work[ws.N_AXES])):
        g0, g1, g2 = _side_gap(work, side)
        if g0 > -inf:
            later = enter_quadratic(-g0, -g1, -g2, s)
            if later < opened:
                opened, closed = later, enter_quadratic(g0, g1, g2, later)
    return opened, closed


@kernel
def meet(work, s_from, s, s_max):
    """First contact in [s_from, s_max] where the axes have been left one after the other by time s; inf if none.

    Sets SIDE where the sets start in overlap and do not part, and DEEP if by more than a touch.
    """
    work[ws.SIDE] = -1.0
    if s == s_from:
        s, deep = _start_in_overlap(work, s_from)
        if deep:
            work[ws.DEEP] = 1.0
        if s == s_from:
            return s
        if deep:
            opened, closed = open_and_close(work, s_from)
            if opened < s:  # parted by another side before the one of least overlap turns
                work[ws.SIDE] = -1.0
                s = closed
    turned = s
    while s <= s_max and s < inf:
        s = settle(work, s, s_max)
        if s == inf or (s == turned and work[ws.SIDE] >= 0.0):
            break
        work[ws.SIDE] = -1.0
        # Grazed in passing is no contact. A side closes at most twice, so that there is an end to this.
        closed = _parting_until(work, s, s_from)
        if closed == s:
            break
        s = closed
    return s if s <= s_max else inf


@inner_kernel
def meet_again(work, s, s_max):
    """The next contact in (s, s_max] of sets in contact at s: after the first side has opened and closed again; inf if none."""
    _, closed = open_and_close(work, s)
    work[ws.SIDE] = -1.0
    return settle(work, closed, s_max) if closed < inf else inf


@inner_kernel
def next_side(work, s, slack, closing):
    """Set SIDE to the side, touching to within `slack`, that closes fastest of those after (closing, SIDE).

    Returns its speed of approach, or -1 where none is left. In order of falling speed, then of rising number.
    """
    after, best, side = int(work[ws.SIDE]), -1.0, -1
    for other in range(2 * int(work[ws.N_AXES])):
        g0, g1, g2 = _side_gap(work, other)
        speed = -(g1 + 2.0 * s * g2)
        behind = speed < closing or (speed == closing and other > after)
        if behind and speed > max(best, 0.0) and abs(g0 + s * (g1 + s * g2)) <= slack:
            best, side = speed, other
    work[ws.SIDE] = side
    return best


@inner_kernel
def face_contact(work, s):
    """Set NORMAL and STATUS for a contact at s; returns the speed of approach.

    Where SIDE is open: of all sides that touch the one that closes fastest. Where a corner meets a corner or a face a
    face several stop separating at once, and rounding must not choose. Failing that, the least deep.
    """
    if work[ws.SIDE] < 0.0:
        next_side(work, s, pad_at(work, s), inf)
    if work[ws.SIDE] < 0.0:
        least = -inf
        for side in range(2 * int(work[ws.N_AXES])):
            g0, g1, g2 = _side_gap(work, side)
            if g0 + s * (g1 + s * g2) > least:
                least = g0 + s * (g1 + s * g2)
                work[ws.SIDE] = side
    side = int(work[ws.SIDE])
    g0, g1, g2 = _side_gap(work, side)
    work[ws.STATUS] = OVERLAPPING if g0 + s * (g1 + s * g2) < -work[ws.TOUCH] else EXACT
    row = ws.AXES + ws.AXIS_ROW * (side // 2)
    sign = 1.0 if side % 2 == 0 else -1.0
    for d in range(3):
        work[ws.NORMAL + d] = sign * work[row + d]
    return max(-(g1 + 2.0 * s * g2), 0.0)
