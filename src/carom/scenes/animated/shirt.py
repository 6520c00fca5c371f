"""The shirt of a walking figure: one cloth around trunk and upper arms that lags behind and ripples."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from carom.maths.trigonometry import direction_angle, sines
from carom.scenes.animated import walk_cycle
from carom.scenes.animated.figure import arm_path, arm_radius, trunk_heights, trunk_surface
from carom.scenes.animated.tubes import carried_frames, ring_faces

Array = NDArray[np.float64]
Faces = NDArray[np.int32]

AREA = 0.95
"""Approximate area, square metres."""

_NECK, _HEM = 0.508, -0.13  # Metres above the hips
_HOLE_LOW, _HOLE_HIGH, _HOLE_SHARE = 0.37, 0.478, 0.14
"""Lower and upper end of the armholes, m above the hips, and the fraction of the circumference that one takes."""
_SLEEVE = 0.27  # Length of a sleeve along the arm, m
_SLEEVE_EASE = 0.02  # Distance between arm and sleeve, m
_LAG = 0.06  # Delay of the hem and the sleeves, s
_FLARE = 1.8  # Additional distance of the hem, m, per squared distance below the hips
_DEPTH = 1.03  # Depth of the ripples relative to the gap between shirt and body: above 1 they reach the body in places


def shirt(t: Array, spacing: float, phases: Array) -> tuple[Array, Faces]:
    """Return vertices (k, n, 3) at times t (k,) and faces, with edges of about `spacing` m; `phases` (2,) shift ripples."""
    height = np.concatenate([trunk_heights(0.0, _NECK, spacing)[::-1], np.arange(-spacing, _HEM, -spacing)])
    around = 4 * max(4, round(1.05 / spacing / 4.0))
    rows, columns = len(height), around
    trunk = _around_trunk(t, height, 2.0 * np.pi * np.arange(columns) / columns, phases)
    kept = np.ones((rows - 1, columns), dtype=bool)
    upper, lower = np.searchsorted(-height, [-_HOLE_HIGH, -_HOLE_LOW])
    half = max(2, round(0.5 * _HOLE_SHARE * columns))
    parts, faces, first = [trunk.reshape(len(t), -1, 3)], [], rows * columns
    for side, middle in ((1, columns // 4), (-1, 3 * columns // 4)):
        kept[upper:lower, middle - half : middle + half] = False
        loop, outward = _hole(upper, lower, middle, half, side)
        edge = trunk[:, loop[:, 0], loop[:, 1]]
        rings = _sleeve(t, side, edge, outward, spacing, phases)
        ids = np.concatenate([loop @ (columns, 1), first + np.arange(rings.shape[1] * len(loop))])
        faces.append(ids[ring_faces(rings.shape[1] + 1, len(loop))])
        parts.append(rings.reshape(len(t), -1, 3))
        first += rings.shape[1] * len(loop)
    faces.insert(0, ring_faces(rows, columns).reshape(rows - 1, columns, 2, 3)[kept].reshape(-1, 3))
    vertices = np.concatenate(parts, axis=1) + walk_cycle.pelvis(t)[:, None]
    # Points cut out of the armholes are dropped.
    used, corners = np.unique(np.concatenate(faces), return_inverse=True)
    return vertices[:, used], corners.reshape(-1, 3).astype(np.int32)


def _around_trunk(t: Array, height: Array, angle: Array, phases: Array) -> Array:
    """Return points (k, h, a, 3) relative to the pelvis: off the trunk by a gap that grows downwards and ripples in motion."""
    down = (_NECK - height) / (_NECK - _HEM)
    late = t[:, None] - _LAG * down
    gap = 0.012 + 0.02 * down
    walk = walk_cycle.phase(t)[:, None, None]
    fold = 0.6 * sines(7.0 * angle + 9.0 * height[:, None] - walk + phases[0]) + 0.4 * sines(
        4.0 * angle - 14.0 * height[:, None] + 2.0 * walk + phases[1]
    )
    ripple = walk_cycle.effort(t)[:, None, None] * _DEPTH * np.minimum(1.0, 4.0 * down)[:, None] * fold
    # Below the hips it leaves room for the legs.
    flare = _FLARE * np.maximum(-height, 0.0)[:, None] ** 2
    return trunk_surface(late, height, angle, gap[:, None] * (1.0 + ripple) + flare, np.maximum(height, 0.01))


def _hole(upper: int, lower: int, middle: int, half: int, side: int) -> tuple[NDArray[np.int64], Array]:
    """Return rows and columns (m, 2) of the grid points around an armhole, and their directions (m, 2) from its centre."""
    left, right = middle - half, middle + half
    loop = np.array(
        [(upper, j) for j in range(left, right)]
        + [(i, right) for i in range(upper, lower)]
        + [(lower, j) for j in range(right, left, -1)]
        + [(i, left) for i in range(lower, upper, -1)]
    )
    across = -side * (loop[:, 1] - middle) / half
    up = (0.5 * (upper + lower) - loop[:, 0]) / (0.5 * (lower - upper))
    direction = np.column_stack([across, up])
    return loop, direction / np.linalg.norm(direction, axis=1, keepdims=True)


def _sleeve(t: Array, side: int, edge: Array, outward: Array, spacing: float, phases: Array) -> Array:
    """Return rings (k, r, m, 3) after the armhole's edge (k, m, 3); the first follow the edge, the last the arm."""
    path = arm_path(t - _LAG, side, 0.01)
    normal, up = carried_frames(path, np.broadcast_to((1.0, 0.0, 0.0), path[:, 0].shape))
    length = float(arm_radius.x[-1])
    way = np.linspace(0.0, _SLEEVE, max(4, round(_SLEEVE / spacing) + 1))[1:]
    rows = way / length * (path.shape[1] - 1)
    low, share = np.floor(rows).astype(np.int64), (rows % 1.0)[:, None]
    middle, across, above = ((1.0 - share) * a[:, low] + share * a[:, low + 1] for a in (path, normal, side * up))
    turn = np.array([direction_angle(up, ahead) for ahead, up in outward.tolist()])
    loose = np.clip((way - 0.08) / 0.1, 0.0, 1.0)[:, None]
    fold = sines(5.0 * turn + 40.0 * way[:, None] - walk_cycle.phase(t)[:, None, None] + phases[0])
    gap = _SLEEVE_EASE * (1.0 + 0.6 * loose * walk_cycle.effort(t)[:, None, None] * fold)
    radius = (arm_radius(way)[:, None] + gap)[..., None]
    rings = middle[:, :, None] + radius * (outward[:, :1] * across[:, :, None] + outward[:, 1:] * above[:, :, None])
    blend = np.clip(way / 0.1, 0.0, 1.0)
    blend = (blend * blend * (3.0 - 2.0 * blend))[:, None, None]
    return np.asarray((1.0 - blend) * edge[:, None] + blend * rings)
