"""Copies and pickles of worlds: each goes on to the identical log, and neither changes the other."""

from __future__ import annotations

import copy
import multiprocessing
import pickle
from concurrent.futures import ProcessPoolExecutor
from typing import Any

import numpy as np
import pytest

import carom
from scenarios.copied_samples import (
    WAYS,
    WORLDS,
    alike,
    answers_of,
    check_copies,
    driven_apart,
    elastic,
    event_queue,
    kinetic_tree,
    meets,
    moving_boxes,
    of_every_kind,
    poses_along,
    run_on,
    separation_list,
    tracker,
    values,
)


@pytest.mark.parametrize("name", WORLDS)
def test_copies_of_worlds_go_on_to_the_identical_log(name: str) -> None:
    expected = WORLDS[name]()
    assert sum(len(part) for part in run_on(expected) if isinstance(part, carom.ContactLog)) > 3
    check_copies(WORLDS[name], run_on, tuple(WAYS) if name == "auto" else ("copy", "pickle"))


def test_copies_of_worlds_keep_statistics_engine_and_what_users_attached() -> None:
    world = elastic("auto", "tournament")
    world.label = "first"  # type: ignore[attr-defined]
    for way in WAYS.values():
        other = way(world)
        assert other.stats == world.stats
        assert other.explain().split(".")[0] == world.explain().split(".")[0]
        assert other.label == "first"
        assert other.response == world.response
        assert other.broad == "auto"


def test_copies_of_worlds_share_shapes_and_pickles_keep_which_are_one() -> None:
    box = carom.Box((1, 2, 3))
    world = carom.World()
    world.add(box)
    world.add(box, carom.Motion((9, 0, 0)))
    assert copy.deepcopy(world).shape(0) is box
    other = pickle.loads(pickle.dumps(world))
    assert other.shape(0) is other.shape(1)


class Game:
    """A user's object whose method is the response of a world that it holds."""

    def __init__(self) -> None:
        self.hits = 0
        self.world = carom.World(response=self.on_contact)
        self.world.add(carom.Sphere(1.0))
        self.world.add(carom.Sphere(1.0), carom.Motion((5, 0, 0), (-1, 0, 0)))

    def on_contact(self, world: carom.World, contact: carom.Contact) -> None:
        assert world is self.world
        self.hits += 1


@pytest.mark.parametrize("way", WAYS)
def test_copies_of_a_world_whose_response_is_a_method_call_that_of_the_copied_object(way: str) -> None:
    if way == "copy":
        return
    game = Game()
    other = WAYS[way](game)
    other.world.advance(4.0)
    assert (game.hits, other.hits) == (0, 1)
    assert other.world.response.__self__ is other


def test_pickles_of_functions_without_a_name_give_one_clear_error() -> None:
    world = carom.World(response=lambda world, contact: None)
    with pytest.raises(
        carom.CaromError, match=r"^response is .*<lambda>, which cannot be pickled; expected a function"
    ):
        pickle.dumps(world)
    assert copy.deepcopy(world).response is world.response
    still = carom.KineticBounds(-np.eye(3), np.eye(3))
    for polled, name in (
        (carom.Polled(still, lambda *asked: False, 1.0), "test"),
        (carom.Polled(lambda t: still, meets, 1.0), "bounds"),
    ):
        world = carom.World()
        world.add(polled)
        for thing in (world, polled):
            with pytest.raises(carom.CaromError, match=rf"^{name} is .*<lambda>, which cannot be pickled"):
                pickle.dumps(thing)
        assert len(copy.deepcopy(world)) == 1


def test_copies_inside_a_response_and_of_worlds_with_deferred_bodies_are_refused() -> None:
    def save(world: carom.World, contact: carom.Contact) -> None:
        for way in (copy.copy, copy.deepcopy):
            with pytest.raises(carom.CaromError, match="take it when advance has returned"):
                way(world)
        world.response = driven_apart
        with pytest.raises(carom.CaromError, match="take it when advance has returned"):
            pickle.dumps(world)

    world = carom.World(response=save)
    world.add(carom.Sphere(1.0))
    world.add(carom.Sphere(1.0), carom.Motion((5, 0, 0), (-1, 0, 0)))
    assert len(world.advance(4.0)) == 1
    world = carom.World()
    bodies = world.add_many(carom.Sphere(1.0), 3.0 * np.eye(3))
    world.defer(bodies[:1])
    for way in WAYS.values():
        with pytest.raises(carom.CaromError, match="bodies are deferred; such a world cannot be saved"):
            way(world)


def test_copies_work_in_a_process_that_was_spawned() -> None:
    """Addresses are others there. What comes back goes on, too."""

    def make() -> list[Any]:
        box, cone = carom.Box((1, 1, 1)), carom.Cone(0.5, 1.0)
        return [
            elastic("kinetic", "heap4"), of_every_kind("auto", "pairing"), separation_list("heap4"), kinetic_tree("pairing"),
            event_queue("fibonacci"), tracker(box, cone), moving_boxes(), *values(),
        ]  # fmt: skip

    things = make()
    expected, after = answers_of(make())
    with ProcessPoolExecutor(1, multiprocessing.get_context("spawn")) as pool:
        found, returned = pool.submit(answers_of, things).result()
    assert alike(found, expected)
    assert alike(returned[0].advance(9.0), after[0].advance(9.0))
    assert alike(returned[1].advance(6.0), after[1].advance(6.0))
    assert alike(returned[3].advance(2.7), after[3].advance(2.7))
    assert carom.distance(returned[7], returned[11], None, poses_along()[0]).distance > 0.0
