"""First contacts whose time, point and normal are known, for every pair of kinds."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
import trimesh

from carom.errors import InvalidInputError
from carom.narrow import Status, first_contact
from carom.shapes import HalfSpace, Mesh, Sphere
from oracles.naive_narrow import CUBE, UNIT, Cloud, random_quaternion, rotation

PAIRS = list(product(UNIT, UNIT))
FLOOR = HalfSpace((0.0, 0.0, 1.0), 0.0)


@pytest.mark.parametrize(("a", "b"), PAIRS)
def test_pair_meets_face_on(a, b):
    hit = first_contact(UNIT[a], UNIT[b], position_b=(5.0, 0.2, 0.1), velocity_b=(-2.0, 0.0, 0.0))
    assert hit is not None
    if a == b == "sphere":
        reach = np.sqrt(4.0 - 0.05)
        assert hit.time == pytest.approx((5.0 - reach) / 2.0, abs=1e-12)
        np.testing.assert_allclose(hit.normal, [reach / 2.0, 0.1, 0.05], atol=1e-12)
    else:
        assert hit.time == pytest.approx(1.5, abs=1e-12)
        np.testing.assert_allclose(hit.normal, [1.0, 0.0, 0.0], atol=1e-12)
        assert hit.point[0] == pytest.approx(1.0, abs=1e-12)
        assert np.abs(hit.point - [1.0, 0.1, 0.05])[1:].max() < 1.0
    assert hit.status is Status.EXACT


@pytest.mark.parametrize(("a", "b"), PAIRS)
def test_pair_meets_under_acceleration(a, b):
    # From rest: 3 = s^2 / 2 * 1.5.
    hit = first_contact(
        UNIT[a], UNIT[b], position_b=(5.0, 0.0, 0.0), acceleration_a=(0.5, 0.0, 0.0), acceleration_b=(-1.0, 0.0, 0.0)
    )
    assert hit is not None
    assert hit.time == pytest.approx(2.0, abs=1e-12)
    np.testing.assert_allclose(hit.normal, [1.0, 0.0, 0.0], atol=1e-12)
    assert hit.point[0] == pytest.approx(1.0 + 0.25 * 4.0, abs=1e-12)


@pytest.mark.parametrize("name", UNIT)
def test_body_falls_on_the_floor(name):
    hit = first_contact(UNIT[name], FLOOR, position_a=(3.0, 4.0, 6.0), acceleration_a=(0.0, 0.0, -10.0))
    assert hit is not None
    assert hit.time == pytest.approx(1.0, abs=1e-12)
    np.testing.assert_allclose(hit.point, [3.0, 4.0, 0.0], atol=1e-12)
    np.testing.assert_allclose(hit.normal, [0.0, 0.0, -1.0], atol=1e-12)


@pytest.mark.parametrize("name", UNIT)
def test_body_thrown_up_falls_back_on_the_floor(name):
    # It starts in touch and leaves, so that its first contact is the fall.
    hit = first_contact(
        UNIT[name], FLOOR, position_a=(0.0, 0.0, 1.0), velocity_a=(0.0, 0.0, 5.0), acceleration_a=(0.0, 0.0, -10.0)
    )
    assert hit is not None
    assert hit.time == pytest.approx(1.0, abs=1e-12)


@pytest.mark.parametrize(("a", "b"), PAIRS)
def test_pair_thrown_apart_falls_back(a, b):
    hit = first_contact(
        UNIT[a], UNIT[b], position_b=(0.0, 0.0, 2.0), velocity_b=(0.0, 0.0, 5.0), acceleration_b=(0.0, 0.0, -10.0)
    )
    assert hit is not None
    assert hit.time == pytest.approx(1.0, abs=1e-9)
    np.testing.assert_allclose(hit.normal, [0.0, 0.0, 1.0], atol=1e-9)


def test_half_spaces_meet_only_face_to_face():
    ceiling = HalfSpace((0.0, 0.0, -1.0), -1.0)
    hit = first_contact(FLOOR, ceiling, position_b=(7.0, 0.0, 5.0), velocity_b=(0.0, 0.0, -2.0))
    assert hit is not None
    assert hit.time == pytest.approx(3.0)
    np.testing.assert_allclose(hit.normal, [0.0, 0.0, 1.0], atol=1e-15)
    assert hit.point[2] == pytest.approx(0.0, abs=1e-12)
    tilted = HalfSpace((0.1, 0.0, -1.0), -1.0)
    assert first_contact(FLOOR, tilted, position_b=(0.0, 0.0, 5.0), velocity_b=(0.0, 0.0, -2.0)) is None


def test_sphere_hits_an_edge_and_a_corner_of_a_box():
    diagonal = np.array([1.0, 1.0, 0.0]) / np.sqrt(2.0)
    corner = np.ones(3) / np.sqrt(3.0)
    for way, reach, solid in product((diagonal, corner), (10.0,), ("box", "convex", "mesh")):
        hit = first_contact(Sphere(0.5), UNIT[solid], position_a=reach * way, velocity_a=-way)
        touched = np.sqrt(2.0) if way is diagonal else np.sqrt(3.0)
        assert hit is not None
        assert hit.time == pytest.approx(reach - touched - 0.5, abs=1e-12)
        np.testing.assert_allclose(hit.normal, -way, atol=1e-12)
        np.testing.assert_allclose(hit.point, touched * way, atol=1e-12)


def test_sphere_flies_through_a_ring_and_hits_a_thicker_one():
    ring = trimesh.creation.torus(2.0, 0.5, major_sections=32, minor_sections=16)
    mesh = Mesh(ring.vertices, ring.faces)
    assert first_contact(Sphere(1.4), mesh, position_a=(0.0, 0.0, 9.0), velocity_a=(0.0, 0.0, -1.0)) is None
    hit = first_contact(Sphere(1.8), mesh, position_a=(0.0, 0.0, 9.0), velocity_a=(0.0, 0.0, -1.0))
    assert hit is not None
    assert 9.0 - np.sqrt(2.3**2 - 2.0**2) == pytest.approx(hit.time, abs=0.05)


def test_boxes_meet_corner_to_face_and_edge_to_edge():
    # A cube standing on its corner: its half diagonal is sqrt(3).
    lift = np.arccos(1.0 / np.sqrt(3.0))
    stand = np.array([np.cos(lift / 2.0), *(np.sin(lift / 2.0) * np.array([1.0, -1.0, 0.0]) / np.sqrt(2.0))])
    for solid in ("box", "convex", "mesh"):
        hit = first_contact(
            CUBE, UNIT[solid], position_b=(0.3, 0.2, 9.0), velocity_b=(0.0, 0.0, -1.0), orientation_b=stand
        )
        assert hit is not None
        assert hit.time == pytest.approx(9.0 - 1.0 - np.sqrt(3.0), abs=1e-12)
        np.testing.assert_allclose(hit.point, [0.3, 0.2, 1.0], atol=1e-9)
        np.testing.assert_allclose(hit.normal, [0.0, 0.0, 1.0], atol=1e-9)
        # Crossed edges: each cube is turned by 45 degrees about its own long axis.
        eighth = np.pi / 8.0
        about_x = np.array([np.cos(eighth), np.sin(eighth), 0.0, 0.0])
        about_y = np.array([np.cos(eighth), 0.0, np.sin(eighth), 0.0])
        hit = first_contact(
            CUBE,
            UNIT[solid],
            (0, 0, 0),
            (0.2, 0.1, 9.0),
            velocity_b=(0, 0, -1.0),
            orientation_a=about_x,
            orientation_b=about_y,
        )
        assert hit is not None
        assert hit.time == pytest.approx(9.0 - 2.0 * np.sqrt(2.0), abs=1e-12)
        np.testing.assert_allclose(hit.point, [0.2, 0.0, np.sqrt(2.0)], atol=1e-9)
        np.testing.assert_allclose(hit.normal, [0.0, 0.0, 1.0], atol=1e-9)


def test_face_contact_point_is_the_middle_of_what_is_shared():
    hit = first_contact(CUBE, CUBE, position_b=(1.0, 0.5, 5.0), velocity_b=(0.0, 0.0, -1.0))
    assert hit is not None
    np.testing.assert_allclose(hit.point, [0.5, 0.25, 1.0], atol=1e-12)
    # An edge laid across a face.
    eighth = np.pi / 8.0
    hit = first_contact(
        CUBE,
        CUBE,
        (0, 0, 0),
        (1.0, 0.5, 5.0),
        velocity_b=(0, 0, -1.0),
        orientation_b=(np.cos(eighth), np.sin(eighth), 0, 0),
    )
    assert hit is not None
    np.testing.assert_allclose(hit.point, [0.5, 0.5, 1.0], atol=1e-12)


def test_features_name_the_faces_that_touch():
    wall = Mesh([[0, -9, -9], [0, 9, -9], [0, 0, 9]], [[0, 1, 2]])
    hit = first_contact(CUBE, wall, position_b=(5.0, 0.0, 0.0), velocity_a=(1.0, 0.0, 0.0))
    assert hit is not None
    assert (hit.feature_a, hit.feature_b) == (1, 0)
    hit = first_contact(
        wall, Sphere(1.0), position_b=(0.0, 5.0, -8.5), velocity_b=(0.0, 0.0, 0.0), velocity_a=(0.0, 0.0, 0.0)
    )
    assert hit is None
    for side in range(6):
        way = np.zeros(3)
        way[side // 2] = 1.0 if side % 2 else -1.0
        hit = first_contact(CUBE, Sphere(1.0), position_b=9.0 * way, velocity_b=-way)
        assert hit is not None
        assert (hit.feature_a, hit.feature_b) == (side, -1)
        np.testing.assert_allclose(hit.normal, way, atol=1e-15)
    face = UNIT["convex"].faces
    hit = first_contact(UNIT["convex"], Sphere(1.0), position_b=(0.0, 0.1, 9.0), velocity_b=(0.0, 0.0, -1.0))
    assert hit is not None
    assert (UNIT["convex"].vertices[face[hit.feature_a], 2] == 1.0).all()


def test_start_leaves_out_earlier_contacts():
    args = {"position_b": (5.0, 0.0, 0.0), "velocity_b": (-4.0, 0.0, 0.0), "acceleration_b": (1.0, 0.0, 0.0)}
    for a, b in product(UNIT.values(), UNIT.values()):
        hit = first_contact(a, b, **args)
        assert hit is not None
        # 5 - 4 s + s^2 / 2 = 2 at s = 0.838 and, coming back, it is already deep inside at s = 4 and moves away.
        assert hit.time == pytest.approx(4.0 - np.sqrt(10.0), abs=1e-9)


@pytest.mark.parametrize(("a", "b"), PAIRS)
def test_turning_the_whole_scene_changes_nothing(a, b):
    rng = np.random.default_rng(4)
    quat = random_quaternion(rng)
    turn = rotation(quat)
    args = {
        "position_b": rng.normal(size=3) + [6.0, 0.0, 0.0],
        "velocity_b": np.array([-2.0, 0.1, 0.2]),
        "acceleration_a": rng.normal(size=3) * 0.1,
    }
    still = first_contact(UNIT[a], UNIT[b], **args)
    turned = first_contact(
        UNIT[a], UNIT[b], **{k: turn @ v for k, v in args.items()}, orientation_a=quat, orientation_b=quat
    )
    assert still is not None
    assert turned is not None
    assert turned.time == pytest.approx(still.time, abs=1e-10)
    np.testing.assert_allclose(turned.normal, turn @ still.normal, atol=1e-9)


def test_bad_arguments_are_named():
    with pytest.raises(InvalidInputError, match="velocity_b"):
        first_contact(CUBE, CUBE, velocity_b=(1.0, np.nan, 0.0))
    with pytest.raises(InvalidInputError, match="orientation_a"):
        first_contact(CUBE, CUBE, orientation_a=(0.0, 0.0, 0.0, 0.0))
    with pytest.raises(InvalidInputError, match="start is -1"):
        first_contact(CUBE, CUBE, start=-1.0)


@pytest.mark.parametrize(("a", "b"), PAIRS)
def test_swapping_the_bodies_gives_the_same_contact(a, b):
    first, second = UNIT[a], UNIT[b]
    rng = np.random.default_rng(11)
    for _ in range(5):
        there = rng.normal(size=3) + [5.0, 0.0, 0.0]
        way = -there + 0.3 * rng.normal(size=3)
        quats = [random_quaternion(rng) for _ in range(2)]
        one = first_contact(
            first, second, position_b=there, velocity_b=way, orientation_a=quats[0], orientation_b=quats[1]
        )
        two = first_contact(
            second, first, position_a=there, velocity_a=way, orientation_a=quats[1], orientation_b=quats[0]
        )
        assert (one is None) == (two is None)
        if one is not None and two is not None:
            assert two.time == one.time if a != b else two.time == pytest.approx(one.time, abs=1e-12)
            np.testing.assert_allclose(two.normal, -one.normal, atol=1e-9)
            np.testing.assert_allclose(two.point, one.point, atol=1e-9)


def test_shape_without_a_pair_test_is_refused():
    with pytest.raises(ValueError, match="Cloud"):
        first_contact(Cloud(), CUBE)
