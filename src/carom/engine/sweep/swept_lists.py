"""Sweep and prune over boxes swept per frame: every list is sorted again at each frame (paper KSP, 2.1 and 5).

The baseline that kinetic sweep and prune is compared with: `value` float64 (k, 2 capacity) holds, at the end's place in
the list, the lowest or highest position that the end reaches during the frame, and `poly` (k, 2 capacity, 4), as in the
kinetic lists, the polynomial it is computed from, so that a frame streams through memory.
"""

from __future__ import annotations

import numpy as np

from carom._compile.jit import inline_kernel, inner_kernel, lean_kernel
from carom.bounds.kinetic import bound_end
from carom.engine.sweep.sorted_lists import exchange


@inline_kernel
def extreme(c0, c1, c2, s0, s1, side):
    """Lowest (side 0) or highest (side 1) value of c0 + c1 s + c2 s^2 over [s0, s1]."""
    a = c0 + s0 * (c1 + s0 * c2)
    b = c0 + s1 * (c1 + s1 * c2)
    extreme = max(a, b) if side else min(a, b)
    if c2 != 0.0 and (c2 < 0.0) == (side == 1):
        s = -0.5 * c1 / c2
        if s0 < s < s1:
            extreme = c0 + 0.5 * s * c1
    return extreme


@inner_kernel
def swept_end(bodies, row, d, side, t0, t1):
    """Extreme position of one end of a body's bound over [t0, t1]."""
    c0, c1, c2, epoch = bound_end(bodies, row, d, side)
    return extreme(c0, c1, c2, t0 - epoch, t1 - epoch, side)


@inner_kernel
def ends_at(bodies, row, now, ends):
    """Position, speed and half acceleration at `now` of each end of the body's bounds, into ends (2a, 3): on a axes."""
    for e in range(ends.shape[0]):
        c0, c1, c2, epoch = bound_end(bodies, row, e >> 1, e & 1)
        s = now - epoch
        ends[e, 0] = c0 + s * (c1 + s * c2)
        ends[e, 1] = c1 + 2.0 * s * c2
        ends[e, 2] = c2


@lean_kernel
def swept_boxes(bodies, rows, t0, t1, low, high):
    """Swept bounds (n, k) of rows over [t0, t1]."""
    for r in range(rows.shape[0]):
        for d in range(low.shape[1]):
            low[r, d] = swept_end(bodies, np.int64(rows[r]), d, 0, t0, t1)
            high[r, d] = swept_end(bodies, np.int64(rows[r]), d, 1, t0, t1)


@inner_kernel
def sweep_body(bodies, lists, poly, value, row, t0, t1):
    """The motion of `row` is new: write polynomials and swept interval at the places its ends now have."""
    for d in range(value.shape[0]):
        for side in range(2):
            p = lists.rank[row, 2 * d + side]
            c0, c1, c2, epoch = bound_end(bodies, row, d, side)
            poly[d, p, 0] = c0
            poly[d, p, 1] = c1
            poly[d, p, 2] = c2
            poly[d, p, 3] = epoch
            value[d, p] = extreme(c0, c1, c2, t0 - epoch, t1 - epoch, side)


@lean_kernel
def sweep_all(lists, poly, value, n_ends, t0, t1):
    """Sweep all ends over [t0, t1], from the polynomials kept at their places."""
    for d in range(value.shape[0]):
        for p in range(n_ends):
            epoch = poly[d, p, 3]
            side = lists.end_id[d, p] & 1
            value[d, p] = extreme(poly[d, p, 0], poly[d, p, 1], poly[d, p, 2], t0 - epoch, t1 - epoch, side)


@inline_kernel
def exchange_values(lists, poly, value, d, p):
    """Exchange places p and p+1 of axis d."""
    kept = value[d, p]
    value[d, p] = value[d, p + 1]
    value[d, p + 1] = kept
    for c in range(4):
        kept = poly[d, p, c]
        poly[d, p, c] = poly[d, p + 1, c]
        poly[d, p + 1, c] = kept
    return exchange(lists, d, p)


@lean_kernel
def sorted_everywhere(value, n_ends):
    """Is every list sorted?"""
    for d in range(value.shape[0]):
        for p in range(n_ends - 1):
            if value[d, p] > value[d, p + 1]:
                return False
    return True
