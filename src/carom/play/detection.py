"""Two methods of collision detection for a fleet: carom's, which can be interrupted, and a baseline."""

from __future__ import annotations

import math
import time
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from carom.baselines.bsp_pair import bsp_collide
from carom.baselines.bsp_tree import build_bsp_tree
from carom.baselines.step_pairs import StepPairs
from carom.bounds.meetings.possible_pairs import PossiblePairs
from carom.narrow.progressive.progressive_crowd import ProgressiveCrowd
from carom.play.fleet import ENGINE, TURN_RATE, Fleet
from carom.pose import Poses, relative
from carom.shapes import Mesh
from carom.trees import SphereTree

Floats = NDArray[np.float64]

_SLACK = 0.25
"""Fraction by which thrust may increase before a bound is violated; the same fraction of full thrust for a coasting ship."""
_LONGEST = 1.0  # Longest validity of bounds, s; a ship turns by less than a quarter in this time
_SOON = 0.15  # Pairs that can meet within this time, s, are watched


@dataclass(frozen=True)
class Limit:
    """Limit of the narrow phase: wall-clock seconds, number of pairs of spheres, or a level; None for no limit."""

    seconds: float | None = None
    steps: int | None = None
    level: int | None = None


@dataclass(frozen=True, eq=False)
class Detected:
    """Pairs (m, 2) whose bounding spheres touch, and for each: hit, completed level, exact, and error_bound, m.

    See carom.time_critical.ProgressiveCollisions.
    """

    pairs: NDArray[np.int64]
    hit: NDArray[np.bool_]
    level: NDArray[np.int64]
    exact: NDArray[np.bool_]
    error_bound: Floats
    built: bool  # Whether space-time bounds were built in this frame


class Detection(Protocol):
    """Base class: finds which ships touch at a frame."""

    levels: int  # Levels of spheres; the next one is exact

    def detect(self, fleet: Fleet, limit: Limit, begin: float) -> Detected:
        """Return the pairs that touch now. begin: time.perf_counter() at the start of limit.seconds."""
        ...


class BoundsAndSpheres:
    """Space-time bounds until ships may touch, then sphere-trees to the level that the time allows."""

    def __init__(self, tree: SphereTree, ships: int) -> None:
        important = np.zeros(ships, np.bool_)
        important[0] = True
        self._radius = float(np.linalg.norm(tree.mesh.vertices, axis=1).max())
        self._possible = PossiblePairs(np.full(ships, self._radius), soon=_SOON, important=important)
        self._crowd = ProgressiveCrowd([tree] * ships)
        self.levels = self._crowd.levels
        self._limits = np.zeros(ships)
        self._axes = np.zeros((ships, 3))
        self.detect(_all_in_one_place(ships), Limit(), time.perf_counter())
        self._possible.expire()

    @property
    def quiet_until(self) -> float:
        """Time before which only watched ships can touch."""
        return self._possible.until

    @property
    def builds(self) -> int:
        """Number of times that bounds were built."""
        return self._possible.builds

    def detect(self, fleet: Fleet, limit: Limit, begin: float) -> Detected:
        """See Detection. A ship that violates its limits ends all bounds."""
        due = fleet.time >= self._possible.until or self._broken(fleet)
        if due:
            self._build(fleet)
        pairs = self._possible.at(fleet.positions)
        found = self._crowd.query_placed(
            pairs, fleet.rotations, fleet.positions, budget=limit.seconds, steps=limit.steps, level=limit.level,
            begin=begin,
        )  # fmt: skip
        # For pairs that were not reached in time it is known that their bounding spheres touch.
        bound = np.minimum(found.error_bound, 4.0 * self._radius)
        return Detected(pairs.copy(), found.hit, found.level, found.exact, bound, due)

    def _build(self, fleet: Fleet) -> None:
        """Build bounds: current thrust in a half-space, until a ship can have turned by a quarter."""
        thrust = np.linalg.norm(fleet.pushes, axis=1)
        self._limits = np.minimum(ENGINE, np.maximum((1.0 + _SLACK) * thrust, _SLACK * ENGINE))
        self._axes = fleet.noses
        lasts = min(_LONGEST, 0.5 * math.pi / TURN_RATE)
        self._possible.build(
            fleet.time, fleet.positions, fleet.velocities, self._limits, fleet.time + lasts, directions=-self._axes
        )

    def _broken(self, fleet: Fleet) -> bool:
        """Return whether a ship exceeded its thrust or its direction, or jumped."""
        room = 1e-12 * ENGINE
        harder = np.linalg.norm(fleet.pushes, axis=1) > self._limits + room
        elsewhere = (fleet.pushes * self._axes).sum(axis=1) < -room
        return bool((harder | elsewhere | fleet.jumped).any())


class GridAndBsp:
    """Turk's grid at every frame, then BSP-trees of all pairs whose bounding spheres touch: exact, not interruptible."""

    def __init__(self, mesh: Mesh, ships: int) -> None:
        self._grid = StepPairs(np.full(ships, float(np.linalg.norm(mesh.vertices, axis=1).max())))
        self._tree = build_bsp_tree(np.asarray(mesh.vertices), np.asarray(mesh.faces))
        self.levels = 0
        self.detect(_all_in_one_place(ships), Limit(), time.perf_counter())

    def detect(self, fleet: Fleet, limit: Limit, begin: float) -> Detected:
        """See Detection; limits have no effect."""
        pairs = self._grid.at(fleet.positions).copy()
        a, b = pairs[:, 0], pairs[:, 1]
        rots, shifts = relative(
            Poses(fleet.rotations[a].reshape(-1, 3, 3), fleet.positions[a], False),
            Poses(fleet.rotations[b].reshape(-1, 3, 3), fleet.positions[b], False),
        )
        hit = bsp_collide(self._tree, self._tree, rots, shifts, cull=False)
        n = len(pairs)
        return Detected(pairs, hit, np.ones(n, np.int64), np.ones(n, np.bool_), np.zeros(n), False)


def _all_in_one_place(ships: int) -> Fleet:
    """Ships that all touch, to compile everything before the first frame."""
    fleet = Fleet(ships - 1)
    fleet.positions[:] = 0.0
    return fleet
