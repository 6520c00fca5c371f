"""Results: frozen, named, arrays in the order of time."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, fields

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Contact:
    """One first touch of two bodies. The normal points from body a to body b; a < b."""

    time: float
    a: int
    b: int
    point: Floats
    normal: Floats
    speed: float
    feature_a: int
    feature_b: int
    status: int


@dataclass(frozen=True, eq=False)
class ContactLog:
    """Contacts in time order, one row each.

    times (n,) s; a, b (n,) body ids, a < b; points (n, 3) m; normals (n, 3) unit, from a to b; speeds (n,) m/s, speed of
    approach along the normal; features_a, features_b (n,) face touched (-1: the shape has only one feature);
    status (n,) 0 exact, 1 already overlapping when the pair was first looked at, 2 found by polling.
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
        return ContactLog(*(np.concatenate([getattr(log, f.name) for log in logs]) for f in fields(ContactLog)))

    def identical(self, other: ContactLog) -> bool:
        """Bit for bit the same?"""
        return all(np.array_equal(getattr(self, f.name), getattr(other, f.name)) for f in fields(ContactLog))


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
