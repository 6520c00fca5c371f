"""Sweep and prune over boxes swept per frame: every list is sorted again at each frame (paper KSP, 2.1 and 5).

The baseline that kinetic sweep and prune is compared with: `value` float64 (k, 2 capacity) holds, at the end's place in
the list, the lowest or highest position that the end reaches during the frame.
"""

from __future__ import annotations

from carom._jit import inline_kernel, inner_kernel, lean_kernel
from carom.bounds.kinetic import bound_end
from carom.broad.sorted_lists import exchange


@inner_kernel
def swept_end(bodies, row, d, side, t0, t1):
    """Extreme position of one end of a body's bound over [t0, t1]."""
    c0, c1, c2, epoch = bound_end(bodies, row, d, side)
    s0 = t0 - epoch
    s1 = t1 - epoch
    a = c0 + s0 * (c1 + s0 * c2)
    b = c0 + s1 * (c1 + s1 * c2)
    extreme = max(a, b) if side else min(a, b)
    if c2 != 0.0 and (c2 < 0.0) == (side == 1):
        s = -0.5 * c1 / c2
        if s0 < s < s1:
            extreme = c0 + 0.5 * s * c1
    return extreme


@inner_kernel
def sweep_body(bodies, lists, value, row, t0, t1):
    """Write the swept interval of `row` on every axis at the places its ends now have."""
    for d in range(value.shape[0]):
        value[d, lists.rank[row, 2 * d]] = swept_end(bodies, row, d, 0, t0, t1)
        value[d, lists.rank[row, 2 * d + 1]] = swept_end(bodies, row, d, 1, t0, t1)


@lean_kernel
def sweep_all(bodies, lists, value, n_ends, t0, t1):
    """Write the swept intervals of all bodies in the lists."""
    for d in range(value.shape[0]):
        for p in range(n_ends):
            code = lists.end_id[d, p]
            value[d, p] = swept_end(bodies, code >> 1, d, code & 1, t0, t1)


@inline_kernel
def exchange_values(lists, value, d, p):
    """Exchange places p and p+1 of axis d."""
    kept = value[d, p]
    value[d, p] = value[d, p + 1]
    value[d, p + 1] = kept
    return exchange(lists, d, p)


@lean_kernel
def sorted_everywhere(value, n_ends):
    """Is every list sorted?"""
    for d in range(value.shape[0]):
        for p in range(n_ends - 1):
            if value[d, p] > value[d, p + 1]:
                return False
    return True
