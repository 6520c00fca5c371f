"""Bodies that spin, in a world."""

from __future__ import annotations

import math

import numpy as np
import pytest

import carom
from carom.errors import InvalidInputError, UnsupportedMotionError
from carom.tables.run_columns import SAME_TIME_LIMIT

BROAD = carom.world.BROAD_PHASES


def blades(world, n=12, seed=1):
    """Spinning boxes flying about in a box of walls."""
    rng = np.random.default_rng(seed)
    for axis in range(3):
        for sign in (-1.0, 1.0):
            normal = np.zeros(3)
            normal[axis] = -sign
            world.add(carom.HalfSpace(normal, -5.0), mass=math.inf)
    places = np.stack(np.meshgrid([-3.0, 0.0, 3.0], [-3.0, 3.0], [-3.0, 3.0]), -1).reshape(-1, 3)[:n]
    for place in places:
        motion = carom.Motion(place, rng.normal(size=3), orientation=rng.normal(size=4), spin=rng.normal(size=3) * 2.0)
        world.add(carom.Box((2.0, 0.6, 0.3)), motion)
    return world


@pytest.mark.parametrize("broad", BROAD)
def test_world_rod_that_turns_strikes_a_ball_when_its_end_gets_there(broad):
    world = carom.World(broad)
    rod = world.add(carom.Box((2.0, 0.2, 0.2)), carom.Motion(spin=(0, 0, 0.5)))
    ball = world.add(carom.Sphere(0.1), carom.Motion((0.0, 0.8, 0.0)))
    log = world.advance(10.0)
    # The side of the rod is at distance 0.1 from its axis line; it reaches the ball when cos(angle from y) * 0.8 = 0.2.
    assert log.times[0] == pytest.approx((math.pi / 2 - math.asin(0.25)) / 0.5, abs=1e-8)
    assert (log.a[0], log.b[0]) == (rod, ball)
    assert log.status[0] == 3
    assert log.speeds[0] > 0.0


def test_world_spin_of_balls_changes_nothing():
    logs = []
    for spin in (0.0, 7.0):
        world = carom.World(response=carom.Elastic())
        world.add(carom.Sphere(1.0), carom.Motion((0, 0, 0), (1, 0, 0), spin=(0, 0, spin)))
        world.add(carom.Sphere(1.0), carom.Motion((5, 0.3, 0), (-1, 0, 0)))
        logs.append(world.advance(10.0))
    assert logs[0].identical(logs[1])


@pytest.mark.parametrize("broad", BROAD[1:])
def test_world_spinning_bodies_give_the_same_log_in_every_broad_phase(broad):
    reference = blades(carom.World("kinetic", carom.Elastic())).advance(8.0)
    assert len(reference) > 40
    assert blades(carom.World(broad, carom.Elastic())).advance(8.0).identical(reference)


def test_world_spinning_bodies_do_not_depend_on_the_polling_rate():
    once = blades(carom.World("kinetic", carom.Elastic())).advance(2.0)
    world = blades(carom.World("kinetic", carom.Elastic()))
    polled = [world.advance(2.0 * (k + 1) / 500) for k in range(500)]
    assert np.array_equal(np.concatenate([log.times for log in polled]), once.times)


def test_world_elastic_contacts_of_spinning_bodies_keep_energy_and_momentum():
    world = carom.World(response=carom.Elastic())
    bodies = []
    rng = np.random.default_rng(3)
    for k in range(6):
        speed = np.array((2.5 - k, 0.0, 0.0)) + 0.1 * rng.normal(size=3)
        motion = carom.Motion((2.2 * k, 0, 0), speed, orientation=rng.normal(size=4), spin=rng.normal(size=3))
        bodies.append(world.add(carom.Box((2.0, 0.6, 0.3)), motion, mass=1.0 + k, inertia=0.5 + 0.1 * k))

    def state():
        masses, speeds = world.masses, world.velocities()
        spins = np.array([world.motion(int(b)).spin for b in world.bodies])
        inertia = 0.5 + 0.1 * np.arange(6)
        energy = 0.5 * (masses * (speeds**2).sum(axis=1)).sum() + 0.5 * (inertia * (spins**2).sum(axis=1)).sum()
        places = world.positions()
        turn = (masses[:, None] * np.cross(places, speeds)).sum(axis=0) + (inertia[:, None] * spins).sum(axis=0)
        return energy, (masses[:, None] * speeds).sum(axis=0), turn

    before = state()
    log = world.advance(20.0)
    after = state()
    assert len(log) > 2
    assert after[0] == pytest.approx(before[0], rel=1e-12)
    assert np.allclose(after[1], before[1], atol=1e-12)
    # Contact points lie within the gap tolerance of either surface, so the lever arms agree to that.
    assert np.allclose(after[2], before[2], atol=1e-6)


def test_world_spinning_bodies_never_overlap():
    world = blades(carom.World("kinetic", carom.Elastic()))
    rng = np.random.default_rng(0)
    for t in np.sort(rng.random(30) * 3.0):
        world.advance(float(t))
        poses = [world.motion(int(b)).pose_at(float(t)) for b in world.bodies]
        shapes = [world.shape(int(b)) for b in world.bodies]
        for i in range(len(shapes)):
            for j in range(i):
                depth = carom.penetration(shapes[i], shapes[j], poses[i], poses[j], threads=1).depth
                assert depth < 1e-8 or isinstance(shapes[i], carom.HalfSpace)


def test_world_keyframes_that_turn_are_followed():
    half = math.sqrt(0.5)
    world = carom.World()
    keys = carom.Keyframes([0.0, 1.0], np.zeros((2, 3)), [(1, 0, 0, 0), (half, 0, 0, half)])
    gate = world.add(carom.Box((2.0, 0.2, 0.2)), keys)
    ball = world.add(carom.Sphere(0.1), carom.Motion((0.0, 0.8, 0.0)))
    log = world.advance(2.0)
    assert (log.a[0], log.b[0]) == (gate, ball)
    assert log.times[0] == pytest.approx((math.pi / 2 - math.asin(0.25)) / (math.pi / 2), abs=1e-8)
    assert np.allclose(np.abs(world.orientations()[0]), (half, 0, 0, half))


def test_world_orientation_follows_the_spin():
    world = carom.World()
    world.add(carom.Box((1, 1, 1)), carom.Motion(spin=(0, 0, 0.5)))
    world.advance(1.0)
    assert np.allclose(world.orientations()[0], (math.cos(0.25), 0, 0, math.sin(0.25)))
    assert np.allclose(world.orientations(3.0)[0], (math.cos(0.75), 0, 0, math.sin(0.75)))


def test_world_restored_with_spin_goes_on_to_the_same_log():
    world = blades(carom.World("kinetic", carom.Elastic()))
    world.advance(1.0)
    saved = world.snapshot()
    shapes = [world.shape(int(b)) for b in world.bodies]
    rest = world.advance(2.0)
    again = carom.World.restore(saved, shapes, carom.Elastic()).advance(2.0)
    assert len(rest) > 0
    assert rest.identical(again)


def test_add_many_names_the_row_of_another_length():
    with pytest.raises(carom.InvalidInputError, match=r"positions\[1\] is \[0, 1\]; expected 3 numbers"):
        carom.World().add_many(carom.Sphere(1.0), [[0, 0, 0], [0, 1], [2, 0, 0]])


def test_world_add_many_takes_spins():
    world = carom.World()
    spins = np.array([[0, 0, 0.5], [0, 0, 0]])
    world.add_many([carom.Box((2.0, 0.2, 0.2)), carom.Sphere(0.1)], [(0, 0, 0), (0, 0.8, 0)], spins=spins)
    assert world.advance(10.0).times[0] == pytest.approx((math.pi / 2 - math.asin(0.25)) / 0.5, abs=1e-8)


def test_world_refuses_half_spaces_that_spin():
    world = carom.World()
    with pytest.raises(UnsupportedMotionError, match="half-space"):
        world.add(carom.HalfSpace((0, 0, 1), 0.0), carom.Motion(spin=(1, 0, 0)))
    with pytest.raises(InvalidInputError, match="inertia is -1"):
        world.add(carom.Box((1, 1, 1)), inertia=-1.0)
    assert len(world) == 0


def test_world_whose_response_lets_bodies_touch_again_at_once_ends_with_an_error():
    """The response sends the stick up, but its end still turns into the floor: contacts at one instant without end."""

    def rise(world, contact):
        motion = world.motion(contact.b)
        place, turn = motion.position_at(contact.time), motion.orientation_at(contact.time)
        world.set_motion(contact.b, carom.Motion(place, (0, 0, 0.5), (0, 0, 0), turn, motion.spin, contact.time))

    world = carom.World(response=rise)
    world.add(carom.HalfSpace((0, 0, 1), 0.0), mass=math.inf)
    world.add(carom.Box((2.0, 0.2, 0.2)), carom.Motion((0, 0, 1.0), (0, 0, -0.5), spin=(0, 2.0, 0)))
    world._tables.count[SAME_TIME_LIMIT] = 50
    with pytest.raises(carom.CaromError, match="do not come to an end: the response lets them approach again"):
        world.advance(3.0)
