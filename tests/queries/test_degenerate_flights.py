"""Meshes of triangles without area, straight and spinning: never late, and the contact is on both bodies."""

from __future__ import annotations

import numpy as np
import pytest

import carom
from carom.motion.turning import rotations, turned_quaternions


def degenerate_mesh(rng, grid):
    """A few triangles: whole ones, with corners that coincide, with corners in a line, points."""
    vertices = rng.integers(-4, 5, size=(8, 3)) * rng.choice([0.125, 0.175]) if grid else rng.normal(size=(8, 3))
    faces = []
    for _ in range(rng.integers(1, 5)):
        i, j, k = rng.choice(8, 3, replace=False)
        kind = rng.integers(4)
        if kind == 3:
            between = vertices[i] + (vertices[j] - vertices[i]) * rng.choice([0.5, 0.25, 2.0, -1.0, rng.uniform(-1, 2)])
            vertices = np.vstack((vertices, between))
        corners = ((i, j, k), (i, i, j), (i, i, i), (i, j, len(vertices) - 1))[kind]
        faces.append(rng.permutation(corners))
    return carom.Mesh(vertices, faces)


def scene(seed):
    """Two bodies, one of them of degenerate triangles at least, that fly towards each other; most of them spin."""
    rng = np.random.default_rng(seed)
    grid = rng.random() < 0.5
    a, b = degenerate_mesh(rng, grid), degenerate_mesh(rng, grid)
    other = rng.random()
    if other < 0.2:
        b = carom.Sphere(rng.uniform(0.1, 1.0))
    elif other < 0.35:
        b = carom.Box(rng.uniform(0.1, 1.0, 3))
    elif other < 0.45:
        b = carom.Cylinder(*rng.uniform(0.1, 1.0, 2))
    way = rng.normal(size=3)
    way *= rng.uniform(2.0, 5.0) / np.linalg.norm(way)
    one = carom.Motion(
        rng.normal(size=3), orientation=rng.normal(size=4), spin=rng.normal(size=3) * rng.choice([0, 1, 8])
    )
    spin = rng.normal(size=3) * rng.choice([0, 1, 8])
    pull = rng.normal(size=3) * rng.choice([0.0, 0.3])
    speed = -way / rng.uniform(0.7, 3.0) + rng.normal(size=3) * 0.3
    return a, b, one, carom.Motion(one.position + way, speed, pull, rng.normal(size=4), spin)


def poses(motion, times):
    n, dt = len(times), times - motion.start
    out = np.tile(np.eye(4), (n, 1, 1))
    out[:, :3, :3] = rotations(
        turned_quaternions(np.tile(motion.orientation, (n, 1)), np.tile(motion.spin, (n, 1)), dt)
    )
    out[:, :3, 3] = motion.position + motion.velocity * dt[:, None] + 0.5 * motion.acceleration * dt[:, None] ** 2
    return out


def sampled_distances(a, b, one, other, end):
    """Distances at many times before `end`, and around the least of them at many more."""
    times = np.linspace(0.0, end, 600, endpoint=False)
    apart = carom.distance(a, b, poses(one, times), poses(other, times), threads=1).distance
    parts = [apart]
    for k in np.argsort(apart)[:4]:
        low, high = times[max(k - 1, 0)], times[min(k + 1, 599)]
        for _ in range(4):
            closer = np.linspace(low, high, 24)
            apart = carom.distance(a, b, poses(one, closer), poses(other, closer), threads=1).distance
            parts.append(apart)
            least = int(apart.argmin())
            low, high = closer[max(least - 1, 0)], closer[min(least + 1, 23)]
    return np.concatenate(parts)


@pytest.mark.parametrize("first", range(0, 200, 25))
def test_impacts_of_degenerate_meshes_are_never_late_and_on_both_bodies(first):
    hits = 0
    for seed in range(first, first + 25):
        a, b, one, other = scene(seed)
        hit = carom.time_of_impact(a, b, one, other, 5.0)
        if hit is not None and hit.time == 0.0:
            continue
        assert (sampled_distances(a, b, one, other, 5.0 if hit is None else hit.time) > 0.0).all(), seed
        if hit is None:
            continue
        hits += 1
        here, there = one.pose_at(hit.time), other.pose_at(hit.time)
        assert carom.distance(a, b, here, there).distance < 1e-7, seed
        point = np.eye(4)
        point[:3, 3] = hit.point
        for shape, pose in ((a, here), (b, there)):
            assert carom.distance(shape, carom.Sphere(1e-12), pose, point).distance < 1e-6, seed
    assert hits > 5


def test_points_of_contact_of_flat_triangles_are_on_both_bodies():
    a = carom.Mesh([[1.125, -0.125, -1.375], [3.0, -1.125, -2.375], [3.0, -1.125, -2.375]], [[0, 1, 2]])
    b = carom.Mesh(
        [
            [0.0, -0.175, -0.35], [0.0, 0.35, -0.35], [0.175, -0.175, 0.175], [-0.175, -0.175, 0.175],
            [-0.5249999999999999, -0.7, 0.35], [-0.175, 0.0, 0.35], [0.0, 0.175, 0.35], [0.0, -0.175, 0.0],
        ],
        [[7, 2, 7], [3, 3, 0], [6, 7, 6], [0, 4, 6], [6, 1, 1]],
    )  # fmt: skip
    one = carom.Motion(
        orientation=(0.026413529073476796, -0.6937120586073438, 0.7035909721383236, 0.15174204806214667),
        spin=(-0.27971868577930326, -15.241008618715428, 6.2177827655192575),
    )
    other = carom.Motion(
        (0.949953095997925, -5.603354649039242, 1.9235399118537317),
        (-0.4742917597215822, 2.4740702358799247, -0.5932987423722017),
        orientation=(-0.9770496325404662, 0.03787708613031717, -0.17659289813152015, -0.11293489375887011),
    )
    hit = carom.time_of_impact(a, b, one, other, 5.0)
    point = np.eye(4)
    point[:3, 3] = hit.point
    for shape, motion in ((a, one), (b, other)):
        assert carom.distance(shape, carom.Sphere(1e-12), motion.pose_at(hit.time), point).distance < 1e-8


@pytest.mark.parametrize("spin", [0.0, 1e-3])
@pytest.mark.parametrize("face", [(0, 0, 1), (0, 1, 1), (0, 1, 0), (1, 1, 0), (0, 2, 1), (2, 0, 1), (0, 1, 2)])
def test_balls_meet_triangles_without_area_whatever_the_order_of_their_corners(face, spin):
    wire = carom.Mesh([[-1, 0, 0], [1, 0, 0], [0.3, 0, 0]], [face])
    ball, fly = carom.Sphere(0.5), carom.Motion((0.1, 0, 3), (0, 0, -1))
    for a, b, one, other in (
        (wire, ball, carom.Motion(spin=(0, 0, spin)), fly),
        (ball, wire, fly, carom.Motion(spin=(0, 0, spin))),
    ):
        assert carom.time_of_impact(a, b, one, other, 6.0).time == pytest.approx(2.5, abs=1e-6 if spin else 1e-12)
    world = carom.World()
    world.add(wire)
    world.add(ball, fly)
    assert world.advance(6.0).times == pytest.approx([2.5])
    pose = np.eye(4)
    pose[:3, 3] = (0.1, 0, 0.3)
    assert carom.penetration(wire, ball, None, pose).depth == pytest.approx(0.2, abs=1e-9)


def test_balls_meet_needles_where_their_nearest_edge_is():
    # Triangles from flat to hardly flat, against the nearest of their edges, from which they differ by their height at most.
    rng = np.random.default_rng(29)
    for _ in range(300):
        corners = np.vstack((rng.normal(size=(2, 3)), np.zeros(3)))
        height = rng.choice([0.0, 1e-17, 1e-15, 1e-13, 1e-11, 1e-8])
        corners[2] = corners[0] + rng.uniform(-1.0, 2.0) * (corners[1] - corners[0]) + height * rng.normal(size=3)
        needle = carom.Mesh(corners[rng.permutation(3)], [(0, 1, 2)])
        centre = rng.normal(size=3) * 2.0
        apart = min(
            np.linalg.norm(p + min(max(((centre - p) @ (q - p)) / ((q - p) @ (q - p)), 0.0), 1.0) * (q - p) - centre)
            for p, q in ((corners[i], corners[i - 1]) for i in range(3))
        )
        way = rng.normal(size=3) * 0.01
        ball = carom.Sphere(0.999 * apart)
        hit = carom.time_of_impact(needle, ball, carom.Motion(), carom.Motion(centre, way), 1e-9)
        assert hit is None
        grown = carom.Sphere(1.001 * apart)
        hit = carom.time_of_impact(needle, grown, carom.Motion(), carom.Motion(centre, way), 1.0)
        assert hit.time == 0.0
        assert hit.status == 1
