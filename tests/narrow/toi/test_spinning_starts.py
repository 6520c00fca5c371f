"""Spinning bodies that begin in touch, at rest against each other, or inside: the documented answers."""

from __future__ import annotations

import numpy as np
import pytest

from carom.motion.motion import Motion
from carom.narrow import Status, first_contact_turning
from carom.shapes import Box, Convex, Mesh
from geometry.turning_samples import CUBE, REST, SHAPES, mesh_of

PAIRS = [(a, b) for a in SHAPES for b in SHAPES if not a == b == "sphere"]


@pytest.mark.parametrize(("a", "b"), PAIRS)
def test_touching_and_parting_is_no_contact_with_spin(a, b):
    for off in (0.0, 1e-12, -1e-12, 5e-10):
        for way in ((1.0, 0.0, 0.0), (1.0, 3.0, -2.0)):
            motion = Motion((2.0 + off, 0.2, 0.1), way, spin=(0.3, 0.0, 0.0))
            assert first_contact_turning(SHAPES[a], SHAPES[b], REST, motion, until=5.0) is None


@pytest.mark.parametrize(("a", "b"), PAIRS)
def test_touching_and_approaching_is_now_with_spin(a, b):
    for off in (0.0, 5e-10):
        motion = Motion((2.0 + off, 0.0, 0.0), (-1.0, 0.2, 0.0), spin=(0.5, 0.0, 0.0))
        hit = first_contact_turning(SHAPES[a], SHAPES[b], REST, motion, until=5.0)
        assert hit is not None
        assert hit.time == 0.0
        np.testing.assert_allclose(hit.normal, [1.0, 0.0, 0.0], atol=1e-6)


@pytest.mark.parametrize(("a", "b"), PAIRS)
def test_resting_in_touch_and_spinning_about_the_normal_is_no_contact(a, b):
    motion = Motion((2.0, 0.0, 0.0), spin=(3.0, 0.0, 0.0))
    assert first_contact_turning(SHAPES[a], SHAPES[b], REST, motion, until=5.0) is None
    pulled = Motion((2.0, 0.0, 0.0), acceleration=(-1.0, 0.0, 0.0), spin=(3.0, 0.0, 0.0))
    hit = first_contact_turning(SHAPES[a], SHAPES[b], REST, pulled, until=5.0)
    assert hit is not None
    assert hit.time == 0.0
    np.testing.assert_allclose(hit.normal, [1.0, 0.0, 0.0], atol=1e-6)


def test_corner_that_turns_into_a_floor_it_touches_is_a_contact_and_one_that_turns_away_is_none():
    floor = Box((50.0, 50.0, 2.0))
    for a in (floor, mesh_of(floor)):
        for b in (CUBE, mesh_of(CUBE), Convex(CUBE.vertices)):
            # Flat on the floor: turning about a horizontal axis presses an edge into it.
            lying = Motion((0.1, 0.2, 2.0), spin=(0.0, 1.0, 0.0))
            hit = first_contact_turning(a, b, REST, lying, until=5.0)
            assert hit is not None
            assert hit.time == 0.0
            # On its edge, turning to lie flat: the edge slides away, the next edge comes down after a quarter turn.
            on_edge = Motion(
                (0.1, 0.2, 1.0 + np.sqrt(2.0)),
                orientation=(np.cos(np.pi / 8), 0.0, np.sin(np.pi / 8), 0.0),
                spin=(0.0, 1.0, 0.0),
            )
            hit = first_contact_turning(a, b, REST, on_edge, until=5.0)
            assert hit is not None
            assert hit.time == pytest.approx(np.pi / 2.0, abs=1e-4)
            assert hit.time <= np.pi / 2.0


@pytest.mark.parametrize("inner", ["sphere", "box", "convex", "mesh"])
@pytest.mark.parametrize("outer", ["box", "convex"])
def test_start_inside_a_spinning_solid(outer, inner):
    large = Box((20.0, 20.0, 20.0)) if outer == "box" else Convex(10.0 * CUBE.vertices)
    for spin in ((0.0, 0.0, 0.0), (0.01, 0.0, 0.0)):
        turning = Motion(spin=spin)
        inwards = Motion((5.0, 0.1, 0.0), (-1.0, 0.0, 0.0), spin=(0.02, 0.0, 0.0))
        hit = first_contact_turning(large, SHAPES[inner], turning, inwards, until=5.0)
        assert hit is not None
        assert hit.time == 0.0
        assert hit.status is Status.OVERLAPPING
        assert hit.normal[0] > 0.9
        outwards = Motion((5.0, 0.1, 0.0), (1.0, 0.0, 0.0), spin=(0.02, 0.0, 0.0))
        assert first_contact_turning(large, SHAPES[inner], turning, outwards, until=30.0) is None


def test_spinning_mesh_inside_a_mesh_meets_its_wall_from_inside():
    shell = Mesh(10.0 * CUBE.vertices, CUBE.faces)
    for inner in SHAPES.values():
        motion = Motion((5.0, 0.1, 0.0), (1.0, 0.0, 0.0), spin=(0.5, 0.0, 0.0))
        hit = first_contact_turning(shell, inner, REST, motion, until=10.0)
        assert hit is not None
        assert hit.time == pytest.approx(4.0, abs=2e-8)
        assert hit.time <= 4.0
        np.testing.assert_allclose(hit.normal, [-1.0, 0.0, 0.0], atol=1e-6)
