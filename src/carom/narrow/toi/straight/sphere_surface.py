"""First contact of a moving sphere with a box, a convex solid or a mesh: a tree search for the first triangle hit.

The ball has no orientation, so A's axes are B's axes here, and the ball moves while B stays.
"""

from __future__ import annotations

from math import inf, sqrt

from carom._compile.jit import inner_kernel, kernel
from carom.maths.roots import enter_quadratic
from carom.narrow.toi import workspace as ws
from carom.narrow.toi.interior.solids import nearest_side
from carom.narrow.toi.interior.stay import stay_until
from carom.narrow.toi.shape_table import (
    H_FACES,
    H_LINKS,
    H_N_PLANES,
    H_NODES,
    H_PARAM,
    H_TRIS,
    HEADER,
)
from carom.narrow.toi.status import OVERLAPPING, STACK_FULL
from carom.narrow.toi.straight.obb_axes import ball_meets_box
from carom.narrow.toi.straight.sphere_triangle import ball_contact_into, nearest_on_triangle, toi_ball_triangle
from carom.narrow.toi.workspace import keep_contact, pad_at, push, recall_contact
from carom.trees.obb.node import NODE_COLUMNS, NODE_RADIUS


@kernel
def _search(floats, ints, shape, work, radius, straight, s_from, fresh):
    """First contact of the ball with a triangle of the tree; inf if none. Depth first, the earlier child first.

    `fresh` passes over triangles that the ball overlaps at s_from.
    """
    nodes, links = ints[HEADER * shape + H_NODES], ints[HEADER * shape + H_LINKS]
    tris, faces = ints[HEADER * shape + H_TRIS], ints[HEADER * shape + H_FACES]
    d, v, h = ws.FROM_A + ws.M_D, ws.FROM_A + ws.M_V, ws.FROM_A + ws.M_H
    x, y, z = -work[d], -work[d + 1], -work[d + 2]
    vx, vy, vz = -work[v], -work[v + 1], -work[v + 2]
    hx, hy, hz = -work[h], -work[h + 1], -work[h + 2]
    best = inf
    work[ws.STACK + 1], work[ws.STACK + 2] = 0.0, s_from
    size = 1
    while size > 0:
        size -= 1
        row = ws.STACK + ws.STACK_ROW * size
        if work[row + 2] >= best:
            continue
        node = int(work[row + 1])
        link = int(floats[links + node])
        if link < 0:
            work[ws.TESTS] += 1.0
            # The test starts where the ball reaches the triangle's box: close by, so that squares lose few digits.
            base = work[row + 2]
            s = base + toi_ball_triangle(
                floats,
                tris + 9 * (-1 - link),
                x + base * (vx + base * hx),
                y + base * (vy + base * hy),
                z + base * (vz + base * hz),
                vx + 2.0 * base * hx,
                vy + 2.0 * base * hy,
                vz + 2.0 * base * hz,
                hx,
                hy,
                hz,
                radius,
                straight,
                best - base,
                radius + 2.0 * floats[nodes + NODE_COLUMNS * node + NODE_RADIUS],
                pad_at(work, base),
                fresh and base == s_from,
                work,
            )
            if s < best:
                best = s
                work[ws.FEATURE_B] = floats[faces - 1 - link]
                keep_contact(work)
                if best == s_from:
                    break
            continue
        first, first_entry, second, second_entry = -1, inf, -1, inf
        for side in range(2):
            child = link if side else node + 1
            at = nodes + NODE_COLUMNS * child
            entry = ball_meets_box(floats, at, work, x, y, z, vx, vy, vz, hx, hy, hz, radius, straight, s_from, best)
            work[ws.TESTS] += 1.0
            if entry < first_entry:
                second, second_entry = first, first_entry
                first, first_entry = child, entry
            else:
                second, second_entry = child, entry
        if second_entry < inf:
            size = push(work, size, second, second, second_entry)
        if first_entry < inf:
            size = push(work, size, first, first, first_entry)
    if size < 0:
        work[ws.STATUS] = STACK_FULL
        return s_from
    if best < inf:
        recall_contact(work)
    return best


@inner_kernel
def _press_surface(floats, ints, shape, work, radius, s):
    """Does the ball start deeper in the surface than a touch, and does it then approach its nearest point?

    The nearest point decides for the whole surface: triangles on both sides of a ball press in opposite directions, and
    obeying each in turn would never end. Fills the record if the answer to both is yes.
    """
    nodes, links = ints[HEADER * shape + H_NODES], ints[HEADER * shape + H_LINKS]
    tris, faces = ints[HEADER * shape + H_TRIS], ints[HEADER * shape + H_FACES]
    d, v, h = ws.FROM_A + ws.M_D, ws.FROM_A + ws.M_V, ws.FROM_A + ws.M_H
    x = -(work[d] + s * (work[v] + s * work[h]))
    y = -(work[d + 1] + s * (work[v + 1] + s * work[h + 1]))
    z = -(work[d + 2] + s * (work[v + 2] + s * work[h + 2]))
    best, bx, by, bz, face = radius - work[ws.TOUCH], 0.0, 0.0, 0.0, -1.0
    work[ws.STACK + 1] = 0.0
    size = 1
    while size > 0:
        size -= 1
        node = int(work[ws.STACK + ws.STACK_ROW * size + 1])
        at = nodes + NODE_COLUMNS * node
        apart = sqrt((x - floats[at]) ** 2 + (y - floats[at + 1]) ** 2 + (z - floats[at + 2]) ** 2)
        if apart - floats[at + NODE_RADIUS] >= best:
            continue
        link = int(floats[links + node])
        if link >= 0:
            size = push(work, size, node + 1, node + 1, s)
            size = push(work, size, link, link, s)
            continue
        fx, fy, fz, _ = nearest_on_triangle(floats, tris + 9 * (-1 - link), x, y, z)
        distance = sqrt((x - fx) ** 2 + (y - fy) ** 2 + (z - fz) ** 2)
        if distance < best:
            best, bx, by, bz, face = distance, fx, fy, fz, floats[faces - 1 - link]
    if face < 0.0:
        return False, False
    vx = -(work[v] + 2.0 * s * work[h])
    vy = -(work[v + 1] + 2.0 * s * work[h + 1])
    vz = -(work[v + 2] + 2.0 * s * work[h + 2])
    closing = (bx - x) * vx + (by - y) * vy + (bz - z) * vz
    pull = -((bx - x) * work[h] + (by - y) * work[h + 1] + (bz - z) * work[h + 2])
    # A centre on the surface itself is parting: every way leads out.
    if best == 0.0 or closing < 0.0 or (closing == 0.0 and pull <= 0.0):
        return True, False
    ball_contact_into(work, x, y, z, bx, by, bz, radius, vx, vy, vz)
    work[ws.FEATURE_B] = face
    return True, True


@inner_kernel
def _press_solid(floats, ints, shape_a, shape_b, work, radius, straight, s_from, plane, height):
    """When does a ball in a solid, its centre `height` over the nearest side, next move further in by that side?

    (now, later or inf; time at which it has left the solid, or inf). Now only with the centre inside; later only where it
    turns before it has left by whichever side or edge. Fills the record for the first.
    """
    nx, ny, nz = floats[plane], floats[plane + 1], floats[plane + 2]
    d, v, h = ws.FROM_A + ws.M_D, ws.FROM_A + ws.M_V, ws.FROM_A + ws.M_H
    g0 = -(nx * work[d] + ny * work[d + 1] + nz * work[d + 2]) - floats[plane + 3] - radius
    g1 = -(nx * work[v] + ny * work[v + 1] + nz * work[v + 2])
    g2 = -(nx * work[h] + ny * work[h + 1] + nz * work[h + 2])
    s = enter_quadratic(g0, g1, g2, s_from)
    gap = g0 + s * (g1 + s * g2) if s < inf else 0.0
    if gap > -work[ws.TOUCH] or (s == s_from and height > 0.0):
        s = inf
    if s > s_from:
        if straight:  # out of a solid, and never back
            return inf, inf
        s, parted = stay_until(floats, ints, shape_a, shape_b, work, s_from, s)
        if s == inf:
            return inf, parted
    reach = radius + 0.5 * gap
    work[ws.NORMAL], work[ws.NORMAL + 1], work[ws.NORMAL + 2] = -nx, -ny, -nz
    work[ws.POINT], work[ws.POINT + 1], work[ws.POINT + 2] = -reach * nx, -reach * ny, -reach * nz
    work[ws.FEATURE_B] = floats[plane + 4]
    work[ws.STATUS] = OVERLAPPING
    return s, inf


@inner_kernel
def toi_sphere_surface(floats, ints, shape_a, shape_b, work, straight, s_from):
    """First contact from s_from on of ball A with surface or solid B; inf if never."""
    radius = floats[ints[HEADER * shape_a + H_PARAM]]
    solid = ints[HEADER * shape_b + H_N_PLANES] > 0
    begin, deep, plane, height = s_from, False, 0, 0.0
    if solid:
        d, v, h = ws.FROM_A + ws.M_D, ws.FROM_A + ws.M_V, ws.FROM_A + ws.M_H
        x = -(work[d] + s_from * (work[v] + s_from * work[h]))
        y = -(work[d + 1] + s_from * (work[v + 1] + s_from * work[h + 1]))
        z = -(work[d + 2] + s_from * (work[v + 2] + s_from * work[h + 2]))
        height, plane = nearest_side(floats, ints, shape_b, x, y, z, radius)
        deep = height <= 0.0
    if height < radius - work[ws.TOUCH] and not deep:
        deep, pressed = _press_surface(floats, ints, shape_b, work, radius, s_from)
        if pressed:
            return s_from
    if deep and solid:
        # A curved path may come back: it is searched from where it has left.
        turned, begin = _press_solid(floats, ints, shape_a, shape_b, work, radius, straight, s_from, plane, height)
        if turned < inf or begin == inf:
            return turned
        deep = False
    return _search(floats, ints, shape_b, work, radius, straight, begin, deep)
