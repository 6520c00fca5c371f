"""Runs without Python's garbage collector, which would hit whoever runs when it is due."""

from __future__ import annotations

import contextlib
import gc
from collections.abc import Iterator


@contextlib.contextmanager
def no_garbage() -> Iterator[None]:
    """Context in which no garbage is collected.

    What the last run left is collected before. Older objects are not looked through: beside the compiler's that takes longer
    than many a run.
    """
    gc.collect(1)
    gc.disable()
    try:
        yield
    finally:
        gc.enable()
