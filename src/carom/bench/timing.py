"""Timed runs of worlds: compiled before, best of several, and checked against each other every time."""

from __future__ import annotations

import gc
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from carom.errors import AuditError
from carom.scenes.scene import Scene
from carom.types import ContactLog, Stats
from carom.world import World

METHODS = ("kinetic", "swept", "all-pairs")
"""The broad phases that the paper compares; the first is carom's default."""


@dataclass(frozen=True)
class Run:
    """One timed run: CPU seconds of all threads, every contact in order, and what the world did."""

    seconds: float
    log: ContactLog
    stats: Stats


def polled(world: World, rate: float, duration: float) -> Run:
    """Advance `world` by `duration` seconds in steps of 1/rate, as a frame loop would; rate 0 means one single step.

    Start-up (sorting, first predictions) happens before the clock starts.
    """
    frames = max(1, round(rate * duration))
    ends = [duration * (k + 1) / frames for k in range(frames)]
    start = world.time
    world.next_event_time()
    logs = []
    gc.collect()
    gc.disable()
    try:
        begin = time.process_time()
        for end in ends:
            log = world.advance(start + end)
            if len(log):
                logs.append(log)
        seconds = time.process_time() - begin
    finally:
        gc.enable()
    return Run(seconds, ContactLog.concatenate(logs), world.stats)


def run_scene(scene: Scene, rate: float, duration: float, broad: str = "kinetic", **options: Any) -> Run:
    """A fresh world of `scene`, polled at `rate`; swept boxes take that rate's frames. `options` are World's."""
    if broad == "swept":
        options["frame"] = 1.0 / rate
    return polled(scene.build(broad=broad, **options), rate, duration)


def best_of(cases: Mapping[str, Callable[[], Run]], repeats: int, what: str) -> dict[str, Run]:
    """The fastest of `repeats` runs of every case, the cases taking turns so that drift of the machine hits all alike.

    Every single run is compared with the first; a difference raises AuditError: a wrong answer has no speed.
    """
    best: dict[str, Run] = {}
    reference: tuple[str, Run] | None = None
    for _ in range(repeats):
        for name, case in cases.items():
            run = case()
            if reference is None:
                reference = name, run
            elif not run.log.identical(reference[1].log):
                raise AuditError(
                    f"{what}: {name} reports {len(run.log)} contacts that differ from the {len(reference[1].log)} "
                    f"of {reference[0]}"
                )
            if name not in best or run.seconds < best[name].seconds:
                best[name] = run
    return best
