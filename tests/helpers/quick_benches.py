"""Quick runs of benches, and what each has to leave behind."""

from __future__ import annotations

import csv
import io
from pathlib import Path
from typing import NamedTuple

from rich.console import Console

from carom.bench import Report, run

PNG = b"\x89PNG\r\n\x1a\n"


class QuickRun(NamedTuple):
    """The report, the folder it went to, and what was printed."""

    report: Report
    out: Path
    shown: str


def quick_run(name: str, out: Path) -> QuickRun:
    """Run a bench as `carom bench NAME --quick` does."""
    console = Console(file=io.StringIO(), width=180)
    report = run(name, out, quick=True, console=console)
    return QuickRun(report, out, console.file.getvalue())


def rows_left(bench: QuickRun, name: str) -> list[dict[str, str]]:
    """The rows of a table's CSV file, which are as many as the report has, and some."""
    with (bench.out / f"{name}.csv").open(newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == len(bench.report.table(name).rows) > 0
    return rows


def is_printed_if_shown(bench: QuickRun, name: str) -> bool:
    """Is the table printed exactly if it is one to be shown?"""
    table = bench.report.table(name)
    return (table.title in bench.shown) == table.shown
