"""The range of numbers: inside it answers do not depend on the unit, and beyond it every door says so."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import carom
from carom.tolerances import LARGEST_NUMBER, LATEST_TIME, SMALLEST_SIZE
from scenarios.worlds import ring

LARGE, SMALL = 2.0**97, 2.0**-96  # of scenes of size 1: just inside
BEYOND = math.nextafter(LARGEST_NUMBER, math.inf)
TINY = math.nextafter(SMALLEST_SIZE, 0.0)
LATE = math.nextafter(LATEST_TIME, math.inf)


def shapes(scale: float) -> list[Any]:
    vertices, faces = ring()
    points = np.random.default_rng(5).normal(size=(12, 3))
    return [
        carom.Sphere(0.4 * scale),
        carom.Box(np.array([0.5, 0.7, 0.4]) * scale),
        carom.Convex(0.4 * scale * points),
        carom.Mesh(0.5 * scale * vertices, faces),
        carom.Capsule(0.2 * scale, 0.5 * scale),
    ]


def world(scale: float, broad: str, accelerate: bool) -> carom.World:
    rng = np.random.default_rng(3)
    made = carom.World(broad, carom.Elastic())
    for k in range(40):
        place, speed, pull = (rng.uniform(-1.0, 1.0, 3) * scale for _ in range(3))
        made.add(shapes(scale)[k % 5], carom.Motion(2.0 * place, speed, pull if accelerate else (0, 0, 0)))
    return made


@pytest.mark.compiled
@pytest.mark.parametrize("scale", [LARGE, SMALL])
@pytest.mark.parametrize(("broad", "accelerate"), [("kinetic-grid", False), ("kinetic", True), ("hash-grid", False)])
def test_world_at_the_ends_of_the_range_has_the_log_of_one_in_its_middle(scale: float, broad: str, accelerate: bool):
    expected = world(1.0, broad, accelerate).advance(3.0)
    scaled = world(scale, broad, accelerate)
    log = scaled.advance(3.0)
    scaled.audit()
    assert len(expected) > 5
    assert np.array_equal(log.times, expected.times)
    assert np.array_equal(log.points, expected.points * scale)


@pytest.mark.compiled
@pytest.mark.parametrize("scale", [LARGE, SMALL])
def test_queries_at_the_ends_of_the_range_answer_as_in_its_middle(scale: float):
    for a, b, large_a, large_b in zip(shapes(1.0), shapes(1.0)[::-1], shapes(scale), shapes(scale)[::-1], strict=True):
        pose, far = np.eye(4), np.eye(4)
        pose[:3, 3] = (1.5, 0.3, 0.2)
        far[:3, 3] = pose[:3, 3] * scale
        assert carom.distance(large_a, large_b, pose_b=far).distance == pytest.approx(
            carom.distance(a, b, pose_b=pose).distance * scale, rel=1e-9
        )
        slow, fast = (carom.Motion(np.array((3, 0.2, 0.1)) * s, velocity=(-s, 0, 0)) for s in (1.0, scale))
        here = carom.time_of_impact(a, b, carom.Motion(), slow, until=5.0)
        there = carom.time_of_impact(large_a, large_b, carom.Motion(), fast, until=5.0)
        assert here is not None
        assert there is not None
        assert there.time == pytest.approx(here.time, rel=1e-9)


def polled(rate: float) -> carom.Polled:
    return carom.Polled(carom.KineticBounds([(-1, 0, 0)] * 3, [(1, 0, 0)] * 3), lambda *_: False, rate)


def cloth(times: Any = (0.0, 1.0), scale: float = 1.0) -> carom.Deforming:
    return carom.Deforming([(0, 1, 2)], times, np.array([np.eye(3), np.eye(3)]) * scale)


INSIDE: list[Callable[[], Any]] = [
    lambda: carom.Sphere(LARGEST_NUMBER),
    lambda: carom.Sphere(SMALLEST_SIZE),
    lambda: carom.Box((SMALLEST_SIZE, 1.0, LARGEST_NUMBER)),
    lambda: carom.Motion((-LARGEST_NUMBER, 0, 0), (0, LARGEST_NUMBER, 0), (0, 0, LARGEST_NUMBER), start=-LATEST_TIME),
    lambda: carom.World(start=LATEST_TIME),
    lambda: carom.World().advance(LATEST_TIME),
    lambda: carom.Mesh(np.eye(3) * SMALLEST_SIZE, [(0, 1, 2)]),
    lambda: carom.Mesh(np.ones((3, 3)), [(0, 1, 2)]),
    lambda: carom.World().add(cloth((0.0, LATEST_TIME), LARGEST_NUMBER)),
    lambda: cloth(scale=1e200),
    lambda: carom.Guided((LARGEST_NUMBER, 0, 0), (0, 0, 0), LARGEST_NUMBER, LATEST_TIME),
    lambda: carom.World().add(carom.Sphere(1.0), mass=LARGEST_NUMBER),
    lambda: carom.World().add(carom.Sphere(1.0), mass=math.inf),
    lambda: polled(1e9),
    lambda: carom.World("swept", frame=1e-9).add(carom.Sphere(1.0)),
]


@pytest.mark.parametrize("make", INSIDE)
def test_number_just_inside_the_range_is_taken(make: Callable[[], Any]):
    make()


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: carom.Sphere(BEYOND), "radius is"),
        (lambda: carom.Sphere(10**400), "radius is 1000.*expected a number"),
        (lambda: carom.Sphere(TINY), "radius is .* at least 1e-30"),
        (lambda: carom.Box((1.0, TINY, 1.0)), r"extents\[1\]"),
        (lambda: carom.Box((1.0, 1.0, BEYOND)), r"extents\[2\]"),
        (lambda: carom.Capsule(TINY, 1.0), "radius"),
        (lambda: carom.Cylinder(1.0, TINY), "height"),
        (lambda: carom.Cone(1.0, BEYOND), "height"),
        (lambda: carom.Ellipsoid((1.0, TINY, 1.0)), r"radii\[1\]"),
        (lambda: carom.Ellipsoid((1.0, 1.0, BEYOND)), r"radii\[2\]"),
        (lambda: carom.Convex(np.eye(4, 3) * 1e-31), "points extend"),
        (lambda: carom.Mesh(np.eye(3) * 1e-31, [(0, 1, 2)]), "vertices extend"),
        (lambda: carom.Mesh(np.eye(3) * BEYOND, [(0, 1, 2)]), r"vertices\[0, 0\]"),
        (lambda: carom.HalfSpace((0, 0, 1), BEYOND), "offset"),
        (lambda: carom.Motion((BEYOND, 0, 0)), r"position\[0\]"),
        (lambda: carom.Motion((0, 0, 0), (0, -BEYOND, 0)), r"velocity\[1\]"),
        (lambda: carom.Motion(acceleration=(0, 0, BEYOND)), r"acceleration\[2\]"),
        (lambda: carom.Motion(spin=(0, 0, BEYOND)), r"spin\[2\]"),
        (lambda: carom.Motion(start=LATE), "start is"),
        (lambda: carom.Keyframes([0.0, LATE], np.zeros((2, 3))), r"times\[1\]"),
        (lambda: carom.Keyframes([0.0, 1.0], [(0, 0, 0), (BEYOND, 0, 0)]), r"positions\[1, 0\]"),
        (lambda: cloth((0.0, LATE)), r"times\[1\]"),
        (lambda: carom.World().add(cloth(scale=BEYOND)), r"vertices\[0, 0, 0\]"),
        (lambda: carom.World().add(cloth(scale=1e-31)), "vertices extend"),
        (lambda: carom.Guided((0, 0, 0), (0, 0, 0), BEYOND, 1.0), "max_acceleration"),
        (lambda: carom.Guided((0, 0, 0), (0, 0, 0), 1.0, LATE), "expires"),
        (lambda: carom.World(start=LATE), "start is"),
        (lambda: carom.World().advance(LATE), "until is"),
        (lambda: carom.World().advance(LATE, budget=1.0), "until is"),
        (lambda: carom.World().positions(LATE), "t is"),
        (lambda: carom.World("swept", frame=1e-300), "frame is"),
        (lambda: carom.World("swept", frame=1e300), "frame is"),
        (lambda: carom.World(periodic=(1e-200, None, None)), r"periodic\[0\]"),
        (lambda: carom.World(periodic=(1e200, None, None)), r"periodic\[0\]"),
        (lambda: carom.World().add(carom.Sphere(1.0), mass=1e-320), "mass"),
        (lambda: carom.World().add(carom.Sphere(1.0), mass=BEYOND), "mass"),
        (lambda: carom.World().add_many(carom.Sphere(1.0), [(0, 0, BEYOND)]), r"positions\[0, 2\]"),
        (lambda: carom.World().add_many(carom.Sphere(1.0), [(0, 0, 0)], masses=1e-320), r"masses\[0\]"),
        (lambda: polled(1e300), "rate"),
        (lambda: carom.ray_cast(carom.Sphere(1.0), (BEYOND, 0, 0), (1, 0, 0)), "origins"),
        (lambda: carom.collide(carom.Sphere(1.0), carom.Sphere(1.0), np.diag([1, 1, 1, BEYOND])), "pose"),
        (lambda: impact(LATE), "until"),
        (lambda: carom.deform.SeparationList(cloth(), cloth()).advance(LATE), "until"),
    ],
)
def test_number_just_beyond_the_range_is_refused(make: Callable[[], Any], message: str):
    with pytest.raises(carom.InvalidInputError, match=message):
        make()


def impact(until: float) -> Any:
    return carom.time_of_impact(carom.Sphere(1.0), carom.Sphere(1.0), carom.Motion(), carom.Motion((3, 0, 0)), until)
