"""Scenes: built-in and from files."""

from carom.scenes.animated.animations import ANIMATIONS, animation
from carom.scenes.built_in import BuiltIn, Range
from carom.scenes.registry import BUILT_IN, scene
from carom.scenes.scene import Scene
from carom.scenes.stored import check_end, stored_counts, stored_scene, stored_world
from carom.scenes.toml.schema import scene_schema
from carom.scenes.toml.toml_file import load_scene

__all__ = [
    "ANIMATIONS",
    "BUILT_IN",
    "BuiltIn",
    "Range",
    "Scene",
    "animation",
    "check_end",
    "load_scene",
    "scene",
    "scene_schema",
    "stored_counts",
    "stored_scene",
    "stored_world",
]  # fmt: skip
