"""The box in which a replay happens, and the part of each wall in it."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from carom.shapes import HalfSpace
from carom.shapes.shape import rotation_matrix
from carom.view.replay import Replay

Floats = NDArray[np.float64]


def room_of(replay: Replay) -> tuple[Floats, Floats]:
    """Return the lower and upper corner (3,) of a box around all bodies at the beginning and at every change of motion.

    Walls along the axes bound it. Without anything finite it is two metres wide.
    """
    pieces, motions = replay.pieces, replay.pieces.motions
    rows = pieces.first[:-1] if replay.periods.any() else np.arange(len(pieces.since))
    body = np.searchsorted(pieces.first, rows, "right") - 1
    reach = _reaches(replay)[body]
    dt = (np.maximum(pieces.since[rows], replay.begin) - motions.start[rows])[:, None]
    where = motions.positions[rows] + dt * (motions.velocities[rows] + 0.5 * dt * motions.accelerations[rows])
    solid = np.isfinite(reach) & (replay.shape_index[body] >= 0)
    ends = [where[solid] - reach[solid, None], where[solid] + reach[solid, None]]
    ends += [surface.vertices.reshape(-1, 3) for surface in replay.surfaces.values()]
    points = np.concatenate(ends)
    low, high = (points.min(axis=0), points.max(axis=0)) if len(points) else (np.full(3, -1.0), np.full(3, 1.0))
    for k, shape in _walls(replay):
        first = pieces.first[k]
        normal = rotation_matrix(motions.orientations[first]) @ np.asarray(shape.normal)
        axis = int(np.argmax(np.abs(normal)))
        if abs(normal[axis]) == 1.0:
            edge = motions.positions[first, axis] + normal[axis] * shape.offset
            (low if normal[axis] > 0.0 else high)[axis] = edge
    flat = high - low <= 0.0
    return np.where(flat, low - 0.5, low), np.where(flat, high + 0.5, high)


def wall_polygons(replay: Replay, low: Floats, high: Floats) -> dict[int, Floats]:
    """Return the part of each half-space within the box, as corners (k, 3) in the frame of the shape, by row of `shapes`."""
    polygons = {}
    motions, first = replay.pieces.motions, replay.pieces.first
    pad = 1e-9 * float(np.abs(high - low).max())
    for k, shape in _walls(replay):
        turn, place = rotation_matrix(motions.orientations[first[k]]), motions.positions[first[k]]
        normal = turn @ np.asarray(shape.normal)
        anchor = place + shape.offset * normal
        corners = cut_to_box(square_across(anchor, normal, low, high), low - pad, high + pad)
        if len(corners) > 2:
            polygons[int(replay.shape_index[k])] = (corners - place) @ turn
    return polygons


def _walls(replay: Replay) -> list[tuple[int, HalfSpace]]:
    """Return the rows of the bodies that are half-spaces, with their shapes."""
    found = []
    for k, row in enumerate(replay.shape_index):
        shape = replay.shapes[row] if row >= 0 else None
        if isinstance(shape, HalfSpace):
            found.append((k, shape))
    return found


def _reaches(replay: Replay) -> Floats:
    """Return the distance (n,) from each body's position to its farthest point; inf if there is none."""
    spheres = [shape.bounding_sphere() for shape in replay.shapes]
    reach = np.array([float(np.linalg.norm(centre)) + radius for centre, radius in spheres] + [0.0])
    return np.asarray(reach[replay.shape_index])


def square_across(anchor: Floats, normal: Floats, low: Floats, high: Floats) -> Floats:
    """Return corners (4, 3) of a square in the plane, counter-clockwise about the normal, beyond the box on all sides."""
    helper = np.eye(3)[int(np.argmin(np.abs(normal)))]
    across = np.cross(helper, normal)
    across /= np.linalg.norm(across)
    up = np.cross(normal, across)
    middle = (low + high) / 2.0
    middle = middle - ((middle - anchor) @ normal) * normal
    size = float(np.linalg.norm(high - low))
    return np.array([middle + size * (x * across + y * up) for x, y in ((-1, -1), (1, -1), (1, 1), (-1, 1))])


def cut_to_box(corners: Floats, low: Floats, high: Floats) -> Floats:
    """Clip a convex polygon (k, 3) to the box."""
    for axis in range(3):
        for sign, side in ((1.0, low), (-1.0, high)):
            distance = sign * (corners[:, axis] - side[axis])
            kept = []
            for k in range(len(corners)):
                j = (k + 1) % len(corners)
                if distance[k] >= 0.0:
                    kept.append(corners[k])
                if (distance[k] >= 0.0) != (distance[j] >= 0.0):
                    share = distance[k] / (distance[k] - distance[j])
                    kept.append(corners[k] + share * (corners[j] - corners[k]))
            if not kept:
                return np.empty((0, 3))
            corners = np.array(kept)
    return corners
