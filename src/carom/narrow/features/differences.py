"""Differences of two features at both ends of the step, and the test of their boxes.

The features touch at t where 0 lies in the hull of the differences D_k(t): corner k minus vertex (three), or end j of edge b
minus end i of edge a at 2 i + j (four). All are linear in t, so if one coordinate of all of them has the same sign at both
ends, the features never touch. The sign of a rounded difference is the true sign: this test is exact.

Places are np.int64 and not int: Numba would compile every function anew for each int constant that it is called with.
"""

from __future__ import annotations

import numpy as np

from carom._compile.jit import inner_kernel

FACE_CORNERS = np.int64(3)
"""Differences of a vertex and a face."""
EDGE_CORNERS = np.int64(4)
"""Differences of two edges."""

LOW, HIGH = np.int64(0), np.int64(1)
"""Bracket of the first contact in `work`, as the filter returns it."""
STURM_START, STURM_END = np.int64(2), np.int64(14)
"""Differences at t = 0 and t = 1 in `work`, three numbers each."""
FROM, TO, MIDDLE = np.int64(26), np.int64(38), np.int64(50)
"""Differences at the ends and the middle of a part of the step in `work`."""
STURM_STACK = np.int64(62)
"""Parts of the step still to be looked at, two numbers each."""
STACK_SIZE = np.int64(16)
"""Parts that the stack can hold."""
FILTER_WORK = STURM_STACK + 2 * STACK_SIZE
"""Numbers of the filter's workspace."""


@inner_kernel
def face_differences_into(points, work):
    """Corners minus vertex. Returns the reach of x, y and z; x is negative if the boxes prove that nothing touches."""
    reach_x = reach_y = reach_z = 0.0
    for c in range(3):
        vertex, moved = points[0, c], points[4, c]
        a0, b0, c0 = points[1, c] - vertex, points[2, c] - vertex, points[3, c] - vertex
        a1, b1, c1 = points[5, c] - moved, points[6, c] - moved, points[7, c] - moved
        low = min(min(min(a0, b0), min(c0, a1)), min(b1, c1))
        high = max(max(max(a0, b0), max(c0, a1)), max(b1, c1))
        if low > 0.0 or high < 0.0:
            return -1.0, 0.0, 0.0
        work[STURM_START + c], work[STURM_START + 3 + c], work[STURM_START + 6 + c] = a0, b0, c0
        work[STURM_END + c], work[STURM_END + 3 + c], work[STURM_END + 6 + c] = a1, b1, c1
        reach_x, reach_y, reach_z = reach_y, reach_z, max(-low, high)
    return reach_x, reach_y, reach_z


@inner_kernel
def edge_differences_into(points, work):
    """Ends of edge b minus ends of edge a. Returns as face_differences_into."""
    reach_x = reach_y = reach_z = 0.0
    for c in range(3):
        p, q, r, s = points[0, c], points[1, c], points[2, c], points[3, c]
        a0, b0, c0, d0 = r - p, s - p, r - q, s - q
        p, q, r, s = points[4, c], points[5, c], points[6, c], points[7, c]
        a1, b1, c1, d1 = r - p, s - p, r - q, s - q
        low = min(min(min(a0, b0), min(c0, d0)), min(min(a1, b1), min(c1, d1)))
        high = max(max(max(a0, b0), max(c0, d0)), max(max(a1, b1), max(c1, d1)))
        if low > 0.0 or high < 0.0:
            return -1.0, 0.0, 0.0
        work[STURM_START + c], work[STURM_START + 3 + c], work[STURM_START + 6 + c], work[STURM_START + 9 + c] = (
            a0,
            b0,
            c0,
            d0,
        )
        work[STURM_END + c], work[STURM_END + 3 + c], work[STURM_END + 6 + c], work[STURM_END + 9 + c] = a1, b1, c1, d1
        reach_x, reach_y, reach_z = reach_y, reach_z, max(-low, high)
    return reach_x, reach_y, reach_z


@inner_kernel
def differences_at_into(work, corners, t, out):
    """Differences at t, rounded, to `work` from `out` on."""
    rest = 1.0 - t
    for k in range(3 * corners):
        work[out + k] = rest * work[STURM_START + k] + t * work[STURM_END + k]
