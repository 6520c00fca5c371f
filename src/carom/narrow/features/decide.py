"""First contacts of many feature pairs: the filter for all of them, exact integers for undecided ones."""

from __future__ import annotations

from math import inf

import numpy as np
from numpy.typing import NDArray

from carom._compile.chunks import in_chunks
from carom._compile.jit import compiling
from carom.narrow.features.filter import filter_features_into
from carom.narrow.features.first_contact import first_contacts_into
from carom.narrow.features.rounding import BOUNDS
from carom.narrow.features.verdict import CLEAR, CONTACT, UNDECIDED

Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]

_CAPACITY = 192
"""Limbs of an integer at first: enough for coordinates whose bits span 350 places (1e-50 beside 1e50), degenerate or not."""
_GROWTH = 4
"""Factor of the capacity where that was too small. Doubles span 2100 places, which needs about 4000 limbs at the most."""


def decide_features(points: Floats, edges: Bools, tight: bool = False, threads: int | None = 1) -> Floats:
    """Exact first contacts (n,) in [0, 1] of feature pairs, inf = never; compiled when first needed.

    points (n, 8, 3): four points at the start of the step and four at its end (vertex and face, or where `edges` two edges).
    A time is never after the contact and at most FEATURE_TIME_GAP before it; tight: the largest double not after it.
    """
    points, edges = np.ascontiguousarray(points, np.float64), np.ascontiguousarray(edges, np.bool_)
    times, status = np.full(len(points), inf), np.full(len(points), UNDECIDED, np.int8)
    if len(points) == 0:
        return times
    with compiling("exact contacts of vertices, edges and faces"):
        in_chunks(
            lambda cut: first_contacts_into(points[cut], edges[cut], tight, _CAPACITY, status[cut], times[cut]),
            len(points),
            threads,
        )
    capacity = _CAPACITY
    while len(rows := np.flatnonzero(status == UNDECIDED)):
        capacity *= _GROWTH
        found, when = np.empty(len(rows), np.int8), np.empty(len(rows))
        first_contacts_into(points[rows], edges[rows], tight, capacity, found, when)
        status[rows], times[rows] = found, when
    return times


def feature_times(start: Floats, end: Floats, edges: Bools, tight: bool, threads: int | None) -> Floats:
    """First contacts (n,) in [0, 1] of feature pairs with points start and end (n, 4, 3), as decide_features."""
    n = len(start)
    status, brackets = np.empty(n, np.int8), np.empty((n, 2))
    with compiling("contacts of vertices, edges and faces"):
        in_chunks(
            lambda cut: filter_features_into(start[cut], end[cut], edges[cut], BOUNDS, status[cut], brackets[cut]),
            n,
            threads,
        )
    times = np.where(status == CLEAR, inf, brackets[:, 0])
    open_rows = np.flatnonzero((status == UNDECIDED) | ((status == CONTACT) if tight else False))
    if len(open_rows):
        points = np.concatenate((start[open_rows], end[open_rows]), axis=1)
        times[open_rows] = decide_features(points, edges[open_rows], tight, threads)
    return times
