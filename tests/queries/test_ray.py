"""Ray casts against every shape."""

from __future__ import annotations

import numpy as np
import pytest
import trimesh

import carom
from carom.errors import InvalidInputError
from carom.queries.ray import ray_cast

SHAPES = {
    "sphere": (carom.Sphere(1.3), lambda p: np.linalg.norm(p, axis=1) <= 1.3),
    "box": (carom.Box((1.0, 2.0, 3.0)), lambda p: (np.abs(p) <= (0.5, 1.0, 1.5)).all(axis=1)),
    "capsule": (
        carom.Capsule(0.6, 1.4),
        lambda p: np.linalg.norm(p - np.clip(p[:, 2:], -0.7, 0.7) * (0.0, 0.0, 1.0), axis=1) <= 0.6,
    ),
    "cylinder": (
        carom.Cylinder(0.8, 1.6),
        lambda p: (np.hypot(p[:, 0], p[:, 1]) <= 0.8) & (np.abs(p[:, 2]) <= 0.8),
    ),
    "cone": (
        carom.Cone(0.9, 2.0),
        lambda p: (np.hypot(p[:, 0], p[:, 1]) <= 0.45 * (1.0 - p[:, 2])) & (np.abs(p[:, 2]) <= 1.0),
    ),
    "ellipsoid": (carom.Ellipsoid((0.9, 1.4, 0.6)), lambda p: np.linalg.norm(p / (0.9, 1.4, 0.6), axis=1) <= 1.0),
    "half-space": (carom.HalfSpace((0.0, 0.6, 0.8), 0.3), lambda p: p @ (0.0, 0.6, 0.8) <= 0.3),
    "convex": (
        carom.Convex(np.vstack((np.eye(3), -np.eye(3)))),
        lambda p: np.abs(p).sum(axis=1) <= 1.0,
    ),
}


def rays(seed, n):
    rng = np.random.default_rng(seed)
    origins = rng.normal(size=(n, 3)) * 2.0
    return origins, rng.normal(size=(n, 3)) - 0.7 * origins


@pytest.mark.parametrize("name", SHAPES)
def test_ray_cast_meets_a_solid_where_marching_along_the_ray_does(name):
    shape, inside = SHAPES[name]
    origins, directions = rays(3, 4000)
    found = ray_cast(shape, origins, directions)
    unit = directions / np.linalg.norm(directions, axis=1)[:, None]
    steps = np.linspace(0.0, 12.0, 1201)
    for begin in range(0, len(origins), 1000):
        part = slice(begin, begin + 1000)
        points = origins[part, None] + steps[None, :, None] * unit[part, None]
        in_it = inside(points.reshape(-1, 3)).reshape(-1, len(steps))
        marched = np.where(in_it.any(axis=1), steps[in_it.argmax(axis=1)], np.inf)
        distance = found.distance[part]
        assert (distance <= marched + 1e-9).all()
        seen = np.isfinite(marched)
        assert (marched[seen] - distance[seen] <= 0.01 + 1e-9).all()
        # What marching stepped over is entered just behind the reported distance.
        only = np.isfinite(distance) & ~seen & (distance < 12.0)
        assert only.mean() < 0.05
        assert inside(origins[part][only] + (distance[only, None] + 1e-9) * unit[part][only]).all()


@pytest.mark.parametrize("name", SHAPES)
def test_ray_cast_normal_faces_the_ray_and_stands_on_the_surface(name):
    shape, inside = SHAPES[name]
    origins, directions = rays(4, 2000)
    found = ray_cast(shape, origins, directions)
    hit = found.hit & (found.distance > 0.0)
    unit = directions / np.linalg.norm(directions, axis=1)[:, None]
    assert hit.sum() > 100
    assert ((found.normal * unit).sum(axis=1)[hit] < 1e-9).all()
    assert np.allclose(np.linalg.norm(found.normal[hit], axis=1), 1.0)
    assert not inside(found.point[hit] + 1e-7 * found.normal[hit]).any()


def test_ray_cast_of_a_mesh_agrees_with_all_its_triangles():
    ball = trimesh.creation.torus(1.0, 0.4, major_sections=24, minor_sections=12)
    mesh = carom.Mesh(ball.vertices, ball.faces)
    origins, directions = rays(5, 500)
    found = ray_cast(mesh, origins, directions)
    corners = ball.vertices[ball.faces]
    for k in range(len(origins)):
        e1, e2 = corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]
        d = directions[k] / np.linalg.norm(directions[k])
        h = np.cross(d, e2)
        det = (e1 * h).sum(axis=1)
        s = origins[k] - corners[:, 0]
        u = (s * h).sum(axis=1) / det
        q = np.cross(s, e1)
        v, t = (q @ d) / det, (e2 * q).sum(axis=1) / det
        ok = (u >= 0) & (v >= 0) & (u + v <= 1) & (t >= 0)
        expected = t[ok].min() if ok.any() else np.inf
        assert found.distance[k] == pytest.approx(expected, rel=1e-12, abs=1e-12)


def test_ray_cast_through_edges_and_vertices_of_a_mesh_never_slips_through():
    ball = trimesh.creation.icosphere(2, 1.0)
    mesh = carom.Mesh(ball.vertices, ball.faces)
    middles = ball.vertices[ball.edges_unique].mean(axis=1)
    aims = np.vstack((ball.vertices, middles))
    assert ray_cast(mesh, 3.0 * aims + (1e-3, 2e-3, 0.0), -2.0 * aims - (1e-3, 2e-3, 0.0)).hit.all()
    assert ray_cast(mesh, 3.0 * aims, -aims).hit.all()


def test_ray_cast_takes_the_nearest_of_many_with_their_poses():
    poses = np.tile(np.eye(4), (3, 1, 1))
    poses[:, 0, 3] = (10.0, 4.0, 7.0)
    found = ray_cast([carom.Sphere(1.0), carom.Box((1, 1, 1)), carom.Sphere(2.0)], (0, 0, 0), (2, 0, 0), poses)
    assert (found.hit, found.shape, found.distance) == (True, 1, 3.5)
    assert found.feature == 0
    assert np.array_equal(found.normal, (-1.0, 0.0, 0.0))


def test_ray_cast_of_a_compound_takes_its_nearest_piece():
    pose = np.eye(4)
    pose[:3, 3] = (0.0, 0.0, 5.0)
    both = carom.Compound([(carom.Sphere(1.0), None), (carom.Box((2, 2, 2)), pose)])
    assert ray_cast(both, (0, 0, 9), (0, 0, -1)).distance == 3.0
    assert ray_cast(both, (0, 0, -9), (0, 0, 1)).distance == 8.0


def test_ray_cast_from_inside_a_solid_is_at_distance_zero():
    found = ray_cast(carom.Box((2, 2, 2)), (0.5, 0, 0), (0, 1, 0))
    assert found.distance == 0.0
    assert np.array_equal(found.normal, (0.0, -1.0, 0.0))


def test_ray_cast_keeps_to_its_limit():
    assert not ray_cast(carom.Sphere(1.0), (5, 0, 0), (-1, 0, 0), max_distance=3.9).hit
    assert ray_cast(carom.Sphere(1.0), (5, 0, 0), (-1, 0, 0), max_distance=4.0).hit


@pytest.mark.parametrize("scale", [1e-6, 1e6])
def test_ray_cast_scales(scale):
    found = ray_cast(carom.Cone(scale, 2 * scale), (3 * scale, 0, 0), (-1, 0, 0))
    assert found.distance == pytest.approx(2.5 * scale, rel=1e-12)


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (([], (0, 0, 0), (1, 0, 0)), "empty list"),
        ((["ball"], (0, 0, 0), (1, 0, 0)), r"shape\[0\] is 'ball'"),
        ((carom.Sphere(1.0), (0, 0, 0), (0, 0, 0)), r"directions\[0\] is \(0, 0, 0\)"),
        ((carom.Sphere(1.0), (np.nan, 0, 0), (1, 0, 0)), r"origins\[0\] is nan"),
        ((carom.Sphere(1.0), np.zeros((2, 3)), np.ones((3, 3))), "origins has 2 rows and directions 3"),
        ((carom.Sphere(1.0), (0, 0, 0), (1, 0, 0), None, -1.0), "max_distance is -1.0"),
    ],
)
def test_ray_cast_refuses_bad_input(arguments, says):
    with pytest.raises(InvalidInputError, match=says):
        ray_cast(*arguments)


@pytest.mark.parametrize(
    "shape",
    [
        carom.Sphere(1.0),
        carom.Cylinder(1.0, 2.0),
        carom.Capsule(1.0, 2.0),
        carom.Cone(1.0, 2.0),
        carom.Ellipsoid((1.0, 1.0, 1.0)),
    ],
)
@pytest.mark.parametrize("ratio", [1e3, 1e6, 1e9])
def test_ray_from_far_away_hits_where_a_ray_from_nearby_does(shape: carom.Shape, ratio: float):
    rng = np.random.default_rng(int(ratio))
    along = rng.normal(size=(200, 3))
    along /= np.linalg.norm(along, axis=1)[:, None]
    through = rng.uniform(-0.4, 0.4, (200, 3)) + (0.0, 0.0, -0.5)
    far, near = (carom.ray_cast(shape, through - d * along, along) for d in (ratio, 4.0))
    assert far.hit.all()
    assert near.hit.all()
    assert np.abs((far.distance - ratio) - (near.distance - 4.0)).max() < 1e-14 * ratio


def test_ray_feature_of_a_compound_is_the_piece():
    far = np.eye(4)
    far[0, 3] = 5.0
    both = carom.Compound([(carom.Sphere(1.0), np.eye(4)), (carom.Box((1, 1, 1)), far)])
    hits = carom.ray_cast(both, [(-9, 0, 0), (9, 0, 0), (0, 9, 0)], [(1, 0, 0), (-1, 0, 0), (0, 1, 0)])
    assert hits.feature.tolist() == [0, 1, -1]


@pytest.mark.filterwarnings("error")
def test_ray_no_rays_give_an_empty_answer_without_a_warning():
    assert len(carom.ray_cast(carom.Sphere(1.0), np.zeros((0, 3)), (1, 0, 0)).hit) == 0
    assert len(carom.ray_cast(carom.Sphere(1.0), np.zeros((0, 3)), np.ones((1, 3))).hit) == 0
