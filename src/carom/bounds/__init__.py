"""Bounds of bodies: the one idea is in kinetic.py."""

from carom.bounds.kinetic import KineticBounds
from carom.bounds.polled import Polled
from carom.bounds.space_time import Horn, SpaceTimeBounds, space_time_bounds

__all__ = ["Horn", "KineticBounds", "Polled", "SpaceTimeBounds", "space_time_bounds"]
