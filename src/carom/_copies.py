"""Copying and pickling of objects: immutable values are shared, everything else is copied completely."""

from __future__ import annotations

import copy
import sys
from collections.abc import Callable
from functools import partial
from types import FunctionType, MethodType
from typing import Any, Self

import numpy as np

from carom.errors import CaromError


class Immutable:
    """Base class of immutable objects, all of whose arrays are read-only.

    A copy is the object itself. Pickling preserves arrays bit for bit, and unpickled arrays are read-only again: NumPy does not
    pickle that flag, and kernels would be compiled again for writeable arrays.
    """

    def __copy__(self) -> Self:
        return self

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        return self

    def __setstate__(self, state: dict[str, Any]) -> None:
        for value in state.values():
            _freeze(value)
        self.__dict__.update(state)


def settle(value: Immutable, **fields: Any) -> None:
    """Set the fields of a new object and make their arrays read-only, so that checked values stay valid."""
    for name, field in fields.items():
        _freeze(field)
        object.__setattr__(value, name, field)


def _freeze(value: Any) -> None:
    """Make arrays read-only, including those inside tuples."""
    if isinstance(value, np.ndarray):
        value.setflags(write=False)
    elif isinstance(value, tuple):
        for part in value:
            _freeze(part)


class Copyable:
    """Base class of mutable objects: `copy.copy` copies the whole state, as `copy.deepcopy` does.

    A shallow copy would share arrays with the original, and kernels would write to both.
    """

    def __copy__(self) -> Self:
        return copy.deepcopy(self)


def check_picklable(name: str, function: Callable[..., Any]) -> None:
    """Raise CaromError for a function that pickle cannot find by name: a lambda or a nested function."""
    while isinstance(function, MethodType | partial):
        function = function.__func__ if isinstance(function, MethodType) else function.func
    if not isinstance(function, FunctionType):
        return
    found: Any = sys.modules.get(function.__module__)
    for part in function.__qualname__.split("."):
        found = getattr(found, part, None)
    if found is not function:
        raise CaromError(
            f"{name} is {function.__qualname__}, which cannot be pickled; expected a function defined at the top level of a "
            "module"
        )
