"""What a world promises: times, order, responses, bodies that come and go."""

from __future__ import annotations

import math

import numpy as np
import pytest

import carom
from scenarios.worlds import energy, gas, random_mix, walls

BROAD = carom.world.BROAD_PHASES


def two_spheres(**options: object) -> carom.World:
    world = carom.World(**options)  # type: ignore[arg-type]
    world.add(carom.Sphere(1.0), carom.Motion((0.0, 0.0, 0.0), (1.0, 0.0, 0.0)), name="left")
    world.add(carom.Sphere(1.0), carom.Motion((10.0, 0.0, 0.0), (-1.0, 0.0, 0.0)), name="right")
    return world


@pytest.mark.parametrize("broad", BROAD)
def test_world_two_spheres_touch_at_the_analytic_time_place_and_normal(broad: str) -> None:
    world = two_spheres(broad=broad, response=carom.Elastic())
    (contact,) = world.advance(10.0)
    assert contact.time == 4.0
    assert (contact.a, contact.b) == (0, 1)
    np.testing.assert_allclose(contact.point, (5.0, 0.0, 0.0), atol=1e-15)
    np.testing.assert_allclose(contact.normal, (1.0, 0.0, 0.0), atol=1e-15)
    assert contact.speed == 2.0
    np.testing.assert_allclose(world.velocities(), [(-1.0, 0.0, 0.0), (1.0, 0.0, 0.0)], atol=1e-15)
    np.testing.assert_allclose(world.positions(), [(-2.0, 0.0, 0.0), (12.0, 0.0, 0.0)], atol=1e-14)
    assert world.name(0) == "left"
    world.audit()


@pytest.mark.parametrize("broad", BROAD)
def test_world_without_response_reports_a_pass_once(broad: str) -> None:
    world = two_spheres(broad=broad)
    assert len(world.advance(20.0)) == 1
    assert world.next_event_time() > 20.0 or broad == "swept"


@pytest.mark.parametrize("broad", BROAD)
def test_world_pass_through_is_armed_again_when_a_motion_changes(broad: str) -> None:
    world = two_spheres(broad=broad)
    assert len(world.advance(5.0)) == 1
    world.set_motion(1, carom.Motion((5.5, 0.0, 0.0), (-1.0, 0.0, 0.0), start=5.0))
    log = world.advance(6.0)
    assert list(log.times) == [5.0]
    assert len(world.advance(20.0)) == 0


@pytest.mark.parametrize("broad", BROAD)
def test_world_pass_through_is_armed_again_after_the_spheres_have_parted(broad: str) -> None:
    world = carom.World(broad=broad)
    world.add(carom.Sphere(1.0))
    world.add(carom.Sphere(1.0), carom.Motion((10.0, 0.0, 0.0), (-6.0, 0.0, 0.0), (1.0, 0.0, 0.0)))
    log = world.advance(20.0)
    times = np.roots([0.5, -6.0, 10.0 - 2.0]), np.roots([0.5, -6.0, 10.0 + 2.0])
    np.testing.assert_allclose(log.times, sorted([times[0].min(), times[1].max()]), rtol=1e-14)
    world.audit()


@pytest.mark.parametrize("broad", BROAD)
def test_world_ball_bounces_under_gravity_for_a_thousand_hops(broad: str) -> None:
    world = carom.World(broad=broad, response=carom.Elastic(), frame=0.1)
    world.add(carom.HalfSpace((0.0, 0.0, 1.0), 0.0), mass=math.inf)
    world.add(carom.Sphere(0.5), carom.Motion((0.0, 0.0, 5.5), acceleration=(0.0, 0.0, -10.0)))
    log = world.advance(2001.0)
    np.testing.assert_allclose(log.times, 1.0 + 2.0 * np.arange(1001), rtol=1e-12)
    np.testing.assert_allclose(log.speeds, 10.0, rtol=1e-11)


def test_world_ball_at_rest_on_the_floor_stays_there() -> None:
    world = carom.World(response=carom.Elastic())
    world.add(carom.HalfSpace((0.0, 0.0, 1.0), 0.0), mass=math.inf)
    world.add(carom.Sphere(0.5), carom.Motion((0.0, 0.0, 0.5), acceleration=(0.0, 0.0, -10.0)))
    log = world.advance(1.0)
    assert 100 < len(log) < 1000
    assert 0.5 - 1e-9 <= world.positions()[1, 2] <= 0.5 + 5e-6


def test_world_bodies_that_come_to_rest_make_few_hops() -> None:
    world = carom.World(response=carom.Elastic(0.7))
    world.add(carom.HalfSpace((0.0, 0.0, 1.0), 0.0), mass=math.inf)
    for x, shape in enumerate((carom.Sphere(0.3), carom.Box((0.6, 0.6, 0.6)))):
        world.add(shape, carom.Motion((2.0 * x, 0.0, 1.0), acceleration=(0.0, 0.0, -10.0), spin=(0.0, 1.0, 0.0)))
    log = world.advance(4.0)
    assert 100 < len(log) < 20_000
    assert (world.positions()[1:, 2] < 0.6).all()


def test_world_inelastic_bounces_come_to_an_end() -> None:
    world = carom.World(response=carom.Elastic(0.5, collapse_time=1e-3))
    world.add(carom.HalfSpace((0.0, 0.0, 1.0), 0.0), mass=math.inf)
    world.add(carom.Sphere(0.5), carom.Motion((0.0, 0.0, 1.5), acceleration=(0.0, 0.0, -10.0)))
    log = world.advance(5.0)
    assert len(log) < 10_000
    assert np.all(np.diff(log.times) >= 0.0)
    assert 0.5 - 1e-9 <= world.positions()[1, 2] < 0.5 + 1e-4


@pytest.mark.parametrize("broad", BROAD)
def test_world_masses_share_momentum_and_infinite_mass_does_not_move(broad: str) -> None:
    world = carom.World(broad=broad, response=carom.Elastic())
    world.add(carom.Sphere(1.0), carom.Motion((0.0, 0.0, 0.0), (2.0, 0.0, 0.0)), mass=3.0)
    world.add(carom.Sphere(1.0), carom.Motion((5.0, 0.0, 0.0)), mass=1.0)
    world.add(carom.Sphere(1.0), carom.Motion((100.0, 0.0, 0.0)), mass=math.inf)
    world.advance(2.0)
    np.testing.assert_allclose(world.velocities()[:, 0], (1.0, 3.0, 0.0), rtol=1e-15)
    world.advance(40.0)
    assert world.velocities()[2, 0] == 0.0


def test_world_restitution_sets_the_speed_of_parting() -> None:
    world = two_spheres(response=carom.Elastic(0.25))
    world.advance(5.0)
    np.testing.assert_allclose(world.velocities()[:, 0], (-0.25, 0.25), rtol=1e-15)


@pytest.mark.parametrize("broad", BROAD)
def test_world_touching_and_parting_is_no_contact(broad: str) -> None:
    world = carom.World(broad=broad, response=carom.Elastic())
    world.add(carom.Sphere(1.0), carom.Motion((0.0, 0.0, 0.0), (-1.0, 0.0, 0.0)))
    world.add(carom.Sphere(1.0), carom.Motion((2.0, 0.0, 0.0), (1.0, 0.0, 0.0)))
    world.add(carom.Sphere(1.0), carom.Motion((0.0, 2.0, 0.0), (-1.0, 0.0, 0.0)))
    assert len(world.advance(10.0)) == 0


@pytest.mark.parametrize("broad", BROAD)
def test_world_overlapping_and_approaching_is_a_contact_now(broad: str) -> None:
    world = carom.World(broad=broad, response=carom.Elastic(), start=3.0)
    world.add(carom.Sphere(1.0), carom.Motion((0.0, 0.0, 0.0), (1.0, 0.0, 0.0), start=3.0))
    world.add(carom.Sphere(1.0), carom.Motion((1.0, 0.0, 0.0), start=3.0))
    (contact,) = world.advance(10.0)
    assert contact.time == 3.0


@pytest.mark.parametrize("broad", BROAD)
def test_world_grazing_spheres_do_not_touch_but_a_hair_closer_they_do(broad: str) -> None:
    for offset, contacts in ((2.0, 0), (2.0 - 1e-9, 1), (2.0 + 1e-9, 0)):
        world = carom.World(broad=broad)
        world.add(carom.Sphere(1.0))
        world.add(carom.Sphere(1.0), carom.Motion((-50.0, offset, 0.0), (1.0, 0.0, 0.0)))
        assert len(world.advance(100.0)) == contacts


@pytest.mark.parametrize("broad", BROAD)
def test_world_zero_relative_velocity_never_touches(broad: str) -> None:
    world = carom.World(broad=broad)
    velocity = (0.3, -2.0, 7.0)
    world.add(carom.Sphere(1.0), carom.Motion((0.0, 0.0, 0.0), velocity))
    world.add(carom.Sphere(1.0), carom.Motion((2.0, 0.0, 0.0), velocity))
    world.add(carom.Box((1.0, 1.0, 1.0)), carom.Motion((-1.5, 0.0, 0.0), velocity))
    assert len(world.advance(100.0)) == 0


def test_world_simultaneous_contacts_come_in_order_of_ids() -> None:
    for order in ([0, 1, 2, 3, 4, 5], [5, 2, 0, 4, 1, 3]):
        world = carom.World(response=carom.Elastic())
        centres = [
            (0.0, 0.0, 0.0),
            (10.0, 0.0, 0.0),
            (0.0, 20.0, 0.0),
            (10.0, 20.0, 0.0),
            (0.0, 40.0, 0.0),
            (10.0, 40.0, 0.0),
        ]
        for k in order:
            world.add(carom.Sphere(1.0), carom.Motion(centres[k], (1.0 if k % 2 == 0 else -1.0, 0.0, 0.0)))
        log = world.advance(10.0)
        assert list(log.times) == [4.0, 4.0, 4.0]
        pairs = list(zip(log.a.tolist(), log.b.tolist(), strict=True))
        assert pairs == sorted(pairs)


@pytest.mark.parametrize("broad", BROAD)
def test_world_newtons_cradle_passes_the_push_on_at_one_instant(broad: str) -> None:
    world = carom.World(broad=broad, response=carom.Elastic())
    world.add(carom.Sphere(0.5), carom.Motion((-3.0, 0.0, 0.0), (1.0, 0.0, 0.0)))
    for k in range(4):
        world.add(carom.Sphere(0.5), carom.Motion((float(k), 0.0, 0.0)))
    log = world.advance(3.0)
    np.testing.assert_allclose(log.times, 2.0, atol=1e-15)
    np.testing.assert_allclose(world.velocities()[:, 0], (0.0, 0.0, 0.0, 0.0, 1.0), atol=1e-15)


@pytest.mark.parametrize("start", [1e6, 1e9, 1e12])
def test_world_started_late_loses_no_precision(start: float) -> None:
    late = carom.World(response=carom.Elastic(), start=start)
    early = carom.World(response=carom.Elastic())
    for world in (late, early):
        walls(world, 8.0)
        world.add_many(
            carom.Sphere(1.0), [(2.0, 2.0, 2.0), (6.0, 6.0, 5.0), (2.0, 6.0, 3.0)], np.eye(3) + [0.1, 0.2, 0.3]
        )
    a, b = late.advance(start + 8.0), early.advance(8.0)
    np.testing.assert_array_equal(a.points, b.points)
    np.testing.assert_allclose(a.times - start, b.times, atol=2.0 * np.spacing(start))


def test_world_that_runs_very_long_keeps_its_contacts_exact() -> None:
    world = carom.World(response=carom.Elastic())
    world.add(carom.HalfSpace((1.0, 0.0, 0.0), 0.0), mass=math.inf)
    world.add(carom.HalfSpace((-1.0, 0.0, 0.0), -1000.0), mass=math.inf)
    world.add(carom.Sphere(1.0), carom.Motion((500.0, 0.0, 0.0), (1.0, 0.0, 0.0)))
    log = world.advance(1e6)
    assert world.stats.rebuilds > 10
    np.testing.assert_allclose(log.times, 499.0 + 998.0 * np.arange(len(log)), rtol=0, atol=1e-7)
    assert len(log) == 1002
    world.audit()


@pytest.mark.parametrize("broad", BROAD)
def test_world_jump_moves_a_body_past_others_without_a_contact(broad: str) -> None:
    world = gas(60, 0.02, broad=broad)
    world.advance(1.0)
    body = int(world.bodies[-1])
    world.set_motion(body, carom.Motion((500.0, 500.0, 500.0), start=1.0))
    world.audit()
    log = world.advance(2.0)
    own = log.b == body  # it is in three walls now, and touches nothing on the way
    assert log.a[own].tolist() == [1, 3, 5]
    assert (log.times[own] == 1.0).all()
    assert (log.status[own] == 1).all()
    world.set_motion(body, carom.Motion((-500.0, 3.0, 500.0), start=2.0))
    world.audit()


@pytest.mark.parametrize("broad", BROAD)
def test_world_random_jumps_and_comings_and_goings_keep_every_certificate(broad: str) -> None:
    rng = np.random.default_rng(5)
    world = random_mix(3, True, broad=broad, response=carom.Elastic())
    for k in range(1, 40):
        world.advance(0.1 * k)
        bodies = world.bodies
        choice = int(rng.choice(bodies))
        action = k % 3
        if action == 0:
            world.remove(choice)
        elif action == 1:
            world.add(carom.Sphere(0.4), carom.Motion(rng.uniform(-4, 4, 3), rng.uniform(-1, 1, 3), start=world.time))
        else:
            world.set_motion(choice, carom.Motion(rng.uniform(-4, 4, 3), rng.uniform(-1, 1, 3), start=world.time))
        world.audit()
    with pytest.raises(carom.errors.UnknownBodyError, match="not in this world"):
        world.set_motion(10_000, carom.Motion())


def test_world_comings_and_goings_give_the_same_log_in_every_broad_phase() -> None:
    logs = []
    for broad in BROAD:
        rng = np.random.default_rng(6)
        world = random_mix(7, False, broad=broad, response=carom.Elastic())
        parts = []
        for k in range(1, 30):
            parts.append(world.advance(0.2 * k))
            choice = int(rng.choice(world.bodies))
            if k % 2:
                world.remove(choice)
            world.add(
                carom.Box((0.5, 0.6, 0.7)), carom.Motion(rng.uniform(-4, 4, 3), rng.uniform(-1, 1, 3), start=world.time)
            )
        logs.append(carom.ContactLog.concatenate(parts))
    assert len(logs[0]) > 10
    for broad, log in zip(BROAD, logs, strict=True):
        assert log.identical(logs[0]), broad


def test_world_motion_change_touches_only_the_events_of_that_body() -> None:
    world = gas(200, 0.05)
    before = world._engine.queue.keys.copy()
    body = int(world.bodies[-1])
    slots, first, second = world._engine.pair_rows()
    ids = world._tables.link[:, 4]
    concerned = (ids[first] == body) | (ids[second] == body)
    world.set_motion(body, carom.Motion(world.positions()[-1], (0.1, 0.2, 0.3), start=world.time))
    after = world._engine.queue.keys
    np.testing.assert_array_equal(before[slots[~concerned]], after[slots[~concerned]])


@pytest.mark.parametrize("broad", BROAD)
def test_world_response_function_sees_each_contact_and_may_change_motions(broad: str) -> None:
    seen: list[tuple[float, float]] = []

    def stop(world: carom.World, contact: carom.Contact) -> None:
        seen.append((contact.time, world.time))
        for body in (contact.a, contact.b):
            at = world.motion(body).position_at(world.time)
            world.set_motion(body, carom.Motion(at, start=world.time))

    world = two_spheres(broad=broad, response=stop)
    world.add(carom.Sphere(1.0), carom.Motion((5.0, 10.0, 0.0), (0.0, -1.0, 0.0)))
    log = world.advance(20.0)
    assert seen[0] == (4.0, 4.0)
    assert len(seen) == len(log) == 2
    np.testing.assert_allclose(world.velocities(), 0.0)


def test_world_response_function_is_called_for_every_contact_however_the_world_is_polled() -> None:
    for rate in (1, 100):
        calls: list[float] = []
        world = carom.World(response=lambda w, c, calls=calls: calls.append(c.time))
        for k in range(12):
            world.add(carom.Sphere(1.0), carom.Motion((5.0 * k, 0.0, 0.0), (float(12 - k), 0.0, 0.0)))
        log = carom.ContactLog.concatenate([world.advance((k + 1) / rate) for k in range(20 * rate)])
        assert calls == log.times.tolist()
        assert len(calls) == 66


def test_world_response_function_that_does_nothing_passes_through() -> None:
    world = two_spheres(response=lambda w, c: None)
    assert len(world.advance(20.0)) == 1


def test_world_advance_inside_a_response_is_refused() -> None:
    world = two_spheres(response=lambda w, c: w.advance(100.0))
    with pytest.raises(carom.CaromError, match="inside a response"):
        world.advance(10.0)


@pytest.mark.parametrize("broad", BROAD)
def test_world_groups_that_do_not_collide_pass_each_other(broad: str) -> None:
    world = carom.World(broad=broad)
    world.set_filter(1, 2, False)
    world.add(carom.Sphere(1.0), carom.Motion((0.0, 0.0, 0.0), (1.0, 0.0, 0.0)), group=1)
    world.add(carom.Sphere(1.0), carom.Motion((10.0, 0.0, 0.0), (-1.0, 0.0, 0.0)), group=2)
    world.add(carom.Sphere(1.0), carom.Motion((20.0, 0.0, 0.0), (-3.0, 0.0, 0.0)), group=1)
    world.audit()
    log = world.advance(3.9)
    assert list(zip(log.a, log.b, strict=True)) == []
    world.set_filter(1, 2, True)
    log = world.advance(30.0)
    assert [0, 2] in np.stack((log.a, log.b), axis=1).tolist()


@pytest.mark.parametrize("broad", BROAD)
def test_world_keyframed_body_follows_its_keys_and_pushes_others(broad: str) -> None:
    world = carom.World(broad=broad, response=carom.Elastic())
    keys = carom.Keyframes([1.0, 2.0, 4.0], [(0.0, 0.0, 0.0), (3.0, 0.0, 0.0), (3.0, 4.0, 0.0)])
    led = world.add(carom.Box((2.0, 2.0, 2.0)), keys)
    ball = world.add(carom.Sphere(1.0), carom.Motion((3.5, 0.0, 0.0)))
    other = world.add(carom.Sphere(0.5), carom.Motion((3.0, 3.5, 0.0)))
    log = world.advance(6.0)
    np.testing.assert_allclose(log.times[0], 1.5, rtol=1e-14)
    assert (log.a[0], log.b[0]) == (led, ball)
    np.testing.assert_allclose(world.velocities()[ball], (6.0, 0.0, 0.0), atol=1e-13)
    np.testing.assert_allclose(world.positions()[led], (3.0, 4.0, 0.0), atol=1e-15)
    np.testing.assert_allclose(log.times[1], 3.0, rtol=1e-14)
    assert log.b[1] == other
    assert world.stats.timers == 3
    world.audit()


def test_world_positions_at_a_time_follow_the_present_motions() -> None:
    world = carom.World()
    world.add(carom.Sphere(1.0), carom.Motion((1.0, 2.0, 3.0), (1.0, 0.0, 0.0), (0.0, 2.0, 0.0)))
    np.testing.assert_allclose(world.positions(2.0), [(3.0, 6.0, 3.0)])
    assert world.time == 0.0


def test_world_overlaps_are_the_pairs_of_overlapping_bounds() -> None:
    world = carom.World()
    world.add(carom.Box((2.0, 2.0, 2.0)))
    world.add(carom.Box((2.0, 2.0, 2.0)), carom.Motion((1.5, 1.5, 1.5)))
    world.add(carom.Box((2.0, 2.0, 2.0)), carom.Motion((3.0, 3.0, 3.0), (1.0, 0.0, 0.0)))
    assert world.overlaps().tolist() == [[0, 1], [1, 2]]
    world.advance(5.0)
    assert world.overlaps().tolist() == [[0, 1]]


def test_world_elastic_gas_keeps_its_energy() -> None:
    world = gas(100, 0.2)
    before = energy(world)
    world.advance(20.0)
    assert abs(energy(world) / before - 1.0) < 1e-13


def test_world_profile_splits_the_time_without_changing_the_log() -> None:
    plain, profiled = gas(100, 0.05), gas(100, 0.05, profile=True)
    assert profiled.advance(10.0).identical(plain.advance(10.0))
    stats = profiled.stats
    assert stats.seconds_sort > 0.0
    assert stats.seconds_update > 0.0
    assert plain.stats.seconds_sort == 0.0


def test_world_motions_are_those_of_each_body():
    world = carom.World(response=carom.Elastic(), start=3.0)
    world.add(carom.Sphere(1.0), carom.Motion((-3.0, 0.0, 0.0), (2.0, 0.0, 0.0), start=3.0))
    world.add(carom.Sphere(1.0), carom.Motion((0.0, 0.0, 0.5), acceleration=(0.0, 0.0, -1.0), start=2.0))
    world.add(carom.Box((1.0, 1.0, 1.0)), carom.Motion((9.0, 9.0, 9.0), orientation=(1.0, 1.0, 0.0, 0.0), start=3.0))
    before = world.motion_count
    assert len(world.advance(4.0)) == 1
    assert world.motion_count > before
    motions = world.motions()
    assert len(motions) == 3
    for k, body in enumerate(world.bodies):
        one = world.motion(body)
        assert np.array_equal(motions.positions[k], one.position)
        assert np.array_equal(motions.velocities[k], one.velocity)
        assert np.array_equal(motions.accelerations[k], one.acceleration)
        assert np.abs(motions.orientations[k] - one.orientation).max() < 1e-15
        assert motions.start[k] == one.start


def test_world_motion_count_grows_with_every_change_and_only_then():
    world = carom.World()
    body = world.add(carom.Sphere(1.0), carom.Motion(velocity=(1.0, 0.0, 0.0)))
    world.add(carom.Sphere(1.0), carom.Keyframes([0.0, 5.0], [(0.0, 9.0, 0.0), (1.0, 9.0, 0.0)]))
    world.advance(1.0)
    before = world.motion_count
    world.advance(4.0)
    assert world.motion_count == before
    world.set_motion(body, carom.Motion(start=4.0))
    changed = world.motion_count
    assert changed > before
    world.advance(6.0)
    assert world.motion_count > changed
