"""Distance and depth of two convex pieces between certified bounds, by GJK.

The lower bound on the distance is the gap between two supporting planes, the upper bound the distance of two points of the
pieces, and the lower bound on the depth the distance of the origin from the sides of a tetrahedron inside the Minkowski
difference. So each holds up to rounding, however the search ends.
"""

from __future__ import annotations

import math

import numba
import numpy as np

POINTS, CYLINDER, CONE, HALF_SPACE, ELLIPSOID = range(5)
"""Kinds of pieces: the hull of points enlarged by a radius, a cylinder or a cone about z, all points below a plane, an
ellipsoid."""

compiled = numba.njit(cache=True, error_model="numpy")  # noqa: TID251  (the oracle shares nothing with carom's kernels)

_STEPS = 300
_IDLE_STEPS = 20
_DONE = 1e-13
"""Relative gap between the bounds at which the search ends."""


@compiled
def _core_support(kind, size, points, direction):
    """The farthest point of a piece, without its radius, in its own frame."""
    if kind == POINTS:
        best = 0
        for k in range(1, len(points)):
            if points[k] @ direction > points[best] @ direction:
                best = k
        return points[best].copy()
    if kind == ELLIPSOID:
        scaled = size * (direction / np.abs(size * direction).max())
        return size * (scaled / math.sqrt(scaled @ scaled))
    radius, height = size[0], size[1]
    across = math.hypot(direction[0], direction[1])
    rim = np.array((radius, 0.0, 0.0))
    if across > 0.0:
        rim[0], rim[1] = radius * direction[0] / across, radius * direction[1] / across
    if kind == CYLINDER:
        rim[2] = 0.5 * height if direction[2] >= 0.0 else -0.5 * height
        return rim
    rim[2] = -0.5 * height
    if direction[2] * height >= radius * across:
        return np.array((0.0, 0.0, 0.5 * height))
    return rim


@compiled
def support(pieces, k, rotation, position, direction):
    """The farthest point of piece k, without its radius, of a body at a pose."""
    within = pieces.rotation[k].T @ (rotation.T @ direction)
    points = pieces.points[pieces.first[k] : pieces.last[k]]
    local = _core_support(pieces.kind[k], pieces.size[k], points, within)
    return rotation @ (pieces.rotation[k] @ local + pieces.shift[k]) + position


@compiled
def _nearest_to_origin(corners, n):
    """The nearest point of a simplex of n corners to the origin: the point, the weights, how many corners carry it.

    Every subset of the corners is tried: slow, and without a case to forget.
    """
    best, point, weights, carriers = np.inf, np.zeros(3), np.zeros(4), 0
    for subset in range(1, 1 << n):
        rows = np.array([k for k in range(n) if subset >> k & 1])
        w = np.zeros(4)
        a = corners[rows[0]]
        if len(rows) == 1:
            w[0] = 1.0
        elif len(rows) == 2:
            u = corners[rows[1]] - a
            length = u @ u
            if length == 0.0:
                continue
            w[1] = -(a @ u) / length
            w[0] = 1.0 - w[1]
        elif len(rows) == 3:
            u, v = corners[rows[1]] - a, corners[rows[2]] - a
            normal = np.cross(u, v)
            area = normal @ normal
            if area == 0.0 or area < 1e-30 * (u @ u) * (v @ v):
                continue
            w[1] = np.cross(-a, v) @ normal / area
            w[2] = np.cross(u, -a) @ normal / area
            w[0] = 1.0 - w[1] - w[2]
        else:
            u, v, z = corners[1] - a, corners[2] - a, corners[3] - a
            volume = u @ np.cross(v, z)
            if abs(volume) < 1e-15 * math.sqrt((u @ u) * (v @ v) * (z @ z)):
                continue
            w[1] = -a @ np.cross(v, z) / volume
            w[2] = u @ np.cross(-a, z) / volume
            w[3] = u @ np.cross(v, -a) / volume
            w[0] = 1.0 - w[1] - w[2] - w[3]
        if w.min() < 0.0:
            continue
        near = np.zeros(3)
        if len(rows) < 4:
            for k in range(len(rows)):
                near += w[k] * corners[rows[k]]
        if near @ near < best:
            best, point, carriers = near @ near, near, len(rows)
            weights[:] = 0.0
            for k in range(len(rows)):
                weights[rows[k]] = w[k]
    return point, weights, carriers


@compiled
def _depth_within(corners):
    """Distance of the origin from the nearest side of a tetrahedron around it."""
    depth = np.inf
    for k in range(4):
        a, b, c = corners[(k + 1) % 4], corners[(k + 2) % 4], corners[(k + 3) % 4]
        normal = np.cross(b - a, c - a)
        length = math.sqrt(normal @ normal)
        if length == 0.0:
            return 0.0
        depth = min(depth, abs(a @ normal) / length)
    return depth


@compiled
def piece_bounds(one, i, rotation_a, position_a, other, j, rotation_b, position_b):
    """For piece i of body a and piece j of body b: lower and upper bound on the distance, lower bound on the depth (0 where
    none is shown), and the direction of the lower bound."""
    if one.kind[i] == HALF_SPACE:
        lower, away = _above_plane(one, i, rotation_a, position_a, other, j, rotation_b, position_b)
        return lower, max(lower, 0.0), max(-lower, 0.0), away
    if other.kind[j] == HALF_SPACE:
        lower, away = _above_plane(other, j, rotation_b, position_b, one, i, rotation_a, position_a)
        return lower, max(lower, 0.0), max(-lower, 0.0), -away
    corners = np.zeros((4, 3))
    radius = one.radius[i] + other.radius[j]
    towards = position_b - position_a
    if towards @ towards == 0.0:
        towards = np.array((1.0, 0.3, 0.2))
    nearest = support(other, j, rotation_b, position_b, -towards) - support(one, i, rotation_a, position_a, towards)
    corners[0] = nearest
    n, idle = 1, 0
    lower, upper, depth = -np.inf, math.sqrt(nearest @ nearest), 0.0
    away = np.array((1.0, 0.0, 0.0))
    for _ in range(_STEPS):
        length = math.sqrt(nearest @ nearest)
        if length == 0.0:
            break
        direction = nearest / length
        corner = support(other, j, rotation_b, position_b, -direction) - support(
            one, i, rotation_a, position_a, direction
        )
        if corner @ direction > lower:
            lower, away = corner @ direction, direction
        if length - lower <= _DONE * length:
            break
        seen = False
        for k in range(n):
            seen = seen or (corners[k] == corner).all()
        if seen:
            break
        corners[n] = corner
        nearest, weights, carriers = _nearest_to_origin(corners, n + 1)
        if carriers == 4:
            depth, upper = _depth_within(corners), 0.0
            break
        kept = 0
        for k in range(n + 1):
            if weights[k] > 0.0:
                corners[kept] = corners[k]
                kept += 1
        n = kept
        if math.sqrt(nearest @ nearest) < upper:
            upper, idle = math.sqrt(nearest @ nearest), 0
        else:
            idle += 1
            if idle > _IDLE_STEPS:
                break
    if depth > 0.0 or upper < radius:
        depth += radius - upper
    return lower - radius, max(upper - radius, 0.0), depth, away


@compiled
def _above_plane(plane, i, rotation_a, position_a, other, j, rotation_b, position_b):
    """Height of a piece over a half-space, negative below; and the half-space's normal."""
    normal = rotation_a @ plane.rotation[i, 0]
    lowest = support(other, j, rotation_b, position_b, -normal)
    return (lowest - position_a) @ normal - other.radius[j] - plane.size[i, 0], normal


@compiled
def bounds(a, rotation_a, position_a, b, rotation_b, position_b):
    """lower and upper bound on the distance of two bodies, lower bound on their depth, direction of the lower bound.

    The depth is that of the deepest pair of pieces: so deep a body is in another at least in one of its pieces.
    """
    lower, upper, depth, away = np.inf, np.inf, 0.0, np.zeros(3)
    for i in range(len(a.kind)):
        for j in range(len(b.kind)):
            low, up, deep, direction = piece_bounds(a, i, rotation_a, position_a, b, j, rotation_b, position_b)
            if low < lower:
                lower, away = low, direction
            upper, depth = min(upper, up), max(depth, deep)
    return lower, upper, depth, away
