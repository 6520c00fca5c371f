"""The broad phases that are compared, with their options."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from carom.engine.broad_phases import AUTO, BROAD_PHASES, REGISTERED

GRID, SWEEP, PAIRS, SWEPT = "kinetic-grid", "kinetic", "all-pairs", "swept"
RATES = (30, 1000)
"""Hz: frames of the broad phases that work frame by frame."""

_SORTING = (SWEEP, SWEPT)  # Sort along axes; one axis is sufficient
_MOST_FOR_PAIRS = 1000
_ONE_AXIS: Mapping[str, Any] = {"axes": ((1.0, 0.0, 0.0),)}


@dataclass(frozen=True)
class Method:
    """A broad phase with its options."""

    name: str
    broad: str
    rate: int = 0  # Hz; 0 without frames
    options: Mapping[str, Any] = field(default_factory=dict)  # Options of World
    most: int = 10**9  # Largest number of bodies: all pairs take too much memory
    patience: float = 2.5
    """Largest predicted CPU seconds of a first run; beyond, the method is skipped at this and all larger sizes."""


def methods(names: tuple[str, ...] = BROAD_PHASES) -> list[Method]:
    """Return every broad phase; those that sort also along x only, those with frames at each rate."""
    found: list[Method] = []
    for broad in names:
        for rate in RATES if broad != AUTO and REGISTERED[broad].frames else (0,):
            name = f"{broad}, {rate} Hz" if rate else broad
            options = {"frame": 1.0 / rate} if rate else {}
            most = _MOST_FOR_PAIRS if broad == PAIRS else 10**9
            found.append(Method(name, broad, rate, options, most, 6.0 if broad == SWEEP else 2.5))
            if broad in _SORTING:
                found.append(Method(f"{name}, x only", broad, rate, {**options, **_ONE_AXIS}, patience=1.0))
    return found
