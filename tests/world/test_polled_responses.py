"""Polled bodies where contacts have a response."""

from __future__ import annotations

import math

import numpy as np
import pytest

import carom
from scenarios.copied_samples import of_every_kind


def turn_back(world, contact):
    """Send both bodies back where they came from."""
    for body in (contact.a, contact.b):
        m = world.motion(body)
        back = -m.velocity_at(contact.time)
        world.set_motion(body, carom.Motion(m.position_at(contact.time), back, m.acceleration, start=contact.time))


def record(world, contact):
    """Change nothing."""


RESPONSES = {
    "none": None,
    "elastic": carom.Elastic(),
    "inelastic": carom.Elastic(0.5),
    "turn": turn_back,
    "record": record,
}


def ball_and_probe(response, rate, broad, fall=0.0):
    """A polled ball of radius 0.5 at rest, and a ball that comes at 1 m/s and touches it at t = 2."""

    def test(world, body, other, t):
        ids = world.bodies.tolist()
        here, there = world.positions(t)[[ids.index(body), ids.index(other)]]
        apart = np.linalg.norm(there - here)
        return (here + 0.5 * (there - here), there - here) if apart <= 1.0 else False

    world = carom.World(broad, response)
    bounds = carom.KineticBounds([[-0.5, 0, 0]] * 3, [[0.5, 0, 0]] * 3)
    world.add(carom.Polled(bounds, test, rate), mass=float("inf"))
    world.add(carom.Sphere(0.5), carom.Motion((3, 0, 0), (-1, 0, 0), (-fall, 0, 0)))
    return world


@pytest.mark.parametrize("rate", [7.0, 10.0, 64.0])
@pytest.mark.parametrize("name", RESPONSES)
def test_a_polled_contact_is_logged_once_whatever_the_response(name, rate):
    logs = []
    for broad in ("all-pairs", "kinetic", "kinetic-grid", "swept", "aabb-tree"):
        world = ball_and_probe(RESPONSES[name], rate, broad)
        logs.append(world.advance(4.0))
        (contact,) = logs[-1]
        assert 2.0 <= contact.time <= 2.0 + 1.0 / rate
        assert (contact.speed, contact.status) == (1.0, 2)
        assert logs[-1].identical(logs[0]), broad
        world.audit()


@pytest.mark.parametrize("rate", [10.0, 64.0])
def test_a_ball_that_falls_back_on_a_polled_body_bounces_again(rate):
    logs = []
    for broad in ("all-pairs", "kinetic", "kinetic-grid"):
        world = ball_and_probe(carom.Elastic(0.5), rate, broad, fall=2.0)
        logs.append(world.advance(6.0))
        assert logs[-1].identical(logs[0]), broad
    assert len(logs[0]) > 2
    assert (logs[0].speeds > 0.0).all()
    assert (np.diff(logs[0].times) > 0.0).all()


def test_polled_contacts_do_not_depend_on_the_polling_of_the_world_or_a_restart():
    once = ball_and_probe(carom.Elastic(0.5), 10.0, "auto", fall=2.0).advance(6.0)
    world, logs = ball_and_probe(carom.Elastic(0.5), 10.0, "auto", fall=2.0), []
    for t in np.arange(1, 61) * 0.1:
        logs.append(world.advance(float(t)))
        shapes = [world.shape(body) for body in world.bodies]
        world = carom.World.restore(world.snapshot(), shapes, carom.Elastic(0.5))
    assert carom.ContactLog.concatenate(logs).identical(once)


@pytest.mark.parametrize("broad", ["auto", "kinetic-grid"])
def test_audit_accepts_a_polled_body_far_from_one_in_the_same_bucket(broad):
    world = of_every_kind(broad)
    world.advance(0.9)
    world.audit()


@pytest.mark.parametrize("broad", ["all-pairs", "kinetic", "aabb-tree"])
def test_a_polled_body_that_accelerates_into_another_keeps_a_finite_speed(broad):
    """It left at an infinite speed, a hop of its size, which no polled body has: velocities were NaN from then on."""

    def meets(world, body, other, t):
        return bool(np.linalg.norm(world.positions(t)[1] - world.positions(t)[0]) <= 1.0)

    shape = carom.Polled(carom.KineticBounds([[-0.5, 0, 0]] * 3, [[0.5, 0, 0]] * 3), meets, 10.0)
    world = carom.World(broad, carom.Elastic())
    world.add(shape, mass=float("inf"))
    world.add(shape, carom.Motion((3, 0, 0), (-1, 0, 0), (-1, 0, 0)))
    (contact,) = world.advance(2.0)
    assert world.velocities()[1, 0] == pytest.approx(contact.speed - (2.0 - contact.time), rel=1e-12)
    world.audit()


def answering(answer: object) -> carom.World:
    """A polled body whose test gives `answer`, and a ball that flies into its bounds."""
    world = carom.World()
    bounds = carom.KineticBounds([(-0.5, 0, 0)] * 3, [(0.5, 0, 0)] * 3)
    world.add(carom.Polled(bounds, lambda *_: answer, 10.0))
    world.add(carom.Sphere(0.5), carom.Motion((3, 0, 0), (-1, 0, 0)))
    return world


@pytest.mark.parametrize(
    "answer", [math.nan, "yes", np.array([True, False]), np.zeros((2, 3)), object(), (), [1, 2, 3]]
)
def test_polled_test_that_gives_junk_is_refused_in_one_line(answer: object) -> None:
    with pytest.raises(carom.InvalidInputError, match=r"test gave .*; expected False, True, or \(point, normal\)"):
        answering(answer).advance(4.0)


@pytest.mark.parametrize("size", [1e-300, 1e-20, 1e20])
@pytest.mark.parametrize("pair", [tuple, list])
def test_polled_normal_of_any_length_becomes_one_of_length_one(pair: type, size: float) -> None:
    (contact,) = answering(pair(((0, 0, 0), (3 * size, 0, 4 * size)))).advance(4.0)
    assert contact.normal == pytest.approx((0.6, 0.0, 0.8), abs=1e-15)


def test_a_response_that_sends_a_polled_body_to_and_fro_at_one_instant_ends_with_an_error_in_seconds():
    """It touches a ball on either side, and each contact sends it into the other one."""
    calls = []

    def count_and_turn(world, contact):
        calls.append(contact.time)
        turn_back(world, contact)

    bounds = carom.KineticBounds([[-1, 0, 0]] * 3, [[1, 0, 0]] * 3)
    world = carom.World(response=count_and_turn)
    world.add(carom.Polled(bounds, lambda *_: True, 1.0), carom.Motion(velocity=(1, 0, 0)))
    world.add(carom.Sphere(1.0), carom.Motion((1.5, 0, 0)))
    world.add(carom.Sphere(1.0), carom.Motion((-1.5, 0, 0)))
    with pytest.raises(carom.CaromError, match="do not come to an end: the response lets them approach again"):
        world.advance(4.0)
    assert len(calls) < 10_000
