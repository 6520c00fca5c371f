"""Arguments of the wrong type: worlds, deforming meshes, sphere-trees and space-time bounds answer with errors of carom."""

from __future__ import annotations

import copy
import inspect
import itertools
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import carom
from junk_values import junk_values

pytestmark = pytest.mark.filterwarnings("error")

FACES, TIMES = [[0, 1, 2]], [0.0, 1.0]
PLACES = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0.0]])
CLOTH = carom.Deforming(FACES, TIMES, [PLACES, PLACES + (0, 0, 1)])
BALL = carom.Sphere(0.5)
MESH = carom.Mesh(
    np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1.0]]), [[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]]
)
DRONE = carom.Guided((9, 9, 9), (0, 0, 0), 1.0, 1.0)
TREE = carom.time_critical.SphereTree.build(MESH, levels=1)
POSES = np.stack([np.eye(4), np.eye(4)])
BOUNDS = carom.time_critical.space_time_bounds([DRONE, DRONE], [1.0, 1.0], until=1.0)


FUNCTIONS = {"progress", "response", "test"}


def world() -> carom.World:
    """A ball, a cloth, a guided ball."""
    made = carom.World(start=0.0)
    made.add(BALL, carom.Motion((5, 5, 5)))
    made.add(CLOTH)
    made.add(BALL, DRONE)
    return made


def of_world(name: str, /, **arguments: Any) -> tuple[str, Callable[[], Any], dict[str, Any]]:
    return f"World.{name}", lambda: getattr(world(), name), arguments


def of_list(name: str, /, **arguments: Any) -> tuple[str, Callable[[], Any], dict[str, Any]]:
    return f"SeparationList.{name}", lambda: getattr(carom.deform.SeparationList(CLOTH), name), arguments


def of_tree(name: str, /, **arguments: Any) -> tuple[str, Callable[[], Any], dict[str, Any]]:
    return f"KineticTree.{name}", lambda: getattr(carom.deform.KineticTree(FACES, PLACES), name), arguments


def alone(function: Any, **arguments: Any) -> tuple[str, Callable[[], Any], dict[str, Any]]:
    return function.__qualname__, lambda: function, arguments


CALLS = [
    alone(carom.World),
    of_world("add", shape=BALL, motion=None, mass=1.0, name=None, group=0, inertia=None, self_collision=False),
    of_world(
        "add_many", shapes=BALL, positions=PLACES, velocities=None, accelerations=None, orientations=None, spins=None,
        masses=1.0, groups=0,
    ),
    of_world("advance", until=0.5, budget=None),
    of_world("defer", bodies=[0]),
    of_world("deforming", body=1),
    of_world("earliest_possible_contact", within=1.0),
    of_world("guided", body=2),
    of_world("is_deforming", body=1),
    of_world("is_guided", body=1),
    of_world("keyframes", body=0),
    of_world("motion", body=0),
    of_world("name", body=0),
    of_world("orientations", t=None),
    of_world("positions", t=None),
    of_world("remove", body=0),
    of_world("set_filter", group_a=0, group_b=1, collide=False),
    of_world("set_flightplan", body=1, velocities=(0, 0, 1), vertices=[0]),
    of_world("set_motion", body=0, motion=carom.Motion()),
    of_world("shape", body=0),
    of_world("velocities", t=None),
    of_world("vertices", body=1, t=None),
    alone(carom.Elastic, restitution=1.0, collapse_time=1e-6),
    alone(carom.KineticBounds, lower=np.zeros((3, 3)), upper=np.ones((3, 3))),
    alone(carom.Polled, bounds=carom.KineticBounds(np.zeros((3, 3)), np.ones((3, 3))), test=len, rate=1.0),
    alone(carom.Deforming, faces=FACES, times=TIMES, vertices=CLOTH.vertices),
    alone(carom.Guided, position=(0, 0, 0), velocity=(0, 0, 0), max_acceleration=1.0, expires=1.0),
    alone(carom.vertex_face_toi, start=np.zeros((4, 3)), end=np.ones((4, 3))),
    alone(carom.edge_edge_toi, start=np.zeros((4, 3)), end=np.ones((4, 3))),
    alone(carom.contacts, a=CLOTH, b=CLOTH, until=None, method="swept", frames=1, every=False, threads=1, progress=None),
    alone(carom.self_contacts, deforming=CLOTH, until=None, method="swept", frames=1, every=False, threads=1, progress=None),
    alone(carom.deform.check, bodies=[CLOTH], until=None, self_collision=True, method="swept", frames=1, threads=1),
    alone(carom.deform.SeparationList, a=CLOTH, b=CLOTH),
    of_list("add_faces", faces=[[0, 1, 2]], body=0),
    of_list("add_vertices", positions=PLACES, velocities=None),
    of_list("advance", until=0.5, response=None),
    of_list("change_flightplans", vertices=[0], velocities=[(0.0, 0, 1)], positions=None),
    of_list("corners", body=0, face=0),
    of_list("remove_faces", numbers=[0], body=0),
    alone(carom.deform.KineticTree, faces=FACES, positions=PLACES),
    of_tree("add_faces", faces=[[0, 1, 2]]),
    of_tree("add_vertices", positions=PLACES, velocities=None),
    of_tree("advance", until=0.5),
    of_tree("change_flightplans", vertices=[0], velocities=[(0.0, 0, 1)], positions=None, accelerations=None),
    of_tree("remove_edges", edges=[[0, 1]]),
    of_tree("remove_faces", numbers=[0]),
    of_tree("remove_vertices", vertices=[0]),
    alone(carom.deform.KineticTree.following, motion=CLOTH),
    alone(carom.time_critical.SphereTree.build, mesh=MESH, levels=1, method="octree", seed=0),
    ("SphereTree.level", lambda: TREE.level, {"number": 0}),
    ("SphereTree.check", lambda: TREE.check, {"mesh": None}),
    ("SphereTree.looseness", lambda: TREE.looseness, {"samples": 2}),
    ("SphereTree.save", lambda: TREE.save, {"path": None}),
    ("SphereTree.load", lambda: carom.time_critical.SphereTree.load, {"path": "nowhere.npz", "mesh": None}),
    alone(carom.time_critical.ProgressiveCrowd, trees=[TREE, TREE]),
    ("ProgressiveCrowd.query", lambda: carom.time_critical.ProgressiveCrowd([TREE, TREE]).query, {
        "pairs": [[0, 1]], "poses_of": POSES, "budget": None, "steps": 5, "level": None,
    }),
    alone(carom.time_critical.ProgressivePair, tree_a=TREE, tree_b=TREE),
    ("ProgressivePair.query", lambda: carom.time_critical.ProgressivePair(TREE, TREE).query, {}),
    alone(carom.time_critical.Horn, offset=(0, 0, 1), radius=1.0, turn_rate=0.0),
    alone(carom.time_critical.space_time_bounds, motions=[DRONE], radii=[1.0], start=None, until=1.0),
    alone(carom.time_critical.earliest_intersection, bounds=BOUNDS, method="fast"),
    alone(carom.boxes.BoxPairs, lo=np.zeros((2, 3)), hi=np.ones((2, 3)), threads=1),
    alone(carom.boxes.box_pairs, lo=np.zeros((2, 3)), hi=np.ones((2, 3)), threads=1),
]  # fmt: skip


def parameters(function: Any, good: dict[str, Any]) -> list[str]:
    """Names of all parameters that take a value: those of the signature, and those that are given though it does not tell."""
    signature = inspect.signature(function).parameters.values()
    named = [p.name for p in signature if p.kind not in (p.VAR_POSITIONAL, p.VAR_KEYWORD)]
    return list(dict.fromkeys([*named, *good]))


@pytest.mark.parametrize(("bound", "good"), [call[1:] for call in CALLS], ids=[call[0] for call in CALLS])
def test_junk_in_any_one_argument_is_accepted_or_refused_with_an_error_of_carom(
    bound: Any, good: dict[str, Any], tmp_path: Any, monkeypatch: Any
) -> None:
    monkeypatch.chdir(tmp_path)
    raw = []
    for name in parameters(bound(), good):
        for what in junk_values():
            if name in FUNCTIONS and what in ("class", "function"):
                continue  # what a function of the user's raises is the user's
            if name == "until" and what == "large":
                continue  # a number like others: a world goes there, event by event
            value = junk_values()[what]
            arguments = {**copy.copy(good), name: value}
            try:
                bound()(**arguments)
            except carom.CaromError:
                pass
            except Exception as error:
                raw.append(f"{name} = {what}: {type(error).__name__}")
    assert not raw


def test_junk_is_tried_on_every_public_method() -> None:
    tried = {name for name, *_ in CALLS}
    without = {"audit", "restore", "explain", "motions", "next_event_time", "overlaps", "snapshot", "take_broken_bounds",
               "boxes", "check", "positions", "velocities", "step", "query_placed", "resume"}  # fmt: skip
    kinds = (
        carom.World,
        carom.deform.SeparationList,
        carom.deform.KineticTree,
        carom.time_critical.SphereTree,
        carom.time_critical.ProgressiveCrowd,
    )
    for kind, name in itertools.chain.from_iterable(((k, n) for n in dir(k)) for k in kinds):
        if not name.startswith("_") and callable(getattr(kind, name)) and name not in without:
            assert f"{kind.__name__}.{name}" in tried
