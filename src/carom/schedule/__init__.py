"""When to look: the three ways of scheduling collision checks (Larsen, "Collision Scheduling Methods"), side by side."""

from carom.schedule.bisection import Bisection
from carom.schedule.fixed import FixedStep
from carom.schedule.prediction import Prediction
from carom.schedule.system import Sighting, System

__all__ = ["Bisection", "FixedStep", "Prediction", "Sighting", "System"]
