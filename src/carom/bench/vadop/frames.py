"""Timed frames of a scene: of a world, which is exact, and of the pseudo-dynamic method, which only tests instants."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from carom.bench.turns import SameAsFirst, fastest, no_garbage
from carom.bench.vadop.spheres import FRAME, Floats
from carom.boxes.moving_boxes import BoxPairs
from carom.scenes.scene import Scene
from carom.types import ContactLog
from carom.world.world import World


@dataclass(frozen=True)
class Frames:
    """A run of whole frames: CPU time, pair tests and contacts per frame, and memory of the broad phase."""

    ms: float
    tests: float
    contacts: float
    megabytes: float
    log: ContactLog


def engine_megabytes(world: World) -> float:
    """Return the memory of all arrays of the broad phase, without those of the bodies."""
    engine = world._engine
    bodies = {id(array) for array in (*world._tables.bodies(), *world._tables.run())}
    arrays = (array for table in engine._alive for array in table)
    return sum(array.nbytes for array in arrays if id(array) not in bodies) / 1e6


def run_frames(scene: Scene, frames: int, options: Mapping[str, Any]) -> Frames:
    """Time whole frames; the clock starts in the middle of a frame, so that each frame begins once while it runs."""
    with no_garbage():
        world = scene.build(frame=FRAME, **options)
        first = world.advance(0.5 * FRAME)
        tests = world.stats.pair_tests
        begin = time.process_time()
        log = world.advance((frames + 0.5) * FRAME)
        seconds = time.process_time() - begin
    made = world.stats.pair_tests - tests
    whole = ContactLog.concatenate([each for each in (first, log) if len(each)])
    return Frames(1e3 * seconds / frames, made / frames, len(log) / frames, engine_megabytes(world), whole)


def best_frames(scene: Scene, frames: int, cases: Mapping[str, Mapping[str, Any]], repeats: int) -> dict[str, Frames]:
    """Return the fastest run of each case; AuditError where two logs differ in any bit."""
    runs = {name: partial(run_frames, scene, frames, options) for name, options in cases.items()}
    return fastest(runs, repeats, SameAsFirst("frames", "log"), lambda a, b: min(a, b, key=lambda run: run.ms))


def instants(scene: Scene, n: int, frames: int) -> list[Floats]:
    """Return positions (n, 3) of the first n bodies at the end of every frame of the exact simulation."""
    world = scene.build(broad="kinetic-grid")
    found = []
    for k in range(frames + 1):
        world.advance(k * FRAME)
        found.append(world.positions()[:n])
    return found


def pseudo_dynamic_ms(places: list[Floats], repeats: int) -> float:
    """Return CPU milliseconds per frame of comparing boxes, then spheres of radius 1, at frame instants, as freeSOLID does.

    The boxes are those of carom.boxes.BoxPairs on one thread, along precomputed paths of the exact simulation.
    """
    best = np.inf
    for _ in range(repeats):
        boxes = BoxPairs(places[0] - 1.0, places[0] + 1.0, threads=1)
        with no_garbage():
            begin = time.process_time()
            for centres in places[1:]:
                boxes.update(centres - 1.0, centres + 1.0)
                pairs = boxes.pairs()
                apart = centres[pairs[:, 0]] - centres[pairs[:, 1]]
                np.flatnonzero(np.einsum("ij,ij->i", apart, apart) <= 4.0)
            best = min(best, time.process_time() - begin)
    return 1e3 * best / (len(places) - 1)
