"""Commands about carom itself: `carom bench`, `doctor` and `warm-up`. What they need is imported when they run."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from carom.cli.options import AsJson, argument, option
from carom.cli.terminal import completion
from carom.cli.terminal.output import aside, say_result


def bench(
    name: Annotated[
        str,
        argument("NAME", "A benchmark (see --list), all, or report: the report of `all` again.", completion.benches),
    ] = "",
    out: Annotated[Path, option("Folder for tables (CSV), pictures and reports.")] = Path("out/bench"),
    into: Annotated[Path | None, option("Folder for the report. [default: OUT] (report)")] = None,
    quick: Annotated[
        bool, option("Run smaller measurements, to test the benchmark; their times mean little.", "--quick")
    ] = False,
    listed: Annotated[bool, option("List the benchmarks and exit.", "--list")] = False,
    as_json: AsJson = False,
) -> None:
    """Reproduce published experiments and compare with other libraries.

    Each benchmark writes tables and pictures. `carom bench all` runs all of them in turn, which takes an hour or more, and
    writes report.html and report.md: every figure of the papers beside the paper's claim, every comparison with another
    library, the machine and the versions. Pictures need carom[plot]; the other libraries are installed by carom[peers].

    Exit status: 2 for an error, or when a benchmark of `all` failed; 0 otherwise.
    """
    from carom.cli.bench import BenchRequest, measure

    raise typer.Exit(measure(BenchRequest(name, out, into, quick, listed, as_json)))


def doctor(
    no_test: Annotated[bool, option("Skip the self-test.", "--no-test")] = False, as_json: AsJson = False
) -> None:
    """Show the environment of carom, and run a self-test.

    Shows versions, cores and the kernel cache. The self-test takes ten seconds, plus the time to compile missing kernels.

    Exit status: 0 when all checks pass, 1 when something is missing or wrong.
    """
    from carom.cli.doctor import diagnose

    found = diagnose(aside(), test=not no_test)
    say_result(found, as_json)
    raise typer.Exit(found.exit_code)


def warm_up(
    everything: Annotated[
        bool, option("Also compile optional features: all broad phases, separation lists.", "--everything")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Compile kernels ahead of time, so that later runs start quickly.

    carom compiles its kernels when they are first needed and keeps them on disk. This command uses each feature once,
    which takes minutes the first time and seconds afterwards.
    """
    from carom.cli.warm import warm

    say_result(warm(aside(), everything=everything), as_json)
