"""Slow exact oracle for two triangles at rest: squared distance in rational arithmetic, by features.

It shares no method with carom.narrow, which works on separating axes: triangles meet where an edge of one pierces the other;
otherwise the nearest points are a corner over a face or lie on two edges.
"""

from __future__ import annotations

from fractions import Fraction

Point = tuple[Fraction, Fraction, Fraction]


def _sub(p: Point, q: Point) -> Point:
    return p[0] - q[0], p[1] - q[1], p[2] - q[2]


def _dot(p: Point, q: Point) -> Fraction:
    return p[0] * q[0] + p[1] * q[1] + p[2] * q[2]


def _cross(p: Point, q: Point) -> Point:
    return p[1] * q[2] - p[2] * q[1], p[2] * q[0] - p[0] * q[2], p[0] * q[1] - p[1] * q[0]


def _along(p: Point, u: Point, s: Fraction) -> Point:
    return p[0] + s * u[0], p[1] + s * u[1], p[2] + s * u[2]


def _square(p: Point) -> Fraction:
    return _dot(p, p)


def _point_segment(p: Point, q: Point, u: Point) -> Fraction:
    length = _square(u)
    s = _dot(_sub(p, q), u) / length if length else Fraction(0)
    return _square(_sub(p, _along(q, u, min(max(s, Fraction(0)), Fraction(1)))))


def _segment_segment(p: Point, u: Point, q: Point, v: Point) -> Fraction:
    """Least of the four ends against the other segment, and of the lines' nearest points if both lie inside."""
    ends = [
        _point_segment(p, q, v),
        _point_segment(_along(p, u, Fraction(1)), q, v),
        _point_segment(q, p, u),
        _point_segment(_along(q, v, Fraction(1)), p, u),
    ]
    uu, vv, uv = _square(u), _square(v), _dot(u, v)
    sine = uu * vv - uv * uv
    if sine:
        r = _sub(p, q)
        s = (uv * _dot(v, r) - vv * _dot(u, r)) / sine
        t = (uu * _dot(v, r) - uv * _dot(u, r)) / sine
        if 0 <= s <= 1 and 0 <= t <= 1:
            ends.append(_square(_sub(_along(p, u, s), _along(q, v, t))))
    return min(ends)


def _over(p: Point, face: list[Point], normal: Point) -> bool:
    """Does the foot of p lie in the closed triangle?"""
    return all(_dot(_cross(_sub(face[(k + 1) % 3], face[k]), _sub(p, face[k])), normal) >= 0 for k in range(3))


def _pierces(p: Point, q: Point, face: list[Point], normal: Point) -> bool:
    """Does the segment from p to q, with ends on both sides of the plane, cross the closed triangle?"""
    begin, end = _dot(_sub(p, face[0]), normal), _dot(_sub(q, face[0]), normal)
    if begin * end >= 0:
        return False
    return _over(_along(p, _sub(q, p), begin / (begin - end)), face, normal)


def exact_square_distance(a, b) -> Fraction:
    """Squared distance of triangles a and b (9 doubles or fractions each); 0 where they meet."""
    tris = [[(Fraction(t[k]), Fraction(t[k + 1]), Fraction(t[k + 2])) for k in (0, 3, 6)] for t in (a, b)]
    near = []
    for face, other in (tris, tris[::-1]):
        normal = _cross(_sub(face[1], face[0]), _sub(face[2], face[0]))
        square = _square(normal)
        if not square:
            continue
        for k in range(3):
            if _pierces(other[k], other[(k + 1) % 3], face, normal):
                return Fraction(0)
            if _over(other[k], face, normal):
                near.append(_dot(_sub(other[k], face[0]), normal) ** 2 / square)
    for k in range(3):
        for m in range(3):
            p, q = tris[0][k], tris[1][m]
            near.append(_segment_segment(p, _sub(tris[0][(k + 1) % 3], p), q, _sub(tris[1][(m + 1) % 3], q)))
    return min(near)
