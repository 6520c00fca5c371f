"""Limits of a descent through sphere-trees: by time, by number of tests, or by level."""

from __future__ import annotations

import numpy as np

from carom import validate
from carom.errors import InvalidInputError
from carom.narrow.progressive.sphere_descent import NO_LIMIT


def descent_limits(levels: int, budget: float | None, steps: int | None, level: int | None) -> tuple[float, int, int]:
    """Seconds, tests of spheres and deepest level, checked; None: no limit. levels: of the trees; one more is exact."""
    seconds = np.inf if budget is None else validate.limit("budget", budget)
    if steps is not None:
        steps = validate.whole("steps", steps, 0)
    if level is not None and validate.whole("level", level, 0) > levels + 1:
        raise InvalidInputError(f"level is {validate.shown(level)}; expected 0 to {levels + 1}, the exact test")
    return seconds, NO_LIMIT if steps is None else int(steps), levels + 1 if level is None else int(level)
