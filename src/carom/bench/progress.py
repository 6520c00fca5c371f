"""One progress bar for a whole bench, with one line per part."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from types import TracebackType
from typing import Self, TypeVar

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

T = TypeVar("T")


class Bar:
    """Context manager; `track` loops over the items of one part."""

    def __init__(self, console: Console) -> None:
        columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
        self._progress = Progress(*columns, console=console, transient=True)

    def __enter__(self) -> Self:
        self._progress.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._progress.stop()

    def track(self, items: Sequence[T], what: str) -> Iterable[T]:
        """Yield the items, counted on their own line."""
        return self._progress.track(items, description=what)

    def say(self, message: str) -> None:
        """Print a line above the bars."""
        self._progress.console.print(message, markup=False)
