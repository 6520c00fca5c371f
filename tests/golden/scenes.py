"""Scenes whose logs are recorded as hashes: whatever changes one bit of one contact changes a hash. So are other answers.

`python -m golden.scenes` prints the hashes as JSON; names as arguments choose some.
"""

from __future__ import annotations

import dataclasses
import hashlib
import json
import sys
from collections.abc import Callable
from typing import Any

import numpy as np

import carom
from carom.scenes import animation, scene
from golden.answers import ANSWERS, solids

Build = Callable[[], Any]


def digest(*logs: Any) -> str:
    """Hash of every array of logs of contacts and other answers, bit for bit."""
    found = hashlib.sha256()
    for log in logs:
        if isinstance(log, np.ndarray):
            _add(found, "", log)
            continue
        for field in dataclasses.fields(log):
            value = getattr(log, field.name)
            if isinstance(value, np.ndarray) and value.dtype != object:
                _add(found, field.name, value)
    return found.hexdigest()[:16]


def _add(found: Any, name: str, value: np.ndarray) -> None:
    found.update(f"{name} {value.dtype} {value.shape}".encode())
    found.update(np.ascontiguousarray(value).tobytes())


def built_in(name: str, until: float, **parameters: Any) -> Build:
    """The log of a built-in scene."""
    return lambda **options: scene(name, **parameters).build(**options).advance(until)


def mixed(seed: int, broad: str, start: float = 0.0, gravity: float = -3.0, count: int = 24) -> Build:
    """Bodies of every shape, most of them spinning, that bounce in a box under gravity; two follow keyframes."""

    def run(**options: Any) -> Any:
        rng = np.random.default_rng(seed)
        world = carom.World(response=carom.Elastic(), start=start, **{"broad": broad, **options})
        for d in range(3):
            for side in (-1.0, 1.0):
                normal = np.zeros(3)
                normal[d] = -side
                world.add(carom.HalfSpace(normal, -6.0), mass=np.inf)
        corners = rng.uniform(-0.5, 0.5, (12, 3))
        tetrahedron = [[0, 1, 2], [0, 3, 1], [1, 3, 2], [2, 3, 0]]
        shapes = [
            carom.Sphere(0.4), carom.Box((0.5, 0.7, 0.9)), carom.Capsule(0.3, 0.5), carom.Cylinder(0.35, 0.6),
            carom.Cone(0.4, 0.7), carom.Convex(corners), carom.Mesh(corners[:4], tetrahedron),
        ]  # fmt: skip
        cells = rng.permutation(27)[:count]
        for k, cell in enumerate(cells):
            place = (np.array([cell % 3, cell // 3 % 3, cell // 9]) - 1.0) * 3.5
            motion = carom.Motion(
                place, rng.normal(size=3) * 2.0, (0.0, 0.0, gravity), orientation=rng.normal(size=4),
                spin=rng.normal(size=3) * (k % 3), start=start,
            )  # fmt: skip
            world.add(shapes[k % len(shapes)], motion, mass=float(rng.uniform(0.5, 2.0)))
        for k in range(2):
            times = start + np.arange(4.0)
            places = np.array([[4.0 * np.float64(n % 2) - 2.0, 1.5 * k, 5.2] for n in range(4)])
            turns = rng.normal(size=(4, 4))
            world.add(carom.Box((1.0, 0.4, 0.3)), carom.Keyframes(times, places, turns))
        return world.advance(start + 2.0)

    return run


def cloth_and_bodies(**options: Any) -> Any:
    """A falling cloth among rigid bodies of several shapes, each at its own height."""
    cloth, _ = animation("tablecloth", faces=200, keys=20)
    world = carom.World(response=carom.Elastic(), **options)
    world.add(cloth)
    world.add(carom.HalfSpace((0.0, 0.0, 1.0), -0.3))
    rng = np.random.default_rng(5)
    for k, shape in enumerate((carom.Sphere(0.1), carom.Box((0.1, 0.2, 0.1)), carom.Cylinder(0.1, 0.1))):
        place = (0.3 * k - 0.3, 0.2 * k - 0.3, -0.2)
        world.add(shape, carom.Motion(place, (0.0, 0.1, 0.6), (0.0, 0.0, -1.0), spin=rng.normal(size=3)))
    return world.advance(0.8)


def folding_cloth() -> Any:
    """Contacts of a whirled cloth with itself."""
    return carom.self_contacts(animation("swirl", faces=800, keys=20)[0])


def overlapping_starts(**options: Any) -> Any:
    """Bodies of every shape that begin, are added and jump inside each other, and part again."""
    rng = np.random.default_rng(6)
    world = carom.World(response=carom.Elastic(0.9), **options)
    shapes = solids()
    for k in range(14):
        spin = rng.uniform(-1.0, 1.0, 3) * (k % 3 == 0)
        way = rng.uniform(-1.5, 1.5, 3), rng.uniform(-1.0, 1.0, 3)
        turned = rng.uniform(-1.0, 1.0, 4)
        world.add(shapes[k % 7], carom.Motion(*way, orientation=turned, spin=spin), mass=float(rng.uniform(0.5, 2.0)))
    first = world.advance(0.2)
    for k in range(3):
        moved = carom.Motion(rng.uniform(-1.0, 1.0, 3), rng.uniform(-1.0, 1.0, 3), start=0.2)
        world.add(carom.Sphere(0.5), moved)
        world.set_motion(2 * k, moved)
    return carom.ContactLog.concatenate([first, world.advance(0.4)])


def guided_bodies(**options: Any) -> Any:
    """Bodies of every shape that are steered, some beyond their limits, among rigid ones."""
    rng = np.random.default_rng(8)
    world = carom.World(response=carom.Elastic(), **options)
    shapes = solids()
    for k in range(14):
        world.add(shapes[k % 7], carom.Motion(rng.uniform(-2.5, 2.5, 3), rng.uniform(-1.0, 1.0, 3)))
    places, velocities = rng.uniform(-3.0, 3.0, (6, 3)), rng.uniform(-1.0, 1.0, (6, 3))

    def steered(k: int, start: float) -> carom.Guided:
        behind = rng.uniform(-1.0, 1.0, 3) if k % 2 else None
        fastest = 3.0 if k % 3 else np.inf
        return carom.Guided(places[k], velocities[k], 0.5 + k, start + 0.3, behind, start=start, max_speed=fastest)

    bodies = [world.add(shapes[k], steered(k, 0.0)) for k in range(6)]
    logs = []
    for step in range(1, 5):
        logs.append(world.advance(0.25 * step))
        for k, body in enumerate(bodies):
            places[k] += 0.25 * velocities[k] + rng.uniform(-0.02, 0.02, 3)
            world.set_motion(body, steered(k, 0.25 * step))
    return carom.ContactLog.concatenate(logs)


def polled_body(**options: Any) -> Any:
    """A box that only a function knows, which creeps through balls that bounce."""
    rng = np.random.default_rng(9)
    world = carom.World(response=carom.Elastic(), **options)

    def bounds(t: float) -> carom.KineticBounds:
        low = np.array([(0.3 * t - 0.5, 0.3, 0.0), (-0.5, 0.0, 0.0), (-0.5, 0.0, 0.0)])
        return carom.KineticBounds(low, low + (1.0, 0.0, 0.0), start=t, expires=t + 0.4)

    def touches(here: carom.World, body: int, other: int, t: float) -> bool:
        return bool(np.abs(here.positions()[other] - (0.3 * t, 0.0, 0.0)).max() < 0.5)

    world.add(carom.Polled(bounds, touches, 30.0), carom.Motion())
    world.add_many(carom.Sphere(0.3), rng.uniform(-3.0, 3.0, (30, 3)), rng.uniform(-2.0, 2.0, (30, 3)))
    return world.advance(2.0)


SCENES: dict[str, Build] = {
    "rings": built_in("rings", 2.0, objects=40, density=0.05),
    "models": built_in("models", 1.0, objects=4, density=0.1),
    "gas": built_in("gas", 2.0, objects=100, packing=0.2),
    "periodic gas": built_in("gas", 2.0, objects=100, packing=0.2, periodic=1),
    "billiards": built_in("billiards", 1.5),
    "mixed": mixed(1, "auto"),
    "mixed, far in time": mixed(2, "auto", start=70000.0),
    "mixed, kinetic": mixed(3, "kinetic"),
    "mixed, all pairs": mixed(3, "all-pairs"),
    "mixed, weightless": mixed(4, "auto", gravity=0.0),
    "cloth and bodies": cloth_and_bodies,
    "folding cloth": folding_cloth,
    "overlapping starts": overlapping_starts,
    "guided bodies": guided_bodies,
    "polled body": polled_body,
}

RECORDED = (*SCENES, *ANSWERS)


def hashes(names: list[str]) -> dict[str, str]:
    """Hash of each of these scenes' logs, with the number of contacts so that an empty log is seen; and of answers."""
    found = {}
    for name in names or RECORDED:
        if name in SCENES:
            log = SCENES[name]()
            found[name] = f"{len(log)} contacts {digest(log)}"
        else:
            answers = ANSWERS[name]()
            found[name] = f"{len(answers)} answers {digest(*answers)}"
    return found


if __name__ == "__main__":
    print(json.dumps(hashes(sys.argv[1:]), indent=1))
