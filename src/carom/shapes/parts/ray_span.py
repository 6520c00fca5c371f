"""The stretch of a ray inside a convex solid, an intersection of half-spaces and quadrics, each met on an interval.

Rays come as origins (n, 3) and unit directions (n, 3) in the solid's frame. An interval is (enter, exit, normal at the
entry (n, 3), feature (n,)); empty when enter > exit.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from carom.maths.rotations import levels

Floats = NDArray[np.float64]


class Span(NamedTuple):
    """The stretch of each ray inside something convex."""

    enter: Floats
    leave: Floats
    normal: Floats
    feature: NDArray[np.int64]


def between_planes(origins: Floats, directions: Floats, planes: Floats, features: NDArray[np.int64]) -> Span:
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


def between_caps(origins: Floats, directions: Floats, height: float) -> Span:
    """Between the planes z = -height/2 and z = height/2."""
    planes = np.array([[0.0, 0.0, -1.0, 0.5 * height], [0.0, 0.0, 1.0, 0.5 * height]])
    return between_planes(origins, directions, planes, np.array([-1, -1]))


def roots(a: Floats, b: Floats, c: Floats) -> tuple[Floats, Floats]:
    """Roots of a s^2 + 2 b s + c, the lower first, without cancellation; inf, -inf where there are none."""
    disc = b * b - a * c
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        q = -b - np.copysign(np.sqrt(np.maximum(disc, 0.0)), b)
        first, second = q / a, np.where(q == 0.0, 0.0, c / q)
    low, high = np.minimum(first, second), np.maximum(first, second)
    return np.where(disc >= 0.0, low, np.inf), np.where(disc >= 0.0, high, -np.inf)


def in_quadric(origins: Floats, directions: Floats, weights: Floats, square: float) -> Span:
    """Inside weights . x^2 <= square, weights 0 or more: an ellipsoid or an endless cylinder."""
    a = levels(directions * directions, weights)[:, 0]
    b = levels(origins * directions, weights)[:, 0]
    # The nearest point of the ray's line carries c: the origin may be far away, where |o|^2 - r^2 would lose it.
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
    return Span(enter, leave, unit_rows(point_at(origins, directions, enter) * weights), np.full(len(a), -1))


def in_both(one: Span, other: Span) -> Span:
    """Inside both."""
    later = one.enter >= other.enter
    return Span(
        np.where(later, one.enter, other.enter),
        np.minimum(one.leave, other.leave),
        np.where(later[:, None], one.normal, other.normal),
        np.where(later, one.feature, other.feature),
    )


def point_at(origins: Floats, directions: Floats, s: Floats) -> Floats:
    """Points (n, 3) of rays at distances s (n,); the origin where s is infinite."""
    return origins + np.where(np.isfinite(s), s, 0.0)[:, None] * directions


def unit_rows(vectors: Floats) -> Floats:
    """The rows divided by their lengths; zeros stay."""
    length = np.sqrt((vectors * vectors).sum(axis=1))[:, None]
    return np.divide(vectors, length, out=np.zeros_like(vectors), where=length > 0.0)
