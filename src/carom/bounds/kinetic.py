"""Kinetic bounds: the lower and the upper end of a body's extent per axis, each with its own polynomial of time."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import ArrayLike, NDArray

from carom import validate
from carom._compile.jit import inner_kernel
from carom._copies import Immutable, settle
from carom.errors import InvalidInputError
from carom.maths.fixed_order import product
from carom.tables.body_columns import AX, FLAGS, GIVEN_BOUNDS, RADIUS, T_REF, TRACK, VX, X
from carom.tolerances import BOUND_PAD_ULPS, REBASE_AFTER

_ULPS = BOUND_PAD_ULPS * float(np.finfo(np.float64).eps)


@dataclass(frozen=True, eq=False)
class KineticBounds(Immutable):
    """A box about a body's position whose six faces each move by their own polynomial until it expires.

    The box may expand and contract as long as no lower face passes its upper face before `expires`, which is checked.
    The arrays are read-only copies.

    Parameters
    ----------
    lower, upper : array_like of shape (3, 3)
        Coefficients; lower[d] = (c0, c1, c2) gives the offset of the lower face on axis d from the body's position, c0
        + c1 * s + c2 * s^2 metres, s seconds after `start`.
    start : float
        Time, s, from which s counts. Default: 0.
    expires : float
        Time until which the bounds hold, s. Default: inf.

    Raises
    ------
    InvalidInputError
        A value is not finite, a lower face passes its upper face, or `expires` is not after `start`.
    """

    lower: NDArray[np.float64]
    upper: NDArray[np.float64]
    start: float = 0.0
    expires: float = field(default=float("inf"))

    def __init__(self, lower: ArrayLike, upper: ArrayLike, start: float = 0.0, expires: float = float("inf")) -> None:
        low = validate.array("lower", lower, (3, 3))
        high = validate.array("upper", upper, (3, 3))
        begin = validate.moment("start", start)
        end = validate.endless("expires", expires)
        if not end > begin:
            raise InvalidInputError(f"expires is {end}; expected a time after start = {begin}")
        for d in range(3):
            width = high[d] - low[d]
            if least_width(width, end - begin) < 0.0:
                raise InvalidInputError(
                    f"lower[{d}] passes upper[{d}] before the bounds expire; expected lower <= upper until {end}"
                )
        settle(self, lower=low, upper=high, start=begin, expires=end)

    def along(self, axes: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Coefficients (k, 3) of the lower and the upper end along k axes: each axis takes the faces that it faces."""
        positive = np.maximum(axes, 0.0)
        negative = np.minimum(axes, 0.0)
        return (
            product(positive, self.lower) + product(negative, self.upper),
            product(positive, self.upper) + product(negative, self.lower),
        )


def least_width(width: NDArray[np.float64], duration: float) -> float:
    """Smallest value of width[0] + width[1] s + width[2] s^2 for s in [0, duration]."""
    w0, w1, w2 = (float(w) for w in width)
    candidates = [w0]
    if np.isfinite(duration):
        candidates.append(w0 + duration * (w1 + duration * w2))
    elif w2 < 0.0 or (w2 == 0.0 and w1 < 0.0):
        return -np.inf
    if w2 > 0.0 and 0.0 < -w1 / (2.0 * w2) < duration:
        candidates.append(w0 - w1 * w1 / (4.0 * w2))
    return min(candidates)


def rounding_pad(body: NDArray[np.float64], between_keys: float) -> float:
    """How far, at most, bounds of rows `body` are moved out because of rounding. It changes with a body's motion, and so may
    bring neighbouring ends out of order by as much. between_keys: the greatest speed on keyframes, as a sum over the axes."""
    if not len(body):
        return 0.0
    size = np.where(np.isfinite(body[:, RADIUS]), np.abs(body[:, RADIUS]), 0.0)
    reach = np.abs(body[:, X : X + 3]).sum(axis=1) + size
    speed = np.maximum(np.abs(body[:, VX : VX + 3]).sum(axis=1), between_keys)
    return float(2.0 * _ULPS * (reach + REBASE_AFTER * speed).max())


@inner_kernel
def bound_end(bodies, row, d, side):
    """Polynomial of one end of a body's bound: c0, c1, c2, epoch; value c0 + c1 s + c2 s^2 at s = t - epoch.

    side 0: lower, 1: upper. The end is moved out by a few units in the last place of the largest coordinates that it can
    reach before the world renews its time origin, so that rounding never lets a body stick out. The coordinates of all three
    axes count: the exact tests round distances, not their parts along one axis.
    """
    body, axes = bodies.body, bodies.axes
    e0 = axes[d, 0]
    e1 = axes[d, 1]
    e2 = axes[d, 2]
    c0 = e0 * body[row, X] + e1 * body[row, X + 1] + e2 * body[row, X + 2] + bodies.extent[row, 2 * d + side]
    c1 = e0 * body[row, VX] + e1 * body[row, VX + 1] + e2 * body[row, VX + 2]
    c2 = 0.5 * (e0 * body[row, AX] + e1 * body[row, AX + 1] + e2 * body[row, AX + 2])
    epoch = body[row, T_REF]
    if bodies.link[row, FLAGS] == GIVEN_BOUNDS:
        given = bodies.given[bodies.link[row, TRACK]]
        s = epoch - given[1]
        g = 3 + 6 * d + 3 * side
        c0 += given[g] + s * (given[g + 1] + s * given[g + 2])
        c1 += given[g + 1] + 2.0 * s * given[g + 2]
        c2 += given[g + 2]
    if abs(c0) < np.inf:
        reach = abs(c0) + abs(body[row, X]) + abs(body[row, X + 1]) + abs(body[row, X + 2])
        pad = _ULPS * (reach + REBASE_AFTER * abs(c1))
        c0 += pad if side else -pad
    return c0, c1, c2, epoch
