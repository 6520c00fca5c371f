"""What happens to contacts of rigid bodies at the very moment of a keyframe."""

from __future__ import annotations

import copy

import numpy as np
import pytest

import carom

FEW = ("auto", "all-pairs", "kinetic", "kinetic-grid", "aabb-tree")
BALL = carom.Sphere(0.5)
FLOOR = carom.HalfSpace((0, 0, 1), 0.0)
SLAB = carom.Box((3.0, 3.0, 0.2))


def led(shape, times, heights, floor=FLOOR, broad="auto", response=None, turns=None, **options):
    """A world of a floor and a body led through heights above it."""
    world = carom.World(broad, response, **options)
    world.add(floor, mass=float("inf"))
    world.add(shape, carom.Keyframes(times, [(0.1, 0.2, z) for z in heights], turns))
    return world


@pytest.mark.parametrize("broad", FEW)
@pytest.mark.parametrize("narrow", ["lazy", "eager"])
@pytest.mark.parametrize("last", [(2.0, 1.5), None])
def test_a_body_that_touches_at_a_key_and_turns_back_or_stops_there_is_reported(broad, narrow, last):
    for times, heights in (([0.0, 1.0], [1.5, 0.5]), ([0.1, 0.3, 0.7], [1.5, 0.9, 0.5])):
        more = ([*times, last[0]], [*heights, last[1]]) if last else (times, heights)
        for shape in (
            BALL,
            carom.Box((1, 1, 1)),
            carom.Mesh(carom.Box((1, 1, 1)).vertices, carom.Box((1, 1, 1)).faces),
        ):
            world = led(shape, *more, broad=broad, narrow=narrow)
            (contact,) = world.advance(3.0)
            assert contact.time == pytest.approx(times[-1], abs=1e-12)
            assert contact.speed == pytest.approx((heights[-2] - 0.5) / (times[-1] - times[-2]))
            world.audit()


@pytest.mark.parametrize("broad", FEW)
def test_round_bodies_that_touch_at_a_key_are_reported(broad):
    (contact,) = led(carom.Cylinder(0.5, 1.0), [0, 0.7, 2], [1.6, 0.6, 1.5], SLAB, broad).advance(3.0)
    assert contact.time == pytest.approx(0.7, abs=1e-8)


@pytest.mark.parametrize("broad", FEW)
def test_a_contact_at_a_key_after_which_the_body_goes_on_is_reported_once(broad):
    for heights in ([1.5, 0.5, -2.0], [1.5, 0.5, 0.2], [1.5, 0.5, -0.5]):
        (contact,) = led(BALL, [0, 1, 2], heights, broad=broad).advance(3.0)
        assert (contact.time, contact.speed) == (1.0, 1.0)


def test_contacts_after_a_key_are_those_of_the_new_motion():
    """A body that turns back just before it touches does not touch."""
    assert len(led(BALL, [0, 1, 2], [1.5, 0.5 + 1e-9, 1.5]).advance(3.0)) == 0


def test_a_response_sees_the_motion_that_ends_at_the_key():
    world = carom.World(response=carom.Elastic())
    world.add(BALL, carom.Keyframes([0, 1, 2], [(0, 0, 0), (0, 0, 1), (0, 0, 0)]))
    world.add(BALL, carom.Motion((0, 0, 2)))
    (contact,) = world.advance(3.0)
    assert (contact.time, contact.speed) == (1.0, 1.0)
    np.testing.assert_allclose(world.velocities()[1], (0, 0, 2))


@pytest.mark.parametrize("broad", FEW)
@pytest.mark.parametrize("shape", [BALL, carom.Box((1, 1, 1)), carom.Cone(0.5, 1.0)])
def test_a_pair_that_stays_in_touch_is_reported_once_whatever_its_keys(broad, shape):
    times = np.linspace(0.0, 1.0, 11)
    turns = None if shape is BALL else [(np.cos(t / 4), np.sin(t / 4), 0.0, 0.0) for t in times]
    for heights in (np.linspace(0.9, -0.6, 11), np.linspace(0.95, -0.6, 11) ** 3):
        for floor in (FLOOR, SLAB):
            log = led(shape, times, heights, floor, broad, turns=turns).advance(2.0)
            assert len(log) == 1
    log = led(shape, [0.0, 1.0, 2.0, 3.0, 4.0], [1.9, -0.2, 1.9, -0.2, -0.3], FLOOR, broad).advance(5.0)
    assert len(log) == 2


def test_keys_that_do_not_change_the_motion_do_not_call_the_response_again():
    calls = []
    world = led(
        BALL, np.linspace(0, 1, 11), np.linspace(0.9, -0.6, 11), response=lambda world, contact: calls.append(contact)
    )
    assert len(world.advance(2.0)) == len(calls) == 1


def test_polling_and_restoring_at_a_key_change_nothing():
    def make():
        return led(carom.Box((1, 1, 1)), [0, 0.3, 0.7, 1.5], [1.5, 0.9, 0.5, -1.0])

    once = make().advance(3.0)
    for stops in ([0.7], [0.3, 0.7, 0.7, 1.5], np.nextafter(0.7, [0, 1]), np.linspace(0.1, 3.0, 30)):
        world, logs = make(), []
        for t in [*stops, 3.0]:
            logs.append(world.advance(float(t)))
            world = carom.World.restore(world.snapshot(), [FLOOR, carom.Box((1, 1, 1))])
        assert carom.ContactLog.concatenate(logs).identical(once)


@pytest.mark.parametrize("narrow", ["lazy", "eager"])
@pytest.mark.parametrize("shape", [BALL, carom.Box((1, 1, 1)), carom.Cone(0.5, 1.0)], ids=str)
def test_an_overlap_since_a_key_that_is_past_passes_the_audit_before_it_is_reported(narrow, shape):
    world = led(shape, [-1.0, 1.0], [0.2, 0.1], narrow=narrow)
    world.audit()
    copied = copy.deepcopy(world)
    copied.audit()
    for each in (world, copied):
        assert each.advance(1.0).times.tolist() == [0.0]
        each.audit()


@pytest.mark.parametrize("broad", carom.world.BROAD_PHASES)
@pytest.mark.parametrize("shape", [BALL, carom.Box((1, 1, 1)), carom.Capsule(0.3, 0.5)])
@pytest.mark.parametrize("added", [True, False])
def test_a_body_led_on_from_between_two_keys_has_touched_nothing_before(broad, shape, added):
    world = carom.World(broad)
    late = None if added else world.add(shape, carom.Motion((-90.0, 0.0, 0.0)))
    world.add(BALL, carom.Motion((-3.0, 0.0, 0.0)))  # where the way from the key before leads through
    ahead = world.add(carom.Box((1, 1, 1)), carom.Motion((3.0, 0.0, 0.0)))
    world.advance(1.0)
    led = carom.Keyframes([0.0, 2.0], [(-5.0, 0.0, 0.0), (5.0, 0.0, 0.0)])
    if late is None:
        late = world.add(shape, led)
    else:
        world.set_motion(late, led)
    world.audit()
    log = world.advance(3.0)
    assert list(zip(log.a, log.b, strict=True)) == [tuple(sorted((ahead, late)))]
    np.testing.assert_allclose(world.positions()[list(world.bodies).index(late)], (5.0, 0.0, 0.0), atol=1e-15)
