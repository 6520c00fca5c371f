"""Close traffic: a thousand lamps that fly, tumble and bounce in a box, with a time budget for detection per frame."""

from __future__ import annotations

import time
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from carom.bounds.meetings.possible_pairs import PossiblePairs
from carom.narrow.mesh.mesh_pair import mesh_collide
from carom.narrow.progressive.progressive_crowd import ProgressiveCollisions, ProgressiveCrowd
from carom.pose import Poses, relative
from carom.scenes.placement import box_side, random_directions, random_orientations
from carom.trees import SphereTree
from carom.trees.obb.tree import tree_of

Floats = NDArray[np.float64]

FRAME = 1.0 / 60.0
"""Simulated seconds per frame."""
_SLOWEST, _FASTEST = 0.5, 2.0  # Initial speeds, radii per second; the fastest is a limit
_SPIN = 2.0  # Largest angular speed, rad/s
_AHEAD = 8  # Number of frames for which pairs that can meet are watched
_LONGEST = 1.0  # Longest validity of bounds, s
_BALLS = 1.6
"""Volume of all bounding spheres over that of the box: lamps are thin, and ten others reach into the sphere of each."""
_RESERVE, _STEP, _OVER = 4e-4, 2e-4, 2e-4
"""Parameters of the reserve of a budget: initial seconds, increase after a frame that exceeded it, and the fraction of frames
that may.
"""


@dataclass(frozen=True)
class Detected:
    """One frame: wall-clock seconds and this thread's CPU seconds of detection, and its answers."""

    seconds: float
    cpu_seconds: float
    pairs: NDArray[np.int64]
    answers: ProgressiveCollisions


class _Reserve:
    """Seconds at the end of a budget for which no work is planned: answers are copied and counted then, and other programs
    may have the processor. It adapts: it increases after a frame that took too long and decreases slightly after every
    other, such that both balance if the fraction _OVER of all frames takes too long."""

    def __init__(self) -> None:
        self.seconds = _RESERVE

    def learn(self, over: float) -> None:
        """Adapt to a frame that ended `over` seconds after the planned end of its work."""
        self.seconds = max(0.0, self.seconds + (_STEP if over > self.seconds else -_STEP * _OVER))


class Traffic:
    """n bodies of one shape. `move` is the application's part of a frame, `detect` and `bounce` that of collisions."""

    def __init__(self, tree: SphereTree, bodies: int, seed: int = 0) -> None:
        rng = np.random.default_rng(seed)
        self.radius = float(np.linalg.norm(tree.mesh.vertices, axis=1).max())
        radii = np.full(bodies, self.radius)
        self.side = box_side(radii, _BALLS)
        self.positions = rng.uniform(0.0, self.side, (bodies, 3))
        speed = self.radius * rng.uniform(_SLOWEST, _FASTEST, bodies)
        self.velocities = random_directions(rng, bodies) * speed[:, None]
        self._turn = _turns(random_directions(rng, bodies) * rng.uniform(0.0, _SPIN, bodies)[:, None] * FRAME)
        quat = random_orientations(rng, bodies)
        self.rotations = _matrices(quat)
        self.time = 0.0
        self._frames = 0
        self._possible = PossiblePairs(radii, soon=_AHEAD * FRAME, crowded=True)
        self._no_limit = np.full(bodies, np.inf)
        self._fastest = np.full(bodies, _FASTEST * self.radius)
        self._reserve = _Reserve()
        self._boxes = tree_of(tree.mesh)
        self._crowd = ProgressiveCrowd([tree] * bodies)

    @property
    def levels(self) -> int:
        """Levels of spheres; the next one is exact."""
        return self._crowd.levels

    def move(self) -> None:
        """Move all bodies for a frame: uniformly, turning about their positions, reflected by the walls."""
        self._frames += 1
        self.time = self._frames * FRAME
        self.positions += FRAME * self.velocities
        out = (self.positions < 0.0) & (self.velocities < 0.0) | (self.positions > self.side) & (self.velocities > 0.0)
        self.velocities[out] *= -1.0
        turned = self._turn @ self.rotations.reshape(-1, 3, 3)
        # One step of Newton's method towards the nearest rotation prevents rounding errors from adding up.
        turned = turned @ (1.5 * np.eye(3) - 0.5 * turned.transpose(0, 2, 1) @ turned)
        self.rotations = np.ascontiguousarray(turned.reshape(-1, 9))

    def detect(self, budget: float | None = None) -> Detected:
        """Return which bodies touch, within `budget` wall-clock seconds including the broad phase; None: no limit."""
        own, begin = time.thread_time(), time.perf_counter()
        if self.time >= self._possible.until:
            self._possible.build(
                self.time,
                self.positions,
                self.velocities,
                self._no_limit,
                self.time + _LONGEST,
                max_speed=self._fastest,
            )
        pairs = self._possible.at(self.positions)
        limit = None if budget is None else max(0.0, budget - self._reserve.seconds)
        answers = self._crowd.query_placed(pairs, self.rotations, self.positions, budget=limit, begin=begin)
        found = Detected(time.perf_counter() - begin, time.thread_time() - own, pairs, answers)
        if limit is not None:
            self._reserve.learn(found.seconds - limit)
        return found

    def touching(self, pairs: NDArray[np.int64]) -> NDArray[np.bool_]:
        """Return which of the pairs (m, 2) touch exactly, by their triangles."""
        a, b = pairs.T
        rots, shifts = relative(
            Poses(self.rotations[a].reshape(-1, 3, 3), self.positions[a], False),
            Poses(self.rotations[b].reshape(-1, 3, 3), self.positions[b], False),
        )
        return mesh_collide(self._boxes, self._boxes, rots, shifts).hit

    def bounce(self, detected: Detected) -> int:
        """Exchange the speeds of touching bodies along the line of their centres; returns the number of pairs."""
        a, b = detected.pairs[detected.answers.hit].T
        line = self.positions[b] - self.positions[a]
        line /= np.linalg.norm(line, axis=1)[:, None] + 1e-12
        closing = ((self.velocities[a] - self.velocities[b]) * line).sum(axis=1)
        change = np.maximum(closing, 0.0)[:, None] * line
        np.add.at(self.velocities, a, -change)
        np.add.at(self.velocities, b, change)
        speed = np.linalg.norm(self.velocities, axis=1)
        fast = speed > self._fastest
        self.velocities[fast] *= (self._fastest[fast] / speed[fast])[:, None]
        return int((closing > 0.0).sum())


def _matrices(quat: Floats) -> Floats:
    """Return rotations (n, 9) by rows of unit quaternions (n, 4) wxyz."""
    w, x, y, z = quat.T
    rows = (
        1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y), 2 * (x * y + w * z), 1 - 2 * (x * x + z * z),
        2 * (y * z - w * x), 2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y),
    )  # fmt: skip
    return np.stack(rows, axis=1)


def _turns(angles: Floats) -> Floats:
    """Return rotations (n, 3, 3) from rotation vectors (n, 3)."""
    size = np.linalg.norm(angles, axis=1)
    axis = angles / np.where(size > 0.0, size, 1.0)[:, None]
    quat = np.column_stack([np.cos(0.5 * size), np.sin(0.5 * size)[:, None] * axis])
    return _matrices(quat).reshape(-1, 3, 3)
