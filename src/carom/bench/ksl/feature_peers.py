"""ipctk's vertex-face and edge-edge queries, asked one by one."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar, Protocol

import numpy as np
from numpy.typing import NDArray

Query = Callable[[], tuple[bool, float]]


class FeaturePeer(Protocol):
    """A way to ask ipctk. `queries` sets them up outside the clock; calling one is timed."""

    name: ClassVar[str]
    repeats: ClassVar[int]
    """times that each query is asked; the fastest counts"""

    def queries(self, points: NDArray[np.float64], kind: str) -> list[Query]:
        """One call for each of the points (n, 8, 3)."""
        ...


def _calls(narrow: Any, points: NDArray[np.float64], kind: str) -> list[Query]:
    """Calls that are ready to be made, one for each query."""
    ask = narrow.point_triangle_ccd if kind == "vertex-face" else narrow.edge_edge_ccd

    def bound(rows: list[NDArray[np.float64]]) -> Query:
        return lambda: ask(*rows)

    return [bound(list(rows)) for rows in points]


class TightInclusion:
    """Interval bisection; the limit keeps degenerate queries from taking seconds each."""

    name: ClassVar[str] = "ipctk TightInclusion"
    repeats: ClassVar[int] = 1

    def queries(self, points: NDArray[np.float64], kind: str) -> list[Query]:
        """See FeaturePeer."""
        import ipctk

        return _calls(ipctk.TightInclusionCCD(max_iterations=10_000), points, kind)


class Additive:
    """Conservative advancement."""

    name: ClassVar[str] = "ipctk Additive"
    repeats: ClassVar[int] = 3

    def queries(self, points: NDArray[np.float64], kind: str) -> list[Query]:
        """See FeaturePeer."""
        import ipctk

        return _calls(ipctk.AdditiveCCD(), points, kind)


PEERS: tuple[type[FeaturePeer], ...] = (TightInclusion, Additive)
