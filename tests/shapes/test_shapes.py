"""Shapes: what they accept, what they refuse, and the bounds they give."""

from __future__ import annotations

import numpy as np
import pytest

from carom.errors import InvalidInputError
from carom.shapes import Box, Convex, HalfSpace, Mesh, ShapeKind, Sphere, SurfaceShape
from oracles.naive_narrow import random_quaternion, rotation

IDENTITY = np.array([1.0, 0.0, 0.0, 0.0])
TETRA = np.array([[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]])


def bounded_shapes() -> list[SurfaceShape]:
    rng = np.random.default_rng(7)
    vertices = rng.normal(size=(40, 3)) + [3.0, -2.0, 1.0]
    faces = rng.integers(0, 40, size=(60, 3))
    flat = vertices * [1.0, 1.0, 0.0]
    return [Box((1.0, 2.0, 3.0)), Convex(vertices), Mesh(vertices, faces), Mesh(flat, faces), Mesh(TETRA, [[0, 1, 2]])]


def test_shape_kinds_are_in_dispatch_order():
    shapes = [Sphere(1), Box((1, 1, 1)), Convex(TETRA), Mesh(TETRA, [[0, 1, 2]]), HalfSpace((0, 0, 1))]
    assert [shape.kind for shape in shapes] == [ShapeKind(k) for k in range(5)]


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Sphere(0.0), "radius is 0.0"),
        (lambda: Sphere(-2.0), "radius is -2.0"),
        (lambda: Sphere(float("nan")), "radius is nan"),
        (lambda: Sphere("big"), "radius is 'big'"),
        (lambda: Box((1.0, 2.0)), r"extents has shape \(2,\)"),
        (lambda: Box((1.0, -2.0, 3.0)), r"extents\[1\] is -2.0"),
        (lambda: Box((1.0, float("inf"), 3.0)), r"extents\[1\] is inf"),
        (lambda: HalfSpace((0.0, 0.0, 0.0)), "normal is"),
        (lambda: HalfSpace((0.0, 0.0, 1.0), float("nan")), "offset is nan"),
        (lambda: HalfSpace((1e-300, 0.0, 0.0), 1e29), "offset over the length of normal"),
        (lambda: Convex(TETRA[:3]), "points has 3 rows"),
        (lambda: Convex(TETRA * [1.0, 1.0, 0.0]), "in one plane"),
        (lambda: Convex(TETRA[:, :2]), r"points has shape \(4, 2\)"),
        (lambda: Convex(np.where(TETRA == 1.0, np.nan, TETRA)), r"points\[1, 0\] is nan"),
        (lambda: Mesh(TETRA, [[0, 1, 4]]), r"faces\[0\] is \[0, 1, 4\]; expected rows of vertices, 0 to 3"),
        (lambda: Mesh(TETRA, [[0, 1, 2], [0, -1, 2]]), r"faces\[1\]"),
        (lambda: Mesh(TETRA, [[0, 1, 0.5]]), "whole numbers"),
        (lambda: Mesh(TETRA, [[0, 1, 1e30]]), "whole numbers"),
        (lambda: Mesh(TETRA, np.zeros((0, 3))), "faces is empty"),
        (lambda: Mesh(np.zeros((0, 3)), [[0, 0, 0]]), r"faces\[0\]"),
        (lambda: Mesh(TETRA, [0, 1, 2]), r"faces has shape \(3,\)"),
        (lambda: Mesh(TETRA * np.inf, [[0, 1, 2]]), "vertices"),
    ],
)
@pytest.mark.filterwarnings("ignore:invalid value")
def test_shape_bad_input_names_argument_and_value(make, message):
    with pytest.raises(InvalidInputError, match=message):
        make()


def test_shape_is_immutable_and_equal_only_to_itself():
    box = Box((1.0, 1.0, 1.0))
    with pytest.raises(AttributeError):
        box.extents = (2.0, 2.0, 2.0)
    with pytest.raises(ValueError, match="read-only"):
        box.vertices[0, 0] = 5.0
    assert box != Box((1.0, 1.0, 1.0))
    assert len({box, box, Box((1.0, 1.0, 1.0))}) == 2


def test_shape_copies_its_input():
    vertices = TETRA.copy()
    mesh = Mesh(vertices, [[0, 1, 2]])
    vertices[0] = 9.0
    assert mesh.vertices[0].tolist() == [0.0, 0.0, 0.0]


@pytest.mark.parametrize("shape", bounded_shapes(), ids=repr)
def test_bounding_sphere_holds_every_vertex(shape):
    centre, radius = shape.bounding_sphere()
    used = shape.vertices[np.unique(shape.faces)]
    assert (np.linalg.norm(used - centre, axis=1) <= radius).all()
    diameter = np.linalg.norm(used[:, None] - used[None], axis=2).max()
    assert radius <= 0.5 * diameter * 1.2


@pytest.mark.parametrize("shape", bounded_shapes(), ids=repr)
def test_extents_match_all_turned_vertices(shape):
    rng = np.random.default_rng(3)
    for _ in range(5):
        quat = random_quaternion(rng)
        axes = rng.normal(size=(6, 3))
        lo, hi = shape.extents_along(axes, quat)
        along = axes @ rotation(quat) @ shape.vertices[np.unique(shape.faces)].T
        np.testing.assert_allclose(lo, along.min(axis=1), atol=1e-12)
        np.testing.assert_allclose(hi, along.max(axis=1), atol=1e-12)


def test_sphere_extents_grow_with_the_axis():
    lo, hi = Sphere(2.0).extents_along(np.array([[1.0, 0.0, 0.0], [3.0, 4.0, 0.0]]), IDENTITY)
    assert lo.tolist() == [-2.0, -10.0]
    assert hi.tolist() == [2.0, 10.0]


def test_half_space_is_bounded_on_one_side_only():
    lo, hi = HalfSpace((0.0, 0.0, 2.0), 6.0).extents_along(
        np.array([[0, 0, 1.0], [0, 0, -2.0], [1.0, 0, 0], [0, 1.0, 1.0]]), IDENTITY
    )
    assert lo.tolist() == [-np.inf, -6.0, -np.inf, -np.inf]
    assert hi.tolist() == [3.0, np.inf, np.inf, np.inf]


def test_half_space_turned_by_a_right_angle_bounds_the_other_axis():
    half = np.sqrt(0.5)
    lo, hi = HalfSpace((0.0, 0.0, 1.0), 1.0).extents_along(np.eye(3), np.array([half, 0.0, half, 0.0]))
    assert np.isfinite(lo).sum() == 0
    assert hi[0] == pytest.approx(1.0)
    assert np.isinf(hi[1:]).all()


@pytest.mark.parametrize(
    "shape", [Box((1.0, 2.0, 3.0)), Convex(np.random.default_rng(1).normal(size=(30, 3)))], ids=["box", "convex"]
)
def test_solid_faces_turn_outwards_and_planes_hold_every_vertex(shape):
    tris = shape.vertices[shape.faces]
    normal = np.cross(tris[:, 1] - tris[:, 0], tris[:, 2] - tris[:, 0])
    assert ((normal * (tris.mean(axis=1) - shape.vertices.mean(axis=0))).sum(axis=1) > 0.0).all()
    heights = shape.vertices @ shape.planes[:, :3].T - shape.planes[:, 3]
    assert heights.max() < 1e-12
    on_plane = np.einsum("pkd,pd->pk", tris[shape.plane_faces], shape.planes[:, :3]) - shape.planes[:, 3:]
    assert np.abs(on_plane).max() < 1e-12


def test_convex_keeps_only_extreme_points():
    cube = np.array([[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)], dtype=float)
    hull = Convex(np.vstack([cube, np.zeros((1, 3)), 0.5 * cube]))
    assert len(hull.vertices) == 8
    assert len(hull.faces) == 12
    assert len(hull.planes) == 6


def test_box_triangles_belong_to_their_side():
    box = Box((2.0, 4.0, 6.0))
    for side in range(6):
        corners = box.vertices[box.faces[2 * side : 2 * side + 2]].reshape(-1, 3)
        assert (corners[:, side // 2] == (1.0 if side % 2 else -1.0) * (side // 2 + 1.0)).all()
