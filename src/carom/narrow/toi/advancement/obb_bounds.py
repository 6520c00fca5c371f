"""Lower bound of the time for which two rotating boxes stay apart.

Along a fixed unit axis n, from one box to the other, every point of a turning body moves as n . x(s + t) with a known rate
now and a second derivative of at most |spin| |n x spin| rho, rho its distance from the spin axis. So the gap obeys
gap(s + t) >= gap - closing t - bend t^2 / 2, with the closing speed of the centres plus radius |n x spin| for each box. Every
axis gives a safe time, the largest counts.
"""

from __future__ import annotations

from math import inf, sqrt

from carom._compile.jit import inline_kernel, inner_kernel
from carom.maths.vector import cross, cross_length, length
from carom.narrow.toi.advancement import scratch as sc
from carom.tolerances import PARALLEL_EDGE_BOXES
from carom.trees.obb.node import NODE_HALF, NODE_RADIUS, node_axis, turned_axes


@inline_kernel
def safe_time(gap, closing, bend):
    """Seconds for which gap - closing t - bend t^2 / 2 >= 0; inf if for ever. gap >= 0, bend >= 0, never NaN."""
    if closing <= 0.0 and bend <= 0.0:
        return inf
    root = sqrt(closing * closing + 2.0 * bend * gap)
    return 2.0 * gap / (closing + root) if closing > 0.0 else (root - closing) / bend


@inner_kernel
def fix_turning_box(floats, node, of_b, space):
    """Fill FIXED for the box at `node`, of A or of B, at the pose of `space`."""
    own, other = (sc.NOW_B, sc.NOW_A) if of_b else (sc.NOW_A, sc.NOW_B)
    spin = sc.SPIN_A if of_b else sc.SPIN_B
    own_spin = sc.OWN_SPIN_B if of_b else sc.OWN_SPIN_A
    sign = -1.0 if of_b else 1.0
    dx, dy, dz = sign * space[sc.NOW_D], sign * space[sc.NOW_D + 1], sign * space[sc.NOW_D + 2]
    vx, vy, vz = sign * space[sc.NOW_V], sign * space[sc.NOW_V + 1], sign * space[sc.NOW_V + 2]
    ax, ay, az = sign * space[sc.ACC], sign * space[sc.ACC + 1], sign * space[sc.ACC + 2]
    sx, sy, sz = space[spin], space[spin + 1], space[spin + 2]
    ox, oy, oz = space[own_spin], space[own_spin + 1], space[own_spin + 2]
    for r in range(3):
        a, b, c = node_axis(floats, node, r)
        x = space[own] * a + space[own + 1] * b + space[own + 2] * c
        y = space[own + 3] * a + space[own + 4] * b + space[own + 5] * c
        z = space[own + 6] * a + space[own + 7] * b + space[own + 8] * c
        for k in range(3):
            space[sc.X_TURN + 3 * r + k] = x * space[other + k] + y * space[other + 3 + k] + z * space[other + 6 + k]
        centre = a * floats[node] + b * floats[node + 1] + c * floats[node + 2]
        space[sc.X_D + r] = x * dx + y * dy + z * dz - centre
        space[sc.X_HALF + r] = floats[node + NODE_HALF + r]
        space[sc.X_V + r] = x * vx + y * vy + z * vz
        space[sc.X_ACC + r] = x * ax + y * ay + z * az
        space[sc.X_SPIN + r] = x * sx + y * sy + z * sz
        space[sc.X_OWN_SPIN + r] = a * ox + b * oy + c * oz
    space[sc.X_RADIUS] = floats[node + NODE_RADIUS]
    space[sc.X_RATE] = space[sc.RATE_A if of_b else sc.RATE_B]
    space[sc.X_RATE + 1] = space[sc.RATE_B if of_b else sc.RATE_A]
    sx, sy, sz = space[sc.X_SPIN], space[sc.X_SPIN + 1], space[sc.X_SPIN + 2]
    space[sc.X_CROSS], space[sc.X_CROSS + 1] = sqrt(sy * sy + sz * sz), sqrt(sx * sx + sz * sz)
    space[sc.X_CROSS + 2] = sqrt(sx * sx + sy * sy)
    space[sc.X_REACH] = 0.0
    for r in range(3):
        space[sc.X_CROSS + 3 + r] = 0.0
    if space[sc.X_RATE + 1] > 0.0:
        sx, sy, sz = space[sc.X_OWN_SPIN], space[sc.X_OWN_SPIN + 1], space[sc.X_OWN_SPIN + 2]
        space[sc.X_CROSS + 3], space[sc.X_CROSS + 4] = sqrt(sy * sy + sz * sz), sqrt(sx * sx + sz * sz)
        space[sc.X_CROSS + 5] = sqrt(sx * sx + sy * sy)
        x, y, z = floats[node], floats[node + 1], floats[node + 2]
        a, b, c = node_axis(floats, node, 0)
        px = a * x + b * y + c * z
        a, b, c = node_axis(floats, node, 1)
        py = a * x + b * y + c * z
        a, b, c = node_axis(floats, node, 2)
        pz = a * x + b * y + c * z
        ux, uy, uz = cross(sx, sy, sz, px, py, pz)
        space[sc.X_V] -= ux
        space[sc.X_V + 1] -= uy
        space[sc.X_V + 2] -= uz
        space[sc.X_REACH] = length(ux, uy, uz) + space[sc.X_RATE + 1] * space[sc.X_RADIUS]


@inner_kernel
def _axis_time(space, gap, x, y, z, vx, vy, vz, radius, reach):
    """Safe time along the unit axis (x, y, z), from the fixed box to the child, for a gap above 0.

    v: velocity of the child's centre relative to the fixed one, `reach` its X_REACH.
    """
    sx, sy, sz = space[sc.X_SPIN], space[sc.X_SPIN + 1], space[sc.X_SPIN + 2]
    cross = cross_length(x, y, z, sx, sy, sz)
    closing = radius * cross - (x * vx + y * vy + z * vz)
    bend = reach * cross - (x * space[sc.X_ACC] + y * space[sc.X_ACC + 1] + z * space[sc.X_ACC + 2])
    if space[sc.X_RATE + 1] > 0.0:
        sx, sy, sz = space[sc.X_OWN_SPIN], space[sc.X_OWN_SPIN + 1], space[sc.X_OWN_SPIN + 2]
        cross = cross_length(x, y, z, sx, sy, sz)
        closing += space[sc.X_RADIUS] * cross
        bend += space[sc.X_REACH] * cross
    return safe_time(gap, closing, max(bend, 0.0))


@inline_kernel
def _face_time(space, k, gap, d, v, radius, reach):
    """_axis_time along axis k of the fixed box, on which the child is ahead by d."""
    swing, own_swing = space[sc.X_CROSS + k], space[sc.X_CROSS + 3 + k]
    along, pull = (v, space[sc.X_ACC + k]) if d > 0.0 else (-v, -space[sc.X_ACC + k])
    closing = radius * swing + space[sc.X_RADIUS] * own_swing - along
    return safe_time(gap, closing, max(reach * swing + space[sc.X_REACH] * own_swing - pull, 0.0))


@inline_kernel
def _wider(wide, nx, ny, nz, along, reach, x, y, z):
    """The wider gap and its unit axis: `wide` along n, or |along| - reach along (x, y, z) of any length.

    Axes of nearly parallel edges are left out: rounding could fake a gap.
    """
    square = x * x + y * y + z * z
    gap = abs(along) - reach
    if gap > 0.0 and gap * gap > wide * wide * square and square > PARALLEL_EDGE_BOXES * PARALLEL_EDGE_BOXES:
        per = 1.0 / sqrt(square)
        wide = gap * per
        if along < 0.0:
            per = -per
        nx, ny, nz = x * per, y * per, z * per
    return wide, nx, ny, nz


@inner_kernel
def boxes_apart(floats, node, space, cut):
    """Seconds for which the box at `node` surely stays off the fixed one; may stop at any number above `cut`."""
    m = sc.X_TURN
    m00, m01, m02, m10, m11, m12 = space[m], space[m + 1], space[m + 2], space[m + 3], space[m + 4], space[m + 5]
    m20, m21, m22 = space[m + 6], space[m + 7], space[m + 8]
    x, y, z = floats[node], floats[node + 1], floats[node + 2]
    q0, q1, q2 = m00 * x + m01 * y + m02 * z, m10 * x + m11 * y + m12 * z, m20 * x + m21 * y + m22 * z
    d0, d1, d2 = q0 + space[sc.X_D], q1 + space[sc.X_D + 1], q2 + space[sc.X_D + 2]
    s0, s1, s2 = space[sc.X_SPIN], space[sc.X_SPIN + 1], space[sc.X_SPIN + 2]
    u0, u1, u2 = cross(s0, s1, s2, q0, q1, q2)
    v0, v1, v2 = space[sc.X_V] + u0, space[sc.X_V + 1] + u1, space[sc.X_V + 2] + u2
    radius = floats[node + NODE_RADIUS]
    reach = length(u0, u1, u2) + space[sc.X_RATE] * radius
    level = space[sc.LEVEL]
    best = 0.0
    far = sqrt(d0 * d0 + d1 * d1 + d2 * d2)
    gap = far - space[sc.X_RADIUS] - radius - level
    if gap > 0.0:
        per = 1.0 / far
        best = _axis_time(space, gap, d0 * per, d1 * per, d2 * per, v0, v1, v2, radius, reach)
        if best > cut:
            return best
    f0, f1, f2 = space[sc.X_HALF], space[sc.X_HALF + 1], space[sc.X_HALF + 2]
    e0, e1, e2 = floats[node + NODE_HALF], floats[node + NODE_HALF + 1], floats[node + NODE_HALF + 2]
    c00, c10, c20, c01, c11, c21, c02, c12, c22 = turned_axes(floats, node, m00, m01, m02, m10, m11, m12, m20, m21, m22)
    a00, a01, a02, a10, a11, a12 = abs(c00), abs(c01), abs(c02), abs(c10), abs(c11), abs(c12)
    a20, a21, a22 = abs(c20), abs(c21), abs(c22)
    # The axes of the fixed box.
    gap = abs(d0) - (f0 + a00 * e0 + a01 * e1 + a02 * e2) - level
    if gap > 0.0:
        best = max(best, _face_time(space, 0, gap, d0, v0, radius, reach))
    gap = abs(d1) - (f1 + a10 * e0 + a11 * e1 + a12 * e2) - level
    if gap > 0.0:
        best = max(best, _face_time(space, 1, gap, d1, v1, radius, reach))
    gap = abs(d2) - (f2 + a20 * e0 + a21 * e1 + a22 * e2) - level
    if gap > 0.0:
        best = max(best, _face_time(space, 2, gap, d2, v2, radius, reach))
    if best > cut:
        return best
    # The axes of the child and the cross products of edges: the one with the widest gap.
    w, nx, ny, nz = 0.0, 0.0, 0.0, 0.0
    r = e0 + a00 * f0 + a10 * f1 + a20 * f2
    w, nx, ny, nz = _wider(w, nx, ny, nz, c00 * d0 + c10 * d1 + c20 * d2, r, c00, c10, c20)
    r = e1 + a01 * f0 + a11 * f1 + a21 * f2
    w, nx, ny, nz = _wider(w, nx, ny, nz, c01 * d0 + c11 * d1 + c21 * d2, r, c01, c11, c21)
    r = e2 + a02 * f0 + a12 * f1 + a22 * f2
    w, nx, ny, nz = _wider(w, nx, ny, nz, c02 * d0 + c12 * d1 + c22 * d2, r, c02, c12, c22)
    r = f1 * a20 + f2 * a10 + e1 * a02 + e2 * a01
    w, nx, ny, nz = _wider(w, nx, ny, nz, d2 * c10 - d1 * c20, r, 0.0, -c20, c10)
    r = f1 * a21 + f2 * a11 + e0 * a02 + e2 * a00
    w, nx, ny, nz = _wider(w, nx, ny, nz, d2 * c11 - d1 * c21, r, 0.0, -c21, c11)
    r = f1 * a22 + f2 * a12 + e0 * a01 + e1 * a00
    w, nx, ny, nz = _wider(w, nx, ny, nz, d2 * c12 - d1 * c22, r, 0.0, -c22, c12)
    r = f0 * a20 + f2 * a00 + e1 * a12 + e2 * a11
    w, nx, ny, nz = _wider(w, nx, ny, nz, d0 * c20 - d2 * c00, r, c20, 0.0, -c00)
    r = f0 * a21 + f2 * a01 + e0 * a12 + e2 * a10
    w, nx, ny, nz = _wider(w, nx, ny, nz, d0 * c21 - d2 * c01, r, c21, 0.0, -c01)
    r = f0 * a22 + f2 * a02 + e0 * a11 + e1 * a10
    w, nx, ny, nz = _wider(w, nx, ny, nz, d0 * c22 - d2 * c02, r, c22, 0.0, -c02)
    r = f0 * a10 + f1 * a00 + e1 * a22 + e2 * a21
    w, nx, ny, nz = _wider(w, nx, ny, nz, d1 * c00 - d0 * c10, r, -c10, c00, 0.0)
    r = f0 * a11 + f1 * a01 + e0 * a22 + e2 * a20
    w, nx, ny, nz = _wider(w, nx, ny, nz, d1 * c01 - d0 * c11, r, -c11, c01, 0.0)
    r = f0 * a12 + f1 * a02 + e0 * a21 + e1 * a20
    w, nx, ny, nz = _wider(w, nx, ny, nz, d1 * c02 - d0 * c12, r, -c12, c02, 0.0)
    if w > level:
        best = max(best, _axis_time(space, w - level, nx, ny, nz, v0, v1, v2, radius, reach))
    return best
