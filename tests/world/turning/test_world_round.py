"""Capsules, cylinders, cones and ellipsoids in a world."""

from __future__ import annotations

import math

import numpy as np
import pytest

import carom
from carom.errors import UnsupportedPairError
from geometry.shapes_in_pairs import SHAPES

BROAD = carom.world.BROAD_PHASES
ROUND = ("capsule", "cylinder", "cone", "ellipsoid")


def crowd(world, spin):
    """One of each shape in a box of walls."""
    rng = np.random.default_rng(9)
    for axis in range(3):
        for sign in (-1.0, 1.0):
            world.add(carom.HalfSpace(-sign * np.eye(3)[axis], -4.0), mass=math.inf)
    names = ["capsule", "cylinder", "cone", "sphere", "box", "convex", "mesh", "ellipsoid"]
    places = np.stack(np.meshgrid([-2.0, 2.0], [-2.0, 2.0], [-2.0, 2.0]), -1).reshape(-1, 3)
    for name, place in zip(names, places, strict=True):
        motion = carom.Motion(place, rng.normal(size=3), orientation=rng.normal(size=4), spin=spin * rng.normal(size=3))
        world.add(SHAPES[name], motion)
    return world


@pytest.mark.parametrize("spin", [0.0, 1.5])
@pytest.mark.parametrize("other", ["sphere", "box", "convex", "mesh", "capsule", "cylinder", "cone", "ellipsoid"])
@pytest.mark.parametrize("name", ROUND)
def test_world_finds_the_contact_that_the_query_finds(name, other, spin):
    a, b = SHAPES[name], SHAPES[other]
    first = carom.Motion(orientation=(1.0, 0.3, 0.2, 0.1), spin=(0.0, spin, 0.3 * spin))
    second = carom.Motion((4.0, 0.2, 0.1), (-1.0, 0.0, 0.05), orientation=(0.9, -0.4, 0.1, 0.2), spin=(spin, 0.0, 0.0))
    impact = carom.time_of_impact(a, b, first, second, 8.0)
    world = carom.World()
    world.add(a, first)
    world.add(b, second)
    log = world.advance(8.0)
    assert log.times[0] == pytest.approx(impact.time, abs=1e-7)
    assert log.status[0] == impact.status == 3
    assert np.allclose(log.normals[0], impact.normal, atol=1e-3)


@pytest.mark.parametrize("name", ROUND)
def test_world_drops_round_shapes_on_a_floor(name):
    world = carom.World(response=carom.Elastic())
    world.add(carom.HalfSpace((0, 0, 1), 0.0), mass=math.inf)
    shape = SHAPES[name]
    world.add(shape, carom.Motion((0, 0, 5.0), acceleration=(0, 0, -10)))
    low = shape.extents_along(np.array([[0.0, 0.0, 1.0]]), np.array([1.0, 0, 0, 0]))[0][0]
    fall = math.sqrt(2.0 * (5.0 + low) / 10.0)
    log = world.advance(5.0 * fall)
    assert np.allclose(log.times, fall * np.array([1.0, 3.0, 5.0])[: len(log)], atol=1e-5)
    assert len(log) >= 2


@pytest.mark.parametrize("spin", [0.0, 1.0])
@pytest.mark.parametrize("broad", BROAD[1:])
def test_world_of_round_shapes_has_one_log(broad, spin):
    reference = crowd(carom.World("kinetic", carom.Elastic()), spin).advance(4.0)
    assert len(reference) > 10
    assert crowd(carom.World(broad, carom.Elastic()), spin).advance(4.0).identical(reference)


def test_world_of_round_shapes_never_overlaps():
    world = crowd(carom.World("kinetic", carom.Elastic()), 1.0)
    for t in np.linspace(0.1, 4.0, 25):
        world.advance(float(t))
        bodies = [int(b) for b in world.bodies]
        for i in bodies:
            for j in bodies[:i]:
                a, b = world.shape(i), world.shape(j)
                if isinstance(a, carom.HalfSpace) and isinstance(b, carom.HalfSpace):
                    continue
                depth = carom.penetration(a, b, world.motion(i).pose_at(t), world.motion(j).pose_at(t), threads=1).depth
                assert depth < 1e-6


def test_world_refuses_compounds():
    with pytest.raises(UnsupportedPairError, match="add its pieces one by one"):
        carom.World().add(SHAPES["compound"])


def rocking_capsule(gap, tilt, rate, leaving):
    """A capsule that rocks on a floor: its lower end leaves at a slow speed, though centre and end both move fast."""
    radius, half = 0.2, 0.3
    height = gap + radius + half * math.sin(tilt)
    velocity = leaving + half * math.cos(tilt) * rate
    # Its axis is z: about y by a right angle less the tilt.
    angle = 0.5 * (0.5 * math.pi - tilt)
    turned = (math.cos(angle), 0.0, math.sin(angle), 0.0)
    flight = carom.Motion(
        (0, 0, height), (0, 0, velocity), acceleration=(0, 0, -10), orientation=turned, spin=(0, -rate, 0)
    )

    def free(t):
        return height + velocity * t - 5.0 * t * t - radius - half * np.abs(np.sin(tilt + rate * t))

    return carom.Capsule(radius, 2.0 * half), flight, free


@pytest.mark.parametrize("rate", [-2.0, -1.0, 0.5, 3.0])
@pytest.mark.parametrize("floor", [carom.HalfSpace((0, 0, 1), 0.0), carom.Box((9, 9, 2))], ids=["plane", "box"])
def test_rocking_capsule_lands_in_few_steps_and_never_late(floor, rate):
    for gap in (1e-6, 1e-4):
        for tilt in (0.05, 0.4):
            capsule, flight, free = rocking_capsule(gap, tilt, rate, leaving=3e-3)
            where = carom.Motion((0, 0, -1)) if isinstance(floor, carom.Box) else carom.Motion()
            hit = carom.time_of_impact(capsule, floor, flight, where, 1.0)
            times = np.linspace(0.0, 1.0, 2_000_001)
            below = np.flatnonzero(free(times) <= 0.0)[0]
            assert times[below] - 1e-5 < hit.time <= times[below]
            assert 0.0 <= free(hit.time) < 1e-8
            assert hit.steps < 60


@pytest.mark.parametrize("name", ROUND)
def test_world_round_shapes_come_to_rest_on_a_floor(name):
    world = carom.World(response=carom.Elastic(0.5))
    world.add(carom.Box((20.0, 20.0, 1.0)), carom.Motion((0, 0, -0.5)), mass=math.inf)
    shape = SHAPES[name]
    world.add(shape, carom.Motion((0.1, 0, 3.0), acceleration=(0, 0, -10), spin=(0.3, 1.0, 0.2)))
    log = world.advance(8.0)
    assert len(log) > 100
    reach = np.abs(shape.extents_along(np.eye(3), np.array([1.0, 0, 0, 0]))).max()
    assert 0.0 < world.positions()[1, 2] < 2.0 * reach


@pytest.mark.parametrize("size", [1e-3, 1e-6, 1e-9])
@pytest.mark.parametrize(
    "large",
    [carom.Capsule(0.2, 2.0), carom.Cylinder(0.2, 2.0), carom.Cone(0.2, 2.0), carom.Ellipsoid((0.2, 0.3, 1.0))],
)
def test_search_is_as_long_for_a_tiny_body_as_for_a_small_one(large, size):
    """The bounding spheres of such a pair overlap for long before the bodies touch."""
    start, way = (3.0, 2.4, 3.2), (-0.6, -0.48, -0.64)
    for motion in (carom.Motion(start, way), carom.Motion(start, 0.1 * np.array(way), way)):
        for small in (carom.Sphere(size), carom.Box((size, size, size)), carom.Capsule(size, size)):
            impact = carom.time_of_impact(small, large, motion, carom.Motion(), until=8.0)
            world = carom.World()
            world.add(small, motion)
            world.add(large)
            log = world.advance(8.0)
            assert log.times == pytest.approx([impact.time], abs=1e-7)
            assert world.stats.narrow_tests <= 24
