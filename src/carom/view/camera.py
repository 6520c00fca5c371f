"""A pinhole camera: world points to picture points and depth."""

from __future__ import annotations

import dataclasses

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


@dataclasses.dataclass(frozen=True, eq=False)
class Camera:
    """Looks from `eye` at `target`; picture units are tangents of the angle from the axis."""

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
        """Picture coordinates (..., 2) and depth (...) of points (..., 3); only depths above 0 are in view."""
        seen = (points - self.eye) @ self.axes().T
        depth = seen[..., 2]
        return seen[..., :2] / np.where(np.abs(depth) < 1e-12, 1e-12, depth)[..., None], depth


def clear_camera(
    point: Array, normal: Array, distance: float, centres: Array, radii: Array, box: tuple[Array, Array]
) -> Camera:
    """Look at a contact from the side, so that the normal points to the right and most of the scene lies behind.

    Of the directions across the normal, take the one with the fewest bodies in front and the longest view behind.
    """
    helper = np.eye(3)[int(np.argmin(np.abs(normal)))]
    first = np.cross(normal, helper)
    first /= np.linalg.norm(first)
    second = np.cross(normal, first)
    thickness = box[1] - box[0]
    flat = np.eye(3)[int(np.argmin(thickness))] * (thickness.min() < 0.1 * thickness.max())
    best, best_score = first, -np.inf
    for angle in np.linspace(0.0, 2.0 * np.pi, 48, endpoint=False):
        look = np.cos(angle) * first + np.sin(angle) * second
        along = (centres - point) @ look
        aside = np.linalg.norm(centres - point - along[:, None] * look, axis=1)
        in_front = (along < 0.0) & (along > -distance) & (aside < radii + 0.15 * (along + distance))
        score = _room(point, look, box) / np.linalg.norm(thickness) - 0.5 * in_front.sum()
        # A table is looked at from above, a little aslant.
        score -= 100.0 * abs(float(flat @ look) + 0.8) * flat.any()
        if score > best_score:
            best, best_score = look, score
    return Camera(point - distance * best, point, np.cross(normal, best))


def _room(point: Array, look: Array, box: tuple[Array, Array]) -> float:
    """Distance from the point along `look` to the end of the box."""
    with np.errstate(divide="ignore"):
        reach = np.where(look > 0.0, (box[1] - point) / look, np.where(look < 0.0, (box[0] - point) / look, np.inf))
    return float(reach.min())
