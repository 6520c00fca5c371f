"""Timed runs of scenes: compiled before, the best of several, and every log compared with the first."""

from __future__ import annotations

import itertools
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

from carom.bench.turns import SameAsFirst, fastest, no_garbage
from carom.engine.broad_phases import AUTO
from carom.scenes.gas import gas
from carom.scenes.rings import rings
from carom.scenes.scene import Scene
from carom.types import ContactLog, Stats

METHODS = ("kinetic", "swept", "all-pairs")
"""The broad phases that the paper on kinetic sweep and prune compares; the first is its own."""


@dataclass(frozen=True)
class Run:
    """One timed run: CPU seconds of all threads, every contact in order, and the counters of the world.

    `start_seconds` covers building the world (bodies, first sort, first predictions), `seconds` the simulated time.
    """

    start_seconds: float
    seconds: float
    log: ContactLog
    stats: Stats


def run_scene(scene: Scene, rate: float, duration: float, broad: str = "kinetic", **options: Any) -> Run:
    """Advance a new world of `scene` in steps of 1/rate, as a frame loop would; rate 0 means one single step.

    Swept boxes use the same rate for their frames. `options` are those of World.
    """
    if broad == "swept":
        options["frame"] = 1.0 / rate
    frames = max(1, round(rate * duration))
    ends = [duration * (k + 1) / frames for k in range(frames)]
    logs = []
    with no_garbage():
        start = time.process_time()
        world = scene.build(broad=broad, **options)
        world.next_event_time()
        begin = time.process_time()
        for end in ends:
            log = world.advance(end)
            if len(log):
                logs.append(log)
        stop = time.process_time()
    return Run(begin - start, stop - begin, ContactLog.concatenate(logs), world.stats)


def best_of(
    cases: Mapping[str, Callable[[], Run]],
    repeats: int,
    what: str,
    cost: Callable[[Run], float] = lambda run: run.seconds,
) -> dict[str, Run]:
    """Return the cheapest of `repeats` runs of each case; AuditError where two logs differ."""
    return fastest(cases, repeats, SameAsFirst(what, "log"), lambda a, b: min(a, b, key=cost))


def compare(
    scene: Scene, rate: float, duration: float, repeats: int, what: str, cases: Mapping[str, Any]
) -> dict[str, Run]:
    """Return the cheapest run of each case. cases: name -> options of `run_scene`."""
    runs = {name: partial(run_scene, scene, rate, duration, **options) for name, options in cases.items()}
    return best_of(runs, repeats, what)


def warm_up() -> None:
    """Compile what is timed: run two small crowded scenes with every broad phase until bodies have touched."""
    scenes = rings(objects=24, density=0.15), gas(objects=24, packing=0.05)
    for scene, method in itertools.product(scenes, (AUTO, *METHODS)):
        run_scene(scene, 30.0, 2.0, method)
