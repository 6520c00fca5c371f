"""Keyframed motion of a rigid body: uniform between keys, at rest before the first and after the last key."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from carom import validate
from carom._copies import Immutable, settle
from carom.errors import InvalidInputError
from carom.maths.fixed_order import dot
from carom.motion.motion import Motion
from carom.motion.turning import spin_between

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Keyframes(Immutable):
    """Keyframed motion of a rigid body.

    Between two keys the body moves uniformly in a straight line and rotates uniformly, the shorter way. Before the
    first and after the last key it rests. In a world it follows its keys regardless of contacts, as if its mass were
    infinite. The arrays are read-only copies.

    Parameters
    ----------
    times : array_like of shape (n,)
        Times of the keys, s, strictly increasing; at least one.
    positions : array_like of shape (n, 3)
        Positions, m.
    orientations : array_like of shape (n, 4), optional
        Quaternions w, x, y, z. Default: no rotation.

    Raises
    ------
    InvalidInputError
        A value is not finite or is out of range, the times do not increase, or the lengths differ.
    """

    times: Array
    positions: Array
    orientations: Array

    def __init__(self, times: ArrayLike, positions: ArrayLike, orientations: ArrayLike | None = None) -> None:
        when = validate.moments("times", times, (None,))
        if len(when) == 0:
            raise InvalidInputError("times is empty; expected at least one key")
        steps = np.flatnonzero(np.diff(when) <= 0.0)
        if len(steps):
            k = int(steps[0]) + 1
            raise InvalidInputError(f"times[{k}] is {when[k]}; expected a time after times[{k - 1}] = {when[k - 1]}")
        where = validate.array("positions", positions, (len(when), 3))
        if orientations is None:
            turned = np.tile((1.0, 0.0, 0.0, 0.0), (len(when), 1))
        else:
            turned = validate.unit_quaternions("orientations", orientations, len(when))
        settle(self, times=when, positions=where, orientations=turned)

    @property
    def turns(self) -> bool:
        """Whether the orientation changes; q and -q are the same orientation."""
        first = self.orientations[0]
        return bool((np.abs(dot(self.orientations, first)) < 1.0 - 1e-14).any())

    def position_at(self, t: float) -> Array:
        """Return the position (3,), m, at time t, s."""
        at = validate.number("t", t)
        return np.array([np.interp(at, self.times, self.positions[:, d]) for d in range(3)])

    def pieces(self) -> list[Motion]:
        """Return a list of Motion, each valid from its own start: one per key, at rest from the last key on."""
        pieces = []
        for k in range(len(self.times) - 1):
            span = float(self.times[k + 1] - self.times[k])
            pieces.append(
                Motion(
                    self.positions[k],
                    (self.positions[k + 1] - self.positions[k]) / span,
                    orientation=self.orientations[k],
                    spin=spin_between(self.orientations[k], self.orientations[k + 1], span),
                    start=float(self.times[k]),
                )
            )
        pieces.append(Motion(self.positions[-1], orientation=self.orientations[-1], start=float(self.times[-1])))
        return pieces

    def pose_at(self, t: float) -> Array:
        """Return the pose (4, 4) at time t."""
        return self.piece_at(t).pose_at(t)

    def piece_at(self, t: float) -> Motion:
        """Return the motion at time t; at rest before the first key."""
        at = validate.moment("t", t)
        if at < self.times[0]:
            return Motion(self.positions[0], orientation=self.orientations[0], start=at)
        return self.pieces()[int(np.searchsorted(self.times, at, side="right")) - 1]
