"""First contact of a half-space with a sphere or a surface, either of which may rotate.

Only the hull vertices of a surface count. The height of a vertex at x over the plane is n . (x - d) - offset, n turning with
the half-space; its second derivative is bounded as in carom.narrow.toi.advancement.triangle_axes.
"""

from __future__ import annotations

from math import inf

from carom._compile.jit import inner_kernel
from carom.maths.roots import enter_quadratic
from carom.maths.vector import cross_length, length, rotated, rotated_back
from carom.narrow.toi.advancement import scratch as sc
from carom.narrow.toi.advancement.obb_bounds import safe_time
from carom.narrow.toi.advancement.scratch import pose_at
from carom.narrow.toi.advancement.starts import spun
from carom.narrow.toi.shape_table import H_HULL, H_KIND, H_N_HULL, H_N_PLANES, H_PARAM, HEADER, HULL_ROW
from carom.narrow.toi.standing import TIED, on_surface
from carom.narrow.toi.status import CONSERVATIVE, NOT_YET, OVERLAPPING
from carom.narrow.toi.workspace import FEATURE_A, NORMAL, POINT, STATUS, TESTS, TOUCH
from carom.shapes.kind import HALF_SPACE, SPHERE
from carom.tolerances import ADVANCE_STEPS, NEUTRAL_RATE, SPHERE_SLACK

_MOST_WINDOWS = 3
"""A parabola comes down to a plane twice at most; one more for a start below it."""


@inner_kernel
def _point(floats, ints, shape_a, space, k):
    """Place of hull vertex k of A now, from A's origin, and its velocity; a ball is its centre."""
    if ints[HEADER * shape_a + H_KIND] == SPHERE:
        return 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
    p = ints[HEADER * shape_a + H_HULL] + HULL_ROW * k
    x, y, z = rotated(space, sc.NOW_A, floats[p], floats[p + 1], floats[p + 2])
    vx, vy, vz = spun(space, sc.SPIN_A, x, y, z)
    return x, y, z, vx, vy, vz


@inner_kernel
def _height(space, offset, nx, ny, nz, mx, my, mz, x, y, z, vx, vy, vz):
    """Height over the plane of a point at x with velocity v, from A's origin, and how fast it rises. m: rate of n."""
    x, y, z = x - space[sc.NOW_D], y - space[sc.NOW_D + 1], z - space[sc.NOW_D + 2]
    vx, vy, vz = vx - space[sc.NOW_V], vy - space[sc.NOW_V + 1], vz - space[sc.NOW_V + 2]
    rate = nx * vx + ny * vy + nz * vz + mx * x + my * y + mz * z
    return nx * x + ny * y + nz * z - offset, rate


@inner_kernel
def _rises(space, nx, ny, nz, mx, my, mz, x, y, z, vx, vy, vz, rate):
    """Does a point rise from the plane: by its rate, or at rest by its acceleration?"""
    if rate < -space[sc.NOISE] or rate > space[sc.NOISE]:
        return rate > 0.0
    ax, ay, az = spun(space, sc.SPIN_A, vx, vy, vz)
    wx, wy, wz = spun(space, sc.SPIN_B, mx, my, mz)
    x, y, z = x - space[sc.NOW_D], y - space[sc.NOW_D + 1], z - space[sc.NOW_D + 2]
    vx, vy, vz = vx - space[sc.NOW_V], vy - space[sc.NOW_V + 1], vz - space[sc.NOW_V + 2]
    pull = nx * (ax - space[sc.ACC]) + ny * (ay - space[sc.ACC + 1]) + nz * (az - space[sc.ACC + 2])
    turn, lean = 2.0 * (mx * vx + my * vy + mz * vz), wx * x + wy * y + wz * z
    scale = length(ax, ay, az) + length(space[sc.ACC], space[sc.ACC + 1], space[sc.ACC + 2]) + abs(turn) + abs(lean)
    return pull + turn + lean >= -NEUTRAL_RATE * scale


@inner_kernel
def _record(floats, ints, shape_a, count, space, offset, radius, low, closes, nx, ny, nz, mx, my, mz):
    """Fill the record: the middle of the vertices that touch, or are as low as `low`, to within a touch; where it lies off a
    mesh, the vertex nearest to it.

    closes: some of them come down. Then those that rise do not count: the middle of one that comes down and one that rises
    faster would rise, no response would act on it, and the body would go on into the plane.
    """
    level = low + space[TOUCH] if low < -space[TOUCH] else max(low + space[TOUCH], space[sc.GAP])
    head = HEADER * shape_a
    mean_x, mean_y, mean_z, n_low, nearest = 0.0, 0.0, 0.0, 0, inf
    for pick in range(2):
        if pick == 1:
            mean_x, mean_y, mean_z = mean_x / n_low, mean_y / n_low, mean_z / n_low
            space[POINT], space[POINT + 1], space[POINT + 2] = mean_x, mean_y, mean_z
            if n_low == 1 or ints[head + H_KIND] == SPHERE or ints[head + H_N_PLANES] > 0:
                break
            x, y, z = rotated_back(space, sc.NOW_A, mean_x, mean_y, mean_z)
            if on_surface(floats, ints, shape_a, x, y, z, space):
                break
        for k in range(count):
            x, y, z, vx, vy, vz = _point(floats, ints, shape_a, space, k)
            height, rate = _height(space, offset, nx, ny, nz, mx, my, mz, x, y, z, vx, vy, vz)
            if height - radius > level or (closes and _rises(space, nx, ny, nz, mx, my, mz, x, y, z, vx, vy, vz, rate)):
                continue
            if pick == 0:
                n_low += 1
                mean_x, mean_y, mean_z = mean_x + x, mean_y + y, mean_z + z
            else:
                square = (x - mean_x) ** 2 + (y - mean_y) ** 2 + (z - mean_z) ** 2
                if square >= TIED * nearest:
                    continue
                nearest = square
                space[POINT], space[POINT + 1], space[POINT + 2] = x, y, z
            if ints[head + H_KIND] != SPHERE:
                space[FEATURE_A] = floats[ints[head + H_HULL] + HULL_ROW * k + 3]
    for k in range(3):
        n = nx if k == 0 else (ny if k == 1 else nz)
        space[POINT + k] -= (radius + 0.5 * low) * n
        space[NORMAL + k] = -n
    space[STATUS] = OVERLAPPING if low < -space[TOUCH] else CONSERVATIVE


@inner_kernel
def _follow_plane(floats, ints, shape_a, shape_b, space, s, until):
    """First contact in [s, until) of A with half-space B; inf if none, NOT_YET after ADVANCE_STEPS steps."""
    b = ints[HEADER * shape_b + H_PARAM]
    offset = floats[b + 3]
    ball = ints[HEADER * shape_a + H_KIND] == SPHERE
    count = 1 if ball else ints[HEADER * shape_a + H_N_HULL]
    radius = space[sc.REACH_A] if ball else 0.0
    most = length(space[sc.ACC], space[sc.ACC + 1], space[sc.ACC + 2])
    for _ in range(ADVANCE_STEPS):
        space[sc.STEPS] += 1.0
        pose_at(space, s)
        nx, ny, nz = rotated(space, sc.NOW_B, floats[b], floats[b + 1], floats[b + 2])
        mx, my, mz = spun(space, sc.SPIN_B, nx, ny, nz)
        first = length(mx, my, mz)
        second = space[sc.RATE_B] * first
        cross = 0.0 if ball else cross_length(nx, ny, nz, space[sc.SPIN_A], space[sc.SPIN_A + 1], space[sc.SPIN_A + 2])
        low = inf
        for k in range(count):
            x, y, z, vx, vy, vz = _point(floats, ints, shape_a, space, k)
            height, _ = _height(space, offset, nx, ny, nz, mx, my, mz, x, y, z, vx, vy, vz)
            low = min(low, height - radius)
        deep = low < -space[TOUCH]
        closes = False
        pace = 0.0 if ball else space[sc.RATE_A] * space[sc.REACH_A]
        far = length(space[sc.NOW_D], space[sc.NOW_D + 1], space[sc.NOW_D + 2]) + space[sc.REACH_A]
        speed = length(space[sc.NOW_V], space[sc.NOW_V + 1], space[sc.NOW_V + 2]) + pace
        pull = nx * space[sc.ACC] + ny * space[sc.ACC + 1] + nz * space[sc.ACC + 2]
        extra = max(pull, 0.0) + 2.0 * speed * first + far * second
        step = until - s
        for attempt in range(2):
            if attempt == 1:
                # For the whole step: the normal has turned, speeds and distances have grown.
                if first == 0.0:
                    break
                step = min(step, 1.0 / space[sc.RATE_B])
                fastest = most + space[sc.RATE_A] * pace
                turned = (first + 0.5 * second * step) * step
                extra = max(pull + fastest * turned, 0.0) + 2.0 * (speed + fastest * step) * (first + second * step)
                extra += (far + (speed + 0.5 * fastest * step) * step) * second
            for k in range(count):
                x, y, z, vx, vy, vz = _point(floats, ints, shape_a, space, k)
                height, rate = _height(space, offset, nx, ny, nz, mx, my, mz, x, y, z, vx, vy, vz)
                height -= radius
                level = space[sc.LEVEL]
                if deep:
                    level = low - space[sc.SINK]
                elif height <= space[sc.GAP]:
                    level = height - space[sc.SINK]
                if height <= (low + space[TOUCH] if deep else space[sc.GAP]):
                    closes = closes or not _rises(space, nx, ny, nz, mx, my, mz, x, y, z, vx, vy, vz, rate)
                bend = extra + cross * length(vx, vy, vz)
                step = min(step, safe_time(height - level, -rate, bend))
        if closes or s + step == s:
            _record(floats, ints, shape_a, count, space, offset, radius, low, closes, nx, ny, nz, mx, my, mz)
            return s
        s += step
        if s >= until:
            return inf
    space[STATUS] = NOT_YET
    return s


@inner_kernel
def toi_turning_half_space(floats, ints, shape_a, shape_b, space, s_from, until):
    """First contact in [s_from, until] of A with half-space B; inf if never, and NOT_YET at the time the search ended.

    Two half-spaces of which one turns overlap but for instants: never.
    """
    space[TESTS] = 1.0
    if ints[HEADER * shape_a + H_KIND] == HALF_SPACE:
        return inf
    s, end, turning = s_from, until, space[sc.RATE_B] > 0.0
    b = ints[HEADER * shape_b + H_PARAM]
    g0, g1, g2 = -floats[b + 3] - space[sc.REACH_A] * (1.0 + SPHERE_SLACK) - space[sc.GAP], 0.0, 0.0
    for k in range(3):
        row = sc.ROT_B + 3 * k
        n = space[row] * floats[b] + space[row + 1] * floats[b + 1] + space[row + 2] * floats[b + 2]
        g0, g1, g2 = g0 - n * space[sc.D + k], g1 - n * space[sc.V + k], g2 - 0.5 * n * space[sc.ACC + k]
    for window in range(_MOST_WINDOWS):
        begin, end = s, until
        if not turning:
            # A plane that does not turn: only while it cuts the sphere about A.
            if window > 0 or g0 + s * (g1 + s * g2) > 0.0:
                begin = enter_quadratic(g0, g1, g2, s)
            if begin == inf:
                return inf
            end = enter_quadratic(-g0, -g1, -g2, begin)
        if begin < until:
            found = _follow_plane(floats, ints, shape_a, shape_b, space, begin, min(end, until))
            if found < inf:
                return found
        if end >= until:
            break
        s = end
    space[STATUS] = NOT_YET
    return min(end, until)
