"""Contact point, normal and barycentric weights of two triangles, from the feature pair and the time of contact."""

from __future__ import annotations

from dataclasses import dataclass
from math import frexp, inf, ldexp, sqrt

import numpy as np
from numpy.typing import NDArray

from carom._compile.jit import inner_kernel, kernel
from carom.deform.triangles.features import FIRST_EDGE, PLACES

Floats = NDArray[np.float64]

_FLAT = 1e-24
"""Squared sine. A face or a pair of edges flatter than this has no solution worth the name: its longer side stands for it."""
_SMALL, _LARGE = 1e-30, 1e30
"""Products of four lengths between these, in metres, stay far from the ends of what doubles hold."""


@dataclass(frozen=True, eq=False)
class Touches:
    """points, normals (n, 3), from a to b; speeds (n,) of approach along the normal per interval; weights (n, 3) each."""

    points: Floats
    normals: Floats
    speeds: Floats
    weights_a: Floats
    weights_b: Floats


@inner_kernel
def _clipped(x):
    return min(max(x, 0.0), 1.0)


@inner_kernel
def _difference(points, p, q, out):
    for d in range(3):
        out[d] = points[p, d] - points[q, d]


@inner_kernel
def _dot(u, v):
    return u[0] * v[0] + u[1] * v[1] + u[2] * v[2]


@inner_kernel
def _near_one(vectors):
    """Multiply all vectors (k, 3) by one power of two if they are so small or large that products underflow or overflow."""
    size = 0.0
    for row in range(len(vectors)):
        for d in range(3):
            size = max(size, abs(vectors[row, d]))
    if _SMALL < size < _LARGE or size == 0.0 or size == inf:
        return
    unit = frexp(size)[1]
    for row in range(len(vectors)):
        for d in range(3):
            vectors[row, d] = ldexp(vectors[row, d], -unit)


@inner_kernel
def _weigh(edges, four, sides, weights):
    """Weights (4,) of the four points of a feature where its two parts are nearest to each other; the first two of `sides`
    (3, 3) become its sides, in some unit.

    Vertex and face: 1 and the weights of the corners. Edges: those of the ends of each.
    """
    u, v, w = sides[0], sides[1], sides[2]
    if edges:
        _difference(four, 1, 0, u)
        _difference(four, 3, 2, v)
        _difference(four, 2, 0, w)
    else:
        _difference(four, 2, 1, u)
        _difference(four, 3, 1, v)
        _difference(four, 0, 1, w)
    _near_one(sides)
    uu, uv, vv, wu, wv = _dot(u, u), _dot(u, v), _dot(v, v), _dot(w, u), _dot(w, v)
    size = uu * vv - uv * uv
    flat = size <= _FLAT * uu * vv
    if edges:
        on_a = 0.0 if flat else _clipped((vv * wu - uv * wv) / size)
        on_b = _clipped((on_a * uv - wv) / vv) if vv > 0.0 else 0.0
        on_a = _clipped((wu + on_b * uv) / uu) if uu > 0.0 else 0.0
        weights[0], weights[1], weights[2], weights[3] = 1.0 - on_a, on_a, 1.0 - on_b, on_b
        return
    second = third = 0.0
    if not flat:
        second, third = (vv * wu - uv * wv) / size, (uu * wv - uv * wu) / size
    elif uu >= vv and uu > 0.0:
        second = wu / uu
    elif vv > 0.0:
        third = wv / vv
    first, second, third = _clipped(1.0 - second - third), _clipped(second), _clipped(third)
    total = first + second + third
    weights[0], weights[1], weights[2], weights[3] = 1.0, first / total, second / total, third / total


@kernel
def _touches_into(faces, start, end, pairs, fractions, codes, points, normals, speeds, weights):
    """One row after the other; see `touches_of`. weights (n, 6): corners of a, then of b."""
    corners, rates = np.empty((6, 3)), np.empty((6, 3))
    four, on_four = np.empty((4, 3)), np.empty(4)
    sides = np.empty((3, 3))
    u, v, w = sides[0], sides[1], sides[2]
    for row in range(len(pairs)):
        share = fractions[row]
        for k in range(6):
            vertex = faces[pairs[row, k // 3], k % 3]
            for d in range(3):
                corners[k, d] = (1.0 - share) * start[vertex, d] + share * end[vertex, d]
                rates[k, d] = end[vertex, d] - start[vertex, d]
        code = codes[row]
        for k in range(4):
            four[k] = corners[PLACES[code, k]]
        _weigh(code >= FIRST_EDGE, four, sides, on_four)
        for k in range(6):
            weights[row, k] = 0.0
        for k in range(4):
            weights[row, PLACES[code, k]] = on_four[k]
        normal, point = normals[row], points[row]
        normal[0], normal[1], normal[2] = (
            u[1] * v[2] - u[2] * v[1],
            u[2] * v[0] - u[0] * v[2],
            u[0] * v[1] - u[1] * v[0],
        )
        for d in range(3):
            point[d] = 0.0
            w[d] = 0.0
            for k in range(6):
                point[d] += 0.5 * weights[row, k] * corners[k, d]
                w[d] += weights[row, k] * (rates[k, d] if k < 3 else -rates[k, d])
        if not _dot(normal, normal) > 0.0:
            normal[:] = w
        _near_one(normals[row : row + 1])
        length = sqrt(_dot(normal, normal))
        if length > 0.0:
            for d in range(3):
                normal[d] /= length
        else:
            normal[0] = 1.0
        closing = _dot(normal, w)
        if closing < 0.0:
            for d in range(3):
                normal[d] = -normal[d]
        speeds[row] = abs(closing)


def touches_of(
    faces: NDArray[np.int32],
    start: Floats,
    end: Floats,
    pairs: NDArray[np.int32],
    fractions: Floats,
    codes: NDArray[np.int64],
) -> Touches:
    """Touches of pairs (n, 2) at fractions (n,) of the interval by the features `codes` (n,).

    The normal is that of the face, or square to both edges; where they have none, along the closing velocity. It points
    against the motion of b as seen from a. The point lies halfway between the two parts of the feature.
    """
    n = len(pairs)
    points, normals, speeds, weights = np.empty((n, 3)), np.empty((n, 3)), np.empty(n), np.empty((n, 6))
    _touches_into(faces, start, end, pairs, fractions, codes, points, normals, speeds, weights)
    return Touches(points, normals, speeds, weights[:, :3], weights[:, 3:])
