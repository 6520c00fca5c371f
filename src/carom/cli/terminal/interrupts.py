"""Ctrl-C: an interrupted command ends with one exception, Interrupted, whose message says what was stored."""

from __future__ import annotations

import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType


class Interrupted(Exception):
    """Ctrl-C was pressed; the message says what was stored. Not a KeyboardInterrupt, which typer handles silently."""


class Interrupts:
    """Records Ctrl-C. Libraries convert KeyboardInterrupt into errors of their own, so the signal itself is recorded."""

    def __init__(self) -> None:
        self._seen = False

    @contextmanager
    def watched(self) -> Iterator[None]:
        """Record Ctrl-C inside the block, where it still raises KeyboardInterrupt; only in the main thread."""
        self._seen = False
        try:
            before = signal.signal(signal.SIGINT, self._note)
        except ValueError:
            yield
            return
        try:
            yield
        finally:
            signal.signal(signal.SIGINT, before)

    def _note(self, number: int, frame: FrameType | None) -> None:
        self._seen = True
        raise KeyboardInterrupt

    @contextmanager
    def ending_as(self, message: Callable[[], str]) -> Iterator[None]:
        """Raise Interrupted, with a message made afterwards, if Ctrl-C ends the block."""
        try:
            yield
        except Interrupted:
            raise
        except KeyboardInterrupt:
            raise Interrupted(message()) from None
        except Exception:
            if not self._seen:
                raise
            raise Interrupted(message()) from None


INTERRUPTS = Interrupts()
"""The record of this process: `main` watches the signal, commands provide messages."""
