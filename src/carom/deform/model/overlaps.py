"""Pairs of triangles that intersect at one instant, and their contact points."""

from __future__ import annotations

from math import frexp, inf, ldexp

import numpy as np
from numpy.typing import NDArray

from carom._compile.jit import compiling, inner_kernel, kernel
from carom.narrow.features.triangles_meet import VOLUME, surely_meet, triangles_meet
from carom.narrow.mesh.triangle_overlap import CONTACT_SPACE, contact_point_into, penetration_into, triangles_overlap

_SMALL, _LARGE = 1e-30, 1e30
"""Metres. Tests of triangles multiply up to eight lengths, which stay far from the ends of what doubles hold between these."""

APART, MEET, UNSURE = range(3)
"""What is known of two triangles; of those that are unsure `decide_overlaps` tells."""

_BEYOND = 1026
"""The unit where the difference of two doubles overflows."""


@inner_kernel
def corners_into(faces, vertices, one, two, a, b):
    """Corners of two triangles, nine numbers each; returns 0.

    Where products of their sides might underflow or overflow, corners come relative to the first one instead, in units of 2^k
    m, and k is returned.
    """
    first = vertices[faces[one, 0]]
    size = 0.0
    for corner in range(3):
        for d in range(3):
            a[3 * corner + d] = vertices[faces[one, corner], d]
            b[3 * corner + d] = vertices[faces[two, corner], d]
            size = max(size, max(abs(a[3 * corner + d] - first[d]), abs(b[3 * corner + d] - first[d])))
    if _SMALL < size < _LARGE or size == 0.0:
        return 0
    unit = frexp(size)[1] if size < inf else _BEYOND
    for k in range(9):
        x = first[k % 3]
        if unit < 0:
            a[k], b[k] = ldexp(a[k] - x, -unit), ldexp(b[k] - x, -unit)
        else:  # differences might overflow
            x = ldexp(x, -unit)
            a[k], b[k] = ldexp(a[k], -unit) - x, ldexp(b[k], -unit) - x
    return unit


@inner_kernel
def overlap_of(faces, vertices, one, two, a, b):
    """Are two triangles APART, do they MEET, or is that UNSURE? a, b (9,) are overwritten."""
    corners_into(faces, vertices, one, two, a, b)
    if not triangles_overlap(a, b, 0.0):
        return APART
    return MEET if surely_meet(a, b, VOLUME) else UNSURE


@kernel
def _overlaps_into(faces, vertices, pairs, verdicts):
    a = np.empty(9)
    b = np.empty(9)
    for k in range(len(pairs)):
        verdicts[k] = overlap_of(faces, vertices, pairs[k, 0], pairs[k, 1], a, b)


@kernel
def _meetings_into(faces, vertices, pairs, points, normals):
    """For pairs that intersect: the middle of what they share, and the direction in which b leaves a soonest."""
    a = np.empty(9)
    b = np.empty(9)
    space = np.empty(CONTACT_SPACE)
    for k in range(len(pairs)):
        unit = corners_into(faces, vertices, pairs[k, 0], pairs[k, 1], a, b)
        contact_point_into(a, b, space, points[k])
        penetration_into(a, b, normals[k])
        if unit != 0:
            for d in range(3):
                points[k, d] = vertices[faces[pairs[k, 0], 0], d] + ldexp(points[k, d], unit)


def decide_overlaps(
    faces: NDArray[np.int32], vertices: NDArray[np.float64], pairs: NDArray[np.integer], verdicts: NDArray[np.int8]
) -> NDArray[np.bool_]:
    """Which pairs (n, 2) of triangles MEET? verdicts (n,) on them; where they are unsure, exact arithmetic decides."""
    meet = verdicts == MEET
    unsure = np.flatnonzero(verdicts == UNSURE)
    if len(unsure):
        corners = vertices[faces[pairs[unsure]], :3]
        meet[unsure] = triangles_meet(corners[:, 0], corners[:, 1])
    return meet


def overlapping(faces: NDArray[np.int32], vertices: NDArray[np.float64], pairs: NDArray[np.int32]) -> NDArray[np.bool_]:
    """Do the closed triangles of each pair (n, 2) meet? Exact. vertices (v, 3), or (v, 4) with something behind."""
    verdicts = np.empty(len(pairs), np.int8)
    _overlaps_into(faces, vertices, pairs, verdicts)
    return decide_overlaps(faces, vertices, pairs, verdicts)


def meetings(
    faces: NDArray[np.int32], vertices: NDArray[np.float64], pairs: NDArray[np.int32]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """(points, unit normals), (n, 3) each, of pairs that intersect."""
    points, normals = np.empty((len(pairs), 3)), np.empty((len(pairs), 3))
    if len(pairs):
        with compiling("triangles that start in each other"):
            _meetings_into(faces, vertices, pairs, points, normals)
    return points, normals
