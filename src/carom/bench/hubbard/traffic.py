"""Close traffic: a thousand lamps that fly, tumble and bounce in a box, frame by frame, with a budget for detection."""

from __future__ import annotations

import time
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from carom.engine.space_time.possible_pairs import PossiblePairs
from carom.narrow.mesh.mesh_pair import mesh_collide
from carom.narrow.progressive.progressive_crowd import ProgressiveCollisions, ProgressiveCrowd
from carom.pose import Poses, relative
from carom.scenes.placement import box_side, random_directions, random_orientations
from carom.trees import SphereTree
from carom.trees.obb.tree import tree_of

Floats = NDArray[np.float64]

FRAME = 1.0 / 60.0
"""Simulated seconds of a frame."""
_SLOWEST, _FASTEST = 0.5, 2.0  # Speeds at the start, radii a second; none is ever faster than the fastest
_SPIN = 2.0  # Radians a second, at most
_AHEAD = 8  # Frames for which pairs that can meet are watched
_LONGEST = 1.0  # Seconds for which bounds are built: what bodies do is known no longer
_BALLS = 1.6
"""Volume of all bounding balls, in volumes of the box: lamps are thin, and ten others reach into the ball of each."""
_RESERVE, _STEP, _OVER = 4e-4, 2e-4, 2e-4
"""Of a budget: seconds that are kept in reserve at first, seconds more after a frame that needed them all, and the share of
frames that may."""


@dataclass(frozen=True)
class Detected:
    """One frame: wall-clock seconds and this thread's own seconds of processor time that detection took, and its answers."""

    seconds: float
    cpu_seconds: float
    pairs: NDArray[np.int64]
    answers: ProgressiveCollisions


class _Reserve:
    """Seconds at the end of a budget that no work is planned for: answers are copied and counted there, and now and then
    another program has the processor. It follows what frames need: a step up after a frame that ran over, and down a little
    after every other, so little that ups and downs balance where the share _OVER of all frames runs over."""

    def __init__(self) -> None:
        self.seconds = _RESERVE

    def learn(self, over: float) -> None:
        """A frame ended `over` seconds after its work was to end."""
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
        """A frame's flight: straight, turning about the position, reflected by the walls."""
        self._frames += 1
        self.time = self._frames * FRAME
        self.positions += FRAME * self.velocities
        out = (self.positions < 0.0) & (self.velocities < 0.0) | (self.positions > self.side) & (self.velocities > 0.0)
        self.velocities[out] *= -1.0
        turned = self._turn @ self.rotations.reshape(-1, 3, 3)
        # One step of Newton's method towards the nearest rotation: rounding does not add up.
        turned = turned @ (1.5 * np.eye(3) - 0.5 * turned.transpose(0, 2, 1) @ turned)
        self.rotations = np.ascontiguousarray(turned.reshape(-1, 9))

    def detect(self, budget: float | None = None) -> Detected:
        """Which bodies touch, within `budget` seconds of wall-clock time, broad phase and all; None sets no limit."""
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
        """Which of the pairs (m, 2) touch exactly, asked of the triangles alone."""
        a, b = pairs.T
        rots, shifts = relative(
            Poses(self.rotations[a].reshape(-1, 3, 3), self.positions[a], False),
            Poses(self.rotations[b].reshape(-1, 3, 3), self.positions[b], False),
        )
        return mesh_collide(self._boxes, self._boxes, rots, shifts).hit

    def bounce(self, detected: Detected) -> int:
        """Bodies that are taken to touch exchange their speeds along the line of their centres; how many pairs did."""
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
    """Rotations (n, 9) by rows of unit quaternions (n, 4) wxyz."""
    w, x, y, z = quat.T
    rows = (
        1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y), 2 * (x * y + w * z), 1 - 2 * (x * x + z * z),
        2 * (y * z - w * x), 2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y),
    )  # fmt: skip
    return np.stack(rows, axis=1)


def _turns(angles: Floats) -> Floats:
    """Rotations (n, 3, 3) about axes by angles, both told by vectors (n, 3)."""
    size = np.linalg.norm(angles, axis=1)
    axis = angles / np.where(size > 0.0, size, 1.0)[:, None]
    quat = np.column_stack([np.cos(0.5 * size), np.sin(0.5 * size)[:, None] * axis])
    return _matrices(quat).reshape(-1, 3, 3)
