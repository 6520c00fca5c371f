"""First contact of a moving sphere with a triangle.

The ball touches when its centre enters the triangle rounded by the radius: a slab over the face, a cylinder about each
edge, a ball about each corner. Each gives one polynomial gap in time; a root counts if the triangle is then one radius away.
"""

from __future__ import annotations

from math import inf, sqrt

from carom._compile.jit import inner_kernel
from carom.maths.roots import enter_quadratic, enter_quartic
from carom.maths.vector import cross
from carom.narrow.toi.status import EXACT, OVERLAPPING
from carom.narrow.toi.workspace import NORMAL, POINT, STATUS, TOUCH
from carom.tolerances import EPSILON, FLAT_TRIANGLE, SPHERE_FOOT

_N_FEATURES = 8
"""0 and 1: the face from its front and its back; 2-4: the edges from corner 0, 1, 2; 5-7: the corners."""
_MOST_NEWTON_STEPS = 16


@inner_kernel
def _foot_on_face(ux, uy, uz, wx, wy, wz, ax, ay, az):
    """(f, g, feature) of the point corner 0 + f u + g w of a triangle that is nearest to corner 0 + a, which is over its face.

    The foot of the perpendicular; of a flat triangle, whose areas are rounding only, the nearest point of the longest edge.
    """
    nx, ny, nz = cross(ux, uy, uz, wx, wy, wz)
    square = nx * nx + ny * ny + nz * nz
    uu, ww = ux * ux + uy * uy + uz * uz, wx * wx + wy * wy + wz * wz
    ex, ey, ez = wx - ux, wy - uy, wz - uz
    ee = ex * ex + ey * ey + ez * ez
    longest = max(uu, ww, ee)
    if square > FLAT_TRIANGLE * FLAT_TRIANGLE * longest * longest:
        f = ((ay * wz - az * wy) * nx + (az * wx - ax * wz) * ny + (ax * wy - ay * wx) * nz) / square
        g = ((uy * az - uz * ay) * nx + (uz * ax - ux * az) * ny + (ux * ay - uy * ax) * nz) / square
        f, g = min(max(f, 0.0), 1.0), min(max(g, 0.0), 1.0)
        return f, min(g, 1.0 - f), 0
    if longest == 0.0:
        return 0.0, 0.0, 5
    if uu == longest:
        return min(max((ux * ax + uy * ay + uz * az) / uu, 0.0), 1.0), 0.0, 2
    if ww == longest:
        return 0.0, min(max((wx * ax + wy * ay + wz * az) / ww, 0.0), 1.0), 4
    g = min(max((ex * (ax - ux) + ey * (ay - uy) + ez * (az - uz)) / ee, 0.0), 1.0)
    return 1.0 - g, g, 3


@inner_kernel
def nearest_on_triangle(floats, t, x, y, z):
    """Point of the triangle at `t` nearest to (x, y, z), and its feature (0 stands for either side of the face).

    Ericson, Real-Time Collision Detection, 5.1.5: by the signs of barycentric areas.
    """
    ux, uy, uz = floats[t + 3] - floats[t], floats[t + 4] - floats[t + 1], floats[t + 5] - floats[t + 2]
    wx, wy, wz = floats[t + 6] - floats[t], floats[t + 7] - floats[t + 1], floats[t + 8] - floats[t + 2]
    ax, ay, az = x - floats[t], y - floats[t + 1], z - floats[t + 2]
    bx, by, bz = x - floats[t + 3], y - floats[t + 4], z - floats[t + 5]
    cx, cy, cz = x - floats[t + 6], y - floats[t + 7], z - floats[t + 8]
    d1, d2 = ux * ax + uy * ay + uz * az, wx * ax + wy * ay + wz * az
    d3, d4 = ux * bx + uy * by + uz * bz, wx * bx + wy * by + wz * bz
    d5, d6 = ux * cx + uy * cy + uz * cz, wx * cx + wy * cy + wz * cz
    area_a, area_b, area_c = cross(d1, d3, d5, d2, d4, d6)
    # The point is corner 0 + f u + g w. Coincident corners have an edge of no length, which is no edge to be nearest to.
    if d1 <= 0.0 and d2 <= 0.0:
        f, g, feature = 0.0, 0.0, 5
    elif d3 >= 0.0 and d4 <= d3:
        f, g, feature = 1.0, 0.0, 6
    elif d6 >= 0.0 and d5 <= d6:
        f, g, feature = 0.0, 1.0, 7
    elif area_c <= 0.0 and d1 >= 0.0 and d3 <= 0.0 and d1 > d3:
        f, g, feature = d1 / (d1 - d3), 0.0, 2
    elif area_b <= 0.0 and d2 >= 0.0 and d6 <= 0.0 and d2 > d6:
        f, g, feature = 0.0, d2 / (d2 - d6), 4
    elif area_a <= 0.0 and d4 >= d3 and d5 >= d6 and (d4 - d3) + (d5 - d6) > 0.0:
        g = (d4 - d3) / ((d4 - d3) + (d5 - d6))
        f, feature = 1.0 - g, 3
    else:
        f, g, feature = _foot_on_face(ux, uy, uz, wx, wy, wz, ax, ay, az)
    return floats[t] + f * ux + g * wx, floats[t + 1] + f * uy + g * wy, floats[t + 2] + f * uz + g * wz, feature


@inner_kernel
def _square_gap(x, y, z, vx, vy, vz, hx, hy, hz, r):
    """Coefficients of |x + s (v + s h)|^2 - r^2."""
    return (
        x * x + y * y + z * z - r * r,
        2.0 * (x * vx + y * vy + z * vz),
        vx * vx + vy * vy + vz * vz + 2.0 * (x * hx + y * hy + z * hz),
        2.0 * (vx * hx + vy * hy + vz * hz),
        hx * hx + hy * hy + hz * hz,
    )


@inner_kernel
def _feature_gap(floats, t, feature, x, y, z, vx, vy, vz, hx, hy, hz, r):
    """Coefficients c0..c4 of the gap between a ball centred at x + s (v + s h) and one feature of the triangle at `t`.

    For the face a distance, else a difference of squares. A face or edge without extent never closes its gap.
    """
    corner = t + 3 * ((feature - 2) % 3)
    px, py, pz = x - floats[corner], y - floats[corner + 1], z - floats[corner + 2]
    if feature >= 5:
        return _square_gap(px, py, pz, vx, vy, vz, hx, hy, hz, r)
    if feature < 2:
        px, py, pz = x - floats[t], y - floats[t + 1], z - floats[t + 2]
        ux, uy, uz = floats[t + 3] - floats[t], floats[t + 4] - floats[t + 1], floats[t + 5] - floats[t + 2]
        wx, wy, wz = floats[t + 6] - floats[t], floats[t + 7] - floats[t + 1], floats[t + 8] - floats[t + 2]
        nx, ny, nz = cross(ux, uy, uz, wx, wy, wz)
    else:
        after = t + 3 * ((feature - 1) % 3)
        nx = floats[after] - floats[corner]
        ny = floats[after + 1] - floats[corner + 1]
        nz = floats[after + 2] - floats[corner + 2]
    length = sqrt(nx * nx + ny * ny + nz * nz)
    if not length > 0.0:
        return 1.0, 0.0, 0.0, 0.0, 0.0
    nx, ny, nz = nx / length, ny / length, nz / length
    d = px * nx + py * ny + pz * nz
    v = vx * nx + vy * ny + vz * nz
    h = hx * nx + hy * ny + hz * nz
    if feature == 0:
        return d - r, v, h, 0.0, 0.0
    if feature == 1:
        return -d - r, -v, -h, 0.0, 0.0
    return _square_gap(
        px - d * nx,
        py - d * ny,
        pz - d * nz,
        vx - v * nx,
        vy - v * ny,
        vz - v * nz,
        hx - h * nx,
        hy - h * ny,
        hz - h * nz,
        r,
    )


@inner_kernel
def ball_contact_into(work, x, y, z, fx, fy, fz, r, vx, vy, vz):
    """Set NORMAL, POINT (relative to the ball) and STATUS for a ball at x and the nearest point f of the triangle."""
    ux, uy, uz = fx - x, fy - y, fz - z
    distance = sqrt(ux * ux + uy * uy + uz * uz)
    if distance > 0.0:
        ux, uy, uz = ux / distance, uy / distance, uz / distance
    else:  # the centre is on the triangle: along the motion is as good as any direction
        speed = sqrt(vx * vx + vy * vy + vz * vz)
        ux, uy, uz = (vx / speed, vy / speed, vz / speed) if speed > 0.0 else (1.0, 0.0, 0.0)
    reach = 0.5 * (distance + r)
    work[NORMAL], work[NORMAL + 1], work[NORMAL + 2] = ux, uy, uz
    work[POINT], work[POINT + 1], work[POINT + 2] = reach * ux, reach * uy, reach * uz
    work[STATUS] = OVERLAPPING if distance < r - work[TOUCH] else EXACT


@inner_kernel
def _entry_nearby(floats, t, x, y, z, vx, vy, vz, hx, hy, hz, r, s):
    """When the ball is r away from the triangle, near the time s at which a root of a squared gap says so.

    Where the triangle is much larger than the ball, squares have lost digits that the distance still has. It is a convex
    function of the time on a straight path: from its second value on, Newton's method comes near from before the contact.
    """
    for _ in range(_MOST_NEWTON_STEPS):
        qx, qy, qz = x + s * (vx + s * hx), y + s * (vy + s * hy), z + s * (vz + s * hz)
        fx, fy, fz, _ = nearest_on_triangle(floats, t, qx, qy, qz)
        qx, qy, qz = qx - fx, qy - fy, qz - fz
        distance = sqrt(qx * qx + qy * qy + qz * qz)
        closing = -(qx * (vx + 2.0 * s * hx) + qy * (vy + 2.0 * s * hy) + qz * (vz + 2.0 * s * hz))
        step = (distance - r) * distance / closing if closing > 0.0 else 0.0
        if abs(step) <= EPSILON * s or s + step < 0.0:
            break
        s += step
    return s


@inner_kernel
def toi_ball_triangle(floats, t, x, y, z, vx, vy, vz, hx, hy, hz, r, straight, s_max, size, pad, fresh, work):
    """First contact in [0, s_max) of a ball centred at x + s (v + s h) with the triangle at `t`; inf if none.

    `size` bounds how far the two are apart now, `fresh` passes over an overlap now. Fills NORMAL, POINT and STATUS for a
    contact.
    """
    # What the roots of squared gaps, and the numbers they come from, may have lost.
    foot = SPHERE_FOOT * size + 4.0 * pad
    slack = foot + 16.0 * EPSILON * size * size / r
    fx, fy, fz, touching = nearest_on_triangle(floats, t, x, y, z)
    distance = sqrt((x - fx) ** 2 + (y - fy) ** 2 + (z - fz) ** 2)
    first, n_features = 0, _N_FEATURES
    if distance > r or fresh:
        if distance <= r and straight:
            return inf
        touching = -1
    else:
        if touching == 0:
            ux, uy, uz = floats[t + 3] - floats[t], floats[t + 4] - floats[t + 1], floats[t + 5] - floats[t + 2]
            wx, wy, wz = floats[t + 6] - floats[t], floats[t + 7] - floats[t + 1], floats[t + 8] - floats[t + 2]
            nx, ny, nz = cross(ux, uy, uz, wx, wy, wz)
            height = (x - fx) * nx + (y - fy) * ny + (z - fz) * nz
            # On the face itself every way leads out, so that the side it moves to counts as the one it is on.
            if height == 0.0:
                height = vx * nx + vy * ny + vz * nz
            touching = 0 if height >= 0.0 else 1
        # The touching feature first: approaching it is a contact now.
        first, n_features = touching, _N_FEATURES + touching
        if straight:  # parting from a convex set along a line is for ever
            n_features = touching + 1
    best = inf
    for k in range(first, n_features):
        feature = k % _N_FEATURES
        c0, c1, c2, c3, c4 = _feature_gap(floats, t, feature, x, y, z, vx, vy, vz, hx, hy, hz, r)
        once = straight or feature < 2
        s, sign = 0.0, 1.0
        for _ in range(3):  # a parabola enters a cylinder or a ball at most twice: enter, leave, enter
            if once:
                s = enter_quadratic(c0, c1, c2, s)
            else:
                s = enter_quartic(sign * c0, sign * c1, sign * c2, sign * c3, sign * c4, s)
            if not s < min(best, s_max):
                break
            sign = -sign
            if sign > 0.0:
                continue
            qx, qy, qz = x + s * (vx + s * hx), y + s * (vy + s * hy), z + s * (vz + s * hz)
            fx, fy, fz, _ = nearest_on_triangle(floats, t, qx, qy, qz)
            distance = sqrt((qx - fx) ** 2 + (qy - fy) ** 2 + (qz - fz) ** 2)
            if SPHERE_FOOT * r < abs(distance - r) <= slack:
                s = _entry_nearby(floats, t, x, y, z, vx, vy, vz, hx, hy, hz, r, s)
                qx, qy, qz = x + s * (vx + s * hx), y + s * (vy + s * hy), z + s * (vz + s * hz)
                fx, fy, fz, _ = nearest_on_triangle(floats, t, qx, qy, qz)
                distance = sqrt((qx - fx) ** 2 + (qy - fy) ** 2 + (qz - fz) ** 2)
            closing = -(
                (qx - fx) * (vx + 2.0 * s * hx) + (qy - fy) * (vy + 2.0 * s * hy) + (qz - fz) * (vz + 2.0 * s * hz)
            )
            close = (abs(distance - r) <= foot and closing >= 0.0) or (feature == touching and distance <= r)
            if close and s < best:
                best = s
                ball_contact_into(work, qx, qy, qz, fx, fy, fz, r, vx, vy, vz)
                break
            if once:
                break
        if best == 0.0 or (straight and best < inf):
            break
    return best
