"""Convex bodies that start deep inside larger ones: how many steps the search takes, and that it misses nothing."""

from __future__ import annotations

import pytest

from carom import Box, Cone, Cylinder, Ellipsoid, Motion, World

OUTER = [Cylinder(7.5, 7.5), Cone(7.5, 7.5), Ellipsoid((7.5, 7.0, 7.2)), Box((7.0, 7.0, 7.0))]
INNER = [Cylinder(0.01, 0.005), Cone(0.01, 0.02), Ellipsoid((0.01, 0.02, 0.01))]
MOST_STEPS = 250


def _contacts_and_steps(a, b, motion_a, motion_b, until):
    world = World("all-pairs")
    world.add(a, motion_a)
    world.add(b, motion_b)
    contacts = world.advance(until)
    return contacts, world.stats.primitive_tests


@pytest.mark.parametrize("outer", OUTER)
@pytest.mark.parametrize("inner", INNER)
def test_search_inside_a_larger_body_takes_steps_by_the_depth(outer, inner):
    outward = Motion((0.0, 0.0, 0.0), (0.0, -2.0, 0.0), (-1.0, -1.0, 1.0))
    steered = Motion((0.0, 1.0, 0.5), (1.0, -1.0, 2.0), (0.0, 1.0, 1.0))
    _, steps = _contacts_and_steps(outer, inner, outward, steered, 1.0)
    assert steps < MOST_STEPS


@pytest.mark.parametrize("outer", OUTER)
@pytest.mark.parametrize("inner", INNER)
def test_search_inside_a_larger_body_finds_when_the_two_close_again(outer, inner):
    # Their origins part for a second and come closer after it.
    turned_back = Motion((0.5, 0.0, 0.0), (1.0, 0.0, 0.0), (-1.0, 0.0, 0.0))
    contacts, steps = _contacts_and_steps(outer, inner, Motion(), turned_back, 2.0)
    assert contacts[1].time == pytest.approx(1.0, abs=2e-3)
    assert steps < MOST_STEPS


@pytest.mark.parametrize("spin", [0.0, 0.02])
@pytest.mark.parametrize("inner", INNER)
def test_search_inside_a_larger_body_finds_the_return_after_leaving_it(inner, spin):
    # Out through the side at x = 7.5 after 2 s, and back there at about 8 s.
    thrown = Motion((0.5, 0.0, 0.0), (4.0, 0.0, 0.0), (-0.8, 0.0, 0.0), spin=(0.0, 0.0, spin))
    contacts, steps = _contacts_and_steps(OUTER[0], inner, Motion(), thrown, 9.0)
    out = 7.5 - 0.5
    assert contacts[1].time == pytest.approx((4.0 + (16.0 - 1.6 * out) ** 0.5) / 0.8, abs=0.03)
    assert steps < MOST_STEPS
