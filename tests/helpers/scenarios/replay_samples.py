"""Small worlds to film, and where the pieces of a replay say that bodies are."""

from __future__ import annotations

import numpy as np

import carom
from carom.motion.turning import turned_quaternions
from carom.view import Replay


def lively_world() -> carom.World:
    """A few bodies of all kinds between walls that fall, spin, bounce and follow keys."""
    world = carom.World(response=carom.Elastic())
    for axis in range(3):
        for sign in (1.0, -1.0):
            normal = sign * np.eye(3)[axis]
            world.add(carom.HalfSpace(normal, -3.0), mass=np.inf, name=f"wall {'+-'[sign > 0]}{'xyz'[axis]}")
    fall = (0.0, 0.0, -2.0)
    world.add(carom.Sphere(0.5), carom.Motion((0.0, 0.0, 1.5), (1.3, 0.4, 0.0), fall), name="ball")
    world.add(carom.Sphere(0.5), carom.Motion((1.5, -1.0, 1.5), (-0.3, 0.9, 0.0), fall))
    world.add(carom.Box((0.8, 0.6, 0.4)), carom.Motion((-1.5, 1.0, 0.0), (0.7, -0.8, 0.3), spin=(0.4, 1.1, -0.7)))
    world.add(
        carom.Capsule(0.2, 0.6), carom.Motion((-1.0, -1.5, 1.0), (0.2, 1.2, -0.5), orientation=(1.0, 0.3, 0.0, 0.2))
    )
    keys = carom.Keyframes([0.0, 1.0, 2.5], [(2.0, 2.0, -2.0), (2.0, -2.0, -2.0), (-2.0, -2.0, -2.0)])
    world.add(carom.Cylinder(0.3, 0.5), keys, name="lift")
    return world


def flapping() -> carom.Deforming:
    """A square of two triangles that folds, opens and folds again."""
    flat = np.array([(-1.0, -1.0, 0.0), (1.0, -1.0, 0.0), (1.0, 1.0, 0.0), (-1.0, 1.0, 0.0)])
    folded = flat + [(0.0, 0.0, 0.4), (0.0, 0.0, 0.0), (0.0, 0.0, 0.7), (0.0, 0.0, 0.0)]
    return carom.Deforming([(0, 1, 2), (0, 2, 3)], [0.0, 0.7, 1.1, 2.0], [flat, folded, flat, folded], name="flap")


def poses_by_pieces(replay: Replay, t: float) -> tuple[np.ndarray, np.ndarray]:
    """Positions (n, 3) and orientations (n, 4) at time t from the pieces alone."""
    pieces, motions = replay.pieces, replay.pieces.motions
    rows = []
    for first, end in zip(pieces.first[:-1], pieces.first[1:], strict=True):
        held = first + int(np.searchsorted(pieces.since[first:end], t, side="right")) - 1
        rows.append(max(first, held))
    dt = t - motions.start[rows]
    span = dt[:, None]
    positions = motions.positions[rows] + span * (motions.velocities[rows] + 0.5 * span * motions.accelerations[rows])
    return positions, turned_quaternions(motions.orientations[rows], motions.spins[rows], dt)
