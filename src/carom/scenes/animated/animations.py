"""The built-in animations of deforming meshes by name, with their parameters."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from carom import validate
from carom.errors import SceneError
from carom.motion import Deforming
from carom.scenes.animated.swirl import swirl
from carom.scenes.animated.tablecloth import tablecloth
from carom.scenes.animated.walker import walker
from carom.scenes.built_in import SEED, BuiltIn, Range

_KEYS = Range(2, 10_000, "keys, 24 per second")

ANIMATIONS: Mapping[str, BuiltIn[list[Deforming]]] = {
    name: BuiltIn(make, {"faces": Range(fewest, 1_000_000, "triangles, about"), "keys": _KEYS, "seed": SEED})
    for name, make, fewest in (("tablecloth", tablecloth, 200), ("swirl", swirl, 200), ("walker", walker, 4000))
}


def animation(name: str, **parameters: Any) -> list[Deforming]:
    """Return the built-in animation of that name; all bodies are named.

    SceneError names the unknown animation, the unknown parameter, or the value out of range.
    """
    built_in = ANIMATIONS.get(name)
    if built_in is None:
        raise SceneError(validate.unknown_name("animation", name, ANIMATIONS))
    return built_in.make(**built_in.checked(name, parameters))
