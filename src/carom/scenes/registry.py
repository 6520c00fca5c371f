"""The built-in scenes by name, their parameters, and the function that finds a scene by name or file."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from carom import validate
from carom.errors import SceneError
from carom.scenes.animated.animations import ANIMATIONS
from carom.scenes.billiards import billiards
from carom.scenes.built_in import SEED, BuiltIn, Range
from carom.scenes.gas import gas
from carom.scenes.models import models
from carom.scenes.placement import SURE_DENSITY
from carom.scenes.rings import rings
from carom.scenes.scene import Scene
from carom.scenes.toml.toml_file import load_scene

_DENSITY = Range(
    1e-9, 0.2, f"volume of the bounding spheres over that of the box; above {SURE_DENSITY} only few bodies fit"
)
_MOST = 10_000_000

BUILT_IN: Mapping[str, BuiltIn[Scene]] = {
    "rings": BuiltIn(rings, {"objects": Range(1, _MOST, "number of rings"), "density": _DENSITY, "seed": SEED}),
    "models": BuiltIn(models, {"objects": Range(1, _MOST, "number of bodies"), "density": _DENSITY, "seed": SEED}),
    "gas": BuiltIn(
        gas,
        {
            "objects": Range(1, _MOST, "number of spheres"),
            "packing": Range(0.001, 0.5, "volume of the spheres over that of the box"),
            "periodic": Range(0, 1, "1: the box repeats in space instead of having walls"),
            "restitution": Range(0.0, 1.0, "speed kept along the normal at a contact"),
            "seed": SEED,
        },
    ),
    "billiards": BuiltIn(billiards, {"speed": Range(1e-3, 1e3, "speed of the cue ball, m/s"), "seed": SEED}),
}


def scene(name: str | Path, **parameters: Any) -> Scene:
    """Return the built-in scene of that name with the given parameters, or load a .toml scene file.

    SceneError names the unknown scene, the unknown parameter, or the value out of range.
    """
    if str(name).endswith(".toml"):
        if parameters:
            raise SceneError(f"{name}: a scene file takes no parameters, got {', '.join(sorted(parameters))}")
        return load_scene(name)
    built_in = BUILT_IN.get(str(name))
    if str(name) in ANIMATIONS:
        raise SceneError(f"{name} is an animation of deforming meshes: `carom check {name}` finds its contacts")
    if built_in is None:
        raise SceneError(validate.unknown_name("scene", str(name), BUILT_IN, "a .toml file"))
    return built_in.make(**built_in.checked(str(name), parameters))
