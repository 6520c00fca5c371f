"""What a bench found: tables, claims with their targets, and the machine it ran on."""

from __future__ import annotations

import csv
import math
import os
import platform
from dataclasses import asdict, dataclass, field
from importlib import metadata
from pathlib import Path
from typing import Any, Literal

from rich.console import Console
from rich.table import Table as RichTable

Cell = str | int | float


@dataclass(frozen=True)
class Table:
    """Rows of one measurement; `name` becomes the CSV file's name."""

    name: str
    title: str
    columns: tuple[str, ...]
    rows: list[tuple[Cell, ...]]
    shown: bool = True
    """Whether the console gets it too; the file is always written."""

    def write_csv(self, folder: Path) -> Path:
        """Write folder/<name>.csv with full precision; returns its path."""
        path = folder / f"{self.name}.csv"
        with path.open("w", newline="", encoding="utf-8") as file:
            writer = csv.writer(file)
            writer.writerow(self.columns)
            writer.writerows(self.rows)
        return path

    def column(self, name: str) -> list[Cell]:
        """All cells of the column called `name`."""
        k = self.columns.index(name)
        return [row[k] for row in self.rows]


@dataclass(frozen=True)
class Claim:
    """One figure against its target."""

    what: str
    measured: float
    sense: Literal["at least", "below"]
    target: float
    unit: str = ""

    @property
    def met(self) -> bool:
        """Whether the measured figure is on the right side of the target."""
        return self.measured >= self.target if self.sense == "at least" else self.measured < self.target


@dataclass
class Report:
    """A whole bench. `notes` say what was compared and how."""

    name: str
    notes: list[str] = field(default_factory=list)
    tables: list[Table] = field(default_factory=list)
    claims: list[Claim] = field(default_factory=list)
    pictures: list[Path] = field(default_factory=list)
    machine: dict[str, str] = field(default_factory=lambda: describe_machine())

    def table(self, name: str) -> Table:
        """The table called `name`."""
        return next(table for table in self.tables if table.name == name)

    def write_csv(self, folder: Path) -> list[Path]:
        """One CSV file for each table, and one for the claims."""
        rows: list[tuple[Cell, ...]] = [
            (c.what, c.measured, c.unit, c.sense, c.target, str(c.met)) for c in self.claims
        ]
        claims = Table(f"{self.name}_claims", "", ("claim", "measured", "unit", "sense", "target", "met"), rows)
        return [table.write_csv(folder) for table in (*self.tables, claims)]

    def as_dict(self) -> dict[str, Any]:
        """Plain values for JSON; numbers that JSON does not know (inf, nan) become None."""
        return {
            "name": self.name,
            "machine": self.machine,
            "notes": self.notes,
            "tables": {t.name: [_plain(dict(zip(t.columns, row, strict=True))) for row in t.rows] for t in self.tables},
            "claims": [_plain({**asdict(claim), "met": claim.met}) for claim in self.claims],
            "pictures": [str(path) for path in self.pictures],
        }

    def show(self, console: Console) -> None:
        """Machine, notes, tables, claims and pictures, in that order."""
        console.print(" · ".join(f"{key} {value}" for key, value in self.machine.items()), style="dim")
        for note in self.notes:
            console.print(f"- {note}", markup=False)
        for table in (table for table in self.tables if table.shown):
            _show_rows(console, table.title, table.columns, table.rows)
        if self.claims:
            rows: list[tuple[Cell, ...]] = [
                (
                    c.what,
                    f"{_shown(c.measured)} {c.unit}",
                    f"{c.sense} {_shown(c.target)} {c.unit}",
                    "yes" if c.met else "NO",
                )
                for c in self.claims
            ]
            _show_rows(console, "Targets", ("what", "measured", "target", "met"), rows)
        for path in self.pictures:
            console.print(f"picture: {path}", markup=False)


def describe_machine() -> dict[str, str]:
    """Cores, processor and the versions that decide speed."""
    facts = {"carom": metadata.version("carom"), "Python": platform.python_version()}
    facts |= {name: metadata.version(name) for name in ("numba", "numpy")}
    facts["system"] = f"{platform.system()} {platform.machine()}"
    facts["processor"] = _processor()
    facts["cores"] = str(os.cpu_count())
    return facts


def _processor() -> str:
    """The processor's trade name where the system tells it."""
    try:
        for line in Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    except OSError:
        pass
    return platform.processor() or "unknown"


def _plain(row: dict[str, Any]) -> dict[str, Any]:
    return {key: None if isinstance(value, float) and not math.isfinite(value) else value for key, value in row.items()}


def _shown(cell: Cell) -> str:
    """A number with three to four significant digits; text as it is."""
    if isinstance(cell, str):
        return cell
    if isinstance(cell, int):
        return f"{cell:,}"
    return f"{cell:,.0f}" if abs(cell) >= 1000.0 else f"{cell:.3g}"


def _show_rows(console: Console, title: str, columns: tuple[str, ...], rows: list[tuple[Cell, ...]]) -> None:
    console.print(f"\n{title}", style="bold", markup=False)
    shown = RichTable()
    for k, column in enumerate(columns):
        text = bool(rows) and isinstance(rows[0][k], str)
        shown.add_column(column, justify="left" if text else "right")
    for row in rows:
        shown.add_row(*(_shown(cell) for cell in row))
    console.print(shown)
