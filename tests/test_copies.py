"""Copies and pickles of everything but worlds: each answers as the original would, and neither changes the other."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import carom
from carom.bounds.meetings.possible_pairs import PossiblePairs
from carom.play import Limit, Simulator
from carom.play.controls import Controls
from carom.queues import METHODS
from carom.schedule import Bisection, System
from geometry.sphere_tree_samples import tree as sphere_tree
from scenarios.copied_samples import (
    Drive,
    alike,
    check_copies,
    drained,
    event_queue,
    follow,
    kinetic_tree,
    moved,
    moving_boxes,
    poses_along,
    separation_list,
    tracked,
    tracker,
    values,
    wave,
)

# ---- structures of deforming meshes


@pytest.mark.parametrize("boxes", ["chord", "kinetic"])
@pytest.mark.parametrize("queue", ["tournament", "pairing"])
def test_copies_of_separation_lists_find_the_same_contacts(queue: str, boxes: str) -> None:
    assert len(follow(separation_list(queue, boxes))[0]) > 0
    check_copies(lambda: separation_list(queue, boxes, boxes == "chord"), follow)


@pytest.mark.parametrize("search_ahead", [False, True])
@pytest.mark.parametrize("queue", ["tournament", "fibonacci"])
def test_copies_of_kinetic_trees_have_the_same_boxes_and_events(queue: str, search_ahead: bool) -> None:
    check_copies(lambda: kinetic_tree(queue, search_ahead), wave)


# ---- everything else that goes on from call to call


@pytest.mark.parametrize("method", METHODS)
def test_copies_of_event_queues_give_the_same_order(method: str) -> None:
    check_copies(lambda: event_queue(method), drained)


def progressive() -> carom.time_critical.ProgressivePair:
    pair = carom.time_critical.ProgressivePair(sphere_tree("box"), sphere_tree("box"))
    pair.query(None, poses_along()[0], level=1)
    return pair


def crowd() -> carom.time_critical.ProgressiveCrowd:
    found = carom.time_critical.ProgressiveCrowd([sphere_tree("box")] * 5)
    found.query([(0, 1), (1, 2), (3, 4)], poses_along(), level=0)
    return found


def managed() -> carom.CollisionManager:
    manager = carom.CollisionManager()
    for k, pose in enumerate(poses_along()):
        manager.add_object(str(k), carom.Box((1, 1, 1)), pose)
    return manager


def changed(manager: carom.CollisionManager) -> list[Any]:
    found = manager.in_collision_internal(return_names=True)
    manager.remove_object("2")
    manager.set_transform("3", np.eye(4))
    return [sorted(found[1]), sorted(manager.in_collision_internal(return_names=True)[1])]


def possible_pairs() -> PossiblePairs:
    pairs = PossiblePairs(np.full(10, 0.5), soon=0.2)
    rng = np.random.default_rng(3)
    pairs.build(0.0, rng.uniform(0, 3, (10, 3)), rng.normal(size=(10, 3)), np.ones(10), 1.0)
    return pairs


def found_at(pairs: PossiblePairs) -> list[Any]:
    parts = [pairs.at(np.random.default_rng(3).uniform(0, 3, (10, 3))).copy(), pairs.until]
    rng = np.random.default_rng(4)
    pairs.build(0.2, rng.uniform(0, 3, (10, 3)), rng.normal(size=(10, 3)), np.ones(10), 1.0)
    return [*parts, pairs.at(rng.uniform(0, 3, (10, 3))).copy(), pairs.until]


def simulator(method: str) -> Simulator:
    ships = Simulator(sphere_tree("box"), drones=6, seed=3, method=method, limit=Limit(level=2))
    for _ in range(5):
        ships.frame(Controls(1.0))
    return ships


def flown(ships: Simulator) -> list[Any]:
    parts: list[Any] = []
    for _ in range(5):
        frame = ships.frame(Controls(1.0, (0.1, 0.0, 0.2)))
        parts += [frame.candidates, frame.contacts, ships.fleet.positions.copy()]
    return parts


def system() -> System:
    still = carom.Motion((5, 0, 0), (-1, 0, 0))
    return System([(carom.Sphere(1.0), carom.Motion()), (carom.Box((1, 1, 1)), still)])


STEPPED: dict[str, tuple[Callable[[], Any], Drive]] = {
    "tracker of boxes": (
        lambda: tracker(carom.Box((1, 1, 1)), carom.Convex(np.vstack([np.zeros(3), np.eye(3)]))),
        tracked,
    ),
    "tracker of a mesh": (
        lambda: tracker(carom.Cone(0.5, 1.0), carom.Mesh(carom.Box((1, 1, 1)).vertices, carom.Box((1, 1, 1)).faces)),
        tracked,
    ),
    "progressive pair": (progressive, lambda pair: [pair.resume(level=3), pair.query(None, poses_along()[2], level=2)]),
    "progressive crowd": (crowd, lambda found: [found.resume(level=3), found.query([(0, 2)], poses_along())]),
    "collision manager": (managed, changed),
    "moving boxes": (moving_boxes, moved),
    "possible pairs": (possible_pairs, found_at),
    "ships with bounds": (lambda: simulator("bounds"), flown),
    "ships in a grid": (lambda: simulator("grid-bsp"), flown),
    "system": (system, lambda bodies: [Bisection(0.25).run(bodies, 4.0), bodies.checks]),
}


@pytest.mark.parametrize("name", STEPPED)
def test_copies_of_what_goes_on_from_call_to_call_answer_the_same(name: str) -> None:
    check_copies(*STEPPED[name])


# ---- values


@pytest.mark.parametrize("shape", values(), ids=lambda shape: type(shape).__name__)
def test_copies_of_shapes_are_the_same_object_and_pickles_have_the_same_bits(shape: Any) -> None:
    assert copy.copy(shape) is shape
    assert copy.deepcopy([shape])[0] is shape
    other = pickle.loads(pickle.dumps(shape))
    assert vars(other).keys() == vars(shape).keys()
    for name, value in vars(shape).items():
        twin = getattr(other, name)
        for here, there in [(value, twin)] if isinstance(value, np.ndarray) else []:
            assert alike(here, there), name
            assert not there.flags.writeable, name
    if isinstance(shape, carom.Compound):
        assert not other.pieces[1][1].flags.writeable
    if not isinstance(shape, carom.Deforming):
        assert alike(
            other.extents_along(np.eye(3), np.array([1.0, 0, 0, 0])),
            shape.extents_along(np.eye(3), np.array([1.0, 0, 0, 0])),
        )
