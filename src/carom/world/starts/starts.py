"""Overlap at the start: bodies that are put into each other are reported at once, whether they close or part.

Contacts are predicted where bodies close. A body that is added inside another one and leaves it, or rests there, has none;
that it was inside is news all the same. So pairs of bodies that were just added, jumped, or came to collide because of a filter
are looked at when the clock next moves, and those that overlap and have no contact at that instant are reported by themselves.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from carom._compile.jit import compiling, inner_kernel, lean_kernel
from carom.bounds.kinetic import bound_end
from carom.engine.audit import overlapping_bounds, present_rows
from carom.engine.body_queries import velocities_at
from carom.engine.contract import Engine
from carom.engine.events.contact import touch_depth
from carom.engine.events.pairs import collide_groups
from carom.engine.events.predict import simple_polynomial
from carom.engine.events.row_motion import relative_state
from carom.engine.tables import Tables
from carom.maths.fixed_order import dot, length
from carom.narrow.toi.status import OVERLAPPING
from carom.queries import penetration
from carom.shapes.kind import HALF_SPACE, POLLED, SPHERE
from carom.tables.body_columns import CX, FLAGS, FREE_ROW, GIVEN_BOUNDS, GROUP, ID, KIND, RADIUS
from carom.tables.run_columns import CONTACTS, NOW
from carom.types import ContactLog
from carom.world.guided.silence import keep_silent
from carom.world.registry import Registry
from carom.world.saved.fields import Fields
from carom.world.starts.placed_pair import PlacedPair

Floats = NDArray[np.float64]
Pair = tuple[int, int]

_FEW = 16  # New bodies up to this many are compared with all others; more of them by a search for overlapping bounds


@inner_kernel
def _to_image(periods, x, y, z):
    """The offset of the nearest image; periods 0 where space does not repeat."""
    if periods[0] > 0.0:
        x -= periods[0] * np.round(x / periods[0])
    if periods[1] > 0.0:
        y -= periods[1] * np.round(y / periods[1])
    if periods[2] > 0.0:
        z -= periods[2] * np.round(z / periods[2])
    return x, y, z


@inner_kernel
def _boxes_overlap(bodies, a, b, now):
    """Do the bounds of rows a and b overlap now?"""
    for d in range(bodies.axes.shape[0]):
        for low, high in ((a, b), (b, a)):
            c0, c1, c2, epoch = bound_end(bodies, low, d, 0)
            e0, e1, e2, start = bound_end(bodies, high, d, 1)
            s, h = now - epoch, now - start
            if c0 + s * (c1 + s * c2) > e0 + h * (e1 + h * e2):
                return False
    return True


@inner_kernel
def _spheres_overlap(bodies, periods, i, j, now):
    """Do the bounding spheres of rows i and j overlap now, by more than a touch? Half-spaces overlap where they face."""
    body, link = bodies.body, bodies.link
    slack = touch_depth(body, link, i, j, now)
    if link[i, KIND] == HALF_SPACE or link[j, KIND] == HALF_SPACE:
        gap, _, _ = simple_polynomial(body, link[i, KIND], link[j, KIND], i, j, now)
        return gap < -slack
    x, y, z, _, _, _, _, _, _ = relative_state(body, i, j, now)
    x += body[j, CX] - body[i, CX]
    y += body[j, CX + 1] - body[i, CX + 1]
    z += body[j, CX + 2] - body[i, CX + 2]
    x, y, z = _to_image(periods, x, y, z)
    reach = body[i, RADIUS] + body[j, RADIUS] - slack
    return reach > 0.0 and x * x + y * y + z * z < reach * reach


@inner_kernel
def _may_overlap(bodies, periods, i, j, now):
    """May rows i and j overlap now? What the application or a deforming body answers for is left to them."""
    link = bodies.link
    if link[i, KIND] == POLLED or link[j, KIND] == POLLED or not collide_groups(bodies, i, j):
        return False
    if not _spheres_overlap(bodies, periods, i, j, now):
        return False
    repeats = periods[0] > 0.0 or periods[1] > 0.0 or periods[2] > 0.0
    return repeats or _boxes_overlap(bodies, i, j, now)


@lean_kernel
def _with_all(bodies, periods, rows, is_new, now, found):
    """Pairs of one of `rows` and any other row that may overlap; returns how many, beyond the room in `found` uncounted."""
    n = 0
    for row in rows:
        for other in range(bodies.link.shape[0]):
            if other == row or bodies.link[other, FLAGS] == FREE_ROW or (is_new[other] and other < row):
                continue
            if _may_overlap(bodies, periods, np.int64(row), np.int64(other), now):
                if n < found.shape[0]:
                    found[n, 0] = row
                    found[n, 1] = other
                n += 1
    return n


@lean_kernel
def _keep_close(bodies, periods, pairs, now, kept):
    """Of the pairs of rows (m, 2) that are kept, keep those that may overlap now."""
    for k in range(pairs.shape[0]):
        kept[k] = kept[k] and _may_overlap(bodies, periods, np.int64(pairs[k, 0]), np.int64(pairs[k, 1]), now)


@lean_kernel
def _touch_depth(bodies, i, j, now):
    """Depth up to which an overlap of rows i and j is a touch that rounding deepened."""
    return touch_depth(bodies.body, bodies.link, i, j, now)


class Starts:
    """Bodies that were put where they are since the clock last moved, and those of their pairs that overlap."""

    def __init__(self) -> None:
        self.put: list[NDArray[np.int64]] = []
        """Ids of bodies that were not looked at yet."""
        self.filters: list[tuple[int, int]] = []
        """Groups that have come to collide and whose pairs were not looked at yet."""
        self.overlaps: list[Pair] = []
        """Pairs of ids, the lower first, that overlap at the current time and were not reported yet."""
        self.again: list[Pair] = []
        """Pairs that were such overlaps and are to be looked at anew."""
        self._told: tuple[float, set[Pair]] = (math.nan, set())
        """The instant in the midst of which a budget was used up, and the pairs that were reported at that instant."""

    def __bool__(self) -> bool:
        return bool(self.put or self.filters or self.overlaps or self.again)

    def place(self, bodies: NDArray[np.int64], by_response: bool) -> None:
        """Bodies of these ids were put where they are."""
        self.put.append(bodies)
        if not by_response:  # what was reported at this time was reported of bodies elsewhere
            self._told = (math.nan, set())

    def start_over(self, tables: Tables) -> None:
        """Look anew at what was found, because other pairs collide than before."""
        self.again += self.overlaps
        if self.filters:  # groups are numbered anew
            rows = _candidates(tables, np.empty(0, np.int32), self.filters)
            self.again += _as_pairs(np.sort(tables.link[rows, ID], axis=1))
        self.overlaps, self.filters = [], []

    def join(self, other: Starts) -> None:
        """Look also at what another one, that starts over, has still to look at."""
        self.put += other.put
        self.again += other.again

    def pause(self, logs: list[ContactLog], time: float) -> None:
        """The event loop stops at `time`, perhaps in the midst of an instant; `logs` are handed out."""
        self._told = (time, self.reported(logs, time))

    def reported(self, logs: list[ContactLog], time: float) -> set[Pair]:
        """Pairs that were reported at `time`, in `logs` or before a pause."""
        since, told = self._told
        return set(told if since == time else ()).union(
            (int(a), int(b))
            for log in logs
            for a, b in zip(log.a[log.times == time], log.b[log.times == time], strict=True)
        )

    def compile(self, tables: Tables, count: int) -> None:
        """Compile the search for `count` bodies that are put somewhere, once per process, so that `look` need not."""
        if (count > _FEW) not in _compiled:
            _compiled.add(count > _FEW)
            with compiling("the search for overlaps at the start"):
                _candidates(tables, present_rows(tables)[:count].astype(np.int32), [])

    def look(self, tables: Tables, registry: Registry, engine: Engine) -> None:
        """Find the overlapping pairs of what was put somewhere.

        A guided body that was reported with another one and has not been apart from it since is no news.
        """
        ids = tables.link[:, ID]
        put = np.unique(np.concatenate(self.put)) if self.put else np.empty(0, np.int64)
        filters, again = self.filters, self.again
        self.put, self.filters, self.again = [], [], []
        gone = set(put.tolist())
        self.overlaps = [pair for pair in self.overlaps if gone.isdisjoint(pair)]
        pairs = _candidates(tables, registry.rows_left(put), filters)
        if again:
            pairs = np.concatenate((pairs, _still_close(tables, registry, again)))
        ordered = np.where((ids[pairs[:, 0]] < ids[pairs[:, 1]])[:, None], pairs, pairs[:, ::-1])
        steered = tables.link[ordered, FLAGS] == GIVEN_BOUNDS
        told: set[Pair] = set()
        if steered.any():
            first, second, _ = engine.reported()
            told = set(zip(first.tolist(), second.tolist(), strict=True))
        for (i, j), is_steered in zip(ordered.tolist(), steered.any(axis=1).tolist(), strict=True):
            if is_steered and not told.isdisjoint(((i, j), (j, i))):
                continue
            if _Overlap(tables, i, j).is_deep:
                self.overlaps.append((int(ids[i]), int(ids[j])))
        self.overlaps = sorted(set(self.overlaps))

    def report(self, tables: Tables, registry: Registry, engine: Engine, known: set[Pair], time: float) -> ContactLog:
        """Contacts of the overlapping pairs, save those that are `known` to have been reported. There are none left then."""
        pairs, self.overlaps = self.overlaps, []
        found, steered = [], []
        for a, b in pairs:
            rows = registry.rows_left(np.array([a, b]))
            if (a, b) not in known and len(rows) == 2:
                found.append((a, b, *_Overlap(tables, int(rows[0]), int(rows[1])).contact()))
                if (tables.link[rows, FLAGS] == GIVEN_BOUNDS).any():
                    steered.append(rows)
        if steered:
            first, second = np.array(steered, np.int32).T
            keep_silent(tables, engine, (first.copy(), second.copy()))
        if not found:
            return ContactLog.empty()
        n = len(found)
        tables.count[CONTACTS] += n
        first, second, points, normals, speeds = (np.array(column) for column in zip(*found, strict=True))
        none = np.full(n, -1)
        status = np.full(n, OVERLAPPING)
        return ContactLog(np.full(n, time), first, second, points, normals, speeds, none, none.copy(), status)

    # ---- saving

    def saved(self) -> dict[str, NDArray[Any]]:
        """Everything as arrays."""
        since, told = self._told
        return {
            "starts_put": np.unique(np.concatenate([np.empty(0, np.int64), *self.put])),
            "starts_filters": np.array(self.filters, np.int64).reshape(-1, 2),
            "starts_pairs": np.array(self.overlaps + self.again, np.int64).reshape(-1, 2),
            "starts_told": np.array(sorted(told), np.int64).reshape(-1, 2),
            "starts_told_at": np.array([since]),
        }

    @classmethod
    def restored(cls, saved: Fields, ids: NDArray[np.int64]) -> Starts:
        """The inverse of `saved`. ids: those of the bodies that there are."""
        starts = cls()
        put = np.intersect1d(saved.array("starts_put", np.int64, (None,)), ids)
        if len(put):
            starts.put.append(put)
        starts.filters = _as_pairs(saved.array("starts_filters", np.int64, (None, 2)))
        if "starts_pairs" in saved:  # earlier versions had none
            pairs = saved.array("starts_pairs", np.int64, (None, 2))
            starts.again = _as_pairs(pairs[np.isin(pairs, ids).all(axis=1) & (pairs[:, 0] < pairs[:, 1])])
            (since,) = saved.array("starts_told_at", np.float64, (1,)).tolist()
            starts._told = (since, set(_as_pairs(saved.array("starts_told", np.int64, (None, 2)))))
        return starts


def _as_pairs(array: NDArray[np.int64]) -> list[Pair]:
    return [(int(a), int(b)) for a, b in array]


_compiled: set[bool] = set()
"""For which kinds of search (of many bodies, of few) the kernels have been asked for in this process."""


def _candidates(tables: Tables, rows: NDArray[np.int32], filters: list[tuple[int, int]]) -> NDArray[np.int32]:
    """Pairs of rows (m, 2) that may overlap now, with at least one of each in `rows`, or of groups in `filters`."""
    bodies, now = tables.bodies(), float(tables.param[NOW])
    is_new = np.zeros(tables.capacity, np.bool_)
    is_new[rows] = True
    if len(rows) > _FEW or filters:
        present = present_rows(tables)
        row_of_id = np.zeros(int(tables.link[present, ID].max(initial=0)) + 1, np.int32)
        row_of_id[tables.link[present, ID]] = present
        near = row_of_id[overlapping_bounds(tables)].reshape(-1, 2)
        kept = is_new[near].any(axis=1)
        low, high = np.sort(tables.link[near, GROUP], axis=1).T
        for a, b in filters:
            kept |= (low == min(a, b)) & (high == max(a, b))
        _keep_close(bodies, tables.periods, near, now, kept)
        return near[kept]
    found = np.empty((64, 2), np.int32)
    while (n := _with_all(bodies, tables.periods, rows, is_new, now, found)) > len(found):
        found = np.empty((n, 2), np.int32)
    return found[:n]


def _still_close(tables: Tables, registry: Registry, pairs: list[Pair]) -> NDArray[np.int32]:
    """Rows (m, 2) of those pairs of ids that are there and may overlap now."""
    rows = [registry.rows_left(np.array(pair)) for pair in pairs]
    near = np.array([pair for pair in rows if len(pair) == 2], np.int32).reshape(-1, 2)
    kept = np.ones(len(near), np.bool_)
    with compiling("the search for overlaps at the start"):
        _keep_close(tables.bodies(), tables.periods, near, float(tables.param[NOW]), kept)
    return near[kept]


class _Overlap:
    """Rows i and j, the lower id first, whose bounding spheres overlap now."""

    def __init__(self, tables: Tables, i: int, j: int) -> None:
        self._tables, self._pair = tables, PlacedPair(tables, i, j)
        self._simple = set(self._pair.kinds.tolist()) <= {SPHERE, HALF_SPACE}
        if not self._simple:
            with compiling("overlap of bodies where they start"):
                self._found: Any = penetration(*self._pair.shapes(), *self._pair.poses(), threads=1)

    @property
    def is_deep(self) -> bool:
        """Is it more than a touch that rounding deepened?"""
        if self._simple:
            return True
        i, j = (int(row) for row in self._pair.rows)
        return bool(self._found.depth > _touch_depth(self._tables.bodies(), i, j, self._pair.now))

    def contact(self) -> tuple[Floats, Floats, float]:
        """Point, unit normal from i to j, and the speed of approach along it."""
        tables, rows = self._tables, self._pair.rows
        here, there = self._pair.places
        if not self._simple:
            normal = self._found.normal
            point = 0.5 * (self._found.point_a + self._found.point_b)
        else:
            planes = self._pair.kinds == HALF_SPACE
            if planes.any():
                k = int(np.flatnonzero(planes)[0])
                normal = tables.body[rows[k], CX : CX + 3] * (1.0 if k == 0 else -1.0)
            else:
                apart = float(length(there - here))
                normal = (there - here) / apart if apart > 0.0 else np.array((1.0, 0.0, 0.0))
            ball = 1 if planes[0] else 0
            reach = 0.0 if planes.all() else float(tables.body[rows[ball], RADIUS])
            point = self._pair.places[ball] + (1.0 if ball == 0 else -1.0) * reach * normal
        arms = point - np.array(self._pair.places)
        spins = np.where((tables.link[rows, KIND] == SPHERE)[:, None], 0.0, tables.spin[rows, :3])
        first, second = velocities_at(tables, rows, self._pair.now) + np.cross(spins, arms)
        return point, normal, float(dot(first - second, normal))
