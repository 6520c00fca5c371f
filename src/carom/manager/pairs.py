"""Pairs of managed objects, and the nearest and the first to touch among them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from carom import validate
from carom.boxes.still_boxes import find_pairs
from carom.manager.results import DistanceData, Floats, ImpactData, Name
from carom.maths.fixed_order import dot, length
from carom.motion import Keyframes, Motion
from carom.queries.moving import time_of_impact
from carom.queries.results import Distance
from carom.queries.still import distance, penetration
from carom.queries.toi_dispatch import quaternions_of
from carom.shapes import Shape


@dataclass
class ManagedObject:
    """A shape, its pose (4, 4), and its motion if it has one."""

    shape: Shape
    pose: Floats
    motion: Motion | Keyframes | None = None

    def moving(self) -> Motion | Keyframes:
        """Return its motion; without one it is at rest at its pose."""
        if self.motion is not None:
            return self.motion
        quat = quaternions_of(self.pose[:3, :3].reshape(1, 9))[0]
        return Motion(self.pose[:3, 3], orientation=quat)

    def box(self) -> tuple[Floats, Floats]:
        """Return the corners (3,), (3,) of a box around it."""
        quat = quaternions_of(self.pose[:3, :3].reshape(1, 9))[0]
        low, high = self.shape.extents_along(np.eye(3), quat)
        pad = 1e-9 * np.where(np.isfinite(high - low), high - low, 0.0)
        return low + self.pose[:3, 3] - pad, high + self.pose[:3, 3] + pad


Two = tuple[tuple[Name, ManagedObject], tuple[Name, ManagedObject]]


def _overlapping(objects: list[ManagedObject]) -> NDArray[np.int32]:
    boxes = [each.box() for each in objects]
    return find_pairs(np.array([low for low, _ in boxes]), np.array([high for _, high in boxes]))


def within(objects: dict[Name, ManagedObject], boxes: bool = True) -> Iterator[Two]:
    """Yield pairs of objects: those whose boxes overlap, or all."""
    items = list(objects.items())
    if boxes:
        for i, j in _overlapping([each for _, each in items]) if len(items) > 1 else ():
            yield items[i], items[j]
        return
    for i in range(len(items)):
        for j in range(i + 1, len(items)):
            yield items[i], items[j]


def across(first: dict[Name, ManagedObject], second: dict[Name, ManagedObject], boxes: bool = True) -> Iterator[Two]:
    """Yield pairs of an object of the first and one of the second: those whose boxes overlap, or all."""
    here, there = list(first.items()), list(second.items())
    if not here or not there:
        return
    if boxes:
        for i, j in _overlapping([each for _, each in (*here, *there)]):
            if i < len(here) <= j:
                yield here[i], there[j - len(here)]
        return
    for one in here:
        for other in there:
            yield one, other


def _least_distance(one: ManagedObject, other: ManagedObject) -> float:
    """Return a lower bound of the distance of two objects (minus the depth if they overlap), from their bounding spheres."""
    (centre_a, radius_a), (centre_b, radius_b) = one.shape.bounding_sphere(), other.shape.bounding_sphere()
    if not np.isfinite(radius_a + radius_b):
        return -np.inf
    here = dot(one.pose[:3, :3], centre_a) + one.pose[:3, 3]
    there = dot(other.pose[:3, :3], centre_b) + other.pose[:3, 3]
    return float(length(there - here)) * (1.0 - 1e-12) - (radius_a + radius_b) * (1.0 + 1e-9)


def nearest_pair(pairs: Iterator[Two]) -> tuple[float, tuple[Name, Name] | None, DistanceData | None]:
    """Return the nearest pair, or the deepest if pairs overlap. Pairs are tested in the order of their lower bounds."""
    best, chosen, data = np.inf, None, None
    queue = sorted(
        ((_least_distance(x[1], y[1]), k, x, y) for k, (x, y) in enumerate(pairs)), key=lambda entry: entry[:2]
    )
    for bound, _, (name, one), (other_name, other) in queue:
        if bound >= best:
            break
        found = distance(one.shape, other.shape, one.pose, other.pose, within=max(best, 0.0), threads=1)
        value = float(found.distance)
        if value == 0.0:
            found, value = _overlap(one, other, found)
        if value < best:
            best, chosen = value, (name, other_name)
            data = DistanceData(
                frozenset(chosen),
                value,
                {name: found.point_a, other_name: found.point_b},
                {name: int(found.feature_a), other_name: int(found.feature_b)},
            )
    return best, chosen, data


def _overlap(one: ManagedObject, other: ManagedObject, touching: Distance) -> tuple[Distance, float]:
    """Return the result for a pair that touches: minus the depth, and the deepest points if the depth is above 0."""
    deep = penetration(one.shape, other.shape, one.pose, other.pose, threads=1)
    if not deep.depth > 0.0:
        return touching, 0.0
    found = Distance(
        touching.distance, deep.point_a, deep.point_b, deep.normal, touching.feature_a, touching.feature_b,
        touching.volume_tests, touching.primitive_tests,
    )  # fmt: skip
    return found, -float(deep.depth)


def first_pair(pairs: Iterator[Two], until: float) -> tuple[float, tuple[Name, Name] | None, ImpactData | None]:
    """Return the first pair to touch up to `until`."""
    best, chosen, data = np.inf, None, None
    end = validate.number("until", until)
    for (name, one), (other_name, other) in pairs:
        motions = one.moving(), other.moving()
        if min(end, best) < _begin(*motions) <= end:  # another pair touches before this one starts
            continue
        impact = time_of_impact(one.shape, other.shape, *motions, min(end, best))
        if impact is not None and impact.time < best:
            best, chosen = float(impact.time), (name, other_name)
            data = ImpactData(frozenset(chosen), chosen, impact)
    return best, chosen, data


def _begin(one: Motion | Keyframes, other: Motion | Keyframes) -> float:
    """Return the time at which the search of a pair begins."""
    starts = [m.start for m in (one, other) if isinstance(m, Motion)]
    return max(starts) if starts else min(float(m.times[0]) for m in (one, other) if isinstance(m, Keyframes))
