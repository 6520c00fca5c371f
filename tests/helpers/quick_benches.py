"""Quick runs of benches, and what each has to leave behind."""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

import pytest
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


def quick_bench(name: str) -> Any:
    """A fixture: the quick run, once per module."""

    @pytest.fixture(scope="module")
    def bench(tmp_path_factory: pytest.TempPathFactory) -> QuickRun:
        return quick_run(name, tmp_path_factory.mktemp("bench") / "made" / "here")

    return bench


def check_left(bench: QuickRun, tables: Mapping[str, set[str]], pictures: set[str]) -> None:
    """Every table with at least these columns, printed if it is one to be shown, and these pictures."""
    for name, columns in tables.items():
        assert columns <= set(rows_left(bench, name)[0]), name
        table = bench.report.table(name)
        assert (table.title in bench.shown) == table.shown or name == "vadop_pruning", name
    assert {path.name for path in bench.report.pictures} == pictures
    assert all((bench.out / name).read_bytes().startswith(PNG) for name in pictures)


def rows_left(bench: QuickRun, name: str) -> list[dict[str, str]]:
    """The rows of a table's CSV file, which are as many as the report has, and some."""
    with (bench.out / f"{name}.csv").open(newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == len(bench.report.table(name).rows) > 0
    return rows
