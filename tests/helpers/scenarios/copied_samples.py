"""Ways to copy, what is to hold of every copy, and worlds and structures half-way through their work."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Callable
from dataclasses import fields
from typing import Any

import numpy as np

import carom
from carom.queues import METHODS, EventQueue
from scenarios.deform_samples import crumpled_cloth, grid_cloth
from scenarios.worlds import gas, random_mix

Drive = Callable[[Any], Any]

WAYS = {
    "copy": copy.copy,
    "deepcopy": copy.deepcopy,
    "pickle": lambda thing: pickle.loads(pickle.dumps(thing)),
    "twice": lambda thing: pickle.loads(pickle.dumps(copy.deepcopy(thing))),
}


def alike(one: Any, other: Any) -> bool:
    """Are these the same, bit for bit?"""
    if isinstance(one, carom.ContactLog):
        return bool(one.identical(other))
    if isinstance(one, np.ndarray):
        return one.dtype == other.dtype and one.tobytes() == other.tobytes()
    if isinstance(one, tuple | list):
        return len(one) == len(other) and all(alike(a, b) for a, b in zip(one, other, strict=True))
    if hasattr(one, "__dataclass_fields__"):
        return all(alike(getattr(one, f.name), getattr(other, f.name)) for f in fields(one))
    return bool(one == other)


def check_copies(make: Callable[[], Any], drive: Drive, ways: tuple[str, ...] = tuple(WAYS)) -> None:
    expected = drive(make())
    for way in ways:
        original = make()
        other = WAYS[way](original)
        assert type(other) is type(original)
        assert alike(drive(other), expected), f"{way} answers otherwise"
        assert alike(drive(original), expected), f"the original of a {way} was changed"


def inflated(t: float) -> carom.KineticBounds:
    """The box of a ball whose radius is 1 + t / 2."""
    upper = np.zeros((3, 3))
    upper[:, 0], upper[:, 1] = 1.0 + 0.5 * t, 0.5
    return carom.KineticBounds(-upper, upper, start=t, expires=t + 1.0)


def meets(world: carom.World, body: int, other: int, t: float) -> bool:
    here, there = (world.motion(k).position_at(t) for k in (body, other))
    return bool(np.linalg.norm(there - here) <= 1.0 + 0.5 * t)


def driven_apart(world: carom.World, contact: carom.Contact) -> None:
    """A response after which both bodies leave each other at 1 m/s."""
    for body, speed in ((contact.a, -1.0), (contact.b, 1.0)):
        place = world.motion(body).position_at(contact.time)
        world.set_motion(body, carom.Motion(place, speed * contact.normal, start=contact.time))


def of_every_kind(broad: str = "auto", queue: str = "tournament") -> carom.World:
    """Rigid, spinning, keyframed, guided, deforming and polled bodies, names, groups, and gaps among the ids."""
    world = random_mix(4, True, broad=broad, queue=queue)
    flat, faces = grid_cloth(4)
    times = np.linspace(0.0, 4.0, 6)
    heights = 0.5 * np.sin(flat[None, :, 0] + 3.0 * times[:, None])
    world.add(carom.Deforming(faces, times, 4.0 * flat + heights[:, :, None] * (0.0, 0.0, 1.0)), name="cloth")
    world.add(crumpled_cloth(np.random.default_rng(1), 4, 5), self_collision=True)
    world.add(carom.Sphere(0.4), carom.Guided((0, 0, 3), (0, 0, -1), 5.0, 2.5), mass=3.0)
    path = carom.Keyframes(
        [0.0, 1.0, 3.0], [(0, 0, -4), (1, 0, 0), (3, 0, 4)], [(1, 0, 0, 0), (1, 1, 0, 0), (1, 0, 1, 0)]
    )
    world.add(carom.Box((1, 2, 1)), path, group=3)
    world.add(carom.Polled(inflated, meets, 20.0), carom.Motion((8, 0, 0), (-0.5, 0, 0)))
    world.remove(0)
    world.set_filter(3, 3, False)
    world.advance(0.8)
    return world


def run_on(world: carom.World) -> list[Any]:
    parts = [world.time, world.bodies, [world.name(int(k)) for k in world.bodies], world.masses, world.periodic]
    for until in (1.1, 1.9, 3.0):
        parts += [world.advance(until), world.positions(), world.velocities(), world.orientations()]
    added = world.add(carom.Sphere(0.3), carom.Motion((0, 0, 9), (0, 0, -4), start=world.time))
    return [*parts, added, world.advance(5.0), world.motion_count]


def elastic(broad: str, queue: str) -> carom.World:
    world = gas(30, 0.1, broad=broad, queue=queue)
    world.advance(0.8)
    return world


def periodic() -> carom.World:
    world = carom.World(response=carom.Elastic(0.9), periodic=(8.0, None, 8.0), start=-3.0, profile=True)
    rng = np.random.default_rng(3)
    world.add_many(carom.Sphere(0.5), 2.0 * np.argwhere(np.ones((3, 3, 3))), rng.normal(size=(27, 3)))
    world.advance(-2.0)
    return world


def responding() -> carom.World:
    axes = [(1, 2, 3), (0, 1, 0), (3, 0, 1), (0, 0, 1)]
    world = carom.World("kinetic", driven_apart, axes=axes)
    for row in range(4):  # three spheres each, on a line of their own
        for place, speed in ((0.0, 0.0), (4.0, -1.0), (9.0 + row, -3.0)):
            world.add(carom.Sphere(1.0), carom.Motion((place, 10.0 * row, 0.0), (speed, 0.01 * row, 0.0)))
    world.advance(0.4)
    return world


WORLDS: dict[str, Callable[[], carom.World]] = {
    **{broad: lambda broad=broad: of_every_kind(broad) for broad in carom.world.BROAD_PHASES},  # type: ignore[misc]
    **{queue: lambda queue=queue: elastic("kinetic-grid", queue) for queue in METHODS},  # type: ignore[misc]
    "periodic": periodic,
    "responding": responding,
}


def cloth(seed: int = 5) -> carom.Deforming:
    return crumpled_cloth(np.random.default_rng(seed), 5, 8)


def separation_list(
    queue: str = "tournament", boxes: str = "chord", full_passes: bool = True
) -> carom.deform.SeparationList:
    found = carom.deform.SeparationList(
        cloth(), cloth(6), selves=True, boxes=boxes, full_passes=full_passes, queue=queue
    )
    found.advance(0.4 * found.last_time)
    return found


def follow(found: carom.deform.SeparationList) -> list[Any]:
    parts: list[Any] = [found.advance(0.55 * found.last_time)]
    found.change_flightplans([3, 7], [(0, 0, 1.0), (0, 1.0, 0)])
    found.add_faces([(0, 8, 17)])
    parts.append(found.advance(0.8 * found.last_time))
    found.check()
    return [*parts, found.positions(), found.advance(found.last_time), found.time]


def kinetic_tree(queue: str = "heap4", search_ahead: bool = True) -> carom.deform.KineticTree:
    tree = carom.deform.KineticTree.following(cloth(), search_ahead=search_ahead, queue=queue)
    tree.advance(0.9)
    return tree


def wave(tree: carom.deform.KineticTree) -> list[Any]:
    parts: list[Any] = [tree.advance(1.4), *tree.boxes()]
    tree.change_flightplans([2], [(0.0, 0.3, 1.0)])
    tree.remove_faces([1])
    parts.append(tree.advance(2.6))
    tree.check()
    return [*parts, *tree.boxes(), tree.stats, tree.time]


def event_queue(method: str) -> EventQueue:
    queue = EventQueue(50, method, with_ties=True)
    for slot, time in enumerate(np.random.default_rng(2).uniform(size=50)):
        queue.set(slot, float(time), slot)
    return queue


def drained(queue: EventQueue) -> list[Any]:
    queue.grow(60)
    queue.set(55, 0.5)
    order = []
    while (slot := queue.top()) >= 0:
        order.append(slot)
        queue.set(slot, np.inf)
    return order


def poses_along(n: int = 5) -> np.ndarray:
    poses = np.tile(np.eye(4), (n, 1, 1))
    poses[:, :3, 3] = np.linspace((3.0, 0.0, 0.0), (0.5, 2.0, 1.0), n)
    return poses


def tracker(a: Any, b: Any) -> carom.Tracker:
    found = carom.Tracker(a, b)
    found.distance(None, poses_along()[0])
    return found


def tracked(found: carom.Tracker) -> list[Any]:
    return [part for pose in poses_along()[1:] for part in (found.distance(None, pose), found.steps)]


def moving_boxes() -> carom.boxes.BoxPairs:
    low = np.random.default_rng(8).uniform(0.0, 10.0, (200, 3))
    return carom.boxes.BoxPairs(low, low + 1.0)


def moved(boxes: carom.boxes.BoxPairs) -> list[Any]:
    rng, parts = np.random.default_rng(9), []
    low = rng.uniform(0.0, 10.0, (200, 3))
    for _ in range(4):
        low = low + rng.normal(size=(200, 3)) * 0.1
        parts += [*boxes.update(low, low + 1.0), boxes.pairs()]
        boxes.check()
    return parts


def values() -> list[Any]:
    box, cone = carom.Box((1, 2, 3)), carom.Cone(0.5, 1.0)
    mesh = carom.Mesh(box.vertices, box.faces)
    hull = carom.Convex(np.random.default_rng(1).normal(size=(20, 3)))
    solids = [
        carom.Sphere(0.1 + 0.2),
        carom.Capsule(0.3, 1.0),
        carom.Cylinder(0.3, 1.0),
        carom.Ellipsoid((0.3, 0.4, 0.5)),
        cone,
        box,
        mesh,
        hull,
    ]
    for shape in (mesh, hull):
        shape.bounding_sphere()
    rest = [carom.HalfSpace((1, 2, 3), 0.7), carom.Compound([(box, None), (mesh, poses_along()[0])]), cloth()]
    return [*solids, *rest]


def answers_of(things: list[Any]) -> tuple[list[Any], list[Any]]:
    """In a worker: what the things answer, and the things as they are then."""
    drives: list[Drive] = [run_on, run_on, follow, wave, drained, tracked, moved]
    return [drive(thing) for drive, thing in zip(drives, things, strict=False)], things
