"""Checks of arrays."""

from __future__ import annotations

from collections.abc import Sized
from typing import Any, TypeGuard

import numpy as np
from numpy.typing import ArrayLike, NDArray

from carom.errors import CaromError, InvalidInputError
from carom.maths.fixed_order import length
from carom.tolerances import LARGEST_NUMBER, LATEST_TIME, SMALLEST_SIZE
from carom.validate.numbers import fits_double, is_real
from carom.validate.words import dimensions, shown

_SMALL = 1e-100  # Lengths from this to its inverse have squares that doubles represent with full precision

_UNIT = 1e-15
"""Rows whose length differs from 1 by at most this are kept bit for bit: another division could change their last digits."""


def array(
    name: str,
    value: ArrayLike,
    shape: tuple[int | None, ...],
    *others: tuple[int | None, ...],
    because: str = "",
    largest: float = LARGEST_NUMBER,
) -> NDArray[np.float64]:
    """Return a finite C-contiguous float64 copy of `value` of the given shape, in which None stands for any length.

    others: further allowed shapes. because: reason for the shape, for the error. largest: largest absolute value. Values that
    are not real numbers are refused: text, dates, objects, bools, complex numbers, masked entries, ragged rows.
    """
    result = real_numbers(name, value, shape)
    if not any(_fits(result.shape, each) for each in (shape, *others)):
        reason = f", since {because}" if because else ""
        alike = [each for each in (shape, *others) if len(each) == result.ndim]
        expected = " or ".join(dimensions(each) for each in alike or (shape, *others))
        raise InvalidInputError(f"{name} has shape {result.shape}; expected {expected}{reason}")
    if not np.abs(result).max(initial=0.0) <= largest:
        where = tuple(int(k) for k in np.argwhere(~(np.abs(result) <= largest))[0])
        expected = f"a number from {-largest} to {largest}" if np.isfinite(result[where]) else "a finite number"
        place = f"[{', '.join(map(str, where))}]" if where else ""
        raise InvalidInputError(f"{name}{place} is {result[where]}; expected {expected}")
    return result


def real_numbers(name: str, value: ArrayLike, shape: tuple[int | None, ...]) -> NDArray[np.float64]:
    """Return a C-contiguous float64 copy of `value`, which may contain inf and NaN. shape: the expected shape, for errors."""
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


def vector(name: str, value: ArrayLike, length: int = 3) -> NDArray[np.float64]:
    """Return a finite vector of `length` numbers."""
    return array(name, value, (length,))


def moments(
    name: str, value: ArrayLike, shape: tuple[int | None, ...], *others: tuple[int | None, ...]
) -> NDArray[np.float64]:
    """Return times, s, as `array` does, each from -LATEST_TIME to LATEST_TIME."""
    return array(name, value, shape, *others, largest=LATEST_TIME)


def spread(name: str, points: NDArray[np.float64]) -> None:
    """Refuse points (..., 3) that extend over more than 0 but less than SMALLEST_SIZE."""
    if points.size:
        extent = float(np.ptp(points.reshape(-1, 3), axis=0).max())
        if 0.0 < extent < SMALLEST_SIZE:
            raise InvalidInputError(f"{name} extend over {extent}; expected at least {SMALLEST_SIZE}")


def in_range(name: str, points: NDArray[np.float64]) -> None:
    """Refuse points (..., 3) beyond LARGEST_NUMBER, or with an extent that `spread` refuses."""
    array(name, points, points.shape)
    spread(name, points)


def bounded(name: str, indices: NDArray[np.integer[Any]], low: int, end: int) -> None:
    """Raise CaromError unless low <= indices < end: for indices that carom has computed, before a kernel uses them."""
    if len(indices):
        least, most = int(indices.min()), int(indices.max())
        if least < low or most >= end:
            wrong = least if least < low else most
            raise CaromError(
                f"{name} is {wrong}; expected {low} to {end - 1}. This is a bug in carom: please report it"
            )


def face_rows(name: str, value: ArrayLike, n_vertices: int) -> NDArray[np.int64]:
    """Return triangles as rows of vertices (m, 3), at least one, with entries from 0 to n_vertices - 1."""
    rows = table_of_rows(name, value, 3, n_vertices, "rows of vertices")
    if len(rows) == 0:
        raise InvalidInputError(f"{name} is empty; expected at least one triangle")
    return rows


def table_of_rows(name: str, value: ArrayLike, width: int, n: int, what: str) -> NDArray[np.int64]:
    """Return a copy (k, width) of whole numbers from 0 to n - 1. what: their meaning, for the error."""
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


def rows(name: str, value: ArrayLike, n: int) -> NDArray[np.int64]:
    """Return a copy (k,) of different rows of a table of n rows."""
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
    """Return an array of this type and shape, None for any length, in C order, for a kernel. Its values are not checked."""
    if not isinstance(value, np.ndarray) or value.dtype != dtype or not _fits(value.shape, shape):
        raise InvalidInputError(
            f"{name} is {shown(value)}; expected an array of {dtype.__name__} of shape {dimensions(shape)}"
        )
    return np.ascontiguousarray(value)


def is_plain(value: object, dtype: type[np.generic], ndim: int) -> TypeGuard[NDArray[Any]]:
    """Return whether kernels take this array unchanged: of this type, in C order and writeable."""
    return type(value) is np.ndarray and value.dtype == dtype and value.ndim == ndim and value.flags.carray


def unit_quaternion(name: str, value: ArrayLike) -> NDArray[np.float64]:
    """Return a quaternion (w, x, y, z), normalised; its length must not be 0."""
    quat = vector(name, value, 4)
    if not quat.any():
        raise InvalidInputError(f"{name} is (0, 0, 0, 0); expected a quaternion w, x, y, z of non-zero length")
    return unit_rows(quat[None])[0]


def unit_quaternions(name: str, value: ArrayLike, n: int) -> NDArray[np.float64]:
    """Return quaternions (n, 4), each normalised as by `unit_quaternion`, bit for bit."""
    quats = array(name, value, (n, 4))
    zero = np.flatnonzero(~quats.any(axis=1))
    if len(zero):
        raise InvalidInputError(
            f"{name}[{int(zero[0])}] is (0, 0, 0, 0); expected a quaternion w, x, y, z of non-zero length"
        )
    return unit_rows(quats)


def unit_rows(rows: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return non-zero rows (n, k) over their lengths; rows whose squares leave the range of doubles are scaled first."""
    most = np.abs(rows).max(axis=1, keepdims=True, initial=0.0)
    rows = rows / np.where((most > _SMALL) & (most < 1.0 / _SMALL), 1.0, most)
    size = length(rows)[:, None]
    return np.where(np.abs(size - 1.0) <= _UNIT, rows, rows / size)


def _unmasked(value: object) -> NDArray[Any]:
    """Return `value` as an array; TypeError if entries are masked."""
    if isinstance(value, np.ma.MaskedArray):
        if np.ma.getmaskarray(value).any():
            raise TypeError
        value = value.data
    return np.asarray(value)


def _fits(got: tuple[int, ...], shape: tuple[int | None, ...]) -> bool:
    return len(got) == len(shape) and all(want in (None, size) for want, size in zip(shape, got, strict=True))


def _no_numbers(name: str, value: ArrayLike, shape: tuple[int | None, ...]) -> str:
    """Return the error for a value that is not an array of real numbers, with the wrong entry if the shape is as expected."""
    try:
        entries = np.array(value, dtype=object)
    except Exception:  # rows of different length, or an object whose own methods fail
        entries = np.array(None)
    if entries.ndim == len(shape):
        for where, entry in np.ndenumerate(entries):
            if not is_real(entry) or not fits_double(entry):
                plain = entry.item() if isinstance(entry, np.generic) else entry
                return f"{name}[{', '.join(map(str, where))}] is {shown(plain)}; expected a number"
    if entries.ndim == 1 and len(shape) == 2 and shape[1] is not None:  # rows of different length
        for row, entry in enumerate(entries):
            if not isinstance(entry, Sized) or isinstance(entry, str | bytes):
                break
            if len(entry) != shape[1]:
                return f"{name}[{row}] is {shown(entry)}; expected {shape[1]} numbers"
    return f"{name} cannot be read as numbers; expected shape {dimensions(shape)}"


def _whole(numbers: NDArray[np.float64]) -> NDArray[np.int64]:
    """Convert into int64; a number that does not fit becomes another one."""
    with np.errstate(invalid="ignore"):
        return numbers.astype(np.int64)
