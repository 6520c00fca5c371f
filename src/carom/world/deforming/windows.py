"""When the boxes of a deforming and a rigid body overlap: outside these times they cannot touch."""

from __future__ import annotations

from itertools import pairwise
from math import inf, sqrt

import numpy as np
from numpy.typing import NDArray

from carom.maths.fixed_order import dot, length
from carom.tolerances import ADVANCE_GAP, BOUND_PAD_ULPS, EPSILON
from carom.world.deforming.flightplans import Piece
from carom.world.deforming.rigid import Rigid

Floats = NDArray[np.float64]


def overlap_windows(piece: Piece, rigid: Rigid, begin: float, end: float) -> list[tuple[float, float]]:
    """Local times (first, last) within [begin, end], in order, in which the boxes overlap; the last end may be inf.

    Both boxes are widened a little, so that rounding never cuts a contact off.
    """
    low, high = rigid.extents
    if not (np.isfinite(low).all() and np.isfinite(high).all()):
        return [(begin, end)]
    first, last = piece.extent_at(begin), piece.extents[1]
    span = piece.end - piece.begin
    rates = (last - piece.extents[0]) / span if span < inf else np.zeros((2, 3))
    place = rigid.place(begin)
    speed = rigid.velocity + (begin - rigid.begin) * rigid.acceleration
    size = float(length(np.maximum(np.ptp(first, axis=0), np.ptp(last, axis=0)))) + rigid.reach
    pad = ADVANCE_GAP * size + BOUND_PAD_ULPS * EPSILON * float(
        max(np.abs(first).max(), np.abs(last).max(), np.abs(place).max())
    )
    # Six gaps as polynomials of the seconds since begin; the boxes overlap where none is above 0.
    gaps = np.empty((6, 3))
    gaps[:3, 0], gaps[3:, 0] = place + low - first[1] - pad, first[0] - (place + high) - pad
    gaps[:3, 1], gaps[3:, 1] = speed - rates[1], rates[0] - speed
    gaps[:3, 2], gaps[3:, 2] = 0.5 * rigid.acceleration, -0.5 * rigid.acceleration
    duration = end - begin
    if rigid.acceleration.any():  # terms that cancel at a crossing round by their own size
        far = max((s for gap in gaps for s in _roots(*gap.tolist()) if 0.0 < s < duration), default=0.0)
        gaps[:, 0] -= BOUND_PAD_ULPS * EPSILON * float(dot(np.abs(gaps[:, 1:]), np.array((far, far * far))).max())
    cuts = [0.0, *sorted(s for gap in gaps for s in _roots(*gap.tolist()) if 0.0 < s < duration), duration]
    windows: list[tuple[float, float]] = []
    for s0, s1 in pairwise(cuts):
        if begin + s1 <= begin + s0:
            continue
        middle = 0.5 * (s0 + s1) if s1 < inf else s0 + 1.0
        if (gaps[:, 0] + middle * (gaps[:, 1] + middle * gaps[:, 2]) <= 0.0).all():
            if windows and windows[-1][1] == begin + s0:
                windows[-1] = (windows[-1][0], begin + s1)
            else:
                windows.append((begin + s0, begin + s1))
    return windows


def _roots(g0: float, g1: float, g2: float) -> list[float]:
    """Where g0 + g1 s + g2 s^2 changes its sign."""
    if g2 == 0.0:
        return [-g0 / g1] if g1 != 0.0 else []
    disc = g1 * g1 - 4.0 * g2 * g0
    if disc <= 0.0:
        return []
    root_of_disc = sqrt(disc)
    q = -0.5 * (g1 + (root_of_disc if g1 >= 0.0 else -root_of_disc))
    return [root for root in (q / g2, g0 / q if q != 0.0 else 0.0) if np.isfinite(root)]
