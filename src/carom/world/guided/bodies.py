"""What a world knows of each guided body. Times are the world's own, not since its time origin."""

from __future__ import annotations

from dataclasses import dataclass
from math import inf

from carom.motion import Guided


@dataclass(frozen=True)
class BrokenBound:
    """A guided body was told to be where its limits did not allow it to be: from `time` on its old bounds do not hold."""

    time: float
    body: int
    how: str


@dataclass
class GuidedBody:
    """One guided body.

    told: what the user said last. bound: whose limits are its kinetic bounds now, None while none hold. arriving: it is still
    on its way to where it was told to be. mass: what it has when it is no longer guided.
    """

    told: Guided
    bound: Guided | None
    arriving: bool
    mass: float

    def due(self) -> float:
        """When the world has to look at it again by itself."""
        arrival = self.told.start if self.arriving else inf
        return min(arrival, self.bound.expires if self.bound is not None else inf)

    def keeps_bound(self, guided: Guided) -> bool:
        """Is the body within its present bounds on the way to a new state and from there on, until they expire?

        Bounds are convex in space and time: what is inside at the ends of a straight way is inside all along.
        """
        bound = self.bound
        if bound is None or guided.start > bound.expires:
            return False
        if bound.broken_by(guided.position, guided.velocity, guided.start) is not None:
            return False
        return bound.broken_by(guided.position_at(bound.expires), None, bound.expires) is None

    def bound_from(self, origin: float, now: float) -> Guided | None:
        """The limits that hold from now on: those told last, unless they are for later or have expired.

        now: seconds since `origin`. Timers hold times since the origin, and rounding may put the sum of both before `expires`.
        """
        return self.told if self.told.start - origin <= now < self.told.expires - origin else None
