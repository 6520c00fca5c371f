"""The broad phase `space-time` with cutting planes: what nothing can push a guided body into is not looked at."""

from __future__ import annotations

import math

import numpy as np
import pytest

import carom
from carom import Guided, Motion, Sphere
from carom.tables.run_columns import FRAME
from scenarios.guided_samples import random_guided, random_path
from scenarios.worlds import random_mix


def stretches(world):
    return int(world._tables.count[FRAME])


def among_stones(direction, broad="space-time", push=10.0, **options):
    """A ship at rest, and stones ahead of it."""
    world = carom.World(broad, **options)
    ship = world.add(Sphere(1.0), Guided((0, 0, 0), (0, 0, 0), push, 2.0, direction))
    for x in (4.0, 7.0, 11.0, 16.0):
        world.add(Sphere(1.0), Motion((x, 1.0, 0.0)))
    return world, ship


def test_cutting_plane_saves_the_pairs_ahead_of_it():
    wide, _ = among_stones(None)
    cut, _ = among_stones((2, 0, 0))
    for world in (wide, cut):
        for t in np.linspace(0.1, 1.9, 19):
            assert len(world.advance(t)) == 0
            world.audit()
    assert wide.stats.pair_tests >= 4
    assert cut.stats.pair_tests == 0
    assert stretches(cut) < stretches(wide)


def test_cutting_plane_that_lies_aslant_and_moves():
    """The boxes overlap early on; the plane x + y = (1 + 0.2 t) sqrt(2) is between ship and stone."""
    world = carom.World("space-time")
    push = math.sqrt(0.5)
    world.add(Sphere(1.0), Guided((0, 0, 0), (0.2 * push, 0.2 * push, 0), 20.0, 1.0, (1, 1, 0)))
    world.add(Sphere(0.2), Motion((2.0, 2.0, 0)))
    assert len(world.advance(0.99)) == 0
    assert world.stats.pair_tests == 0
    world.advance(1.0)  # expired: only its path is left, which is far from the stone
    world.audit()
    assert world.stats.pair_tests == 0


def test_cutting_planes_of_two_bodies_that_part():
    """Boxes overlap from the start, each is behind its own plane."""
    world = carom.World("space-time")
    world.add(Sphere(1.0), Guided((-1.5, 0, 0), (-1, 0, 0), 30.0, 2.0, (1, 0.5, 0)))
    world.add(Sphere(1.0), Guided((1.5, 0, 0), (1, 0, 0), 30.0, 2.0, (-1, -0.5, 0)))
    world.advance(1.9)
    world.audit()
    assert world.stats.pair_tests == 0


def test_cutting_plane_that_the_user_breaks_ends_at_once():
    for broad in ("space-time", "all-pairs"):
        world, ship = among_stones((1, 0, 0), broad)
        world.advance(0.5)
        world.set_motion(ship, Guided((9.5, 1.0, 0.0), (0, 0, 0), 10.0, 3.0, start=1.0, direction=(1, 0, 0)))
        world.audit()
        (broken,) = world.take_broken_bounds()
        assert broken.body == ship
        log = world.advance(1.0)
        world.audit()
        # Past the stones at 4 and 7 to that at 11
        assert log.b.tolist() == [1, 2, 3]
        assert log.times[0] == pytest.approx(0.5 + 0.5 * 2.2 / 9.5, abs=0.03)
        world.advance(2.5)
        world.audit()


def test_cutting_plane_ahead_of_a_body_told_for_later():
    """Until it arrives, where it could not be, only its way is known; its plane counts from then on."""
    world, ship = among_stones(None, push=1.0)
    world.set_motion(ship, Guided((1.0, 0.0, 0.0), (0, 0, 0), 10.0, 2.5, (1, 0, 0), 0.5))
    world.advance(0.5)
    world.audit()
    tests = world.stats.pair_tests
    world.advance(2.4)
    world.audit()
    assert world.stats.pair_tests == tests


def steered(broad, seed, cut=True, jerks=False, **options):
    """Rigid bodies of all shapes, and five guided ones that keep what they say; told thirty times, in two ways."""
    rng = np.random.default_rng(seed)
    world = random_mix(seed, False, broad=broad, **options)
    hands = []
    for k in range(5):
        limits = random_guided(rng, 3.0, 3.0, expires=1.5)
        limits = Guided(limits.position, limits.velocity, 5.0, 1.5, rng.normal(size=3))
        direction = limits.direction if cut else None
        shape = Sphere(0.5) if k % 2 else carom.Box((0.8, 0.6, 0.4))
        body = world.add(shape, Guided(limits.position, limits.velocity, 12.5, 0.6, direction))
        hands.append((body, random_path(limits, rng, 30), direction))
    parts = []
    for step in range(1, 31):
        for body, (times, places), direction in hands:
            t, place = times[step], places[step]
            # From step to step the way is straight: at most at twice the acceleration of the path itself.
            velocity = (place - places[step - 1]) / (t - times[step - 1])
            jerk = 2.0 if jerks and (step + body) % 7 == 0 else 0.0
            told = Guided(place + jerk, velocity, 12.5, t + 0.6, direction, t, orientation=(1, 0.1 * step, 0, 0.3))
            world.set_motion(body, told)
        parts.append(world.advance(hands[0][1][0][step]))
        if step % 5 == 0:
            world.audit()
        if step == 15:
            world.set_filter(0, 0, True)  # builds the broad phase anew
    return world, carom.ContactLog.concatenate(parts)


def same_as_all_pairs(seeds, jerks):
    """Number of contacts in scenes that `space-time` logs bit for bit as all pairs do."""
    contacts = 0
    for seed in seeds:
        _, reference = steered("all-pairs", seed, jerks=jerks)
        world, log = steered("space-time", seed, jerks=jerks)
        assert log.identical(reference), seed
        assert (len(world.take_broken_bounds()) > 0) == jerks
        contacts += len(reference)
    return contacts


@pytest.mark.parametrize("jerks", [False, True], ids=["true to their word", "breaking it"])
def test_cutting_planes_miss_no_contact(jerks):
    assert same_as_all_pairs(range(3), jerks) > 20


@pytest.mark.long
@pytest.mark.parametrize("jerks", [False, True], ids=["true to their word", "breaking it"])
def test_cutting_planes_miss_no_contact_in_many_scenes(jerks):
    assert same_as_all_pairs(range(3, 60), jerks) > 400


def test_cutting_planes_with_responses_and_other_broad_phases():
    _, reference = steered("all-pairs", 3, response=carom.Elastic())
    for broad in ("space-time", "kinetic", "auto", "vadop"):
        _, log = steered(broad, 3, response=carom.Elastic())
        assert log.identical(reference), broad


def test_cutting_planes_save_pairs_in_a_crowd():
    wide, log = steered("space-time", 1, cut=False)
    cut, same = steered("space-time", 1)
    assert same.identical(log)
    assert cut.stats.pair_tests < wide.stats.pair_tests


@pytest.mark.parametrize(
    "axes",
    [
        [(0.6, 0.8, 0.0), (-0.8, 0.6, 0.0), (0.0, 0.0, 1.0)],
        [(1.0, 0.0, 0.0), (1.0, 1.0, 0.0), (0.0, 1.0, 1.0)],
        [(1.0, 0.0, 0.0), (0.0, 1.0, 0.0)],
        [(0.6, 0.8, 0.0), (-0.8, 0.6, 0.0), (0.0, 0.0, 1.0), (1.0, 1.0, 1.0)],
    ],
    ids=["turned", "slanted", "two", "four"],
)
def test_cutting_planes_along_axes_of_ones_own(axes):
    _, reference = steered("all-pairs", 2)
    _, log = steered("space-time", 2, axes=axes)
    assert log.identical(reference)
    ahead = np.array((1.0, 0.2, 0.1))
    world = carom.World("space-time", axes=axes)
    world.add(Sphere(1.0), Guided((0, 0, 0), (0, 0, 0), 10.0, 2.0, ahead))
    world.add(Sphere(1.0), Motion(3.0 * ahead))
    world.advance(1.9)
    at_right_angles = axes[0][0] == 0.6
    assert (world.stats.pair_tests == 0) == at_right_angles


@pytest.mark.parametrize(
    "direction", [(1e-160, 0, 0), (1, 1e-300, 0), (1, 1e-17, -1e-17), (0, 0, -1), (1, 1, 1), (1e150, 0, 1e150)]
)
def test_cutting_planes_of_degenerate_directions(direction):
    """Stones exactly as far ahead as the ship can come, and where it is pushed to."""
    unit = np.asarray(direction) / np.abs(direction).max()
    unit = unit / np.linalg.norm(unit)
    logs = []
    for broad in ("all-pairs", "space-time"):
        world = carom.World(broad)
        ship = world.add(Sphere(1.0), Guided((5, 5, 5), (0, 0, 0), 8.0, 1.0, direction))
        side = np.cross(unit, (0.3, 0.5, 0.8))
        side /= np.linalg.norm(side)
        for way in (unit, -unit, side):
            world.add(Sphere(0.5), Motion(5.0 + 1.5 * way))
            world.add(Sphere(0.5), Motion(5.0 + 4.0 * way))
        parts = []
        for t, place in ((0.25, 0.2 * side), (0.5, 0.9 * side), (0.75, 1.5 * side - 0.4 * unit), (1.0, -2.5 * unit)):
            world.set_motion(ship, Guided(5.0 + place, (0, 0, 0), 8.0, t + 1.0, direction, t))
            parts.append(world.advance(t))
            world.audit()
        logs.append(carom.ContactLog.concatenate(parts))
    assert len(logs[0]) >= 2
    assert logs[1].identical(logs[0])


def test_cutting_plane_of_a_body_that_cannot_accelerate():
    for direction in ((1, 0, 0), (-1, 0, 0), (0, 1, 0)):
        world = carom.World("space-time")
        world.add(Sphere(1.0), Guided((0, 0, 0), (1, 0, 0), 0.0, 20.0, direction))
        world.add(Sphere(1.0), Motion((10, 0, 0)))
        (contact,) = world.advance(19.0)
        assert contact.time == pytest.approx(8.0)


def test_cutting_plane_beside_bodies_without_end():
    world = carom.World("space-time")
    world.add(carom.HalfSpace((0, 0, 1), -3.0))
    ship = world.add(Sphere(1.0), Guided((0, 0, 0), (0, 0, 1), 9.0, 2.0, (0, 0, -1)))
    assert len(world.advance(0.5)) == 0
    world.audit()
    assert world.stats.pair_tests == 0  # nothing pushes it down
    world.set_motion(ship, Guided((0, 0, -4), (0, 0, 0), 9.0, 2.0, start=1.0))
    (contact,) = world.advance(1.0)
    assert contact.time == pytest.approx(0.5 + 0.5 * 2.5 / 4.5)


def test_cutting_plane_long_after_the_start_of_the_world():
    for broad in ("space-time", "all-pairs"):
        world = carom.World(broad)
        ship = world.add(Sphere(1.0), Guided((0, 0, 0), (0, 0, 0), 1.0, 1.0, (1, 0, 0)))
        world.add(Sphere(1.0), Motion((10, 0, 0)))
        world.advance(1.0e5)
        late = Guided((0, 0, 0), (0.1, 0, 0), 1.0, 3.0e5, (1, 0, 0), 1.0e5)
        world.set_motion(ship, late)
        (contact,) = world.advance(1.5e5)
        world.audit()
        assert contact.time == pytest.approx(1.0e5 + 80.0, abs=1e-9)


def test_cutting_plane_goes_with_the_guided_body():
    world, ship = among_stones((1, 0, 0))
    world.advance(0.2)
    world.set_motion(ship, Motion((0, 1, 0), (10, 0, 0), start=0.2))  # no longer guided
    assert world.advance(0.5).times.tolist() == [pytest.approx(0.4)]
    world.audit()
    world.remove(ship)
    again = world.add(Sphere(1.0), Guided((0, 1, 0), (0, 0, 0), 10.0, 2.0, start=0.5))  # takes over its row
    world.set_motion(again, Guided((3, 1, 0), (0, 0, 0), 10.0, 2.0, start=1.0))
    assert len(world.advance(1.0)) == 1
    world.audit()


@pytest.mark.parametrize(
    "broad",
    ["all-pairs", "kinetic", "kinetic-grid", "swept", "aabb-tree", "hash-grid", "space-time", "vadop", "kinetic-vadop"],
)
def test_contact_of_a_guided_body_that_comes_back_is_reported_alike_in_every_broad_phase(broad):
    """Through a long wall and back while within its bounding sphere: each time is news, whatever boxes the broad phase has."""
    world = carom.World(broad)
    world.add(carom.Box((0.2, 20.0, 20.0)))
    hand = world.add(Sphere(0.2), Guided((-2, 0, 0), (0, 0, 0), 100.0, 0.01))  # soon only its path is left
    times = []
    for t, x in ((0.5, -1), (1.0, 1), (1.5, 4), (2.0, 4), (2.5, 1), (3.0, -1), (3.5, -20), (4.0, -2), (4.5, 2)):
        world.set_motion(hand, Guided((x, 0, 0), (0, 0, 0), 100.0, t + 0.01, start=t))
        times += world.advance(t).times.tolist()
        world.audit()
    np.testing.assert_allclose(times, (0.5 + 0.5 * 0.7 / 2.0, 2.5 + 0.5 * 0.7 / 2.0, 4.0 + 0.5 * 1.7 / 4.0), atol=1e-9)
