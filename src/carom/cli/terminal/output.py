"""What the commands print with: tables that fit, colours only on terminals, one form of JSON."""

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
    """A console that shows text as it is, whatever names of files and bodies look like, and nothing that moves the cursor.

    It leaves it to `main` what happens when nobody reads any more.
    """

    def __init__(self, **options: Any) -> None:
        super().__init__(highlight=False, markup=False, emoji=False, **options)

    def render_str(self, text: str, **options: Any) -> Text:
        """The text line by line, as a terminal can show it."""
        return super().render_str("\n".join(map(printable, text.split("\n"))), **options)

    def on_broken_pipe(self) -> None:
        """Pass the error on; Rich would end the process with status 1, which means that something touches."""
        raise BrokenPipeError(errno.EPIPE, os.strerror(errno.EPIPE))


def printer() -> Console:
    """Standard output: as wide as the terminal, or 100 columns without colours where it is none."""
    return _Printer(width=None if sys.stdout.isatty() else _WIDTH_OF_A_FILE)


def aside() -> Console:
    """Standard error, for progress and notices: nothing of it is a result."""
    return _Printer(stderr=True)


def say_error(message: str, *, below: bool = False) -> None:
    """Print a complaint on standard error, broken between words to fit 100 columns. below: on a line of its own,
    where something may stand on this one. What a terminal would act upon, as names in files may hold it, is shown as text."""
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
    """A moving sign on a terminal while something takes its time; nothing elsewhere."""
    if console.is_terminal:
        with console.status(what):
            yield
    else:
        yield


def facts_table() -> Table:
    """A table of facts without headings: the first column in bold."""
    table = Table(box=None, show_header=False, padding=(0, 2, 0, 0), pad_edge=False)
    table.add_column(style="bold", no_wrap=True)
    return table


def rows_table(title: str) -> Table:
    """A table with headings, without lines between its columns: so that many fit."""
    return Table(title=title, title_justify="left", box=box.SIMPLE_HEAD, padding=(0, 1, 0, 0), pad_edge=False)


def say_files(console: Console, files: Mapping[str, Path | None]) -> None:
    """One line for each file that was written, by what it is; nothing for what was not."""
    for label, path in files.items():
        if path is not None:
            console.print(f"{label}: {path}", soft_wrap=True)


def check_pictures(picture: Path | None, page: Path | None) -> None:
    """CaromError when a picture or page that was asked for cannot be written: before the work, not after it."""
    if picture is not None:
        check_picture(picture)
    if page is not None:
        check_page(page)


def say_json(value: Any) -> None:
    """Print JSON on standard output, strict: numbers that are none become null."""
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
