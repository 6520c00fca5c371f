"""Standard output and standard error that are closed, full, or no longer read."""

from __future__ import annotations

import contextlib
import io
import os
import sys
from collections.abc import Iterator

from carom.files.atomic import refusal


class OutputClosed(Exception):
    """Standard output is no longer read. Not an OSError, for which typer would exit with status 1, which means a contact."""


@contextlib.contextmanager
def reading_ends() -> Iterator[None]:
    """Raise OutputClosed if a pipe is closed at its other end inside the block."""
    try:
        yield
    except BrokenPipeError:
        raise OutputClosed from None


def prepare_output() -> None:
    """Ensure that both streams can be written to, whatever the caller of the process passed."""
    for name in ("stdout", "stderr"):
        stream = getattr(sys, name)
        if stream is None:  # closed by the caller
            setattr(sys, name, open(os.devnull, "w", encoding="utf-8"))  # noqa: SIM115
        elif isinstance(stream, io.TextIOWrapper):
            # File names can contain bytes that no encoding has.
            stream.reconfigure(errors="backslashreplace")


def silence_output() -> None:
    """Discard buffered output, which cannot be written: Python would try again at the end."""
    try:
        sys.stdout.flush()
    except (OSError, ValueError):
        with contextlib.suppress(OSError, ValueError):
            nowhere = os.open(os.devnull, os.O_WRONLY)
            os.dup2(nowhere, sys.stdout.fileno())
            os.close(nowhere)


def in_words(error: BaseException) -> str:
    """Return an error as a message for people."""
    if isinstance(error, OSError):
        if error.filename is not None:
            return f"{os.fsdecode(error.filename)}: {refusal(error)}"
        return f"{'standard output cannot be written: ' if _output_fails() else ''}{refusal(error)}"
    if isinstance(error, MemoryError):
        return f"there is not enough memory{f': {error}' if str(error) else ''}"
    if isinstance(error, RecursionError):
        return f"the input is nested too deeply: {error}"
    return str(error)


def _output_fails() -> bool:
    """Return whether standard output cannot be written: a new line shows it, because Python discards what failed."""
    try:
        sys.stdout.write("\n")
        sys.stdout.flush()
    except OSError:
        return True
    except ValueError:
        pass
    return False
