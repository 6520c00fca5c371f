"""Replays of run files: the run is repeated from a checkpoint, and has to give the contacts that the file holds."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

import carom
from carom.deform import check
from carom.errors import InvalidInputError, RunFileError
from carom.runfile import CheckFile, Recorder, RunFile
from carom.scenes import scene
from carom.view import replay_check, replay_file
from scenarios.replay_samples import flapping, poses_by_pieces


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    """A run file of a small gas over two seconds, with four checkpoints, and its scene."""
    path = tmp_path_factory.mktemp("run") / "gas.duckdb"
    made = scene("gas", objects=40, packing=0.15, seed=5)
    world = made.build()
    with RunFile.create(path, made.record(), interval=0.5, world={}, state=world.snapshot(), version="0") as file:
        Recorder(world, file).run(2.0, 0.5)
    return path, made


@pytest.fixture(scope="module")
def animation():
    """A flapping square that meets a still one, and their contacts."""
    flat = np.array([(-0.5, -0.5, 0.2), (0.5, -0.5, 0.2), (0.5, 0.5, 0.2)])
    still = carom.Deforming([(0, 1, 2)], [0.0, 2.0], [flat, flat], name="floor")
    bodies = [flapping(), still]
    return bodies, check(bodies)


def test_replay_of_a_run_is_the_run(run):
    path, made = run
    replay = replay_file(path)
    world = made.build()
    log = world.advance(2.0)
    assert (replay.title, replay.begin, replay.end, len(replay)) == ("gas", 0.0, 2.0, 46)
    assert len(log) > 30
    assert np.array_equal(replay.contacts.times, log.times)
    assert replay.names[0] == "body 0"
    assert replay.names[-1] == "wall +z"
    world = made.build()
    for t in np.linspace(0.0, 2.0, 33):
        world.advance(float(t))
        assert np.array_equal(poses_by_pieces(replay, float(t))[0], world.positions())


def test_replay_of_a_part_is_that_part(run):
    path, _ = run
    whole, part = replay_file(path), replay_file(path, 0.7, 1.3)
    inside = (whole.contacts.times > 0.7) & (whole.contacts.times <= 1.3)
    assert (part.begin, part.end) == (0.7, 1.3)
    assert np.array_equal(part.contacts.times, whole.contacts.times[inside])
    for t in (0.7, 1.0, 1.3):
        assert np.array_equal(poses_by_pieces(part, t)[0], poses_by_pieces(whole, t)[0])


def test_replay_of_a_check_is_the_animation(tmp_path, animation):
    bodies, found = animation
    path = tmp_path / "flap.duckdb"
    CheckFile.write(path, bodies, found, source={"animation": "flap", "until": None}, version="0")
    replay = replay_file(path)
    assert (replay.title, replay.names, len(replay.contacts)) == ("flap", ["flap", "floor"], len(found))
    assert len(found) > 0
    assert replay.contacts.words[replay.contacts.kinds[0]] == found[0].kind
    for t in (0.0, 0.4, 1.9):
        assert np.array_equal(replay.surfaces[0].vertices_at(t), bodies[0].vertices_at(t))


def test_replay_of_a_part_of_a_check_has_the_keys_it_needs(animation):
    bodies, found = animation
    part = replay_check("flap", bodies, found, 0.8, 1.0)
    assert len(part.surfaces[0].times) == 2
    for t in (0.8, 0.93, 1.0):
        assert np.array_equal(part.surfaces[0].vertices_at(t), bodies[0].vertices_at(t))
    assert ((part.contacts.times >= 0.8) & (part.contacts.times <= 1.0)).all()


@pytest.mark.parametrize(
    ("since", "until"), [(-1.0, None), (2.0, None), (1.0, 1.0), (None, 0.0), (np.nan, None), (None, np.nan)]
)
def test_replay_refuses_times_outside_of_the_run(run, since, until):
    with pytest.raises(InvalidInputError, match="expected a time"):
        replay_file(run[0], since, until)


def test_replay_refuses_a_run_that_does_not_repeat(run, tmp_path):
    _, made = run
    world = made.build()
    path = tmp_path / "other.duckdb"
    with RunFile.create(path, made.record(), interval=1.0, world={}, state=world.snapshot(), version="0") as file:
        log = world.advance(1.0)
        file.append(dataclasses.replace(log, times=np.nextafter(log.times, 0.0)))
        file.checkpoint(1.0, world.snapshot())
    with pytest.raises(RunFileError, match="other contacts than the file holds"):
        replay_file(path)


def file_that_ends_late(path, scene, claimed):
    """A run file of one second of a scene that says it is `claimed` seconds long, in its checkpoint or its state."""
    world = scene.build()
    with RunFile.create(path, scene.record(), interval=1.0, world={}, state=world.snapshot(), version="0") as file:
        file.append(world.advance(1.0))
        state = world.snapshot()
        if claimed == "state":
            state["clock"][3] = 1e9
        file.checkpoint(1e9, state)
    return path


@pytest.mark.parametrize(("claimed", "message"), [("checkpoint", "of another time"), ("state", "other contacts")])
def test_replay_of_a_file_that_says_it_ends_much_later_ends_at_once(tmp_path, claimed, message):
    path = file_that_ends_late(tmp_path / "a.duckdb", scene("gas", objects=20, seed=1), claimed)
    for since in (None, 1e8):
        with pytest.raises(RunFileError, match=message):
            replay_file(path, since)


def test_replay_refuses_a_run_without_length(run, tmp_path):
    _, made = run
    path = tmp_path / "new.duckdb"
    state = made.build().snapshot()
    RunFile.create(path, made.record(), interval=1.0, world={}, state=state, version="0").close()
    with pytest.raises(RunFileError, match="no length"):
        replay_file(path)


def test_replay_refuses_what_is_no_run_file(tmp_path):
    with pytest.raises(RunFileError, match="no such run file"):
        replay_file(tmp_path / "none.duckdb")
    (tmp_path / "text.duckdb").write_text("text")
    with pytest.raises(RunFileError, match="not a run file"):
        replay_file(tmp_path / "text.duckdb")
