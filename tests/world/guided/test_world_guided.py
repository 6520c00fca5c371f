"""Guided bodies in a world: told where they are, bounded in where they can be, in one log with all others."""

from __future__ import annotations

import math

import numpy as np
import pytest

import carom
from carom import Guided, Motion, Sphere
from scenarios.guided_samples import random_guided, random_path
from scenarios.worlds import random_mix

BROADS = ("all-pairs", "kinetic", "kinetic-grid", "swept", "aabb-tree", "hash-grid", "space-time")


def told(place, start, velocity=(0.0, 0.0, 0.0), push=50.0, lasts=1.0, **options):
    return Guided(place, velocity, push, start + lasts, start=start, **options)


@pytest.mark.parametrize("broad", ["auto", "kinetic", "space-time"])
def test_guided_body_is_followed_straight_to_where_it_is_told_to_be(broad):
    world = carom.World(broad)
    ball = world.add(Sphere(1.0), carom.Motion((10, 0, 0)))
    hand = world.add(Sphere(1.0), told((0, 0, 0), 0.0))
    assert world.is_guided(hand)
    assert not world.is_guided(ball)
    world.set_motion(hand, told((4, 0, 0), 0.5))
    assert len(world.advance(0.5)) == 0
    world.set_motion(hand, told((12, 0, 0), 1.0))  # 16 m/s: touches at x = 8, halfway
    world.audit()
    (contact,) = world.advance(1.0)
    assert contact.time == pytest.approx(0.75, rel=1e-12)
    assert (contact.a, contact.b) == (ball, hand)
    np.testing.assert_allclose(world.positions()[1], (12, 0, 0), atol=1e-12)
    assert world.guided(hand).start == 1.0


def test_guided_body_goes_on_at_its_velocity_until_told_otherwise():
    world = carom.World()
    hand = world.add(Sphere(1.0), told((0, 0, 0), 0.0, (2, 0, 0), lasts=0.5))
    world.advance(3.0)  # expired long ago
    np.testing.assert_allclose(world.positions()[0], (6, 0, 0))
    world.set_motion(hand, told((0, 0, 0), 3.0))
    np.testing.assert_allclose(world.positions()[0], (0, 0, 0))


def scripted(broad, seed, response=None, **options):
    """Rigid bodies of all shapes, and four guided ones that are told where they are twenty times a second."""
    rng = np.random.default_rng(seed)
    world = random_mix(seed, False, broad=broad, response=response, **options)
    paths, hands = [], []
    for k in range(4):
        limits = random_guided(rng, 3.0, 3.0, expires=3.0)
        limits = Guided(limits.position, limits.velocity, 6.0, 3.0, limits.direction)
        paths.append(random_path(limits, rng, 60))
        lasting = 0.02 if k == 0 else 0.7  # of one the bounds expire all the time
        shape = Sphere(0.5) if k % 2 else carom.Box((0.8, 0.6, 0.4))
        hands.append((world.add(shape, Guided(limits.position, limits.velocity, 6.0, lasting)), lasting, k))
    parts = []
    for step in range(1, 61):
        t = paths[0][0][step]
        for hand, lasting, k in hands:
            before, place = paths[k][1][step - 1], paths[k][1][step]
            velocity = (place - before) / (t - paths[k][0][step - 1])
            jerk = 3.0 if step % 13 == 0 and k == 2 else 0.0  # breaks its limits now and then
            world.set_motion(hand, Guided(place + jerk, velocity, 6.0 + 0.1 * k, t + lasting, start=t))
        parts.append(world.advance(t))
        if step % 6 == 0:
            world.audit()
    return world, carom.ContactLog.concatenate(parts)


@pytest.mark.parametrize("response", [None, carom.Elastic()], ids=["passing", "elastic"])
def test_guided_worlds_have_the_same_log_in_every_broad_phase(response):
    for seed in range(2):
        _, reference = scripted("all-pairs", seed, response)
        assert len(reference) > 5
        for broad in BROADS[1:]:
            world, log = scripted(broad, seed, response)
            assert log.identical(reference), (broad, seed)
            assert len(world.take_broken_bounds()) > 3


def test_guided_renewal_within_its_bounds_leaves_sorted_lists_alone():
    world = carom.World("kinetic")
    rng = np.random.default_rng(0)
    world.add_many(Sphere(0.1), rng.uniform(-5.0, 5.0, (50, 3)))
    hand = world.add(Sphere(0.5), told((0, 0, 0), 0.0, push=100.0, lasts=2.0))
    world.advance(0.01)
    swaps = world.stats.swaps
    for k in range(2, 50):
        t = 0.01 * k
        world.set_motion(hand, told((0.2 * t, 0, 0), t, (0.2, 0, 0), push=100.0, lasts=2.0))
        before = world.stats.swaps
        world.set_motion(hand, told((0.2 * t, 0.0, 0), t, (0.2, 0, 0), push=100.0, lasts=2.0))
        assert world.stats.swaps == before
        world.advance(t)
        world.audit()
    assert world.stats.swaps > swaps  # by time, as the bounds grow
    assert world.take_broken_bounds() == []


def test_guided_bounds_that_are_broken_are_told():
    world = carom.World()
    hand = world.add(Sphere(1.0), told((0, 0, 0), 0.0, push=1.0))
    world.set_motion(hand, told((1, 0, 0), 0.5, push=1.0))
    (broken,) = world.take_broken_bounds()
    assert (broken.time, broken.body) == (0.5, hand)
    assert broken.how == "1 m away from its course, and could be 0.125 m away"
    assert world.take_broken_bounds() == []
    world.advance(0.5)
    world.set_motion(hand, told((1, 0, 0), 0.6, push=1.0))
    assert world.take_broken_bounds() == []


def test_guided_bounds_reach_as_far_as_the_body_can():
    world = carom.World("kinetic")
    hand = world.add(Sphere(1.0), told((0, 0, 0), 0.0, push=2.0, lasts=3.0))
    near = world.add(Sphere(1.0), Motion((6, 0, 0)))
    assert world.overlaps().tolist() == []
    world.advance(1.5)  # the box grows by 3 m/s on each side
    assert world.overlaps().tolist() == [[hand, near]]
    world.advance(2.999)
    assert world.overlaps().tolist() == [[hand, near]]
    world.advance(3.0)  # expired: only its course is left
    assert world.overlaps().tolist() == []


def test_guided_contact_is_reported_once_until_the_two_have_been_apart():
    world = carom.World()
    world.add(Sphere(1.0))
    hand = world.add(Sphere(1.0), told((5, 0, 0), 0.0, push=1e4))
    times = []
    places = [4, 3, 1.5, 1.0, 0.5, 0.2, 1.0, 2.5, 4.0, 1.0, 0.9]
    for k, x in enumerate(places):
        t = 0.1 * (k + 1)
        world.set_motion(hand, told((x, 0, 0), t, push=1e4))
        times += world.advance(t).times.tolist()
        world.audit()
    np.testing.assert_allclose(times, (0.2 + 0.1 * 1.0 / 1.5, 0.9 + 0.1 * 2.0 / 3.0), rtol=1e-12)


def test_guided_box_turns_on_its_way_to_the_orientation_told():
    world = carom.World()
    world.add(Sphere(0.5), Motion((0, 2.2, 0)))
    rod = world.add(carom.Box((4.0, 0.2, 0.2)), told((0, 0, 0), 0.0))
    half = math.sqrt(0.5)
    world.set_motion(rod, told((0, 0, 0), 1.0, orientation=(half, 0, 0, half)))
    (contact,) = world.advance(1.0)
    assert 0.5 < contact.time < 1.0
    np.testing.assert_allclose(world.orientations()[1], (half, 0, 0, half), atol=1e-9)


def test_guided_rigid_and_deforming_bodies_share_one_world():
    for broad in ("kinetic", "space-time"):
        world = carom.World(broad)
        sheet = np.array([(-3, -3, 0), (3, -3, 0), (3, 3, 0), (-3, 3, 0)], dtype=float)
        flag = world.add(carom.Deforming([(0, 1, 2), (0, 2, 3)], (0.0, 4.0), np.stack((sheet, sheet + (0, 0, 2)))))
        stone = world.add(Sphere(0.5), Motion((1, 1, 8), (0, 0, -2)))
        hand = world.add(Sphere(0.5), told((-1, 0.5, 5), 0.0, push=1e3))
        times = {}
        for k in range(1, 9):
            t = 0.5 * k
            world.set_motion(hand, told((-1, 0.5, 5 - t), t, push=1e3))
            for contact in world.advance(t):
                times.setdefault((contact.a, contact.b), contact.time)
        assert times[flag, hand] == pytest.approx(3.0, abs=1e-6)  # 5 - t - 0.5 = t / 2
        assert times[flag, stone] == pytest.approx(3.0, abs=1e-6)  # 8 - 2t - 0.5 = t / 2


def test_earliest_possible_contact_of_a_world():
    world = carom.World()
    a = world.add(Sphere(1.0), told((0, 0, 0), 0.0, push=0.0, lasts=20.0, velocity=(1, 0, 0)))
    b = world.add(Sphere(1.0), Motion((10, 0, 0), (-1, 0, 0)))
    found = world.earliest_possible_contact(10.0)
    assert found.time == pytest.approx(4.0, rel=1e-8)
    assert (found.a, found.b) == (a, b)
    assert world.earliest_possible_contact(2.0) == (2.0, -1, -1)
    world.advance(1.0)
    assert world.earliest_possible_contact(10.0).time == pytest.approx(4.0, rel=1e-8)
    world.set_motion(a, told((1, 0, 0), 1.0, push=0.0, lasts=1.5, velocity=(0, 0, 0)))
    assert world.earliest_possible_contact(10.0) == (2.5, -1, -1)  # its limits expire then
    world.advance(2.75)
    assert world.earliest_possible_contact() == (2.75, a, -1)
    world.set_motion(a, told((1, 0, 0), 3.0))
    assert world.earliest_possible_contact().time == 3.0  # until then its way is known


def test_earliest_possible_contact_is_never_after_a_contact():
    rng = np.random.default_rng(4)
    seen = 0
    for seed in range(12):
        world = random_mix(seed, seed % 2 == 1)
        bodies = [random_guided(rng, 3.0, expires=1.0) for _ in range(3)]
        hands = [world.add(Sphere(0.4), body) for body in bodies]
        quiet = world.earliest_possible_contact()
        paths = [random_path(body, rng) for body in bodies]
        times: list[float] = []
        for step in range(1, 41):
            t = paths[0][0][step]
            for hand, (_, places) in zip(hands, paths, strict=True):
                world.set_motion(hand, Guided(places[step], (0, 0, 0), 1e3, t + 1.0, start=t))
            times += world.advance(t).times.tolist()
        # The way from step to step is straight, a little beside the path itself.
        assert min(times, default=math.inf) >= quiet.time - 2e-3
        seen += len(times)
    assert seen > 10


def test_guided_body_becomes_a_plain_one_again():
    world = carom.World(response=carom.Elastic())
    body = world.add(Sphere(1.0), told((0, 0, 0), 0.0), mass=3.0)
    assert world.masses.tolist() == [math.inf]
    world.set_motion(body, Motion((0, 0, 0), (1, 0, 0)))
    assert not world.is_guided(body)
    assert world.masses.tolist() == [3.0]
    world.set_motion(body, told((0, 0, 0), 0.0))
    world.set_motion(body, [Motion((0, 0, 0), (1, 0, 0))])
    world.advance(2.0)
    np.testing.assert_allclose(world.positions()[0], (2, 0, 0))
    plain = world.add(Sphere(1.0), Motion((9, 9, 9), start=2.0), mass=2.0)
    world.set_motion([body, plain], [told((0, 0, 0), 2.0), told((5, 5, 5), 2.5)])
    assert world.is_guided(plain)
    world.advance(2.5)
    np.testing.assert_allclose(world.positions(), ((0, 0, 0), (5, 5, 5)), atol=1e-12)
    world.remove(plain)
    world.audit()


def test_guided_body_long_after_the_start_of_the_world():
    world = carom.World("kinetic")
    world.add(Sphere(1.0), Motion((10, 0, 0)))
    hand = world.add(Sphere(1.0), told((0, 0, 0), 0.0))
    world.advance(2.0e5)
    world.set_motion(hand, told((12, 0, 0), 200001.0, push=100.0))
    (contact,) = world.advance(200001.0)
    assert contact.time == pytest.approx(200000.0 + 8.0 / 12.0, abs=1e-9)
    world.advance(200500.0)
    world.audit()


def test_guided_body_that_expires_now():
    world = carom.World()
    hand = world.add(Sphere(1.0), Guided((0, 0, 0), (1, 0, 0), 5.0, 0.0))
    world.add(Sphere(1.0), Motion((10, 0, 0)))
    (contact,) = world.advance(9.0)  # nothing is known, so it goes on
    assert contact.time == pytest.approx(8.0)
    assert world.guided(hand).expires == 0.0


def test_guided_bad_input_in_a_world():
    world = carom.World()
    good = told((0, 0, 0), 0.0)
    with pytest.raises(carom.InvalidInputError, match="expected a shape that has an end"):
        world.add(carom.HalfSpace((0, 0, 1), 0.0), good)
    with pytest.raises(carom.InvalidInputError, match=r"motion\.start is 1\.0; expected a time not after"):
        world.add(Sphere(1.0), told((0, 0, 0), 1.0))
    with pytest.raises(carom.InvalidInputError, match="expected a rigid shape"):
        world.add(Sphere(1.0), good, inertia=1.0)
    with pytest.raises(carom.InvalidInputError, match="periodic"):
        carom.World(periodic=(9, 9, 9)).add(Sphere(1.0), good)
    hand, other = world.add(Sphere(1.0), good), world.add(Sphere(1.0), Motion((5, 0, 0)))
    with pytest.raises(carom.InvalidInputError, match=r"motion\[1\] is .*; expected a carom\.Guided"):
        world.set_motion([hand, other], [good, Motion()])
    with pytest.raises(carom.InvalidInputError, match="motion has 1 entries"):
        world.set_motion([hand, other], [good])
    with pytest.raises(carom.InvalidInputError, match=r"motion\[0\] is 7"):
        world.set_motion([hand], [7])
    assert world.is_guided(hand)
    with pytest.raises(carom.InvalidInputError, match="is not guided"):
        world.guided(other)
    with pytest.raises(carom.errors.UnknownBodyError):
        world.set_motion(99, good)


@pytest.mark.parametrize("broad", ["all-pairs", "kinetic", "space-time"])
@pytest.mark.parametrize(
    "limits",
    [
        {"max_acceleration": math.inf, "max_speed": 1.0},
        {"max_acceleration": math.inf, "region": ((-1, -1, -1), (1, 1, 1))},
    ],
    ids=["speed", "region"],
)
def test_guided_bounds_end_where_speed_or_region_do_not_allow_a_state(broad, limits):
    """Where it goes on to if nobody steers may be beyond its limits, too."""
    world = carom.World(broad)
    hand = world.add(Sphere(1.0), Guided((0, 0, 0), (1, 0, 0), expires=9.0, **limits))
    stones = [world.add(Sphere(1.0), Motion((x, 0, 0))) for x in (6.0, 20.0)]
    world.set_motion(hand, Guided((1.0, 0, 0), (-1, 0, 0), expires=9.0, start=1.0, **limits))
    world.advance(1.0)
    assert world.take_broken_bounds() == []
    world.set_motion(hand, Guided((5.0, 0, 0), (2, 0, 0), 0.0, 9.0, start=2.0))
    (broken,) = world.take_broken_bounds()
    assert broken.time == 2.0
    found = world.advance(9.0)
    world.audit()
    assert [(c.a, c.b) for c in found] == [(hand, stone) for stone in stones]
    np.testing.assert_allclose(found.times, (1.0 + 3.0 / 4.0, 2.0 + 13.0 / 2.0))


@pytest.mark.parametrize("start", [-5.0, 0.1, 7e4])
def test_guided_limits_that_expire_in_a_world_with_another_start_do_so_once(start):
    """The world's clock counts from its start: the sum of both may be rounded to before the expiry."""
    rng = np.random.default_rng(0)
    for _ in range(10):
        world = carom.World("all-pairs", start=start)
        hand = world.add(Sphere(1.0), told((0, 0, 0), start, (1, 0, 0), lasts=0.5))
        stone = world.add(Sphere(1.0), Motion((10, 0, 0), start=start))
        contacts = []
        for t in (start + np.cumsum(rng.uniform(0.0, 1.0, 8))).tolist():
            world.set_motion(hand, told((t - start, 0, 0), t, (1, 0, 0), lasts=float(rng.choice([0.1, 0.3, 0.7]))))
            contacts += list(world.advance(t))
        timers = world.stats.timers
        log = world.advance(start + 20.0, budget=5.0)
        assert log.reached == start + 20.0, "the limits expire again and again"
        assert world.stats.timers <= timers + 1
        ((a, b, time),) = [(c.a, c.b, c.time) for c in [*contacts, *log]]
        assert (a, b, time) == (hand, stone, pytest.approx(start + 8.0))


@pytest.mark.parametrize("broad", ["all-pairs", "kinetic", "space-time"])
@pytest.mark.parametrize(
    ("shape", "other", "turn"),
    [
        (carom.Box((0.2, 6.0, 0.2)), Sphere(0.5), (1, 0, 0, 0)),
        (carom.Capsule(0.1, 6.0), carom.Box((1, 1, 1)), (1, 0, 0, 0)),
        (
            carom.Convex([(-3, 0, 0.5), (3, 0, 0.5), (0, 3, 0.5), (0, 0, -3)]),
            carom.HalfSpace((1, 0, 0), 0.5),
            (1, 0, 0, 0),
        ),
        (carom.Cone(2.0, 0.1), carom.Mesh([(0, -1, -1), (0, 1, -1), (0, 0, 1)], [(0, 1, 2)]), (0.6, 0, 0.8, 0)),
    ],
    ids=["rod", "capsule", "half-space", "cone"],
)
def test_guided_body_that_has_left_a_shape_touches_it_again(broad, shape, other, turn):
    """Apart are the shapes: balls around long ones overlap from the first touch to the last."""
    world = carom.World(broad)
    stone = world.add(other, Motion((0, 0, 0)), mass=math.inf)
    far = 1.0 + 1e-6 + next(x for x in np.arange(0.0, 9.0, 0.01) if carom.gap(shape, other, 1e-3, pose(x, turn)))
    near = far - 1.5
    hand = world.add(shape, told((far, 0, 0), 0.0, push=1e4, orientation=turn))
    found = []
    for k, x in enumerate((near, near, near - 0.1, far, near, far, far, near)):
        t = 0.25 * (k + 1)
        world.set_motion(hand, told((x, 0, 0), t, push=1e4, orientation=turn))
        found += [(c.a, c.b, int(c.time / 0.25)) for c in world.advance(t)]
        world.audit()
    assert found == [(stone, hand, k) for k in (0, 4, 7)]


def pose(x, turn):
    w, _, y, _ = turn
    placed = np.eye(4)
    placed[:3, :3] = ((1 - 2 * y * y, 0, 2 * w * y), (0, 1, 0), (-2 * w * y, 0, 1 - 2 * y * y))
    placed[0, 3] = x
    return placed


@pytest.mark.parametrize("broad", ["all-pairs", "kinetic", "hash-grid"])
@pytest.mark.parametrize("shape", [Sphere(1.0), carom.Box((2, 2, 2))], ids=["sphere", "box"])
def test_guided_body_that_jumps_into_another_is_reported_once(broad, shape):
    world = carom.World(broad)
    stone = world.add(shape, Motion((0, 0, 0), (-0.1, 0, 0)))
    hand = world.add(Sphere(1.0), told((5, 0, 0), 0.0))
    found = []
    for k, x in enumerate((1.0, 1.0, 1.1, 0.5, 1.5, 4.0, 1.0)):  # there at once, and at rest or moving away
        t = 0.25 * (k + 1)
        assert len(world.advance(t)) == 0
        world.set_motion(hand, told((x, 0, 0), t, (0.5, 0, 0)))
        found += [(c.a, c.b, c.time, c.status) for c in world.advance(t)]
        world.audit()
    assert found == [(stone, hand, 0.25, 1), (stone, hand, 1.75, 1)]


def test_guided_body_that_is_added_inside_another_is_reported_once():
    world = carom.World()
    stone = world.add(carom.Box((2, 2, 2)))
    hand = world.add(Sphere(1.0), told((0.5, 0, 0), 0.0, (0.1, 0, 0)))
    assert [(c.a, c.b, c.status) for c in world.advance(0.0)] == [(stone, hand, 1)]
    for t in (0.1, 0.2, 0.3):
        world.set_motion(hand, told((0.5 - t, 0, 0), t))
        assert len(world.advance(t)) == 0


@pytest.mark.parametrize("broad", BROADS)
def test_guided_body_that_went_away_and_jumps_back_is_news_in_every_broad_phase(broad):
    """All pairs keep a pair whose bounds have parted, others forget it."""
    world = carom.World(broad, frame=10.0)
    stone = world.add(carom.Box((1, 1, 1)), Motion((0, 0, 0), (-0.01, 0, 0)))
    hand = world.add(Sphere(0.5), told((0.5, 0, 0), 0.0, lasts=1e4))
    found = list(world.advance(0.0))
    world.set_motion(hand, told((0.6, 0, 0), 0.1, lasts=1e4))
    found += list(world.advance(900.0))
    world.set_motion(hand, told((-9.0, 0, 0), 900.0))
    found += list(world.advance(901.0))
    assert [(c.a, c.b, c.time, c.status) for c in found] == [(stone, hand, 0.0, 1), (stone, hand, 900.0, 1)]


def steered_fast(broad, seed, **options):
    """Three fast bodies of wide limits that change their course all the time, among slow ones."""
    rng = np.random.default_rng(seed)
    world = carom.World(broad, **options)
    world.add_many(Sphere(0.3), rng.uniform(-4, 4, (12, 3)), 0.2 * rng.normal(size=(12, 3)))
    hands = [
        world.add(Sphere(0.3), told(rng.normal(size=3), 0.0, 3.0 * rng.normal(size=3), 1e3, 10.0)) for _ in range(3)
    ]
    logs = []
    for t in np.cumsum(rng.uniform(0.1, 0.5, 20)).tolist():
        logs.append(world.advance(t))
        for hand in hands:
            goal, ahead = rng.uniform(-4, 4, 3), rng.choice([0.0, 0.4])
            world.set_motion(hand, told(goal, t + ahead, 3.0 * rng.normal(size=3), 1e3, 10.0))
    return carom.ContactLog.concatenate([*logs, world.advance(15.0)])


@pytest.mark.parametrize(
    ("broad", "options"),
    [
        ("kinetic-vadop", {}),
        ("kinetic-vadop", {"pool": 20}),
        ("vadop", {"slow": 0.0, "pool": 20}),
        ("vadop", {"frame": 1.0, "slow": 0.0, "pool": 20}),
    ],
    ids=["kinetic", "kinetic pool", "pool", "long frames"],
)
def test_guided_body_that_changes_its_course_within_its_limits_is_found_along_axes_of_its_velocity(broad, options):
    """Along these axes its bounds are no limits but a sphere on its course: a new course is a change of bounds."""
    for seed in range(12):
        assert steered_fast(broad, seed, **options).identical(steered_fast("all-pairs", seed)), seed
