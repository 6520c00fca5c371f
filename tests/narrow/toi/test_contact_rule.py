"""What counts as a contact: approach does, parting does not, and solids have an inside."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
import trimesh

from carom.narrow import Status, first_contact
from carom.shapes import Box, Convex, HalfSpace, Mesh, Sphere
from oracles.naive_narrow import CUBE, UNIT, drawn_pairs, random_quaternion, rotation

SOLIDS = ("sphere", "box", "convex")
PAIRS = list(product(UNIT, UNIT))


@pytest.mark.parametrize(("a", "b"), PAIRS)
@pytest.mark.parametrize("off", [0.0, 1e-12, -1e-12])
def test_touching_and_parting_is_no_contact(a, b, off):
    for way in ((1.0, 0.0, 0.0), (1.0, 3.0, -2.0), (1e-3, 0.0, 1.0)):
        assert (
            first_contact(UNIT[a], UNIT[b], position_b=(2.0 + off, 0.2, 0.1), velocity_b=way) is None
            or a == b == "sphere"
        )


@pytest.mark.parametrize(("a", "b"), PAIRS)
def test_touching_and_approaching_is_now(a, b):
    hit = first_contact(UNIT[a], UNIT[b], position_b=(2.0, 0.0, 0.0), velocity_b=(-1.0, 0.2, 0.0))
    assert hit is not None
    assert hit.time == 0.0
    assert hit.status is Status.EXACT
    np.testing.assert_allclose(hit.normal, [1.0, 0.0, 0.0], atol=1e-9)


@pytest.mark.parametrize(("a", "b"), PAIRS)
def test_at_rest_nothing_happens(a, b):
    for x in (5.0, 2.0, 1.0):
        assert first_contact(UNIT[a], UNIT[b], position_b=(x, 0.0, 0.0)) is None
        moving = {
            "velocity_a": (1.0, 2.0, 3.0),
            "velocity_b": (1.0, 2.0, 3.0),
            "acceleration_a": (0, 0, 9.0),
            "acceleration_b": (0, 0, 9.0),
        }
        assert first_contact(UNIT[a], UNIT[b], position_b=(x, 0.0, 0.0), **moving) is None


@pytest.mark.parametrize(("a", "b"), [(a, b) for a, b in PAIRS if a in SOLIDS and b in SOLIDS])
@pytest.mark.parametrize("x", [1.9, 1.0, 0.1])
def test_overlapping_solids_touch_now_only_if_they_approach(a, b, x):
    hit = first_contact(UNIT[a], UNIT[b], position_b=(x, 0.05, 0.02), velocity_b=(-1.0, 0.0, 0.0))
    assert hit is not None
    assert hit.time == 0.0
    assert hit.status is Status.OVERLAPPING
    assert hit.normal[0] > 0.8
    assert first_contact(UNIT[a], UNIT[b], position_b=(x, 0.05, 0.02), velocity_b=(1.0, 0.0, 0.0)) is None


@pytest.mark.parametrize(("a", "b"), [(a, b) for a, b in PAIRS if a in SOLIDS and b in SOLIDS])
def test_solids_that_left_each_other_come_back(a, b):
    # Out of each other at 1 - s + ... : 0.5 + 3 s - s^2 / 2 is above 2 from 0.55 on and back at 2 at s = 5.449.
    hit = first_contact(
        UNIT[a], UNIT[b], position_b=(0.5, 0.0, 0.0), velocity_b=(3.0, 0.0, 0.0), acceleration_b=(-1.0, 0.0, 0.0)
    )
    assert hit is not None
    assert hit.time == pytest.approx(3.0 + np.sqrt(6.0), abs=1e-9)
    assert hit.status is Status.EXACT
    np.testing.assert_allclose(hit.normal, [1.0, 0.0, 0.0], atol=1e-9)


PLATE = Box((4.0, 4.0, 1.0))
PLATES = {"box": PLATE, "convex": Convex(PLATE.vertices)}
UNIT_SIZE = {"sphere": Sphere(0.5), "box": Box((1.0, 1.0, 1.0)), "convex": Convex(Box((1.0, 1.0, 1.0)).vertices)}


@pytest.mark.parametrize("plate", PLATES)
@pytest.mark.parametrize("inner", UNIT_SIZE)
def test_solids_that_left_by_another_side_do_not_press_where_the_nearest_one_turns(plate, inner):
    # Over the nearest side, z, the gap is -0.8 + t / 10 - t^2 / 20, which turns at 1; over the side x it opens before.
    for pull, back in ((0.0, None), (-12.0, (6.0 + np.sqrt(7.2)) / 12.0)):
        way = {"velocity_b": (3.0 if back is None else 6.0, 0.0, 0.1), "acceleration_b": (pull, 0.0, -0.1)}
        hit = first_contact(PLATES[plate], UNIT_SIZE[inner], position_b=(1.3, 0.2, 0.2), **way)
        if back is None:
            assert hit is None
            continue
        assert hit is not None
        assert hit.time == pytest.approx(back, abs=1e-12)
        assert hit.status is Status.EXACT
        np.testing.assert_allclose(hit.normal, [1.0, 0.0, 0.0], atol=1e-9)


@pytest.mark.parametrize("plate", PLATES)
@pytest.mark.parametrize("inner", UNIT_SIZE)
def test_solids_that_still_overlap_where_the_nearest_side_turns_press_there(plate, inner):
    way = {"velocity_b": (1.0, 0.0, 0.1), "acceleration_b": (0.0, 0.0, -0.1)}
    hit = first_contact(PLATES[plate], UNIT_SIZE[inner], position_b=(1.3, 0.2, 0.2), **way)
    assert hit is not None
    assert hit.time == pytest.approx(1.0, abs=1e-12)
    assert hit.status is Status.OVERLAPPING


@pytest.mark.parametrize("plate", PLATES)
def test_a_ball_that_left_over_an_edge_comes_back_over_it(plate):
    """Off the edge by more than its radius, and yet never off either side by as much."""
    start, way = np.array([1.85, 0.0, 0.36]), np.array([1.2, 0.0, 1.18])
    hit = first_contact(PLATES[plate], UNIT_SIZE["sphere"], position_b=start, velocity_b=way, acceleration_b=-way)
    assert hit is not None
    assert hit.status is Status.EXACT
    assert hit.time > 1.0
    centre = start + way * (hit.time - 0.5 * hit.time**2)
    assert np.linalg.norm(centre - (2.0, 0.0, 0.5)) == pytest.approx(0.5, abs=1e-12)


def test_solids_that_start_in_each_other_are_never_in_contact_when_apart():
    rng = np.random.default_rng(9)
    half_a, half_b = np.array([1.0, 0.25, 1.0]), np.array([0.5, 0.3, 0.4])
    solids = [(Box(2.0 * half), Convex(Box(2.0 * half).vertices)) for half in (half_a, half_b)]
    n_later = 0
    for k in range(600):
        quat = random_quaternion(rng)
        turn = rotation(quat)
        place, velocity, pull = 0.4 * rng.normal(size=3), 3.0 * rng.normal(size=3), 3.0 * rng.normal(size=3)
        hit = first_contact(
            solids[0][k % 2], solids[1][k // 2 % 2], (0, 0, 0), place, velocity_b=velocity, acceleration_b=pull,
            orientation_b=quat,
        )  # fmt: skip
        if hit is None or hit.time == 0.0:
            continue
        n_later += 1
        place = place + velocity * hit.time + 0.5 * pull * hit.time**2
        axes = [*np.eye(3), *turn.T, *(np.cross(x, y) for x in np.eye(3) for y in turn.T)]
        gaps = [
            (abs(place @ n) - half_a @ abs(n) - half_b @ abs(turn.T @ n)) / np.linalg.norm(n) for n in axes if n.any()
        ]
        assert max(gaps) < (1e-9 if hit.status is Status.EXACT else -1e-10)
    assert n_later > 20


@pytest.mark.parametrize("outer", ["box", "convex"])
@pytest.mark.parametrize("inner", ["sphere", "box", "convex", "mesh"])
def test_start_inside_a_solid(outer, inner):
    large = Box((20.0, 20.0, 20.0)) if outer == "box" else Convex(10.0 * CUBE.vertices)
    small = UNIT[inner]
    inwards = first_contact(large, small, position_b=(5.0, 0.1, 0.0), velocity_b=(-1.0, 0.0, 0.0))
    assert inwards is not None
    assert inwards.time == 0.0
    assert inwards.status is Status.OVERLAPPING
    assert inwards.normal[0] > 0.9
    # On the way out the wall is met from inside: no contact of a solid.
    assert first_contact(large, small, position_b=(5.0, 0.1, 0.0), velocity_b=(1.0, 0.0, 0.0)) is None


def test_mesh_is_its_surface_and_is_met_from_inside():
    shell = Mesh(10.0 * CUBE.vertices, CUBE.faces)
    for inner in UNIT.values():
        hit = first_contact(shell, inner, position_b=(5.0, 0.1, 0.0), velocity_b=(1.0, 0.0, 0.0))
        assert hit is not None
        assert hit.time == pytest.approx(4.0, abs=1e-12)
        np.testing.assert_allclose(np.abs(hit.normal), [1.0, 0.0, 0.0], atol=1e-12)
        assert hit.normal[0] < 0.0


@pytest.mark.parametrize("floor", ["half space", "box", "convex", "mesh"])
@pytest.mark.parametrize("name", UNIT)
def test_body_in_touch_and_pulled_down_is_in_contact_now(name, floor):
    below = {
        "half space": HalfSpace((0.0, 0.0, 1.0), 0.0),
        "box": Box((50.0, 50.0, 2.0)),
        "convex": Convex(Box((50.0, 50.0, 2.0)).vertices),
        "mesh": Mesh(Box((50.0, 50.0, 2.0)).vertices, CUBE.faces),
    }[floor]
    level = 0.0 if floor == "half space" else -1.0
    hit = first_contact(UNIT[name], below, (0.3, 0.2, 1.0), (0.0, 0.0, level), acceleration_a=(0.0, 0.0, -10.0))
    assert hit is not None
    assert hit.time == 0.0
    np.testing.assert_allclose(hit.normal, [0.0, 0.0, -1.0], atol=1e-9)


@pytest.mark.parametrize("floor", ["box", "convex", "mesh"])
@pytest.mark.parametrize("name", UNIT)
def test_tiny_hops_return_to_the_floor(name, floor):
    slab = Box((50.0, 50.0, 2.0))
    below = {"box": slab, "convex": Convex(slab.vertices), "mesh": Mesh(slab.vertices, slab.faces)}[floor]
    for sunk in (0.0, 1e-13, 1e-10):
        hop = 1e-5
        hit = first_contact(
            UNIT[name],
            below,
            (0.3, 0.2, 1.0 - sunk),
            (0.0, 0.0, -1.0),
            velocity_a=(0.7, 0.0, hop),
            acceleration_a=(0.0, 0.0, -10.0),
        )
        assert hit is not None
        assert 0.0 < hit.time <= 2.0 * hop / 10.0 * (1.0 + 1e-6)
        assert hit.time >= hop / 10.0
        np.testing.assert_allclose(hit.normal, [0.0, 0.0, -1.0], atol=1e-9)


def test_convex_slides_over_the_edges_of_a_triangulated_side():
    table = Convex(Box((50.0, 50.0, 2.0)).vertices)
    for name in ("box", "convex"):
        for way in ((1.0, 0.0, 0.0), (0.3, -0.8, 0.0)):
            assert first_contact(UNIT[name], table, (9.0, 4.0, 1.0), (0.0, 0.0, -1.0), velocity_a=way) is None


def random_shapes(rng: np.random.Generator) -> list:
    ring = trimesh.creation.torus(1.0, 0.3, major_sections=7, minor_sections=4)
    return [
        Sphere(0.8),
        Box((1.0, 0.7, 1.3)),
        Convex(rng.normal(size=(20, 3)) * 0.7),
        Mesh(ring.vertices, ring.faces),
        Mesh(rng.normal(size=(9, 3)) * 0.7, np.arange(9).reshape(3, 3)),
    ]


@pytest.mark.parametrize("pulled", [False, True])
def test_bodies_that_bounced_are_not_found_in_contact_again(pulled):
    rng = np.random.default_rng(21)
    shapes = random_shapes(rng)
    n_bounces = 0
    for a, b in drawn_pairs(rng, shapes, 400):
        quats = [random_quaternion(rng) for _ in range(2)]
        here = rng.normal(size=3) * 100.0
        out = rng.normal(size=3)
        there = here + 6.0 * out / np.linalg.norm(out)
        speed = rng.uniform(0.3, 20.0)
        va, vb = rng.normal(size=3), speed * (here - there) / 6.0 + 0.2 * speed * rng.normal(size=3)
        pull = 0.5 * rng.normal(size=3) if pulled else np.zeros(3)
        for bounce in range(4):
            hit = first_contact(a, b, here, there, va, vb, (0, 0, 0), pull, *quats)
            if hit is None:
                break
            assert bounce == 0 or hit.time > 1e-9
            assert hit.status is Status.EXACT
            t = hit.time
            here, there, vb = here + va * t, there + vb * t + 0.5 * pull * t * t, vb + pull * t
            closing = (vb - va) @ hit.normal
            assert closing <= 0.0
            va, vb = va + closing * hit.normal, vb - closing * hit.normal
            n_bounces += 1
    assert n_bounces > 100


@pytest.mark.parametrize("sunk", [0.0, 1e-14, 1e-12, 3e-10])
def test_bodies_that_bounced_corner_on_corner_and_sank_are_not_met_from_inside(sunk):
    ball = trimesh.creation.icosphere(1)
    mesh = Mesh(ball.vertices, ball.faces)
    for axis in np.eye(3):
        for aside in (0.0, 0.3 * sunk):
            touching = 2.0 * (ball.vertices @ axis).max()
            place = axis * (touching - sunk) + aside * np.roll(axis, 1)
            assert first_contact(mesh, mesh, position_b=place, velocity_b=axis) is None
