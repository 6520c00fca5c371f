"""Results of worlds: frozen dataclasses, with arrays in time order."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, fields
from enum import IntEnum
from typing import overload

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


class Status(IntEnum):
    """How far the time of a contact can be trusted: a number with a name, as which it is printed."""

    EXACT = 0
    """The time is that of the first touch, to rounding."""

    OVERLAPPING = 1
    """The two already overlapped when the search for their contact began, which is the time."""

    POLLED = 2
    """The first polling instant at which the two touched."""

    CONSERVATIVE = 3
    """The time is not after the first touch, and early by at most the time that closes the stated gap."""

    def __str__(self) -> str:
        return self.name

    def __format__(self, spec: str) -> str:
        return format(int(self), spec) if spec else self.name


def _numbers(vector: Floats) -> str:
    return f"({', '.join(f'{x:.6g}' for x in vector)})"


_NO_WEIGHTS = np.empty((0, 3))
_WEIGHTS = ("barycentric_a", "barycentric_b")


@dataclass(frozen=True, eq=False, repr=False)
class Contact:
    """The first contact of two bodies.

    Attributes
    ----------
    time : float
        Time of the contact, s.
    a, b : int
        Ids of the bodies; a < b, or a == b for a deforming body that touches itself.
    point, normal : ndarray of shape (3,)
        Contact point, m, and unit normal from a to b.
    speed : float
        Approach speed along the normal, m/s; negative if the bodies separate.
    feature_a, feature_b : int
        The touching faces; -1 if the shape has only one feature or was tested as a whole.
    status : Status
        EXACT (0), OVERLAPPING (1), POLLED (2) or CONSERVATIVE (3): how far the time can be trusted. It compares as an int.
    barycentric_a, barycentric_b : ndarray of shape (3,)
        Barycentric weights in the touching triangles, for contacts of deforming bodies; NaN for a side that is no
        triangle.
    """

    time: float
    a: int
    b: int
    point: Floats
    normal: Floats
    speed: float
    feature_a: int
    feature_b: int
    status: Status
    barycentric_a: Floats
    barycentric_b: Floats

    def __repr__(self) -> str:
        return (
            f"Contact(time={self.time!r}, a={self.a}, b={self.b}, speed={self.speed:.6g}, status={self.status},\n"
            f"        point={_numbers(self.point)}, normal={_numbers(self.normal)})"
        )


@dataclass(frozen=True, eq=False)
class ContactLog:
    """Contacts in time order, one row per contact.

    Attributes
    ----------
    times : ndarray of shape (n,)
        Times, s.
    a, b : ndarray of shape (n,)
        Ids of the bodies; a < b, or a == b for a deforming body that touches itself.
    points, normals : ndarray of shape (n, 3)
        Contact points, m, and unit normals from a to b.
    speeds : ndarray of shape (n,)
        Approach speeds along the normal, m/s.
    features_a, features_b : ndarray of shape (n,)
        The touching faces; -1 if the shape has only one feature or was tested as a whole.
    status : ndarray of shape (n,)
        Numbers of `Status`: how far each time can be trusted.
    barycentric_a, barycentric_b : ndarray of shape (n, 3)
        Barycentric weights in the touching triangles, for contacts of deforming bodies; NaN elsewhere.
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
        if self.barycentric_a is _NO_WEIGHTS:  # NaN for all, without memory
            for name in _WEIGHTS:
                object.__setattr__(self, name, np.broadcast_to(np.nan, (len(self.times), 3)))

    def __len__(self) -> int:
        return len(self.times)

    @overload
    def __getitem__(self, k: int) -> Contact: ...

    @overload
    def __getitem__(self, k: slice) -> ContactLog: ...

    def __getitem__(self, k: int | slice) -> Contact | ContactLog:
        """Return one contact, or a slice as a log."""
        if isinstance(k, slice):
            return ContactLog(*(getattr(self, field.name)[k] for field in fields(ContactLog)))
        return Contact(
            float(self.times[k]),
            int(self.a[k]),
            int(self.b[k]),
            self.points[k],
            self.normals[k],
            float(self.speeds[k]),
            int(self.features_a[k]),
            int(self.features_b[k]),
            Status(int(self.status[k])),
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
        """Return a log without contacts."""
        none, vectors, ints = np.empty(0), np.empty((0, 3)), np.empty(0, np.int64)
        return ContactLog(none, ints, ints, vectors, vectors, none, ints, ints, ints)

    @staticmethod
    def concatenate(logs: list[ContactLog]) -> ContactLog:
        """Join several logs in the given order."""
        if not logs:
            return ContactLog.empty()
        if len(logs) == 1:
            return logs[0]
        bare = all(getattr(log, name).strides == (0, 0) for log in logs for name in _WEIGHTS)
        columns = [f.name for f in fields(ContactLog) if not (bare and f.name in _WEIGHTS)]
        return ContactLog(*(np.concatenate([getattr(log, name) for log in logs]) for name in columns))

    def ordered_from(self, time: float) -> ContactLog:
        """Return the same contacts, with those from `time` on sorted by time, then by ids."""
        first = int(np.searchsorted(self.times, time))
        order = np.arange(len(self))
        order[first:] = first + np.lexsort((self.b[first:], self.a[first:], self.times[first:]))
        return ContactLog(*(getattr(self, f.name)[order] for f in fields(ContactLog)))

    def identical(self, other: ContactLog) -> bool:
        """Compare two logs bit for bit."""
        return all(
            np.array_equal(getattr(self, f.name), getattr(other, f.name), equal_nan=f.name in _WEIGHTS)
            for f in fields(ContactLog)
        )


@dataclass(frozen=True, eq=False, repr=False)
class BudgetedLog(ContactLog):
    """Contacts that were found within a time budget.

    Attributes
    ----------
    reached : float
        Time up to which the contacts are complete, s.
    deferred : ndarray of shape (k,)
        Bodies whose contacts are complete only up to `deferred_reached`; empty if nothing was deferred.
    deferred_reached : float
        Time up to which the contacts of the deferred bodies are complete, s.
    """

    reached: float = np.inf
    deferred: Ints = field(default_factory=lambda: np.empty(0, np.int64))
    deferred_reached: float = np.inf

    @staticmethod
    def of(log: ContactLog, reached: float, deferred: Ints, deferred_reached: float) -> BudgetedLog:
        """Return the same contacts with their completeness."""
        columns = {f.name: getattr(log, f.name) for f in fields(ContactLog)}
        return BudgetedLog(**columns, reached=reached, deferred=deferred, deferred_reached=deferred_reached)


@dataclass(frozen=True)
class Stats:
    """Counters of the work that a world has done.

    swaps : exchanges in sorted lists, or crossings of cell walls. motion_changes : new motions, by contacts or users.
    pair_tests : predictions for pairs. narrow_tests : exact tests of pairs. primitive_tests : tests of boxes, triangles and
    convex shapes in these. contacts : reported ones. timers : keyframes reached and bounds expired. rebuilds : new starts of
    the broad phase. active_pairs : pairs whose bounds overlap now.

    The times seconds_update (bounds), seconds_sort (lists) and seconds_narrow (exact pair tests) are measured only with
    World(profile=True).
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
