"""Bounds of bodies: the one idea is in kinetic.py."""

from carom.bounds.kinetic import KineticBounds
from carom.bounds.polled import Polled

__all__ = ["KineticBounds", "Polled"]
