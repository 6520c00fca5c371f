"""The benches by name, and the function that runs any of them."""

from __future__ import annotations

import datetime
import sys
import time
from collections.abc import Callable
from pathlib import Path

from rich.console import Console

from carom import validate
from carom.bench.broad.suite import bench_broad
from carom.bench.hubbard.suite import bench_hubbard
from carom.bench.ksl.suite import bench_ksl
from carom.bench.ksp.suite import bench_ksp
from carom.bench.peers.suite import bench_peers_rings
from carom.bench.plotting import require_matplotlib
from carom.bench.progress import Bar
from carom.bench.queries.suite import bench_queries
from carom.bench.report import Report
from carom.bench.vadop.suite import bench_vadop
from carom.bench.whole_report import load_reports, write_report
from carom.errors import CaromError, InvalidInputError

BENCHES: dict[str, Callable[[Path, bool, Bar], Report]] = {
    "broad": bench_broad,
    "hubbard": bench_hubbard,
    "ksl": bench_ksl,
    "ksp": bench_ksp,
    "peers-rings": bench_peers_rings,
    "queries": bench_queries,
    "vadop": bench_vadop,
}
"""Name -> function (folder for CSV and PNG files, quick, progress bar) -> Report."""


_WIDTH_OF_A_FILE = 100  # Columns of output that is not a terminal: rich's default, 80, would wrap numbers


def run(name: str, out: Path | str, quick: bool = False, console: Console | None = None) -> Report:
    """Run one bench: print tables, and write CSV, PNG and JSON files under `out`, which is made if needed.

    `quick` shrinks every measurement so that all code runs in some 20 s; its times mean little.
    """
    if name not in BENCHES:
        raise InvalidInputError(validate.unknown_name("bench", name, sorted(BENCHES), "all"))
    require_matplotlib()
    folder = Path(out)
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InvalidInputError(f"{folder}: the folder cannot be made: {error.strerror}") from None
    console = console or Console(width=None if sys.stdout.isatty() else _WIDTH_OF_A_FILE)
    begin = time.perf_counter()
    with Bar(console) as bar:
        report = BENCHES[name](folder, quick, bar)
    report.quick, report.seconds = quick, time.perf_counter() - begin
    report.made = datetime.datetime.now(datetime.UTC).date().isoformat()
    report.write_csv(folder)
    report.save(folder)
    report.show(console)
    return report


def run_all(out: Path | str, quick: bool = False, console: Console | None = None) -> tuple[list[Path], dict[str, str]]:
    """Run every bench and write one report of all; returns its files, and the errors of failed benches by name.

    A bench that fails (AuditError, or a missing library) does not stop the others.
    """
    failed: dict[str, str] = {}
    say = console or Console(width=None if sys.stdout.isatty() else _WIDTH_OF_A_FILE)
    for k, name in enumerate(BENCHES):
        say.rule(f"{name}, {k + 1} of {len(BENCHES)}", characters="-")
        try:
            run(name, out, quick, say)
        except CaromError as error:
            failed[name] = str(error)
            say.print(f"{name} failed: {error}", markup=False)
    return list(write_report(load_reports(Path(out)), Path(out))), failed
