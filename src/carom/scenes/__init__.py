"""Scenes: built-in and from files."""

from carom.scenes.registry import BUILT_IN, BuiltIn, Range, scene
from carom.scenes.scene import Scene
from carom.scenes.schema import scene_schema
from carom.scenes.toml_file import load_scene

__all__ = ["BUILT_IN", "BuiltIn", "Range", "Scene", "load_scene", "scene", "scene_schema"]
