"""Floor and walls behind the bodies: the part of each half-space near them that the camera sees from inside."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from carom.view.draw.camera import Camera
from carom.view.room import cut_to_box, square_across

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Array = NDArray[np.float64]

_LINES = 9  # Lines of the grid along each side of a wall, including its edges
_PIECES = 40  # Pieces of a line or floor along a side, each faded separately
_FLOOR, _GRID = np.array([0.86, 0.885, 0.905]), np.array([0.35, 0.45, 0.54])


@dataclasses.dataclass(frozen=True, eq=False)
class Wall:
    """A plane in the world: a point on it, and the unit normal that points to the bodies."""

    point: Array
    normal: Array


@dataclasses.dataclass(frozen=True, eq=False)
class View:
    """The point of view: camera, up, near limit, and the effect of distance on colours."""

    camera: Camera
    up: Array
    near: float
    haze: Array  # Background colour (3,)
    scale: tuple[float, float]  # Depth at which haze begins, and over which it becomes complete, m

    def faded(self, colour: Array, depth: Array) -> Array:
        """Return the colours (n, 3) of an object of that colour at depths (n,)."""
        begin, span = self.scale
        lost = (1.0 - np.exp(-2.8 * np.clip(depth - begin, 0.0, None) / span))[:, None]
        return np.asarray((1.0 - lost) * colour + lost * self.haze)


def draw_ground(axes: Axes, view: View, walls: list[Wall], low: Array, high: Array) -> None:
    """Draw the intersection of the box from low to high (3,) with each wall: floors filled, all with a grid of lines.

    Walls that the camera sees from behind are omitted, because they would hide the bodies.
    """
    from matplotlib.collections import LineCollection, PolyCollection

    pad = 1e-9 * float(np.abs(high - low).max())
    for wall in walls:
        if (view.camera.eye - wall.point) @ wall.normal <= 0.0:
            continue
        corners = cut_to_box(square_across(wall.point, wall.normal, low, high), low - pad, high + pad)
        if len(corners) != 4:
            continue
        if wall.normal @ view.up > 0.7:
            tiles, depth = _seen(view, _tiles(corners))
            axes.add_collection(
                PolyCollection(list(tiles), facecolors=view.faded(_FLOOR, depth), edgecolors="face", linewidths=0.4,
                               zorder=0.5)
            )  # fmt: skip
        lines, depth = _seen(view, _grid(corners))
        axes.add_collection(LineCollection(list(lines), colors=view.faded(_GRID, depth), linewidths=0.8, zorder=1))


def _seen(view: View, pieces: Array) -> tuple[Array, Array]:
    """Return pieces (m, k, 3) in front of the eye as picture coordinates (m, k, 2), and the mean depth of each."""
    picture, depth = view.camera.project(pieces)
    kept = depth.min(axis=1) > view.near
    return picture[kept], depth[kept].mean(axis=1)


def _between(corners: Array, s: Array, t: Array) -> Array:
    """Return points (..., 3) of the parallelogram at fractions s and t of its sides."""
    along, across = corners[1] - corners[0], corners[3] - corners[0]
    return np.asarray(corners[0] + s[..., None] * along + t[..., None] * across)


def _tiles(corners: Array) -> Array:
    """Divide the parallelogram into small ones (m, 4, 3)."""
    marks = np.linspace(0.0, 1.0, _PIECES + 1)
    s, t = (mesh[:-1, :-1].ravel() for mesh in np.meshgrid(marks, marks))
    step = 1.0 / _PIECES
    return np.stack(
        [_between(corners, s + a * step, t + b * step) for a, b in ((0, 0), (1, 0), (1, 1), (0, 1))], axis=1
    )


def _grid(corners: Array) -> Array:
    """Return grid lines of the parallelogram as short pieces (m, 2, 3)."""
    marks, steps = np.linspace(0.0, 1.0, _LINES), np.linspace(0.0, 1.0, _PIECES + 1)
    fixed, free = np.meshgrid(marks, steps, indexing="ij")
    paths = np.concatenate([_between(corners, fixed, free), _between(corners, free, fixed)])
    return np.stack([paths[:, :-1], paths[:, 1:]], axis=2).reshape(-1, 2, 3)
