"""Motions of many bodies at once, as arrays."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from carom import validate
from carom._copies import Immutable, settle
from carom.errors import InvalidInputError
from carom.motion.motion import Motion

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Motions(Immutable):
    """A batch of n motions; each row is a `Motion`.

    Parameters
    ----------
    positions : array_like of shape (n, 3)
        Positions at the times `start`, m. They determine n; every other parameter may be one row for all motions.
    velocities, accelerations : array_like of shape (n, 3) or (3,)
        Velocities, m/s, at the times `start`, and constant accelerations, m/s^2. Default: 0.
    orientations : array_like of shape (n, 4) or (4,)
        Quaternions (w, x, y, z) at the times `start`. Default: no rotation.
    spins : array_like of shape (n, 3) or (3,)
        Constant angular velocities, rad/s, world axes. Default: 0.
    start : array_like of shape (n,), or float
        Times, s. Default: 0.

    Raises
    ------
    InvalidInputError
        A value is not finite, is out of range, or has another shape.
    """

    positions: Array
    velocities: Array
    accelerations: Array
    orientations: Array
    spins: Array
    start: Array

    def __init__(
        self,
        positions: ArrayLike,
        velocities: ArrayLike = (0.0, 0.0, 0.0),
        accelerations: ArrayLike = (0.0, 0.0, 0.0),
        orientations: ArrayLike = (1.0, 0.0, 0.0, 0.0),
        spins: ArrayLike = (0.0, 0.0, 0.0),
        start: ArrayLike = 0.0,
    ) -> None:
        where = validate.array("positions", positions, (None, 3))
        n = len(where)
        single = np.ndim(validate.real_numbers("orientations", orientations, (n, 4))) == 1
        quats = (
            np.tile(validate.unit_quaternion("orientations", orientations), (n, 1))
            if single
            else validate.unit_quaternions("orientations", orientations, n)
        )
        begin = validate.moments("start", start, (n,), ())
        settle(
            self,
            positions=where,
            velocities=_rows("velocities", velocities, n, 3),
            accelerations=_rows("accelerations", accelerations, n, 3),
            orientations=quats,
            spins=_rows("spins", spins, n, 3),
            start=np.full(n, begin) if begin.ndim == 0 else begin,
        )

    def __len__(self) -> int:
        return len(self.positions)

    @staticmethod
    def of(motions: Sequence[Motion]) -> Motions:
        """Return a sequence of Motion as one batch."""
        if not isinstance(motions, Sequence) or not all(isinstance(m, Motion) for m in motions):
            raise InvalidInputError(f"motions is {validate.shown(motions)}; expected a list of carom.Motion")
        # Each motion is checked and normalised already: repeating that could change the last bit of an orientation.
        result = object.__new__(Motions)
        for columns, column, shape in (
            ("positions", "position", (-1, 3)),
            ("velocities", "velocity", (-1, 3)),
            ("accelerations", "acceleration", (-1, 3)),
            ("orientations", "orientation", (-1, 4)),
            ("spins", "spin", (-1, 3)),
            ("start", "start", (-1,)),
        ):
            values = np.array([getattr(motion, column) for motion in motions], dtype=np.float64)
            settle(result, **{columns: values.reshape(shape)})
        return result


def _rows(name: str, value: ArrayLike, n: int, width: int) -> Array:
    rows = validate.array(name, value, (n, width), (width,))
    return np.tile(rows, (n, 1)) if rows.ndim == 1 else rows
