"""Ctrl-C: whatever it breaks off ends as one Interrupted, which says what is kept."""

from __future__ import annotations

import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType


class Interrupted(Exception):
    """Somebody pressed Ctrl-C; the message says what is kept. No KeyboardInterrupt: typer keeps quiet about those."""


class Interrupts:
    """Was Ctrl-C pressed? Libraries turn a KeyboardInterrupt into errors of their own, so the signal itself is watched."""

    def __init__(self) -> None:
        self._seen = False

    @contextmanager
    def watched(self) -> Iterator[None]:
        """Notes Ctrl-C inside the block, where it still raises KeyboardInterrupt; in the main thread only."""
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
        """Interrupted with that message, made afterwards, when Ctrl-C breaks the block off; all else passes."""
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
"""Those of this process: `main` watches, commands say what is kept."""
