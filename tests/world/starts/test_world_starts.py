"""Overlaps of bodies that were put somewhere: reported once, however the run is cut, saved or deferred."""

from __future__ import annotations

import numpy as np
import pytest

import carom
from carom.types import Contact


def _told(log: carom.ContactLog) -> list[tuple[float, int, int, int]]:
    """(time, a, b, status) of each contact, by time and ids."""
    return sorted(zip(log.times.tolist(), log.a.tolist(), log.b.tolist(), log.status.tolist(), strict=True))


def _restored(world: carom.World) -> carom.World:
    return carom.World.restore(world.snapshot(), [world.shape(body) for body in world.bodies], world.response)


def _jumps_when_pushed(world: carom.World, contact: carom.Contact) -> None:
    """The second of two contacts at one instant puts body 1 farther into the floor, from which it parts."""
    if contact.a == 0:
        world.set_motion(contact.b, carom.Motion((9.0 * contact.b, 0.0, 1.0), (0.0, 0.0, 1.0), start=contact.time))
        if contact.b == 2:
            world.set_motion(1, carom.Motion((9.0, 0.0, 0.5), (0.0, 0.0, 1.0), start=contact.time))


@pytest.mark.parametrize("start", [0.0, 2.0])
def test_world_paused_within_an_instant_knows_what_it_reported_then(start: float) -> None:
    def world() -> carom.World:
        world = carom.World(response=_jumps_when_pushed, start=start)
        world.add(carom.HalfSpace((0, 0, 1), 0.0), mass=np.inf)
        for k in (1, 2):
            world.add(carom.Sphere(1.0), carom.Motion((9.0 * k, 0.0, 2.0), (0.0, 0.0, -1.0), start=start))
        return world

    expected = world().advance(start + 5.0)
    assert _told(expected) == [(start + 1.0, 0, 1, 0), (start + 1.0, 0, 2, 0)]
    cut, parts = world(), []
    while cut.time < start + 5.0:
        parts.append(cut.advance(start + 5.0, budget=0.0))
        cut = _restored(cut)
    assert carom.ContactLog.concatenate(parts).identical(expected)


def test_world_restored_before_it_reported_overlaps_reports_no_others() -> None:
    world = carom.World()
    world.add(carom.Box((9.0, 9.0, 9.0)))
    world.add(carom.Sphere(1.0), group=1)
    world.add(carom.Sphere(1.0), carom.Motion((3.0, 0.0, 0.0)), group=2)
    world.set_filter(0, 2, False)
    assert _told(world.advance(1.0)) == [(0.0, 0, 1, 1)]
    world.set_filter(0, 2, True)
    world.next_event_time()  # looks for overlaps
    assert _told(_restored(world).advance(2.0)) == [(1.0, 0, 2, 1)]


def _pass(world: carom.World, contact: Contact) -> None:
    """A sphere that meets the wall goes back."""
    if (contact.a, contact.b) == (0, 2):
        motion = world.motion(2)
        back = -motion.velocity_at(contact.time)
        world.set_motion(2, carom.Motion(motion.position_at(contact.time), back, start=contact.time))


@pytest.mark.parametrize("start", [0.0, 7e4, 1e9])
def test_world_late_in_time_takes_no_rounding_for_a_jump(start: float) -> None:
    world = carom.World(response=_pass, start=start)
    world.add(carom.HalfSpace((-1, 0, 0), -3.0), mass=np.inf)
    world.add(carom.Box((3, 3, 3)), carom.Motion((3.3, 0, 0), start=start), mass=np.inf, group=1)
    world.set_filter(0, 1, False)
    world.add(carom.Sphere(1.0), carom.Motion((0, 0, 0), (3.3, 0.7, 0), start=start), group=2)
    log = world.advance(start + 1.0)
    assert [(a, b) for _, a, b, _ in _told(log)] == [(1, 2), (0, 2)]


def _three(deferred: bool) -> carom.World:
    world = carom.World()
    world.add(carom.Sphere(1.0))
    world.add(carom.Box((1, 1, 1)), carom.Motion((9.0, 0.0, 0.0)), group=1)
    world.add(carom.Sphere(1.0), carom.Motion((20.0, 0.0, 0.0)))
    if deferred:
        world.defer([0])
    return world


def _jump_in(world: carom.World) -> None:
    world.set_motion(0, carom.Motion((9.0, 0.1, 0.0), start=world.time))
    world.add(carom.Sphere(1.0), carom.Motion((50.0, 0.0, 0.0)))


def _jump_in_and_out(world: carom.World) -> None:
    _jump_in(world)
    world.set_motion(0, carom.Motion((-9.0, 0.0, 0.0), start=world.time))


def _come_to_collide(world: carom.World) -> None:
    world.set_filter(0, 1, False)
    world.set_motion(0, carom.Motion((9.0, 0.1, 0.0), start=world.time))
    world.advance(0.75)
    world.set_filter(0, 1, True)
    world.next_event_time()


@pytest.mark.parametrize("act", [_jump_in, _jump_in_and_out, _come_to_collide])
def test_deferred_bodies_report_the_overlaps_that_they_would_otherwise(act) -> None:
    logs = []
    for deferred in (False, True):
        world = _three(deferred)
        before = world.advance(0.5)
        act(world)
        logs.append(_told(carom.ContactLog.concatenate([before, world.advance(1.0), world.advance(2.0)])))
    assert logs[0] == logs[1]
    assert len(logs[0]) == (act is not _jump_in_and_out)


def test_filter_changed_before_bodies_are_deferred_counts() -> None:
    world = _three(False)
    world.set_filter(0, 1, False)
    world.set_motion(0, carom.Motion((9.0, 0.1, 0.0)))
    assert not world.advance(0.5)
    world.set_filter(0, 1, True)
    world.defer([0])
    assert _told(world.advance(1.0)) == [(0.5, 0, 1, 1)]
