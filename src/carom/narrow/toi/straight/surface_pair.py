"""First contact of two triangulated shapes (boxes, convex solids, meshes): a search of both trees together.

Eckstein and Schoemer's dynamic OBB-tree test, with the exact time windows of every pair of boxes and triangles.
"""

from __future__ import annotations

from math import inf

from carom._compile.jit import inner_kernel, kernel
from carom.narrow.toi import workspace as ws
from carom.narrow.toi.contact_witness import supports_into, witness_into
from carom.narrow.toi.interior.inside import centres_close, press_solids, starts_inside
from carom.narrow.toi.interior.solids import highest
from carom.narrow.toi.shape_table import (
    H_CENTRE,
    H_FACES,
    H_LINKS,
    H_N_PLANES,
    H_NODES,
    H_TRIS,
    HEADER,
)
from carom.narrow.toi.status import EXACT, STACK_FULL
from carom.narrow.toi.straight.moving_axes import face_contact, meet_again, next_side, speed_at
from carom.narrow.toi.straight.obb_axes import boxes_meet, fix_box_into
from carom.narrow.toi.straight.surface_parting import surfaces_part
from carom.narrow.toi.straight.triangle_pair import load_triangles, toi_triangle_triangle
from carom.narrow.toi.workspace import keep_contact, pad_at, push, recall_contact
from carom.tables.body_columns import NO_ID
from carom.tolerances import SUPPORT_SLACK
from carom.trees.obb.node import NODE_COLUMNS, NODE_RADIUS


@inner_kernel
def _witness_into(work, s):
    """Set POINT for TRI_A and TRI_B in contact at s along NORMAL; moves TRI_B there."""
    for d in range(3):
        shift = work[ws.FROM_A + ws.M_D + d] + s * (work[ws.FROM_A + ws.M_V + d] + s * work[ws.FROM_A + ws.M_H + d])
        for c in range(0, 9, 3):
            work[ws.TRI_B + c + d] += shift
    supports_into(work)
    witness_into(work)


@inner_kernel
def _supports(floats, ints, shape_a, shape_b, work):
    """Is NORMAL a direction in which no corner of a solid lies beyond the corners of its triangle, TRI_A or TRI_B?"""
    for which in range(2):
        solid = shape_b if which else shape_a
        if ints[HEADER * solid + H_N_PLANES] == 0:
            continue
        tri = ws.TRI_A + 9 * which
        sign = 1.0 - 2.0 * which
        x, y, z = sign * work[ws.NORMAL], sign * work[ws.NORMAL + 1], sign * work[ws.NORMAL + 2]
        level = -inf
        for c in range(0, 9, 3):
            level = max(level, work[tri + c] * x + work[tri + c + 1] * y + work[tri + c + 2] * z)
        if which:
            turn = ws.FROM_A + ws.M_TURN
            x, y, z = (
                work[turn] * x + work[turn + 3] * y + work[turn + 6] * z,
                work[turn + 1] * x + work[turn + 4] * y + work[turn + 7] * z,
                work[turn + 2] * x + work[turn + 5] * y + work[turn + 8] * z,
            )
        if highest(floats, ints, solid, x, y, z) > level + SUPPORT_SLACK * floats[ints[HEADER * solid + H_CENTRE] + 3]:
            return False
    return True


@inner_kernel
def _face_solids(floats, ints, shape_a, shape_b, work, s, slack):
    """face_contact with a normal that supports those shapes that are solid; -1 where no touching side has one.

    The triangles of a solid also touch along directions that lead into it: walls met from inside, edges between the
    triangles of one side. Sides within `slack` touch.
    """
    closing = face_contact(work, s)
    order = inf
    while not _supports(floats, ints, shape_a, shape_b, work):
        order = next_side(work, s, slack, order)
        if order < 0.0:
            return -1.0
        closing = face_contact(work, s)
    return closing


@inner_kernel
def meet_leaves(
    floats, ints, shape_a, shape_b, work, solids, straight, s_from, i, j, best, best_closing, margin, limit
):
    """Test triangles i and j of the leaves; (best, best_closing, margin, limit) with what they change.

    Several triangles often touch at once: among those, to within the padding, the pair that closes fastest gives the normal.
    """
    head_a, head_b = HEADER * shape_a, HEADER * shape_b
    work[ws.TESTS] += 1.0
    load_triangles(floats, ints[head_a + H_TRIS] + 9 * i, ints[head_b + H_TRIS] + 9 * j, work)
    s = toi_triangle_triangle(work, s_from, limit)
    if s == inf:
        return best, best_closing, margin, limit
    if solids == 0 or (s == s_from and solids == 1 and work[ws.DEEP] == 1.0):
        closing = face_contact(work, s)
    else:
        closing = -1.0
        while closing < 0.0 and s < inf:
            slack = work[ws.TOUCH] if s == s_from else pad_at(work, s)
            closing = _face_solids(floats, ints, shape_a, shape_b, work, s, slack)
            if closing < 0.0:
                s = inf if straight else meet_again(work, s, limit)
        if s == inf:
            return best, best_closing, margin, limit
    tied = s >= best - margin
    best = min(best, s)
    if tied and closing <= best_closing:
        return best, best_closing, margin, limit
    speed = speed_at(work, s)
    margin = pad_at(work, s) / speed if speed > 0.0 else 0.0
    _witness_into(work, s)
    work[ws.FEATURE_A] = floats[ints[head_a + H_FACES] + i]
    work[ws.FEATURE_B] = floats[ints[head_b + H_FACES] + j]
    keep_contact(work)
    return best, closing, margin, best + margin


@kernel
def _search(floats, ints, shape_a, shape_b, work, solids, straight, s_from):
    """First contact of a triangle of A with one of B; inf if none. Depth first, the earlier pair first.

    The larger of two nodes is opened, and its children are tested in the frame of the other. `solids`: how many of the
    shapes are solid.
    """
    head_a, head_b = HEADER * shape_a, HEADER * shape_b
    nodes_a, nodes_b = ints[head_a + H_NODES], ints[head_b + H_NODES]
    links_a, links_b = ints[head_a + H_LINKS], ints[head_b + H_LINKS]
    best, best_closing, margin, limit = inf, 0.0, 0.0, inf
    work[ws.STACK] = work[ws.STACK + 1] = 0.0
    work[ws.STACK + 2] = s_from
    size = 1
    while size > 0:
        size -= 1
        row = ws.STACK + ws.STACK_ROW * size
        if work[row + 2] > limit:
            continue
        a, b = int(work[row]), int(work[row + 1])
        link_a, link_b = int(floats[links_a + a]), int(floats[links_b + b])
        if link_a < 0 and link_b < 0:
            best, best_closing, margin, limit = meet_leaves(
                floats, ints, shape_a, shape_b, work, solids, straight, s_from, -1 - link_a, -1 - link_b, best, best_closing,
                margin, limit,
            )  # fmt: skip
            if best == s_from and work[ws.STATUS] != EXACT:
                break
            continue
        node_a, node_b = nodes_a + NODE_COLUMNS * a, nodes_b + NODE_COLUMNS * b
        open_a = link_b < 0 or (link_a >= 0 and floats[node_a + NODE_RADIUS] >= floats[node_b + NODE_RADIUS])
        fix_box_into(floats, node_b if open_a else node_a, ws.FROM_B if open_a else ws.FROM_A, work)
        first, first_entry, second, second_entry = -1, inf, -1, inf
        for k in range(2):
            child = (link_a if k else a + 1) if open_a else (link_b if k else b + 1)
            at = (nodes_a if open_a else nodes_b) + NODE_COLUMNS * child
            entry = boxes_meet(floats, at, work, straight, s_from, limit)
            if entry < first_entry:
                second, second_entry = first, first_entry
                first, first_entry = child, entry
            else:
                second, second_entry = child, entry
        work[ws.TESTS] += 2.0
        if second_entry < inf:
            size = push(work, size, second if open_a else a, b if open_a else second, second_entry)
        if first_entry < inf:
            size = push(work, size, first if open_a else a, b if open_a else first, first_entry)
    if size < 0:
        work[ws.STATUS] = STACK_FULL
        return s_from
    if best < inf:
        recall_contact(work)
    return best


@inner_kernel
def toi_surface_surface(floats, ints, shape_a, shape_b, work, straight, s_from):
    """First contact from s_from on of two shapes with triangles, solid or not; inf if never."""
    solids = (ints[HEADER * shape_a + H_N_PLANES] > 0) + (ints[HEADER * shape_b + H_N_PLANES] > 0)
    begin = s_from
    for attempt in range(2):
        work[ws.DEEP] = 0.0
        s = _search(floats, ints, shape_a, shape_b, work, solids, straight, begin)
        if attempt == 1 or (s == begin and work[ws.DEEP] == 0.0):
            return s
        inside = False
        for solid, other, motion in ((shape_a, shape_b, ws.FROM_A), (shape_b, shape_a, ws.FROM_B)):
            inside = inside or starts_inside(floats, ints, solid, other, work, motion, s_from)
        if work[ws.DEEP] == 0.0 and not inside:
            return s
        if solids < 2:
            # A mesh that starts in something decides by the line of centres, as a whole: its triangles may press in
            # opposite directions, and obeying each in turn would never end.
            if centres_close(floats, ints, shape_a, shape_b, work, s_from):
                if s != begin:
                    work[ws.FEATURE_A] = work[ws.FEATURE_B] = NO_ID
                return s_from
            if work[ws.DEEP] == 0.0:
                return s
            begin = surfaces_part(floats, ints, shape_a, shape_b, work, straight, s_from)
            if begin == inf:
                return inf
            continue
        # Two solids that start in each other decide as wholes. A straight path that leads out never comes back; on a
        # curved one the search goes on from where they are apart.
        pressed, begin = press_solids(floats, ints, shape_a, shape_b, work, straight, s_from)
        if pressed < inf or begin == inf:
            return pressed
    return inf
