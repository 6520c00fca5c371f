"""Motions as rows of numbers, and what two moving bodies do: free until when, how deep at which time."""

from __future__ import annotations

import math
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

import carom
from fuzz.oracle.convex import bounds, compiled
from fuzz.oracle.pieces import Pieces

POSITION, VELOCITY, ACCELERATION = slice(0, 3), slice(3, 6), slice(6, 9)
QUATERNION, SPIN, START = slice(9, 13), slice(13, 16), 16

_STEPS = 1500
"""Steps of one advancement: then it stops where it is, which shows less."""
_SAMPLES = 48
_REFINED = 4


@compiled
def rotation_of(quaternion, spin, dt):
    """Rotation (3, 3) of a unit quaternion w, x, y, z after dt seconds of spin, by Rodrigues' formula."""
    w, x, y, z = quaternion
    first = np.array(
        (
            (1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)),
            (2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)),
            (2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)),
        )
    )
    rate = math.sqrt(spin @ spin)
    if rate == 0.0:
        return first
    a, b, c = spin / rate
    turn = np.array(((0.0, -c, b), (c, 0.0, -a), (-b, a, 0.0)))
    return (np.eye(3) + math.sin(rate * dt) * turn + (1.0 - math.cos(rate * dt)) * (turn @ turn)) @ first


@compiled
def placed(motion, time):
    """Rotation (3, 3) and position (3,) of a motion row at a time."""
    dt = time - motion[16]
    position = motion[0:3] + dt * (motion[3:6] + 0.5 * dt * motion[6:9])
    return rotation_of(motion[9:13], motion[13:16], dt), position


@compiled
def bounds_at(a, motion_a, b, motion_b, time):
    """lower, upper, depth, direction of two moving bodies at a time (see convex.bounds)."""
    rotation_a, position_a = placed(motion_a, time)
    rotation_b, position_b = placed(motion_b, time)
    # Relative to body a, so that rounding is that of the offset.
    return bounds(a, rotation_a, np.zeros(3), b, rotation_b, position_b - position_a)


@compiled
def free_until(a, motion_a, reach_a, b, motion_b, reach_b, start, end, gap):
    """A time, at most `end`, up to which two bodies are certainly farther apart than `gap`, by conservative advancement."""
    time = start
    turning = reach_a * math.sqrt(motion_a[13:16] @ motion_a[13:16]) + reach_b * math.sqrt(
        motion_b[13:16] @ motion_b[13:16]
    )
    push = motion_b[6:9] - motion_a[6:9]
    gain = math.sqrt(push @ push)
    convex = len(a.kind) * len(b.kind) == 1
    for _ in range(_STEPS):
        lower, _upper, _depth, away = bounds_at(a, motion_a, b, motion_b, time)
        if lower <= gap:
            return time
        velocity = (
            motion_b[3:6]
            - motion_a[3:6]
            + motion_b[6:9] * (time - motion_b[16])
            - motion_a[6:9] * (time - motion_a[16])
        )
        closing = turning + (-(velocity @ away) if convex else math.sqrt(velocity @ velocity))
        if gain > 0.0:
            root = math.sqrt(closing * closing + 2.0 * gain * lower)
            step = 2.0 * lower / (closing + root) if closing >= 0.0 else (root - closing) / gain
        elif closing > 0.0:
            step = lower / closing
        else:
            return end
        following = time + 0.999999 * step
        if following >= end:
            return end
        if following <= time:
            return time
        time = following
    return time


@compiled
def deepest_first(a, motion_a, b, motion_b, start, end, depth):
    """The first found time from `start` to `end` at which the bodies are certainly deeper than `depth`; inf if none is found.

    Samples, and between the nearest of them a search for the least distance: short visits are seen as well.
    """
    times = np.linspace(start, end, _SAMPLES)
    nearness = np.empty(_SAMPLES)
    found = np.inf
    for k in range(_SAMPLES):
        lower, _upper, deep, _away = bounds_at(a, motion_a, b, motion_b, times[k])
        nearness[k] = -deep if deep > 0.0 else max(lower, 0.0)
        if deep > depth:
            found = times[k]
            break
    for k in np.argsort(nearness)[:_REFINED] if found == np.inf else np.empty(0, np.int64):
        low, high = times[max(k - 1, 0)], times[min(k + 1, _SAMPLES - 1)]
        for _ in range(30):
            one, other = low + (high - low) / 3.0, high - (high - low) / 3.0
            gap_one, _u, deep_one, _a = bounds_at(a, motion_a, b, motion_b, one)
            gap_other, _u, deep_other, _a = bounds_at(a, motion_a, b, motion_b, other)
            if deep_one > depth:
                found = min(found, one)
                break
            if deep_other > depth:
                found = min(found, other)
                break
            if gap_one - deep_one <= gap_other - deep_other:
                high = other
            else:
                low = one
    return found


class Stretch(NamedTuple):
    """A time from which a motion row holds."""

    start: float
    row: np.ndarray


def stretches(motion: Any) -> list[Stretch]:
    """A Motion or Keyframes as motion rows that follow one another; the first holds from the beginning of time."""
    if isinstance(motion, carom.Motion):
        return [Stretch(-math.inf, motion_row(motion))]
    times, places, quats = motion.times, motion.positions, motion.orientations
    still = np.zeros(3)
    found = [Stretch(-math.inf, _row(places[0], still, still, quats[0], still, times[0]))]
    for k, (begin, end) in enumerate(pairwise(times)):
        spin = _turn_vector(quats[k], quats[k + 1]) / (end - begin)
        velocity = (places[k + 1] - places[k]) / (end - begin)
        found.append(Stretch(begin, _row(places[k], velocity, still, quats[k], spin, begin)))
    return [*found, Stretch(times[-1], _row(places[-1], still, still, quats[-1], still, times[-1]))]


def guided_rows(begin: float, told: carom.Guided, before: Any) -> list[tuple[float, np.ndarray]]:
    """Rows of a body that is told at `begin` where it is, or will have come to be: straight and evenly there, then on.

    before: the row that it had until then; None for a body that is just added.
    """
    still = np.zeros(3)
    after = _row(told.position, told.velocity, still, told.orientation, still, told.start)
    if before is None or told.start <= begin:
        return [(begin, after)]
    span = told.start - begin
    _, place = placed(before, begin)
    turned = _turned(before, begin)
    way = _row(
        place, (told.position - place) / span, still, turned, _turn_vector(turned, told.orientation) / span, begin
    )
    return [(begin, way), (told.start, after)]


def _turned(row: np.ndarray, time: float) -> np.ndarray:
    """The orientation (4,) of a motion row at a time."""
    rate = float(np.linalg.norm(row[SPIN]))
    if rate == 0.0:
        return row[QUATERNION]
    half = 0.5 * rate * (time - row[START])
    w1, v1 = math.cos(half), math.sin(half) * row[SPIN] / rate
    w2, v2 = row[QUATERNION][0], row[QUATERNION][1:]
    return np.concatenate(([w1 * w2 - v1 @ v2], w1 * v2 + w2 * v1 + np.cross(v1, v2)))


def motion_row(motion: carom.Motion) -> np.ndarray:
    """A Motion as a row of numbers."""
    return _row(motion.position, motion.velocity, motion.acceleration, motion.orientation, motion.spin, motion.start)


def _row(position: Any, velocity: Any, acceleration: Any, quat: Any, spin: Any, start: float) -> np.ndarray:
    return np.concatenate([position, velocity, acceleration, quat, spin, [start]]).astype(float)


def _turn_vector(first: np.ndarray, second: np.ndarray) -> np.ndarray:
    """Axis times angle of the shorter turn from one unit quaternion to another."""
    w1, v1 = first[0], -first[1:]
    w2, v2 = second[0], second[1:]
    w = w2 * w1 - v2 @ v1
    v = w2 * v1 + w1 * v2 + np.cross(v2, v1)
    if w < 0.0:
        w, v = -w, -v
    length = float(np.linalg.norm(v))
    return np.zeros(3) if length == 0.0 else v * (2.0 * math.atan2(length, w) / length)


def first_fault(
    a: Pieces, motion_a: np.ndarray, reach_a: float, b: Pieces, motion_b: np.ndarray, reach_b: float,
    start: float, end: float, found: float, slack: float, gap: float,
) -> str | None:  # fmt: skip
    """What is wrong with a first contact at `found` (inf: none) of two bodies that move from start to end by these rows.

    slack: length by which rounding may deceive; gap: how far apart the bodies may be at a reported contact.
    """
    if start <= found <= end:
        lower, *_ = bounds_at(a, motion_a, b, motion_b, found)
        if lower > gap + slack:
            return f"false: at {found!r} the bodies are {lower:.3g} apart, {gap + slack:.3g} are allowed"
    until = min(found, end)
    free = free_until(a, motion_a, reach_a, b, motion_b, reach_b, start, until, gap + slack)
    deep = deepest_first(a, motion_a, b, motion_b, free, until, 4.0 * slack) if free < until else math.inf
    if deep < found:
        _, _, depth, _ = bounds_at(a, motion_a, b, motion_b, deep)
        word = "start" if deep == start else "missed" if math.isinf(found) else "late"
        return f"{word}: overlapping by {depth:.3g} at {deep!r}, reported at {found!r}"
    return None
