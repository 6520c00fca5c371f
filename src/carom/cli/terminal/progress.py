"""Progress bars of the commands: `run`, `check` and `warm-up`.

A bar appears on terminals only, and from the first step on, after compile notices. The benches, a layer below, have
`carom.bench.progress`.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import TracebackType
from typing import Self

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn


class RunBar:
    """The progress of a run: simulated time, contacts, and the rates of both."""

    def __init__(self, console: Console, name: str, *, begin: float, until: float, contacts: int) -> None:
        """begin, until: simulated seconds. contacts: those that were found before `begin`."""
        self._live = console.is_terminal
        self._progress = Progress(
            TextColumn("{task.description}", markup=False),
            BarColumn(),
            TextColumn("{task.completed:.4g} / {task.total:.4g} s"),
            TextColumn("{task.fields[contacts]:,} contacts"),
            TextColumn("{task.fields[rate]}"),
            TimeElapsedColumn(),
            console=console,
            transient=True,
        )
        self._task = self._progress.add_task(name, total=until, contacts=0, rate="")
        self._begin = time.perf_counter()
        self._begin_time = begin
        self._contacts_before = contacts

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._progress.live.is_started:
            self._progress.stop()

    def update(self, now: float, contacts: int) -> None:
        """Show the simulated time and the contacts so far."""
        if not self._live:
            return
        if not self._progress.live.is_started:
            self._progress.start()
        seconds = max(time.perf_counter() - self._begin, 1e-9)
        rate = f"{contacts / seconds:,.0f} contacts/s, {(now - self._begin_time) / seconds:.3g}x real time"
        self._progress.update(self._task, completed=now, contacts=self._contacts_before + contacts, rate=rate)


@contextmanager
def interval_bar(console: Console) -> Iterator[Callable[[int, int], None] | None]:
    """Show the finished intervals of a check; None where the console is no terminal."""
    if not console.is_terminal:
        yield None
        return
    bar = Progress(
        TextColumn("checking"), BarColumn(), TextColumn("{task.completed:.0f} / {task.total:.0f} intervals"),
        TimeElapsedColumn(), console=console, transient=True,
    )  # fmt: skip
    task = bar.add_task("checking", total=1)

    def show(done: int, total: int) -> None:
        bar.update(task, completed=done, total=total)
        if not bar.live.is_started:
            bar.start()

    try:
        yield show
    finally:
        if bar.live.is_started:
            bar.stop()


@contextmanager
def part_bar(console: Console) -> Iterator[Callable[[str, int, int], None]]:
    """Show which part of how many is compiled: a bar on a terminal, one line per part elsewhere."""
    if not console.is_terminal:
        yield lambda name, done, total: console.print(f"{done + 1} of {total}: {name}", soft_wrap=True)
        return
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    with Progress(*columns, console=console, transient=True) as bar:
        task = bar.add_task("compiling", total=None)
        yield lambda name, done, total: bar.update(task, description=name, completed=done, total=total)
