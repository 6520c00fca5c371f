"""The point of a small simplex nearest to the origin, and the vertices that span its feature.

Points are tuples of 3. Each function takes the corners, the newest last, and returns the nearest point, the corners kept
(filled up with any) and their number.
"""

from __future__ import annotations

from carom._compile.jit import inner_kernel


@inner_kernel
def _dot(a, b):
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


@inner_kernel
def _minus(a, b):
    return (a[0] - b[0], a[1] - b[1], a[2] - b[2])


@inner_kernel
def _cross(a, b):
    return (a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0])


@inner_kernel
def _along(a, u, s):
    return (a[0] + s * u[0], a[1] + s * u[1], a[2] + s * u[2])


@inner_kernel
def nearest_of_two(a, b):
    """Of a segment: (nearest point, kept, kept, number kept)."""
    u = _minus(b, a)
    s = -_dot(a, u)
    length = _dot(u, u)
    if s >= length:
        return b, b, b, 1
    if s <= 0.0:
        return a, a, a, 1
    return _along(a, u, s / length), a, b, 2


@inner_kernel
def nearest_of_three(a, b, c):
    """Of a triangle: (nearest point, three kept, number kept).

    Inside where the origin is on the inner side of all edges; else the best of the three edges.
    """
    normal = _cross(_minus(b, a), _minus(c, a))
    if _dot(_cross(a, b), normal) > 0.0 and _dot(_cross(b, c), normal) > 0.0 and _dot(_cross(c, a), normal) > 0.0:
        s = _dot(a, normal) / _dot(normal, normal)
        return (s * normal[0], s * normal[1], s * normal[2]), a, b, c, 3
    v, s0, s1, n = nearest_of_two(a, c)
    w, t0, t1, m = nearest_of_two(b, c)
    if _dot(w, w) < _dot(v, v):
        v, s0, s1, n = w, t0, t1, m
    w, t0, t1, m = nearest_of_two(a, b)
    if _dot(w, w) < _dot(v, v):
        v, s0, s1, n = w, t0, t1, m
    return v, s0, s1, s1, n


@inner_kernel
def _outside(a, b, c, d):
    """Is the origin on the other side of the plane through a, b, c than d?"""
    normal = _cross(_minus(b, a), _minus(c, a))
    return _dot(a, normal) * _dot(_minus(a, d), normal) < 0.0


@inner_kernel
def nearest_of_four(a, b, c, d):
    """Of a tetrahedron whose newest corner d lies beyond the others: (nearest point, three kept, number kept).

    Only sides at d can be nearest. Number 4, and no nearest point, where the origin is inside.
    """
    far_ab, far_bc, far_ca = _outside(a, b, d, c), _outside(b, c, d, a), _outside(c, a, d, b)
    best = (0.0, 0.0, 0.0)
    s0, s1, s2, n = a, b, c, 4
    if far_ab:
        best, s0, s1, s2, n = nearest_of_three(a, b, d)
    if far_bc:
        v, t0, t1, t2, m = nearest_of_three(b, c, d)
        if n == 4 or _dot(v, v) < _dot(best, best):
            best, s0, s1, s2, n = v, t0, t1, t2, m
    if far_ca:
        v, t0, t1, t2, m = nearest_of_three(c, a, d)
        if n == 4 or _dot(v, v) < _dot(best, best):
            best, s0, s1, s2, n = v, t0, t1, t2, m
    return best, s0, s1, s2, n
