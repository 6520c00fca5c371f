"""Advances a world to a time, records its contacts and saves its state at checkpoints."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator

from carom import validate
from carom.errors import InvalidInputError
from carom.runfile.run_file import RunFile
from carom.types import ContactLog
from carom.world.world import World

_PACE_SECONDS = 0.1  # Target duration of one call of `advance`, wall-clock s: short enough for a smooth progress bar


_FIRST_STEP = 1e-6  # First step if an event is due at once, simulated s
_MOST_CHECKPOINTS, _MOST_POLLS = 1_000_000, 1_000_000_000
"""Limits: a run with more would not end, or would fill any disk."""


class Recorder:
    """Advances a world in small steps, with or without a run file. The division into steps changes no contact."""

    def __init__(
        self,
        world: World,
        file: RunFile | None = None,
        *,
        on_step: Callable[[float, int], None] | None = None,
        on_log: Callable[[ContactLog], None] | None = None,
    ) -> None:
        """After every step `on_log` gets its contacts, and `on_step` the time and the number of contacts so far."""
        self.world = world
        self.contacts = 0
        self._file = file
        self._on_step = on_step
        self._on_log = on_log
        self._step = math.inf

    def run(self, until: float, interval: float, hz: float | None = None) -> None:
        """Advance to `until` with a checkpoint at every multiple of `interval` and at the end.

        Parameters
        ----------
        until, interval : float
            Simulated time, s.
        hz : float, optional
            Poll the world at every multiple of 1 / hz. Default: as the speed of the run allows.

        Raises
        ------
        InvalidInputError
            As for `check_pace`, before anything changes.
        """
        self.check_pace(until, interval, hz)
        for target in _multiples(self.world.time, until, interval):
            for stop in self._stops(target, hz):
                begin = time.perf_counter()
                log = self.world.advance(stop)
                self._adapt(time.perf_counter() - begin)
                self.contacts += len(log)
                if self._file is not None:
                    self._file.append(log)
                if self._on_log is not None:
                    self._on_log(log)
                if self._on_step is not None:
                    self._on_step(stop, self.contacts)
            if self._file is not None:
                self._file.checkpoint(target, self.world.snapshot())

    @staticmethod
    def check_pace(until: float, interval: float, hz: float | None = None) -> None:
        """Raise InvalidInputError unless checkpoints and polls are above 0 and their number up to `until` is in range."""
        end = validate.moment("until", until)
        for name, value, most, step in (
            ("checkpoint interval", interval, _MOST_CHECKPOINTS, interval),
            ("hz", hz, _MOST_POLLS, None if hz is None else 1.0 / validate.positive("hz", hz)),
        ):
            if step is None:
                continue
            count = end / validate.positive(name, step)
            if not count <= most:
                raise InvalidInputError(
                    f"{name} is {value:g}, which makes {count:.3g} steps to {end:g} s; expected at most {most:,}"
                )

    def _stops(self, target: float, hz: float | None) -> Iterator[float]:
        """Yield the times to advance to, ending with `target`."""
        if hz is not None:
            yield from _multiples(self.world.time, target, 1.0 / hz)
            return
        if math.isinf(self._step):
            # Small at first, because a step cannot be interrupted: the first one may compile, and the time to the first event
            # is a measure of the density of events.
            ahead = self.world.next_event_time() - self.world.time
            self._step = min((target - self.world.time) / 256.0, ahead if ahead > 0.0 else _FIRST_STEP)
        while self.world.time < target:
            ahead = self.world.time + self._step
            yield target if ahead + 0.5 * self._step >= target or ahead == self.world.time else ahead

    def _adapt(self, seconds: float) -> None:
        """Change the step by a factor of at most two towards the target duration."""
        self._step *= min(2.0, max(0.5, _PACE_SECONDS / max(seconds, 1e-9)))


def _multiples(now: float, until: float, interval: float) -> Iterator[float]:
    """Yield k * interval for every k with now < k * interval < until, then `until`; products, so that errors do not add up."""
    k = math.floor(now / interval) + 1
    while k * interval <= now:
        k += 1
    while k * interval < until:
        yield k * interval
        k += 1
    if now < until:
        yield until
