"""The broad phases that are compared, each with the options that it is run with."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from carom.engine.broad_phase_choice import BROAD_PHASES

AUTO, GRID, SWEEP, PAIRS, SWEPT = "auto", "kinetic-grid", "kinetic", "all-pairs", "swept"
RATES = (30, 1000)
"""Hz: frames of the broad phases that work frame by frame."""

_EVENT_DRIVEN = (AUTO, GRID, SWEEP, PAIRS, "kinetic-vadop")  # Have no frames; every other broad phase has
_SORTING = (SWEEP, SWEPT)  # Sort ends along axes, of which one may do
_MOST_FOR_PAIRS = 1000
_ONE_AXIS: Mapping[str, Any] = {"axes": ((1.0, 0.0, 0.0),)}


@dataclass(frozen=True)
class Method:
    """A broad phase as it is measured."""

    name: str
    broad: str
    rate: int = 0  # Hz; 0 where there are no frames
    options: Mapping[str, Any] = field(default_factory=dict)  # Those of World
    most: int = 10**9  # Bodies beyond which it is not tried: all pairs take too much memory
    patience: float = 2.5
    """CPU seconds that a first look may take by prediction; beyond, the method is left out, at all larger sizes too."""


def methods(names: tuple[str, ...] = BROAD_PHASES) -> list[Method]:
    """Every broad phase; those that sort also along x alone, those with frames at each rate."""
    found: list[Method] = []
    for broad in names:
        for rate in (0,) if broad in _EVENT_DRIVEN else RATES:
            name = f"{broad}, {rate} Hz" if rate else broad
            options = {"frame": 1.0 / rate} if rate else {}
            most = _MOST_FOR_PAIRS if broad == PAIRS else 10**9
            found.append(Method(name, broad, rate, options, most, 6.0 if broad == SWEEP else 2.5))
            if broad in _SORTING:
                found.append(Method(f"{name}, x only", broad, rate, {**options, **_ONE_AXIS}, patience=1.0))
    return found
