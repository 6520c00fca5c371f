"""Compounds: unions of placed shapes."""

from __future__ import annotations

import numpy as np
import pytest

from carom import (
    Box,
    Capsule,
    Compound,
    Cone,
    Convex,
    Cylinder,
    HalfSpace,
    InvalidInputError,
    KineticBounds,
    Mesh,
    Motion,
    Polled,
    Sphere,
    World,
)
from carom.errors import UnsupportedPairError
from carom.narrow import ShapeTable
from geometry.shape_samples import rim
from oracles.naive_narrow import random_quaternion, rotation

IDENTITY = np.array([1.0, 0.0, 0.0, 0.0])


def pose(rng: np.random.Generator, size: float = 3.0) -> np.ndarray:
    matrix = np.eye(4)
    matrix[:3, :3] = rotation(random_quaternion(rng))
    matrix[:3, 3] = rng.normal(size=3) * size
    return matrix


def shifted(*by: float) -> np.ndarray:
    matrix = np.eye(4)
    matrix[:3, 3] = by
    return matrix


def test_compound_extents_are_those_of_the_union():
    rng = np.random.default_rng(4)
    box = Box((1.0, 2.0, 3.0))
    cloud = rng.normal(size=(20, 3))
    pieces = [
        (box, pose(rng), box.vertices, 0.0),
        (Capsule(0.5, 2.0), pose(rng), np.array([[0.0, 0.0, -1.0], [0.0, 0.0, 1.0]]), 0.5),
        (Cone(1.0, 2.0), pose(rng), np.vstack([[0.0, 0.0, 1.0], rim(1.0, -1.0)]), 0.0),
        (Cylinder(1.0, 2.0), None, np.vstack([rim(1.0, 1.0), rim(1.0, -1.0)]), 0.0),
        (Sphere(0.7), pose(rng), np.zeros((1, 3)), 0.7),
        (Mesh(cloud, [[0, 1, 2], [3, 4, 5]]), pose(rng), cloud[:6], 0.0),
        (Convex(cloud), pose(rng), cloud, 0.0),
    ]
    compound = Compound([(shape, matrix) for shape, matrix, _, _ in pieces])
    centre, radius = compound.bounding_sphere()
    for _ in range(20):
        quat, axes = random_quaternion(rng), rng.normal(size=(4, 3))
        axes /= np.linalg.norm(axes, axis=1)[:, None]
        lo, hi = compound.extents_along(axes, quat)
        low, high = np.full(4, np.inf), np.full(4, -np.inf)
        for _, matrix, points, swell in pieces:
            m = np.eye(4) if matrix is None else matrix
            placed = points @ m[:3, :3].T + m[:3, 3]
            assert (np.linalg.norm(placed - centre, axis=1) + swell <= radius * (1.0 + 1e-12)).all()
            along = axes @ rotation(quat) @ placed.T
            low = np.minimum(low, along.min(axis=1) - swell)
            high = np.maximum(high, along.max(axis=1) + swell)
        np.testing.assert_allclose(lo, low, atol=1e-6)
        np.testing.assert_allclose(hi, high, atol=1e-6)


def test_compound_of_one_shape_is_that_shape():
    rng = np.random.default_rng(5)
    for shape in (Sphere(2.0), Capsule(1.0, 2.0), Cone(1.0, 2.0), Box((1.0, 2.0, 3.0)), Cylinder(1.0, 2.0)):
        quat, axes = random_quaternion(rng), rng.normal(size=(6, 3))
        compound = Compound([(shape, None)])
        np.testing.assert_allclose(compound.extents_along(axes, quat), shape.extents_along(axes, quat), rtol=1e-13)
        assert compound.bounding_sphere()[1] <= shape.bounding_sphere()[1] * 1.01


def test_compound_bounding_sphere_of_two_balls_is_the_smallest():
    two = Compound([(Sphere(1.0), shifted(-3.0, 0.0, 0.0)), (Sphere(2.0), shifted(3.0, 0.0, 0.0))])
    centre, radius = two.bounding_sphere()
    np.testing.assert_allclose(centre, [0.5, 0.0, 0.0], atol=1e-12)
    assert radius == pytest.approx(4.5, rel=1e-12)
    # One inside the other.
    _, radius = Compound([(Sphere(1.0), shifted(0.5, 0.0, 0.0)), (Sphere(5.0), None)]).bounding_sphere()
    assert 5.0 <= radius <= 5.05


def test_compound_flattens_compounds():
    rng = np.random.default_rng(6)
    inner_pose, outer_pose, ball = pose(rng), pose(rng), Sphere(1.0)
    inner = Compound([(ball, inner_pose), (Box((1.0, 1.0, 1.0)), None)])
    outer = Compound([(inner, outer_pose), (Cone(1.0, 1.0), None)])
    assert [type(shape) for shape, _ in outer.pieces] == [Sphere, Box, Cone]
    assert outer.pieces[0][0] is ball
    np.testing.assert_allclose(outer.pieces[0][1], outer_pose @ inner_pose, atol=1e-14)
    assert outer.pieces[1][1][:3, 3] == pytest.approx(outer_pose[:3, 3])


def test_compound_with_a_half_space_is_unbounded():
    compound = Compound([(Sphere(1.0), shifted(0.0, 0.0, 4.0)), (HalfSpace((0.0, 0.0, 1.0), 2.0), None)])
    assert compound.bounding_sphere()[1] == np.inf
    lo, hi = compound.extents_along(np.eye(3), IDENTITY)
    assert hi.tolist() == [np.inf, np.inf, 5.0]
    assert (lo == -np.inf).all()


def test_compound_is_immutable_and_copies_poses():
    matrix = shifted(1.0, 2.0, 3.0)
    compound = Compound([(Sphere(1.0), matrix)])
    matrix[0, 3] = 9.0
    assert compound.pieces[0][1][0, 3] == 1.0
    with pytest.raises(ValueError, match="read-only"):
        compound.pieces[0][1][0, 3] = 5.0
    with pytest.raises(AttributeError):
        compound.pieces = ()


def test_compound_makes_poses_exactly_rigid():
    rng = np.random.default_rng(7)
    rough = pose(rng).astype(np.float32).astype(np.float64)
    turn = Compound([(Sphere(1.0), rough)]).pieces[0][1][:3, :3]
    np.testing.assert_allclose(turn @ turn.T, np.eye(3), atol=1e-15)
    np.testing.assert_allclose(turn, rough[:3, :3], atol=1e-6)


@pytest.mark.parametrize(
    ("pieces", "message"),
    [
        ([], "pieces is empty"),
        (Sphere(1.0), "expected a list of"),
        (5, "pieces is 5"),
        ([Sphere(1.0)], r"pieces\[0\] is Sphere"),
        ([(Sphere(1.0), None), ("ball", None)], r"pieces\[1\]\[0\] is 'ball'"),
        ([(Sphere(1.0), np.eye(3))], r"pieces\[0\]\[1\] has shape \(3, 3\); expected \(4, 4\)"),
        ([(Sphere(1.0), np.eye(4) * 2.0)], r"pieces\[0\]\[1\]\[3\] is"),
        ([(Sphere(1.0), np.diag([2.0, 1.0, 1.0, 1.0]))], "scales, shears or mirrors"),
        ([(Sphere(1.0), np.diag([-1.0, 1.0, 1.0, 1.0]))], "scales, shears or mirrors"),
        ([(Sphere(1.0), np.full((4, 4), np.nan))], r"pieces\[0\]\[1\]\[0, 0\] is nan"),
    ],
)
def test_compound_bad_input_names_argument_and_value(pieces, message):
    with pytest.raises(InvalidInputError, match=message):
        Compound(pieces)


def test_compound_refuses_polled_bodies():
    polled = Polled(KineticBounds(-np.eye(3), np.eye(3)), lambda *_: False, 10.0)
    with pytest.raises(InvalidInputError, match=r"pieces\[0\]\[0\] is polled"):
        Compound([(polled, None)])


def test_compound_is_refused_by_worlds_before_anything_changes():
    shape = Compound([(Sphere(1.0), None)])
    with pytest.raises(UnsupportedPairError, match="Compound"):
        ShapeTable().add(shape)
    world = World()
    with pytest.raises(UnsupportedPairError, match="Compound"):
        world.add(shape, Motion())
    assert len(world) == 0
