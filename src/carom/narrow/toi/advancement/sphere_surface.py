"""First contact of a sphere with a rotating box, convex solid or mesh: advancement in the frame of the surface.

There only the centre of the ball moves, at y(s); a ball has no orientation, so that its own spin does not matter. The
distance of a point to a convex set is at least its distance now plus what it moves along the direction m of the nearest
point, so that one direction gives the safe time: y'' = -acc + 2 spin x v - spin x (spin x d) in the axes of B.
"""

from __future__ import annotations

from math import inf

from carom._compile.jit import inner_kernel
from carom.maths.vector import cross_length, length, rotated, rotated_back
from carom.narrow.toi.advancement import scratch as sc
from carom.narrow.toi.advancement.obb_bounds import safe_time
from carom.narrow.toi.advancement.scratch import pose_at
from carom.narrow.toi.advancement.starts import overlap_step, spun
from carom.narrow.toi.interior.solids import nearest_side
from carom.narrow.toi.shape_table import H_FACES, H_LINKS, H_N_PLANES, H_NODES, H_TRIS, HEADER
from carom.narrow.toi.status import CONSERVATIVE, NOT_YET, OVERLAPPING, STACK_FULL
from carom.narrow.toi.straight.sphere_triangle import nearest_on_triangle
from carom.narrow.toi.workspace import (
    FEATURE_B,
    NORMAL,
    POINT,
    STACK,
    STACK_ROW,
    STATUS,
    TESTS,
    TOUCH,
    keep_contact,
    push,
    recall_contact,
)
from carom.tables.body_columns import NO_ID
from carom.tolerances import ADVANCE_STEPS, NEUTRAL_RATE
from carom.trees.obb.node import NODE_COLUMNS, NODE_HALF, NODE_RADIUS, node_axis


@inner_kernel
def _ball_at(space, s):
    """Set BALL, BALL_V and BALL_ACC: place, velocity and acceleration of the ball in the axes of B at s."""
    if space[sc.BALL + 3] == s:
        return
    pose_at(space, s)
    space[sc.BALL + 3] = s
    dx, dy, dz = space[sc.NOW_D], space[sc.NOW_D + 1], space[sc.NOW_D + 2]
    x, y, z = rotated_back(space, sc.NOW_B, -dx, -dy, -dz)
    space[sc.BALL], space[sc.BALL + 1], space[sc.BALL + 2] = x, y, z
    ux, uy, uz = spun(space, sc.SPIN_B, dx, dy, dz)
    vx, vy, vz = space[sc.NOW_V], space[sc.NOW_V + 1], space[sc.NOW_V + 2]
    x, y, z = rotated_back(space, sc.NOW_B, ux - vx, uy - vy, uz - vz)
    space[sc.BALL_V], space[sc.BALL_V + 1], space[sc.BALL_V + 2] = x, y, z
    wx, wy, wz = spun(space, sc.SPIN_B, 2.0 * vx - ux, 2.0 * vy - uy, 2.0 * vz - uz)
    x, y, z = rotated_back(space, sc.NOW_B, wx - space[sc.ACC], wy - space[sc.ACC + 1], wz - space[sc.ACC + 2])
    space[sc.BALL_ACC], space[sc.BALL_ACC + 1], space[sc.BALL_ACC + 2] = x, y, z


@inner_kernel
def _ball_time(space, gap, x, y, z, longest):
    """Safe time, `longest` at most, for a gap >= 0 along the unit direction (x, y, z), B's axes, from surface to ball."""
    closing = -(x * space[sc.BALL_V] + y * space[sc.BALL_V + 1] + z * space[sc.BALL_V + 2])
    cross = cross_length(x, y, z, space[sc.OWN_SPIN_B], space[sc.OWN_SPIN_B + 1], space[sc.OWN_SPIN_B + 2])
    wx, wy, wz = rotated(space, sc.NOW_B, x, y, z)
    pull = wx * space[sc.ACC] + wy * space[sc.ACC + 1] + wz * space[sc.ACC + 2]
    if cross == 0.0:
        return min(safe_time(gap, closing, max(pull, 0.0)), longest)
    most = length(space[sc.ACC], space[sc.ACC + 1], space[sc.ACC + 2])
    speed = length(space[sc.NOW_V], space[sc.NOW_V + 1], space[sc.NOW_V + 2])
    far = length(space[sc.NOW_D], space[sc.NOW_D + 1], space[sc.NOW_D + 2])
    rate = space[sc.RATE_B]
    bend = max(pull, 0.0) + cross * (2.0 * speed + rate * far)
    step = min(safe_time(gap, closing, bend), longest, 1.0 / rate)
    # For the whole step: directions have turned, speed and distance have grown.
    bend = max(pull + most * cross * step, 0.0) + cross * (
        2.0 * (speed + most * step) + rate * (far + (speed + 0.5 * most * step) * step)
    )
    return min(safe_time(gap, closing, bend), step)


@inner_kernel
def _ball_off_box(floats, node, space, radius):
    """Seconds for which the ball surely stays off the box at `node`."""
    x, y, z = (
        space[sc.BALL] - floats[node],
        space[sc.BALL + 1] - floats[node + 1],
        space[sc.BALL + 2] - floats[node + 2],
    )
    mx = my = mz = 0.0
    for k in range(3):
        a, b, c = node_axis(floats, node, k)
        along = a * x + b * y + c * z
        half = floats[node + NODE_HALF + k]
        out = along - half if along > half else (along + half if along < -half else 0.0)
        mx, my, mz = mx + out * a, my + out * b, mz + out * c
    off = length(mx, my, mz)
    gap = off - radius - space[sc.LEVEL]
    if not gap > 0.0:
        return 0.0
    return _ball_time(space, gap, mx / off, my / off, mz / off, inf)


@inner_kernel
def _ball_record(space, fx, fy, fz, radius, status):
    """Fill NORMAL, POINT (both in world axes, from the ball) and STATUS for the ball and the nearest point f, B's axes."""
    x, y, z = rotated(space, sc.NOW_B, fx - space[sc.BALL], fy - space[sc.BALL + 1], fz - space[sc.BALL + 2])
    off = length(x, y, z)
    if off > 0.0:
        x, y, z = x / off, y / off, z / off
    else:  # the centre is on the surface: along the motion is as good as any direction
        x, y, z = rotated(space, sc.NOW_B, space[sc.BALL_V], space[sc.BALL_V + 1], space[sc.BALL_V + 2])
        speed = length(x, y, z)
        x, y, z = (x / speed, y / speed, z / speed) if speed > 0.0 else (1.0, 0.0, 0.0)
    reach = 0.5 * (off + radius)
    space[NORMAL], space[NORMAL + 1], space[NORMAL + 2] = x, y, z
    space[POINT], space[POINT + 1], space[POINT + 2] = reach * x, reach * y, reach * z
    space[STATUS] = status


@inner_kernel
def _closes(space, x, y, z):
    """Does the ball move against the unit direction (x, y, z), B's axes: by its velocity, or at rest by its acceleration?"""
    rate = x * space[sc.BALL_V] + y * space[sc.BALL_V + 1] + z * space[sc.BALL_V + 2]
    if rate < -space[sc.NOISE] or rate > space[sc.NOISE]:
        return rate < 0.0
    pull = x * space[sc.BALL_ACC] + y * space[sc.BALL_ACC + 1] + z * space[sc.BALL_ACC + 2]
    return pull < -NEUTRAL_RATE * length(space[sc.BALL_ACC], space[sc.BALL_ACC + 1], space[sc.BALL_ACC + 2])


@inner_kernel
def _follow_ball(floats, tri, space, radius, s, s_from, limit, fresh):
    """First contact in [s, limit) of the ball with the triangle at `tri`; inf if none, NOT_YET after ADVANCE_STEPS.

    `fresh` passes over a triangle that the ball overlaps, by more than a touch, and approaches at s_from.
    """
    space[sc.TRIANGLE_TESTS] += 1.0
    for _ in range(ADVANCE_STEPS):
        space[sc.STEPS] += 1.0
        _ball_at(space, s)
        fx, fy, fz, _ = nearest_on_triangle(floats, tri, space[sc.BALL], space[sc.BALL + 1], space[sc.BALL + 2])
        x, y, z = space[sc.BALL] - fx, space[sc.BALL + 1] - fy, space[sc.BALL + 2] - fz
        off = length(x, y, z)
        if off > 0.0:
            x, y, z = x / off, y / off, z / off
        gap = off - radius
        if gap > space[sc.GAP]:
            tau = _ball_time(space, gap - space[sc.LEVEL], x, y, z, limit - s)
        else:
            # With the centre on the surface every way leads out.
            if off > 0.0 and _closes(space, x, y, z):
                if fresh and s == s_from and gap < -space[TOUCH]:
                    return inf
                _ball_record(space, fx, fy, fz, radius, OVERLAPPING if gap < -space[TOUCH] else CONSERVATIVE)
                return s
            tau = _ball_time(space, space[sc.SINK], x, y, z, limit - s)
        if s + tau >= limit:
            return inf
        if s + tau == s:
            _ball_record(space, fx, fy, fz, radius, CONSERVATIVE)
            return s
        s += tau
    space[STATUS] = NOT_YET
    for k in range(3):
        space[POINT + k] = space[NORMAL + k] = 0.0
    return s


@inner_kernel
def search_ball(floats, ints, shape, space, s_from, until, fresh):
    """First contact in [s_from, until) of ball A with a triangle of B; inf if none. The earlier child first.

    `fresh` passes over triangles that the ball overlaps and approaches at s_from.
    """
    radius = space[sc.REACH_A]
    nodes, links = ints[HEADER * shape + H_NODES], ints[HEADER * shape + H_LINKS]
    tris, faces = ints[HEADER * shape + H_TRIS], ints[HEADER * shape + H_FACES]
    best, later, found = until, inf, False
    space[STACK + 1], space[STACK + 2] = 0.0, s_from
    size = 1
    while size > 0:
        size -= 1
        row = STACK + STACK_ROW * size
        s = space[row + 2]
        if s >= best:
            continue
        node = int(space[row + 1])
        link = int(floats[links + node])
        if link < 0:
            s = _follow_ball(floats, tris + 9 * (-1 - link), space, radius, s, s_from, best, fresh)
            later = until
            if s < best:
                best, found = s, True
                space[FEATURE_B] = floats[faces - 1 - link]
                keep_contact(space)
                if s == s_from:
                    break
            continue
        _ball_at(space, s)
        left, right = node + 1, link
        left_entry = s + _ball_off_box(floats, nodes + NODE_COLUMNS * left, space, radius)
        right_entry = s + _ball_off_box(floats, nodes + NODE_COLUMNS * right, space, radius)
        space[TESTS] += 2.0
        if left_entry > right_entry:
            left, right = right, left
            left_entry, right_entry = right_entry, left_entry
        if right_entry >= best:
            later = min(later, left_entry if left_entry >= best else right_entry)
        if right_entry < best:
            size = push(space, size, right, right, right_entry)
        if left_entry < best:
            size = push(space, size, left, left, left_entry)
    if size < 0:
        space[STATUS] = STACK_FULL
        return s_from
    space[sc.LATER] = max(later, until)
    if not found:
        return inf
    recall_contact(space)
    return best


@inner_kernel
def _nearest_within(floats, ints, shape, space, within):
    """Nearest point of the surface to the centre of the ball and its face; the face is -1 where none is within `within`."""
    nodes, links = ints[HEADER * shape + H_NODES], ints[HEADER * shape + H_LINKS]
    tris, faces = ints[HEADER * shape + H_TRIS], ints[HEADER * shape + H_FACES]
    x, y, z = space[sc.BALL], space[sc.BALL + 1], space[sc.BALL + 2]
    best, bx, by, bz, face = within, 0.0, 0.0, 0.0, -1.0
    space[STACK + 1] = 0.0
    size = 1
    while size > 0:
        size -= 1
        node = int(space[STACK + STACK_ROW * size + 1])
        at = nodes + NODE_COLUMNS * node
        if length(x - floats[at], y - floats[at + 1], z - floats[at + 2]) - floats[at + NODE_RADIUS] >= best:
            continue
        link = int(floats[links + node])
        if link >= 0:
            size = push(space, size, node + 1, node + 1, 0.0)
            size = push(space, size, link, link, 0.0)
            continue
        fx, fy, fz, _ = nearest_on_triangle(floats, tris + 9 * (-1 - link), x, y, z)
        off = length(x - fx, y - fy, z - fz)
        if off < best:
            best, bx, by, bz, face = off, fx, fy, fz, floats[faces - 1 - link]
    return bx, by, bz, face


@inner_kernel
def _leave_solid(floats, ints, shape, space, radius, s, until):
    """A ball whose centre is in a solid: (time at which it moves further in by the nearest side or inf; time it is out or inf).

    Steps are too short to leave and come back. Fills the record for the first, NOT_YET where it cannot be told.
    """
    for _ in range(ADVANCE_STEPS):
        _ball_at(space, s)
        height, plane = nearest_side(floats, ints, shape, space[sc.BALL], space[sc.BALL + 1], space[sc.BALL + 2], inf)
        if height > 0.0:
            return inf, s
        x, y, z = floats[plane], floats[plane + 1], floats[plane + 2]
        if _closes(space, x, y, z):
            wx, wy, wz = rotated(space, sc.NOW_B, -x, -y, -z)
            reach = 0.5 * (radius + height)
            space[NORMAL], space[NORMAL + 1], space[NORMAL + 2] = wx, wy, wz
            space[POINT], space[POINT + 1], space[POINT + 2] = reach * wx, reach * wy, reach * wz
            space[FEATURE_B] = floats[plane + 4]
            space[STATUS] = OVERLAPPING
            return s, inf
        step = overlap_step(space, -height, space[sc.RATE_B] * space[sc.REACH_B])
        if step < 0.0:
            return inf, inf
        s += step
        if s >= until:
            return inf, until
    space[STATUS] = NOT_YET
    space[FEATURE_B] = NO_ID
    return s, inf


@inner_kernel
def start_ball(floats, ints, shape, space, begin, end):
    """Start of a search of ball A and surface or solid B that may overlap: (contact or inf, where to search from, deep?).

    deep: the ball overlaps the surface there, and parts from it.
    """
    radius = space[sc.REACH_A]
    _ball_at(space, begin)
    if ints[HEADER * shape + H_N_PLANES] > 0:
        height, _ = nearest_side(floats, ints, shape, space[sc.BALL], space[sc.BALL + 1], space[sc.BALL + 2], radius)
        if height <= 0.0:
            pressed, begin = _leave_solid(floats, ints, shape, space, radius, begin, end)
            if pressed < inf or begin >= end:
                return pressed, begin, False
            _ball_at(space, begin)
    fx, fy, fz, face = _nearest_within(floats, ints, shape, space, radius - space[TOUCH])
    if face < 0.0:
        return inf, begin, False
    # The nearest point decides for the whole surface: its triangles may press in opposite directions.
    x, y, z = space[sc.BALL] - fx, space[sc.BALL + 1] - fy, space[sc.BALL + 2] - fz
    off = length(x, y, z)
    if off > 0.0 and _closes(space, x / off, y / off, z / off):
        _ball_record(space, fx, fy, fz, radius, OVERLAPPING)
        space[FEATURE_B] = face
        return begin, begin, True
    return inf, begin, True


@inner_kernel
def toi_turning_balls(space, s, until):
    """First contact in [s, until] of two balls; inf if never, and NOT_YET at the time the search ended.

    They have no orientation: along the line of centres only the pull of their acceleration bends the gap.
    """
    reach = space[sc.REACH_A] + space[sc.REACH_B]
    for _ in range(ADVANCE_STEPS):
        space[sc.STEPS] += 1.0
        pose_at(space, s)
        x, y, z = space[sc.NOW_D], space[sc.NOW_D + 1], space[sc.NOW_D + 2]
        off = length(x, y, z)
        x, y, z = (x / off, y / off, z / off) if off > 0.0 else (1.0, 0.0, 0.0)
        gap = off - reach
        rate = x * space[sc.NOW_V] + y * space[sc.NOW_V + 1] + z * space[sc.NOW_V + 2]
        pull = x * space[sc.ACC] + y * space[sc.ACC + 1] + z * space[sc.ACC + 2]
        tau = safe_time(max(gap - space[sc.LEVEL], 0.0), -rate, max(-pull, 0.0))
        if gap <= space[sc.GAP]:
            tau = safe_time(space[sc.SINK], -rate, max(-pull, 0.0))
            closes = rate < -space[sc.NOISE] or (rate <= space[sc.NOISE] and pull < 0.0)
            tau = 0.0 if closes and off > 0.0 else tau
        if s + tau == s:
            middle = 0.5 * (space[sc.REACH_A] + off - space[sc.REACH_B])
            space[NORMAL], space[NORMAL + 1], space[NORMAL + 2] = x, y, z
            space[POINT], space[POINT + 1], space[POINT + 2] = middle * x, middle * y, middle * z
            space[STATUS] = OVERLAPPING if gap < -space[TOUCH] else CONSERVATIVE
            return s
        if tau == inf:
            return inf
        s += tau
        if s >= until:
            break
    space[STATUS] = NOT_YET
    return min(s, until)
