"""Triangulation of a polygon in the plane by ear clipping: an ear is a corner whose triangle with its neighbours is empty.

Cutting an ear only affects its two neighbours, so every corner is tested once, and again when a neighbour is cut: fewer than
3 n tests, each of which visits only the reflex corners in the box of the triangle.
"""

from __future__ import annotations

import heapq
from bisect import bisect_left, bisect_right
from collections import deque

import numpy as np
from numpy.typing import NDArray

IN_LINE = 1e-14
"""Three corners are collinear if twice the area of their triangle is below this fraction of the product of two sides.

The unit is the extent of the polygon: coordinates within 1 are rounded to about 1e-16.
"""
_MANY = 32  # Number of corners from which arrays are faster than a loop


def clip_ears(corners: NDArray[np.float64]) -> NDArray[np.int64]:
    """Return triangles (n - 2, 3), as rows of `corners` (n, 2), of a counterclockwise polygon within 1 of the origin.

    The polygon may touch itself, as at a slit that leads to a hole. A polygon that crosses itself or has no area is cut
    arbitrarily.
    """
    return _Outline(corners).triangles()


class _Outline:
    """The remaining corners as a ring, and the reflex corners among them."""

    def __init__(self, corners: NDArray[np.float64]) -> None:
        n = len(corners)
        self.x, self.y = corners[:, 0].tolist(), corners[:, 1].tolist()
        self.before, self.after = [n - 1, *range(n - 1)], [*range(1, n), 0]
        self.left = n
        self.obstacles = _Obstacles(corners, [k for k in range(n) if not self._turns_left(k)])
        self.cut: list[tuple[int, int, int]] = []
        self.changes = [0] * n
        """Number of changes of the neighbours of a corner; -1 once it is cut off."""

    def triangles(self) -> NDArray[np.int64]:
        # First, corners on the border of a triangle count as obstacles. At a slit, or where the outline touches itself, there
        # may then be no ear, so a second round allows them.
        for border in (True, False):
            pending = deque((k, self.changes[k]) for k in range(len(self.x)) if self.changes[k] >= 0)
            while pending and self.left > 3:
                k, changes = pending.popleft()
                if changes == self.changes[k] and self._turns_left(k) and not self._blocked(k, border):
                    pending += self._cut_off(k)
        self._cut_somehow()
        last = self.changes.index(max(self.changes)) if self.left == 3 else 0
        return np.array([*self.cut, (self.before[last], last, self.after[last])], dtype=np.int64)

    def _cut_off(self, k: int) -> list[tuple[int, int]]:
        """Cut the ear at k and return its neighbours, which must be tested again, with their numbers of changes."""
        a, c = self.before[k], self.after[k]
        self.cut.append((a, k, c))
        self.after[a], self.before[c] = c, a
        self.left -= 1
        self.changes[k] = -1
        self.obstacles.remove(k)
        for corner in (a, c):
            self.changes[corner] += 1
            if self._turns_left(corner):
                self.obstacles.remove(corner)
        return [(a, self.changes[a]), (c, self.changes[c])]

    def _cut_somehow(self) -> None:
        """Cut a polygon without ears, which crosses itself or is collinear: collinear corners first, then by largest area."""
        if self.left == 3:
            return
        rest = [k for k, changes in enumerate(self.changes) if changes >= 0]
        heap = [(*self._worth(k), k, self.changes[k]) for k in rest]
        heapq.heapify(heap)
        while self.left > 3:
            *_, k, changes = heapq.heappop(heap)
            if changes == self.changes[k]:
                for corner, change in self._cut_off(k):
                    heapq.heappush(heap, (*self._worth(corner), corner, change))

    def _worth(self, k: int) -> tuple[bool, float]:
        a, c = self.before[k], self.after[k]
        area = self._area(a, k, c)
        return abs(area) > self._tolerance(a, k, c), -area

    def _area(self, a: int, b: int, c: int) -> float:
        """Return twice the signed area of three corners."""
        x, y = self.x, self.y
        return (x[b] - x[a]) * (y[c] - y[a]) - (y[b] - y[a]) * (x[c] - x[a])

    def _tolerance(self, a: int, b: int, c: int) -> float:
        x, y = self.x, self.y
        return IN_LINE * (abs(x[b] - x[a]) + abs(y[b] - y[a]) + abs(x[c] - x[a]) + abs(y[c] - y[a]))

    def _turns_left(self, k: int) -> bool:
        a, c = self.before[k], self.after[k]
        return self._area(a, k, c) > self._tolerance(a, k, c)

    def _blocked(self, k: int, border: bool) -> bool:
        """Return whether the triangle at k contains a reflex corner, also on its border if `border`, or an edge crosses it."""
        x, y = self.x, self.y
        ear = self.before[k], k, self.after[k]
        places = [(x[corner], y[corner]) for corner in ear]
        for w in self.obstacles.near(ear):
            if w in ear:
                continue
            if (x[w], y[w]) in places:
                # An edge that enters the ear at a or c ends in it, because it cannot cross the sides at k.
                if (x[w], y[w]) == places[1] and (
                    self._enters(ear, self.before[w]) or self._enters(ear, self.after[w])
                ):
                    return True
                continue
            if all(self._inside(ear[i], ear[(i + 1) % 3], w, border) for i in range(3)):
                return True
        return False

    def _inside(self, a: int, b: int, w: int, border: bool) -> bool:
        tolerance = self._tolerance(a, b, w)
        return self._area(a, b, w) > (-tolerance if border else tolerance)

    def _enters(self, ear: tuple[int, int, int], w: int) -> bool:
        """Return whether an edge from the tip of the ear to w leads into it."""
        a, k, c = ear
        return self._area(a, k, w) > self._tolerance(a, k, w) and self._area(k, c, w) > self._tolerance(k, c, w)


class _Obstacles:
    """Reflex corners sorted by x. Cutting ears only reduces their angles, so none is ever added."""

    def __init__(self, corners: NDArray[np.float64], reflex: list[int]) -> None:
        self.corners = corners
        self.held = set(reflex)
        self._sort()

    def remove(self, k: int) -> None:
        """Remove corner k if it is one of these."""
        self.held.discard(k)

    def near(self, ear: tuple[int, int, int]) -> list[int]:
        """Return a superset of those in the triangle of three corners or on its border: those in its box."""
        if 2 * len(self.held) < len(self.rows):
            self._sort()
        triangle = self.corners[list(ear)]
        (left, low), (right, high) = triangle.min(axis=0).tolist(), triangle.max(axis=0).tolist()
        part = slice(bisect_left(self.sorted_x, left), bisect_right(self.sorted_x, right))
        if part.stop - part.start < _MANY:
            rows = [k for k, y in zip(self.rows[part], self.sorted_y[part], strict=True) if low <= y <= high]
        else:
            heights = self.places[part, 1]
            inside = np.flatnonzero((heights >= low) & (heights <= high))
            inside += part.start
            for i in range(3):
                a, b = triangle[i], triangle[(i + 1) % 3]
                along, across = b - a, self.places[inside] - a
                areas = along[0] * across[:, 1] - along[1] * across[:, 0]
                inside = inside[areas >= -2.0 * IN_LINE * (np.abs(along).sum() + np.abs(across).sum(axis=1))]
            rows = [self.rows[k] for k in inside.tolist()]
        return [k for k in rows if k in self.held]

    def _sort(self) -> None:
        self.rows = sorted(self.held, key=lambda k: (self.corners[k, 0], k))
        self.places = self.corners[self.rows].reshape(-1, 2)
        self.sorted_x, self.sorted_y = self.places[:, 0].tolist(), self.places[:, 1].tolist()
