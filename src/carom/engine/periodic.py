"""Space that repeats: the checks that a world with periods needs, and boxes that reach over its border."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import product

import numpy as np
from numpy.typing import NDArray

from carom import validate
from carom.bounds.polled import Polled
from carom.engine.kinetic_grid.layout import least_period
from carom.errors import InvalidInputError, UnsupportedMotionError
from carom.maths.fixed_order import dot, length
from carom.shapes import HalfSpace, Shape
from carom.shapes.shape import rotation_matrix

Floats = NDArray[np.float64]


def period_lengths(periodic: Sequence[float | None] | Floats | None) -> Floats:
    """Lengths (3,) after which space repeats, 0 along coordinates in which it does not (None or inf)."""
    if periodic is None:
        return np.zeros(3)
    what = "three lengths, None where space does not repeat"
    entries = validate.several("periodic", periodic, what)
    if len(entries) != 3:
        raise InvalidInputError(f"periodic is {validate.shown(periodic)}; expected {what}")
    given = [math.inf if each is None else validate.endless(f"periodic[{d}]", each) for d, each in enumerate(entries)]
    for d, value in enumerate(given):
        if not value > 0.0:
            raise InvalidInputError(f"periodic[{d}] is {value}; expected a length above 0, or None")
        if math.isfinite(value):
            validate.size(f"periodic[{d}]", value)
    return np.array([value if math.isfinite(value) else 0.0 for value in given])


def check_fits(periods: Floats, name: str, shape: Shape, turns: bool) -> None:
    """Refuse bodies that are too large for a period. turns: whether the body takes every orientation."""
    if not periods.any() or isinstance(shape, Polled | HalfSpace):
        return
    centre, radius = shape.bounding_sphere()
    least = least_period(2.0 * (radius + (float(length(centre)) if turns else 0.0)))
    for d in np.flatnonzero((periods > 0.0) & (periods < least)):
        raise InvalidInputError(
            f"{name} is too large: periodic[{d}] is {periods[d]}; expected at least {least}, three bodies in a row"
        )


def check_periodic(periods: Floats, name: str, shape: Shape, acceleration: Floats, orientation: Floats) -> None:
    """Refuse bodies that have no meaning where space repeats. orientation: quaternion w, x, y, z."""
    if not periods.any():
        return
    if isinstance(shape, Polled):
        raise InvalidInputError(f"{name} is a Polled shape; expected another in a periodic world")
    if np.any(acceleration != 0.0):
        raise UnsupportedMotionError(f"{name} accelerates, which bodies in a periodic world cannot")
    if isinstance(shape, HalfSpace) and np.any(
        (periods > 0.0) & (dot(rotation_matrix(orientation), shape.normal) != 0.0)
    ):
        raise InvalidInputError(f"{name} is a half-space across a period of the world; expected one along it")


def with_images(low: Floats, high: Floats, periods: Floats) -> tuple[Floats, Floats, NDArray[np.int64]]:
    """Boxes (n, 3) folded into the first period, and copies of those that reach over its border; row of each in the given.

    Every overlap of two boxes in periodic space is one of two of these boxes; some show up twice.
    """
    repeats = periods > 0.0
    length = np.where(repeats, periods, 1.0)
    fold = np.where(repeats, np.floor(low / length) * length, 0.0)
    low, high = low - fold, high - fold
    lows, highs, rows = [low], [high], [np.arange(len(low))]
    for step in product(*((0, 1) if r else (0,) for r in repeats)):
        if any(step):
            # A box that ends beyond the border also stands one period back.
            over = np.all((np.array(step) == 0) | (high > length), axis=1)
            lows.append(low[over] - np.array(step) * length)
            highs.append(high[over] - np.array(step) * length)
            rows.append(np.flatnonzero(over))
    return np.concatenate(lows), np.concatenate(highs), np.concatenate(rows)
