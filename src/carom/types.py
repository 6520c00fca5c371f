"""Results: frozen, named, arrays in the order of time."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, fields

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

_NO_WEIGHTS = np.empty((0, 3))
_WEIGHTS = ("barycentric_a", "barycentric_b")


@dataclass(frozen=True, eq=False)
class Contact:
    """One first touch of two bodies. The normal points from body a to body b; a < b, or a == b for a deforming body that
    touches itself. barycentric_a, barycentric_b (3,): weights of the corners of the triangles that touch, NaN where a side is
    not a triangle of a contact with a deforming body."""

    time: float
    a: int
    b: int
    point: Floats
    normal: Floats
    speed: float
    feature_a: int
    feature_b: int
    status: int
    barycentric_a: Floats
    barycentric_b: Floats


@dataclass(frozen=True, eq=False)
class ContactLog:
    """Contacts in time order, one row each.

    times (n,) s; a, b (n,) body ids, a < b, or a == b for a deforming body that touches itself; points (n, 3) m; normals
    (n, 3) unit, from a to b; speeds (n,) m/s, speed of approach along the normal; features_a, features_b (n,) face touched
    (-1: the shape has only one feature, or was tested as a whole); status (n,) 0 exact, 1 already overlapping when the pair
    was first looked at, 2 found by polling, 3 by advancement; barycentric_a, barycentric_b (n, 3) weights of the corners of
    the two triangles that touch, in contacts of deforming bodies; NaN elsewhere.
    """

    times: Floats
    a: Ints
    b: Ints
    points: Floats
    normals: Floats
    speeds: Floats
    features_a: Ints
    features_b: Ints
    status: Ints
    barycentric_a: Floats = field(default_factory=lambda: _NO_WEIGHTS)
    barycentric_b: Floats = field(default_factory=lambda: _NO_WEIGHTS)

    def __post_init__(self) -> None:
        if self.barycentric_a is _NO_WEIGHTS:  # NaN for all, in no memory
            for name in _WEIGHTS:
                object.__setattr__(self, name, np.broadcast_to(np.nan, (len(self.times), 3)))

    def __len__(self) -> int:
        return len(self.times)

    def __getitem__(self, k: int) -> Contact:
        return Contact(
            float(self.times[k]),
            int(self.a[k]),
            int(self.b[k]),
            self.points[k],
            self.normals[k],
            float(self.speeds[k]),
            int(self.features_a[k]),
            int(self.features_b[k]),
            int(self.status[k]),
            self.barycentric_a[k],
            self.barycentric_b[k],
        )

    def __iter__(self) -> Iterator[Contact]:
        return (self[k] for k in range(len(self)))

    def __repr__(self) -> str:
        if not len(self):
            return "ContactLog(no contacts)"
        return f"ContactLog({len(self)} contacts from t = {self.times[0]:.6g} to {self.times[-1]:.6g})"

    @staticmethod
    def empty() -> ContactLog:
        """A log without contacts."""
        none, vectors, ints = np.empty(0), np.empty((0, 3)), np.empty(0, np.int64)
        return ContactLog(none, ints, ints, vectors, vectors, none, ints, ints, ints)

    @staticmethod
    def concatenate(logs: list[ContactLog]) -> ContactLog:
        """Several logs one after the other."""
        if not logs:
            return ContactLog.empty()
        if len(logs) == 1:
            return logs[0]
        bare = all(getattr(log, name).strides == (0, 0) for log in logs for name in _WEIGHTS)
        columns = [f.name for f in fields(ContactLog) if not (bare and f.name in _WEIGHTS)]
        return ContactLog(*(np.concatenate([getattr(log, name) for log in logs]) for name in columns))

    def ordered_from(self, time: float) -> ContactLog:
        """The same contacts, those from `time` on by time, then ids."""
        first = int(np.searchsorted(self.times, time))
        order = np.arange(len(self))
        order[first:] = first + np.lexsort((self.b[first:], self.a[first:], self.times[first:]))
        return ContactLog(*(getattr(self, f.name)[order] for f in fields(ContactLog)))

    def identical(self, other: ContactLog) -> bool:
        """Bit for bit the same?"""
        return all(
            np.array_equal(getattr(self, f.name), getattr(other, f.name), equal_nan=f.name in _WEIGHTS)
            for f in fields(ContactLog)
        )


@dataclass(frozen=True, eq=False, repr=False)
class BudgetedLog(ContactLog):
    """Contacts that were found within a budget of time. reached: the time, s, up to which they are complete.

    deferred (k,): bodies whose contacts are complete only up to `deferred_reached`; none where nothing was put off.
    """

    reached: float = np.inf
    deferred: Ints = field(default_factory=lambda: np.empty(0, np.int64))
    deferred_reached: float = np.inf

    @staticmethod
    def of(log: ContactLog, reached: float, deferred: Ints, deferred_reached: float) -> BudgetedLog:
        """The same contacts, and how complete they are."""
        columns = {f.name: getattr(log, f.name) for f in fields(ContactLog)}
        return BudgetedLog(**columns, reached=reached, deferred=deferred, deferred_reached=deferred_reached)


@dataclass(frozen=True)
class Stats:
    """What a world has done so far.

    seconds_* are measured only with World(profile=True): bounds kept up to date, lists kept sorted, exact pair tests.
    """

    swaps: int
    motion_changes: int
    pair_tests: int
    narrow_tests: int
    primitive_tests: int
    contacts: int
    timers: int
    rebuilds: int
    active_pairs: int
    seconds_update: float
    seconds_sort: float
    seconds_narrow: float
