"""Pairs of user-steered bodies that may touch at a frame: the broad phase of a simulation that is organized in frames.

Space-time bounds are built from time to time. They give the pairs that can meet soon, and a time before which no other
pair can. Until then a frame only compares the bounding spheres of those few pairs (Hubbard 1995, section VI).
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike, NDArray

from carom import validate
from carom._compile.jit import compiling
from carom._copies import Copyable
from carom.bounds.meetings.near_in_cells import CELLS_A_BODY, find_near_in_cells
from carom.bounds.meetings.near_pairs import find_near, touching_now
from carom.bounds.space_time import PLANE_COLUMNS, SIDE_COLUMNS
from carom.errors import InvalidInputError

Floats = NDArray[np.float64]


class PossiblePairs(Copyable):
    """The broad phase of a simulation in frames, for bodies in spheres about their positions.

    Parameters
    ----------
    radii : array_like of shape (n,)
        Radii of the spheres, m. The bodies may rotate freely in them.
    soon : float
        Time ahead, s, within which a pair that can meet is watched. A larger value means fewer builds and more pairs to
        compare.
    important : array_like of bool, shape (n,), optional
        Pairs of these bodies come first, so that a narrow phase with a budget tests them first.
    crowded : bool
        The bodies are so dense that some can always meet. Pairs are then found by cells, and again after `soon`.
        Default: False.
    """

    def __init__(
        self, radii: ArrayLike, *, soon: float, important: ArrayLike | None = None, crowded: bool = False
    ) -> None:
        self._radii = validate.array("radii", radii, (None,))
        if (self._radii < 0.0).any():
            row = int(np.argmin(self._radii))
            raise InvalidInputError(f"radii[{row}] is {self._radii[row]}; expected 0 or more")
        n = len(self._radii)
        self._soon = validate.limit("soon", soon)
        self._important = np.zeros(n, np.bool_)
        if important is not None:
            marks = np.asarray(important)
            if marks.dtype.kind != "b":
                marks = validate.array("important", important, (n,)) != 0.0
            if marks.shape != (n,):
                raise InvalidInputError(f"important has shape {marks.shape}; expected ({n},), one mark per body")
            self._important[:] = marks
        self._crowded = crowded
        if crowded:
            self._cells = (
                np.empty((n, 4)), np.empty((n, 4)), np.empty(n, np.int64), np.empty(n, np.int64),
                np.empty(CELLS_A_BODY * n + 2, np.int64),
            )  # fmt: skip
        else:
            self._room = (
                np.empty((n, SIDE_COLUMNS)), np.zeros((n, PLANE_COLUMNS)), np.empty(n, np.int64),
                np.empty(n + 1, np.int64), np.empty((6, n)),
            )  # fmt: skip
        self._near = np.empty((8 * n + 64, 2), np.int64)
        self._pairs = np.empty_like(self._near)
        self._n_near = 0
        self._speed = np.full(n, math.inf)
        self._no_direction = np.zeros((n, 3))
        self.until = -math.inf
        """Up to here the pairs that are watched are all that can touch; -inf: nothing is known."""
        self.builds = 0

    @property
    def watched(self) -> int:
        """Pairs that a frame compares."""
        return self._n_near

    def build(
        self,
        t: float,
        positions: Floats,
        velocities: Floats,
        max_acceleration: Floats,
        expires: float,
        *,
        directions: Floats | None = None,
        max_speed: Floats | None = None,
    ) -> None:
        """Build bounds from the state at time t, s: positions, velocities (n, 3), float64 and not checked.

        Until `expires` no body is accelerated by more than max_acceleration (n,), m/s^2, none along its direction (n, 3; unit,
        or zero for none), and none is faster than max_speed (n,), m/s. inf sets no limit, but one of the two has to. Directions
        are of no use to crowded bodies.
        """
        span = max(0.0, expires - t)
        speed = self._speed if max_speed is None else max_speed
        ways = self._no_direction if directions is None else directions
        if not np.isfinite(np.minimum(max_acceleration, speed)).all():
            raise InvalidInputError("max_acceleration and max_speed are not finite for a body; expected a limit of one")
        limits = positions, velocities, self._radii, max_acceleration, speed
        with compiling("possible pairs of a crowd" if self._crowded else "possible pairs"):
            while True:
                if self._crowded:
                    last = min(self._soon, span)
                    count = find_near_in_cells(*limits, last, self._cells, self._near)
                else:
                    last, count = find_near(*limits, ways, span, self._soon, self._room, self._near)
                if 0 <= count < len(self._near):
                    break
                self._near = np.empty((2 * len(self._near), 2), np.int64)
                self._pairs = np.empty_like(self._near)
        self._n_near = int(count)
        self.until = t + float(last)
        self.builds += 1

    def expire(self) -> None:
        """A body broke its limits, or was moved by other means: what was known ends here."""
        self.until = -math.inf

    def at(self, positions: Floats) -> NDArray[np.int64]:
        """Pairs (m, 2), the lower body first, whose balls touch with the bodies at positions (n, 3) now.

        Complete at the time of `build` and before `until`. The array is used again by the next call.
        """
        with compiling("pairs that touch now"):
            count = touching_now(positions, self._radii, self._near, self._n_near, self._important, self._pairs)
        return self._pairs[:count]
