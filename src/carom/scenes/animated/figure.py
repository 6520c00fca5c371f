"""The body of a walking figure: trunk and head, two arms and two legs, each a closed surface."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.interpolate import PchipInterpolator

from carom.maths.fixed_order import length
from carom.maths.trigonometry import cosines, sines
from carom.scenes.animated import walk_cycle
from carom.scenes.animated.tubes import carried_frames, closed_tube_faces, rounded_path

Array = NDArray[np.float64]
Faces = NDArray[np.int32]

AREA = 1.88
"""Approximate area of all its surfaces, square metres."""

_TRUNK = np.array(
    [
        (-0.075, 0.00, 0.00), (-0.07, 0.05, 0.07), (-0.05, 0.09, 0.125), (0.01, 0.115, 0.16), (0.12, 0.10, 0.14),
        (0.25, 0.113, 0.15), (0.37, 0.12, 0.162), (0.44, 0.108, 0.155), (0.485, 0.085, 0.12), (0.515, 0.058, 0.062),
        (0.57, 0.052, 0.052), (0.61, 0.07, 0.058), (0.68, 0.095, 0.074), (0.75, 0.09, 0.072), (0.795, 0.055, 0.045),
        (0.81, 0.00, 0.00),
    ]
)  # fmt: skip
"""Height above the hips, half depth (x) and half width (y) of the trunk from its lower end to the top of the head, m."""

_LEG = np.array([(0.0, 0.072), (0.12, 0.073), (0.33, 0.054), (0.42, 0.056), (0.54, 0.052), (0.70, 0.038), (0.76, 0.04),
                 (0.84, 0.038), (0.94, 0.03)])  # fmt: skip
_ARM = np.array([(0.0, 0.04), (0.05, 0.046), (0.1, 0.047), (0.25, 0.04), (0.36, 0.037), (0.45, 0.037), (0.60, 0.026),
                 (0.68, 0.031), (0.78, 0.02)])  # fmt: skip
"""Distance from the beginning of the limb, m, and its radius there."""

_LEG_CUTS, _ARM_CUTS = np.array([0.09, 0.075]), np.array([0.08, 0.07, 0.05])
_CAP = 0.035  # Length over which the end of a limb is rounded, m

_half_depth = PchipInterpolator(_TRUNK[:, 0], _TRUNK[:, 1])
_half_width = PchipInterpolator(_TRUNK[:, 0], _TRUNK[:, 2])
arm_radius = PchipInterpolator(*_ARM.T)
_leg_radius = PchipInterpolator(*_LEG.T)


def figure(t: Array, spacing: float) -> tuple[Array, Faces]:
    """Return vertices (k, n, 3) at times t (k,) and faces of the figure, with edges of about `spacing` m."""
    parts = [_trunk(t, spacing)]
    for side in (1, -1):
        parts.append(_limb(leg_path(t, side, spacing), _leg_radius, spacing))
        parts.append(_limb(arm_path(t, side, spacing), arm_radius, spacing))
    offsets = np.cumsum([0, *(vertices.shape[1] for vertices, _ in parts)])
    faces = np.concatenate([faces + offset for (_, faces), offset in zip(parts, offsets, strict=False)])
    vertices = np.concatenate([vertices for vertices, _ in parts], axis=1)
    return vertices + walk_cycle.pelvis(t)[:, None], faces.astype(np.int32)


def trunk_heights(low: float, high: float, spacing: float) -> Array:
    """Return heights from `low` to `high`, m above the hips, equidistant along the outline of the trunk."""
    fine = np.linspace(low, high, 2000)
    steps = np.column_stack([np.diff(fine), np.diff(_half_width(fine))])
    way = np.concatenate([[0.0], np.cumsum(length(steps))])
    return np.interp(np.linspace(0.0, way[-1], max(3, round(way[-1] / spacing) + 1)), way, fine)


def trunk_surface(t: Array, height: Array, angle: Array, outward: Array, outline: Array) -> Array:
    """Return points (k, h, a, 3) relative to the pelvis at times t (k, h), heights (h,) and angles (a,).

    They are `outward` m off the outline of the trunk at the heights `outline` (h,), which may differ for a cloth.
    """
    depth, width = (half(outline)[:, None] + outward for half in (_half_depth, _half_width))
    still = np.stack(np.broadcast_arrays(depth * cosines(angle), width * sines(angle), height[:, None]), axis=-1)
    turn = walk_cycle.trunk_turn(t, height)
    return walk_cycle.turned(still, np.broadcast_to(turn[:, :, None], (len(t), *still.shape[-3:-1])))


def leg_path(t: Array, side: int, spacing: float) -> Array:
    """Return the centre line (k, s, 3) of a leg relative to the pelvis."""
    joints = walk_cycle.leg(t, side)
    return rounded_path(joints, _LEG_CUTS, _samples(joints, spacing))


def arm_path(t: Array, side: int, spacing: float) -> Array:
    """Return the centre line (k, s, 3) of an arm relative to the pelvis; it leaves the trunk sideways."""
    joints = walk_cycle.arm(t, side)
    return rounded_path(joints, _ARM_CUTS, _samples(joints, spacing))


def _samples(joints: Array, spacing: float) -> int:
    return max(8, round(float(np.linalg.norm(np.diff(joints[0], axis=0), axis=1).sum()) / spacing) + 1)


def _trunk(t: Array, spacing: float) -> tuple[Array, Faces]:
    height = trunk_heights(float(_TRUNK[0, 0]), float(_TRUNK[-1, 0]), spacing)
    around = max(12, round(0.85 / spacing))
    angle = 2.0 * np.pi * np.arange(around) / around
    inner = height[1:-1][::-1]
    rings = trunk_surface(np.broadcast_to(t[:, None], (len(t), len(inner))), inner, angle, np.zeros(()), inner)
    poles = np.broadcast_to(np.array([(0.0, 0.0, height[-1]), (0.0, 0.0, height[0])]), (len(t), 2, 3))
    vertices = np.concatenate([rings.reshape(len(t), -1, 3), poles], axis=1)
    return vertices, closed_tube_faces(len(inner), around)


def _limb(path: Array, radius: PchipInterpolator, spacing: float) -> tuple[Array, Faces]:
    """Return a tube around the path, rounded at both ends."""
    normal, binormal = carried_frames(path, np.broadcast_to((1.0, 0.0, 0.0), path[:, 0].shape))
    way = np.linspace(0.0, float(radius.x[-1]), path.shape[1])
    to_end = np.minimum(way, way[-1] - way)
    round_off = np.sqrt(1.0 - np.clip(1.0 - to_end / _CAP, 0.0, 1.0) ** 2)
    width = (radius(way) * round_off)[1:-1, None, None]
    around = max(10, round(2.0 * np.pi * float(radius(way).mean()) / spacing))
    angle = (2.0 * np.pi * np.arange(around) / around)[:, None]
    middle, across, up = (a[:, 1:-1, None] for a in (path, normal, binormal))
    rings = middle + width * (cosines(angle) * across + sines(angle) * up)
    vertices = np.concatenate([rings.reshape(len(path), -1, 3), path[:, [0, -1]]], axis=1)
    return vertices, closed_tube_faces(path.shape[1] - 2, around)
