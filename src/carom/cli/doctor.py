"""`carom doctor`: show the environment and the kernel cache, and run a self-test."""

from __future__ import annotations

import contextlib
import dataclasses
import os
import shutil
from collections.abc import Sequence
from importlib import metadata
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.text import Text

from carom._compile.kernel_cache import SUFFIX, check_entries, place
from carom.cli.self_test import Verdict, self_test
from carom.cli.terminal.output import facts_table
from carom.files.atomic import check_writable, refusal
from carom.validate import printable

_NEEDED = ("numpy", "numba", "llvmlite", "scipy", "trimesh", "duckdb", "pydantic", "typer", "rich")
_EXTRAS = {
    "plot": ("matplotlib",),
    "decompose": ("coacd",),
    "peers": ("python-fcl", "coal", "rapier3d", "ipctk", "warp-lang"),
}
"""Packages that `pip install 'carom[NAME]'` adds."""


@dataclasses.dataclass(frozen=True)
class Cache:
    """A folder of compiled kernels."""

    folder: Path
    bytes: int
    kernels: int
    damaged: int  # Damaged entries, which were discarded
    refused: str  # Why kernels are kept in a temporary folder; empty if they are kept permanently

    @staticmethod
    def look() -> Cache:
        """Check every entry; entries that vanish in the meantime are ignored."""
        damaged, where = check_entries(), place()
        size = kernels = 0
        for path in where.folder.glob(f"*{SUFFIX}"):
            with contextlib.suppress(OSError):
                size += path.stat().st_size
                kernels += 1
        return Cache(where.folder, size, kernels, damaged, where.refused)


@dataclasses.dataclass(frozen=True)
class Diagnosis:
    """The result of `carom doctor`; `verdicts` are empty without a self-test."""

    machine: dict[str, str]
    packages: dict[str, str | None]
    extras: dict[str, dict[str, str | None]]
    cache: Cache
    verdicts: Sequence[Verdict]

    @property
    def exit_code(self) -> int:
        """1 if a package is missing or a trial failed, else 0."""
        return int(None in self.packages.values() or not all(verdict.passed for verdict in self.verdicts))

    def as_dict(self) -> dict[str, Any]:
        """Return all of it, for JSON."""
        return {
            "healthy": self.exit_code == 0,
            "machine": self.machine,
            "packages": self.packages,
            "extras": self.extras,
            "kernel_cache": dataclasses.asdict(self.cache),
            "self_test": [dataclasses.asdict(verdict) for verdict in self.verdicts],
        }

    def show(self, console: Console) -> None:
        """Print a table and the verdict."""
        table = facts_table()
        table.add_column()
        for key, value in self.machine.items():
            table.add_row(key, value)
        table.add_row(
            "packages", ", ".join(f"{name} {version or 'MISSING'}" for name, version in self.packages.items())
        )
        for extra, versions in self.extras.items():
            table.add_row(f"extra {extra}", _extra(extra, versions))
        table.add_row("kernel cache", str(self.cache.folder))
        table.add_row("", f"{_size(self.cache.bytes)}, {self.cache.kernels:,} kernels{self._advice()}")
        if self.cache.damaged:
            table.add_row("", f"{self.cache.damaged} damaged kernels were dropped; they are compiled again when needed")
        for verdict in self.verdicts:
            mark = ("ok", "green") if verdict.passed else ("FAILED", "bold red")
            seen = f"  {printable(verdict.seen)}, {verdict.seconds:.1f} s"
            table.add_row(f"test of {verdict.name}", Text.assemble(mark, seen))
        console.print(table)
        console.print(self.words(), style="bold" if self.exit_code == 0 else "bold red")

    def _advice(self) -> str:
        if self.cache.refused:
            return f", lost at exit: {self.cache.refused}; set CAROM_CACHE_DIR to a folder of your own"
        return "" if self.cache.kernels else "; `carom warm-up` compiles them ahead of time"

    def words(self) -> str:
        """Return the verdict as one sentence."""
        missing = [name for name, version in self.packages.items() if version is None]
        failed = [verdict.name for verdict in self.verdicts if not verdict.passed]
        if missing:
            return f"carom is not complete: {', '.join(missing)} missing; install it with: pip install carom"
        if failed:
            return (
                f"carom does not work here: {', '.join(failed)} failed; please report this with `carom doctor --json`"
            )
        return "carom works" if self.verdicts else "nothing is missing; the self-test was left out"


def diagnose(console: Console, *, test: bool = True) -> Diagnosis:
    """Examine the environment and run the self-test; the current trial is shown on a terminal."""
    from carom.bench.report import describe_machine

    verdicts: list[Verdict] = []
    if test and console.is_terminal:
        with console.status("self-test") as status:
            verdicts = self_test(lambda name: status.update(f"self-test: {name}"))
    elif test:
        verdicts = self_test()
    machine = describe_machine()
    usable = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    machine["cores"] = f"{machine['cores']}, {usable} for this process"
    machine["this folder"] = _here()
    machine["free disk"] = _size(shutil.disk_usage(place().folder).free)
    return Diagnosis(
        machine=machine,
        packages={name: _version(name) for name in _NEEDED},
        extras={extra: {name: _version(name) for name in names} for extra, names in _EXTRAS.items()},
        cache=Cache.look(),
        verdicts=verdicts,
    )


def _here() -> str:
    """Return whether run files can be written to the current folder, and the free space."""
    try:
        folder = Path.cwd()
    except OSError as error:
        return f"cannot be entered: {refusal(error)}"
    try:
        check_writable(folder / "carom.duckdb")
    except OSError as error:
        return f"{folder}: run files cannot be written here: {refusal(error)}"
    return f"{folder}: run files can be written here, {_size(shutil.disk_usage(folder).free)} free"


def _version(name: str) -> str | None:
    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:
        return None


def _extra(extra: str, versions: dict[str, str | None]) -> str:
    there = ", ".join(f"{name} {version}" for name, version in versions.items() if version is not None)
    if None not in versions.values():
        return there
    missing = ", ".join(name for name, version in versions.items() if version is None)
    return f"{there + '; ' if there else ''}without {missing} (pip install 'carom[{extra}]')"


def _size(count: float) -> str:
    for unit in ("bytes", "kB", "MB"):
        if count < 1000.0:
            return f"{count:.3g} {unit}"
        count /= 1000.0
    return f"{count:.3g} GB"
