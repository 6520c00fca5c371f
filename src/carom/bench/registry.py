"""The benches by name, and the one function that runs any of them."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

from rich.console import Console

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
from carom.errors import InvalidInputError

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


_WIDTH_OF_A_FILE = 120
"""Columns of output that is not a terminal: a file has no edge at 80, and tables keep their figures whole."""


def run(name: str, out: Path | str, quick: bool = False, console: Console | None = None) -> Report:
    """Run one bench: tables on the console, CSV and PNG files under `out` (made if needed).

    `quick` shrinks every measurement so that all code runs in some 20 s; its figures mean little.
    """
    if name not in BENCHES:
        raise InvalidInputError(f"no bench is called {name!r}; expected one of {', '.join(sorted(BENCHES))}")
    require_matplotlib()
    folder = Path(out)
    folder.mkdir(parents=True, exist_ok=True)
    console = console or Console(width=None if sys.stdout.isatty() else _WIDTH_OF_A_FILE)
    with Bar(console) as bar:
        report = BENCHES[name](folder, quick, bar)
    report.write_csv(folder)
    report.show(console)
    return report
