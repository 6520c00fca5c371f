"""Separating axes of two convex sets that move without turning.

Orientations are fixed, so a separating axis is fixed too, and the offset along it is a quadratic in time: an axis
separates on a few intervals of time that are known exactly. The sets first overlap when no axis separates any more.
Rows of axes, their number N_AXES and their sides are explained in carom.narrow.workspace.
"""

from __future__ import annotations

from math import inf, sqrt

from carom._jit import kernel
from carom.maths.roots import enter_quadratic
from carom.narrow.status import EXACT, OVERLAPPING
from carom.narrow.workspace import (
    A_AHEAD,
    A_BEHIND,
    A_D,
    A_H,
    A_V,
    AXES,
    AXIS_ROW,
    DEEP,
    FROM_A,
    M_H,
    M_V,
    N_AXES,
    NORMAL,
    SIDE,
    STATUS,
)
from carom.tolerances import NEUTRAL_RATE


@kernel
def _side_gap(work, side):
    """Coefficients g0, g1, g2 of the gap g0 + g1 s + g2 s^2 on one side of an axis; separated where it is positive."""
    row = AXES + AXIS_ROW * (side // 2)
    if side % 2 == 0:
        return work[row + A_AHEAD] + work[row + A_D], work[row + A_V], work[row + A_H]
    return work[row + A_BEHIND] - work[row + A_D], -work[row + A_V], -work[row + A_H]


@kernel
def leave_axis(work, k, s, pad):
    """First time from s on at which axis k does not separate by more than `pad`; the root itself is not padded."""
    row = AXES + AXIS_ROW * k
    g0, g1, g2 = work[row + A_D], work[row + A_V], work[row + A_H]
    along = g0 + s * (g1 + s * g2)
    if work[row + A_AHEAD] + along > pad:
        return enter_quadratic(work[row + A_AHEAD] + g0, g1, g2, s)
    if work[row + A_BEHIND] - along > pad:
        return enter_quadratic(work[row + A_BEHIND] - g0, -g1, -g2, s)
    return s


@kernel
def settle(work, s, s_max, pad):
    """First time in [s, s_max] at which no axis separates; inf if none.

    Each axis stops separating at most twice (a parabola enters an interval at most twice), so the loop ends.
    """
    n_axes = int(work[N_AXES])
    quiet = 0
    while quiet < n_axes and s <= s_max and s < inf:
        for k in range(n_axes):
            later = leave_axis(work, k, s, pad)
            quiet = quiet + 1 if later == s else 1
            s = later
            if quiet >= n_axes or s > s_max or s == inf:
                break
    return s if s <= s_max else inf


@kernel
def speed_at(work, s):
    """Speed of B relative to A at time s."""
    square = 0.0
    for d in range(3):
        square += (work[FROM_A + M_V + d] + 2.0 * s * work[FROM_A + M_H + d]) ** 2
    return sqrt(square)


@kernel
def _start_in_overlap(work, s, touch):
    """When do sets that overlap at s next come into contact, by the sides alone: (time, deeper than a touch?). Sets SIDE.

    Sides that overlap by at most `touch` touch: parting along any of them is parting. Otherwise approaching along one
    of them is a contact now. With none of them, the side of least overlap decides.
    """
    noise = NEUTRAL_RATE * speed_at(work, s)
    parted, parted_side = -inf, -1.0
    now_rate, now_side = 0.0, -1.0
    calm, calm_side = inf, -1.0
    least, least_side, least_later = -inf, -1.0, inf
    for side in range(2 * int(work[N_AXES])):
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
        work[SIDE] = parted_side
        return parted, False
    if now_side >= 0.0:
        work[SIDE] = now_side
        return s, False
    if least >= -touch:
        work[SIDE] = calm_side
        return calm, False
    work[SIDE] = least_side
    return least_later, True


@kernel
def _parting_until(work, s, pad):
    """When do all sides that touch at s, to within `pad`, and part have closed again? s itself where none parts.

    A direction in which neither set is thick has two touching sides, one of which always parts: that is crossing it.
    """
    noise = NEUTRAL_RATE * speed_at(work, s)
    last = s
    for side in range(2 * int(work[N_AXES])):
        row = AXES + AXIS_ROW * (side // 2)
        g0, g1, g2 = _side_gap(work, side)
        thick = work[row + A_AHEAD] + work[row + A_BEHIND] < -4.0 * pad
        if thick and g1 + 2.0 * s * g2 > noise and g0 + s * (g1 + s * g2) >= -pad:
            last = max(last, enter_quadratic(g0, g1, g2, s))
    return last


@kernel
def meet(work, s_from, s, s_max, pad, touch):
    """First contact in [s_from, s_max] where the axes have been left one after the other by time s; inf if none.

    Sets SIDE where the sets start in overlap and do not part, and DEEP if by more than a touch.
    """
    work[SIDE] = -1.0
    if s == s_from:
        s, deep = _start_in_overlap(work, s_from, touch)
        if deep:
            work[DEEP] = 1.0
        if s == s_from:
            return s
    turned = s
    while s <= s_max and s < inf:
        s = settle(work, s, s_max, pad)
        if s == inf or (s == turned and work[SIDE] >= 0.0):
            break
        work[SIDE] = -1.0
        # Grazed in passing is no contact. A side closes at most twice, so that there is an end to this.
        closed = _parting_until(work, s, pad)
        if closed == s:
            break
        s = closed
    return s if s <= s_max else inf


@kernel
def face_contact(work, s, pad, touch):
    """Set SIDE, NORMAL and STATUS for a contact at s; returns the speed of approach, -1 where no touching side closes.

    Where SIDE is open: of all sides that touch, to within `pad`, the one that closes fastest. Where a corner meets a
    corner or a face a face several stop separating at once, and rounding must not choose. Else the least deep.
    """
    side, closing = int(work[SIDE]), -1.0
    if side < 0:
        least = -inf
        for other in range(2 * int(work[N_AXES])):
            g0, g1, g2 = _side_gap(work, other)
            gap = g0 + s * (g1 + s * g2)
            rate = g1 + 2.0 * s * g2
            if rate < 0.0 and -rate > closing and abs(gap) <= pad:
                closing, side = -rate, other
            elif closing < 0.0 and gap > least:
                least, side = gap, other
        work[SIDE] = side
    g0, g1, g2 = _side_gap(work, side)
    work[STATUS] = OVERLAPPING if g0 + s * (g1 + s * g2) < -touch else EXACT
    row = AXES + AXIS_ROW * (side // 2)
    sign = 1.0 if side % 2 == 0 else -1.0
    for d in range(3):
        work[NORMAL + d] = sign * work[row + d]
    return closing


@kernel
def strike_out(work):
    """Let the side of the contact separate nothing and touch nothing any more, and leave the choice of another open."""
    side = int(work[SIDE])
    work[AXES + AXIS_ROW * (side // 2) + A_AHEAD + side % 2] = -inf
    work[SIDE] = -1.0
