"""Reading and writing of other file formats."""

from carom.io.animation import ANIMATION_FORMATS, load_animation, save_animation
from carom.io.export import export_run
from carom.io.load import load

__all__ = ["ANIMATION_FORMATS", "export_run", "load", "load_animation", "save_animation"]
