"""A pinhole camera: world points to picture coordinates and depth."""

from __future__ import annotations

import dataclasses

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


@dataclasses.dataclass(frozen=True, eq=False)
class Camera:
    """A camera at `eye` that looks at `target`; picture units are tangents of the angle from the axis."""

    eye: Array
    target: Array
    up: Array

    def axes(self) -> Array:
        """Rows right, up, forward (3, 3)."""
        forward = self.target - self.eye
        forward = forward / np.linalg.norm(forward)
        right = np.cross(forward, self.up)
        right /= np.linalg.norm(right)
        return np.stack([right, np.cross(right, forward), forward])

    def project(self, points: Array) -> tuple[Array, Array]:
        """Return picture coordinates (..., 2) and depths (...) of points (..., 3); visible if the depth is above 0."""
        seen = (points - self.eye) @ self.axes().T
        depth = seen[..., 2]
        return seen[..., :2] / np.where(np.abs(depth) < 1e-12, 1e-12, depth)[..., None], depth


_DOWN, _DOWN_ON_A_TABLE = 0.3, 0.8  # Sine of the angle by which the camera looks down


def clear_camera(
    point: Array, normal: Array, up: Array, distance: float, centres: Array, radii: Array, box: tuple[Array, Array]
) -> Camera:
    """Return a camera beside the normal of a contact and a little above it, with most of the scene behind.

    Of the directions around the contact it takes one with few bodies in front, a long view behind, and the normal across it.
    """
    first = np.cross(up, np.eye(3)[int(np.argmin(np.abs(up)))])
    first /= np.linalg.norm(first)
    second = np.cross(up, first)
    thickness = box[1] - box[0]
    # A table is viewed from above, anything else nearly from its own height.
    down = _DOWN_ON_A_TABLE if np.abs(thickness @ np.abs(up)) < 0.1 * thickness.max() else _DOWN
    best, best_score = first, -np.inf
    for angle in np.linspace(0.0, 2.0 * np.pi, 48, endpoint=False):
        look = np.sqrt(1.0 - down**2) * (np.cos(angle) * first + np.sin(angle) * second) - down * up
        along = (centres - point) @ look
        aside = np.linalg.norm(centres - point - along[:, None] * look, axis=1)
        in_front = (along < 0.0) & (along > -distance) & (aside < radii + 0.09 * (along + distance))
        score = _room(point, look, box) / np.linalg.norm(thickness) - 0.5 * in_front.sum() - 2.0 * abs(normal @ look)
        if score > best_score:
            best, best_score = look, score
    return Camera(point - distance * best, point, up)


def _room(point: Array, look: Array, box: tuple[Array, Array]) -> float:
    """Return the distance from the point along `look` to the end of the box."""
    with np.errstate(divide="ignore"):
        reach = np.where(look > 0.0, (box[1] - point) / look, np.where(look < 0.0, (box[0] - point) / look, np.inf))
    return float(reach.min())
