"""Nearest points of two separate triangles, and the axis between them with the features that rotate it.

The triangles are TRI_A and TRI_B, with EDGES and NORMALS, of carom.narrow.toi.advancement.scratch.
"""

from __future__ import annotations

from math import inf, sqrt

from carom._compile.jit import inner_kernel
from carom.narrow.toi.advancement.scratch import EDGES, NEAREST, NEAREST_AXIS, NORMALS
from carom.narrow.toi.workspace import TRI_A, TRI_B
from carom.tolerances import PARALLEL_EDGES, TINY

# Separating axes by number: normal of A, normal of B, nine cross products of edges, in-plane normals of the edges of A and
# of B, and the axis between the nearest points.
N_SEPARATING = 11
INPLANE_A = 11
INPLANE_B = 14
BETWEEN = 17
TRIANGLE_N_AXES = 18

# What an axis turns with
FIXED_AXIS = 0
WITH_A = 1
WITH_B = 2
WITH_EDGES = 3


@inner_kernel
def _over_face(space, face, other, best):
    """The corner of triangle `other` (0: A, 1: B) nearest to the face of the other one, if within sqrt(best) and over it.

    Returns the square of its distance, or best. Sets NEAREST.
    """
    a, e, n = TRI_A + 9 * face, EDGES + 9 * face, NORMALS + 3 * face
    nx, ny, nz = space[n], space[n + 1], space[n + 2]
    square = nx * nx + ny * ny + nz * nz
    if square < TINY:
        return best
    # Of the edges from corner 0 the second runs backwards.
    ux, uy, uz = space[e], space[e + 1], space[e + 2]
    wx, wy, wz = -space[e + 6], -space[e + 7], -space[e + 8]
    for c in range(0, 9, 3):
        b = TRI_A + 9 * other + c
        px, py, pz = space[b] - space[a], space[b + 1] - space[a + 1], space[b + 2] - space[a + 2]
        height = px * nx + py * ny + pz * nz
        if height * height >= best * square:
            continue
        g = (uy * pz - uz * py) * nx + (uz * px - ux * pz) * ny + (ux * py - uy * px) * nz
        f = (py * wz - pz * wy) * nx + (pz * wx - px * wz) * ny + (px * wy - py * wx) * nz
        if g < 0.0 or f < 0.0 or g + f > square:
            continue
        best = height * height / square
        scale = height / square
        at, foot = NEAREST + 3 * other, NEAREST + 3 * face
        space[at], space[at + 1], space[at + 2] = space[b], space[b + 1], space[b + 2]
        space[foot] = space[b] - scale * nx
        space[foot + 1] = space[b + 1] - scale * ny
        space[foot + 2] = space[b + 2] - scale * nz
    return best


@inner_kernel
def nearest_into(space):
    """Set NEAREST; returns the distance and the number of the axis between the points. Meaningless if they intersect.

    Sets NEAREST_AXIS where a corner is nearest to an edge or a corner, so that the axis is BETWEEN.
    """
    best = _over_face(space, 0, 1, inf)
    axis = 0 if best < inf else -1
    closer = _over_face(space, 1, 0, best)
    if closer < best:
        best, axis = closer, 1
    turns = FIXED_AXIS
    for i in range(3):
        p, u = TRI_A + 3 * i, EDGES + 3 * i
        ux, uy, uz = space[u], space[u + 1], space[u + 2]
        uu = ux * ux + uy * uy + uz * uz
        per_uu = 1.0 / uu if uu > TINY else 0.0
        for j in range(3):
            q, w = TRI_B + 3 * j, EDGES + 9 + 3 * j
            wx, wy, wz = space[w], space[w + 1], space[w + 2]
            rx, ry, rz = space[p] - space[q], space[p + 1] - space[q + 1], space[p + 2] - space[q + 2]
            ww, uw = wx * wx + wy * wy + wz * wz, ux * wx + uy * wy + uz * wz
            ur, wr = ux * rx + uy * ry + uz * rz, wx * rx + wy * ry + wz * rz
            # Of the infinite lines, then clamped in turn (Ericson, Real-Time Collision Detection, 5.1.9).
            det = uu * ww - uw * uw
            f = (uw * wr - ur * ww) / det if det > PARALLEL_EDGES * PARALLEL_EDGES * uu * ww else 0.0
            f = min(max(f, 0.0), 1.0)
            g = (uw * f + wr) / ww if ww > TINY else 0.0
            g = min(max(g, 0.0), 1.0)
            f = min(max((uw * g - ur) * per_uu, 0.0), 1.0)
            x, y, z = rx + f * ux - g * wx, ry + f * uy - g * wy, rz + f * uz - g * wz
            square = x * x + y * y + z * z
            if square >= best:
                continue
            best = square
            on_a, on_b = 0.0 < f < 1.0, 0.0 < g < 1.0
            crossed = on_a and on_b and det > PARALLEL_EDGES * uu * ww
            axis = 2 + 3 * i + j if crossed else BETWEEN
            turns = FIXED_AXIS if on_a == on_b else (WITH_A if on_a else WITH_B)
            space[NEAREST] = space[p] + f * ux
            space[NEAREST + 1] = space[p + 1] + f * uy
            space[NEAREST + 2] = space[p + 2] + f * uz
            space[NEAREST + 3] = space[q] + g * wx
            space[NEAREST + 4] = space[q + 1] + g * wy
            space[NEAREST + 5] = space[q + 2] + g * wz
    for k in range(3):
        space[NEAREST_AXIS + k] = space[NEAREST + 3 + k] - space[NEAREST + k]
    space[NEAREST_AXIS + 3] = turns
    return sqrt(best), axis
