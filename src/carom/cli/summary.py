"""The summary of a run, as a table and as JSON."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from rich.console import Console

from carom.cli.terminal.output import facts_table, say_files
from carom.physics import GasReport
from carom.types import Stats
from carom.validate import counted

Array = NDArray[np.float64]


def total_energy(
    mass: Array, position: Array, velocity: Array, acceleration: Array, inertia: Array, spin: Array
) -> float:
    """Return the kinetic energy plus the potential energy in each body's constant acceleration, J, of bodies of finite mass."""
    turns = np.isfinite(inertia)
    rotation = 0.5 * inertia[turns] * np.einsum("ij,ij->i", spin[turns], spin[turns])
    free = np.isfinite(mass)
    kinetic = 0.5 * mass[free] * np.einsum("ij,ij->i", velocity[free], velocity[free])
    potential = -mass[free] * np.einsum("ij,ij->i", acceleration[free], position[free])
    return math.fsum(kinetic) + math.fsum(potential) + math.fsum(rotation)


@dataclasses.dataclass(frozen=True)
class Summary:
    """One run from `began` to `ended`, in simulated seconds."""

    scene: str
    parameters: Mapping[str, Any]
    options: Mapping[str, Any]
    bodies: int
    half_spaces: int  # Of the bodies: floors and walls
    began: float
    ended: float
    contacts: int
    all_contacts: int  # Including those before the run was resumed
    stats: Stats
    wall_seconds: float
    cpu_seconds: float
    energy_start: float
    energy_end: float
    conserves: bool  # Whether the response conserves energy; its drift is then a measure of accuracy
    file: Path | None
    picture: Path | None
    html: Path | None = None
    gas: GasReport | None = None
    broad: str = ""  # The broad phase that ran

    @property
    def energy_drift(self) -> float:
        """Relative change of energy over the whole run."""
        return (self.energy_end - self.energy_start) / (abs(self.energy_start) or 1.0)

    def as_dict(self) -> dict[str, Any]:
        """Return all of it, for JSON."""
        plain = (
            "scene",
            "bodies",
            "began",
            "ended",
            "contacts",
            "all_contacts",
            "wall_seconds",
            "cpu_seconds",
            "broad",
        )
        return {
            **{name: getattr(self, name) for name in plain},
            "parameters": dict(self.parameters),
            "world": dict(self.options),
            "stats": dataclasses.asdict(self.stats),
            "energy": {
                "start": self.energy_start,
                "end": self.energy_end,
                "relative_drift": self.energy_drift,
                "conserved_by_response": self.conserves,
            },
            "gas": None if self.gas is None else dataclasses.asdict(self.gas),
            "file": self.file,
            "picture": self.picture,
            "html": self.html,
        }

    def show(self, console: Console) -> None:
        """Print the summary table, or that there was nothing to do."""
        files = {"run file": self.file, "picture": self.picture, "replay": self.html}
        if self.began == self.ended:
            console.print(
                f"{self.scene} is already at {self.ended:g} s: nothing was done", style="bold", highlight=False
            )
            say_files(console, files)
            return
        title = f"{self.scene}, {self.began:g} to {self.ended:g} s"
        console.print(title, style="bold", highlight=False)
        table = facts_table()
        table.add_column(justify="right", no_wrap=True)
        table.add_column(style="dim")
        for row in self._rows():
            table.add_row(*row)
        console.print(table)
        say_files(console, files)

    def _rows(self) -> list[tuple[str, str, str]]:
        stats = self.stats
        walls = f"{counted(self.half_spaces, 'half-space')} included; " if self.half_spaces else ""
        rows = [("bodies", f"{self.bodies:,}", walls + self.broad), ("contacts", f"{self.contacts:,}", "")]
        if self.all_contacts != self.contacts:
            rows.append(("contacts in the file", f"{self.all_contacts:,}", "with those before it was resumed"))
        rows += [
            ("swaps", f"{stats.swaps:,}", "exchanges in a sorted list, or crossings of cell walls"),
            ("motion changes", f"{stats.motion_changes:,}", ""),
            ("pair tests", f"{stats.pair_tests:,}", "bounding volumes"),
            ("narrow tests", f"{stats.narrow_tests:,}", "exact, one pair of bodies each"),
        ]
        split = (stats.seconds_update, stats.seconds_sort, stats.seconds_narrow)
        rest = max(self.cpu_seconds - sum(split), 0.0)
        # Components are measured in wall-clock time, which includes that of other processes.
        whole = max(self.cpu_seconds, sum(split))
        for label, seconds in zip(("update", "sort", "narrow"), split, strict=True):
            rows.append((f"CPU {label}", f"{seconds:.4g} s", f"{_share(seconds, whole)}"))
        rows.append(("CPU rest", f"{rest:.4g} s", f"{_share(rest, whole)}, with queue, response and run file"))
        rows.append(("CPU in all", f"{self.cpu_seconds:.4g} s", f"{self.wall_seconds:.4g} s on the clock"))
        note = "relative; the response keeps it" if self.conserves else "relative; the response need not keep it"
        rows.append(("energy drift", f"{self.energy_drift:.1e}", note))
        return rows + ([] if self.gas is None else self._gas_rows(self.gas))

    def _gas_rows(self, gas: GasReport) -> list[tuple[str, str, str]]:
        free = bool(self.parameters.get("periodic"))
        walls = "" if free else ", on the walls"
        equation = f"Carnahan-Starling: {gas.carnahan_starling:.4g}{'' if free else ', without walls'}"
        equal = self.parameters.get("restitution", 1.0) == 1.0
        return [
            ("collision rate", f"{gas.collision_rate:,.4g} /s", "of two spheres"),
            ("mean free time", f"{gas.mean_free_time:.4g} s", "between collisions of one sphere"),
            ("temperature", f"{gas.temperature:.4g}", "kT, at the end"),
            ("pressure", f"{gas.pressure:.4g}", f"virial theorem{walls}"),
            ("pV / NkT", f"{gas.compressibility:.4g}", equation if equal else "granular: it cools"),
            ("mean-square displacement", f"{gas.mean_square_displacement:.4g}", f"over {gas.seconds:.4g} s"),
        ]


def _share(part: float, whole: float) -> str:
    return f"{100.0 * part / whole:.0f} %" if whole > 0.0 else ""
