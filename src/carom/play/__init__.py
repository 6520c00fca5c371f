"""`carom play ships`: ships steered by a user and by drones, with collision detection in the time that a frame leaves."""

from carom.play.controls import Controls, read_script
from carom.play.detection import BoundsAndSpheres, Detected, GridAndBsp, Limit
from carom.play.fleet import Drones, Fleet
from carom.play.ship_shape import ship_tree
from carom.play.simulator import METHODS, Frame, Simulator

__all__ = [
    "METHODS", "BoundsAndSpheres", "Controls", "Detected", "Drones", "Fleet", "Frame", "GridAndBsp", "Limit", "Simulator",
    "read_script", "ship_tree",
]  # fmt: skip
