"""A break shot at pool, without friction or pockets: sixteen balls, four cushions."""

from __future__ import annotations

import math

import numpy as np

from carom.maths.trigonometry import cosines, sines
from carom.scenes.scene import Scene, make_scene
from carom.shapes import Sphere

_RADIUS = 0.028575
_MASS = 0.17
_TABLE = (2.54, 1.27)  # A nine-foot table, m
_GAP = 1e-4  # Gap between racked balls, m: touching balls would make the break a single instant without an order


def billiards(speed: float = 8.0, seed: int = 0) -> Scene:
    """Fifteen racked balls and a cue ball shot at them on a nine-foot table, without friction.

    Metres, kilograms, seconds; restitution 1; the cue ball has `speed` m/s. The seed moves each racked ball by up to a
    quarter of the 0.1 mm gap, so that no two contacts of the break are simultaneous.
    """
    rng = np.random.default_rng(seed)
    spacing = 2.0 * _RADIUS + _GAP
    rows = np.repeat(np.arange(5), np.arange(1, 6))
    within = np.concatenate([np.arange(k + 1) for k in range(5)]) - rows / 2.0
    rack = np.column_stack([rows * spacing * math.sqrt(0.75), within * spacing])
    angle, shift = rng.uniform(0.0, 2.0 * math.pi, 15), 0.25 * _GAP * rng.random(15)
    rack += shift[:, None] * np.column_stack([cosines(angle), sines(angle)])
    foot = np.array([_TABLE[0] / 4.0, 0.0])
    spots = np.concatenate([-foot[None], rack + foot])
    velocities = np.zeros((16, 3))
    velocities[0, 0] = speed
    half = np.array([_TABLE[0] / 2.0, _TABLE[1] / 2.0, 1.0])
    return make_scene(
        "billiards",
        {"speed": speed, "seed": seed},
        [Sphere(_RADIUS)],
        shape_index=0,
        positions=np.column_stack([spots, np.zeros(16)]),
        velocities=velocities,
        masses=_MASS,
        names=["cue", *(f"ball {k}" for k in range(1, 16))],
        walls=(-half, half),
        wall_axes="xy",
        until=5.0,
    )
