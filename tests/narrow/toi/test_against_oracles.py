"""Random pairs against slow exact oracles: never late, then close."""

from __future__ import annotations

import numpy as np
import pytest
import trimesh

from carom.narrow import Status, first_contact
from carom.shapes import Box, Convex, HalfSpace, Mesh, Sphere, SurfaceShape
from oracles.naive_narrow import (
    distance_to_triangles,
    drawn_pairs,
    first_touch,
    first_touch_ball,
    placed,
    random_quaternion,
    rotation,
)


def surfaces(rng: np.random.Generator) -> list[SurfaceShape]:
    ball = trimesh.creation.icosphere(1)
    ring = trimesh.creation.torus(1.0, 0.3, major_sections=7, minor_sections=4)
    soup = rng.normal(size=(9, 3)) * 0.6
    return [
        Box((1.0, 0.7, 1.3)),
        Convex(rng.normal(size=(20, 3)) * 0.6),
        Mesh(ball.vertices, ball.faces),
        Mesh(ring.vertices, ring.faces),
        Mesh(soup, np.arange(9).reshape(3, 3)),
    ]


def flight(rng: np.random.Generator, gap: float, pulled: bool):
    """Offset, velocity and acceleration of a body that comes from `gap` away, mostly towards the other."""
    out = rng.normal(size=3)
    out /= np.linalg.norm(out)
    velocity = (-out + 0.4 * rng.normal(size=3)) * rng.uniform(0.3, 2.0)
    return out * gap, velocity, rng.normal(size=3) * 0.2 if pulled else np.zeros(3)


@pytest.mark.parametrize("pulled", [False, True], ids=["straight", "curved"])
def test_surfaces_meet_when_the_oracle_says(pulled):
    rng = np.random.default_rng(31 + pulled)
    shapes = surfaces(rng)
    n_hits = 0
    for a, b in drawn_pairs(rng, shapes, 300):
        quats = [random_quaternion(rng) for _ in range(2)]
        gap = (a.bounding_sphere()[1] + b.bounding_sphere()[1]) * rng.uniform(1.3, 2.5) + 1.0
        d, v, pull = flight(rng, gap, pulled)
        place = rng.normal(size=3) * 10.0
        hit = first_contact(
            a, b, place, place + d, velocity_b=v, acceleration_b=pull, orientation_a=quats[0], orientation_b=quats[1]
        )
        tris_a, tris_b = placed(a, quats[0]), placed(b, quats[1])
        expected = first_touch(tris_a, tris_b, d, v, pull)
        if hit is None:
            assert expected == np.inf
            continue
        n_hits += 1
        assert hit.time <= expected + 1e-12
        assert hit.time == pytest.approx(expected, abs=1e-10)
        assert hit.status is Status.EXACT
        assert np.linalg.norm(hit.normal) == pytest.approx(1.0)
        assert (v + pull * hit.time) @ hit.normal <= 0.0
        # The contact point is on both surfaces.
        point = hit.point - place
        assert distance_to_triangles(point, tris_a) < 1e-9
        assert distance_to_triangles(point - (d + hit.time * (v + 0.5 * hit.time * pull)), tris_b) < 1e-9
    assert n_hits > 40


@pytest.mark.parametrize("pulled", [False, True], ids=["straight", "curved"])
def test_spheres_meet_surfaces_when_the_oracle_says(pulled):
    rng = np.random.default_rng(41 + pulled)
    shapes = surfaces(rng)
    n_hits = 0
    for _ in range(60):
        b = shapes[rng.integers(len(shapes))]
        quat = random_quaternion(rng)
        radius = rng.uniform(0.02, 1.0)
        gap = b.bounding_sphere()[1] * rng.uniform(1.3, 2.0) + 1.0 + radius
        d, v, pull = flight(rng, gap, pulled)
        hit = first_contact(Sphere(radius), b, position_b=d, velocity_b=v, acceleration_b=pull, orientation_b=quat)
        tris = placed(b, quat)
        expected = first_touch_ball(radius, tris, -d, -v, -pull, 12.0)
        if np.isnan(expected):
            continue
        if hit is None or hit.time > 12.0:
            assert expected == np.inf
            continue
        n_hits += 1
        # The oracle stops 1e-10 in front of the surface, which takes longer to close the more it grazes.
        closing = -(v + pull * hit.time) @ hit.normal
        assert closing > 0.0
        assert hit.time >= expected - 1e-12
        assert hit.time == pytest.approx(expected, abs=1e-10 + 2e-10 / closing)
        point = hit.point - (d + hit.time * (v + 0.5 * hit.time * pull))
        assert distance_to_triangles(point, tris) < 1e-9
        assert np.linalg.norm(hit.point) == pytest.approx(radius, abs=1e-9)
        np.testing.assert_allclose(hit.point / radius, hit.normal, atol=1e-6)
    assert n_hits > 15


@pytest.mark.parametrize("pulled", [False, True], ids=["straight", "curved"])
def test_spheres_meet_when_the_polynomial_says(pulled):
    rng = np.random.default_rng(51)
    n_hits = 0
    for _ in range(100):
        d, v, pull = flight(rng, 4.0, pulled)
        h = 0.5 * pull
        gap = np.array([h @ h, 2.0 * v @ h, v @ v + 2.0 * d @ h, 2.0 * d @ v, d @ d - 2.25])
        roots = np.roots(gap)
        real = np.sort(roots[(np.abs(roots.imag) < 1e-9) & (roots.real > 0.0)].real)
        hit = first_contact(Sphere(1.0), Sphere(0.5), position_b=d, velocity_b=v, acceleration_b=pull)
        assert (hit is None) == (len(real) == 0)
        if hit is not None:
            n_hits += 1
            assert hit.time == pytest.approx(real[0], abs=1e-6)
            at = d + hit.time * (v + hit.time * h)
            assert np.linalg.norm(at) == pytest.approx(1.5, abs=1e-12)
            np.testing.assert_allclose(hit.normal, at / 1.5, atol=1e-12)
            np.testing.assert_allclose(hit.point, at / 1.5, atol=1e-12)
    assert n_hits > 20


def test_surfaces_meet_a_half_space_with_their_lowest_vertex():
    rng = np.random.default_rng(61)
    for shape in surfaces(rng):
        for _ in range(10):
            quats = [random_quaternion(rng) for _ in range(2)]
            normal = rng.normal(size=3)
            wall = HalfSpace(normal, rng.normal() * np.linalg.norm(normal))
            world_normal = rotation(quats[1]) @ np.asarray(wall.normal)
            place, velocity, pull = (
                world_normal * 9.0 + rng.normal(size=3),
                rng.normal(size=3),
                -world_normal + 0.2 * rng.normal(size=3),
            )
            hit = first_contact(
                shape, wall, place, (1, 2, 3), velocity, (0, 0, 0), pull, orientation_a=quats[0], orientation_b=quats[1]
            )
            corners = shape.vertices[np.unique(shape.faces)] @ rotation(quats[0]).T
            low = (corners @ world_normal).min()
            gap = [
                0.5 * pull @ world_normal,
                velocity @ world_normal,
                low + (place - [1, 2, 3]) @ world_normal - wall.offset,
            ]
            roots = np.roots(gap)
            expected = roots[roots > 0.0].min() if gap[2] > 0.0 else 0.0
            assert hit is not None
            assert hit.time == pytest.approx(expected, abs=1e-9)
            np.testing.assert_allclose(hit.normal, -world_normal, atol=1e-12)


def test_answer_does_not_depend_on_when_it_is_asked():
    rng = np.random.default_rng(71)
    shapes = [Sphere(0.7), *surfaces(rng)]
    for a, b in drawn_pairs(rng, shapes, 60):
        d, v, pull = flight(rng, 6.0, bool(rng.integers(2)))
        quat = random_quaternion(rng)
        early = first_contact(a, b, position_b=d, velocity_b=v, acceleration_b=pull, orientation_b=quat)
        if early is None:
            continue
        later = first_contact(
            a, b, position_b=d, velocity_b=v, acceleration_b=pull, orientation_b=quat, start=0.7 * early.time
        )
        assert later is not None
        assert later.time == early.time
