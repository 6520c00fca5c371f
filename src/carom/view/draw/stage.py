"""The scene at one instant, drawn with matplotlib: perspective, shading and haze."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from carom.shapes import HalfSpace, Shape
from carom.view.draw.camera import Camera, clear_camera
from carom.view.draw.ground import View, Wall, draw_ground
from carom.view.draw.surface import rotations

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Array = NDArray[np.float64]

_HAZE = np.array([0.925, 0.945, 0.96])  # Background colour, to which distant objects fade
_PALETTE = np.array(
    [
        [0.16, 0.44, 0.59],
        [0.38, 0.65, 0.76],
        [0.20, 0.55, 0.53],
        [0.91, 0.77, 0.42],
        [0.45, 0.48, 0.66],
        [0.62, 0.70, 0.74],
    ]
)
_HIT_COLOURS = np.array([[0.86, 0.10, 0.12], [0.98, 0.36, 0.20]])
_HALF_HEIGHT = 0.2
"""Half of the picture in tangents of the angle from the axis: small enough that spheres look round at the edge."""
_BEYOND = 0.3  # Extent of a floor beyond the bodies, relative to the longest side of their box


@dataclasses.dataclass(frozen=True, eq=False)
class Stage:
    """Bodies at one instant, and the contact if there is one: ids of both bodies, point (3,) and normal (3,)."""

    shapes: Sequence[Shape]
    shape_index: NDArray[np.int64]
    positions: Array
    orientations: Array
    contact: tuple[int, int, Array, Array] | None
    up: Array  # Unit vector (3,) that points up in the picture


def draw_stage(axes: Axes, stage: Stage) -> None:
    """Draw the stage. A contact is viewed from beside it: touching bodies red, the point marked, the normal an arrow."""
    from matplotlib.collections import PolyCollection

    radii = np.array([shape.bounding_sphere()[1] for shape in stage.shapes])[stage.shape_index]
    solid = np.isfinite(radii)
    low, high = _room(stage, solid, radii)
    camera, distance = _camera(stage, solid, radii, (low, high))
    depth_scale = float(np.linalg.norm(high - low))

    view = View(camera, stage.up, 0.3 * distance, _HAZE, (1.15 * distance, depth_scale))
    walls = _walls(stage)
    draw_ground(axes, view, walls, *_ground_box(walls, stage.up, low, high))

    polygons, colours, edges = _faces(stage, view, solid, radii, distance)
    axes.add_collection(PolyCollection(list(polygons), facecolors=colours, edgecolors=edges, linewidths=0.3, zorder=2))
    if stage.contact is not None:
        _mark_contact(axes, camera, stage.contact, min(radii[k] for k in stage.contact[:2]))
    axes.set_facecolor(tuple(_HAZE))
    frame = axes.get_window_extent()
    half_width = _HALF_HEIGHT * frame.width / frame.height
    axes.set_xlim(-half_width, half_width)
    axes.set_ylim(-_HALF_HEIGHT, _HALF_HEIGHT)
    axes.set_xticks([])
    axes.set_yticks([])
    axes.spines[:].set_color("#c8d2da")


def _camera(stage: Stage, solid: NDArray[np.bool_], radii: Array, box: tuple[Array, Array]) -> tuple[Camera, float]:
    """Return the camera, and its distance from the centre of interest."""
    if stage.contact is None:
        middle, span = (box[0] + box[1]) / 2.0, float(np.linalg.norm(box[1] - box[0]))
        aside = np.cross(stage.up, np.eye(3)[int(np.argmin(np.abs(stage.up)))])
        aside /= np.linalg.norm(aside)
        away = 0.7 * aside + np.cross(stage.up, aside) + 0.5 * stage.up
        distance = 0.6 * span / _HALF_HEIGHT
        return Camera(middle + distance * away / np.linalg.norm(away), middle, stage.up), distance
    a, b, point, normal = stage.contact
    largest = max(radii[k] for k in (a, b) if solid[k])
    others = solid.copy()
    others[[a, b]] = False
    apart = np.sort(np.linalg.norm(stage.positions[others] - point, axis=1))
    # Close, but with some of the surroundings.
    around = max(7.0 * largest, float(apart[min(8, len(apart) - 1)]) if len(apart) else 0.0)
    distance = 0.43 * around / _HALF_HEIGHT
    return clear_camera(point, normal, stage.up, distance, stage.positions[others], radii[others], box), distance


def _faces(
    stage: Stage, view: View, solid: NDArray[np.bool_], radii: Array, distance: float
) -> tuple[Array, Array, Array]:
    """Return polygons (m, 3, 2), their colours and edge colours, sorted from far to near."""
    camera = view.camera
    matrices = rotations(stage.orientations)
    hits = () if stage.contact is None else stage.contact[:2]
    corners, colours = [], []
    detail = int(np.clip(40_000 / len(radii), 60, 800))
    local = [shape.triangles(detail) for shape in stage.shapes]
    picture, depth = camera.project(stage.positions)
    # A body in front of the contact would hide it; one outside the frame need not be drawn.
    inside = np.abs(picture).max(axis=1) * depth < 2.0 * _HALF_HEIGHT * depth + 2.0 * np.where(solid, radii, 0.0)
    shown = solid & inside & (depth > 0.55 * distance)
    shown[[k for k in hits if solid[k]]] = True
    for k in np.flatnonzero(shown):
        triangles = local[stage.shape_index[k]] @ matrices[k].T + stage.positions[k]
        corners.append(triangles)
        colour = _HIT_COLOURS[hits.index(k)] if k in hits else _PALETTE[k % len(_PALETTE)]
        colours.append(np.broadcast_to(colour, (len(triangles), 3)))
    triangle, colour = np.concatenate(corners), np.concatenate(colours)
    normal = np.cross(triangle[:, 1] - triangle[:, 0], triangle[:, 2] - triangle[:, 0])
    normal /= np.maximum(np.linalg.norm(normal, axis=1, keepdims=True), 1e-300)
    centre = triangle.mean(axis=1)
    facing = np.einsum("ij,ij->i", normal, centre - camera.eye) < 0.0
    picture, depth = camera.project(triangle)
    kept = np.flatnonzero(facing & (depth.min(axis=1) > 0.1 * distance))
    kept = kept[np.argsort(-depth[kept].mean(axis=1), kind="stable")]
    right, up, forward = camera.axes()
    light = -0.55 * right + 0.75 * up - 0.75 * forward
    bright = 0.42 + 0.62 * np.clip(normal[kept] @ (light / np.linalg.norm(light)), 0.0, 1.0)
    lit, far = np.clip(colour[kept] * bright[:, None] * 1.12, 0.0, 1.0), depth[kept].mean(axis=1)
    return picture[kept], view.faded(lit, far), view.faded(0.72 * lit, far)


def _room(stage: Stage, solid: NDArray[np.bool_], radii: Array) -> tuple[Array, Array]:
    """Return the corners of the box that is drawn: axis-aligned walls if there are any, else around the bodies."""
    low = (stage.positions[solid] - radii[solid, None]).min(axis=0)
    high = (stage.positions[solid] + radii[solid, None]).max(axis=0)
    for shape in stage.shapes:
        if isinstance(shape, HalfSpace):
            axis = int(np.argmax(np.abs(shape.normal)))
            if shape.normal[axis] == 1.0:
                low[axis] = shape.offset
            elif shape.normal[axis] == -1.0:
                high[axis] = -shape.offset
    return low, high


def _walls(stage: Stage) -> list[Wall]:
    """Return the half-spaces among the bodies, with their positions."""
    walls = []
    matrices = rotations(stage.orientations)
    for k, row in enumerate(stage.shape_index):
        shape = stage.shapes[row]
        if isinstance(shape, HalfSpace):
            normal = matrices[k] @ np.asarray(shape.normal)
            walls.append(Wall(stage.positions[k] + shape.offset * normal, normal))
    return walls


def _ground_box(walls: list[Wall], up: Array, low: Array, high: Array) -> tuple[Array, Array]:
    """Return the box within which walls are drawn: that of the bodies, extended where no wall ends it, but not upwards."""
    wider = _BEYOND * float((high - low).max()) * (1.0 - np.abs(up))
    bounded_below = np.array([any(wall.normal[axis] == 1.0 for wall in walls) for axis in range(3)])
    bounded_above = np.array([any(wall.normal[axis] == -1.0 for wall in walls) for axis in range(3)])
    return np.where(bounded_below, low, low - wider), np.where(bounded_above, high, high + wider)


def _mark_contact(axes: Axes, camera: Camera, contact: tuple[int, int, Array, Array], size: float) -> None:
    """Draw a dot at the contact point and an arrow along the normal."""
    _, _, point, normal = contact
    (start, stop), _ = camera.project(np.stack([point, point + 1.5 * size * normal]))
    arrow = {"arrowstyle": "-|>,head_width=0.35,head_length=0.7", "color": "#101820", "linewidth": 2.4,
             "shrinkA": 0.0, "shrinkB": 0.0}  # fmt: skip
    axes.annotate("", stop, start, arrowprops=arrow, zorder=5)
    axes.plot(*start, "o", color="#ffd60a", markeredgecolor="#101820", markersize=9.5, markeredgewidth=1.6, zorder=6)
