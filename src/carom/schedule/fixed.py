"""Checks at fixed intervals: simple, and without information between two checks."""

from __future__ import annotations

from dataclasses import dataclass

from carom import validate
from carom.schedule.system import Sighting, System


@dataclass(frozen=True)
class FixedStep:
    """Check all pairs every `step` seconds. Contacts that begin and end between two checks are missed (tunnelling)."""

    step: float

    def __post_init__(self) -> None:
        object.__setattr__(self, "step", validate.positive("step", self.step))

    def run(self, system: System, until: float) -> list[Sighting]:
        """Return the first sighting of each pair from the system's start to `until`, s, in time order; late by up to a step."""
        end = validate.moment("until", until)
        found: dict[tuple[int, int], Sighting] = {}
        k = 0
        while (t := system.start + k * self.step) <= end:
            for i, j in system.boxes_meet(t, t):
                if (i, j) not in found and system.touching(i, j, t):
                    found[i, j] = Sighting(t, system.ids[i], system.ids[j], 0.0)
            k += 1
        return sorted(found.values(), key=lambda s: (s.time, s.a, s.b))
