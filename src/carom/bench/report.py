"""The results of a bench: tables, claims with their targets, and the machine."""

from __future__ import annotations

import csv
import json
import math
import os
import platform
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field, replace
from importlib import metadata
from pathlib import Path
from typing import Any, Literal

from rich import box
from rich.console import Console
from rich.table import Table as RichTable

from carom.errors import InvalidInputError

Cell = str | int | float


@dataclass(frozen=True)
class Table:
    """The rows of one measurement; `name` is the name of its CSV file."""

    name: str
    title: str
    columns: tuple[str, ...]
    rows: list[tuple[Cell, ...]]
    shown: bool = True  # Whether it is also printed; the file is always written

    def write_csv(self, folder: Path) -> Path:
        """Write folder/<name>.csv with full precision and return its path."""
        path = folder / f"{self.name}.csv"
        with path.open("w", newline="", encoding="utf-8") as file:
            writer = csv.writer(file)
            writer.writerow(self.columns)
            writer.writerows(self.rows)
        return path

    def column(self, name: str) -> list[Cell]:
        """Return all cells of a column."""
        k = self.columns.index(name)
        return [row[k] for row in self.rows]

    def numbers(self, name: str) -> list[float]:
        """Return all cells of a column as floats."""
        return [float(cell) for cell in self.column(name)]

    def distinct(self, name: str) -> list[Cell]:
        """Return the different cells of a column, in order."""
        return list(dict.fromkeys(self.column(name)))

    def where(self, column: str, cell: Cell) -> Table:
        """Return a table of the rows that have this cell in a column."""
        k = self.columns.index(column)
        return replace(self, rows=[row for row in self.rows if row[k] == cell])

    def records(self) -> list[dict[str, Cell]]:
        """Return the rows as dicts by column."""
        return [dict(zip(self.columns, row, strict=True)) for row in self.rows]


@dataclass(frozen=True)
class Claim:
    """One measured number and its target."""

    what: str
    measured: float
    sense: Literal["at least", "below"]
    target: float
    unit: str = ""

    @property
    def met(self) -> bool:
        """Whether the target is met."""
        return self.measured >= self.target if self.sense == "at least" else self.measured < self.target

    def words(self) -> tuple[str, str, str, str]:
        """Return the row of a table with CLAIM_COLUMNS."""
        measured, target = (f"{shown(value)} {self.unit}".rstrip() for value in (self.measured, self.target))
        return self.what, measured, f"{self.sense} {target}", "yes" if self.met else "NO"


def at_least(what: str, measured: Cell, target: float, unit: str = "x") -> Claim:
    """A claim that is met if the measured number is at least the target."""
    return Claim(what, float(measured), "at least", target, unit)


def below(what: str, measured: Cell, target: float, unit: str = "") -> Claim:
    """A claim that is met if the measured number is below the target."""
    return Claim(what, float(measured), "below", target, unit)


CLAIM_COLUMNS = ("what", "measured", "target", "met")
"""Headings of a table of claims."""


@dataclass
class Report:
    """The results of one bench. `notes` describe what was compared and how."""

    name: str
    notes: list[str] = field(default_factory=list)
    tables: list[Table] = field(default_factory=list)
    claims: list[Claim] = field(default_factory=list)
    pictures: list[Path] = field(default_factory=list)
    machine: dict[str, str] = field(default_factory=lambda: describe_machine())
    quick: bool = False  # Whether it was made with --quick; its times then mean little
    made: str = ""  # Date of the measurement, year-month-day
    seconds: float = 0.0  # Duration of the bench, compilation included

    def table(self, name: str) -> Table:
        """Return the table of that name."""
        return next(table for table in self.tables if table.name == name)

    def write_csv(self, folder: Path) -> list[Path]:
        """Write one CSV file per table and one for the claims."""
        rows: list[tuple[Cell, ...]] = [
            (c.what, c.measured, c.unit, c.sense, c.target, str(c.met)) for c in self.claims
        ]
        claims = Table(f"{self.name}_claims", "", ("claim", "measured", "unit", "sense", "target", "met"), rows)
        return [table.write_csv(folder) for table in (*self.tables, claims)]

    def save(self, folder: Path) -> Path:
        """Write folder/<name>.json, which `load` reads; pictures are stored by name."""
        path = folder / f"{self.name}.json"
        plain = asdict(self) | {"pictures": [picture.name for picture in self.pictures]}
        path.write_text(json.dumps(plain, indent=1, ensure_ascii=False, default=_number) + "\n", encoding="utf-8")
        return path

    @staticmethod
    def load(path: Path) -> Report:
        """Read a report that `save` wrote; InvalidInputError if the file contains something else."""
        try:
            plain = json.loads(path.read_text(encoding="utf-8"))
            plain["tables"] = [
                Table(**{**table, "columns": tuple(table["columns"]), "rows": [tuple(row) for row in table["rows"]]})
                for table in plain["tables"]
            ]
            plain["claims"] = [Claim(**claim) for claim in plain["claims"]]
            plain["pictures"] = [path.parent / name for name in plain["pictures"]]
            return Report(**plain)
        except (OSError, ValueError, TypeError, KeyError) as error:
            raise InvalidInputError(f"{path}: not the report of a bench: {error!r}") from None

    def as_dict(self) -> dict[str, Any]:
        """Return plain values for JSON; inf and nan, which JSON lacks, become None."""
        return {
            "name": self.name,
            "machine": self.machine,
            "quick": self.quick,
            "made": self.made,
            "seconds": self.seconds,
            "notes": self.notes,
            "tables": {t.name: [_plain(record) for record in t.records()] for t in self.tables},
            "claims": [_plain({**asdict(claim), "met": claim.met}) for claim in self.claims],
            "pictures": [str(path) for path in self.pictures],
        }

    def show(self, console: Console) -> None:
        """Print machine, notes, tables, claims and names of pictures."""
        console.print(" · ".join(f"{key} {value}" for key, value in self.machine.items()), style="dim")
        for note in self.notes:
            console.print(f"- {note}", markup=False)
        for table in (table for table in self.tables if table.shown):
            _show_rows(console, table.title, table.columns, table.rows)
        if self.claims:
            _show_rows(console, "Targets", CLAIM_COLUMNS, [claim.words() for claim in self.claims])
        for path in self.pictures:
            console.print(f"picture: {path}", markup=False, highlight=False, soft_wrap=True)


def describe_machine() -> dict[str, str]:
    """Return cores, processor and the versions on which speed depends."""
    facts = {"carom": metadata.version("carom"), "Python": platform.python_version()}
    facts |= {name: metadata.version(name) for name in ("numba", "numpy")}
    facts["system"] = f"{platform.system()} {platform.machine()}"
    facts["processor"] = _processor()
    facts["cores"] = str(os.cpu_count())
    return facts


def _processor() -> str:
    """Return the processor's trade name if the system reports it."""
    try:
        for line in Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    except OSError:
        pass
    return platform.processor() or "unknown"


def _number(value: Any) -> Any:
    """Convert a NumPy number into a Python number."""
    return value.item()


def _plain(row: dict[str, Any]) -> dict[str, Any]:
    return {key: None if isinstance(value, float) and not math.isfinite(value) else value for key, value in row.items()}


def shown(cell: Cell) -> str:
    """Format a cell: a number with three or four significant digits, nan as an empty string, text unchanged."""
    if isinstance(cell, str):
        return cell
    if isinstance(cell, int):
        return f"{cell:,}"
    if math.isnan(cell):
        return ""
    return f"{cell:,.0f}" if abs(cell) >= 1000.0 else f"{cell:.3g}"


def _show_rows(console: Console, title: str, columns: tuple[str, ...], rows: Sequence[tuple[Cell, ...]]) -> None:
    console.print(f"\n{title}", style="bold", markup=False)
    # No lines between columns, so that most tables fit into 100 characters.
    table = RichTable(box=box.SIMPLE_HEAD, padding=(0, 1, 0, 0), pad_edge=False)
    for k, column in enumerate(columns):
        text = bool(rows) and isinstance(rows[0][k], str)
        table.add_column(column, justify="left" if text else "right")
    for row in rows:
        table.add_row(*(shown(cell) for cell in row))
    console.print(table)
