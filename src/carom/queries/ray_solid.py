"""Rays against single solids: every convex solid is an intersection of half-spaces and quadrics, each met in an interval.

Rays are origins (n, 3) and unit directions (n, 3) in the solid's frame. An interval is (enter, exit, normal at the entry
(n, 3), feature (n,)); empty if enter > exit.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from carom.maths.rotations import levels
from carom.shapes import Box, Capsule, Cone, Convex, Cylinder, HalfSpace, Shape, Sphere

Floats = NDArray[np.float64]


class Span(NamedTuple):
    """The interval of each ray inside a convex set."""

    enter: Floats
    leave: Floats
    normal: Floats
    feature: NDArray[np.int64]


def solid_span(shape: Shape, origins: Floats, directions: Floats) -> Span:
    """Return the interval of each ray inside a convex solid."""
    if isinstance(shape, Sphere):
        return _quadric(origins, directions, np.ones(3), shape.radius * shape.radius)
    if isinstance(shape, HalfSpace):
        return _planes(origins, directions, np.append(shape.normal, shape.offset)[None], np.array([-1]))
    if isinstance(shape, Box):
        half = 0.5 * np.asarray(shape.extents)
        planes = np.array([[*(sign * np.eye(3)[k]), half[k]] for k in range(3) for sign in (-1.0, 1.0)])
        return _planes(origins, directions, planes, np.arange(6))
    if isinstance(shape, Convex):
        return _planes(origins, directions, np.asarray(shape.planes), np.asarray(shape.plane_faces, np.int64))
    if isinstance(shape, Cylinder):
        side = _quadric(origins, directions, np.array([1.0, 1.0, 0.0]), shape.radius * shape.radius)
        return _both(side, _caps(origins, directions, shape.height))
    if isinstance(shape, Capsule):
        return _capsule(shape, origins, directions)
    if isinstance(shape, Cone):
        base = _planes(origins, directions, np.array([[0.0, 0.0, -1.0, 0.5 * shape.height]]), np.array([-1]))
        return _both(_nappe(shape, origins, directions), base)
    raise TypeError(f"{type(shape).__name__} is no convex solid")


def _planes(origins: Floats, directions: Floats, planes: Floats, features: NDArray[np.int64]) -> Span:
    """Inside all half-spaces normal . x <= offset; planes (p, 4)."""
    closing = levels(directions, planes[:, :3])
    gap = planes[:, 3] - levels(origins, planes[:, :3])
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        at = gap / closing
    enter = np.where(closing < 0.0, at, -np.inf)
    leave = np.where(closing > 0.0, at, np.inf)
    outside = (closing == 0.0) & (gap < 0.0)
    enter[outside] = np.inf
    last = enter.argmax(axis=1)
    return Span(enter.max(axis=1), leave.min(axis=1), planes[last, :3], features[last])


def _caps(origins: Floats, directions: Floats, height: float) -> Span:
    """Between the planes z = -height/2 and z = height/2."""
    planes = np.array([[0.0, 0.0, -1.0, 0.5 * height], [0.0, 0.0, 1.0, 0.5 * height]])
    return _planes(origins, directions, planes, np.array([-1, -1]))


def _roots(a: Floats, b: Floats, c: Floats) -> tuple[Floats, Floats]:
    """Return the roots of a s^2 + 2 b s + c, lower first, without cancellation; inf, -inf if there are none."""
    disc = b * b - a * c
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        q = -b - np.copysign(np.sqrt(np.maximum(disc, 0.0)), b)
        first, second = q / a, np.where(q == 0.0, 0.0, c / q)
    low, high = np.minimum(first, second), np.maximum(first, second)
    return np.where(disc >= 0.0, low, np.inf), np.where(disc >= 0.0, high, -np.inf)


def _quadric(origins: Floats, directions: Floats, weights: Floats, square: float) -> Span:
    """Inside weights . x^2 <= square, weights 0 or 1: a sphere or an unbounded cylinder."""
    a = levels(directions * directions, weights)[:, 0]
    b = levels(origins * directions, weights)[:, 0]
    # c is computed at the point of the line nearest to the origin: for a far ray, |o|^2 - r^2 would lose it.
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        middle = np.where(a > 0.0, -b / a, 0.0)
    near = origins + middle[:, None] * directions
    c = levels(near * near, weights)[:, 0] - square
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        reach = np.sqrt(np.maximum(-c, 0.0) / a)
    along = a > 0.0
    enter = np.where(along, middle - reach, np.where(c <= 0.0, -np.inf, np.inf))
    leave = np.where(along, middle + reach, np.where(c <= 0.0, np.inf, -np.inf))
    missed = along & (c > 0.0)
    enter[missed], leave[missed] = np.inf, -np.inf
    return Span(enter, leave, _unit(_at(origins, directions, enter) * weights), np.full(len(a), -1))


def _capsule(shape: Capsule, origins: Floats, directions: Floats) -> Span:
    """The union of a cylinder and two balls, which is convex: from the first entry to the last exit."""
    side = _both(
        _quadric(origins, directions, np.array([1.0, 1.0, 0.0]), shape.radius * shape.radius),
        _caps(origins, directions, shape.height),
    )
    parts = [side]
    for sign in (-1.0, 1.0):
        centre = np.array([0.0, 0.0, sign * 0.5 * shape.height])
        parts.append(_quadric(origins - centre, directions, np.ones(3), shape.radius * shape.radius))
    enter = np.stack([np.where(p.enter <= p.leave, p.enter, np.inf) for p in parts])
    leave = np.stack([np.where(p.enter <= p.leave, p.leave, -np.inf) for p in parts])
    first = enter.argmin(axis=0)
    normal = np.stack([p.normal for p in parts])[first, np.arange(len(origins))]
    return Span(enter.min(axis=0), leave.max(axis=0), normal, side.feature)


def _nappe(shape: Cone, origins: Floats, directions: Floats) -> Span:
    """Inside the lower half of the unbounded double cone with its apex at z = height/2."""
    slope = shape.radius / shape.height
    weights = np.array([1.0, 1.0, -slope * slope])
    from_apex = origins - (0.0, 0.0, 0.5 * shape.height)
    # Relative to the point of the line nearest to the apex, because squares of a far origin would lose the radius.
    ahead = -levels(from_apex * directions, np.ones(3))[:, 0]
    from_apex = from_apex + ahead[:, None] * directions
    a = levels(directions * directions, weights)[:, 0]
    b = levels(from_apex * directions, weights)[:, 0]
    c = levels(from_apex * from_apex, weights)[:, 0]
    low, high = _roots(a, b, c)
    down = directions[:, 2] < 0.0
    # Flatter than the side: both crossings are on one half. Steeper: one on each, and the lower interval is unbounded.
    steep = a < 0.0
    enter = np.where(steep, np.where(down, high, -np.inf), low)
    leave = np.where(steep, np.where(down, np.inf, low), high)
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        once = -0.5 * c / b
    level = (a == 0.0) & (b != 0.0)
    enter = np.where(level, np.where(b < 0.0, once, -np.inf), enter)
    leave = np.where(level, np.where(b < 0.0, np.inf, once), leave)
    with np.errstate(invalid="ignore"):
        middle = np.where(
            np.isfinite(enter), np.where(np.isfinite(leave), 0.5 * (enter + leave), enter + 1.0), leave - 1.0
        )
        above = from_apex[:, 2] + middle * directions[:, 2] > 0.0
    enter = np.where(above & ~steep, np.inf, enter)
    leave = np.where(above & ~steep, -np.inf, leave)
    normal = _unit(_at(from_apex, directions, enter) * weights)
    return Span(ahead + enter, ahead + leave, normal, np.full(len(a), -1))


def _both(one: Span, other: Span) -> Span:
    """Inside both."""
    later = one.enter >= other.enter
    return Span(
        np.where(later, one.enter, other.enter),
        np.minimum(one.leave, other.leave),
        np.where(later[:, None], one.normal, other.normal),
        np.where(later, one.feature, other.feature),
    )


def _at(origins: Floats, directions: Floats, s: Floats) -> Floats:
    return origins + np.where(np.isfinite(s), s, 0.0)[:, None] * directions


def _unit(vectors: Floats) -> Floats:
    length = np.sqrt((vectors * vectors).sum(axis=1))[:, None]
    return np.divide(vectors, length, out=np.zeros_like(vectors), where=length > 0.0)
