"""Triangles as a picture: a depth buffer, two-sided lighting from the camera, and edges as fine lines."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from carom.view.draw.camera import Camera

Array = NDArray[np.float64]
Window = tuple[float, float, float, float]
"""Left, right, lower and upper end of the picture in the camera's units."""

_INSIDE = 0.8  # Brightness of the back of a triangle relative to its front
_LINE = 0.75  # Brightness of an edge relative to its surroundings
_CHUNK = 2_000_000  # Pixels that are processed together; more would only need more memory


def paint_triangles(
    camera: Camera, triangles: Array, colours: Array, window: Window, size: tuple[int, int], *, lines: bool
) -> Array:
    """Return a picture (height, width, 4) of triangles (m, 3, 3) with colours (m, 3): RGBA, transparent where empty.

    `size` is (width, height); the first row is the lowest. `lines` draws the edges; triangles behind the camera are omitted.
    """
    width, height = size
    corners, depth = camera.project(triangles)
    left, right, low, high = window
    # From here on in pixels: pixel k covers k - 0.5 to k + 0.5.
    corners = (corners - (left, low)) * (width / (right - left), height / (high - low)) - 0.5
    first = np.clip(np.ceil(corners.min(axis=1)), 0, size).astype(np.int64)
    last = np.clip(np.floor(corners.max(axis=1)) + 1, 0, size).astype(np.int64)
    span = np.maximum(last - first, 0)
    ahead = depth.min(axis=1) > 0.0
    count = np.where(ahead, span[:, 0] * span[:, 1], 0)
    nearest = np.full(width * height, np.inf)
    picture = np.zeros((width * height, 4))
    paint = _lit(camera, triangles, colours)
    ends = np.cumsum(count)
    begin = 0
    while begin < len(count):
        before = ends[begin - 1] if begin else 0
        stop = max(begin + 1, int(np.searchsorted(ends, before + _CHUNK, side="right")))
        rows = np.repeat(np.arange(begin, stop), count[begin:stop])
        place = np.arange(len(rows)) - np.repeat(ends[begin:stop] - count[begin:stop] - before, count[begin:stop])
        x = first[rows, 0] + place % np.maximum(span[rows, 0], 1)
        y = first[rows, 1] + place // np.maximum(span[rows, 0], 1)
        _paint_pixels(rows, x, y, corners, depth, paint, width, nearest, picture, lines)
        begin = stop
    return picture.reshape(height, width, 4)


def _paint_pixels(
    rows: NDArray[np.int64],
    x: NDArray[np.int64],
    y: NDArray[np.int64],
    corners: Array,
    depth: Array,
    paint: Array,
    width: int,
    nearest: Array,
    picture: Array,
    lines: bool,
) -> None:
    """Paint pixels (x, y) with the triangles `rows` where they are covered and nearer than all before."""
    a, b, c = (corners[rows, k] for k in range(3))
    point = np.column_stack([x, y])
    area = _cross(b - a, c - a)
    with np.errstate(divide="ignore", invalid="ignore"):
        weights = np.stack([_cross(b - point, c - point), _cross(c - point, a - point), _cross(a - point, b - point)])
        weights /= area
        # Depth is not linear in the picture, its inverse is.
        far = 1.0 / (weights / depth[rows].T).sum(axis=0)
    pixel = y * width + x
    seen = np.flatnonzero((weights.min(axis=0) >= 0.0) & (far < nearest[pixel]))
    seen = seen[np.lexsort((-far[seen], pixel[seen]))]
    # The last triangle at a pixel is the nearest.
    final = np.ones(len(seen), dtype=bool)
    final[:-1] = pixel[seen][1:] != pixel[seen][:-1]
    seen = seen[final]
    nearest[pixel[seen]] = far[seen]
    colour = paint[rows[seen]]
    if lines:
        reach = [np.linalg.norm(q - p, axis=1) for p, q in ((b, c), (c, a), (a, b))]
        off_edge = np.min(
            [np.abs(area[seen]) / r[seen] * w for r, w in zip(reach, weights[:, seen], strict=True)], axis=0
        )
        colour = colour * np.where(off_edge < 0.6, _LINE, 1.0)[:, None]
    picture[pixel[seen], :3], picture[pixel[seen], 3] = colour, 1.0


def _cross(one: Array, other: Array) -> Array:
    return np.asarray(one[:, 0] * other[:, 1] - one[:, 1] * other[:, 0])


def _lit(camera: Camera, triangles: Array, colours: Array) -> Array:
    """Return the lit colours (m, 3), darker for back faces."""
    normal = np.cross(triangles[:, 1] - triangles[:, 0], triangles[:, 2] - triangles[:, 0])
    normal /= np.maximum(np.linalg.norm(normal, axis=1, keepdims=True), 1e-300)
    back = np.einsum("ij,ij->i", normal, triangles.mean(axis=1) - camera.eye) > 0.0
    normal[back] *= -1.0
    right, up, forward = camera.axes()
    light = -0.55 * right + 0.75 * up - 0.75 * forward
    bright = 0.38 + 0.66 * np.clip(normal @ (light / np.linalg.norm(light)), 0.0, 1.0)
    return np.asarray(np.clip(colours * (bright * np.where(back, _INSIDE, 1.0))[:, None] * 1.12, 0.0, 1.0))
