"""The built-in scenes by name, their parameters, and the one function that finds a scene by name or file."""

from __future__ import annotations

import dataclasses
import difflib
import inspect
import math
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from carom.errors import SceneError
from carom.scenes.billiards import billiards
from carom.scenes.gas import gas
from carom.scenes.models import models
from carom.scenes.rings import rings
from carom.scenes.scene import Scene
from carom.scenes.toml_file import load_scene


@dataclasses.dataclass(frozen=True)
class Range:
    """What a parameter of a built-in scene may be, ends included; its default is that of the making function."""

    lowest: float
    highest: float
    meaning: str


@dataclasses.dataclass(frozen=True)
class BuiltIn:
    """A scene made by a function of its parameters."""

    make: Callable[..., Scene]
    ranges: Mapping[str, Range]

    @property
    def summary(self) -> str:
        """First line of the maker's docstring."""
        return (inspect.getdoc(self.make) or "").splitlines()[0]

    def default(self, key: str) -> float:
        """Value of the parameter when none is given; an int when only whole numbers make sense."""
        value: float = inspect.signature(self.make).parameters[key].default
        return value

    def check(self, where: str, key: str, value: Any) -> float:
        """Return the value in the type of the default, or raise SceneError naming place, value and range."""
        span, whole = self.ranges[key], isinstance(self.default(key), int)
        kind = "a whole number" if whole else "a number"
        number = value if isinstance(value, int | float) and not isinstance(value, bool) else math.nan
        if not span.lowest <= number <= span.highest or (whole and number != int(number)):
            raise SceneError(f"{where} is {value!r}; expected {kind} from {span.lowest:g} to {span.highest:g}")
        return int(number) if whole else float(number)


_SEED = Range(0, 2**53, "seed of the random generator")
_DENSITY = Range(1e-9, 0.2, "volume of the bounding spheres over that of the box")
_MOST = 10_000_000

BUILT_IN: Mapping[str, BuiltIn] = {
    "rings": BuiltIn(rings, {"objects": Range(1, _MOST, "number of rings"), "density": _DENSITY, "seed": _SEED}),
    "models": BuiltIn(models, {"objects": Range(1, _MOST, "number of bodies"), "density": _DENSITY, "seed": _SEED}),
    "gas": BuiltIn(
        gas,
        {
            "objects": Range(1, _MOST, "number of spheres"),
            "packing": Range(0.001, 0.5, "volume of the spheres over that of the box"),
            "periodic": Range(0, 1, "1: the box repeats in space instead of having walls"),
            "restitution": Range(0.0, 1.0, "speed kept along the normal at a contact"),
            "seed": _SEED,
        },
    ),
    "billiards": BuiltIn(billiards, {"speed": Range(1e-3, 1e3, "speed of the cue ball, m/s"), "seed": _SEED}),
}


def scene(name: str | Path, **parameters: Any) -> Scene:
    """Make the built-in scene of that name with the given parameters, or load a .toml scene file.

    SceneError names the unknown scene, the unknown parameter, or the value out of range.
    """
    if str(name).endswith(".toml"):
        if parameters:
            raise SceneError(f"{name}: a scene file takes no parameters, got {', '.join(sorted(parameters))}")
        return load_scene(name)
    built_in = BUILT_IN.get(str(name))
    if built_in is None:
        near = difflib.get_close_matches(str(name), BUILT_IN, n=1)
        hint = f"; did you mean {near[0]}?" if near else ""
        raise SceneError(f"no scene named {str(name)!r}; expected {', '.join(BUILT_IN)} or a .toml file{hint}")
    values: dict[str, float] = {}
    for key, value in parameters.items():
        if key not in built_in.ranges:
            raise SceneError(f"scene {name} has no parameter {key!r}; expected {', '.join(built_in.ranges)}")
        values[key] = built_in.check(f"scene {name}: {key}", key, value)
    return built_in.make(**values)
