"""A cloth that falls on a round table and drapes over its rim."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from carom.maths.trigonometry import cosines, sines
from carom.motion import Deforming
from carom.scenes.animated.cloth import Cloth, cells_for, key_times
from carom.scenes.animated.tubes import closed_tube

Array = NDArray[np.float64]

_RADIUS, _DEPTH, _RIM = 0.6, 0.06, 0.025
"""Metres: radius and thickness of the table top, radius of its rounded rim. Its upper side is at z = 0."""
_SIDE = 1.8  # Side of the cloth, m
_GAP = 0.15  # Distance of the points of the cloth from the table, in cells: between them it touches the rim in places
_DROP = 0.06  # Initial height above the table, m
_DRAG = 4.0  # Drag, 1/s: a light cloth that does not swing under the table
_FRICTION = 0.35  # Fraction of the displacement along the table that friction removes per step


def tablecloth(faces: int = 8192, keys: int = 30, seed: int = 0) -> list[Deforming]:
    """A square cloth falls on a round table and drapes over its rim.

    The bodies are `cloth`, about `faces` triangles, and `table`, which is at rest; metres, 24 keys per second. The seed
    turns the cloth, puts it a little off the middle and crumples it by a millimetre: the folds depend on it.
    """
    rng = np.random.default_rng(seed)
    cells = cells_for(faces)
    spacing = _SIDE / cells
    cloth = Cloth(_SIDE, cells, drag=_DRAG, thickness=0.8 * spacing)
    turn = rng.uniform(0.0, 0.5 * np.pi)
    x, y, _ = cloth.points
    shift = rng.uniform(-0.03, 0.03, 2)
    cloth.points[0], cloth.points[1] = (
        cosines(turn) * x - sines(turn) * y + shift[0],
        sines(turn) * x + cosines(turn) * y + shift[1],
    )
    cloth.points[2] = _DROP + rng.uniform(-1e-3, 1e-3, x.shape)

    def rest(points: Array, before: Array, now: float) -> None:
        rest_on_table(points, before, _GAP * spacing)

    times = key_times(keys)
    table, table_faces = table_mesh()
    return [
        Deforming(cloth.faces, times, cloth.record(times, rest), name="cloth"),
        Deforming(table_faces, times, np.broadcast_to(table, (keys, *table.shape)), name="table"),
    ]


def table_distance(points: Array) -> Array:
    """Return the signed distance, m, of points (3, ...) from the table top, negative inside; without the leg."""
    radial, vertical, outward, below = _from_core(points)
    return np.asarray(np.sqrt(outward * outward + below * below) + np.minimum(np.maximum(radial, vertical), 0.0) - _RIM)


def rest_on_table(points: Array, before: Array, gap: float) -> None:
    """Move the points (3, ...) of a cloth to at least `gap` m off the table top, and apply friction to them."""
    radial, vertical, outward, below = _from_core(points)
    distance = np.sqrt(outward * outward + below * below) + np.minimum(np.maximum(radial, vertical), 0.0) - _RIM
    low = distance < gap
    if not low.any():
        return
    x, y, z = points[:, low]
    radial, vertical, outward, below = radial[low], vertical[low], outward[low], below[low]
    # Outside the core the shortest way out leads away from it, inside through the nearer of rim and face.
    inside = np.maximum(radial, vertical) <= 0.0
    aside = np.where(inside, (radial > vertical) * 1.0, outward)
    upright = np.where(inside, (radial <= vertical) * 1.0, below)
    length = np.maximum(np.sqrt(aside * aside + upright * upright), 1e-12)
    reach = np.maximum(np.sqrt(x * x + y * y), 1e-12)
    normal = np.stack([aside * x / reach, aside * y / reach, upright * np.sign(z + 0.5 * _DEPTH)]) / length
    moved = points[:, low] + (gap - distance[low]) * normal
    way = moved - before[:, low]
    way -= (way * normal).sum(axis=0) * normal
    points[:, low] = moved - _FRICTION * way


def _from_core(points: Array) -> tuple[Array, Array, Array, Array]:
    """Return distances of points beyond the core of the top, about which the rim is rounded: horizontal and vertical."""
    radial = np.sqrt(points[0] * points[0] + points[1] * points[1]) - (_RADIUS - _RIM)
    vertical = np.abs(points[2] + 0.5 * _DEPTH) - (0.5 * _DEPTH - _RIM)
    return radial, vertical, np.maximum(radial, 0.0), np.maximum(vertical, 0.0)


def table_mesh(around: int = 72) -> tuple[Array, NDArray[np.int32]]:
    """Return vertices (n, 3) and faces of the table with leg and foot: a surface of revolution inside `table_distance`."""
    quarter = np.linspace(0.0, 0.5 * np.pi, 6)
    core = _RADIUS - _RIM
    over = np.column_stack([core + _RIM * sines(quarter), -_RIM + _RIM * cosines(quarter)])
    under = np.column_stack([core + _RIM * cosines(quarter), -_DEPTH + _RIM - _RIM * sines(quarter)])
    top = np.column_stack([np.linspace(0.12, core, 5)[:-1], np.zeros(4)])
    leg = np.array([(0.3, -_DEPTH), (0.06, -_DEPTH), (0.04, -0.14), (0.035, -0.4), (0.04, -0.62), (0.07, -0.7)])
    foot = np.array([(0.22, -0.73), (0.28, -0.75), (0.28, -0.77)])
    profile = np.concatenate([top, over, under, leg, foot])
    turn = 2.0 * np.pi * np.arange(around) / around
    radius, height = profile.T
    rings = np.stack(
        [radius[:, None] * cosines(turn), radius[:, None] * sines(turn), np.repeat(height[:, None], around, axis=1)],
        axis=-1,
    )
    return closed_tube(rings, np.array([0.0, 0.0, 0.0]), np.array([0.0, 0.0, height[-1]]))
