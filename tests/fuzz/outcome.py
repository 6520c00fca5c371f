"""What comes of one call: printed whole into the scripts of failures, so it needs nothing but carom, NumPy and Python."""

from __future__ import annotations

import copy
import datetime
import re
import warnings
from array import array
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np

import carom

DERIVED = ("body", "max_acceleration", "expires")
"""What errors may name beside arguments: one of several ids, and what follows from what is given."""
KNOWN = (array, datetime, Decimal, Fraction, copy)
"""What the values of scripts are made of."""


class Hostile:
    """Not a number, and its own methods fail."""

    def __repr__(self) -> str:
        raise RuntimeError("no words")

    def __float__(self) -> float:
        raise AttributeError("no number")


class Row(np.ndarray):  # type: ignore[type-arg]
    """An array of a class of the user's."""


def told(value: Any, depth: int = 4) -> Any:
    """Everything public about a result, down to the bits, in a form that can be compared."""
    if isinstance(value, np.ndarray):
        return value.shape, value.dtype.str, value.tobytes() if value.dtype.kind != "O" else repr(value.tolist())
    if isinstance(value, float | np.floating):
        return np.float64(value).tobytes()
    if value is None or isinstance(value, bool | int | str | np.integer | np.bool_):
        return str(value)
    if isinstance(value, list | tuple | frozenset | set):
        return [told(each, depth) for each in value]
    if isinstance(value, dict):
        return {str(key): told(each, depth) for key, each in value.items()}
    if isinstance(value, carom.World):
        moved = value.positions(), value.velocities(), value.orientations()
        return told((value.time, value.bodies, *moved, value.masses), depth)
    if depth == 0 or not type(value).__module__.startswith("carom"):
        return type(value).__name__
    public = (name for name in dir(value) if not name.startswith("_") and name not in ("stats", "volume_tests"))
    held = ((name, getattr(value, name, None)) for name in public)
    return type(value).__name__, {name: told(each, depth - 1) for name, each in held if not callable(each)}


def outcome(call: Any, look: Any, arguments: dict[str, Any], spoil: bool) -> tuple[str, Any]:
    """("result", what it tells), ("refused", the error of carom), or ("wrong", what no call may do).

    look: gives what the call changed. spoil: what was passed is overwritten before anything is looked at.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        try:
            result = call(**arguments)
            for value in arguments.values() if spoil else ():
                if isinstance(value, np.ndarray) and value.flags.writeable and value.dtype.kind == "f":
                    value.fill(np.nan)
            return "result", told((result, look()))
        except carom.CaromError as error:
            return "refused", error
        except Exception as error:
            return "wrong", f"{type(error).__name__}: {error}"


def check_refused(kind: str, said: Any, names: list[str]) -> None:
    """A refusal is one line and names one of the arguments: that which is wrong, or one that does not fit it."""
    assert kind != "wrong", f"untold error: {said}"
    if kind == "refused":
        words = str(said)
        assert "\n" not in words, f"many lines: {words}"
        assert len(words) < 2000, f"long words: {len(words)} characters"
        if isinstance(said, carom.InvalidInputError):
            known = (*names, *DERIVED)
            assert any(re.search(rf"\b{name}\b", words) for name in known), f"unnamed argument: {words}"


def check_alike(plain: tuple[str, Any], other: tuple[str, Any], names: list[str]) -> None:
    """Two ways to write one value give one result, or are both refused."""
    check_refused(*other, names)
    assert plain[0] == other[0], f"unlike: {plain[0]} against {other[0]}: {plain[1]} against {other[1]}"
    if plain[0] == "result":
        assert plain[1] == other[1], "unlike: another result"
