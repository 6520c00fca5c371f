"""A user-defined body with kinetic bounds and a test at an instant (paper KSP, 5.2)."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from carom import validate
from carom._copies import check_picklable
from carom.bounds.kinetic import KineticBounds
from carom.errors import InvalidInputError
from carom.shapes.kind import ShapeKind
from carom.shapes.shape import Shape

PolledTest = Callable[[Any, int, int, float], Any]
"""test(world, body, other, t) -> False, True, or (point, normal): do the two bodies touch at time t?"""

_LEAST_RATE = 1e-9
_MOST_RATE = 1e9
"""Polls per second; of more the clock could not tell one from the next."""


class Polled(Shape):
    """A user-defined shape: kinetic bounds restrict when it may touch, and a static test is polled during that time.

    Contacts between two polls are missed, which is inherent in polling; the bounds miss none.

    Parameters
    ----------
    bounds : KineticBounds or callable
        KineticBounds that never expire, or a function of time that returns the bounds valid from then on. It is called
        again when they expire.
    test : callable
        test(world, body, other, t) decides whether this body touches the other at time t: False, True, or a pair
        (point, normal) with the normal from this body to the other. Both functions may read the world; an attempt to
        change it raises CaromError.
    rate : float
        Polls per second, at multiples of 1/rate.
    """

    kind = ShapeKind.POLLED
    code = 5

    def __init__(self, bounds: KineticBounds | Callable[[float], KineticBounds], test: PolledTest, rate: float) -> None:
        if isinstance(bounds, KineticBounds):
            if np.isfinite(bounds.expires):
                raise InvalidInputError(
                    f"bounds expire at {bounds.expires}; expected bounds that never expire, or a function of time"
                )
        elif not callable(bounds):
            raise InvalidInputError(f"bounds is {validate.shown(bounds)}; expected KineticBounds or a function of time")
        if not callable(test):
            raise InvalidInputError(f"test is {validate.shown(test)}; expected a function (world, body, other, t)")
        self._bounds = bounds
        self.test = test
        self.rate = validate.positive("rate", rate)
        if not _LEAST_RATE <= self.rate <= _MOST_RATE:
            raise InvalidInputError(f"rate is {rate}; expected {_LEAST_RATE} to {_MOST_RATE} polls per second")

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        # What its functions refer to may change, and may be part of what is copied.
        memo[id(self)] = other = type(self).__new__(type(self))
        other.__dict__.update(copy.deepcopy(self.__dict__, memo))
        return other

    def __getstate__(self) -> dict[str, Any]:
        if not isinstance(self._bounds, KineticBounds):
            check_picklable("bounds", self._bounds)
        check_picklable("test", self.test)
        return self.__dict__.copy()

    def bounds_at(self, t: float) -> KineticBounds:
        """The bounds that hold from t on."""
        if isinstance(self._bounds, KineticBounds):
            return self._bounds
        bounds = self._bounds(t)
        if not isinstance(bounds, KineticBounds):
            raise InvalidInputError(f"bounds({t}) gave {validate.shown(bounds)}; expected KineticBounds")
        if not bounds.expires > t:
            raise InvalidInputError(f"bounds({t}) expire at {bounds.expires}; expected a later time")
        return bounds

    def bounding_sphere(self) -> tuple[NDArray[np.float64], float]:
        """No sphere bounds it for all times: radius inf."""
        return np.zeros(3), np.inf

    def extents_along(
        self, axes: NDArray[np.float64], quat: NDArray[np.float64]
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """All of its extent is in the kinetic bounds."""
        return np.zeros(len(axes)), np.zeros(len(axes))
