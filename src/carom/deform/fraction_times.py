"""From fractions of an interval to times."""

from __future__ import annotations

from math import inf

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


def times_of(begin: Floats | float, end: Floats | float, fractions: Floats) -> Floats:
    """Times at fractions (n,) of intervals from `begin` to `end`, one for all or (n,), never late.

    One that rounding may have raised is lowered by two units in its last place, but not to before the interval.
    """
    when = begin + fractions * (end - begin)
    early = np.nextafter(np.nextafter(when, -inf), -inf)
    return np.where(fractions > 0.0, np.maximum(begin, early), begin)
