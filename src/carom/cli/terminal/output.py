"""Output of the commands: tables that fit, colours only on terminals, one form of JSON."""

from __future__ import annotations

import errno
import json
import math
import os
import sys
import textwrap
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Protocol

import numpy as np
import typer
from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

from carom.validate import printable
from carom.view import check_page, check_picture

_WIDTH_OF_A_FILE = 100  # Columns of output that is not a terminal


class Result(Protocol):
    """What a command found."""

    def as_dict(self) -> dict[str, Any]:
        """Return all of it, for JSON."""
        ...

    def show(self, console: Console) -> None:
        """Print it for people."""
        ...


class _Printer(Console):
    """A console that prints text unchanged, without markup and without control characters.

    A closed pipe is an error, which `main` handles.
    """

    def __init__(self, **options: Any) -> None:
        super().__init__(highlight=False, markup=False, emoji=False, **options)

    def render_str(self, text: str, **options: Any) -> Text:
        """Return the text line by line, with unprintable characters escaped."""
        return super().render_str("\n".join(map(printable, text.split("\n"))), **options)

    def on_broken_pipe(self) -> None:
        """Raise BrokenPipeError; Rich would end the process with status 1, which means that something touches."""
        raise BrokenPipeError(errno.EPIPE, os.strerror(errno.EPIPE))


def printer() -> Console:
    """Return standard output, as wide as the terminal; without a terminal it has 100 columns and no colours."""
    return _Printer(width=None if sys.stdout.isatty() else _WIDTH_OF_A_FILE)


def aside() -> Console:
    """Return standard error, for progress and notices."""
    return _Printer(stderr=True)


def say_error(message: str, *, below: bool = False) -> None:
    """Print an error on standard error, wrapped to 100 columns, with control characters escaped. below: on a new line."""
    said = textwrap.fill(
        f"carom: {printable(message)}",
        _WIDTH_OF_A_FILE,
        subsequent_indent="  ",
        break_long_words=False,
        break_on_hyphens=False,
    )
    sys.stderr.write("\n" * below + said + "\n")


@contextmanager
def working(console: Console, what: str) -> Iterator[None]:
    """Show a spinner on a terminal while the block runs."""
    if console.is_terminal:
        with console.status(what):
            yield
    else:
        yield


def facts_table() -> Table:
    """Return a table of facts without headings, with the first column in bold."""
    table = Table(box=None, show_header=False, padding=(0, 2, 0, 0), pad_edge=False)
    table.add_column(style="bold", no_wrap=True)
    return table


def rows_table(title: str) -> Table:
    """Return a table with headings, without lines between its columns."""
    return Table(title=title, title_justify="left", box=box.SIMPLE_HEAD, padding=(0, 1, 0, 0), pad_edge=False)


def say_files(console: Console, files: Mapping[str, Path | None]) -> None:
    """Print one line per file that was written, with its kind."""
    for label, path in files.items():
        if path is not None:
            console.print(f"{label}: {path}", soft_wrap=True)


def check_pictures(picture: Path | None, page: Path | None) -> None:
    """Raise CaromError if a requested picture or page cannot be written; called before the work."""
    if picture is not None:
        check_picture(picture)
    if page is not None:
        check_page(page)


def say_json(value: Any) -> None:
    """Print strict JSON on standard output: numbers that are not finite become null."""
    plain_text = "utf" not in (getattr(sys.stdout, "encoding", None) or "utf-8").lower()
    typer.echo(json.dumps(_plain(value), indent=2, allow_nan=False, ensure_ascii=plain_text))


def say_result(result: Result, as_json: bool) -> None:
    """Print a result on standard output, as JSON or for people."""
    if as_json:
        say_json(result.as_dict())
    else:
        result.show(printer())


def _plain(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {str(key): _plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple | np.ndarray):
        return [_plain(item) for item in value]
    if isinstance(value, np.generic):
        return _plain(value.item())
    if isinstance(value, Path):
        return str(value)
    return None if isinstance(value, float) and not math.isfinite(value) else value
