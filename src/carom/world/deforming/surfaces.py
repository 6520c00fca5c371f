"""First contacts of all pairs of triangles of two surfaces, or of one with itself, over one interval; exact.

Vertices move straight over the interval. Rigid surfaces and bodies that are asked about in the middle of a piece have their
vertices at the interval's ends rounded to doubles; for these the answer is exact.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import inf

import numpy as np
from numpy.typing import NDArray

from carom.deform.chord_front.search import ChordFront
from carom.deform.chord_front.window_boxes import OneInterval
from carom.deform.model.adjacency import adjacency_of
from carom.deform.model.assembly import Assembly
from carom.deform.model.fraction_times import times_of
from carom.deform.model.mesh_tree import MeshTree, join_trees
from carom.deform.model.neighbour_search import NeighbourSearch
from carom.deform.model.overlaps import meetings, overlapping
from carom.deform.triangles.contact_points import touches_of
from carom.deform.triangles.features import FEATURES, FIRST_EDGE, PLACES, feature_points
from carom.deform.triangles.pair_tester import Hits, PairTester
from carom.deform.triangles.triangle_pairs import QUANTUM
from carom.maths.fixed_order import dot
from carom.narrow.features import decide_features
from carom.narrow.toi.status import EXACT, OVERLAPPING
from carom.tolerances import CLOSING_NOISE, PARTING_GAP
from carom.world.deforming.parting import parting_shares, sided
from carom.world.deforming.touches import Touches

Floats = NDArray[np.float64]
Pairs = NDArray[np.int32]


@dataclass(frozen=True, eq=False)
class Before:
    """How the vertices of both surfaces moved up to the instant at which a look begins: places and velocities (n, 4)."""

    places: Floats
    velocities: Floats


class SurfaceSearch:
    """Two surfaces, joined: triangles and vertices of b are numbered behind those of a. Without b: a and itself."""

    def __init__(
        self, faces_a: Pairs, tree_a: MeshTree, n_a: int, faces_b: Pairs | None = None, tree_b: MeshTree | None = None
    ) -> None:
        self._m_a = len(faces_a)
        self._itself = faces_b is None or tree_b is None
        none = np.empty((0, 2), np.int32)
        if faces_b is None or tree_b is None:
            adjacency = adjacency_of(tree_a, faces_a)
            faces, tree, start, neighbours = faces_a, tree_a, adjacency.start, adjacency.neighbours
        else:
            faces = np.concatenate([faces_a, faces_b + np.int32(n_a)])
            tree, neighbours = join_trees([tree_a, tree_b]), none
            start = np.array([[0, len(tree_a)]], np.int32)
        self.faces = np.array(faces)  # one that can be written to, else kernels would be compiled once more
        n_vertices = np.array([0, int(faces.max()) + 1])
        ends = np.array([0, len(faces)])
        self._assembly = Assembly((), self.faces, ends, n_vertices, np.array([0.0, 1.0]), tree, start, neighbours)
        self._tester = PairTester(self.faces)
        self._neighbours = NeighbourSearch(self.faces, self._assembly.fans) if len(neighbours) else None

    def search(self, start: Floats, end: Floats, appeared: bool) -> tuple[Hits, Pairs]:
        """First contacts over an interval, and pairs that intersect at its start where `appeared`. start, end (n, 4)."""
        front = ChordFront(self._assembly, OneInterval(self._assembly, start, end), slice(None))
        moves = not np.array_equal(start, end)
        hits, begun = [], [np.empty((0, 2), np.int32)]
        for pairs, windows, n in front.interval(0):
            if moves:
                hits.append(self._tester.run(start, end, pairs, windows, n))
            if appeared:
                near = pairs[:n][windows[:n, 0] == 0.0]
                begun.append(near[overlapping(self.faces, start, near)])
        if self._neighbours is not None and moves:
            hits.append(self._tester.run(start, end, *self._neighbours.interval(start, end), adjacent=True))
        pairs = np.concatenate([np.empty((0, 2), np.int32), *(h.pairs for h in hits)])
        found = Hits(
            pairs,
            np.concatenate([np.empty(0), *(h.fractions for h in hits)]),
            np.concatenate([np.empty(0, np.int64), *(h.codes for h in hits)]),
        )
        return found, np.unique(np.concatenate(begun), axis=0)

    def in_touch(self, vertices: Floats, faces: NDArray[np.int64]) -> NDArray[np.bool_]:
        """Which pairs of triangles (n, 2) of a and b intersect with these vertices? Neighbours, which always do, do not."""
        pairs = self._joined(faces)
        joined = (self.faces[pairs[:, 0]][:, :, None] == self.faces[pairs[:, 1]][:, None, :]).any(axis=(1, 2))
        return overlapping(self.faces, vertices, pairs) & ~joined

    def are_neighbours(self, faces: NDArray[np.int64]) -> NDArray[np.bool_]:
        """Which pairs of triangles (n, 2) share a vertex?"""
        pairs = self._joined(faces)
        return (self.faces[pairs[:, 0]][:, :, None] == self.faces[pairs[:, 1]][:, None, :]).any(axis=(1, 2))

    def _joined(self, faces: NDArray[np.int64]) -> Pairs:
        return (faces + (0 if self._itself else np.array([0, self._m_a]))).astype(np.int32)

    def _own(self, pairs: Pairs) -> NDArray[np.int64]:
        return pairs.astype(np.int64) - (0 if self._itself else np.array([0, self._m_a]))

    def begun(self, t: float, vertices: Floats, pairs: Pairs) -> Touches:
        """Contacts of pairs that intersect as soon as they are looked at."""
        points, normals = meetings(self.faces, vertices, pairs)
        n = len(pairs)
        return Touches(
            np.full(n, t),
            self._own(pairs),
            points,
            normals,
            np.zeros(n),
            np.full(n, OVERLAPPING),
            np.full((n, 6), np.nan),
        )

    def touches(self, begin: float, end: float, start: Floats, goal: Floats, hits: Hits) -> Touches:
        """Hits with all that is known about them."""
        found = touches_of(self.faces, start, goal, hits.pairs, hits.fractions, hits.codes)
        rows = np.concatenate([self.faces[hits.pairs[:, 0]], self.faces[hits.pairs[:, 1]]], axis=1)
        share = hits.fractions[:, None, None]
        corners = (1.0 - share) * start[rows, :3] + share * goal[rows, :3]
        touching = np.concatenate([-found.weights_a, found.weights_b], axis=1)
        normals, speeds = sided(corners, touching, goal[rows, :3] - start[rows, :3], found.normals, found.speeds)
        return Touches(
            times_of(begin, end, hits.fractions),
            self._own(hits.pairs),
            found.points,
            normals,
            speeds / (end - begin),
            np.full(len(hits.pairs), EXACT),
            np.concatenate([found.weights_a, found.weights_b], axis=1),
        ).ordered()

    # ---- bounces

    def without_bounces(
        self, hits: Hits, start: Floats, goal: Floats, span: float, before: Before
    ) -> tuple[Hits, NDArray[np.int64]]:
        """Hits without those of features that touched when the motion changed and go apart since; and pairs of triangles (k, 2)
        of a and b of which nothing proves that they do not meet again before that.

        Such features are as near as rounding puts them, on either side; going apart they may cross. They are looked at again
        from where they are apart: surely where a direction keeps the triangles apart until then, else by their speed.
        """
        wrong, _, proven = self._bounced(hits, start, goal, span, before)
        if not wrong.any():
            return hits, np.empty((0, 2), np.int64)
        good = Hits(hits.pairs[~wrong], hits.fractions[~wrong], hits.codes[~wrong])
        again, doubtful = self._after_bounces(hits.pairs[wrong], start, goal, span, before)
        found = Hits(
            np.concatenate([good.pairs, again.pairs]),
            np.concatenate([good.fractions, again.fractions]),
            np.concatenate([good.codes, again.codes]),
        )
        return found, self._own(np.concatenate([hits.pairs[wrong & ~proven], doubtful]))

    def _bounced(
        self, hits: Hits, start: Floats, goal: Floats, span: float, before: Before
    ) -> tuple[NDArray[np.bool_], Floats, NDArray[np.bool_]]:
        """Which hits are of features that were together at the start and part, or of triangles of which a direction shows that
        they go apart? After which share of the interval are they apart? And for which does a direction prove it?"""
        if not len(hits.pairs):
            return np.zeros(0, np.bool_), np.zeros(0), np.zeros(0, np.bool_)
        found = touches_of(self.faces, start, goal, hits.pairs, hits.fractions, hits.codes)
        rows = np.concatenate([self.faces[hits.pairs[:, 0]], self.faces[hits.pairs[:, 1]]], axis=1)
        weights = np.concatenate([-found.weights_a, found.weights_b], axis=1)
        corners = start[rows, :3]
        size = np.ptp(corners, axis=1).max(axis=1)
        gap = dot(dot(weights[:, None], np.swapaxes(corners, 1, 2)), found.normals)
        parted = dot(dot(weights[:, None], np.swapaxes(before.velocities[rows, :3], 1, 2)), found.normals)
        speed = (
            np.abs(before.velocities[rows]).max(axis=(1, 2)) + np.abs(goal[rows] - start[rows]).max(axis=(1, 2)) / span
        )
        went_on = np.abs(before.places[rows, :3] - corners).max(axis=(1, 2)) <= PARTING_GAP * size
        # The normal points along the new approach: what moved apart along it before has turned round.
        turned = (parted > 0.0) | (found.speeds / span <= CLOSING_NOISE * speed)
        apart = np.divide(4.0 * PARTING_GAP * size, found.speeds, out=np.ones(len(size)), where=found.speeds > 0.0)
        bounced = (np.abs(gap) <= PARTING_GAP * size) & went_on & turned
        came = np.where(went_on[:, None, None], before.velocities[rows, :3], np.nan)
        parting = parting_shares(corners, weights, goal[rows, :3] - start[rows, :3], came)
        parts = hits.fractions < parting
        return bounced | parts, np.where(parts, parting, np.minimum(apart, 1.0)), parts

    def _after_bounces(
        self, pairs: Pairs, start: Floats, goal: Floats, span: float, before: Before
    ) -> tuple[Hits, Pairs]:
        """First contacts of pairs feature by feature, bounces left out, and pairs that are in doubt: see `without_bounces`."""
        many = np.repeat(pairs, FEATURES, axis=0)
        codes = np.tile(np.arange(FEATURES), len(pairs))
        corners = np.concatenate([self.faces[many[:, 0]], self.faces[many[:, 1]]], axis=1)
        four = np.take_along_axis(corners, PLACES[codes], axis=1)
        on_a = np.where(codes >= FIRST_EDGE, 2, 1)[:, None] > np.arange(4)
        shared = ((four[:, :, None] == four[:, None, :]) & on_a[:, :, None] & ~on_a[:, None, :]).any(axis=(1, 2))
        many, codes = many[~shared], codes[~shared]
        points, edges = feature_points(self.faces, start, goal, many, codes)
        times = decide_features(points, edges, tight=True)
        met = np.isfinite(times)
        hits = Hits(many[met], times[met], codes[met])
        bounced, shares, proven = self._bounced(hits, start, goal, span, before)
        wrong = np.flatnonzero(met)[bounced]
        times[wrong] = _from_share(points[wrong], edges[wrong], shares[bounced])
        best: dict[tuple[int, int], tuple[float, int]] = {}
        for (a, b), t, code in zip(many.tolist(), np.floor(times / QUANTUM) * QUANTUM, codes.tolist(), strict=True):
            if t < inf:
                best[a, b] = min(best.get((a, b), (inf, FEATURES)), (float(t), code))
        found = Hits(
            np.array(list(best), np.int32).reshape(-1, 2),
            np.array([t for t, _ in best.values()]),
            np.array([code for _, code in best.values()], np.int64),
        )
        return found, hits.pairs[bounced & ~proven]


def _from_share(points: Floats, edges: NDArray[np.bool_], share: Floats) -> Floats:
    """First contacts (n,) of features from a share (n,) of the interval on."""
    later = points.copy()
    later[:, :4] = (1.0 - share)[:, None, None] * points[:, :4] + share[:, None, None] * points[:, 4:]
    times = decide_features(later, edges, tight=True)
    times[share >= 1.0] = inf
    return np.where(times < inf, share + np.where(times < inf, times, 0.0) * (1.0 - share), inf)
