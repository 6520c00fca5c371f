"""Whether two rotating triangles that touch are in contact or separate.

Every separating axis along which they touch gives a side. Parting along one side, or keeping its distance, is parting: the
triangles cannot enter each other while that lasts. Otherwise they approach along every side, and that is a contact.
"""

from __future__ import annotations

from math import inf

from carom._compile.jit import inner_kernel
from carom.maths.vector import cross, length
from carom.narrow.toi.advancement import scratch as sc
from carom.narrow.toi.advancement.nearest_points import BETWEEN, TRIANGLE_N_AXES, WITH_A, WITH_B, WITH_EDGES
from carom.narrow.toi.advancement.triangle_axes import axis_at, axis_rate, levels_into, turning_axis_time
from carom.narrow.toi.interior.solids import highest
from carom.narrow.toi.shape_table import H_CENTRE, H_N_PLANES, HEADER
from carom.narrow.toi.workspace import NORMAL, POLYGON_A, TOUCH, TRI_A, TRI_B
from carom.tolerances import NEUTRAL_RATE, PARALLEL_PLANES, SUPPORT_SLACK, TINY

CONTACT = -1.0
DEEP_IN = -2.0
SUPPORTED = 1.0


@inner_kernel
def _whirl(space, spin, x, y, z):
    """spin x (spin x vector)."""
    sx, sy, sz = space[spin], space[spin + 1], space[spin + 2]
    along = sx * x + sy * y + sz * z
    square = sx * sx + sy * sy + sz * sz
    return sx * along - square * x, sy * along - square * y, sz * along - square * z


@inner_kernel
def _axis_bend(space, k, turns, x, y, z):
    """Second derivative of axis k, (x, y, z) now: a vector."""
    if turns == WITH_A:
        return _whirl(space, sc.SPIN_A, x, y, z)
    if turns == WITH_B:
        return _whirl(space, sc.SPIN_B, x, y, z)
    if turns != WITH_EDGES:
        return 0.0, 0.0, 0.0
    p, q = sc.EDGES + 3 * ((k - 2) // 3), sc.EDGES + 9 + 3 * ((k - 2) % 3)
    ax, ay, az = space[p], space[p + 1], space[p + 2]
    bx, by, bz = space[q], space[q + 1], space[q + 2]
    sx, sy, sz = space[sc.SPIN_A], space[sc.SPIN_A + 1], space[sc.SPIN_A + 2]
    ux, uy, uz = 2.0 * (sy * az - sz * ay), 2.0 * (sz * ax - sx * az), 2.0 * (sx * ay - sy * ax)
    sx, sy, sz = space[sc.SPIN_B], space[sc.SPIN_B + 1], space[sc.SPIN_B + 2]
    wx, wy, wz = cross(sx, sy, sz, bx, by, bz)
    ex, ey, ez = _whirl(space, sc.SPIN_A, ax, ay, az)
    fx, fy, fz = _whirl(space, sc.SPIN_B, bx, by, bz)
    return (
        ey * bz - ez * by + uy * wz - uz * wy + ay * fz - az * fy,
        ez * bx - ex * bz + uz * wx - ux * wz + az * fx - ax * fz,
        ex * by - ey * bx + ux * wy - uy * wx + ax * fy - ay * fx,
    )


@inner_kernel
def _least_pull(space, k, turns, x, y, z, sign, within):
    """Least second derivative of the gaps along axis k between corners that are within `within`, and the size of its terms."""
    dx, dy, dz = axis_rate(space, k, turns, x, y, z)
    bx, by, bz = _axis_bend(space, k, turns, x, y, z)
    least, scale = inf, 0.0
    for i in range(3):
        for j in range(3):
            if space[sc.LEVELS + 3 + j] - space[sc.LEVELS + i] > within:
                continue
            p, q = TRI_A + 3 * i, TRI_B + 3 * j
            u, v = sc.CORNERS_V + 3 * i, sc.CORNERS_V + 9 + 3 * j
            px, py, pz = _whirl(space, sc.SPIN_A, space[p], space[p + 1], space[p + 2])
            qx, qy, qz = _whirl(
                space,
                sc.SPIN_B,
                space[q] - space[sc.NOW_D],
                space[q + 1] - space[sc.NOW_D + 1],
                space[q + 2] - space[sc.NOW_D + 2],
            )
            pull = 0.0
            pull += (
                x * (space[sc.ACC] + qx - px) + y * (space[sc.ACC + 1] + qy - py) + z * (space[sc.ACC + 2] + qz - pz)
            )
            turn = dx * (space[v] - space[u]) + dy * (space[v + 1] - space[u + 1]) + dz * (space[v + 2] - space[u + 2])
            lean = bx * (space[q] - space[p]) + by * (space[q + 1] - space[p + 1]) + bz * (space[q + 2] - space[p + 2])
            least = min(least, sign * (pull + 2.0 * turn + lean))
            scale = max(scale, abs(turn) + abs(lean))
    scale += length(x, y, z) * (
        length(space[sc.ACC], space[sc.ACC + 1], space[sc.ACC + 2])
        + space[sc.RATE_A] * space[sc.PACE]
        + space[sc.RATE_B] * space[sc.PACE + 1]
    )
    return least, scale


@inner_kernel
def _supports(floats, ints, shape_a, shape_b, space, x, y, z, solids):
    """Is the unit vector a direction in which no corner of a shape lies beyond the corners of its triangle?

    `solids`: of one that is a solid.
    """
    for which in range(2):
        solid = shape_b if which else shape_a
        if solids and ints[HEADER * solid + H_N_PLANES] == 0:
            continue
        sign = -1.0 if which else 1.0
        turn, tri = (sc.NOW_B, TRI_B) if which else (sc.NOW_A, TRI_A)
        level = -inf
        for c in range(0, 9, 3):
            px, py, pz = space[tri + c], space[tri + c + 1], space[tri + c + 2]
            if which:
                px, py, pz = px - space[sc.NOW_D], py - space[sc.NOW_D + 1], pz - space[sc.NOW_D + 2]
            level = max(level, sign * (px * x + py * y + pz * z))
        top = highest(
            floats,
            ints,
            solid,
            sign * (space[turn] * x + space[turn + 3] * y + space[turn + 6] * z),
            sign * (space[turn + 1] * x + space[turn + 4] * y + space[turn + 7] * z),
            sign * (space[turn + 2] * x + space[turn + 5] * y + space[turn + 8] * z),
        )
        if top > level + SUPPORT_SLACK * floats[ints[HEADER * solid + H_CENTRE] + 3]:
            return False
    return True


@inner_kernel
def _side_is_calm(space, k, turns, x, y, z, sign, gap):
    """Do the triangles part along a side of axis k, or keep their distance? LEVELS hold that side, `gap` is its gap."""
    size = length(x, y, z)
    within = gap + space[sc.SINK] * size
    rate = inf
    for i in range(3):
        for j in range(3):
            if space[sc.LEVELS + 3 + j] - space[sc.LEVELS + i] <= within:
                rate = min(rate, space[sc.LEVELS + 9 + j] - space[sc.LEVELS + 6 + i])
    noise = space[sc.NOISE] * size
    if rate < -noise or rate > noise:
        return rate > 0.0
    pull, scale = _least_pull(space, k, turns, x, y, z, sign, within)
    return pull >= -NEUTRAL_RATE * scale


@inner_kernel
def _parting_speed(space, x, y, z, px, py, pz):
    """How fast the bodies part along the unit vector (x, y, z) at the point p."""
    speed = x * space[sc.NOW_V] + y * space[sc.NOW_V + 1] + z * space[sc.NOW_V + 2]
    for of_b in range(2):
        sign, s = (1.0, sc.SPIN_B) if of_b else (-1.0, sc.SPIN_A)
        if of_b:
            px, py, pz = px - space[sc.NOW_D], py - space[sc.NOW_D + 1], pz - space[sc.NOW_D + 2]
        sx, sy, sz = space[s], space[s + 1], space[s + 2]
        speed += sign * (x * (sy * pz - sz * py) + y * (sz * px - sx * pz) + z * (sx * py - sy * px))
    return speed


@inner_kernel
def _approach(space, x, y, z):
    """How fast the bodies approach along the unit vector at the middle of the nearest points; 0 at least."""
    px, py, pz = 0.0, 0.0, 0.0
    for m in range(0, 6, 3):
        px, py, pz = (
            px + 0.5 * space[sc.NEAREST + m],
            py + 0.5 * space[sc.NEAREST + m + 1],
            pz + 0.5 * space[sc.NEAREST + m + 2],
        )
    return max(-_parting_speed(space, x, y, z, px, py, pz), 0.0)


@inner_kernel
def keep_closing(space, count):
    """Keep those of the `count` corners of POLYGON_A that approach along NORMAL, or else those that do not part, or all.

    Sets CLOSES; returns how many are kept. Where one corner of a face comes down on another and one rises faster, their
    middle rises: no response would act on it, and the bodies would go on into each other.
    """
    nx, ny, nz, noise = space[NORMAL], space[NORMAL + 1], space[NORMAL + 2], space[sc.NOISE]
    approaching, resting = 0, 0
    for k in range(count):
        p = POLYGON_A + 3 * k
        speed = _parting_speed(space, nx, ny, nz, space[p], space[p + 1], space[p + 2])
        approaching += speed < -noise
        resting += abs(speed) <= noise
    space[sc.CLOSES] = 1.0 if approaching > 0 else 0.0
    if approaching == 0 and resting == 0:
        return count
    kept = 0
    for k in range(count):
        p = POLYGON_A + 3 * k
        speed = _parting_speed(space, nx, ny, nz, space[p], space[p + 1], space[p + 2])
        if speed < -noise if approaching > 0 else abs(speed) <= noise:
            for d in range(3):
                space[POLYGON_A + 3 * kept + d] = space[p + d]
            kept += 1
    return kept


@inner_kernel
def judge_touch(floats, ints, shape_a, shape_b, space, start, longest, between):
    """Seconds, `longest` at most, for which touching triangles surely do not enter each other; CONTACT; or DEEP_IN.

    Where a search starts sides touch that overlap by TOUCH, later none may; with none they are DEEP_IN. `between`: the
    axis between the nearest points is good. Sets NORMAL, also for DEEP_IN, and SCORE, SUPPORTED or more where that
    supports both shapes.
    """
    sink = space[sc.SINK]
    slack = space[TOUCH] if start else sink
    parting, best = -1.0, -1.0
    widest, wide_x, wide_y, wide_z = -inf, 1.0, 0.0, 0.0
    for k in range(TRIANGLE_N_AXES if between else BETWEEN):
        x, y, z, turns = axis_at(space, k)
        size = length(x, y, z)
        if turns == WITH_EDGES:
            p, q = sc.EDGES + 3 * ((k - 2) // 3), sc.EDGES + 9 + 3 * ((k - 2) % 3)
            edges = length(space[p], space[p + 1], space[p + 2]) * length(space[q], space[q + 1], space[q + 2])
            if size < PARALLEL_PLANES * edges:
                continue
        if size < TINY:
            continue
        dx, dy, dz = axis_rate(space, k, turns, x, y, z)
        gap, back, sign = levels_into(space, x, y, z, dx, dy, dz)
        if gap > widest * size:
            if gap > (widest + sink) * size:
                best = -1.0
            widest = gap / size
            wide_x, wide_y, wide_z = sign * x / size, sign * y / size, sign * z / size
        # Two flat features in one plane have either side: rounding decides which is wider, and parting by one is parting.
        either = gap <= sink * size and back >= -sink * size
        for side in range(2):
            if gap < -slack * size:
                break
            if _side_is_calm(space, k, turns, x, y, z, sign, gap):
                level = gap - sink * size
                parting = max(parting, turning_axis_time(space, k, turns, x, y, z, sign, level, longest))
                break
            nx, ny, nz = sign * x / size, sign * y / size, sign * z / size
            supported = _supports(floats, ints, shape_a, shape_b, space, nx, ny, nz, True)
            # Of the sides that are as wide as the gap, the one that closes fastest gives the normal. Where a search starts
            # in touch many are: first those that support both shapes as wholes.
            score = -0.5
            if not either:
                score = _approach(space, nx, ny, nz)
                score /= 1.0 + score
                if supported and start and _supports(floats, ints, shape_a, shape_b, space, nx, ny, nz, False):
                    score += SUPPORTED
            if supported and score > best and gap >= (widest - sink) * size:
                best = score
                space[NORMAL], space[NORMAL + 1], space[NORMAL + 2] = nx, ny, nz
            if side == 1 or (supported and not either):
                break
            gap, back, sign = back, gap, -sign
            for m in range(12):
                space[sc.LEVELS + m] = -space[sc.LEVELS + m]
    if parting >= 0.0:
        return parting
    space[sc.SCORE] = best
    if best == -1.0:
        space[NORMAL], space[NORMAL + 1], space[NORMAL + 2] = wide_x, wide_y, wide_z
    return DEEP_IN if widest < -slack else CONTACT
