"""The three methods of scheduling collision checks (Larsen, "Collision Scheduling Methods"), for comparison."""

from carom.schedule.bisection import Bisection
from carom.schedule.fixed import FixedStep
from carom.schedule.prediction import Prediction
from carom.schedule.system import Sighting, System

__all__ = ["Bisection", "FixedStep", "Prediction", "Sighting", "System"]
