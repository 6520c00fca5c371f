"""Bodies that are put into each other are reported at once, whether they close, rest or part."""

from __future__ import annotations

import numpy as np
import pytest

import carom

FEW = ("auto", "all-pairs", "kinetic", "swept", "aabb-tree")
BALL = carom.Sphere(0.5)
CUBE = carom.Box((1.0, 1.0, 1.0))
SURFACE = carom.Mesh(CUBE.vertices, CUBE.faces)
SHAPES = {
    "ball": BALL,
    "box": CUBE,
    "mesh": SURFACE,
    "convex": carom.Convex(CUBE.vertices),
    "capsule": carom.Capsule(0.5, 1.0),
    "cylinder": carom.Cylinder(0.5, 1.0),
    "cone": carom.Cone(0.5, 1.0),
    "ellipsoid": carom.Ellipsoid((0.4, 0.3, 0.5)),
}


def pair(a, b, motion, broad="auto", response=None):
    """A world of two bodies, the first at rest."""
    world = carom.World(broad, response)
    world.add(a)
    world.add(b, motion)
    return world


@pytest.mark.parametrize("broad", FEW)
@pytest.mark.parametrize("speed", [1.0, 0.0])
def test_balls_that_start_inside_each_other_and_do_not_close_are_reported_at_the_start(broad, speed):
    world = pair(BALL, BALL, carom.Motion((0.6, 0, 0), (speed, 0, 0)), broad)
    assert world.next_event_time() == 0.0
    (contact,) = world.advance(3.0)
    assert (contact.time, contact.a, contact.b, contact.status, contact.speed) == (0.0, 0, 1, 1, -speed)
    np.testing.assert_allclose(contact.normal, (1, 0, 0))
    np.testing.assert_allclose(contact.point, (0.5, 0, 0))
    world.audit()


@pytest.mark.parametrize("name", SHAPES)
@pytest.mark.parametrize("other", ["box", "half-space", "mesh"])
@pytest.mark.parametrize("speed", [1.0, -1.0])
def test_every_pairing_is_reported_once_at_the_start_whichever_way_it_moves(name, other, speed):
    floor = {"box": CUBE, "half-space": carom.HalfSpace((0, 0, 1), 0.5), "mesh": SURFACE}[other]
    log = pair(floor, SHAPES[name], carom.Motion((0.1, 0.05, 0.8), (0, 0, speed)), "all-pairs").advance(0.1)
    assert log.times.tolist() == [0.0]
    assert np.sign(log.speeds[0]) == -speed
    assert abs(log.normals[0] @ (0, 0, 1)) > 0.7


@pytest.mark.parametrize("broad", carom.world.BROAD_PHASES)
def test_a_ball_that_left_a_box_by_another_side_is_not_reported_far_outside(broad):
    ball = carom.Motion((2, -3, 0.5), velocity=(0, 4, 3.5), acceleration=(-1, 0, 1))
    for box in (
        carom.Motion((1.5, -2.5, 0.5), velocity=(-0.5, -1, -1), start=-0.5),
        carom.Motion((1.25, -3, 0), velocity=(-0.5, -1, -1)),
    ):
        world = carom.World(broad)
        world.add(BALL, ball)
        world.add(carom.Box((2, 0.5, 2)), box)
        (contact,) = world.advance(3.0)
        assert (contact.time, contact.status, contact.speed) == (0.0, 1, -0.5)
        world.audit()


def test_touching_bodies_do_not_overlap_at_the_start():
    for shape in (CUBE, BALL, SURFACE, carom.Cylinder(0.5, 1.0)):
        for floor in (carom.HalfSpace((0, 0, 1), 0.5), CUBE):
            for speed in (0.0, 1.0):
                assert len(pair(floor, shape, carom.Motion((0, 0, 1.0), (0, 0, speed))).advance(1.0)) == 0


def test_half_spaces_that_cross_are_no_overlap():
    world = carom.World()
    for normal in ((0, 0, 1), (0, 1, 0), (0, 1, 1)):
        world.add(carom.HalfSpace(normal, 0.0))
    world.add(carom.HalfSpace((0, 0, -1), 1.0))
    (contact,) = world.advance(1.0)
    assert (contact.a, contact.b, contact.status) == (0, 3, 1)


@pytest.mark.parametrize("broad", FEW)
def test_a_body_that_jumps_into_another_is_reported_when_it_does(broad):
    world = pair(BALL, BALL, carom.Motion((9, 0, 0), (1, 0, 0)), broad)
    assert len(world.advance(1.0)) == 0
    world.set_motion(1, carom.Motion((0, 0.3, 0), (0, 1, 0), start=1.0))
    (contact,) = world.advance(2.0)
    assert (contact.time, contact.status, contact.speed) == (1.0, 1, -1.0)
    world.set_motion(1, carom.Motion(world.motion(1).position_at(2.0), (0, 2, 0), start=2.0))
    assert len(world.advance(3.0)) == 0


def test_bodies_that_are_added_later_or_many_at_a_time_are_looked_at():
    world = carom.World()
    world.add_many(BALL, np.arange(40)[:, None] * np.array([0.8, 0, 0]))
    log = world.advance(0.0)
    assert list(zip(log.a, log.b, strict=True)) == [(k, k + 1) for k in range(39)]
    new = world.add(BALL, carom.Motion((-0.6, 0, 0), (-1, 0, 0)))
    log = world.advance(1.0)
    assert list(zip(log.times, log.a, log.b, strict=True)) == [(0.0, 0, new)]


@pytest.mark.parametrize("broad", FEW)
def test_groups_that_come_to_collide_begin_at_that_time(broad):
    """What passed each other before is no contact, and no event is left in the past."""
    world = carom.World(broad)
    world.set_filter(0, 1, False)
    world.add(carom.HalfSpace((0, 0, 1), 0.0), mass=float("inf"))
    for x, height, speed in ((0.0, 2.0, -2.0), (5.0, 0.4, 0.5), (9.0, 8.0, -1.0)):
        world.add(CUBE, carom.Motion((x, 0, height), (0, 0, speed)), group=1)
    assert len(world.advance(1.0)) == 0
    world.set_filter(0, 1, True)
    world.audit()
    log = world.advance(9.0)
    assert log.b.tolist() == [1, 3]
    assert log.times.tolist() == [1.0, 7.5]
    assert log.status.tolist() == [1, 0]


def test_a_filter_silences_pairs_that_would_touch_again():
    world = carom.World()
    world.add(carom.HalfSpace((0, 0, 1), 0.0), mass=float("inf"))
    world.add(BALL, carom.Motion((0, 0, 2), (0, 0, -4), (0, 0, 2)), group=1)
    world.add(BALL, carom.Motion((5, 0, -2), (0, 0, 4), (0, 0, -2)), group=1)
    assert len(world.advance(1.5)) >= 1
    world.set_filter(0, 1, False)
    assert len(world.advance(9.0)) == 0


def test_responses_do_not_act_on_parting_bodies():
    for response in (carom.Elastic(), carom.Elastic(0.5)):
        world = pair(BALL, BALL, carom.Motion((0.6, 0, 0), (1, 0, 0)), response=response)
        assert len(world.advance(3.0)) == 1
        np.testing.assert_array_equal(world.velocities(), [[0, 0, 0], [1, 0, 0]])
    calls = []
    world = pair(
        BALL, BALL, carom.Motion((0.6, 0, 0), (1, 0, 0)), response=lambda world, contact: calls.append(contact)
    )
    assert len(world.advance(3.0)) == 1
    assert not calls
    world = pair(BALL, BALL, carom.Motion((0.6, 0, 0), (-1, 0, 0)), response=carom.Elastic())
    assert len(world.advance(3.0)) == 1
    np.testing.assert_array_equal(world.velocities(), [[-1, 0, 0], [0, 0, 0]])


def test_an_overlap_is_reported_even_where_a_response_turns_its_bodies_first():
    """Three balls in a row: the first contact turns the middle one, which then parts from the third."""
    world = carom.World(response=carom.Elastic())
    for x, speed in ((0.0, 3.0), (0.8, 0.0), (1.5, 0.0)):
        world.add(BALL, carom.Motion((x, 0, 0), (speed, 0, 0)))
    log = world.advance(0.0)
    assert {(0, 1), (1, 2)} <= set(zip(log.a.tolist(), log.b.tolist(), strict=True))


def test_a_response_that_puts_a_body_into_another_makes_news():
    def response(world, contact):
        if contact.a == 0:
            world.set_motion(1, carom.Motion((20.2, 0, 0), (1, 0, 0), start=contact.time))

    world = carom.World(response=response)
    for x, speed in ((0.0, 0.0), (3.0, -1.0), (20.0, 0.0)):
        world.add(BALL, carom.Motion((x, 0, 0), (speed, 0, 0)))
    log = world.advance(5.0)
    assert list(zip(log.times, log.a, log.b, log.status, strict=True)) == [(2.0, 0, 1, 0), (2.0, 1, 2, 1)]


def test_news_survives_a_snapshot_and_deferral():
    world = pair(BALL, BALL, carom.Motion((0.6, 0, 0), (1, 0, 0)))
    twin = carom.World.restore(world.snapshot(), [BALL, BALL])
    world.defer([1])
    log, other = world.advance(2.0), twin.advance(2.0)
    assert len(log) == 1
    assert log.identical(other)
    assert len(carom.World.restore(twin.snapshot(), [BALL, BALL]).advance(3.0)) == 0


def test_periodic_images_overlap_at_the_start():
    world = carom.World(periodic=[8.0, 8.0, 8.0])
    world.add(BALL, carom.Motion((0.2, 1, 1)))
    world.add(BALL, carom.Motion((7.6, 1, 1), (-1, 0, 0)))
    contact = world.advance(0.1)[0]
    np.testing.assert_allclose(contact.normal, (-1, 0, 0), atol=1e-15)
    assert (contact.time, contact.status) == (0.0, 1)


@pytest.mark.parametrize("cut", [[-5.0], [-5.0, -4.0], [-4.5, -4.4, -3.5]])
def test_a_response_that_sets_motions_gives_one_log_however_the_first_calls_are_cut(cut):
    def respond(world, contact):
        motion = world.motion(0)
        place, turn = motion.position_at(contact.time), motion.orientation_at(contact.time)
        world.set_motion(0, carom.Motion(place, (0.0, 0.0, 0.8), motion.acceleration, turn, start=contact.time))

    def log(times):
        world = carom.World(response=respond, start=-5.0)
        corners = [[-0.2, -0.4, 0.2], [0.2, -0.4, 0.2], [0.2, 0.3, 0.2]]
        falling = carom.Motion((-0.7, 2.0, -1.0), (0, 0, 0), (0, 0, -3.0), spin=(0.1, 0.1, -0.08), start=-5.0)
        world.add(carom.Mesh(corners, [[0, 1, 2]]), falling)
        world.add(carom.HalfSpace((0, 0, 1)), carom.Motion((0, 0, -3.2)), mass=np.inf)
        return carom.ContactLog.concatenate([world.advance(t) for t in (*times, -2.0)])

    whole = log([])
    assert len(whole) > 2
    assert whole.identical(log(cut))
