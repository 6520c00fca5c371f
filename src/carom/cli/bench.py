"""`carom bench`: list the benches, run one or all, or write the report of earlier runs."""

from __future__ import annotations

import dataclasses
import sys
from pathlib import Path

from rich.console import Console

from carom.bench import BENCHES, load_reports, run, run_all, write_report
from carom.cli.terminal.output import aside, facts_table, printer, say_json
from carom.errors import InvalidInputError


@dataclasses.dataclass(frozen=True)
class BenchRequest:
    """The options of `carom bench`."""

    name: str
    out: Path
    into: Path | None
    quick: bool
    listed: bool
    as_json: bool

    def __post_init__(self) -> None:
        if not self.name and not self.listed:
            raise InvalidInputError(f"which bench? One of {', '.join(BENCHES)}, all, or report; --list explains them")
        if self.into is not None and self.name != "report":
            raise InvalidInputError("--into is for `carom bench report`: the others write to --out")


def measure(request: BenchRequest) -> int:
    """Run the command and return the exit status: 2 if a bench of `all` failed. CaromError if it cannot be done."""
    console = aside() if request.as_json else printer()
    if request.listed:
        _list(request, console)
        return 0
    if request.name == "all":
        files, failed = run_all(request.out, request.quick, console)
        _say_files(request, console, files, failed)
        return 2 if failed else 0
    if request.name == "report":
        into = request.out if request.into is None else request.into
        _say_files(request, console, list(write_report(load_reports(request.out), into)), {})
        return 0
    report = run(request.name, request.out, request.quick, console)
    if request.as_json:
        say_json(report.as_dict())
    return 0


def _list(request: BenchRequest, console: Console) -> None:
    about = {name: _summary(bench.__module__) for name, bench in BENCHES.items()}
    if request.as_json:
        say_json(about)
        return
    table = facts_table()
    table.add_column()
    for name, summary in about.items():
        table.add_row(name, summary)
    table.add_row("all", "Every one of them, and one report.")
    table.add_row("report", "The report of all, from what single benches left in OUT.")
    console.print(table)


def _summary(module: str) -> str:
    """Return the summary of a bench from the docstring of its module."""
    said = (sys.modules[module].__doc__ or "").splitlines()[0]
    words = said.partition(": ")[2] or said
    return words[:1].upper() + words[1:]


def _say_files(request: BenchRequest, console: Console, files: list[Path], failed: dict[str, str]) -> None:
    if request.as_json:
        say_json({"files": files, "failed": failed})
        return
    for path in files:
        console.print(f"report: {path}", soft_wrap=True)
    for name, why in failed.items():
        console.print(f"{name} failed: {why}", style="bold red", soft_wrap=True)
