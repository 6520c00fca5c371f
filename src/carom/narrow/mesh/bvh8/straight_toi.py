"""First contacts of two meshes without spin, over eight-wide trees: eight boxes at once in single precision.

The boxes only decide which triangles are looked at; those are tested as in carom.narrow.toi.straight.surface_pair, in
double precision. Flights that begin in touch, or on curved paths, are left to the general search.
"""

from __future__ import annotations

from math import inf, sqrt

import numpy as np

from carom._compile.jit import inline_kernel, inner_kernel, kernel
from carom._compile.lanes import lowest_place
from carom.maths.vector import cross, rotated, rotated_back
from carom.narrow.mesh.bvh8.boxes import POSE, eight_windows
from carom.narrow.mesh.bvh8.tree_pair import WIDE_POSES, WIDE_WORK, place_wide_into, push_in_order, radius_of
from carom.narrow.toi.shape_table import H_TRIS, HEADER
from carom.narrow.toi.straight.surface_pair import meet_leaves
from carom.narrow.toi.translating import prepare_pair, tell_contact, toi_general
from carom.narrow.toi.workspace import DEEP, FROM_A, M_D, M_TURN, M_V, TESTS, WORK_SIZE, recall_contact
from carom.tables.body_columns import KIND, SHAPE
from carom.tolerances import POSE_SLACK, WIDE_SLACK
from carom.trees.obb.bvh8 import NODE_FLOATS, WIDTH

_STACK = 1024
"""Pairs that wait: trees that halve are at most 64 deep each, and a step adds seven every three levels."""


@inner_kernel
def _path_window(tree_a, tree_b, work, speed, until):
    """Stretch [begin, end] of the path, m, on which the spheres around both trees overlap; end < begin without one.

    work holds the motion in the frame of a: offset and velocity of b's origin.
    """
    turn, d, v = FROM_A + M_TURN, FROM_A + M_D, FROM_A + M_V
    o = tree_b.origin
    dd = dv = 0.0
    for r in range(3):
        centre = tree_b.lanes[0] * work[turn + 3 * r] + tree_b.lanes[WIDTH] * work[turn + 3 * r + 1]
        centre += tree_b.lanes[2 * WIDTH] * work[turn + 3 * r + 2]
        origin = work[turn + 3 * r] * o[0] + work[turn + 3 * r + 1] * o[1] + work[turn + 3 * r + 2] * o[2]
        apart = work[d + r] + origin + centre - tree_a.origin[r] - tree_a.lanes[r * WIDTH]
        dd += apart * apart
        dv += apart * work[v + r] / speed
    reach = (radius_of(tree_a, 0) + radius_of(tree_b, 0)) * (1.0 + 1e-5)
    square = reach * reach - (dd - dv * dv)
    if square <= 0.0:
        return 0.0, -1.0
    half = sqrt(square) * (1.0 + 1e-9)
    return max(-dv - half, 0.0), min(-dv + half, until * speed)


@inline_kernel
def _push_met(tree_a, tree_b, a, b, node, opens_a, rates, slack, cut, pose_work, bounds, stack, keys, size):
    """Push the boxes of `node`, of a where `opens_a` and else of b, that may meet box b or a before `cut`; first on top."""
    fixed = b if opens_a else a
    fixed_at = fixed // WIDTH * NODE_FLOATS + fixed % WIDTH
    here, there = tree_a.lanes.ctypes.data, tree_b.lanes.ctypes.data
    fill = tree_a.fills[node] if opens_a else tree_b.fills[node]
    mask = eight_windows(
        (there if opens_a else here) + 4 * fixed_at,
        pose_work.ctypes.data + 8 * (WIDE_POSES + POSE if opens_a else WIDE_POSES),
        rates.ctypes.data + (24 if opens_a else 0),
        slack,
        cut,
        (here if opens_a else there) + 4 * NODE_FLOATS * node,
        bounds.ctypes.data,
    )
    mask &= (1 << fill) - 1
    base = size
    while mask != 0:
        lane = lowest_place(mask)
        mask &= mask - 1
        key = float(bounds[lane])
        code = node * WIDTH + lane
        size = push_in_order(stack, keys, base, size, key, code if opens_a else a, b if opens_a else code)
    return size


@inner_kernel
def _passes(low, high, level, nu, nv, rate, slack, cut):
    """Does [low, high], moving at `rate`, come within `slack` of a triangle on a path of length `cut`?

    The triangle has its corners at level, level + nu and level + nv. Without area its normal is any direction, along which the
    three differ.
    """
    bottom, top = level + min(0.0, nu, nv), level + max(0.0, nu, nv)
    if low - top > slack:
        return rate < 0.0 and low - top + rate * cut <= slack
    if bottom - high > slack:
        return rate > 0.0 and bottom - high - rate * cut <= slack
    return True


@inline_kernel
def _edges(floats, at):
    """Two edges of the triangle at `at`, and their cross product."""
    ux, uy, uz = floats[at + 3] - floats[at], floats[at + 4] - floats[at + 1], floats[at + 5] - floats[at + 2]
    vx, vy, vz = floats[at + 6] - floats[at], floats[at + 7] - floats[at + 1], floats[at + 8] - floats[at + 2]
    return ux, uy, uz, vx, vy, vz, *cross(ux, uy, uz, vx, vy, vz)


@inline_kernel
def _extent(floats, at, x, y, z):
    """Least and largest level of the triangle at `at` along (x, y, z)."""
    p = floats[at] * x + floats[at + 1] * y + floats[at + 2] * z
    q = floats[at + 3] * x + floats[at + 4] * y + floats[at + 5] * z
    r = floats[at + 6] * x + floats[at + 7] * y + floats[at + 8] * z
    return min(p, q, r), max(p, q, r)


@inner_kernel
def _planes_pass(floats, a, b, rot, shift, rates, slack, cut):
    """May the triangles at `a` and `b` meet, as far as the planes of either can tell? A cheap look before the exact test."""
    ux, uy, uz, vx, vy, vz, nx, ny, nz = _edges(floats, a)
    low, high = _extent(floats, b, *rotated_back(rot, 0, nx, ny, nz))
    level = nx * (floats[a] - shift[0]) + ny * (floats[a + 1] - shift[1]) + nz * (floats[a + 2] - shift[2])
    wide = slack * (abs(nx) + abs(ny) + abs(nz))
    rate = nx * rates[0] + ny * rates[1] + nz * rates[2]
    nu, nv = nx * ux + ny * uy + nz * uz, nx * vx + ny * vy + nz * vz
    if not _passes(low, high, level, nu, nv, rate, wide, cut):
        return False
    ux, uy, uz, vx, vy, vz, mx, my, mz = _edges(floats, b)
    nx, ny, nz = rotated(rot, 0, mx, my, mz)
    low, high = _extent(floats, a, nx, ny, nz)
    level = mx * floats[b] + my * floats[b + 1] + mz * floats[b + 2] + nx * shift[0] + ny * shift[1] + nz * shift[2]
    wide = slack * (abs(nx) + abs(ny) + abs(nz))
    rate = nx * rates[0] + ny * rates[1] + nz * rates[2]
    nu, nv = mx * ux + my * uy + mz * uz, mx * vx + my * vy + mz * vz
    return _passes(low, high, level, nu, nv, -rate, wide, cut)


@inner_kernel
def _search(
    tree_a, tree_b, floats, ints, shape_a, shape_b, work, speed, begin, end, pose_work, rates, bounds, stack, keys
):
    """First contact of two triangles on the path from `begin` to `end`, m: seconds, inf if none, -1.0 to ask toi_general."""
    rot, shift = work[FROM_A + M_TURN : FROM_A + M_TURN + 9], pose_work[WIDE_WORK : WIDE_WORK + 3]
    for r in range(3):
        rates[r] = work[FROM_A + M_V + r] / speed
        shift[r] = work[FROM_A + M_D + r] + begin * rates[r]
    for r in range(3):
        rates[3 + r] = -(rot[r] * rates[0] + rot[3 + r] * rates[1] + rot[6 + r] * rates[2])
    if not place_wide_into(tree_a, tree_b, rot, shift, pose_work):
        return -1.0
    reach = end - begin + radius_of(tree_a, 0) + radius_of(tree_b, 0)
    for r in range(3):
        reach += abs(shift[r]) + abs(tree_a.origin[r]) + abs(tree_b.origin[r])
    slack = (WIDE_SLACK + POSE_SLACK) * reach
    best, closing, margin, limit = inf, 0.0, 0.0, inf
    cut = end - begin
    tris_a, tris_b = ints[HEADER * shape_a + H_TRIS], ints[HEADER * shape_b + H_TRIS]
    stack[0, 0], stack[0, 1], keys[0] = 0, 0, 0.0
    size = 1
    while size > 0:
        size -= 1
        if keys[size] > cut:
            continue
        a, b = stack[size, 0], stack[size, 1]
        node_a, node_b = np.int64(tree_a.children[a]), np.int64(tree_b.children[b])
        if node_a < 0 and node_b < 0:
            i, j = -1 - node_a, -1 - node_b
            work[TESTS] += 1.0
            if not _planes_pass(floats, tris_a + 9 * i, tris_b + 9 * j, rot, shift, rates, slack, cut):
                continue
            best, closing, margin, limit = meet_leaves(
                floats, ints, shape_a, shape_b, work, 0, True, 0.0, i, j, best, closing, margin, limit
            )
            if best == 0.0 or work[DEEP] != 0.0:
                return -1.0
            if limit < inf:
                cut = min(cut, (limit * speed - begin) * (1.0 + 1e-6) + slack)
            continue
        if size + WIDTH > len(stack):
            return -1.0
        work[TESTS] += WIDTH
        opens_a = node_b < 0 or (node_a >= 0 and radius_of(tree_a, a) >= radius_of(tree_b, b))
        node = node_a if opens_a else node_b
        size = _push_met(tree_a, tree_b, a, b, node, opens_a, rates, slack, cut, pose_work, bounds, stack, keys, size)
    if best < inf:
        recall_contact(work)
    return best


@kernel
def wide_contacts_into(tree_a, tree_b, body, quat, link, floats, ints, untils, times, out):
    """toi_general for every pair of rows 2k, 2k + 1 of body and quat, of two meshes, up to untils (n,) seconds."""
    work, pose_work, rates = np.empty(WORK_SIZE), np.empty(WIDE_WORK + 3), np.empty(6)
    bounds = np.empty(WIDTH, np.float32)
    stack, keys = np.empty((_STACK, 2), np.int64), np.empty(_STACK)
    kind_a, kind_b = link[0, KIND], link[1, KIND]
    shape_a, shape_b = np.int64(link[0, SHAPE]), np.int64(link[1, SHAPE])
    for k in range(times.shape[0]):
        rows, turns = body[2 * k : 2 * k + 2], quat[2 * k : 2 * k + 2]
        s = -1.0
        if prepare_pair(rows, turns, floats, ints, 0, 1, kind_a, kind_b, shape_a, shape_b, 0.0, 0.0, 0.0, work):
            v = FROM_A + M_V
            speed = sqrt(work[v] ** 2 + work[v + 1] ** 2 + work[v + 2] ** 2)
            if speed > 0.0:
                begin, end = _path_window(tree_a, tree_b, work, speed, untils[k])
                work[DEEP] = 0.0
                s = inf
                if begin <= end:
                    s = _search(
                        tree_a, tree_b, floats, ints, shape_a, shape_b, work, speed, begin, end, pose_work, rates, bounds,
                        stack, keys,
                    )  # fmt: skip
        if s < 0.0:
            times[k] = toi_general(rows, turns, link, floats, ints, 0, 1, 0.0, out[k])
        else:
            times[k] = tell_contact(rows, 0, 0, 1, kind_a, kind_b, s, 0.0, 0.0, 0.0, work, out[k])
