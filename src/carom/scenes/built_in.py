"""Built-in scenes: their parameters, ranges and defaults."""

from __future__ import annotations

import dataclasses
import inspect
import math
from collections.abc import Callable, Mapping
from typing import Any, Generic, TypeVar

from carom.errors import SceneError

Made = TypeVar("Made")


@dataclasses.dataclass(frozen=True)
class Range:
    """The range of a parameter, ends included; its default is that of the function that makes the scene."""

    lowest: float
    highest: float
    meaning: str

    def ends(self) -> str:
        """Return the lowest and the highest value as text."""
        return f"{_plain(self.lowest)} to {_plain(self.highest)}"


def _plain(value: float) -> str:
    return f"{value:,.0f}" if value == int(value) else f"{value:g}"


SEED = Range(0, 2**53, "seed of the random generator")


@dataclasses.dataclass(frozen=True)
class BuiltIn(Generic[Made]):
    """A scene made by a function of its parameters."""

    make: Callable[..., Made]
    ranges: Mapping[str, Range]

    @property
    def summary(self) -> str:
        """First line of the docstring of its function."""
        return (inspect.getdoc(self.make) or "").splitlines()[0]

    def default(self, key: str) -> float:
        """Return the default of a parameter; an int if it must be a whole number."""
        value: float = inspect.signature(self.make).parameters[key].default
        return value

    def check(self, where: str, key: str, value: Any) -> float:
        """Return the value in the type of the default, or raise SceneError naming place, value and range."""
        span, whole = self.ranges[key], isinstance(self.default(key), int)
        kind = "a whole number" if whole else "a number"
        number = value if isinstance(value, int | float) and not isinstance(value, bool) else math.nan
        if not span.lowest <= number <= span.highest or (whole and number != int(number)):
            raise SceneError(f"{where} is {value!r}; expected {kind} from {span.ends()}")
        return int(number) if whole else float(number)

    def checked(self, name: str, parameters: Mapping[str, Any]) -> dict[str, float]:
        """Return the checked parameters of scene `name`; SceneError names one that is unknown or out of range."""
        values: dict[str, float] = {}
        for key, value in parameters.items():
            if key not in self.ranges:
                raise SceneError(f"scene {name} has no parameter {key!r}; expected {', '.join(self.ranges)}")
            values[key] = self.check(f"scene {name}: {key}", key, value)
        return values
