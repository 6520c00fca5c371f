"""A polygon in the plane cut into triangles by ears: three neighbouring corners whose triangle holds no other corner.

Cutting an ear off can only change whether its two neighbours are ears, so every corner is tested once, and again when a
neighbour is cut: fewer than 3 n tests, each of which looks only at the reflex corners in the box of the triangle.
"""

from __future__ import annotations

import heapq
from bisect import bisect_left, bisect_right
from collections import deque

import numpy as np
from numpy.typing import NDArray

IN_LINE = 1e-14
"""Three corners are in line if twice the area of their triangle is below this share of the length of two of its sides.

The unit is the extent of the polygon: coordinates within 1 are rounded to about 1e-16.
"""
_MANY = 32  # Corners from which arrays are faster than a loop


def clip_ears(corners: NDArray[np.float64]) -> NDArray[np.int64]:
    """Triangles (n - 2, 3), as rows of `corners` (n, 2), of a counterclockwise polygon within 1 of the origin.

    The polygon may touch itself, as at a slit that leads to a hole. One that crosses itself or has no area is cut somehow.
    """
    return _Outline(corners).triangles()


class _Outline:
    """The corners that are left, as a ring, and those among them that may stand in the way of an ear."""

    def __init__(self, corners: NDArray[np.float64]) -> None:
        n = len(corners)
        self.x, self.y = corners[:, 0].tolist(), corners[:, 1].tolist()
        self.before, self.after = [n - 1, *range(n - 1)], [*range(1, n), 0]
        self.left = n
        self.obstacles = _Obstacles(corners, [k for k in range(n) if not self._turns_left(k)])
        self.cut: list[tuple[int, int, int]] = []
        self.changes = [0] * n
        """How often the neighbours of a corner changed; -1 once it is cut off."""

    def triangles(self) -> NDArray[np.int64]:
        # First corners on the border of a triangle count as obstacles. At a slit, or where the outline touches itself, there
        # may then be no ear; so a second round lets them pass.
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
        """Cut the ear at k; its neighbours, whose tests are out of date, with the number of their changes."""
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
        """What has no ears crosses itself or is all in line: corners in line go first, then those with the largest area."""
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
        """Twice the signed area of three corners."""
        x, y = self.x, self.y
        return (x[b] - x[a]) * (y[c] - y[a]) - (y[b] - y[a]) * (x[c] - x[a])

    def _tolerance(self, a: int, b: int, c: int) -> float:
        x, y = self.x, self.y
        return IN_LINE * (abs(x[b] - x[a]) + abs(y[b] - y[a]) + abs(x[c] - x[a]) + abs(y[c] - y[a]))

    def _turns_left(self, k: int) -> bool:
        a, c = self.before[k], self.after[k]
        return self._area(a, k, c) > self._tolerance(a, k, c)

    def _blocked(self, k: int, border: bool) -> bool:
        """Is a reflex corner in the triangle at k, or an edge between it and its opposite side? border: or on its border?"""
        x, y = self.x, self.y
        ear = self.before[k], k, self.after[k]
        places = [(x[corner], y[corner]) for corner in ear]
        for w in self.obstacles.near(ear):
            if w in ear:
                continue
            if (x[w], y[w]) in places:
                # At a or c whatever leaves into the ear ends in it, for it cannot cross the sides at k.
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
        """Does an edge from the tip of the ear to w lead into it?"""
        a, k, c = ear
        return self._area(a, k, w) > self._tolerance(a, k, w) and self._area(k, c, w) > self._tolerance(k, c, w)


class _Obstacles:
    """Reflex corners by x. Their angles only become smaller as ears are cut, so that none is ever added."""

    def __init__(self, corners: NDArray[np.float64], reflex: list[int]) -> None:
        self.corners = corners
        self.held = set(reflex)
        self._sort()

    def remove(self, k: int) -> None:
        """Leave out corner k from now on, if it is one of these."""
        self.held.discard(k)

    def near(self, ear: tuple[int, int, int]) -> list[int]:
        """All in the triangle of three corners or on its border; others of the box around it may be among them."""
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
