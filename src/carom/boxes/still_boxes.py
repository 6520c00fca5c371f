"""Overlapping pairs of boxes at one instant.

Boxes are in grids by size, sorted along one axis within rows of cells; rows are swept against neighbouring rows, and boxes of
one size are looked up among those of another. Linear in boxes and pairs except for boxes that are long in one direction and
thin in others; all decisions are comparisons of the given numbers.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import ArrayLike, NDArray

from carom import validate
from carom._compile.jit import compiling
from carom._compile.threads import Workers
from carom.boxes.grid import BoxGrid, Floats, Survey, grid_for, survey_into
from carom.boxes.index import BoxIndex, build_index
from carom.boxes.pair_order import in_order
from carom.boxes.sweep import AS_FOUND, LOWER_FIRST, SECOND_FIRST, compare_all, search_level, sweep_level
from carom.errors import InvalidInputError

Pairs = NDArray[np.int32]
Search = Callable[[int, int, Pairs], tuple[int, int]]
"""search(begin, end, pairs) -> (place to continue from, pairs written)"""

Names = tuple[str, str]
"""Names of lower and upper ends in messages."""

_NAMES, _OTHER_NAMES = ("lo", "hi"), ("other_lo", "other_hi")
_FEW = 100 * 100  # Number of pairs below which direct comparison is faster than a grid
_FINER = 8  # Parts of a search per thread, because their costs differ
_ROOM = 3  # Initial room for pairs per box
_LEAST_ROOM = 1024


def box_pairs(
    lo: ArrayLike,
    hi: ArrayLike,
    other_lo: ArrayLike | None = None,
    other_hi: ArrayLike | None = None,
    *,
    threads: int | None = None,
) -> Pairs:
    """Find all pairs of boxes that overlap; touching counts.

    Parameters
    ----------
    lo, hi : array_like of shape (n, k)
        Lower and upper ends of closed boxes in k >= 1 dimensions; they may be infinite.
    other_lo, other_hi : array_like of shape (n', k), optional
        A second set of boxes. If given, the pairs are between the two sets.
    threads : int, optional
        Number of threads. Default: all cores if there are enough boxes.

    Returns
    -------
    ndarray of int32, shape (m, 2)
        Rows i < j of one set, or i of the first set and j of the second, sorted by i, then j; the same for any number
        of threads.

    Raises
    ------
    InvalidInputError
        An end is NaN, or lo > hi; the message names the row.
    """
    threads = validate.threads(threads)
    first = as_boxes(lo, hi, _NAMES)
    if (other_lo is None) != (other_hi is None):
        raise InvalidInputError("other_lo and other_hi must both be given, or none of them")
    with compiling("box pairs"):
        if other_lo is None or other_hi is None:
            return find_pairs(*first, threads, _NAMES)
        second = as_boxes(other_lo, other_hi, _OTHER_NAMES)
        if first[0].shape[1] != second[0].shape[1]:
            raise InvalidInputError(
                f"other_lo has shape {second[0].shape}; expected (n, {first[0].shape[1]}) as lo has {first[0].shape}"
            )
        return _find_pairs_between(*first, *second, threads)


def as_boxes(lo: ArrayLike, hi: ArrayLike, names: Names) -> tuple[Floats, Floats]:
    """Return lo and hi as float64 (n, k), without a copy if they are; values are checked later."""
    ends = []
    for name, value in zip(names, (lo, hi), strict=True):
        try:
            plain = (
                isinstance(value, np.ndarray) and value.dtype.kind in "iuf" and not isinstance(value, np.ma.MaskedArray)
            )
            # Kernels take writeable arrays only: they would be compiled again for others.
            end = np.require(
                value if plain else validate.real_numbers(name, value, (None, None)), np.float64, ["C", "W"]
            )
        except InvalidInputError:
            raise InvalidInputError(f"{name} cannot be read as numbers; expected shape (n, k)") from None
        if end.ndim != 2 or end.shape[1] < 1:
            raise InvalidInputError(f"{name} has shape {end.shape}; expected (n, k) with k of 1 or more")
        ends.append(end)
    low, high = ends
    if low.shape != high.shape:
        raise InvalidInputError(f"{names[1]} has shape {high.shape}; expected {low.shape} as {names[0]}")
    return low, high


def find_pairs(lo: Floats, hi: Floats, threads: int | None = None, names: Names | None = None) -> Pairs:
    """As box_pairs of one set, for C-contiguous arrays.

    With the names of lo and hi, invalid boxes raise InvalidInputError; without, those with lo > hi are compared like others.
    """
    n = len(lo)
    with Workers(n, threads) as workers:
        return in_order(pairs_found(lo, hi, workers, names), (n, n), workers)


def pairs_found(lo: Floats, hi: Floats, workers: Workers, names: Names | None = None) -> list[Pairs]:
    """As find_pairs, but unsorted: those of neighbouring boxes near each other."""
    survey = survey_boxes(lo, hi, workers, names)
    if len(lo) ** 2 <= _FEW:
        return [_compared(lo, hi, lo, hi, True)]
    grid = grid_for(lo, hi, survey, sorted_slots=True)
    index = build_index(grid, lo, hi, workers)
    levels = _level_places(grid, index)
    searches: list[tuple[Search, int, int]] = []
    for a, places in levels.items():
        searches += _cut(_sweep(grid, a, index), places, workers)
        for b in levels:
            if b > a:
                searches += _cheaper(grid, (a, levels[a], index), (b, levels[b], index), False, workers)
    return _overlapping_beyond(grid, _collect(searches, workers), lo, hi, lo, hi)


def _find_pairs_between(
    lo: Floats, hi: Floats, other_lo: Floats, other_hi: Floats, threads: int | None = None
) -> Pairs:
    """As box_pairs of two sets, for C-contiguous arrays."""
    with Workers(max(len(lo), len(other_lo)), threads) as workers:
        surveys = survey_boxes(lo, hi, workers, _NAMES), survey_boxes(other_lo, other_hi, workers, _OTHER_NAMES)
        if len(lo) * len(other_lo) <= _FEW:
            return _compared(lo, hi, other_lo, other_hi, False)
        if len(lo) > len(other_lo):
            grid = grid_for(lo, hi, surveys[0], sorted_slots=True)
        else:
            grid = grid_for(other_lo, other_hi, surveys[1], sorted_slots=True)
        first, second = build_index(grid, lo, hi, workers), build_index(grid, other_lo, other_hi, workers)
        searches: list[tuple[Search, int, int]] = []
        for a, places_a in _level_places(grid, first).items():
            for b, places_b in _level_places(grid, second).items():
                searches += _cheaper(grid, (a, places_a, first), (b, places_b, second), True, workers)
        chunks = _collect(searches, workers)
        del first, second
        return in_order(
            _overlapping_beyond(grid, chunks, lo, hi, other_lo, other_hi), (len(lo), len(other_lo)), workers
        )


def _compared(lo: Floats, hi: Floats, other_lo: Floats, other_hi: Floats, same: bool) -> Pairs:
    pairs = np.empty((len(lo) * len(other_lo), 2), np.int32)
    return pairs[: compare_all(lo, hi, other_lo, other_hi, same, pairs)].copy()


def survey_boxes(lo: Floats, hi: Floats, workers: Workers, names: Names | None) -> Survey:
    """Return extent and sizes; with names, InvalidInputError for NaN and lo > hi."""
    rows = workers.cuts(len(lo))
    out = np.empty((len(rows), 3, lo.shape[1]))
    for bad in workers.run(lambda part: survey_into(lo, hi, *rows[part], out[part]), len(rows)):
        if bad >= 0 and names:
            d = int(np.flatnonzero(~(lo[bad] <= hi[bad]))[0])
            raise InvalidInputError(
                f"{names[0]}[{bad}, {d}] is {lo[bad, d]} and {names[1]}[{bad}, {d}] is {hi[bad, d]}; expected numbers "
                "with lo <= hi"
            )
    return Survey(out[:, 0].min(axis=0), out[:, 1].max(axis=0), out[:, 2].max(axis=0))


def _level_places(grid: BoxGrid, index: BoxIndex) -> dict[int, tuple[int, int]]:
    """Return the range of places of each level that is not empty."""
    bounds = [int(place) for place in index.start[grid.first_slot]]
    return {k: (bounds[k], bounds[k + 1]) for k in range(len(bounds) - 1) if bounds[k] < bounds[k + 1]}


def _cut(search: Search, places: tuple[int, int], workers: Workers) -> list[tuple[Search, int, int]]:
    begin, end = places
    return [(search, begin + a, begin + b) for a, b in workers.cuts(end - begin, _FINER)]


def _sweep(grid: BoxGrid, level: int, index: BoxIndex) -> Search:
    return lambda begin, end, pairs: sweep_level(grid, level, index, begin, end, pairs)


def _cheaper(
    grid: BoxGrid,
    a: tuple[int, tuple[int, int], BoxIndex],
    b: tuple[int, tuple[int, int], BoxIndex],
    between: bool,
    workers: Workers,
) -> list[tuple[Search, int, int]]:
    """Look up the boxes of one level in the other level, in the direction that visits fewer slots. between: of two sets."""
    swapped = _visits(grid, b, a) < _visits(grid, a, b)
    (_, places, here), (level, _, index) = (b, a) if swapped else (a, b)
    order = (SECOND_FIRST if swapped else AS_FOUND) if between else LOWER_FIRST

    def search(begin: int, end: int, pairs: Pairs) -> tuple[int, int]:
        return search_level(grid, level, here, begin, end, index, order, pairs)

    return _cut(search, places, workers)


def _visits(
    grid: BoxGrid, here: tuple[int, tuple[int, int], BoxIndex], there: tuple[int, tuple[int, int], BoxIndex]
) -> float:
    """Return the approximate number of visited slots when all boxes of `here` are looked up in `there`."""
    begin, end = here[1]
    span = 2.0 + grid.scale[there[0]] / np.maximum(grid.scale[here[0]], np.finfo(np.float64).tiny)
    return (end - begin) * float(np.prod(np.minimum(span, grid.period[there[0]])))


def _collect(searches: list[tuple[Search, int, int]], workers: Workers) -> list[Pairs]:
    """Return the results of all searches, in order."""

    def work(k: int) -> list[Pairs]:
        search, begin, end = searches[k]
        room = max(_LEAST_ROOM, _ROOM * (end - begin))
        chunks = []
        while begin < end:
            pairs = np.empty((room, 2), np.int32)
            at, n = search(begin, end, pairs)
            if n:
                chunks.append(pairs[:n])
            elif at < end:
                room *= 4
            begin = at
        return chunks

    return [chunk for chunks in workers.run(work, len(searches)) for chunk in chunks]


def _overlapping_beyond(
    grid: BoxGrid, chunks: list[Pairs], lo: Floats, hi: Floats, other_lo: Floats, other_hi: Floats
) -> list[Pairs]:
    """Return the pairs that also overlap along the axes that the grid lacks."""
    for d in sorted(set(range(lo.shape[1])) - set(grid.axes.tolist())):
        for k, pairs in enumerate(chunks):
            i, j = pairs[:, 0], pairs[:, 1]
            chunks[k] = pairs[(lo[i, d] <= other_hi[j, d]) & (other_lo[j, d] <= hi[i, d])]
    return chunks
