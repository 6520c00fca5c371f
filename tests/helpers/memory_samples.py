"""Small worlds and single queries over and over, and the memory that they leave behind.

A program, so that each run has a process of its own: `python memory_samples.py SUBJECT COUNT POINTS [traced]`, with
NUMBA_NRT_STATS=1, prints one line of JSON: a measurement after the first use of everything, and POINTS more while COUNT works
are done. Garbage is collected before each. `resident`: bytes of the process (0 where the system does not tell); `traced`: bytes
that Python and NumPy hold; `compiled`: arrays of kernels that are alive. SUBJECT is a key of SUBJECTS or the name of one work.
"""

from __future__ import annotations

import contextlib
import copy
import gc
import itertools
import json
import pickle
import sys
import tracemalloc
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from numba.core.runtime import rtsys

import carom

STATM = Path("/proc/self/statm")
PAGE = 4096
"""Bytes."""

BOX, BALL, CONE, HALL = carom.Box((1, 1, 1)), carom.Sphere(0.5), carom.Cone(0.5, 1.0), carom.HalfSpace((0, 0, 1), -4.0)
CORNERS, FACES = BOX.vertices, BOX.faces
MESH = carom.Mesh(CORNERS, FACES)
PAIR = carom.Compound([(BOX, np.eye(4)), (BALL, np.eye(4))])
STILL = carom.KineticBounds(-np.eye(3), np.eye(3))


def _towards(x: float, k: int) -> carom.Motion:
    """A body at x that comes to the origin at a speed that differs from world to world."""
    return carom.Motion((x, 0.1 * (k % 7), 0.0), (-1.0 - 0.01 * (k % 11), 0.0, 0.0))


def _two(k: int, a: Any, b: Any, broad: str = "auto", response: Any = None) -> carom.World:
    world = carom.World(broad, response)
    world.add(a, carom.Motion((0, 0, 0)))
    world.add(b, _towards(3.0, k))
    return world


def spheres(k: int) -> None:
    broad = carom.world.BROAD_PHASES[k % len(carom.world.BROAD_PHASES)]
    world = carom.World(broad, carom.Elastic())
    world.add_many(
        BALL, [(0, 0, 0), (2, 0, 0), (0, 2, 0), (2, 2, 0)], [(1, 0, 0), (0, 0, 0), (0, 0, 0), (-1, 0.1 * (k % 5), 0)]
    )
    world.advance(1.0)
    world.remove(0)
    world.advance(2.0)


def boxes(k: int) -> None:
    world = _two(k, carom.Box((1, 1, 1)), carom.Box((1, 1, 1)), response=carom.Elastic(0.9))
    world.add(HALL, mass=float("inf"))
    world.advance(3.0)


def meshes(k: int) -> None:
    _two(k, carom.Mesh(CORNERS, FACES), carom.Mesh(CORNERS, FACES)).advance(2.5)


def turning(k: int) -> None:
    world = _two(k, BOX, CONE)
    world.add(BOX, carom.Motion((0, 3, 0), (0, -1, 0), spin=(0, 0, 2)))
    path = carom.Keyframes([0.0, 1.0, 3.0], [(0, 0, -4), (1, 0, 0), (3, 0, 4)])
    world.add(BALL, path)
    world.advance(2.0)


def polled(k: int) -> None:
    world = carom.World("kinetic")
    seen = [0]

    def meets(here: carom.World, body: int, other: int, t: float) -> bool:
        seen[0] += here is world
        return False

    world.add(carom.Polled(lambda t: STILL, meets, 10.0), carom.Motion((0, 0, 0)))
    world.add(BALL, _towards(2.0, k))
    world.advance(0.5)


def deforming(k: int) -> None:
    world = carom.World(response=carom.Elastic())
    flat = np.array([(x, y, 0.0) for x in (-1.0, 0.0, 1.0) for y in (-1.0, 0.0, 1.0)])
    faces = [f for c in (0, 1, 3, 4) for f in ((c, c + 3, c + 1), (c + 1, c + 3, c + 4))]
    frames = np.stack([flat, flat + (0, 0, 0.5), flat + (0.0, 0.0, -0.5)])
    world.add(carom.Deforming(faces, [0.0, 1.0, 2.0], frames), self_collision=k % 2 == 0)
    world.add(BALL, carom.Motion((0.0, 0.1 * (k % 5), 2.0), (0, 0, -1)))
    world.advance(1.7)


def guided(k: int) -> None:
    world = carom.World()
    body = world.add(BALL, carom.Guided((0, 0, 0), (1, 0, 0), 2.0, 0.5))
    world.add(BOX, _towards(4.0, k))
    world.advance(0.25)
    world.set_motion(body, carom.Guided((0.25, 0, 0), (1, 0, 0), 2.0, 0.6, start=0.25))
    world.advance(0.5)


def answered(k: int) -> None:
    world = _two(k, BALL, BALL, "kinetic-grid", lambda here, contact: touched.append((world, contact)))
    touched: list[Any] = []
    world.advance(3.0)


def periodic(k: int) -> None:
    world = carom.World(response=carom.Elastic(), periodic=(6.0, None, 6.0))
    world.add_many(
        BALL, [(0, 0, 0), (2, 0, 0), (0, 2, 2), (2, 2, 4)], [(3, 0, 0), (0, 0, 1), (0, 0, -4), (-1, 0.1 * (k % 5), 0)]
    )
    world.advance(2.0)


def restored(k: int) -> None:
    world = _two(k, BALL, BOX, "kinetic-grid", carom.Elastic())
    world.advance(1.0)
    carom.World.restore(
        world.snapshot(), [world.shape(0), world.shape(1)], response=carom.Elastic(), broad="kinetic-grid"
    ).advance(3.0)


def copied(k: int) -> None:
    world = _two(k, BALL, MESH, "kinetic", carom.Elastic())
    world.advance(1.0)
    copy.deepcopy(world).advance(3.0)
    if k % 3 == 0:
        pickle.loads(pickle.dumps(world)).advance(3.0)


def refused(k: int) -> None:
    """Errors hold frames and what is in them."""
    world = _two(k, BALL, BOX)
    try:
        world.add(BALL, carom.Motion((0, 0, 0), start=5.0), mass=-1.0)
    except carom.InvalidInputError:
        world.advance(1.0)


def separation(k: int) -> None:
    flat = np.array([(0.0, 0, 0), (1, 0, 0), (0, 1, 0)])
    a = carom.Deforming([(0, 1, 2)], [0.0, 1.0], np.stack([flat, flat + (0, 0, 1)]))
    b = carom.Deforming([(0, 1, 2)], [0.0, 1.0], np.stack([flat + (0, 0, 0.5), flat + (0.1, 0, 0.01 * (k % 9))]))
    found = carom.deform.SeparationList(a, b)
    found.advance(1.0)
    carom.contacts(a, b)
    carom.deform.KineticTree.following(a).advance(0.9)


SHAPES = (
    BOX,
    BALL,
    MESH,
    CONE,
    PAIR,
    carom.Convex(CORNERS),
    carom.Capsule(0.3, 1.0),
    carom.Cylinder(0.4, 1.0),
    carom.Ellipsoid((0.5, 0.4, 0.3)),
)
PAIRS = list(itertools.product(SHAPES, SHAPES))


def _pose(x: float) -> np.ndarray:
    pose = np.eye(4)
    pose[0, 3] = x
    return pose


NEAR, FAR = _pose(0.7), _pose(2.0)


def _query(call: Callable[[Any, Any, np.ndarray], object]) -> Callable[[int], None]:
    def ask(k: int) -> None:
        a, b = PAIRS[k % len(PAIRS)]
        with contextlib.suppress(carom.errors.UnsupportedPairError):
            call(a, b, NEAR if k % 3 else FAR)

    return ask


FLY = carom.Motion((3, 0.2, 0), (-2, 0, 0))
ROLL = carom.Motion((3, 0.2, 0), (-2, 0, 0), spin=(0, 0, 1))


def _ray(k: int) -> None:
    carom.ray_cast(SHAPES[k % len(SHAPES)], (-3.0, 0.1 * (k % 3), 0.05), (1.0, 0.0, 0.01))


def _new_shapes(k: int) -> None:
    """Shapes that live for one query: what is kept for a shape goes with it."""
    carom.collide(carom.Mesh(CORNERS, FACES), carom.Convex(CORNERS), pose_b=NEAR)


def _impact(k: int) -> None:
    """Spins take longer, so one of 64 turns."""
    a, b = PAIRS[k % len(PAIRS)]
    with contextlib.suppress(carom.errors.UnsupportedPairError):
        carom.time_of_impact(a, b, carom.Motion(), ROLL if k // len(PAIRS) % 64 == 0 else FLY, until=2.0)


SUBJECTS: dict[str, tuple[Callable[[int], None], ...]] = {
    "worlds": (
        spheres, boxes, meshes, turning, polled, deforming, guided, answered, periodic, restored, copied, refused, separation,
    ),
    "queries": (
        _query(lambda a, b, pose: carom.collide(a, b, pose_b=pose)),
        _query(lambda a, b, pose: carom.distance(a, b, pose_b=pose)),
        _query(lambda a, b, pose: carom.penetration(a, b, pose_b=pose)),
        _query(lambda a, b, pose: carom.gap(a, b, 0.5, pose_b=pose)),
        _impact, _ray, _new_shapes,
    ),
}  # fmt: skip
"""Each subject's works in turn. `spheres` has every broad phase."""

WARM = {"worlds": len(carom.world.BROAD_PHASES), "queries": len(PAIRS)}
"""So many times is each work done before the first measurement."""


def measured() -> dict[str, int]:
    gc.collect()
    compiled = rtsys.get_allocation_stats()
    return {
        "resident": int(STATM.read_text().split()[1]) * PAGE if STATM.exists() else 0,
        "traced": tracemalloc.get_traced_memory()[0],
        "compiled": compiled.alloc - compiled.free,
    }


def run(subject: str, count: int, points: int, traced: bool) -> list[dict[str, int]]:
    works = SUBJECTS.get(subject) or (globals()[subject],)
    for work in works:
        for k in range(WARM.get(subject, 100)):
            work(k)
    if traced:
        tracemalloc.start()
    found = [measured()]
    for point in range(points):
        for k in range(count * point // points, count * (point + 1) // points):
            works[k % len(works)](k // len(works))
        found.append(measured())
    return found


if __name__ == "__main__":
    json.dump(run(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), sys.argv[4:] == ["traced"]), sys.stdout)
