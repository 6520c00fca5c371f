"""All contacts of deforming meshes with themselves and each other over an animation."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import pairwise
from math import inf
from typing import Any

import numpy as np
from numpy.typing import NDArray

from carom import validate
from carom._compile.jit import compiling
from carom._compile.threads import Workers
from carom.deform.chord_front.search import Batch, ChordFront
from carom.deform.chord_front.swept_tree import SweptTree
from carom.deform.chord_front.window_boxes import MOST_INTERVALS, OneInterval, WindowBoxes, window_cuts
from carom.deform.model.assembly import Assembly, assemble
from carom.deform.model.contact_log import EDGE_EDGE, FACE_VERTEX, OVERLAPPING, VERTEX_FACE, DeformContacts, DeformStats
from carom.deform.model.contact_onset import Onsets
from carom.deform.model.fraction_times import times_of
from carom.deform.model.neighbour_search import NeighbourSearch
from carom.deform.model.overlaps import meetings, overlapping
from carom.deform.model.pair_set import pair_set
from carom.deform.model.vertex_envelope import Keys
from carom.deform.triangles.contact_points import touches_of
from carom.deform.triangles.features import FIRST_EDGE
from carom.deform.triangles.pair_tester import NO_HITS, Hits, PairTester
from carom.errors import InvalidInputError
from carom.motion import Deforming, span_of

Floats = NDArray[np.float64]
Progress = Callable[[int, int], None]

METHODS = ("chord-front", "swept")
"""Ways to search; all give the same contacts."""

_MOST_FRAMES = 100_000
"""Parts of an interval for "swept": each is a search of its own."""
_FEWEST = 4000
"""Triangles from which on a search is shared among threads."""


def self_contacts(deforming: Deforming, until: float | None = None, **options: Any) -> DeformContacts:
    """Find all contacts of a deforming mesh with itself.

    Parameters
    ----------
    deforming : Deforming
        The mesh.
    until : float, optional
        End of the search, s. Default: the last key.
    **options
        Options of `carom.deform.check`: method, frames, every, threads, progress.

    Returns
    -------
    DeformContacts
        Contacts in time order.
    """
    return _search((deforming,), until, itself=True, each_other=False, names=("deforming",), **options)


def contacts(a: Deforming, b: Deforming, until: float | None = None, **options: Any) -> DeformContacts:
    """Find all contacts between two deforming meshes.

    Parameters
    ----------
    a, b : Deforming
        The meshes.
    until : float, optional
        End of the search, s. Default: the last key of either.
    **options
        Options of `carom.deform.check`: method, frames, every, threads, progress.

    Returns
    -------
    DeformContacts
        Contacts in time order.
    """
    return _search((a, b), until, itself=False, each_other=True, names=("a", "b"), **options)


def check(
    bodies: Sequence[Deforming], until: float | None = None, *, self_collision: bool = True, **options: Any
) -> DeformContacts:
    """Find all contacts of deforming bodies with each other and, optionally, with themselves.

    The search begins at the earliest first key. A body rests before its own first key and after its last. Pairs of
    triangles that intersect at the earliest first key are reported there with the kind "overlapping", whether they
    approach, separate or rest.

    Contact times and pairs are exact: no contact is missed and none is false. A time is never late, and early by at
    most 1.2e-10 of its interval.

    Parameters
    ----------
    bodies : sequence of Deforming
        The bodies.
    until : float, optional
        End of the search, s. Default: the end of the animation.
    self_collision : bool
        Report contacts of bodies with themselves. Default: True.
    method : {"chord-front", "swept"}
        The search; both give the same contacts. Default: "chord-front".
    frames : int
        Frames per interval, for "swept". Default: 1.
    every : bool
        Report a pair in each interval in which it touches, not only when it begins to touch. Default: False.
    threads : int, optional
        Number of threads. Default: all cores.
    progress : callable, optional
        Called with (intervals done, number of intervals).

    Returns
    -------
    DeformContacts
        Contacts in time order.

    Raises
    ------
    InvalidInputError
        An argument is malformed.
    """
    if isinstance(bodies, Deforming):
        raise InvalidInputError("bodies is one Deforming; expected a sequence of them")
    return _search(
        tuple(validate.several("bodies", bodies, "a sequence of carom.Deforming")),
        until,
        itself=self_collision,
        each_other=True,
        **options,
    )


def _search(
    bodies: tuple[Deforming, ...],
    until: float | None,
    *,
    itself: bool,
    each_other: bool,
    method: str = "chord-front",
    frames: int = 1,
    every: bool = False,
    threads: int | None = None,
    progress: Progress | None = None,
    names: tuple[str, ...] = (),
) -> DeformContacts:
    if not bodies:
        raise InvalidInputError("bodies is empty; expected at least one Deforming")
    for k, body in enumerate(bodies):
        if not isinstance(body, Deforming):
            raise InvalidInputError(
                f"{names[k] if names else f'bodies[{k}]'} is {validate.shown(body)}; expected a carom.Deforming"
            )
    validate.one_of("method", method, METHODS)
    if validate.whole("frames", frames, 1) > _MOST_FRAMES:
        raise InvalidInputError(f"frames is {validate.shown(frames)}; expected {_MOST_FRAMES} at most")
    itself, every = validate.truth("self_collision", itself), validate.truth("every", every)
    if progress is not None and not callable(progress):
        raise InvalidInputError(f"progress is {validate.shown(progress)}; expected a function (done, in all), or None")
    first, _ = span_of(bodies)
    end = inf if until is None else validate.moment("until", until)
    if not end > first:
        raise InvalidInputError(f"until is {end}; expected a time after the first key, {first}")
    with compiling("deforming meshes"):
        assembly = assemble(bodies, end, itself=itself, each_other=each_other)
        with Workers(len(assembly.faces), threads, _FEWEST) as workers:
            search = _Search(assembly, method, frames, every, workers)
            for key in range(len(assembly)):
                search.interval(key)
                if progress is not None:
                    progress(key + 1, len(assembly))
    return search.result(end)


def _first_of_each(hits: list[Hits], n_faces: int) -> tuple[NDArray[np.int32], Floats, NDArray[np.int64]]:
    """Pairs in order, each once, with its first (fraction, code)."""
    hits = [h for h in hits if len(h.fractions)] or [NO_HITS]
    pairs = np.concatenate([h.pairs for h in hits])
    fractions = np.concatenate([h.fractions for h in hits])
    codes = np.concatenate([h.codes for h in hits])
    numbers = pairs[:, 0].astype(np.int64) * n_faces + pairs[:, 1]
    order = np.argsort(numbers)
    ordered = numbers[order]
    again = ordered[1:] == ordered[:-1]
    if again.any():  # sorting by all three takes several times as long
        order = np.lexsort((codes, fractions, numbers))[np.append(True, ~again)]
    return pairs[order], fractions[order], codes[order]


@dataclass(frozen=True, eq=False)
class _Found:
    """Contacts of one interval, complete but for the order."""

    key: int
    pairs: NDArray[np.int32]
    fractions: Floats
    kinds: NDArray[np.int64]
    points: Floats
    normals: Floats
    speeds: Floats
    weights_a: Floats
    weights_b: Floats


class _Search:
    """One run over all intervals: candidates from the method, hits from the pair tests, onsets of those."""

    def __init__(self, assembly: Assembly, method: str, frames: int, every: bool, workers: Workers) -> None:
        self._assembly = assembly
        self._every = every
        self._workers = workers
        self._onsets = Onsets(assembly.faces)
        self._window = WindowBoxes(assembly) if method == "chord-front" else None
        self._swept = SweptTree(assembly, frames) if method == "swept" else None
        self._fronts = (
            [ChordFront(assembly, self._window, slice(*cut)) for cut in workers.cuts(len(assembly.start))]
            if self._window is not None
            else []
        )
        self._neighbours = NeighbourSearch(assembly.faces, assembly.fans) if len(assembly.neighbours) else None
        self._testers = [PairTester(assembly.faces) for _ in range(max(1, len(self._fronts)) + 1)]
        self._keys = Keys(assembly, MOST_INTERVALS if method == "chord-front" else 1)
        cuts = range(len(assembly) + 1) if self._window is None else window_cuts(len(assembly))
        self._end_of_window = dict(pairwise(cuts))
        self._window_begin = 0
        self._settled = pair_set(np.empty(0, np.int64))
        self._found: list[_Found] = []
        self._begun: list[NDArray[np.int32]] = []

    def interval(self, key: int) -> None:
        """Search the interval that begins at `key`; intervals come in order."""
        last = self._end_of_window.get(key)
        if last is not None:
            self._window_begin = key
            self._keys.begin_at(key)
            if self._window is not None:
                self._window.fit(self._keys.places, self._keys.rows(last))
        start, end = self._keys[key], self._keys[key + 1]
        if not self._every:  # of a pair that touches at the key the interval tells nothing new
            self._settled = self._onsets.touching()
        hits = self._hits(key, start, end)
        if key == 0:
            self._report_begun(start)
        pairs, fractions, codes = _first_of_each(hits, len(self._assembly.faces))
        if not self._every:
            new = self._onsets.new(pairs, end)
            pairs, fractions, codes = pairs[new], fractions[new], codes[new]
        touches = touches_of(self._assembly.faces, start, end, pairs, fractions, codes)
        kinds = np.where(codes >= FIRST_EDGE, EDGE_EDGE, np.where(codes >= 3, FACE_VERTEX, VERTEX_FACE))
        span = float(self._assembly.times[key + 1] - self._assembly.times[key])
        self._found.append(
            _Found(
                key,
                pairs,
                fractions,
                kinds,
                touches.points,
                touches.normals,
                touches.speeds / span,
                touches.weights_a,
                touches.weights_b,
            )
        )

    def _hits(self, key: int, start: Floats, end: Floats) -> list[Hits]:
        tasks: list[Callable[[], list[Hits]]] = [
            partial(self._test_front, key, tester, front, start, end)
            for front, tester in zip(self._fronts, self._testers, strict=False)
        ]
        if self._swept is not None:
            tasks.append(partial(self._test, key, self._testers[0], self._swept.interval(start, end), start, end))
        if self._neighbours is not None:
            tasks.append(partial(self._test_neighbours, start, end))
        return [h for hits in self._workers.run(lambda k: tasks[k](), len(tasks)) for h in hits]

    def _test_front(self, key: int, tester: PairTester, front: ChordFront, start: Floats, end: Floats) -> list[Hits]:
        def watching() -> Iterator[Batch]:
            for batch in front.interval(key - self._window_begin):
                yield batch
                front.keep(batch[2], tester.witnesses)

        return self._test(key, tester, watching(), start, end)

    def _test(self, key: int, tester: PairTester, batches: Iterator[Batch], start: Floats, end: Floats) -> list[Hits]:
        hits = []
        for pairs, windows, n in batches:
            hits.append(tester.run(start, end, pairs, windows, n, settled=self._settled))
            if key == 0:
                near = pairs[:n][windows[:n, 0] == 0.0]
                self._begun.append(near[overlapping(self._assembly.faces, start, near)])
        return hits

    def _test_neighbours(self, start: Floats, end: Floats) -> list[Hits]:
        assert self._neighbours is not None
        pairs, windows, n = self._neighbours.interval(start, end)
        return [self._testers[-1].run(start, end, pairs, windows, n, adjacent=True)]

    def _resting_overlaps(self, start: Floats) -> Iterator[NDArray[np.int32]]:
        """Pairs of triangles (n, 2) that intersect and never move."""
        assembly = self._assembly
        if not len(assembly.still):
            return
        resting = replace(assembly, start=assembly.still)
        for pairs, _, n in ChordFront(resting, OneInterval(resting, start, start), slice(None)).interval(0):
            yield pairs[:n][overlapping(assembly.faces, start, pairs[:n])]

    def _report_begun(self, start: Floats) -> None:
        """Pairs that intersect at the first key are reported there, once."""
        found = np.concatenate([np.empty((0, 2), np.int32), *self._begun, *self._resting_overlaps(start)])
        found = np.unique(found, axis=0)
        self._onsets.begin(found)
        points, normals = meetings(self._assembly.faces, start, found)
        still = np.zeros(len(found))
        third = np.full((len(found), 3), np.nan)
        self._found.append(
            _Found(0, found, still, np.full(len(found), OVERLAPPING), points, normals, still, third, third)
        )

    def result(self, until: float) -> DeformContacts:
        """Everything found, in order, up to `until`."""
        assembly, found = self._assembly, self._found
        pairs = np.concatenate([f.pairs for f in found]).astype(np.int64)
        keys = np.repeat([f.key for f in found], [len(f.pairs) for f in found]).astype(np.int64)
        fractions = np.concatenate([f.fractions for f in found])
        times = times_of(assembly.times[keys], assembly.times[keys + 1], fractions)
        order = np.lexsort((pairs[:, 1], pairs[:, 0], times))
        order = order[times[order] <= until]
        a, b = pairs[order, 0], pairs[order, 1]
        body_a, body_b = assembly.body_of(a), assembly.body_of(b)

        def joined(column: str) -> NDArray[Any]:
            return np.concatenate([getattr(f, column) for f in found])[order]

        return DeformContacts(
            times[order], keys[order], fractions[order], body_a, body_b,
            a - assembly.first_face[body_a], b - assembly.first_face[body_b], joined("kinds"),
            joined("points"), joined("normals"), joined("speeds"), joined("weights_a"), joined("weights_b"),
            self._stats(),
        )  # fmt: skip

    def _stats(self) -> DeformStats:
        box_tests = sum(front.box_tests for front in self._fronts)
        if self._swept is not None:
            box_tests += self._swept.box_tests
        return DeformStats(
            intervals=len(self._assembly),
            box_tests=box_tests,
            pairs_opened=sum(front.pairs_opened for front in self._fronts),
            pair_tests=sum(tester.tested for tester in self._testers[:-1]),
            neighbour_tests=self._testers[-1].tested,
            feature_tests=sum(tester.filtered for tester in self._testers),
            exact_tests=sum(tester.exact for tester in self._testers),
        )
