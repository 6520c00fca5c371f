"""Overlapping pairs of moving boxes: the pairs that began and ended since the last update.

Pairs of boxes with a margin are kept. While boxes stay within their margins only these pairs are tested again: those that are
due if most boxes moved, else those of the moved boxes. A box that leaves its margin gets a new one and new partners from its
surroundings; if many do, everything is recomputed.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
from numpy.typing import ArrayLike, NDArray

from carom import validate
from carom._compile.jit import compiling
from carom._compile.threads import Workers
from carom._copies import Copyable
from carom.boxes.fat_boxes import begin_pairs, compare_boxes, fatten, retest_pairs, store_boxes
from carom.boxes.grid import BoxGrid, Floats, grid_for
from carom.boxes.linked_boxes import (
    FREE,
    USED,
    BoxChains,
    PairChains,
    chain_pairs,
    enter_boxes,
    move_boxes,
    renew_pairs,
    retest_rows,
)
from carom.boxes.pair_order import in_order
from carom.boxes.still_boxes import Pairs, as_boxes, find_pairs, pairs_found, survey_boxes
from carom.errors import AuditError, InvalidInputError

Rows = NDArray[np.int32]

_MARGIN = 0.2
"""Margin of a box on every side, relative to its size: a larger one means more pairs, a smaller one more boxes that leave."""
_MOST = 1 / 8  # Fraction of moved boxes above which all pairs are tested, rather than those of the moved boxes
_MANY = 1 / 16  # Fraction of boxes that leave their margins above which everything is recomputed
_YOUNG = 4  # Number of updates after which recomputing everything has paid off
_BUFFER = 4096  # Initial number of pairs of a buffer
_SAMPLE = 4096  # Number of boxes sampled for the distance between boxes

_MORE = 1.0 + 2.0**-50  # Rounds a difference of two numbers up

_NAMES = ("lo", "hi")


class BoxPairs(Copyable):
    """The overlapping pairs of moving boxes, always equal to those of `box_pairs`.

    Parameters
    ----------
    lo, hi : array_like of shape (n, k)
        Lower and upper ends of closed boxes in k >= 1 dimensions; they may be infinite.
    threads : int, optional
        Number of threads. Default: all cores if there are enough boxes.

    Raises
    ------
    InvalidInputError
        An end is NaN, or lo > hi; the message names the row.
    """

    def __init__(self, lo: ArrayLike, hi: ArrayLike, *, threads: int | None = None) -> None:
        threads = validate.threads(threads)
        self._threads = threads
        low, high = as_boxes(lo, hi, _NAMES)
        n, k = low.shape
        self._every = np.arange(n, dtype=np.int32)
        self._fat_lo, self._fat_hi = np.empty((n, k)), np.empty((n, k))
        self._row, self._on, self._due = np.empty(0, np.int32), np.empty(0, np.uint8), np.empty(0)
        self._odometer = 0.0
        self._grid: BoxGrid | None = None
        self._boxes: BoxChains | None = None
        self._chains: PairChains | None = None
        self._sorted: Pairs | None = None
        with compiling("moving boxes"), Workers(n, threads) as workers:
            survey_boxes(low, high, workers, _NAMES)
            self._ends = np.concatenate((low, high), axis=1)
            self._find_afresh(self._ends, workers)

    def __len__(self) -> int:
        """Number of boxes."""
        return len(self._ends)

    def pairs(self) -> Pairs:
        """Return all pairs that overlap, int32 (m, 2): i < j, sorted."""
        if self._sorted is None:
            n = len(self)
            row, on = (self._row, self._on) if self._chains is None else (self._chains.row, self._chains.on)
            found = row.reshape(-1, 2)[on.view(np.bool_)]
            with Workers(len(found), self._threads) as workers:
                self._sorted = _sorted_pairs([found], n, workers)
        return self._sorted.copy()

    def update(self, lo: ArrayLike, hi: ArrayLike, rows: ArrayLike | None = None) -> tuple[Pairs, Pairs]:
        """Move or resize boxes.

        The cost depends on the boxes that moved: a box that stays within a fifth of its size is tested against its
        partners only, and one that leaves this margin needs a search of its surroundings. With `rows`, no other box is
        visited.

        Parameters
        ----------
        lo, hi : array_like of shape (n, k) or (len(rows), k)
            New ends of all boxes, or of those of `rows` in the same order.
        rows : array_like of int, optional
            The boxes that change. Default: all.

        Returns
        -------
        began, ended : ndarray of int32, shape (m, 2)
            Pairs that began and pairs that ended to overlap since the last update: i < j, sorted.

        Raises
        ------
        InvalidInputError
            As for the constructor, or a row does not exist or appears twice. Nothing is changed then.
        """
        new_lo, new_hi = as_boxes(lo, hi, _NAMES)
        which = self._every if rows is None else self._checked_rows(rows)
        expected = (len(which), self._fat_lo.shape[1])
        if new_lo.shape != expected:
            raise InvalidInputError(f"lo has shape {new_lo.shape}; expected {expected}")
        n = len(self)
        with compiling("moving boxes"), Workers(len(which), self._threads) as workers:
            moved, escaped, way = self._compared(which, new_lo, new_hi, workers)
            if not len(moved):
                return _sorted_pairs([], n, workers), _sorted_pairs([], n, workers)
            self._sorted = None
            self._age += 1
            self._escapes += len(escaped)
            most = len(moved) > _MOST * n
            stale = most and self._chains is None and self._age >= _YOUNG
            if len(escaped) > _MANY * n or (len(escaped) and stale) or self._escapes > n:
                before = self._ends
                self._ends = before.copy()
                self._store(which, new_lo, new_hi, moved, workers)
                self._odometer = math.inf
                _, ended = self._retested(workers)
                return _sorted_pairs(self._find_afresh(before, workers), n, workers), _sorted_pairs(ended, n, workers)
            self._store(which, new_lo, new_hi, moved, workers)
            if most:
                # Escaped boxes would make all pairs due: theirs are tested separately.
                self._odometer = math.nextafter(self._odometer + way * _MORE, math.inf)
                began, ended = self._retested(workers)
            else:
                began, ended = [], []
            few = escaped if most else moved
            if len(few):
                more_began, more_ended = self._retested_rows(which[few], workers)
                began, ended = began + more_began, ended + more_ended
            if len(escaped):
                began += self._renewed(which[escaped], workers)
            return _sorted_pairs(began, n, workers), _sorted_pairs(ended, n, workers)

    def check(self) -> None:
        """Raise AuditError if a box is outside its margin or the pairs are not those of a new search."""
        k = self._fat_lo.shape[1]
        low, high = np.ascontiguousarray(self._ends[:, :k]), np.ascontiguousarray(self._ends[:, k:])
        outside = ((low < self._fat_lo) | (high > self._fat_hi)).any(axis=1)
        if outside.any():
            raise AuditError(f"box {int(outside.argmax())} is out of its margin")
        self._sorted = None
        if not np.array_equal(self.pairs(), find_pairs(low, high, self._threads)):
            raise AuditError("the pairs kept are not those that overlap")

    def _checked_rows(self, rows: ArrayLike) -> Rows:
        which = np.asarray(rows)
        if which.ndim != 1 or (which.size and which.dtype.kind not in "iu"):
            raise InvalidInputError(f"rows is {rows!r}; expected row numbers, one for each new box")
        outside = np.flatnonzero((which < 0) | (which >= len(self)))
        if len(outside):
            k = int(outside[0])
            raise InvalidInputError(f"rows[{k}] is {which[k]}; expected 0 to {len(self) - 1}")
        values, counts = np.unique(which, return_counts=True)
        if len(values) < len(which):
            raise InvalidInputError(f"rows has {values[counts > 1][0]} more than once; expected every row once")
        return which.astype(np.int32)

    def _compared(self, which: Rows, lo: Floats, hi: Floats, workers: Workers) -> tuple[Rows, Rows, float]:
        """Return places of the new boxes that changed and of those outside their margins; displacement of the others."""
        cuts = workers.cuts(len(which))
        moved, escaped = np.empty(len(which), np.int32), np.empty(len(which), np.int32)
        found = workers.run(
            lambda part: compare_boxes(
                self._ends, self._fat_lo, self._fat_hi, which, lo, hi, *cuts[part], moved, escaped
            ),
            len(cuts),
        )
        for wrong, *_ in found:
            if wrong >= 0:
                d = int(np.flatnonzero(~(lo[wrong] <= hi[wrong]))[0])
                raise InvalidInputError(
                    f"lo[{wrong}, {d}] is {lo[wrong, d]} and hi[{wrong}, {d}] is {hi[wrong, d]}; expected numbers with lo <= hi"
                )
        places = list(zip(cuts, found, strict=True))
        return (
            np.concatenate([moved[begin : begin + n] for (begin, _), (_, n, _, _) in places]),
            np.concatenate([escaped[begin : begin + n] for (begin, _), (_, _, n, _) in places]),
            max(way for *_, way in found),
        )

    def _store(self, which: Rows, lo: Floats, hi: Floats, moved: Rows, workers: Workers) -> None:
        cuts = workers.cuts(len(moved))
        workers.run(lambda part: store_boxes(self._ends, which, lo, hi, moved, *cuts[part]), len(cuts))

    def _find_afresh(self, before: Floats, workers: Workers) -> list[Pairs]:
        """Make new margins and pairs for all boxes; returns pairs that do not overlap in the boxes `before`."""
        n = len(self)
        self._grid = self._boxes = self._chains = None
        self._sorted = None
        self._age, self._escapes, self._odometer = 0, 0, 0.0
        self._spacing = self._distance_of_neighbours()
        margin = 0.0 if self._jumped(before) else _MARGIN
        cuts = workers.cuts(n)
        workers.run(
            lambda part: fatten(
                self._ends, self._every, *cuts[part], margin, self._spacing, self._fat_lo, self._fat_hi
            ),
            len(cuts),
        )
        found = pairs_found(self._fat_lo, self._fat_hi, workers)
        self._row = np.concatenate((np.empty((0, 2), np.int32), *found)).ravel()
        self._on = np.empty(len(self._row) // 2, np.uint8)
        self._due = np.empty(len(self._on))
        parts = workers.cuts(len(self._on))

        def begin(part: int) -> list[Pairs]:
            def work(at: int, began: Pairs, _: Pairs) -> tuple[int, int, int]:
                return *begin_pairs(self._ends, before, self._row, self._on, self._due, at, parts[part][1], began), 0

            return _collected(work, *parts[part])[0]

        return [pairs for part in workers.run(begin, len(parts)) for pairs in part]

    def _jumped(self, before: Floats) -> bool:
        """Return whether boxes move so far that a margin would not serve twice."""
        n, k = self._fat_lo.shape
        every = max(1, n // _SAMPLE)
        now, then = self._ends[::every], before[::every]
        with np.errstate(invalid="ignore", over="ignore"):
            way = np.nanmax(np.abs(now - then), axis=1, initial=0.0)
            size = np.nanmax(now[:, k:] - now[:, :k], axis=1, initial=self._spacing)
        return bool(2 * np.count_nonzero(2.0 * way > _MARGIN * size) > len(now))

    def _distance_of_neighbours(self) -> float:
        """Return the assumed size of boxes without any."""
        n, k = self._fat_lo.shape
        sample = self._ends[:: max(1, n // _SAMPLE)]
        finite = sample[np.isfinite(sample).all(axis=1), :k]
        return float(np.ptp(finite, axis=0).max()) / n ** (1.0 / k) if len(finite) else 0.0

    def _retested(self, workers: Workers) -> tuple[list[Pairs], list[Pairs]]:
        """Return the kept pairs that began and ended to overlap."""
        chains, odometer = self._chains, self._odometer
        if chains is None:
            row, on, due, n = self._row, self._on, self._due, len(self._on)
        else:
            row, on, due, n = chains.row, chains.on, chains.due, int(chains.counter[USED])
        parts = workers.cuts(n)

        def retest(part: int) -> tuple[list[Pairs], list[Pairs]]:
            begin, end = parts[part]
            return _collected(
                lambda at, *buffers: retest_pairs(self._ends, row, on, due, odometer, at, end, *buffers), begin, end
            )

        found = workers.run(retest, len(parts))
        return [pairs for began, _ in found for pairs in began], [pairs for _, ended in found for pairs in ended]

    def _retested_rows(self, rows: Rows, workers: Workers) -> tuple[list[Pairs], list[Pairs]]:
        """Return the same for pairs of some rows."""
        chains = self._linked(workers)[2]
        odometer = self._odometer
        return _collected(
            lambda at, *buffers: retest_rows(self._ends, chains, odometer, rows, at, *buffers), 0, len(rows)
        )

    def _renewed(self, rows: Rows, workers: Workers) -> list[Pairs]:
        """Make new margins and partners for some rows; returns pairs that began to overlap."""
        grid, boxes, _ = self._linked(workers)
        fat_lo, fat_hi = self._fat_lo, self._fat_hi
        fatten(self._ends, rows, 0, len(rows), _MARGIN, self._spacing, fat_lo, fat_hi)
        move_boxes(grid, boxes, fat_lo, fat_hi, rows)

        def renew(at: int, began: Pairs, _: Pairs) -> tuple[int, int, int]:
            return *renew_pairs(
                self._ends, grid, boxes, self._roomy_chains(), self._odometer, fat_lo, fat_hi, rows, at, began
            ), 0

        return _collected(renew, 0, len(rows))[0]

    def _linked(self, workers: Workers) -> tuple[BoxGrid, BoxChains, PairChains]:
        """Return the chains of boxes and pairs, made when first needed."""
        if self._grid is None or self._boxes is None or self._chains is None:
            n = len(self)
            survey = survey_boxes(self._fat_lo, self._fat_hi, workers, None)
            self._grid = grid = grid_for(self._fat_lo, self._fat_hi, survey, sorted_slots=False)
            first = np.full(int(grid.first_slot[-1]), -1, np.int32)
            after, before, slot = np.full((3, n), -1, np.int32)
            self._boxes = BoxChains(first, after, before, slot, np.zeros(len(grid.scale), np.int64))
            enter_boxes(grid, self._boxes, self._fat_lo, self._fat_hi)
            after, before = np.full((2, len(self._row)), -1, np.int32)
            count = np.array([len(self._on), -1, 0, 0], np.int64)
            heads, seen = np.full(n, -1, np.int32), np.zeros(n, np.int64)
            self._chains = PairChains(self._row, after, before, heads, self._on, self._due, seen, count)
            chain_pairs(self._chains)
            self._row, self._on, self._due = np.empty(0, np.int32), np.empty(0, np.uint8), np.empty(0)
        return self._grid, self._boxes, self._chains

    def _roomy_chains(self) -> PairChains:
        """Return the chains of pairs with room for at least one more."""
        chains = self._chains
        assert chains is not None
        used = int(chains.counter[USED])
        if chains.counter[FREE] < 0 and used == len(chains.on):
            more = max(_BUFFER, used // 4)
            row, after, before = (
                np.concatenate((old, np.full(2 * more, -1, np.int32))) for old in (chains.row, chains.next, chains.prev)
            )
            on = np.concatenate((chains.on, np.zeros(more, np.uint8)))
            due = np.concatenate((chains.due, np.zeros(more)))
            chains = self._chains = chains._replace(row=row, next=after, prev=before, on=on, due=due)
        return chains


def _collected(
    work: Callable[[int, Pairs, Pairs], tuple[int, int, int]], begin: int, end: int
) -> tuple[list[Pairs], list[Pairs]]:
    """Call work(at, began, ended) -> (where to continue, numbers of both) with new buffers until the end."""
    all_began: list[Pairs] = []
    all_ended: list[Pairs] = []
    room = _BUFFER
    while begin < end:
        began, ended = np.empty((room, 2), np.int32), np.empty((room, 2), np.int32)
        begin, n_began, n_ended = work(begin, began, ended)
        all_began.append(began[:n_began])
        all_ended.append(ended[:n_ended])
        room *= 4
    return all_began, all_ended


def _sorted_pairs(chunks: list[Pairs], n: int, workers: Workers) -> Pairs:
    """Return the pairs of all chunks with their lower row first, sorted."""
    if sum(map(len, chunks)) > _MOST * n:
        return in_order([np.stack((c.min(axis=1), c.max(axis=1)), axis=1) for c in chunks], (n, n), workers)
    pairs = np.concatenate((np.empty((0, 2), np.int32), *chunks))
    key = pairs.min(axis=1).astype(np.int64) * n + pairs.max(axis=1)
    key.sort()
    return np.stack((key // max(1, n), key % max(1, n)), axis=1).astype(np.int32)
