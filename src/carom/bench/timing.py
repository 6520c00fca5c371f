"""Timed runs of worlds: compiled before, best of several, and checked against each other every time."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from carom.bench.garbage import no_garbage
from carom.errors import AuditError
from carom.scenes.scene import Scene
from carom.types import ContactLog, Stats

METHODS = ("kinetic", "swept", "all-pairs")
"""The broad phases that the paper compares; the first is the paper's own."""


@dataclass(frozen=True)
class Run:
    """One timed run: CPU seconds of all threads, every contact in order, and what the world did."""

    start_seconds: float
    """building the world: bodies, first sort, first predictions"""
    seconds: float
    """the simulated time"""
    log: ContactLog
    stats: Stats


def run_scene(scene: Scene, rate: float, duration: float, broad: str = "kinetic", **options: Any) -> Run:
    """Advance a fresh world of `scene` in steps of 1/rate, as a frame loop would; rate 0 means one single step.

    Swept boxes take that rate's frames. `options` are those of World.
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


def cpu_seconds(run: Run) -> float:
    """What the simulated time cost."""
    return run.seconds


def best_of(
    cases: Mapping[str, Callable[[], Run]], repeats: int, what: str, cost: Callable[[Run], float] = cpu_seconds
) -> dict[str, Run]:
    """The cheapest of `repeats` runs of every case, the cases taking turns so that drift of the machine hits all alike.

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
            if name not in best or cost(run) < cost(best[name]):
                best[name] = run
    return best
