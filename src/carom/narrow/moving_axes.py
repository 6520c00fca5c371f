"""Separating axes of two convex sets that move without turning.

Orientations are fixed, so a separating axis is fixed too, and the offset along it is a quadratic in time: an axis
separates on a few intervals of time that are known exactly. The sets first overlap when no axis separates any more.
Rows of axes are laid out in carom.narrow.workspace.
"""

from __future__ import annotations

from math import inf

from carom._jit import kernel
from carom.maths.roots import enter_quadratic
from carom.narrow.status import EXACT, OVERLAPPING
from carom.narrow.workspace import A_AHEAD, A_BEHIND, A_D, A_H, A_V, AXES, AXIS_ROW
from carom.tolerances import NEUTRAL_RATE

NO_SIDE = -1
"""A side is 2 k where B lies ahead of A along axis k, and 2 k + 1 where it lies behind."""


@kernel
def side_gap(work, side):
    """Coefficients g0, g1, g2 of the gap g0 + g1 s + g2 s^2 on one side of an axis; separated where it is positive."""
    row = AXES + AXIS_ROW * (side // 2)
    if side % 2 == 0:
        return work[row + A_AHEAD] + work[row + A_D], work[row + A_V], work[row + A_H]
    return work[row + A_BEHIND] - work[row + A_D], -work[row + A_V], -work[row + A_H]


@kernel
def separating_side(work, k, s, pad):
    """The side on which axis k separates by more than `pad` at time s, or NO_SIDE."""
    row = AXES + AXIS_ROW * k
    along = work[row + A_D] + s * (work[row + A_V] + s * work[row + A_H])
    if work[row + A_AHEAD] + along > pad:
        return 2 * k
    if work[row + A_BEHIND] - along > pad:
        return 2 * k + 1
    return NO_SIDE


@kernel
def leave_axis(work, k, s, side, pad):
    """First time from s on at which axis k does not separate, and the side it separated on (else the given one)."""
    now = separating_side(work, k, s, pad)
    if now == NO_SIDE:
        return s, side
    g0, g1, g2 = side_gap(work, now)
    later = enter_quadratic(g0, g1, g2, s)
    if later > s:
        return later, now
    return s, side


@kernel
def settle(work, n_axes, s, side, s_max, pad):
    """First time in [s, s_max] at which no axis separates, and the side that stopped last; (inf, side) if none.

    Each axis stops separating at most twice (a parabola enters an interval at most twice), so the loop ends.
    """
    quiet = 0
    k = 0
    while quiet < n_axes and s <= s_max and s < inf:
        later, side = leave_axis(work, k, s, side, pad)
        quiet = quiet + 1 if later == s else 1
        s = later
        k = k + 1 if k + 1 < n_axes else 0
    return (s, side) if s <= s_max else (inf, side)


@kernel
def start_in_overlap(work, n_axes, s, speed, touch):
    """When do sets that overlap at s next come into contact, by the sides alone: (time, side, deeper than a touch?).

    Sides that overlap by at most `touch` touch: parting along any of them is parting. Otherwise approaching along one
    of them is a contact now. With none of them, the side of least overlap decides. `speed` scales what is noise.
    """
    parted, parted_side = -inf, NO_SIDE
    now_rate, now_side = 0.0, NO_SIDE
    calm, calm_side = inf, NO_SIDE
    least, least_side = -inf, NO_SIDE
    for side in range(2 * n_axes):
        g0, g1, g2 = side_gap(work, side)
        gap = g0 + s * (g1 + s * g2)
        rate = g1 + 2.0 * s * g2
        if gap > least:
            least, least_side = gap, side
        if gap < -touch:
            continue
        if rate < now_rate:
            now_rate, now_side = rate, side
        if rate < 0.0:
            continue
        later = enter_quadratic(g0, g1, g2, s)
        if rate > NEUTRAL_RATE * speed or g2 > 0.0:
            if later > parted:
                parted, parted_side = later, side
        elif later < calm:
            calm, calm_side = later, side
    if parted_side != NO_SIDE:
        return parted, parted_side, False
    if now_side != NO_SIDE:
        return s, now_side, False
    if least >= -touch:
        return calm, calm_side, False
    g0, g1, g2 = side_gap(work, least_side)
    return enter_quadratic(g0, g1, g2, s), least_side, True


@kernel
def contact_status(work, s, side, touch):
    """OVERLAPPING where the sets are deeper in each other than a touch at the contact."""
    g0, g1, g2 = side_gap(work, side)
    return OVERLAPPING if g0 + s * (g1 + s * g2) < -touch else EXACT
