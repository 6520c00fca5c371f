"""Random scenes of cubes under forces that are not known in advance, in steps (Hubbard, section IX)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

HALF = 1.0
"""Half the side of every cube, m."""
STEP = 0.01
"""Seconds per step: the minimum temporal resolution."""
_HELD = 10  # Steps with a constant force
_MARGIN = 1.05


@dataclass(frozen=True)
class SteeredCubes:
    """n cubes in steps of STEP seconds: their motion, and what is known of it in advance.

    positions, velocities (steps, n, 3). Forces come in sets: until step set_ends[s] (s,) accelerations are at most limits[s]
    (n,) and never along directions[s] (n, 3).
    """

    positions: Floats
    velocities: Floats
    set_ends: NDArray[np.int64]
    limits: Floats
    directions: Floats

    @property
    def bodies(self) -> int:
        """Number of cubes."""
        return self.positions.shape[1]


def apart(rng: np.random.Generator, n: int, size: float) -> Floats:
    """Return centres (n, 3) in [0, size]^3 of cubes that do not overlap."""
    centres = rng.uniform(0.0, size, (n, 3))
    for i in range(n):
        while i and (np.abs(centres[:i] - centres[i]).max(axis=1) < 2.0 * _MARGIN * HALF).any():
            centres[i] = rng.uniform(0.0, size, 3)
    return centres


def directions(rng: np.random.Generator, n: int) -> Floats:
    """n unit vectors."""
    vectors = rng.normal(size=(n, 3))
    return np.asarray(vectors / np.linalg.norm(vectors, axis=1)[:, None])


def steered_cubes(
    seed: int, n: int, spacing: float, n_steps: int, speed: float = 1.0, push: float = 1.0
) -> SteeredCubes:
    """Return cubes `spacing` sides apart on average, with speeds about `speed`, m/s, and accelerations about `push`, m/s^2.

    Each set of forces has a main direction for every cube, which turns outliers back; forces vary about it by a random amount.
    """
    rng = np.random.default_rng(seed)
    size = 2.0 * HALF * spacing * n ** (1.0 / 3.0)
    position = apart(rng, n, size)
    velocity = directions(rng, n) * rng.uniform(0.5, 1.5, (n, 1)) * speed
    positions, velocities = np.empty((2, n_steps, n, 3))
    set_ends: list[int] = []
    limits, ways = [], []
    vary = rng.uniform(0.1, 0.5)
    main = force = np.zeros((n, 3))
    for step in range(n_steps):
        new_set = not set_ends or step == set_ends[-1]
        if new_set:
            set_ends.append(step + int(rng.integers(50, 200)))
            inward = 2.0 * (0.5 * size - position) / size
            main = directions(rng, n) + inward
            main *= (push * rng.uniform(0.3, 1.0, n) / np.linalg.norm(main, axis=1))[:, None]
            strength = np.linalg.norm(main, axis=1)
            limits.append((1.0 + vary) * strength)
            ways.append(-main / strength[:, None])
        if new_set or step % _HELD == 0:
            force = main + vary * np.linalg.norm(main, axis=1)[:, None] * rng.uniform(-1.0, 1.0, (n, 3)) / np.sqrt(3.0)
            # Within the limits: |force| is below main + vary * main, and its component along main above 0, because vary < 1.
        positions[step], velocities[step] = position, velocity
        position = position + STEP * velocity + 0.5 * STEP * STEP * force
        velocity = velocity + STEP * force
    return SteeredCubes(positions, velocities, np.array(set_ends), np.array(limits), np.array(ways))
