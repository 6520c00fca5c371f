"""Arrays of a snapshot by name: each is checked before anything uses it, because a file may hold anything.

Kernels index with what they read, and would read or write beyond an array.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

from carom.errors import InvalidInputError

LARGEST = 1e60
"""Largest number of metres, seconds or their ratios that a snapshot may hold: products of four of them are finite."""


class Fields:
    """The arrays of a snapshot whose names begin with `prefix`; every error is an InvalidInputError that names the field."""

    def __init__(self, arrays: Mapping[str, Any], prefix: str = "") -> None:
        self._arrays = arrays
        self._prefix = prefix

    def within(self, prefix: str) -> Fields:
        """Those whose names go on with `prefix` and a dot."""
        return Fields(self._arrays, f"{self._prefix}{prefix}.")

    def __contains__(self, name: str) -> bool:
        return self._prefix + name in self._arrays

    def wrong(self, name: str, problem: str) -> InvalidInputError:
        """The error that says what is wrong with a field."""
        return InvalidInputError(f"snapshot[{self._prefix + name!r}]{problem}")

    def array(self, name: str, kind: DTypeLike, shape: tuple[int | None, ...]) -> NDArray[Any]:
        """A C-contiguous copy of the field, which must have this type and shape; None stands for any length."""
        key = self._prefix + name
        if key not in self._arrays:
            raise InvalidInputError(f"snapshot lacks {key!r}; expected what World.snapshot() gave")
        array, wanted = self._arrays[key], np.dtype(kind)
        if not isinstance(array, np.ndarray) or (array.dtype.kind if wanted.kind == "U" else array.dtype) != (
            wanted.kind if wanted.kind == "U" else wanted
        ):
            found = array.dtype if isinstance(array, np.ndarray) else type(array).__name__
            raise self.wrong(name, f" is of type {found}; expected {'text' if wanted.kind == 'U' else wanted}")
        matches = array.ndim == len(shape) and all(
            want in (None, got) for want, got in zip(shape, array.shape, strict=True)
        )
        if not matches:
            shown = "(" + ", ".join("n" if n is None else str(n) for n in shape) + ")"
            raise self.wrong(name, f" has shape {array.shape}; expected {shown}")
        return np.array(array, order="C")

    def numbers(self, name: str, shape: tuple[int | None, ...], least: float = -LARGEST) -> NDArray[np.float64]:
        """A float64 field, all of it finite, of at least `least`, and no farther than LARGEST from 0."""
        array = self.array(name, np.float64, shape)
        self.require(name, array, (array >= least) & (array <= LARGEST), f"a number from {least:g} to {LARGEST:g}")
        return array

    def times(self, name: str, shape: tuple[int | None, ...]) -> NDArray[np.float64]:
        """A float64 field of times: infinite, or no farther than LARGEST from 0."""
        array = self.array(name, np.float64, shape)
        self.require(name, array, (np.abs(array) <= LARGEST) | np.isinf(array), "a time, or an infinity")
        return array

    def whole(self, name: str, kind: DTypeLike, shape: tuple[int | None, ...], least: int, most: int) -> NDArray[Any]:
        """A field of whole numbers from `least` to `most`."""
        array = self.array(name, kind, shape)
        self.require(name, array, (array >= least) & (array <= most), f"a whole number from {least} to {most}")
        return array

    def require(self, name: str, array: NDArray[Any], right: NDArray[Any], expected: str) -> None:
        """Raise the error for the first entry of the field that is not `right`."""
        if not right.all():
            where = tuple(int(k) for k in np.argwhere(~right)[0])
            shown = f"[{', '.join(map(str, where))}]" if where else ""
            raise self.wrong(name, f"{shown} is {array[where].item()!r}; expected {expected}")

    def each_once(self, name: str, array: NDArray[Any]) -> None:
        """Raise the error where an entry, or a row, of the field is there twice."""
        if len(np.unique(array, axis=0)) != len(array):
            raise self.wrong(name, " holds an entry twice; expected each once")
