"""Fans: the triangles around one vertex, and a proof that they touch each other only where they are joined.

Neighbours cannot be told apart by boxes, for they touch at the vertex they share. But if, seen along some fixed direction
d, every triangle of the fan keeps its orientation over the whole interval and the fan goes round its vertex less than
once (or exactly once, closed), then seen along d the fan lies flat without overlap at all times: no two of its triangles meet
anywhere but at the vertex and the edges they share (the argument of Volino and Magnenat-Thalmann for patches, on the
smallest patch). Almost all fans of a cloth pass, at the cost of some dot products a triangle; pairs in the others are
tested feature by feature.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from carom._compile.jit import inline_kernel, inner_kernel, kernel, lean_kernel
from carom.deform.triangles.lanes.fans import face_one_way, mean_normal, put_normal
from carom.maths.vector import cross

OPEN, CLOSED, TANGLED = 0, 1, 2
"""Kinds of fans. Tangled: not one chain of consistently turned triangles; never proved."""


@dataclass(frozen=True, eq=False)
class Fans:
    """Triangles around each vertex in order. Fan v is rows first[v] .. first[v + 1] of `faces` and `rim`.

    Triangle k of a fan lies between rim[k] and the next rim vertex: rim[k + 1], after the last `ends[v]`. pairs (q, 2):
    neighbours; fan v has those in rows of `held` from first_pair[v] to first_pair[v + 1]; shared (q, 2) the vertices a pair
    shares, the second -1 where there is one, and 3 shared vertices count as 2.
    """

    kind: NDArray[np.uint8]
    first: NDArray[np.int64]
    faces: NDArray[np.int32]
    rim: NDArray[np.int32]
    ends: NDArray[np.int32]
    pairs: NDArray[np.int32]
    shared: NDArray[np.int32]
    first_pair: NDArray[np.int64]
    held: NDArray[np.int64]


@kernel
def _order_fans(faces, first, member, kind, rim, ends):
    """Sort the triangles of every fan (rows of `member`) so that each begins where the one before ends."""
    for v in range(len(first) - 1):
        begin, end = first[v], first[v + 1]
        n = end - begin
        ahead = np.empty(n, np.int32)
        behind = np.empty(n, np.int32)
        for k in range(n):
            f = member[begin + k]
            corner = 0
            while faces[f, corner] != v:
                corner += 1
            behind[k] = faces[f, (corner + 1) % 3]
            ahead[k] = faces[f, (corner + 2) % 3]
        start = -1
        tangled = False
        for k in range(n):
            before = 0
            same = 0
            for other in range(n):
                if ahead[other] == behind[k]:
                    before += 1
                if behind[other] == behind[k]:
                    same += 1
            if before > 1 or same > 1 or ahead[k] == behind[k] or ahead[k] == v or behind[k] == v:
                tangled = True
            if before == 0:
                if start >= 0:
                    tangled = True
                start = k
        kind[v] = OPEN if start >= 0 else CLOSED
        if start < 0:
            start = 0
        order = np.empty(n, np.int64)
        at = start
        placed = 0
        while not tangled and placed < n:
            order[placed] = at
            placed += 1
            follower = -1
            for other in range(n):
                if behind[other] == ahead[at]:
                    follower = other
            if follower < 0 or follower == start:
                break
            at = follower
        if tangled or placed < n or n == 0:
            kind[v] = TANGLED
            continue
        sorted_members = np.empty(n, np.int32)
        for k in range(n):
            sorted_members[k] = member[begin + order[k]]
            rim[begin + k] = behind[order[k]]
        for k in range(n):
            member[begin + k] = sorted_members[k]
        ends[v] = ahead[order[n - 1]]


def fans_of(faces: NDArray[np.int32], n_vertices: int, neighbours: NDArray[np.int32]) -> Fans:
    """The fans of a mesh and who shares which vertex. neighbours (q, 2): pairs of triangles that share a vertex."""
    corners = faces.ravel()
    once = np.ones(corners.size, bool)
    once[1::3] = faces[:, 1] != faces[:, 0]
    once[2::3] = (faces[:, 2] != faces[:, 0]) & (faces[:, 2] != faces[:, 1])
    places = np.flatnonzero(once)
    places = places[np.argsort(corners[places], kind="stable")]
    first = np.searchsorted(corners[places], np.arange(n_vertices + 1)).astype(np.int64)
    member = (places // 3).astype(np.int32)
    kind = np.zeros(n_vertices, np.uint8)
    rim = np.zeros(len(member), np.int32)
    ends = np.zeros(n_vertices, np.int32)
    _order_fans(faces, first, member, kind, rim, ends)
    a, b = faces[neighbours[:, 0]], faces[neighbours[:, 1]]
    common = (a[:, :, None] == b[:, None, :]).any(axis=2)
    shared = np.full((len(neighbours), 2), -1, np.int32)
    row, column = np.nonzero(common)
    rank = np.arange(len(row)) - np.searchsorted(row, row)
    kept = rank < 2
    shared[row[kept], rank[kept]] = a[row[kept], column[kept]]
    shared[shared[:, 0] == shared[:, 1], 1] = -1
    owner = shared.ravel()
    at = np.flatnonzero(owner >= 0)
    at = at[np.argsort(owner[at], kind="stable")]
    first_pair = np.searchsorted(owner[at], np.arange(n_vertices + 1)).astype(np.int64)
    return Fans(kind, first, member, rim, ends, neighbours, shared, first_pair, at // 2)


@lean_kernel
def moving_normals(faces, rows, start, end, normals):
    """Normals (m, 16) float32 of the triangles `rows` over the interval; start, end (n, 4) vertices, x, y, z and 0."""
    for k in range(len(rows)):
        f = rows[k]
        put_normal(start, end, faces[f, 0], faces[f, 1], faces[f, 2], normals, f)


@lean_kernel
def prove_fans(kind, first, faces, rim, ends, first_pair, start, finish, normals, directions, proved):
    """proved[v] = 1 where no two triangles around vertex v touch within the interval but at what they share.

    `proved` comes with what was proved for the interval that ends where this one begins, or 0; directions (v, 3) with those
    along which it was. One serves as long as it does.
    """
    for v in range(len(kind)):
        if first_pair[v] == first_pair[v + 1]:
            proved[v] = 1
            continue
        begin, n = first[v], first[v + 1] - first[v]
        before = proved[v] != 0
        d = directions[v]
        if before and kind[v] == CLOSED and face_one_way(normals, faces, begin, n, d[0], d[1], d[2]):
            continue
        d[0], d[1], d[2] = mean_normal(normals, faces, begin, n)
        clear = fan_is_clear(kind, first, faces, rim, ends, start, finish, normals, before, v, d[0], d[1], d[2])
        proved[v] = 1 if clear else 0


@inline_kernel
def fan_is_clear(kind, first, faces, rim, ends, start, finish, normals, before, v, dx, dy, dz):
    """Is it proved that no two triangles around vertex v touch within the interval but at what they share?

    The direction d is as mean_normal gives it. Every coefficient of n(t) . d must exceed its rounding. Then the rim turns
    one way round v as seen along d, each step by less than half a turn. A closed rim goes round a whole number of times, which
    cannot change while all steps stay positive: it is looked up at the start of the interval. Nor does it change from the
    direction of the interval before, if that was proved (`before`), to this one: at the key all steps are positive along both,
    and so along every direction between. An open rim may close on the way: there no later triangle may reach the first
    rim vertex at any time of the interval.
    """
    begin = first[v]
    n = first[v + 1] - begin
    if kind[v] == TANGLED:
        return False
    if not face_one_way(normals, faces, begin, n, dx, dy, dz):
        return False
    if n <= 2:
        return True
    if kind[v] == CLOSED:
        return before or _goes_round_once(v, begin, n, rim, ends[v], start, dx, dy, dz)
    return _stays_open(v, begin, n, rim, ends[v], start, finish, dx, dy, dz)


@inner_kernel
def _stays_open(v, begin, n, rim, end, start, finish, dx, dy, dz):
    """Does no triangle of an open fan after the first reach the direction g(t) of its first rim vertex in the interval?

    Triangle k lies between rim vertices k and k + 1. It is clear of g while rim vertex k is ahead of g, or k + 1 behind it, by
    less than half a turn: the side (g x rim) . d is quadratic in time, and all its Bernstein coefficients must agree.
    """
    p = rim[begin]
    gx, gy, gz = start[p, 0] - start[v, 0], start[p, 1] - start[v, 1], start[p, 2] - start[v, 2]
    ex, ey, ez = finish[p, 0] - finish[v, 0], finish[p, 1] - finish[v, 1], finish[p, 2] - finish[v, 2]
    # rim . (d x g) at both ends of g
    hx, hy, hz = cross(dx, dy, dz, gx, gy, gz)
    ix, iy, iz = cross(dx, dy, dz, ex, ey, ez)
    reach = max(max(abs(gx), abs(gy)), abs(gz)) * max(max(abs(dx), abs(dy)), abs(dz))
    reach = max(reach, max(max(abs(ex), abs(ey)), abs(ez)) * max(max(abs(dx), abs(dy)), abs(dz)))
    ahead = False
    for k in range(1, n + 1):
        p = rim[begin + k] if k < n else end
        low, slack = _side_of(p, v, start, hx, hy, hz, reach)
        top, other_slack = _side_of(p, v, finish, ix, iy, iz, reach)
        across, _ = _side_of(p, v, finish, hx, hy, hz, reach)
        back, _ = _side_of(p, v, start, ix, iy, iz, reach)
        mid = 0.5 * (across + back)
        slack = 2.0 * max(slack, other_slack)
        behind = low < -slack and mid < -slack and top < -slack
        if k > 1 and not (ahead or behind):
            return False
        ahead = low > slack and mid > slack and top > slack
    return True


@inner_kernel
def _goes_round_once(v, begin, n, rim, end, start, dx, dy, dz):
    """Does no triangle of a closed fan after the first reach the middle of the first one? Positions at the start."""
    x, y, z = start[v, 0], start[v, 1], start[v, 2]
    p, q = rim[begin], rim[begin + 1]
    gx, gy, gz = start[p, 0] - x, start[p, 1] - y, start[p, 2] - z
    gx, gy, gz = gx + (start[q, 0] - x), gy + (start[q, 1] - y), gz + (start[q, 2] - z)
    # y_k = (g x rim_k) . d = rim_k . (d x g): which side of g rim vertex k lies on, as seen along d.
    hx, hy, hz = cross(dx, dy, dz, gx, gy, gz)
    reach = max(max(abs(gx), abs(gy)), abs(gz)) * max(max(abs(dx), abs(dy)), abs(dz))
    p = rim[begin + 1]
    side, slack = _side_of(p, v, start, hx, hy, hz, reach)
    for k in range(1, n):
        p = rim[begin + k + 1] if k + 1 < n else end
        next_side, next_slack = _side_of(p, v, start, hx, hy, hz, reach)
        if not (side > slack or next_side < -next_slack):
            return False
        side = next_side
        slack = next_slack
    return True


@inner_kernel
def _side_of(p, v, places, hx, hy, hz, reach):
    """(rim vertex p . h, bound on its rounding): 8 roundings of terms below 2 reach times the rim vertex, 3 terms."""
    rx, ry, rz = places[p, 0] - places[v, 0], places[p, 1] - places[v, 1], places[p, 2] - places[v, 2]
    size = max(max(abs(rx), abs(ry)), abs(rz))
    return rx * hx + ry * hy + rz * hz, 48.0 * 2.0**-53 * reach * size


@lean_kernel
def unproved_pairs(proved, first_pair, held, pairs, shared, found):
    """Neighbours of which no shared vertex has a proved fan into `found` (q, 2), each once; returns their number."""
    n = 0
    for v in range(len(proved)):
        if proved[v]:
            continue
        for k in range(first_pair[v], first_pair[v + 1]):
            pair = held[k]
            other = shared[pair, 0] if shared[pair, 1] == v else shared[pair, 1]
            if other >= 0 and (proved[other] or other < v):
                continue
            found[n, 0] = pairs[pair, 0]
            found[n, 1] = pairs[pair, 1]
            n += 1
    return n
