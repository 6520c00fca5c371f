"""Impacts of bodies that start far from each other, in units of their size: exact, as if they had started nearby."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

import carom
from carom.tolerances import EPSILON

FAR = [1e3, 1e6, 1e9]


@pytest.mark.parametrize("ratio", FAR)
@pytest.mark.parametrize("gravity", [0.0, -0.125])
def test_impact_of_spheres_from_afar_is_exact_to_the_resolution_of_their_positions(ratio: float, gravity: float):
    rng = np.random.default_rng(int(ratio))
    for _ in range(20):
        direction = rng.normal(size=3)
        x = ratio * direction / np.linalg.norm(direction)
        aim = rng.normal(size=3)
        duration = float(np.round(rng.uniform(1.0, 100.0)))
        a = np.array([0.0, 0.0, gravity])
        v = (0.5 * aim / np.linalg.norm(aim) - x) / duration - 0.5 * duration * a
        hit = carom.time_of_impact(
            carom.Sphere(0.75), carom.Sphere(0.25), carom.Motion(), carom.Motion(x, v, a), until=2.0 * duration
        )
        assert hit is not None
        t = Fraction(hit.time)
        places = [Fraction(p) + t * (Fraction(q) + t * Fraction(g) / 2) for p, q, g in zip(x, v, a, strict=True)]
        distance = float(sum((p * p for p in places), Fraction(0))) ** 0.5
        assert abs(distance - 1.0) < 16.0 * EPSILON * (ratio + abs(gravity) * duration**2)


@pytest.mark.parametrize("ratio", [1e3, 1e5, 1e6])
@pytest.mark.parametrize("gravity", [0.0, -0.125])
def test_impact_of_a_small_ball_on_edges_and_corners_of_a_large_box_is_exact(ratio: float, gravity: float):
    rng = np.random.default_rng(int(ratio))
    radius = 1.0 / ratio
    for k in range(30):
        edge = np.array([0.3, 1.0, 1.0]) if k % 2 else np.ones(3)
        normal = np.abs(rng.normal(size=3)) * ((0, 1, 1) if k % 2 else (1, 1, 1))
        normal /= np.linalg.norm(normal)
        # Through a point that is a third of the radius off the feature, against its normal.
        a = np.array([0.0, 0.0, gravity])
        velocity = rng.normal(size=3) * 0.3 - normal
        start = edge + 0.3 * radius * normal - velocity + 0.5 * a
        motion = carom.Motion(start, velocity - a, a)
        hit = carom.time_of_impact(carom.Sphere(radius), carom.Box((2.0, 2.0, 2.0)), motion, carom.Motion(), until=2.0)
        assert hit is not None
        t = Fraction(hit.time)
        x = [
            Fraction(float(p)) + t * (Fraction(float(q)) + t * Fraction(float(g)) / 2)
            for p, q, g in zip(motion.position, motion.velocity, motion.acceleration, strict=True)
        ]
        off = [p - min(max(p, Fraction(-1)), Fraction(1)) for p in x]
        distance = float(sum((p * p for p in off), Fraction(0))) ** 0.5
        assert abs(distance - radius) < 64.0 * EPSILON
        if k % 2 and hit.time == 0.0:
            pytest.fail("the ball starts outside")


@pytest.mark.parametrize("ratio", FAR)
def test_impact_of_spinning_boxes_from_afar_is_that_of_boxes_that_start_nearby(ratio: float):
    rng = np.random.default_rng(int(ratio))
    box = carom.Box((1.0, 0.5, 0.7))
    for _ in range(10):
        spin = np.round(rng.normal(size=3), 1)
        duration, speed = 2.0 ** np.round(np.log2(ratio)), 1.0
        # From far away the box has not turned yet when it comes near: it turns in world axes, as the other one does.
        start = np.array([-speed * duration - 4.0, 0.125, 0.25])
        far = carom.Motion(start, (speed, 0, 0))
        near = carom.Motion(start + np.array([speed * duration, 0, 0]), (speed, 0, 0), start=duration)
        turning = carom.Motion((0, 0, 0), spin=spin)
        from_afar = carom.time_of_impact(box, box, far, turning, until=2.0 * duration + 20.0)
        from_nearby = carom.time_of_impact(box, box, near, turning, until=2.0 * duration + 20.0)
        assert (from_afar is None) == (from_nearby is None)
        if from_nearby is not None and from_afar is not None:
            assert from_afar.time == pytest.approx(from_nearby.time, abs=2e-9 + 256.0 * EPSILON * duration)


@pytest.mark.parametrize("ratio", [1e6, 3e7, 1e8, 1e9])
@pytest.mark.parametrize("small", [1.0, 1e-4])
@pytest.mark.parametrize("name", ["capsule", "cylinder", "cone", "ellipsoid", "spinning box"])
def test_bodies_that_are_followed_by_steps_hit_a_ball_from_afar(ratio: float, small: float, name: str):
    rng = np.random.default_rng(int(ratio))
    shape: carom.Shape = {
        "capsule": carom.Capsule(0.5 * small, small),
        "cylinder": carom.Cylinder(0.5 * small, small),
        "cone": carom.Cone(0.5 * small, small),
        "ellipsoid": carom.Ellipsoid((0.5 * small, 0.3 * small, 0.7 * small)),
        "spinning box": carom.Box((small, small, small)),
    }[name]
    for _ in range(25):
        direction = rng.normal(size=3)
        start = ratio * rng.uniform(0.5, 2.0) * direction / np.linalg.norm(direction)
        velocity = (0.2 * rng.normal(size=3) - start) / 20.0
        spin = (0.01, 0.0, 0.02) if name == "spinning box" else (0.0, 0.0, 0.0)
        hit = carom.time_of_impact(
            carom.Sphere(1.0), shape, carom.Motion(), carom.Motion(start, velocity, spin=spin), until=40.0
        )
        assert hit is not None
        gap = np.linalg.norm(start + velocity * hit.time) - 1.0
        assert -64.0 * EPSILON * ratio < gap < small + 1e-9 + 1024.0 * EPSILON * ratio
        # Past it, by three times what both extend.
        aside = np.cross(velocity, rng.normal(size=3))
        wide = velocity + 3.0 * (1.0 + small) / 20.0 * aside / np.linalg.norm(aside) - (20.0 * velocity + start) / 20.0
        passing = carom.Motion(start, wide, spin=spin)
        assert carom.time_of_impact(carom.Sphere(1.0), shape, carom.Motion(), passing, until=40.0) is None
