"""Timed frames of a scene: exact ones of a world, and those of the pseudo-dynamic method, which looks at instants only."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from carom.bench.garbage import no_garbage
from carom.bench.vadop.spheres import FRAME, Floats
from carom.boxes.moving_boxes import BoxPairs
from carom.errors import AuditError
from carom.scenes.scene import Scene
from carom.types import ContactLog
from carom.world.world import World


@dataclass(frozen=True)
class Frames:
    """A run of whole frames."""

    ms: float
    """CPU milliseconds a frame"""
    tests: float
    """predictions of pairs a frame"""
    contacts: float
    """a frame"""
    megabytes: float
    """of the broad phase: lists, pairs and their queue"""
    log: ContactLog


def engine_megabytes(world: World) -> float:
    """Memory of all arrays that the broad phase of a world works on, bodies left out."""
    engine = world._engine
    bodies = {id(array) for array in (*world._tables.bodies(), *world._tables.run())}
    arrays = (array for table in engine._alive for array in table)
    return sum(array.nbytes for array in arrays if id(array) not in bodies) / 1e6


def run_frames(scene: Scene, frames: int, options: Mapping[str, Any]) -> Frames:
    """CPU time of so many frames after the first half of one, so that each frame begins inside the clock once."""
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
    """The fastest run of every case, in turns. AuditError where two differ in any bit of any contact."""
    best: dict[str, Frames] = {}
    log: ContactLog | None = None
    for _ in range(repeats):
        for name, options in cases.items():
            run = run_frames(scene, frames, options)
            log = run.log if log is None else log
            if not run.log.identical(log):
                raise AuditError(f"{name} reports {len(run.log)} contacts that differ from the {len(log)} of the first")
            if name not in best or run.ms < best[name].ms:
                best[name] = run
    return best


def instants(scene: Scene, n: int, frames: int) -> list[Floats]:
    """Positions (n, 3) of the first n bodies at each instant that a frame ends at, of the exact simulation."""
    world = scene.build(broad="kinetic-grid")
    found = []
    for k in range(frames + 1):
        world.advance(k * FRAME)
        found.append(world.positions()[:n])
    return found


def pseudo_dynamic_ms(places: list[Floats], repeats: int) -> float:
    """CPU milliseconds a frame of boxes compared at frame instants, then spheres of radius 1: as freeSOLID works.

    Boxes are followed by carom.boxes.BoxPairs on one thread; the same paths as all others, found beforehand.
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
