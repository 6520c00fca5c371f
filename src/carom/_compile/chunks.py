"""Batches on several threads: loops release the GIL, so a batch is cut and its parts run side by side."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from carom._compile.threads import Workers

_FEWEST = 64
"""Rows from which on a batch is shared among threads."""
_CUTS = 4
"""Parts of a batch for each thread, so that none waits long for the last."""


def in_chunks(work: Callable[[slice], Any], n: int, threads: int | None) -> None:
    """Run `work` on slices that cover range(n). threads: None for all cores where the batch is worth it."""
    if threads == 1:
        work(slice(0, n))
        return
    with Workers(n, threads, _FEWEST) as workers:
        cuts = workers.cuts(n, _CUTS)
        workers.run(lambda k: work(slice(*cuts[k])), len(cuts))
