"""What a film keeps of a world is what the world did."""

from __future__ import annotations

import numpy as np
import pytest

import carom
from carom.errors import CaromError, InvalidInputError
from carom.view import Film
from scenarios.replay_samples import flapping, lively_world, poses_by_pieces


def test_film_of_a_bouncing_ball_has_one_piece_a_bounce():
    world = carom.World(response=carom.Elastic())
    world.add(carom.HalfSpace((0, 0, 1), 0.0), mass=np.inf)
    world.add(carom.Sphere(0.5), carom.Motion((0, 0, 5.5), acceleration=(0, 0, -10)))
    film = Film(world)
    log = film.advance(4.0)
    replay = film.replay("ball")
    assert log.times.tolist() == pytest.approx([1.0, 3.0], abs=1e-12)
    assert replay.pieces.first.tolist() == [0, 1, 4]
    assert replay.pieces.since.tolist() == pytest.approx([0.0, 0.0, 1.0, 3.0], abs=1e-12)
    assert (replay.begin, replay.end, replay.names) == (0.0, 4.0, ["body 0", "body 1"])
    for t, height in ((0.5, 4.25), (1.0, 0.5), (2.0, 5.5), (2.5, 4.25), (4.0, 5.5)):
        assert poses_by_pieces(replay, t)[0][1, 2] == pytest.approx(height, abs=1e-12)


def test_film_is_the_world_bit_for_bit():
    film = Film(lively_world())
    log = film.advance(4.0)
    assert len(log) > 5
    replay = film.replay("lively")
    world = lively_world()
    assert world.advance(2.0).times.tolist() == log.times[log.times <= 2.0].tolist()
    world = lively_world()
    for t in np.sort(np.random.default_rng(1).uniform(0.0, 4.0, 60)):
        world.advance(float(t))
        positions, orientations = poses_by_pieces(replay, float(t))
        assert np.array_equal(positions, world.positions())
        assert np.abs(orientations - world.orientations()).max() < 1e-15


def test_film_contacts_are_the_log_whatever_the_steps():
    whole = lively_world().advance(3.0)
    film = Film(lively_world())
    for t in np.linspace(0.25, 3.0, 12):
        film.advance(float(t))
    contacts = film.replay("lively").contacts
    for field in ("times", "a", "b", "points", "normals", "speeds"):
        assert np.array_equal(getattr(contacts, field), getattr(whole, field))
    assert contacts.words[contacts.kinds[0]] in ("exact", "by advancement")


def test_film_sees_what_the_user_changes_between_steps():
    world = carom.World()
    body = world.add(carom.Sphere(1.0), carom.Motion(velocity=(1.0, 0.0, 0.0)))
    film = Film(world)
    film.advance(1.0)
    world.set_motion(body, carom.Motion((9.0, 0.0, 0.0), (0.0, 2.0, 0.0), start=1.0))
    film.advance(2.0)
    replay = film.replay("jump")
    assert [poses_by_pieces(replay, t)[0][0].tolist() for t in (0.5, 1.0, 1.5)] == [[0.5, 0, 0], [9, 0, 0], [9, 1, 0]]


def test_film_sees_what_a_response_changes_in_bodies_that_do_not_touch():
    world = carom.World(response=lambda w, contact: w.set_motion(2, carom.Motion((0.0, 9.0, 0.0), start=contact.time)))
    world.add(carom.Sphere(1.0), carom.Motion((-3.0, 0.0, 0.0), (2.0, 0.0, 0.0)))
    world.add(carom.Sphere(1.0))
    world.add(carom.Sphere(1.0), carom.Motion((50.0, 0.0, 0.0)))
    film = Film(world)
    assert film.advance(3.0).times.tolist() == [0.5]
    replay = film.replay("remote")
    assert poses_by_pieces(replay, 0.49)[0][2].tolist() == [50.0, 0.0, 0.0]
    assert poses_by_pieces(replay, 0.5)[0][2].tolist() == [0.0, 9.0, 0.0]


def test_film_keeps_the_keys_of_deforming_bodies():
    world = carom.World()
    flap = flapping()
    world.add(flap, name="flap")
    world.add(carom.Sphere(0.2), carom.Motion((0.0, 0.0, 3.0), (0.0, 0.0, -2.0)))
    film = Film(world)
    assert len(film.advance(3.0)) > 0
    replay = film.replay("flap")
    assert replay.shape_index.tolist() == [-1, 0]
    for t in (0.0, 0.3, 0.7, 1.0, 1.9, 2.0, 2.5):
        assert np.array_equal(replay.surfaces[0].vertices_at(t), flap.vertices_at(t))


def test_film_follows_flightplans_that_change():
    world = carom.World()
    flap = flapping()
    body = world.add(flap)
    film = Film(world)
    film.advance(0.5)
    world.set_flightplan(body, (0.0, 0.0, 1.0), [0])
    film.advance(3.0)
    surface = film.replay("flap").surfaces[0]
    before, after = flap.vertices_at(0.5)[0], surface.vertices_at(2.5)[0]
    assert np.abs(after - before - (0.0, 0.0, 2.0)).max() < 1e-12
    assert np.abs(surface.vertices_at(0.25) - flap.vertices_at(0.25)).max() < 1e-12
    for t in (0.6, 1.5, 2.9):
        assert np.abs(surface.vertices_at(t)[1:] - flap.vertices_at(t)[1:]).max() < 1e-12


def test_film_shares_shapes_between_bodies():
    world = carom.World()
    world.add_many(carom.Sphere(1.0), [(4.0 * k, 0.0, 0.0) for k in range(5)])
    replay = Film(world).replay("row")
    assert len(replay.shapes) == 1
    assert replay.shape_index.tolist() == [0] * 5


def test_film_refuses_bodies_that_come_or_go():
    world = carom.World()
    world.add(carom.Sphere(1.0))
    film = Film(world)
    world.add(carom.Sphere(1.0), carom.Motion((9.0, 0.0, 0.0)))
    with pytest.raises(CaromError, match="came or went"):
        film.advance(1.0)


def test_film_refuses_to_run_backwards():
    world = carom.World()
    world.add(carom.Sphere(1.0))
    film = Film(world)
    film.advance(1.0)
    with pytest.raises(InvalidInputError, match=r"until is 0\.5"):
        film.advance(0.5)
    with pytest.raises(InvalidInputError):
        film.advance(float("nan"))


@pytest.mark.parametrize("start", [-5.1, 1e5 + 0.3])
def test_film_of_a_world_that_starts_at_another_time_ends(start):
    """It went on for ever: the world told of the next event early by rounding, and did not get past it."""
    world = carom.World(response=carom.Elastic(), start=start)
    for k in range(3):
        world.add(carom.Sphere(0.3), carom.Motion((1.1 * k, 0.01 * k, 0), (1.3 - k, 0, 0), start=start))
    film = Film(world)
    assert len(film.advance(start + 7.0)) == 3
    assert world.time == start + 7.0
