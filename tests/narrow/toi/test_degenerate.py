"""Awkward geometry: parallel faces, corners on corners, slivers, segments, points, far places, tiny and huge shapes."""

from __future__ import annotations

import numpy as np
import pytest

from carom.narrow import first_contact
from carom.shapes import Box, Convex, Mesh, Sphere
from oracles.naive_narrow import random_quaternion, rotation

TRIANGLE = np.array([[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]])
FACE = [[0, 1, 2]]


def turned_everyway() -> list:
    rng = np.random.default_rng(5)
    return [np.array([1.0, 0.0, 0.0, 0.0]), *(random_quaternion(rng) for _ in range(4))]


def touch(
    first, second, offset, velocity, acceleration=(0.0, 0.0, 0.0), quat=(1.0, 0.0, 0.0, 0.0), place=(0.0, 0.0, 0.0)
):
    """First contact of two vertex lists as triangles, the whole scene turned by `quat` and put at `place`."""
    turn = rotation(np.asarray(quat))
    place = np.asarray(place, dtype=float)
    return first_contact(
        Mesh(first, FACE),
        Mesh(second, FACE),
        place,
        place + turn @ np.asarray(offset, dtype=float),
        velocity_b=turn @ np.asarray(velocity, dtype=float),
        acceleration_b=turn @ np.asarray(acceleration, dtype=float),
        orientation_a=quat,
        orientation_b=quat,
    )


@pytest.mark.parametrize("quat", turned_everyway())
def test_parallel_triangles_meet_in_their_planes_instant(quat):
    hit = touch(TRIANGLE, TRIANGLE, (0.1, 0.1, 2.0), (0.05, 0.0, -1.0), quat=quat)
    assert hit is not None
    assert hit.time == pytest.approx(2.0, abs=1e-12)
    np.testing.assert_allclose(hit.normal, rotation(quat) @ [0.0, 0.0, 1.0], atol=1e-9)
    assert touch(TRIANGLE, TRIANGLE, (0.9, 0.9, 2.0), (0.0, 0.0, -1.0), quat=quat) is None


@pytest.mark.parametrize("quat", turned_everyway())
def test_coplanar_triangles_meet_edge_on(quat):
    hit = touch(TRIANGLE, TRIANGLE, (3.0, 0.2, 0.0), (-1.0, 0.0, 0.0), quat=quat)
    assert hit is not None
    # The corner (3, 0.2) reaches the slanted side x + y = 1 at x = 0.8.
    assert hit.time == pytest.approx(2.2, abs=1e-9)
    assert touch(TRIANGLE, TRIANGLE, (3.0, 1.2, 0.0), (-1.0, 0.0, 0.0), quat=quat) is None


@pytest.mark.parametrize("quat", turned_everyway())
def test_corner_meets_corner(quat):
    # In passing, for an instant, and already parting: no contact.
    assert touch(TRIANGLE, -TRIANGLE, (5.0, 5.0, 5.0), (-1.0, -1.0, -1.0), quat=quat) is None
    standing = np.array([[0.0, 0.0, 0.0], [0.5, 0.1, 1.0], [-0.5, 0.2, 1.0]])
    hit = touch(TRIANGLE, standing, (0.0, 0.0, 4.0), (0.0, 0.0, -1.0), quat=quat)
    assert hit is not None
    assert hit.time == pytest.approx(4.0, abs=1e-12)
    np.testing.assert_allclose(hit.point, [0.0, 0.0, 0.0], atol=1e-9)


@pytest.mark.parametrize("quat", turned_everyway())
def test_corner_meets_edge_and_edge_meets_edge(quat):
    pointed = np.array([[0.0, 0.0, 0.0], [0.3, 0.2, 1.0], [-0.3, 0.1, 1.0]])
    hit = touch(TRIANGLE, pointed, (0.5, 0.0, 4.0), (0.0, 0.0, -1.0), quat=quat)
    assert hit is not None
    assert hit.time == pytest.approx(4.0, abs=1e-12)
    blade = np.array([[0.5, -1.0, 0.0], [0.5, 1.0, 0.0], [0.5, 0.0, 1.0]])
    hit = touch(TRIANGLE, blade, (0.0, 0.0, 4.0), (0.0, 0.0, -1.0), quat=quat)
    assert hit is not None
    assert hit.time == pytest.approx(4.0, abs=1e-12)
    np.testing.assert_allclose(rotation(quat).T @ hit.point, [0.5, 0.25, 0.0], atol=1e-9)


def test_upright_sheet_falls_on_a_seam_between_triangles():
    # Never missed, although every triangle is touched on its rim only.
    floor = Mesh(
        [[-5, -5, 0], [0, -5, 0], [5, -5, 0], [-5, 5, 0], [0, 5, 0], [5, 5, 0]],
        [[0, 1, 4], [0, 4, 3], [1, 2, 5], [1, 5, 4]],
    )
    sheet = Mesh([[0, -1, 0], [0, 1, 0], [0, 1, 2], [0, -1, 2]], [[0, 1, 2], [0, 2, 3]])
    hit = first_contact(floor, sheet, position_b=(0.0, 0.0, 3.0), velocity_b=(0.0, 0.0, -1.0))
    assert hit is not None
    assert hit.time == pytest.approx(3.0, abs=1e-12)
    np.testing.assert_allclose(hit.normal, [0.0, 0.0, 1.0], atol=1e-9)


SEGMENT = np.array([[-1.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.3, 0.0, 0.0]])
ACROSS = SEGMENT[:, [1, 0, 2]]
POINT = np.zeros((3, 3))


@pytest.mark.parametrize("quat", turned_everyway())
def test_triangles_without_area_still_collide(quat):
    for first, second, offset, way, expected in (
        (TRIANGLE, SEGMENT, (0.2, 0.2, 3.0), (0.0, 0.0, -1.0), 3.0),
        (SEGMENT, ACROSS, (0.1, 0.2, 3.0), (0.0, 0.0, -1.0), 3.0),
        (SEGMENT, SEGMENT, (5.0, 0.0, 0.0), (-1.0, 0.0, 0.0), 3.0),
        (TRIANGLE, POINT, (0.2, 0.2, 3.0), (0.0, 0.0, -1.0), 3.0),
        (SEGMENT, POINT, (0.2, 0.0, 3.0), (0.0, 0.0, -1.0), 3.0),
    ):
        hit = touch(first, second, offset, way, quat=quat)
        assert hit is not None
        assert hit.time == pytest.approx(expected, abs=1e-9)
    for first, second, offset, way in (
        (TRIANGLE, SEGMENT, (0.2, 1.2, 3.0), (0.0, 0.0, -1.0)),
        (SEGMENT, ACROSS, (1.1, 0.2, 3.0), (0.0, 0.0, -1.0)),
        (SEGMENT, SEGMENT, (5.0, 0.1, 0.0), (-1.0, 0.0, 0.0)),
        (SEGMENT, SEGMENT, (2.5, 0.0, 3.0), (0.0, 0.0, -1.0)),
        (TRIANGLE, POINT, (0.6, 0.6, 3.0), (0.0, 0.0, -1.0)),
        (SEGMENT, POINT, (1.2, 0.0, 3.0), (0.0, 0.0, -1.0)),
    ):
        assert touch(first, second, offset, way, quat=quat) is None


def test_slivers_are_neither_missed_nor_met_early():
    rng = np.random.default_rng(8)
    for height in (1e-3, 1e-6, 1e-9, 1e-11):
        sliver = np.array([[-1.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.2, height, 0.0]])
        for _ in range(10):
            quat = random_quaternion(rng)
            hit = touch(TRIANGLE, sliver, (0.3, 0.3, 3.0), (0.0, 0.0, -1.0), quat=quat)
            assert hit is not None
            assert hit.time == pytest.approx(3.0, abs=1e-6 if height < 1e-8 else 1e-9)
            assert touch(TRIANGLE, sliver, (0.3, 1.3, 3.0), (0.0, 0.0, -1.0), quat=quat) is None


@pytest.mark.parametrize("far", [1e3, 1e6, 1e9])
def test_place_far_from_the_origin_costs_only_its_rounding(far):
    rng = np.random.default_rng(6)
    shapes = [
        Sphere(0.9),
        Box((1.0, 2.0, 1.5)),
        Convex(rng.normal(size=(15, 3))),
        Mesh(rng.normal(size=(9, 3)), np.arange(9).reshape(3, 3)),
    ]
    for a in shapes:
        for b in shapes:
            quats = [random_quaternion(rng) for _ in range(2)]
            there = np.array([6.0, 0.3, 0.2])
            way = np.array([-1.0, 0.05, 0.02])
            near = first_contact(a, b, (0, 0, 0), there, (0, 0, 0), way, orientation_a=quats[0], orientation_b=quats[1])
            place = np.array([far, -far, 0.5 * far])
            away = first_contact(
                a, b, place, place + there, (0, 0, 0), way, orientation_a=quats[0], orientation_b=quats[1]
            )
            assert (near is None) == (away is None)
            if near is not None and away is not None:
                # Inputs are rounded to far * 1e-16; grazing contacts magnify that.
                assert away.time == pytest.approx(near.time, abs=1e-3 if far == 1e9 else 1e-6)


@pytest.mark.parametrize("scale", [1e-6, 1e6])
def test_times_do_not_depend_on_the_unit_of_length(scale):
    rng = np.random.default_rng(9)
    points, soup = rng.normal(size=(15, 3)), rng.normal(size=(9, 3))
    faces = np.arange(9).reshape(3, 3)
    normal_size = [Sphere(0.9), Box((1.0, 2.0, 1.5)), Convex(points), Mesh(soup, faces)]
    scaled = [
        Sphere(0.9 * scale),
        Box(np.array([1.0, 2.0, 1.5]) * scale),
        Convex(points * scale),
        Mesh(soup * scale, faces),
    ]
    for i in range(4):
        for j in range(4):
            quat = random_quaternion(rng)
            there, way, pull = np.array([6.0, 0.3, 0.2]), np.array([-1.0, 0.05, 0.02]), np.array([0.1, 0.0, -0.02])
            one = first_contact(normal_size[i], normal_size[j], (0, 0, 0), there, (0, 0, 0), way, (0, 0, 0), pull, quat)
            two = first_contact(
                scaled[i], scaled[j], (0, 0, 0), there * scale, (0, 0, 0), way * scale, (0, 0, 0), pull * scale, quat
            )
            assert (one is None) == (two is None)
            if one is not None and two is not None:
                assert two.time == pytest.approx(one.time, rel=1e-9)


def test_mesh_far_from_its_own_origin():
    shift = np.array([1e5, -2e5, 3e5])
    cube = Box((2.0, 2.0, 2.0))
    mesh = Mesh(cube.vertices + shift, cube.faces)
    for other in (Sphere(1.0), cube, Convex(cube.vertices), Mesh(cube.vertices, cube.faces)):
        hit = first_contact(other, mesh, position_b=np.array([5.0, 0.1, 0.0]) - shift, velocity_b=(-1.0, 0.0, 0.0))
        assert hit is not None
        assert hit.time == pytest.approx(3.0, abs=1e-8)


def test_same_plane_faces_of_stacked_boxes_meet_together():
    for turn in turned_everyway():
        matrix = rotation(turn)
        for make in (lambda box: box, lambda box: Convex(box.vertices), lambda box: Mesh(box.vertices, box.faces)):
            a, b = make(Box((2.0, 2.0, 2.0))), make(Box((2.0, 2.0, 2.0)))
            hit = first_contact(
                a,
                b,
                (0, 0, 0),
                matrix @ [0.0, 0.0, 7.0],
                (0, 0, 0),
                matrix @ [0.0, 0.0, -1.0],
                orientation_a=turn,
                orientation_b=turn,
            )
            assert hit is not None
            assert hit.time == pytest.approx(5.0, abs=1e-12)
            np.testing.assert_allclose(hit.normal, matrix @ [0.0, 0.0, 1.0], atol=1e-9)
