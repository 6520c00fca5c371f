"""First contact of two triangulated shapes (boxes, convex solids, meshes): both trees searched together.

Eckstein and Schoemer's dynamic OBB-tree test, with the exact time windows of every pair of boxes and triangles.
"""

from __future__ import annotations

from math import inf

from carom._jit import kernel
from carom.narrow.box_axes import boxes_meet, fix_box_into
from carom.narrow.inside import press_centres, press_solids, starts_inside
from carom.narrow.moving_axes import contact_status
from carom.narrow.shape_table import (
    H_CENTRE,
    H_FACES,
    H_LINKS,
    H_N_PLANES,
    H_NODES,
    H_TRIS,
    HEADER,
)
from carom.narrow.solids import highest
from carom.narrow.status import STACK_FULL
from carom.narrow.triangle_pair import toi_triangle_triangle
from carom.narrow.witness import support_into, witness_into
from carom.narrow.workspace import (
    AXES,
    AXIS_ROW,
    DEEP,
    FEATURE_A,
    FEATURE_B,
    FROM_A,
    FROM_B,
    M_D,
    M_H,
    M_TURN,
    M_V,
    NORMAL,
    POINT,
    POLYGON_A,
    POLYGON_B,
    STACK,
    STACK_ROW,
    STATUS,
    TESTS,
    TRI_A,
    TRI_B,
    keep_contact,
    push,
    recall_contact,
)
from carom.tolerances import SUPPORT_SLACK
from carom.trees.obb_tree import NODE_COLUMNS


@kernel
def _load_triangles(floats, a, b, work):
    """Copy the triangles at `a` and `b` to TRI_A and TRI_B, the second turned into A's axes."""
    turn = FROM_A + M_TURN
    for c in range(0, 9, 3):
        for d in range(3):
            work[TRI_A + c + d] = floats[a + c + d]
            row = turn + 3 * d
            work[TRI_B + c + d] = (
                work[row] * floats[b + c] + work[row + 1] * floats[b + c + 1] + work[row + 2] * floats[b + c + 2]
            )


@kernel
def _record_into(work, s, side, touch):
    """Set NORMAL, POINT and STATUS for TRI_A and TRI_B in contact at s on `side`; moves TRI_B there."""
    row = AXES + AXIS_ROW * (side // 2)
    sign = 1.0 if side % 2 == 0 else -1.0
    for d in range(3):
        work[NORMAL + d] = sign * work[row + d]
        shift = work[FROM_A + M_D + d] + s * (work[FROM_A + M_V + d] + s * work[FROM_A + M_H + d])
        for c in range(0, 9, 3):
            work[TRI_B + c + d] += shift
    work[STATUS] = contact_status(work, s, side, touch)
    n_a = support_into(work, TRI_A, 3, 1.0, touch, POLYGON_A)
    n_b = support_into(work, TRI_B, 3, -1.0, touch, POLYGON_B)
    witness_into(work, n_a, n_b)


@kernel
def _supports(floats, ints, shape_a, shape_b, work, s):
    """Does the contact just found lie on the outside of those of the shapes that are solid?"""
    nx, ny, nz = work[NORMAL], work[NORMAL + 1], work[NORMAL + 2]
    level = nx * work[POINT] + ny * work[POINT + 1] + nz * work[POINT + 2]
    if ints[HEADER * shape_a + H_N_PLANES] > 0:
        slack = SUPPORT_SLACK * floats[ints[HEADER * shape_a + H_CENTRE] + 3]
        if highest(floats, ints, shape_a, nx, ny, nz) > level + slack:
            return False
    if ints[HEADER * shape_b + H_N_PLANES] > 0:
        slack = SUPPORT_SLACK * floats[ints[HEADER * shape_b + H_CENTRE] + 3]
        for d in range(3):
            shift = work[FROM_A + M_D + d] + s * (work[FROM_A + M_V + d] + s * work[FROM_A + M_H + d])
            level -= work[NORMAL + d] * shift
        turn = FROM_A + M_TURN
        ox = -(work[turn] * nx + work[turn + 3] * ny + work[turn + 6] * nz)
        oy = -(work[turn + 1] * nx + work[turn + 4] * ny + work[turn + 7] * nz)
        oz = -(work[turn + 2] * nx + work[turn + 5] * ny + work[turn + 8] * nz)
        if highest(floats, ints, shape_b, ox, oy, oz) > slack - level:
            return False
    return True


@kernel
def _search(floats, ints, shape_a, shape_b, work, straight, s_from, pad, touch, speed, from_outside):
    """First contact of a triangle of A with one of B; inf if none. Depth first, the earlier pair first.

    The larger of two nodes is opened, and its children are tested in the frame of the other. `from_outside` skips
    contacts after s_from that do not lie on the outside of a solid.
    """
    head_a, head_b = HEADER * shape_a, HEADER * shape_b
    nodes_a, nodes_b = ints[head_a + H_NODES], ints[head_b + H_NODES]
    links_a, links_b = ints[head_a + H_LINKS], ints[head_b + H_LINKS]
    best = inf
    size = push(work, 0, 0.0, 0.0, s_from)
    while size > 0:
        size -= 1
        row = STACK + STACK_ROW * size
        if work[row + 2] >= best:
            continue
        a, b = int(work[row]), int(work[row + 1])
        link_a, link_b = int(floats[links_a + a]), int(floats[links_b + b])
        if link_a < 0 and link_b < 0:
            work[TESTS] += 1.0
            _load_triangles(floats, ints[head_a + H_TRIS] + 9 * (-1 - link_a), ints[head_b + H_TRIS] + 9 * (-1 - link_b), work)
            s, axis_side = toi_triangle_triangle(work, s_from, best, pad, touch, speed)
            if s < best:
                _record_into(work, s, axis_side, touch)
                if s == s_from or not from_outside or _supports(floats, ints, shape_a, shape_b, work, s):
                    best = s
                    work[FEATURE_A] = floats[ints[head_a + H_FACES] - 1 - link_a]
                    work[FEATURE_B] = floats[ints[head_b + H_FACES] - 1 - link_b]
                    keep_contact(work)
                    if best == s_from:
                        break
            continue
        node_a, node_b = nodes_a + NODE_COLUMNS * a, nodes_b + NODE_COLUMNS * b
        open_a = link_b < 0 or (link_a >= 0 and floats[node_a + 15] >= floats[node_b + 15])
        if open_a:
            fix_box_into(floats, node_b, FROM_B, work)
        else:
            fix_box_into(floats, node_a, FROM_A, work)
        first, first_entry, second, second_entry = -1, inf, -1, inf
        for k in range(2):
            if open_a:
                child = link_a if k else a + 1
            else:
                child = link_b if k else b + 1
            at = (nodes_a if open_a else nodes_b) + NODE_COLUMNS * child
            entry = boxes_meet(floats, at, work, pad, straight, s_from, best)
            if entry < first_entry:
                second, second_entry = first, first_entry
                first, first_entry = child, entry
            else:
                second, second_entry = child, entry
        work[TESTS] += 2.0
        if second_entry < inf:
            size = push(work, size, second if open_a else a, b if open_a else second, second_entry)
        if first_entry < inf:
            size = push(work, size, first if open_a else a, b if open_a else first, first_entry)
    if size < 0:
        work[STATUS] = STACK_FULL
        return s_from
    if best < inf:
        recall_contact(work)
    return best


@kernel
def toi_surface_surface(floats, ints, shape_a, shape_b, work, straight, s_from, pad, touch, speed):
    """First contact from s_from on of two shapes with triangles, solid or not; inf if never."""
    solids = (ints[HEADER * shape_a + H_N_PLANES] > 0) + (ints[HEADER * shape_b + H_N_PLANES] > 0)
    work[DEEP] = 0.0
    pressed = inf
    s = inf
    for from_outside in range(2):
        s = _search(floats, ints, shape_a, shape_b, work, straight, s_from, pad, touch, speed, from_outside == 1)
        if from_outside == 1 or solids == 0 or (s == s_from and (solids == 1 or work[DEEP] == 0.0)):
            break
        inside = starts_inside(floats, ints, shape_a, shape_b, work, FROM_A, s_from, touch)
        inside = inside or starts_inside(floats, ints, shape_b, shape_a, work, FROM_B, s_from, touch)
        if work[DEEP] == 0.0 and not inside:
            break
        # They start in each other: the solids decide, and walls met from inside on the way out are no contacts.
        if solids == 2:
            pressed = press_solids(floats, ints, shape_a, shape_b, work, s_from, touch)
            if straight:
                return pressed
        elif inside:
            pressed = press_centres(floats, ints, shape_a, shape_b, work, s_from)
        if pressed == s_from:
            return pressed
    if pressed < s:
        return press_solids(floats, ints, shape_a, shape_b, work, s_from, touch)
    return s
