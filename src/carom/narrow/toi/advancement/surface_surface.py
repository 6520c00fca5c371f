"""First contact of two surfaces that move and rotate: conservative advancement over both trees of boxes together.

Every pair of boxes has a time of its own before which it cannot meet; its children are tested at the pose of that time.
"""

from __future__ import annotations

from math import inf, sqrt

from carom._compile.jit import inner_kernel, kernel
from carom.maths.ball import enter_ball_straight
from carom.maths.roots import enter_quadratic
from carom.maths.vector import length
from carom.narrow.toi import workspace as ws
from carom.narrow.toi.advancement import scratch as sc
from carom.narrow.toi.advancement.obb_bounds import boxes_apart, fix_turning_box
from carom.narrow.toi.advancement.scratch import pose_at, prepare_flight
from carom.narrow.toi.advancement.sphere_surface import search_ball, start_ball
from carom.narrow.toi.advancement.starts import press_turning_solids, turning_centres_close, turning_inside
from carom.narrow.toi.advancement.touching_triangles import SUPPORTED
from carom.narrow.toi.advancement.triangle_triangle import follow_triangles
from carom.narrow.toi.shape_table import (
    H_CENTRE,
    H_FACES,
    H_KIND,
    H_LINKS,
    H_N_PLANES,
    H_NODES,
    H_PARAM,
    H_TRIS,
    HEADER,
)
from carom.narrow.toi.status import NOT_YET, STACK_FULL
from carom.narrow.toi.workspace import keep_contact, push, recall_contact
from carom.shapes.kind import HALF_SPACE, SPHERE
from carom.tolerances import ADVANCE_ULPS, EPSILON, NEUTRAL_RATE, SPHERE_SLACK, TOUCH_DEPTH, TOUCH_ULPS
from carom.trees.obb.node import NODE_COLUMNS, NODE_RADIUS

START_TIES = 64
"""Pairs of triangles in contact at the start that are compared: one whose point comes closer, then one whose normal supports
both shapes as wholes, then one that shares most, such as a face, gives the normal."""

BEST_RANK = 8.0 + 4.0 + 3.0
"""Of a contact at the start that comes first in all three."""

SLICE = 0.5
"""Radians that both bodies turn in one slice of a search."""

PARTING_STEP = 1.0 / 64.0
"""Of the smaller body. Two surfaces that overlap at the start of a search, one of them a mesh, are looked at whenever they may
have moved so far, until they are found apart."""

MOST_PARTING_STEPS = 10_000
"""Looks after which surfaces count as overlapping until the search ends: a small body on a large one that turns fast."""

MOST_SLICES = 2000
"""Slices after which a search ends: 160 turns beside each other without a contact."""

MOST_WINDOWS = 8
"""A parabola enters a slab twice at most, and there are three."""


@inner_kernel
def _size_and_reach(floats, ints, shape):
    """Radius of a shape's bounding sphere, and of one about its origin; a half-space is inf and 0."""
    kind = ints[HEADER * shape + H_KIND]
    if kind == HALF_SPACE:
        return inf, 0.0
    if kind == SPHERE:
        radius = floats[ints[HEADER * shape + H_PARAM]]
        return radius, radius
    at = ints[HEADER * shape + H_CENTRE]
    off = sqrt(floats[at] ** 2 + floats[at + 1] ** 2 + floats[at + 2] ** 2)
    return floats[at + 3], floats[at + 3] + off


@inner_kernel
def prepare_search(floats, ints, shape_a, shape_b, space, s_from, t_from, gap):
    """Fill what a search needs besides the FLIGHT: turns, tolerances, counters. `gap`: relative to the smaller body."""
    prepare_flight(space)
    size_a, space[sc.REACH_A] = _size_and_reach(floats, ints, shape_a)
    size_b, space[sc.REACH_B] = _size_and_reach(floats, ints, shape_b)
    dd = vv = aa = 0.0
    for k in range(3):
        dd += space[sc.D + k] ** 2
        vv += (space[sc.V + k] + s_from * space[sc.ACC + k]) ** 2
        aa += space[sc.ACC + k] ** 2
    reach = space[sc.REACH_A] + space[sc.REACH_B]
    speed = sqrt(vv) + space[sc.RATE_A] * space[sc.REACH_A] + space[sc.RATE_B] * space[sc.REACH_B]
    size = min(size_a, size_b)
    space[sc.GAP] = max(gap * size, ADVANCE_ULPS * EPSILON * (reach + sqrt(dd) + s_from * sqrt(vv)))
    space[sc.LEVEL] = 0.5 * space[sc.GAP]
    space[sc.SINK] = space[sc.GAP] / 64.0
    space[ws.TOUCH] = max(TOUCH_DEPTH * size + TOUCH_ULPS * EPSILON * abs(t_from) * speed, 2.0 * space[sc.GAP])
    space[sc.NOISE] = NEUTRAL_RATE * (speed + sqrt(aa) * s_from)
    space[ws.TESTS] = space[sc.STEPS] = space[sc.TRIANGLE_TESTS] = space[ws.DEEP] = 0.0


@inner_kernel
def _next_meeting(space, s, reach):
    """First time from s on at which boxes about both origins, `reach` of half size together, overlap; inf if never.

    Each axis is entered at most twice, so the loop ends; it is cut where rounding might keep it going.
    """
    for _ in range(MOST_WINDOWS):
        begin = s
        for k in range(3):
            d, v, h = space[sc.D + k], space[sc.V + k], 0.5 * space[sc.ACC + k]
            sign = 1.0 if d + s * (v + s * h) > 0.0 else -1.0
            if sign * (d + s * (v + s * h)) > reach:
                s = enter_quadratic(sign * d - reach, sign * v, sign * h, s)
                if s == inf:
                    return inf
        if s == begin:
            break
    return s


@inner_kernel
def next_window(space, s, first):
    """The next times [begin, end] from s on at which the bodies may be near each other; begin is inf if never.

    On a straight path while spheres about both origins overlap, on a curved one while boxes do. Windows end a little
    outside of where they begin, so that the next one is not the same again. `first`: this is the first window.
    """
    reach = (space[sc.REACH_A] + space[sc.REACH_B]) * (1.0 + SPHERE_SLACK) + space[sc.GAP]
    wide = reach * (1.0 + SPHERE_SLACK)
    if space[sc.ACC] == 0.0 and space[sc.ACC + 1] == 0.0 and space[sc.ACC + 2] == 0.0:
        x, y, z, vx, vy, vz = (
            space[sc.D],
            space[sc.D + 1],
            space[sc.D + 2],
            space[sc.V],
            space[sc.V + 1],
            space[sc.V + 2],
        )
        begin = s
        if (x + s * vx) ** 2 + (y + s * vy) ** 2 + (z + s * vz) ** 2 > reach * reach:
            begin = enter_ball_straight(x, y, z, vx, vy, vz, reach, s) if first else inf
        if begin == inf:
            return inf, inf
        # The end as seen from the beginning: the squares of a long way there would lose it.
        x, y, z = x + begin * vx, y + begin * vy, z + begin * vz
        rate, vv = 2.0 * (x * vx + y * vy + z * vz), vx * vx + vy * vy + vz * vz
        return begin, begin + enter_quadratic(wide * wide - (x * x + y * y + z * z), -rate, -vv, 0.0)
    begin, end = _next_meeting(space, s, reach), inf
    if begin < inf:
        for k in range(3):
            d, v, h = space[sc.D + k], space[sc.V + k], 0.5 * space[sc.ACC + k]
            # Beyond either end of the axis.
            end = min(end, enter_quadratic(wide - d, -v, -h, begin), enter_quadratic(wide + d, v, h, begin))
    return begin, end


@inner_kernel
def search_turning(floats, ints, shape_a, shape_b, space, s_from, until):
    """First contact in [s_from, until) of a triangle of A with one of B; inf if none. Depth first, the earlier pair first.

    The larger of two nodes is opened and its children are tested against the other. Stops with DEEP set where triangles
    overlap by more than a touch at s_from. STATUS NOT_YET: undecided from the returned time on.
    """
    head_a, head_b = HEADER * shape_a, HEADER * shape_b
    nodes_a, nodes_b = ints[head_a + H_NODES], ints[head_b + H_NODES]
    links_a, links_b = ints[head_a + H_LINKS], ints[head_b + H_LINKS]
    best, later, rank, spare = until, inf, 0.0, START_TIES
    space[ws.STACK] = space[ws.STACK + 1] = 0.0
    space[ws.STACK + 2] = s_from
    size = 1
    while size > 0:
        size -= 1
        row = ws.STACK + ws.STACK_ROW * size
        s = space[row + 2]
        # Contacts at the start are compared, later ones have a widest gap that gives their normal.
        if s >= best and s > s_from:
            continue
        a, b = int(space[row]), int(space[row + 1])
        link_a, link_b = int(floats[links_a + a]), int(floats[links_b + b])
        if link_a < 0 and link_b < 0:
            tri_a, tri_b = ints[head_a + H_TRIS] + 9 * (-1 - link_a), ints[head_b + H_TRIS] + 9 * (-1 - link_b)
            limit = best if best > s_from else s_from + EPSILON * (1.0 + abs(s_from))
            s = follow_triangles(floats, ints, shape_a, shape_b, tri_a, tri_b, space, s, s_from, limit)
            if s >= limit:
                later = until
                continue
            quality = min(space[ws.N_CORNERS], space[ws.N_CORNERS + 1]) + (4.0 if space[sc.SCORE] >= SUPPORTED else 0.0)
            quality += 8.0 * space[sc.CLOSES]
            if s < best or quality > rank:
                best, rank = s, quality
                space[ws.FEATURE_A] = floats[ints[head_a + H_FACES] - 1 - link_a]
                space[ws.FEATURE_B] = floats[ints[head_b + H_FACES] - 1 - link_b]
                keep_contact(space)
            if s == s_from:
                spare -= 1
                if rank >= BEST_RANK or spare == 0 or space[ws.DEEP] == 1.0:
                    break
            continue
        node_a, node_b = nodes_a + NODE_COLUMNS * a, nodes_b + NODE_COLUMNS * b
        open_a = link_b < 0 or (link_a >= 0 and floats[node_a + NODE_RADIUS] >= floats[node_b + NODE_RADIUS])
        pose_at(space, s)
        fix_turning_box(floats, node_b if open_a else node_a, open_a, space)
        nodes = nodes_a if open_a else nodes_b
        left = (a if open_a else b) + 1
        right = link_a if open_a else link_b
        left_entry = s + boxes_apart(floats, nodes + NODE_COLUMNS * left, space, best - s)
        right_entry = s + boxes_apart(floats, nodes + NODE_COLUMNS * right, space, best - s)
        space[ws.TESTS] += 2.0
        if left_entry > right_entry:
            left, right = right, left
            left_entry, right_entry = right_entry, left_entry
        if right_entry >= best:
            later = min(later, left_entry if left_entry >= best else right_entry)
        if right_entry < best or right_entry == s_from:
            size = push(space, size, right if open_a else a, b if open_a else right, right_entry)
        if left_entry < best or left_entry == s_from:
            size = push(space, size, left if open_a else a, b if open_a else left, left_entry)
    if size < 0:
        space[ws.STATUS] = STACK_FULL
        return s_from
    space[sc.LATER] = max(later, until)
    if rank == 0.0:
        return inf
    recall_contact(space)
    return best


@kernel
def _parted(floats, ints, shape_a, shape_b, space, s, until):
    """A time after s, at most `until`, at which surfaces that overlap at s are apart. They are looked at in short steps."""
    way = PARTING_STEP * min(space[sc.REACH_A], space[sc.REACH_B])
    turning = space[sc.RATE_A] * space[sc.REACH_A] + space[sc.RATE_B] * space[sc.REACH_B]
    pull = length(space[sc.ACC], space[sc.ACC + 1], space[sc.ACC + 2])
    for _ in range(MOST_PARTING_STEPS):
        pose_at(space, s)
        speed = length(space[sc.NOW_V], space[sc.NOW_V + 1], space[sc.NOW_V + 2]) + turning
        if speed == 0.0 and pull == 0.0:
            break
        s += 2.0 * way / (speed + sqrt(speed * speed + 2.0 * pull * way))
        if s >= until:
            break
        pose_at(space, s)
        if turning_inside(floats, ints, shape_a, shape_b, space):
            continue
        search_turning(floats, ints, shape_a, shape_b, space, s, s)
        deep, space[ws.DEEP] = space[ws.DEEP], 0.0
        if deep == 0.0:
            return s
    return until


@inner_kernel
def toi_turning_surfaces(floats, ints, shape_a, shape_b, space, s_from, until):
    """First contact in [s_from, until] of a ball or surface A with surface B; inf if never.

    Searched in slices of time, each from the roots of the trees: a pair of triangles is followed within a slice only, or
    bodies that turn beside each other for long would have all their triangles followed for all that time. STATUS NOT_YET
    at the returned time: no contact before it, and the search ended there.
    """
    ball = ints[HEADER * shape_a + H_KIND] == SPHERE
    solids = ints[HEADER * shape_a + H_N_PLANES] > 0 and ints[HEADER * shape_b + H_N_PLANES] > 0
    rates = space[sc.RATE_A] + space[sc.RATE_B]
    longest = SLICE / rates if rates > 0.0 else inf
    s, end, first, start, deep = s_from, -inf, True, True, False
    for _ in range(MOST_SLICES):
        if s >= end:
            s, end = next_window(space, s, first)
            first = False
        if s >= until or s == inf:
            break
        begin, close = start and s == s_from, min(end, until)
        start = False
        if ball:
            if begin:
                found, s, deep = start_ball(floats, ints, shape_b, space, s, close)
                if found < inf:
                    return found
            found = search_ball(floats, ints, shape_b, space, s, min(close, s + longest), deep)
        else:
            pose_at(space, s)
            inside, found = begin and turning_inside(floats, ints, shape_a, shape_b, space), inf
            if not inside:
                found = search_turning(floats, ints, shape_a, shape_b, space, s, min(close, s + longest))
                inside = begin and space[ws.DEEP] == 1.0
            space[ws.DEEP] = 0.0
            if inside and solids:
                found, s = press_turning_solids(floats, ints, shape_a, shape_b, space, s, close)
                if found == inf:
                    continue
            elif inside:
                # A mesh decides as a whole: its triangles may press in opposite directions. If it parts, it is searched
                # again when the bodies have parted.
                pose_at(space, s)
                if turning_centres_close(floats, ints, shape_a, shape_b, space):
                    return s
                s = _parted(floats, ints, shape_a, shape_b, space, s, close)
                continue
        if found < inf:
            return found
        s = min(close, space[sc.LATER])
    if s == inf:
        return inf
    space[ws.STATUS] = NOT_YET
    return min(s, until)
