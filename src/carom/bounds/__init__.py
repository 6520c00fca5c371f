"""Bounds of bodies. `kinetic` holds the kinetic bounds that every engine uses."""

from carom.bounds.kinetic import KineticBounds
from carom.bounds.polled import Polled
from carom.bounds.space_time import Horn, SpaceTimeBounds, space_time_bounds

__all__ = ["Horn", "KineticBounds", "Polled", "SpaceTimeBounds", "space_time_bounds"]
