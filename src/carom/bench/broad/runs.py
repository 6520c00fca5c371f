"""A timed interval of a scene with one method, whose contacts are compared with those of the others."""

from __future__ import annotations

import time
from dataclasses import dataclass, fields

from carom.bench.broad.methods import Method
from carom.bench.turns import no_garbage
from carom.engine.broad_phases import title_of
from carom.errors import AuditError
from carom.scenes.scene import Scene
from carom.types import ContactLog, Stats
from carom.world.world import World

STEP = 0.002
"""Simulated seconds: the shortest interval of a method without frames."""
_FRAMES = 3
_GROWTH = 4.0
_TOO_LONG = 0.5  # CPU seconds of a first interval after which a pilot run ends


@dataclass(frozen=True)
class Stretch:
    """Simulated seconds `lead` to `end` that took `seconds` of CPU time of all threads; the log begins at time 0."""

    lead: float
    end: float
    seconds: float
    start_seconds: float  # For building the world and the lead
    log: ContactLog
    stats: Stats
    runs: str  # The broad phase that ran at the end

    @property
    def cost(self) -> float:
        """CPU seconds per simulated second."""
        return self.seconds / (self.end - self.lead)


def shortest(method: Method) -> float:
    """Return the shortest meaningful interval: three frames, or 2 ms without frames."""
    return _FRAMES / method.rate if method.rate else STEP


def run_for(scene: Scene, method: Method, duration: float) -> Stretch:
    """Advance a new world by `duration` in one call, rounded to whole frames.

    The clock starts in the middle of a frame, so that it includes the beginning of each frame exactly once.
    """
    return _run(scene, method, [_whole_frames(method, duration)])


def pilot(scene: Scene, method: Method, longest: float, enough: float) -> Stretch:
    """Estimate the cost of a method: intervals grow until one takes `enough` CPU seconds; returns the last.

    The first one does not count unless it is very long, because tables may still grow in it.
    """
    lengths, length = [], shortest(method)
    while length < longest:
        lengths.append(_whole_frames(method, length))
        length *= _GROWTH
    return _run(scene, method, lengths or [shortest(method)], enough)


def _whole_frames(method: Method, duration: float) -> float:
    return max(1, round(duration * method.rate)) / method.rate if method.rate else duration


def _run(scene: Scene, method: Method, lengths: list[float], enough: float = float("inf")) -> Stretch:
    lead = 0.5 / method.rate if method.rate else 0.1 * STEP
    with no_garbage():
        begin = time.process_time()
        world = scene.build(broad=method.broad, **method.options)
        logs = [world.advance(lead)]
        start_seconds = time.process_time() - begin
        for k, length in enumerate(lengths):
            first = world.time
            begin = time.process_time()
            logs.append(world.advance(first + length))
            seconds = time.process_time() - begin
            if seconds >= enough and (k > 0 or seconds > _TOO_LONG):
                break
    return Stretch(first, world.time, seconds, start_seconds, joined(logs), world.stats, running(world))


def joined(logs: list[ContactLog]) -> ContactLog:
    """Join logs, without the empty ones."""
    return ContactLog.concatenate([log for log in logs if len(log)])


def running(world: World) -> str:
    """Return the running broad phase in words."""
    return title_of(world.broad_phase).removeprefix("the ").lower()


class Reference:
    """The longest log of a scene so far; every other log must be its beginning, bit for bit."""

    def __init__(self, what: str) -> None:
        self._what = what
        self._log, self._end, self._name = ContactLog.empty(), 0.0, ""

    def check(self, name: str, log: ContactLog, end: float) -> None:
        """Raise AuditError if the log up to `end` differs from that of the others."""
        upto = min(end, self._end)
        if self._name and not up_to(log, upto).identical(up_to(self._log, upto)):
            raise AuditError(f"{self._what}: {name} reports other contacts than {self._name} before t = {upto:g}")
        if end > self._end:
            self._log, self._end, self._name = log, end, name


def up_to(log: ContactLog, end: float) -> ContactLog:
    """Return the contacts up to `end`."""
    n = int(log.times.searchsorted(end, side="right"))
    return ContactLog(*(getattr(log, field.name)[:n] for field in fields(log)))
