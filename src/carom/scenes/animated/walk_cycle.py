"""Joints of a walking figure in closed form of time; metres and seconds, x ahead, y to the left, z up."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from carom.maths.trigonometry import cosines, sines

Array = NDArray[np.float64]

PERIOD = 1.1
"""Seconds for two steps."""


_BEGIN = 0.4  # Seconds from standing to full stride
_SPEED = 1.25  # Speed at full stride, m/s
_THIGH, _SHIN, _FOOT = 0.44, 0.43, 0.17
_HIP_TO_LEG = 0.11  # Distance from the hip joint to the beginning of the leg's surface, m
_UPPER_ARM, _FOREARM, _HAND = 0.27, 0.25, 0.15
_SPREAD = 0.14  # Angle of the arms from the body, rad
_SOLE, _TOE_SOLE = 0.075, 0.03  # Height of the ankle and of the tip of the foot above the ground, m


def effort(t: Array) -> Array:
    """Return the fraction of the full stride at times t, 0 to 1; 0 before time 0."""
    share = np.clip(t / _BEGIN, 0.0, 1.0)
    return np.asarray(share * share * (3.0 - 2.0 * share))


def phase(t: Array) -> Array:
    """Return the phase of the walk, rad: the left leg is foremost at pi / 2."""
    return np.asarray(2.0 * np.pi * t / PERIOD)


def pelvis(t: Array) -> Array:
    """Return the centre of the hips (k, 3) at times t (k,), at a height where the lower foot is on the ground."""
    way = _SPEED * np.where(t < _BEGIN, _begun(t), t - 0.5 * _BEGIN)
    feet = np.concatenate([leg(t, side)[:, 2:, 2] - (_SOLE, _TOE_SOLE) for side in (1, -1)], axis=1)
    return np.column_stack([way, np.zeros(len(t)), -feet.min(axis=1)])


def _begun(t: Array) -> Array:
    """Return the integral of `effort` from 0 to t, up to its end."""
    share = np.clip(t / _BEGIN, 0.0, 1.0)
    return np.asarray(_BEGIN * (share * share * share) * (1.0 - 0.5 * share))


def leg(t: Array, side: int) -> Array:
    """Return hip, knee, ankle and tip of the foot (k, 4, 3) relative to the pelvis; side 1 is left, -1 right."""
    now, strength = phase(t) + (0.0 if side > 0 else np.pi), effort(t)
    thigh = strength * 0.40 * sines(now) + 0.03
    shin = thigh - 0.04 - strength * (0.10 + 0.85 * np.maximum(cosines(now), 0.0) ** 2)
    foot = 0.7 * shin
    hip = np.array([0.0, side * 0.095, 0.0])
    down, below = _hanging(thigh), _hanging(shin)
    knee = hip + _THIGH * down
    ankle = knee + _SHIN * below
    tip = ankle + _FOOT * np.column_stack([cosines(foot), np.zeros(len(t)), sines(foot) - 0.25])
    return np.stack([hip + _HIP_TO_LEG * down, knee, ankle, tip], axis=1)


def arm(t: Array, side: int) -> Array:
    """Return root, shoulder, elbow, wrist and tip of the hand (k, 5, 3) relative to the pelvis; side 1 is left."""
    now, strength = phase(t) + (np.pi if side > 0 else 0.0), effort(t)
    swing = strength * 0.45 * sines(now)
    bend = 0.2 + strength * (0.25 + 0.2 * sines(now))
    turn = trunk_turn(t[:, None], np.array([0.43]))[:, 0]
    root = turned(np.array([0.0, side * 0.165, 0.43]), turn)
    shoulder = turned(np.array([0.0, side * 0.255, 0.437]), turn)
    elbow = shoulder + _UPPER_ARM * _hanging(swing, side * _SPREAD)
    ahead = _hanging(swing + bend, side * _SPREAD)
    wrist = elbow + _FOREARM * ahead
    return np.stack([root, shoulder, elbow, wrist, wrist + _HAND * ahead], axis=1)


def trunk_turn(t: Array, height: Array) -> Array:
    """Return the angle about z, rad, of the trunk at a height, m, above the pelvis: hips and shoulders turn oppositely."""
    share = np.clip(height / 0.4, 0.0, 1.0)
    head = np.clip((height - 0.5) / 0.1, 0.0, 1.0)
    return np.asarray(effort(t) * sines(phase(t)) * ((1.0 - share) * -0.08 + share * 0.12) * (1.0 - head))


def turned(point: Array, angle: Array) -> Array:
    """Return points (..., 3) turned about z by angles (...)."""
    x, y, z = np.moveaxis(point, -1, 0)
    cosine, sine = cosines(angle), sines(angle)
    return np.stack([cosine * x - sine * y, sine * x + cosine * y, np.broadcast_to(z, np.shape(cosine * x))], axis=-1)


def _hanging(angle: Array, aside: float = 0.0) -> Array:
    """Return unit vectors (k, 3) that hang down, swung ahead by an angle and spread sideways by another, rad."""
    return np.column_stack(
        [sines(angle) * cosines(aside), np.full(len(angle), sines(aside)), -cosines(angle) * cosines(aside)]
    )
