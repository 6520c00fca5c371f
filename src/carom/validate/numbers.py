"""Checks of single values."""

from __future__ import annotations

import math
import sys
from collections.abc import Sequence
from decimal import Decimal
from numbers import Real
from typing import Any

import numpy as np

from carom.errors import InvalidInputError
from carom.tolerances import LARGEST_NUMBER, LATEST_TIME, SMALLEST_SIZE
from carom.validate.words import LONGEST, shown

EVERY_DOUBLE = sys.float_info.max
"""The largest number where doubles of every size are allowed."""


def number(name: str, value: Any, largest: float = LARGEST_NUMBER) -> float:
    """Return a finite number from -largest to largest."""
    result = _as_float(name, value)
    if not math.isfinite(result):
        raise InvalidInputError(f"{name} is {_told(value)}; expected a finite number")
    if abs(result) > largest:
        raise InvalidInputError(f"{name} is {_told(value)}; expected a number from {-largest} to {largest}")
    return result


def positive(name: str, value: Any) -> float:
    """Return a number above 0, at most LARGEST_NUMBER."""
    result = number(name, value)
    if result <= 0.0:
        raise InvalidInputError(f"{name} is {_told(value)}; expected a number above 0")
    return result


def size(name: str, value: Any) -> float:
    """Return a length from SMALLEST_SIZE to LARGEST_NUMBER."""
    result = positive(name, value)
    if result < SMALLEST_SIZE:
        raise InvalidInputError(f"{name} is {_told(value)}; expected at least {SMALLEST_SIZE}")
    return result


def moment(name: str, value: Any) -> float:
    """Return a time, s, from -LATEST_TIME to LATEST_TIME."""
    return number(name, value, LATEST_TIME)


def limit(name: str, value: Any, largest: float = LARGEST_NUMBER) -> float:
    """Return a number from 0 to `largest`, or inf for no limit."""
    result = _as_float(name, value)
    if not result >= 0.0:
        raise InvalidInputError(f"{name} is {_told(value)}; expected 0 or more")
    if largest < result < math.inf:
        raise InvalidInputError(f"{name} is {_told(value)}; expected at most {largest}, or inf for no limit")
    return result


def mass(name: str, value: Any) -> float:
    """Return a mass above 0 whose inverse is in range too, or inf for an immovable body."""
    result = _as_float(name, value)
    if math.isnan(result) or result <= 0.0:
        raise InvalidInputError(f"{name} is {_told(value)}; expected a number above 0, or inf for an immovable body")
    if not SMALLEST_SIZE <= result <= LARGEST_NUMBER and result < math.inf:
        raise InvalidInputError(
            f"{name} is {_told(value)}; expected {SMALLEST_SIZE} to {LARGEST_NUMBER}, or inf for an immovable body"
        )
    return result


def endless(name: str, value: Any) -> float:
    """Return a number, which may be infinite."""
    result = _as_float(name, value)
    if math.isnan(result):
        raise InvalidInputError(f"{name} is {_told(value)}; expected a number, or inf")
    return result


def whole(name: str, value: Any, least: int) -> int:
    """Return a whole number, of Python or NumPy, of at least `least`."""
    if not is_whole(value) or value < least:
        raise InvalidInputError(f"{name} is {shown(value)}; expected a whole number of {least} or more")
    return int(value)


def threads(value: Any) -> int | None:
    """Return a number of threads above 0, or None for all cores."""
    if value is not None and (not is_whole(value) or value < 1):
        raise InvalidInputError(f"threads is {shown(value)}; expected a whole number above 0, or None for all cores")
    return None if value is None else int(value)


def is_whole(value: object) -> bool:
    """Return whether a value is a whole number of Python or NumPy; bools and time spans are not."""
    return isinstance(value, int | np.integer) and not isinstance(value, bool | np.timedelta64)


def is_real(value: object) -> bool:
    """Return whether a value is a single real number, inf and NaN included; bools are not."""
    return isinstance(value, Real | Decimal) and not isinstance(value, bool | np.bool_)


def several(name: str, value: Any, what: str) -> list[Any]:
    """Return a list of the entries of `value`. what: the expected entries, for the error."""
    try:
        return list(value)
    except TypeError:
        raise InvalidInputError(f"{name} is {shown(value)}; expected {what}") from None


def text(name: str, value: Any) -> str | None:
    """Return a string or None."""
    if value is not None and not isinstance(value, str):
        raise InvalidInputError(f"{name} is {shown(value)}; expected a string, or None")
    return value


def truth(name: str, value: Any) -> bool:
    """Return a bool."""
    if not isinstance(value, bool | np.bool_):
        raise InvalidInputError(f"{name} is {shown(value)}; expected True or False")
    return bool(value)


def one_of(name: str, value: Any, known: Sequence[str]) -> str:
    """Return one of the known words."""
    if not isinstance(value, str) or value not in known:
        raise InvalidInputError(f"{name} is {shown(value)}; expected one of {', '.join(known)}")
    return value


def _as_float(name: str, value: Any) -> float:
    single = value[()] if isinstance(value, np.ndarray) and value.ndim == 0 else value
    if not is_real(single) or not fits_double(single):
        raise InvalidInputError(f"{name} is {shown(value)}; expected a number")
    return float(single)


def _told(value: Any) -> str:
    """Return a number for an error as it was given, unless it has too many digits."""
    try:
        words = str(value)
    except ValueError:
        return shown(value)
    return words if len(words) <= LONGEST else shown(value)


def fits_double(value: Any) -> bool:
    """Return whether a number has a value as a double."""
    try:
        float(value)
    except (OverflowError, TypeError, ValueError):
        return False
    return True
