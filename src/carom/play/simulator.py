"""The spaceship simulator: each frame flies, draws, and uses the remaining time for collision detection."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from carom import validate
from carom._copies import Copyable
from carom.errors import InvalidInputError
from carom.play.controls import Controls
from carom.play.detection import BoundsAndSpheres, Detected, Detection, GridAndBsp, Limit
from carom.play.fleet import Drones, Fleet
from carom.trees import SphereTree

METHODS = ("bounds", "grid-bsp")
"""Space-time bounds with sphere-trees, and Turk's grid with BSP-trees."""
STEP = 1.0 / 60.0
"""Simulated seconds per frame."""
_TAIL = 5e-5  # Time reserved for the work after detection, s


@dataclass(frozen=True)
class Frame:
    """One frame. detection, other: wall-clock seconds of collision detection and of all else; slack: unused time.

    candidates: pairs whose bounding spheres touch. contacts: pairs taken to touch, whose ships jumped back. level: lowest level
    of the sphere-trees to which candidates were completed, one more than the trees have for exact answers; error_bound: largest
    distance between ships that may not touch, m. built: whether space-time bounds were built.
    """

    number: int
    detection: float
    other: float
    slack: float
    candidates: int
    contacts: tuple[tuple[int, int], ...]
    level: int
    exact: bool
    error_bound: float
    built: bool

    @property
    def seconds(self) -> float:
        """Working time: without slack."""
        return self.detection + self.other


MOST_DRONES, MOST_SEED = 1_000, 2**53


class Simulator(Copyable):
    """Ten drones, or another number, around a user's ship, all with the shape of the lamp of `tree`.

    method: "bounds" or "grid-bsp", see METHODS. target: seconds that a frame should take; it is always a sixtieth of simulated
    time. limit: ends detection instead of the target: with steps or a level, the same input gives the same frames. realtime:
    sleep until the target is reached.
    """

    def __init__(
        self,
        tree: SphereTree,
        *,
        drones: int = 10,
        seed: int = 0,
        method: str = "bounds",
        target: float = 1.0 / 30.0,
        limit: Limit | None = None,
        realtime: bool = False,
    ) -> None:
        for name, value, most in (("drones", drones, MOST_DRONES), ("seed", seed, MOST_SEED)):
            if not isinstance(value, int) or not 0 <= value <= most:
                raise InvalidInputError(f"{name} is {value!r}; expected a whole number from 0 to {most:,}")
        if method not in METHODS:
            raise InvalidInputError(f"method is {method!r}; expected one of {', '.join(METHODS)}")
        self.method = method
        self.target = validate.positive("target", target)
        self.fleet = Fleet(drones)
        self.detection: Detection = (
            BoundsAndSpheres(tree, drones + 1) if method == "bounds" else GridAndBsp(tree.mesh, drones + 1)
        )
        self.tree = tree
        self.frames = 0
        self.collisions = 0
        """Number of contacts so far."""
        self._limit = limit
        self._drones = Drones(drones, seed)
        self._realtime = realtime

    def frame(self, user: Controls, draw: Callable[[Simulator], None] | None = None) -> Frame:
        """Fly for a frame, draw, detect collisions in the remaining time, and let ships that touch jump back."""
        begin = time.perf_counter()
        self.frames += 1
        self.fleet.fly(self.frames * STEP, *self._drones.controls(self.fleet, user))
        if draw is not None:
            draw(self)
        started = time.perf_counter()
        limit = self._limit or Limit(seconds=max(0.0, self.target - (started - begin) - _TAIL))
        found = self.detection.detect(self.fleet, limit, started)
        detection = time.perf_counter() - started
        contacts = self._jump_back(found)
        spent = time.perf_counter() - begin
        slack = max(0.0, self.target - spent)
        if self._realtime:
            time.sleep(slack)
        exact = bool(found.exact.all())
        least = np.where(found.exact, self.detection.levels + 1, found.level)
        return Frame(
            self.frames, detection, spent - detection, slack, len(found.pairs), contacts,
            int(least.min(initial=self.detection.levels + 1)), exact, float(found.error_bound.max(initial=0.0)), found.built,
        )  # fmt: skip

    def bring_home(self) -> None:
        """Move the user's ship back to its start."""
        ships = np.zeros(len(self.fleet), np.bool_)
        ships[0] = True
        self.fleet.jump(ships)

    def _jump_back(self, found: Detected) -> tuple[tuple[int, int], ...]:
        touching = found.pairs[found.hit]
        ships = np.zeros(len(self.fleet), np.bool_)
        ships[touching] = True
        self.fleet.jumped[:] = False
        self.fleet.jump(ships)
        self.collisions += len(touching)
        return tuple((int(a), int(b)) for a, b in touching)
