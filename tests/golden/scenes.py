"""Scenes whose logs are recorded as hashes: whatever changes one bit of one contact changes a hash.

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

Build = Callable[[], Any]


def digest(*logs: Any) -> str:
    """Hash of every array of logs of contacts, bit for bit."""
    found = hashlib.sha256()
    for log in logs:
        for field in dataclasses.fields(log):
            value = getattr(log, field.name)
            if isinstance(value, np.ndarray) and value.dtype != object:
                found.update(f"{field.name} {value.dtype} {value.shape}".encode())
                found.update(np.ascontiguousarray(value).tobytes())
    return found.hexdigest()[:16]


def built_in(name: str, until: float, **parameters: Any) -> Build:
    """The log of a built-in scene."""
    return lambda: scene(name, **parameters).build().advance(until)


def mixed(seed: int, broad: str, start: float = 0.0, gravity: float = -3.0, count: int = 24) -> Build:
    """Bodies of every shape, most of them spinning, that bounce in a box under gravity; two follow keyframes."""

    def run() -> Any:
        rng = np.random.default_rng(seed)
        world = carom.World(response=carom.Elastic(), broad=broad, start=start)
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


def cloth_and_bodies() -> Any:
    """A falling cloth among rigid bodies of several shapes, each at its own height."""
    cloth, _ = animation("tablecloth", faces=200, keys=20)
    world = carom.World(response=carom.Elastic())
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
}


def hashes(names: list[str]) -> dict[str, str]:
    """Hash of each of these scenes' logs, with the number of contacts so that an empty log is seen."""
    found = {}
    for name in names or SCENES:
        log = SCENES[name]()
        found[name] = f"{len(log)} contacts {digest(log)}"
    return found


if __name__ == "__main__":
    print(json.dumps(hashes(sys.argv[1:]), indent=1))
