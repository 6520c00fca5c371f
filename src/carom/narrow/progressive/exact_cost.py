"""Estimated duration of exact tests, so that none starts that would exceed a budget."""

from __future__ import annotations

_WEIGHT = 0.2
"""Of the latest test in the mean."""
_SAFETY = 2.0
_FORGET = 0.8
"""What is left of the mean when no test was made: one slow test, such as one that the system held up, is soon forgotten."""


class ExactCost:
    """Running mean of the seconds that exact tests took lately: of processor time, for other programs may have had the rest."""

    def __init__(self) -> None:
        self._mean = 0.0

    def fits(self, seconds: float) -> bool:
        """Is a test likely to end within this time? The first is always tried, unless there is no time at all."""
        if seconds > 0.0 and seconds >= _SAFETY * self._mean:
            return True
        self._mean *= _FORGET
        return False

    def took(self, seconds: float) -> None:
        """Note the time of a test."""
        self._mean = seconds if self._mean == 0.0 else self._mean + _WEIGHT * (seconds - self._mean)
