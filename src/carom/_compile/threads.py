"""Work in parts on several threads: kernels release the GIL, so parts run side by side."""

from __future__ import annotations

import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from types import TracebackType
from typing import Self, TypeVar

from carom import validate

T = TypeVar("T")

_FEWEST = 20_000
"""Rows of light work from which on it is shared among threads."""


class Workers:
    """Context manager around the threads of one call. threads: None for all cores where there are `fewest` rows or more."""

    def __init__(self, n: int, threads: int | None, fewest: int = _FEWEST) -> None:
        threads = validate.threads(threads)
        if threads is None:
            threads = os.cpu_count() or 1 if n >= fewest else 1
        self._pool = ThreadPoolExecutor(threads) if threads > 1 else None
        self._threads = threads

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._pool:
            self._pool.shutdown()

    def cuts(self, n: int, finer: int = 1, least: float = 1.0) -> list[tuple[int, int]]:
        """Ranges that cover range(n): one for each thread, or `finer` times as many, of `least` items or more."""
        parts = max(1, min(self._threads * finer, int(n / max(1.0, least)))) if self._pool else 1
        return [(n * k // parts, n * (k + 1) // parts) for k in range(parts)]

    def run(self, work: Callable[[int], T], n_parts: int) -> list[T]:
        """work(k) for each part, results in order."""
        if self._pool is None or n_parts == 1:
            return [work(k) for k in range(n_parts)]
        return list(self._pool.map(work, range(n_parts)))
