"""Calls of carom's names kept as plain data: they can be made, printed as source, and simplified."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import carom
from fuzz.cases.refused import Refused

_OPTIONAL = frozenset(
    ("velocity", "acceleration", "orientation", "spin", "start", "mass", "group", "orientations", "direction", "offset")
)
"""Arguments that may be left out."""
_FIXED = frozenset(("faces", "start", "times"))
"""Arguments whose numbers are not rounded: rounding them makes another case."""


class Call:
    """carom.<name>(**arguments), not yet made."""

    def __init__(self, name: str, /, **arguments: Any) -> None:
        self.name = name
        self.arguments = arguments

    def make(self) -> Any:
        """The object. Refused where carom does not accept the arguments."""
        try:
            return getattr(carom, self.name)(**{key: made(value) for key, value in self.arguments.items()})
        except carom.InvalidInputError as error:
            raise Refused(str(error)) from None

    def __str__(self) -> str:
        return f"carom.{self.name}({', '.join(f'{key}={source(value)}' for key, value in self.arguments.items())})"

    def __getitem__(self, key: str) -> Any:
        return self.arguments[key]

    def get(self, key: str, default: Any = None) -> Any:
        return self.arguments.get(key, default)


def made(value: Any) -> Any:
    """The value with every Call in it made."""
    if isinstance(value, Call):
        return value.make()
    if isinstance(value, list):
        return [made(item) for item in value]
    if isinstance(value, tuple):
        return tuple(made(item) for item in value)
    if isinstance(value, dict):
        return {key: made(item) for key, item in value.items()}
    return value


def source(value: Any) -> str:
    """Python source of the value."""
    if isinstance(value, float) and not math.isfinite(value):
        return f'float("{value}")'
    if isinstance(value, list):
        return f"[{', '.join(map(source, value))}]"
    if isinstance(value, tuple):
        return f"({', '.join(map(source, value))}{',' if len(value) == 1 else ''})"
    if isinstance(value, dict):
        return f"{{{', '.join(f'{key!r}: {source(item)}' for key, item in value.items())}}}"
    return str(value) if isinstance(value, Call) else repr(value)


def simpler(value: Any) -> Iterator[Any]:
    """Copies of the value with one thing simpler: an entry dropped, or numbers rounded. The largest changes come first."""
    if isinstance(value, Call):
        for key in value.arguments:
            if key in _OPTIONAL:
                yield Call(value.name, **{k: v for k, v in value.arguments.items() if k != key})
        for key, item in value.arguments.items():
            for smaller in _dropped(item) if key in _FIXED else simpler(item):
                yield Call(value.name, **{**value.arguments, key: smaller})
    elif isinstance(value, dict):
        for key, item in value.items():
            for smaller in simpler(item):
                yield {**value, key: smaller}
    elif isinstance(value, list):
        if _is_vector(value):
            yield from _rounded(value)
            return
        yield from _dropped(value)
        for k, item in enumerate(value):
            for smaller in simpler(item):
                yield [*value[:k], smaller, *value[k + 1 :]]
    elif isinstance(value, tuple):
        for k, item in enumerate(value):
            for smaller in simpler(item):
                yield (*value[:k], smaller, *value[k + 1 :])
    elif isinstance(value, float):
        yield from (smaller[0] for smaller in _rounded([value]))


def _is_vector(value: list[Any]) -> bool:
    return bool(value) and all(isinstance(item, float) for item in value)


def _dropped(value: Any) -> Iterator[Any]:
    """The list without one of its entries; halves first where it is long."""
    if not isinstance(value, list) or _is_vector(value):
        return
    if len(value) > 5:
        half = len(value) // 2
        yield value[:half]
        yield value[half:]
    for k in range(len(value)):
        yield value[:k] + value[k + 1 :]


def _rounded(value: list[float]) -> Iterator[list[float]]:
    """The numbers rounded to 1, 2, 4 significant digits, where that changes them."""
    for digits in (1, 2, 4):
        rounded = [float(f"{number:.{digits - 1}e}") for number in value]
        if rounded != value:
            yield rounded
