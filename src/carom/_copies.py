"""How objects are copied and pickled: values that never change are shared, everything else is copied whole."""

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
    """Base of objects that never change, all of whose arrays are read-only.

    A copy is the object itself. Pickling keeps the bits of every array, and unpickled arrays are read-only again: NumPy does
    not pickle that flag, and kernels would be compiled once more for arrays that can be written to.
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
    """Set the fields of a new object, whose arrays are read-only from now on: what was checked stays as it was checked."""
    for name, field in fields.items():
        _freeze(field)
        object.__setattr__(value, name, field)


def _freeze(value: Any) -> None:
    """Make arrays read-only, those inside tuples included."""
    if isinstance(value, np.ndarray):
        value.setflags(write=False)
    elif isinstance(value, tuple):
        for part in value:
            _freeze(part)


class Copyable:
    """Base of objects that change in place: `copy.copy` copies the whole state, as `copy.deepcopy` does.

    A shallow copy would share arrays with the original, and kernels would write into both.
    """

    def __copy__(self) -> Self:
        return copy.deepcopy(self)


def check_picklable(name: str, function: Callable[..., Any]) -> None:
    """Raise CaromError for a function that pickle cannot find by its name: a lambda, or one defined inside another."""
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
