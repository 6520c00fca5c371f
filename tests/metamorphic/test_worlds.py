"""Worlds that are changed in a way whose effect on the log is known: most changes have none, to the last bit."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import carom
from scenarios.metamorphic_samples import flights, log_of, moved_rigidly, rows

_RESPONSES = [None, carom.Elastic()]
_STRAIGHT = ("sphere", "box", "convex", "mesh")


@pytest.mark.parametrize("broad", ["auto", "kinetic-grid", "swept"])
@pytest.mark.parametrize("response", _RESPONSES)
def test_log_does_not_depend_on_how_advance_is_split(response, broad):
    bodies = flights(1, spins=True, pushed=True)
    whole = log_of(bodies, response=response)
    assert len(whole) > 3
    looks = np.sort(np.random.default_rng(0).uniform(0.0, 3.0, 40))
    contacts = np.repeat(whole.times[:3], 2)  # looks at the very time of a contact, twice
    assert log_of(bodies, looks=np.sort(np.r_[looks, contacts]), broad=broad, response=response).identical(whole)


@pytest.mark.parametrize("broad", ["auto", "kinetic", "aabb-tree", "space-time"])
@pytest.mark.parametrize("response", _RESPONSES)
def test_log_does_not_depend_on_a_body_far_away(response, broad):
    bodies = flights(2, spins=True)
    alone = log_of(bodies, response=response)
    far = replace(bodies[0], position=np.array([1e4, -2e4, 3e4]), velocity=np.array([5.0, 0.0, 0.0]))
    assert len(alone) > 3
    assert log_of([*bodies, far], broad=broad, response=response).identical(alone)


@pytest.mark.parametrize("response", _RESPONSES)
@pytest.mark.parametrize("scale", [2.0**-20, 2.0**-3, 2.0**17])
def test_log_of_a_scaled_world_is_scaled_bit_for_bit(scale, response):
    bodies, scaled = flights(3, _STRAIGHT), flights(3, _STRAIGHT, scale=scale)
    one, other = log_of(bodies, response=response), log_of(scaled, response=response)
    assert len(one) > 3
    np.testing.assert_array_equal(one.times, other.times)
    np.testing.assert_array_equal((one.a, one.b), (other.a, other.b))
    np.testing.assert_array_equal(one.points * scale, other.points)
    np.testing.assert_array_equal(one.speeds * scale, other.speeds)


@pytest.mark.parametrize("rate", [0.25, 8.0])
def test_log_of_a_faster_world_is_earlier_bit_for_bit(rate):
    bodies = flights(3, _STRAIGHT, pushed=True)
    fast = [replace(b, velocity=b.velocity * rate, acceleration=b.acceleration * rate * rate) for b in bodies]
    one, other = log_of(bodies), log_of(fast, 3.0 / rate)
    assert len(one) > 3
    np.testing.assert_array_equal(one.times, other.times * rate)
    np.testing.assert_array_equal(one.points, other.points)


@pytest.mark.parametrize("response", _RESPONSES)
def test_contacts_do_not_depend_on_the_frame(response):
    bodies = flights(4, spins=True, pushed=True)
    moved = [moved_rigidly(body, np.array([3.0, -4.0, 5.0])) for body in bodies]
    one, other = log_of(bodies, 1.5, response=response), log_of(moved, 1.5, response=response)
    assert len(one) > 3
    assert rows(one) == rows(other)
    np.testing.assert_allclose(one.times, other.times, atol=1e-6)


@pytest.mark.parametrize("response", _RESPONSES)
def test_contacts_do_not_depend_on_the_order_of_adding(response):
    bodies = flights(5, pushed=True)
    order = np.random.default_rng(1).permutation(len(bodies))
    one, other = log_of(bodies, 1.5, response=response), log_of([bodies[k] for k in order], 1.5, response=response)
    assert len(one) >= 3
    assert rows(one) == rows(other, order.tolist())
    np.testing.assert_allclose(one.times, other.times, atol=1e-6)


@pytest.mark.parametrize("start", [-7.0, 1024.0, 70_000.0])
def test_contacts_do_not_depend_on_when_the_world_begins(start):
    bodies = flights(6, spins=True)
    one, other = log_of(bodies), log_of(bodies, start=start)
    assert len(one) > 3
    assert rows(one) == rows(other)
    np.testing.assert_allclose(one.times, other.times - start, atol=1e-6)


def test_elastic_gas_runs_back_the_way_it_came():
    rng = np.random.default_rng(7)
    grid = np.stack(np.meshgrid(*[np.arange(3)] * 3, indexing="ij"), axis=-1).reshape(-1, 3) * 2.5
    places, speeds = grid + rng.uniform(-0.2, 0.2, grid.shape), rng.normal(size=grid.shape)

    def run(positions, velocities):
        world = carom.World(response=carom.Elastic())
        for d in range(3):
            normal = np.eye(3)[d]
            world.add(carom.HalfSpace(normal, -2.0), mass=np.inf)
            world.add(carom.HalfSpace(-normal, -7.0), mass=np.inf)
        world.add_many(carom.Sphere(0.9), positions, velocities)
        return world, world.advance(1.5)

    world, there = run(places, speeds)
    _, back = run(world.positions()[6:], -world.velocities()[6:])
    assert len(there) > 20
    assert len(back) == len(there)
    np.testing.assert_allclose(1.5 - back.times[::-1], there.times, atol=1e-6)
    assert rows(back)[::-1] == rows(there)
