"""Conservative advancement of one pair of rotating triangles: their first contact, never late."""

from __future__ import annotations

from math import inf, sqrt

from carom._compile.jit import inner_kernel
from carom.maths.vector import cross
from carom.narrow.toi.advancement.nearest_points import BETWEEN, FIXED_AXIS, N_SEPARATING, nearest_into
from carom.narrow.toi.advancement.scratch import FLAT, GAP, LEVEL, NEAREST, SINK, SPAN, STEPS, TRIANGLE_TESTS, pose_at
from carom.narrow.toi.advancement.touching_triangles import CONTACT, judge_touch, keep_closing
from carom.narrow.toi.advancement.triangle_axes import (
    axis_at,
    axis_rate,
    fixed_axis_time,
    levels_into,
    load_turning_triangles,
    turning_axis_time,
)
from carom.narrow.toi.contact_witness import middle_into, shared_into, supports_into
from carom.narrow.toi.status import CONSERVATIVE, NOT_YET
from carom.narrow.toi.workspace import DEEP, N_CORNERS, NORMAL, POINT, STATUS
from carom.tolerances import ADVANCE_STEPS, FLAT_TRIANGLE


@inner_kernel
def _sizes_into(floats, a, b, space):
    """Set SPAN and FLAT for the triangles at `a` and `b`."""
    space[SPAN] = 0.0
    for which in range(2):
        tri = b if which else a
        longest = 0.0
        for k in range(3):
            p, q = tri + 3 * k, tri + 3 * ((k + 1) % 3)
            x, y, z = floats[q] - floats[p], floats[q + 1] - floats[p + 1], floats[q + 2] - floats[p + 2]
            longest = max(longest, x * x + y * y + z * z)
        ux, uy, uz = floats[tri + 3] - floats[tri], floats[tri + 4] - floats[tri + 1], floats[tri + 5] - floats[tri + 2]
        wx, wy, wz = floats[tri + 6] - floats[tri], floats[tri + 7] - floats[tri + 1], floats[tri + 8] - floats[tri + 2]
        x, y, z = cross(ux, uy, uz, wx, wy, wz)
        flat = x * x + y * y + z * z <= FLAT_TRIANGLE * FLAT_TRIANGLE * longest * longest
        space[FLAT + which] = 1.0 if flat else 0.0
        space[SPAN] += sqrt(longest)


@inner_kernel
def _separate(space, tau, longest):
    """Safe time along the best of the 11 separating axes, and the widest gap; ends early where tau reaches `longest`."""
    level, widest = space[LEVEL], -inf
    for k in range(N_SEPARATING):
        x, y, z, _ = axis_at(space, k)
        tau, gap = fixed_axis_time(space, x, y, z, level, tau)
        if tau >= longest:
            return tau, inf
        widest = max(widest, gap)
    return tau, widest


@inner_kernel
def _record(space, status):
    """Fill POINT and STATUS for triangles in contact along NORMAL."""
    supports_into(space)
    count, level = shared_into(space)
    middle_into(space, keep_closing(space, count), level)
    space[STATUS] = status


@inner_kernel
def follow_triangles(floats, ints, shape_a, shape_b, a, b, space, s, s_from, limit):
    """First contact in [s, limit) of the triangles at `a` of shape_a and `b` of shape_b; inf if none.

    s_from is the start of the search, where triangles that overlap by a touch touch; deeper ones set DEEP. A contact
    that is not settled after ADVANCE_STEPS steps returns the time reached, with STATUS NOT_YET.
    """
    space[TRIANGLE_TESTS] += 1.0
    _sizes_into(floats, a, b, space)
    gap = space[GAP]
    for step in range(ADVANCE_STEPS):
        space[STEPS] += 1.0
        pose_at(space, s)
        load_turning_triangles(floats, a, b, space)
        tau, widest = _separate(space, 0.0, limit - s)
        if s + tau >= limit:
            return inf
        if step > 0 or widest <= gap or s + tau == s:
            distance, k = nearest_into(space)
            x, y, z, turns = axis_at(space, k)
            dx, dy, dz = axis_rate(space, k, turns, x, y, z)
            wide, _, sign = levels_into(space, x, y, z, dx, dy, dz)
            size = sqrt(x * x + y * y + z * z)
            if distance > gap and wide > gap * size:
                if turns != FIXED_AXIS:
                    later = turning_axis_time(space, k, turns, x, y, z, sign, space[LEVEL] * size, limit - s)
                    tau = max(tau, later)
                tau, _ = fixed_axis_time(space, x, y, z, space[LEVEL], tau)
            elif widest <= gap:
                between = k == BETWEEN and wide > space[SINK] * size
                tau = judge_touch(floats, ints, shape_a, shape_b, space, s == s_from, limit - s, between)
                if tau < 0.0:
                    if s == s_from and tau != CONTACT:
                        space[DEEP] = 1.0
                    _record(space, CONSERVATIVE)
                    return s
            if s + tau >= limit:
                return inf
        if s + tau == s:
            # Time has no finer steps: this is the last instant before the contact.
            x, y, z = space[NEAREST + 3], space[NEAREST + 4], space[NEAREST + 5]
            x, y, z = x - space[NEAREST], y - space[NEAREST + 1], z - space[NEAREST + 2]
            size = sqrt(x * x + y * y + z * z)
            if size > 0.0:
                space[NORMAL], space[NORMAL + 1], space[NORMAL + 2] = x / size, y / size, z / size
            _record(space, CONSERVATIVE)
            return s
        s += tau
    space[STATUS] = NOT_YET
    space[N_CORNERS] = space[N_CORNERS + 1] = 1.0
    for k in range(3):
        space[POINT + k] = space[NORMAL + k] = 0.0
    return s
