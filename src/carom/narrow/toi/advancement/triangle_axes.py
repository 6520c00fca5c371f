"""Lower bound of the time for which two rotating triangles stay apart along an axis.

An axis may stand still, or turn with A, with B, or with an edge of each. A turning axis keeps its features level: the gap
to a face, to an edge or between two edges is then exact to first order, so that steps along it close in quadratically.
"""

from __future__ import annotations

from math import inf, sqrt

from carom._compile.jit import inner_kernel
from carom.maths.vector import cross, cross_length, length
from carom.narrow.toi.advancement import scratch as sc
from carom.narrow.toi.advancement.nearest_points import (
    BETWEEN,
    FIXED_AXIS,
    INPLANE_A,
    INPLANE_B,
    N_SEPARATING,
    WITH_A,
    WITH_B,
    WITH_EDGES,
)
from carom.narrow.toi.advancement.obb_bounds import safe_time
from carom.narrow.toi.workspace import TRI_A, TRI_B


@inner_kernel
def load_turning_triangles(floats, a, b, space):
    """Fill TRI_A, TRI_B and what belongs to them from the triangles at `a` and `b`, at the pose of `space`.

    FLAT says which of them has no normal.
    """
    for which in range(2):
        source, turn, spin = (b, sc.NOW_B, sc.SPIN_B) if which else (a, sc.NOW_A, sc.SPIN_A)
        sx, sy, sz = space[spin], space[spin + 1], space[spin + 2]
        fastest = 0.0
        for c in range(0, 9, 3):
            p, q, r = floats[source + c], floats[source + c + 1], floats[source + c + 2]
            x = space[turn] * p + space[turn + 1] * q + space[turn + 2] * r
            y = space[turn + 3] * p + space[turn + 4] * q + space[turn + 5] * r
            z = space[turn + 6] * p + space[turn + 7] * q + space[turn + 8] * r
            vx, vy, vz = cross(sx, sy, sz, x, y, z)
            fastest = max(fastest, vx * vx + vy * vy + vz * vz)
            if which:
                x, y, z = x + space[sc.NOW_D], y + space[sc.NOW_D + 1], z + space[sc.NOW_D + 2]
                vx, vy, vz = vx + space[sc.NOW_V], vy + space[sc.NOW_V + 1], vz + space[sc.NOW_V + 2]
            at, v = TRI_A + 9 * which + c, sc.CORNERS_V + 9 * which + c
            space[at], space[at + 1], space[at + 2] = x, y, z
            space[v], space[v + 1], space[v + 2] = vx, vy, vz
        space[sc.PACE + which] = sqrt(fastest)
        at, e, n = TRI_A + 9 * which, sc.EDGES + 9 * which, sc.NORMALS + 3 * which
        for d in range(3):
            space[e + d] = space[at + 3 + d] - space[at + d]
            space[e + 3 + d] = space[at + 6 + d] - space[at + 3 + d]
            space[e + 6 + d] = space[at + d] - space[at + 6 + d]
        if space[sc.FLAT + which] == 1.0:
            space[n] = space[n + 1] = space[n + 2] = 0.0
            continue
        space[n] = space[e + 1] * space[e + 5] - space[e + 2] * space[e + 4]
        space[n + 1] = space[e + 2] * space[e + 3] - space[e] * space[e + 5]
        space[n + 2] = space[e] * space[e + 4] - space[e + 1] * space[e + 3]


@inner_kernel
def axis_at(space, k):
    """Axis number k, of any length, and what it turns with."""
    if k < 2:
        p = sc.NORMALS + 3 * k
        return space[p], space[p + 1], space[p + 2], (WITH_B if k else WITH_A)
    if k == BETWEEN:
        p = sc.NEAREST_AXIS
        return space[p], space[p + 1], space[p + 2], int(space[p + 3])
    turns = WITH_EDGES
    if k < N_SEPARATING:
        p, q = sc.EDGES + 3 * ((k - 2) // 3), sc.EDGES + 9 + 3 * ((k - 2) % 3)
    elif k < INPLANE_B:
        p, q, turns = sc.NORMALS, sc.EDGES + 3 * (k - INPLANE_A), WITH_A
    else:
        p, q, turns = sc.NORMALS + 3, sc.EDGES + 9 + 3 * (k - INPLANE_B), WITH_B
    return (
        space[p + 1] * space[q + 2] - space[p + 2] * space[q + 1],
        space[p + 2] * space[q] - space[p] * space[q + 2],
        space[p] * space[q + 1] - space[p + 1] * space[q],
        turns,
    )


@inner_kernel
def axis_rate(space, k, turns, x, y, z):
    """How fast axis k, (x, y, z) now, turns: a vector."""
    if turns == FIXED_AXIS:
        return 0.0, 0.0, 0.0
    if turns == WITH_EDGES:
        p, q = sc.EDGES + 3 * ((k - 2) // 3), sc.EDGES + 9 + 3 * ((k - 2) % 3)
        ax, ay, az = space[p], space[p + 1], space[p + 2]
        bx, by, bz = space[q], space[q + 1], space[q + 2]
        ux, uy, uz = _turned_by(space, sc.SPIN_A, ax, ay, az)
        wx, wy, wz = _turned_by(space, sc.SPIN_B, bx, by, bz)
        return (
            uy * bz - uz * by + ay * wz - az * wy,
            uz * bx - ux * bz + az * wx - ax * wz,
            ux * by - uy * bx + ax * wy - ay * wx,
        )
    return _turned_by(space, sc.SPIN_A if turns == WITH_A else sc.SPIN_B, x, y, z)


@inner_kernel
def _turned_by(space, spin, x, y, z):
    """Cross product of a spin and a vector."""
    sx, sy, sz = space[spin], space[spin + 1], space[spin + 2]
    return cross(sx, sy, sz, x, y, z)


@inner_kernel
def levels_into(space, x, y, z, dx, dy, dz):
    """Fill LEVELS along the axis (x, y, z), which changes by (dx, dy, dz) a second; turned round if B lies behind A.

    Returns the gap, in units of the axis' length, that of the other side, and the sign of the axis from A to B.
    """
    low_a = low_b = inf
    high_a = high_b = -inf
    for k in range(6):
        p, v = TRI_A + 3 * k, sc.CORNERS_V + 3 * k
        level = x * space[p] + y * space[p + 1] + z * space[p + 2]
        space[sc.LEVELS + k] = level
        space[sc.LEVELS + 6 + k] = (
            x * space[v] + y * space[v + 1] + z * space[v + 2] + dx * space[p] + dy * space[p + 1] + dz * space[p + 2]
        )
        if k < 3:
            low_a, high_a = min(low_a, level), max(high_a, level)
        else:
            low_b, high_b = min(low_b, level), max(high_b, level)
    if low_b - high_a >= low_a - high_b:
        return low_b - high_a, low_a - high_b, 1.0
    for k in range(12):
        space[sc.LEVELS + k] = -space[sc.LEVELS + k]
    return low_a - high_b, low_b - high_a, -1.0


@inner_kernel
def _pairs_time(space, level, bend):
    """Safe time until a corner of B may come down to `level` above one of A, from LEVELS."""
    tau = inf
    for i in range(3):
        p, u = space[sc.LEVELS + i], space[sc.LEVELS + 6 + i]
        for j in range(3, 6):
            gap = max(space[sc.LEVELS + j] - p - level, 0.0)
            tau = min(tau, safe_time(gap, u - space[sc.LEVELS + 6 + j], bend))
    return tau


@inner_kernel
def fixed_axis_time(space, x, y, z, level, tau):
    """The larger of tau and the safe time along the axis (x, y, z), of any length, and the gap along it, m.

    The axis stands still. An axis that does not stay open for tau is left early. Overwrites LEVELS.
    """
    a, b, v, u = TRI_A, TRI_B, sc.CORNERS_V + 9, sc.CORNERS_V
    p0 = space[a] * x + space[a + 1] * y + space[a + 2] * z
    p1 = space[a + 3] * x + space[a + 4] * y + space[a + 5] * z
    p2 = space[a + 6] * x + space[a + 7] * y + space[a + 8] * z
    q0 = space[b] * x + space[b + 1] * y + space[b + 2] * z
    q1 = space[b + 3] * x + space[b + 4] * y + space[b + 5] * z
    q2 = space[b + 6] * x + space[b + 7] * y + space[b + 8] * z
    gap = min(q0, q1, q2) - max(p0, p1, p2)
    behind = min(p0, p1, p2) - max(q0, q1, q2)
    size = sqrt(x * x + y * y + z * z)
    if behind > gap:
        gap = behind
        x, y, z = -x, -y, -z
        p0, p1, p2, q0, q1, q2 = -p0, -p1, -p2, -q0, -q1, -q2
    open_by = level * size
    if not gap > open_by:
        return tau, (gap / size if size > 0.0 else -inf)
    bend = -(x * space[sc.ACC] + y * space[sc.ACC + 1] + z * space[sc.ACC + 2])
    if space[sc.RATE_B] > 0.0:
        bend += space[sc.PACE + 1] * cross_length(x, y, z, space[sc.SPIN_B], space[sc.SPIN_B + 1], space[sc.SPIN_B + 2])
    r0 = space[v] * x + space[v + 1] * y + space[v + 2] * z
    r1 = space[v + 3] * x + space[v + 4] * y + space[v + 5] * z
    r2 = space[v + 6] * x + space[v + 7] * y + space[v + 8] * z
    t0 = t1 = t2 = 0.0
    turning = space[sc.RATE_A] > 0.0
    if turning:
        bend += space[sc.PACE] * cross_length(x, y, z, space[sc.SPIN_A], space[sc.SPIN_A + 1], space[sc.SPIN_A + 2])
        t0 = space[u] * x + space[u + 1] * y + space[u + 2] * z
        t1 = space[u + 3] * x + space[u + 4] * y + space[u + 5] * z
        t2 = space[u + 6] * x + space[u + 7] * y + space[u + 8] * z
    bend = max(bend, 0.0)
    # Gaps of corners are concave in time: open now and at tau is open in between.
    low = min(q0 + tau * r0, q1 + tau * r1, q2 + tau * r2)
    high = max(p0 + tau * t0, p1 + tau * t1, p2 + tau * t2)
    if low - high - 0.5 * bend * tau * tau <= open_by:
        return tau, gap / size
    if not turning:
        top = max(p0, p1, p2) + open_by
        later = min(safe_time(q0 - top, -r0, bend), safe_time(q1 - top, -r1, bend), safe_time(q2 - top, -r2, bend))
        return max(tau, later), gap / size
    at = sc.LEVELS
    space[at], space[at + 1], space[at + 2], space[at + 3], space[at + 4], space[at + 5] = p0, p1, p2, q0, q1, q2
    at += 6
    space[at], space[at + 1], space[at + 2], space[at + 3], space[at + 4], space[at + 5] = t0, t1, t2, r0, r1, r2
    return max(tau, _pairs_time(space, open_by, bend)), gap / size


@inner_kernel
def turning_axis_time(space, k, turns, x, y, z, sign, level, longest):
    """Safe time, `longest` at most, along axis k whose LEVELS are filled, until a gap may have closed to `level`.

    The second derivative of a gap (q - p) . n is q'' . n - p'' . n + 2 (q - p)' . n' + (q - p) . n''; its bound for a
    step grows with the step, so that the step is found from the bound now and shortened by the bound for its own length.
    """
    dx, dy, dz = axis_rate(space, k, turns, x, y, z)
    rates = space[sc.RATE_A] + space[sc.RATE_B]
    first, second = length(dx, dy, dz), 0.0
    if turns == WITH_EDGES:
        p, q = sc.EDGES + 3 * ((k - 2) // 3), sc.EDGES + 9 + 3 * ((k - 2) % 3)
        edges = length(space[p], space[p + 1], space[p + 2]) * length(space[q], space[q + 1], space[q + 2])
        second = rates * rates * edges
    elif turns == WITH_A:
        second = space[sc.RATE_A] * first
    elif turns == WITH_B:
        second = space[sc.RATE_B] * first
    x, y, z = sign * x, sign * y, sign * z
    pull = space[sc.PACE] * cross_length(x, y, z, space[sc.SPIN_A], space[sc.SPIN_A + 1], space[sc.SPIN_A + 2])
    pull += space[sc.PACE + 1] * cross_length(x, y, z, space[sc.SPIN_B], space[sc.SPIN_B + 1], space[sc.SPIN_B + 2])
    pull -= x * space[sc.ACC] + y * space[sc.ACC + 1] + z * space[sc.ACC + 2]
    if first == 0.0 and second == 0.0:
        return min(_pairs_time(space, level, max(pull, 0.0)), longest)
    most = length(space[sc.ACC], space[sc.ACC + 1], space[sc.ACC + 2])
    most += space[sc.RATE_A] * space[sc.PACE] + space[sc.RATE_B] * space[sc.PACE + 1]
    apart, speed = space[sc.SPAN], rates * space[sc.SPAN]
    apart += length(
        space[TRI_B] - space[TRI_A], space[TRI_B + 1] - space[TRI_A + 1], space[TRI_B + 2] - space[TRI_A + 2]
    )
    v, u = sc.CORNERS_V + 9, sc.CORNERS_V
    speed += length(space[v] - space[u], space[v + 1] - space[u + 1], space[v + 2] - space[u + 2])
    bend = max(pull, 0.0) + 2.0 * speed * first + apart * second
    step = min(_pairs_time(space, level, bend), longest, 1.0 / rates)
    # For the whole step: the axis has turned by `turned`, and speeds and distances have grown.
    turned = (first + 0.5 * second * step) * step
    first += second * step
    bend = max(pull + most * turned, 0.0) + 2.0 * (speed + most * step) * first
    bend += (apart + (speed + 0.5 * most * step) * step) * second
    return min(_pairs_time(space, level, bend), step)
