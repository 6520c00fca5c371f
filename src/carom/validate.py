"""Checks at the border: each returns a clean float64 array or number, or raises InvalidInputError before anything changes.

`unknown_name` only says what is wrong, in the words that all unknown names get, `counted` and `few` how many there are, and
`printable` puts the contents of files on one line.
`bounded` checks what carom itself has computed, before a kernel takes it as an index.
"""

from __future__ import annotations

import difflib
import math
import sys
from collections.abc import Iterable, Sequence
from decimal import Decimal
from numbers import Real
from typing import Any, TypeGuard

import numpy as np
from numpy.typing import ArrayLike, NDArray

from carom.errors import CaromError, InvalidInputError
from carom.maths.fixed_order import length
from carom.tolerances import LARGEST_NUMBER, LATEST_TIME, SMALLEST_SIZE

EVERY_DOUBLE = sys.float_info.max
"""The largest number where doubles of every size are fine."""

_SMALL = 1e-100
"""Lengths between this and its inverse have squares that doubles hold with all their digits."""

_UNIT = 1e-15
"""Rows whose length is 1 to this are taken bit for bit: dividing them again could change their last digits."""

_LONGEST = 200
"""Characters of a wrong value that an error shows."""


def number(name: str, value: Any, largest: float = LARGEST_NUMBER) -> float:
    """A finite number, at most `largest` from 0."""
    result = _as_float(name, value)
    if not math.isfinite(result):
        raise InvalidInputError(f"{name} is {_told(value)}; expected a finite number")
    if abs(result) > largest:
        raise InvalidInputError(f"{name} is {_told(value)}; expected a number from {-largest} to {largest}")
    return result


def positive(name: str, value: Any) -> float:
    """A finite number above zero, at most LARGEST_NUMBER."""
    result = number(name, value)
    if result <= 0.0:
        raise InvalidInputError(f"{name} is {_told(value)}; expected a number above 0")
    return result


def size(name: str, value: Any) -> float:
    """A length from SMALLEST_SIZE to LARGEST_NUMBER."""
    result = positive(name, value)
    if result < SMALLEST_SIZE:
        raise InvalidInputError(f"{name} is {_told(value)}; expected at least {SMALLEST_SIZE}")
    return result


def spread(name: str, points: NDArray[np.float64]) -> None:
    """Refuse points (..., 3) that differ, but nowhere by SMALLEST_SIZE."""
    if points.size:
        extent = float(np.ptp(points.reshape(-1, 3), axis=0).max())
        if 0.0 < extent < SMALLEST_SIZE:
            raise InvalidInputError(f"{name} extend over {extent}; expected at least {SMALLEST_SIZE}")


def in_range(name: str, points: NDArray[np.float64]) -> None:
    """Refuse points (..., 3) beyond LARGEST_NUMBER, or that differ, but nowhere by SMALLEST_SIZE."""
    array(name, points, points.shape)
    spread(name, points)


def moment(name: str, value: Any) -> float:
    """A time, s, at most LATEST_TIME from 0."""
    return number(name, value, LATEST_TIME)


def moments(
    name: str, value: ArrayLike, shape: tuple[int | None, ...], *others: tuple[int | None, ...]
) -> NDArray[np.float64]:
    """Times, s, as `array` gives them, each at most LATEST_TIME from 0."""
    return array(name, value, shape, *others, largest=LATEST_TIME)


def limit(name: str, value: Any, largest: float = LARGEST_NUMBER) -> float:
    """A number from 0 to `largest`, or infinity, which means no limit."""
    result = _as_float(name, value)
    if not result >= 0.0:
        raise InvalidInputError(f"{name} is {_told(value)}; expected 0 or more")
    if largest < result < math.inf:
        raise InvalidInputError(f"{name} is {_told(value)}; expected at most {largest}, or inf for no limit")
    return result


def mass(name: str, value: Any) -> float:
    """A number above zero, whose inverse is in range as well; infinity marks a body that nothing can move."""
    result = _as_float(name, value)
    if math.isnan(result) or result <= 0.0:
        raise InvalidInputError(f"{name} is {_told(value)}; expected a number above 0, or inf for an immovable body")
    if not SMALLEST_SIZE <= result <= LARGEST_NUMBER and result < math.inf:
        raise InvalidInputError(
            f"{name} is {_told(value)}; expected {SMALLEST_SIZE} to {LARGEST_NUMBER}, or inf for an immovable body"
        )
    return result


def bounded(name: str, indices: NDArray[np.integer[Any]], low: int, end: int) -> None:
    """Raise CaromError unless low <= indices < end for all of them. A kernel would read or write past the end of an array."""
    if len(indices):
        least, most = int(indices.min()), int(indices.max())
        if least < low or most >= end:
            wrong = least if least < low else most
            raise CaromError(
                f"{name} is {wrong}; expected {low} to {end - 1}. This is a bug in carom: please report it"
            )


def whole(name: str, value: Any, least: int) -> int:
    """A whole number of at least `least`, as Python's integers and NumPy's are."""
    if not is_whole(value) or value < least:
        raise InvalidInputError(f"{name} is {shown(value)}; expected a whole number of {least} or more")
    return int(value)


def is_whole(value: object) -> bool:
    """Is it a whole number, one of Python's or NumPy's? Truth values are none, nor are spans of time, as NumPy has it."""
    return isinstance(value, int | np.integer) and not isinstance(value, bool | np.timedelta64)


def endless(name: str, value: Any) -> float:
    """A number, infinity included."""
    result = _as_float(name, value)
    if math.isnan(result):
        raise InvalidInputError(f"{name} is {_told(value)}; expected a number, or inf")
    return result


def several(name: str, value: Any, what: str) -> list[Any]:
    """A list of the entries of `value`, which are `what`, for the error where it has none."""
    try:
        return list(value)
    except TypeError:
        raise InvalidInputError(f"{name} is {shown(value)}; expected {what}") from None


def text(name: str, value: Any) -> str | None:
    """A string, or None."""
    if value is not None and not isinstance(value, str):
        raise InvalidInputError(f"{name} is {shown(value)}; expected a string, or None")
    return value


def truth(name: str, value: Any) -> bool:
    """True or False."""
    if not isinstance(value, bool | np.bool_):
        raise InvalidInputError(f"{name} is {shown(value)}; expected True or False")
    return bool(value)


def one_of(name: str, value: Any, known: Sequence[str]) -> str:
    """One of some words."""
    if not isinstance(value, str) or value not in known:
        raise InvalidInputError(f"{name} is {shown(value)}; expected one of {', '.join(known)}")
    return value


def _as_float(name: str, value: Any) -> float:
    single = value[()] if isinstance(value, np.ndarray) and value.ndim == 0 else value
    if not is_real(single) or not _fits_double(single):
        raise InvalidInputError(f"{name} is {shown(value)}; expected a number")
    return float(single)


def _told(value: Any) -> str:
    """A number in an error: as it was given, unless it has more digits than Python writes."""
    try:
        words = str(value)
    except ValueError:
        return shown(value)
    return words if len(words) <= _LONGEST else shown(value)


def _fits_double(value: Any) -> bool:
    try:
        float(value)
    except (OverflowError, TypeError, ValueError):
        return False
    return True


def shown(value: object) -> str:
    """What was given, in an error: its repr on one line, cut where it is long, or its type where it has no repr."""
    try:
        words = repr(value)
    except Exception:  # a foreign object's own method
        return f"a {type(value).__name__}"
    words = " ".join(words[: 2 * _LONGEST].split())
    return words if len(words) <= _LONGEST else f"{words[: _LONGEST - 4]} ..."


def array(
    name: str,
    value: ArrayLike,
    shape: tuple[int | None, ...],
    *others: tuple[int | None, ...],
    because: str = "",
    largest: float = LARGEST_NUMBER,
) -> NDArray[np.float64]:
    """A finite C-contiguous float64 copy of `value` with the given shape; None stands for any length.

    others: shapes that are taken as well. because: what the shape follows from, for the error. largest: no entry is
    farther from 0. Refused is what holds no real
    numbers: text, dates, objects, truth values, complex numbers, masked entries, rows of different length.
    """
    result = real_numbers(name, value, shape)
    if not any(_fits(result.shape, each) for each in (shape, *others)):
        reason = f", since {because}" if because else ""
        alike = [each for each in (shape, *others) if len(each) == result.ndim]
        expected = " or ".join(_dimensions(each) for each in alike or (shape, *others))
        raise InvalidInputError(f"{name} has shape {result.shape}; expected {expected}{reason}")
    if not np.abs(result).max(initial=0.0) <= largest:
        where = tuple(int(k) for k in np.argwhere(~(np.abs(result) <= largest))[0])
        expected = f"a number from {-largest} to {largest}" if np.isfinite(result[where]) else "a finite number"
        place = f"[{', '.join(map(str, where))}]" if where else ""
        raise InvalidInputError(f"{name}{place} is {result[where]}; expected {expected}")
    return result


def real_numbers(name: str, value: ArrayLike, shape: tuple[int | None, ...]) -> NDArray[np.float64]:
    """A C-contiguous float64 copy of `value` of any shape; infinity and NaN pass. shape: the expected one, for errors."""
    try:
        given = _unmasked(value)
        # NumPy keeps whole numbers beyond 64 bits, fractions and decimals as objects; no other objects are numbers.
        kind = given.dtype.kind
        if kind not in "iuf" and not (kind == "O" and all(is_real(each) for each in given.flat)):
            raise TypeError
        with np.errstate(over="ignore"):  # long doubles beyond the range of doubles are infinite
            return np.array(given, dtype=np.float64, order="C")
    except (TypeError, ValueError, OverflowError, RuntimeError, RecursionError, AttributeError):
        raise InvalidInputError(_no_numbers(name, value, shape)) from None


def _unmasked(value: object) -> NDArray[Any]:
    """`value` as an array; TypeError where entries are masked, that is missing."""
    if isinstance(value, np.ma.MaskedArray):
        if np.ma.getmaskarray(value).any():
            raise TypeError
        value = value.data
    # An empty list holds no number that could be wrong; NumPy makes it one of floats.
    return np.asarray(value)


def is_real(value: object) -> bool:
    """Is it a single real number? Truth values, text, dates, sequences and arrays are not; infinity and NaN are."""
    return isinstance(value, Real | Decimal) and not isinstance(value, bool | np.bool_)


def _fits(got: tuple[int, ...], shape: tuple[int | None, ...]) -> bool:
    return len(got) == len(shape) and all(want in (None, size) for want, size in zip(shape, got, strict=True))


def _no_numbers(name: str, value: ArrayLike, shape: tuple[int | None, ...]) -> str:
    """What to say of a value that is no array of real numbers: which entry is none, if its shape tells."""
    try:
        entries = np.array(value, dtype=object)
    except Exception:  # rows of different length, or an object whose own methods fail
        entries = np.array(None)
    if entries.ndim == len(shape):
        for where, entry in np.ndenumerate(entries):
            if not is_real(entry) or not _fits_double(entry):
                plain = entry.item() if isinstance(entry, np.generic) else entry
                return f"{name}[{', '.join(map(str, where))}] is {shown(plain)}; expected a number"
    return f"{name} cannot be read as numbers; expected shape {_dimensions(shape)}"


def vector(name: str, value: ArrayLike, length: int = 3) -> NDArray[np.float64]:
    """A finite vector of `length` numbers."""
    return array(name, value, (length,))


def face_rows(name: str, value: ArrayLike, n_vertices: int) -> NDArray[np.int64]:
    """Triangles as rows of vertices: a clean (m, 3) copy of at least one row, each entry from 0 to n_vertices - 1."""
    rows = table_of_rows(name, value, 3, n_vertices, "rows of vertices")
    if len(rows) == 0:
        raise InvalidInputError(f"{name} is empty; expected at least one triangle")
    return rows


def table_of_rows(name: str, value: ArrayLike, width: int, n: int, what: str) -> NDArray[np.int64]:
    """A clean (k, width) copy of whole numbers, each from 0 to n - 1. what: these stand for, for the error."""
    numbers = array(name, value, (None, width))
    result = _whole(numbers)
    for wrong, given, expected in (
        ((result != numbers).any(axis=1), numbers, "whole numbers"),
        (((result < 0) | (result >= n)).any(axis=1), result, f"{what}, 0 to {n - 1}"),
    ):
        if wrong.any():
            row = int(np.argmax(wrong))
            raise InvalidInputError(f"{name}[{row}] is {given[row].tolist()}; expected {expected}")
    return result


def _whole(numbers: NDArray[np.float64]) -> NDArray[np.int64]:
    """Numbers as whole ones; another number where that is not one of 64 bits."""
    with np.errstate(invalid="ignore"):
        return numbers.astype(np.int64)


def rows(name: str, value: ArrayLike, n: int) -> NDArray[np.int64]:
    """Different rows of a table of n: a clean (k,) copy, each from 0 to n - 1."""
    if isinstance(value, np.ndarray) and value.dtype == np.int64 and value.ndim == 1:
        numbers, result = value, value.copy()
    else:
        numbers = array(name, value, (None,))
        result = _whole(numbers)
    wrong = (result != numbers) | (result < 0) | (result >= n)
    if wrong.any():
        row = int(np.argmax(wrong))
        raise InvalidInputError(f"{name}[{row}] is {numbers[row]:g}; expected a whole number from 0 to {n - 1}")
    ordered = np.sort(result)
    twice = ordered[1:] == ordered[:-1]
    if twice.any():
        raise InvalidInputError(f"{name} holds {ordered[np.argmax(twice)]} twice; expected different rows")
    return result


def placed(name: str, value: object, dtype: type[np.generic], shape: tuple[int | None, ...]) -> NDArray[Any]:
    """An array as kernels take it: of this type and shape, None for any length, in C order. Its numbers are not looked at."""
    if not isinstance(value, np.ndarray) or value.dtype != dtype or not _fits(value.shape, shape):
        raise InvalidInputError(
            f"{name} is {shown(value)}; expected an array of {dtype.__name__} of shape {_dimensions(shape)}"
        )
    return np.ascontiguousarray(value)


def is_plain(value: object, dtype: type[np.generic], ndim: int) -> TypeGuard[NDArray[Any]]:
    """Is this an array of such numbers that kernels take as it is: in C order, and not read-only, which is another type?"""
    return type(value) is np.ndarray and value.dtype == dtype and value.ndim == ndim and value.flags.carray


def unit_quaternion(name: str, value: ArrayLike) -> NDArray[np.float64]:
    """A quaternion (w, x, y, z) of any length but zero, normalised."""
    quat = vector(name, value, 4)
    if not quat.any():
        raise InvalidInputError(f"{name} is (0, 0, 0, 0); expected a quaternion w, x, y, z of non-zero length")
    return unit_rows(quat[None])[0]


def unit_quaternions(name: str, value: ArrayLike, n: int) -> NDArray[np.float64]:
    """Quaternions (n, 4) w, x, y, z, each of any length but zero, normalised as `unit_quaternion` does it, bit for bit."""
    quats = array(name, value, (n, 4))
    zero = np.flatnonzero(~quats.any(axis=1))
    if len(zero):
        raise InvalidInputError(
            f"{name}[{int(zero[0])}] is (0, 0, 0, 0); expected a quaternion w, x, y, z of non-zero length"
        )
    return unit_rows(quats)


def unit_rows(rows: NDArray[np.float64]) -> NDArray[np.float64]:
    """Rows (n, k), none of them zero, over their lengths; scaled before where squares would leave the range of doubles."""
    most = np.abs(rows).max(axis=1, keepdims=True, initial=0.0)
    rows = rows / np.where((most > _SMALL) & (most < 1.0 / _SMALL), 1.0, most)
    size = length(rows)[:, None]
    return np.where(np.abs(size - 1.0) <= _UNIT, rows, rows / size)


def threads(value: Any) -> int | None:
    """A number of threads: a whole number above 0, or None for all cores."""
    if value is not None and (not is_whole(value) or value < 1):
        raise InvalidInputError(f"threads is {shown(value)}; expected a whole number above 0, or None for all cores")
    return None if value is None else int(value)


def unknown_name(kind: str, name: str, known: Iterable[str], otherwise: str = "") -> str:
    """That no `kind` is called `name`, what there is, and the nearest of it. otherwise: what else may stand there."""
    words = list(known)
    nearest = difflib.get_close_matches(name, words, n=1)
    hint = f"; did you mean {nearest[0]}?" if nearest else ""
    return f"no {kind} is called {name!r}; expected {', '.join(words)}{otherwise and f', or {otherwise}'}{hint}"


def counted(n: int, one: str, many: str = "") -> str:
    """How many there are, in words: 1 row, 1,000 rows. many: the plural, where it is not `one` with an s."""
    return f"{n:,} {one if n == 1 else many or f'{one}s'}"


def few(words: Sequence[str], most: int, total: int | None = None) -> str:
    """The first words and how many more there are: a, b, c and 4 more. total: how many of all, if not all are given."""
    more = (len(words) if total is None else total) - min(len(words), most)
    return ", ".join(words[:most]) + (f" and {more:,} more" if more else "")


def printable(text: str) -> str:
    """The text on one line: what a terminal would act upon, or could not show, as Python writes it."""
    return text if text.isprintable() else "".join(c if c.isprintable() else repr(c)[1:-1] for c in text)


def _dimensions(shape: tuple[int | None, ...]) -> str:
    return "(" + ", ".join("n" if k is None else str(k) for k in shape) + ("," if len(shape) == 1 else "") + ")"
