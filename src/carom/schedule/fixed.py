"""Checks at fixed intervals: simple, and without information between two checks."""

from __future__ import annotations

from dataclasses import dataclass

from carom import validate
from carom.schedule.system import Sighting, System, stepped


@dataclass(frozen=True)
class FixedStep:
    """Check all pairs every `step` seconds. Contacts that begin and end between two checks are missed (tunnelling)."""

    step: float

    def __post_init__(self) -> None:
        object.__setattr__(self, "step", validate.positive("step", self.step))

    def run(self, system: System, until: float) -> list[Sighting]:
        """Return the first sighting of each pair from the system's start to `until`, s, in time order; late by up to a step."""

        def sighting(i: int, j: int, before: float, t: float) -> Sighting:
            return Sighting(t, system.ids[i], system.ids[j], 0.0)

        return stepped(system, self.step, until, sighting)
