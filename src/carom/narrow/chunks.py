"""Batches on several threads: loops release the GIL, so a batch is cut and its parts run side by side."""

from __future__ import annotations

import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

FEWEST = 64
"""Rows from which on a batch is shared among threads."""
_CUTS = 4
"""Parts of a batch for each thread, so that none waits long for the last."""


def in_chunks(work: Callable[[slice], Any], n: int, threads: int | None) -> None:
    """Run `work` on slices that cover range(n). threads: None for all cores where the batch is worth it."""
    if threads is None:
        threads = os.cpu_count() or 1 if n >= FEWEST else 1
    if threads <= 1 or n < 2:
        work(slice(0, n))
        return
    parts = min(threads * _CUTS, n)
    cuts = [slice(n * k // parts, n * (k + 1) // parts) for k in range(parts)]
    with ThreadPoolExecutor(threads) as pool:
        list(pool.map(work, cuts))
