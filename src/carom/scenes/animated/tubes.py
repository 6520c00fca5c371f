"""Surfaces swept along lines: closed tubes of rings, rounded paths, and frames without twist."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
Faces = NDArray[np.int32]


def ring_faces(rings: int, around: int) -> Faces:
    """Return triangles (2 (rings - 1) around, 3) between rings of `around` points, numbered ring by ring, closed around."""
    i, j = (g.ravel() for g in np.meshgrid(np.arange(rings - 1), np.arange(around), indexing="ij"))
    a, d = i * around + j, i * around + (j + 1) % around
    b, c = a + around, d + around
    even = ((i + j) % 2 == 0)[:, None]
    first = np.where(even, np.column_stack([a, b, c]), np.column_stack([a, b, d]))
    second = np.where(even, np.column_stack([a, c, d]), np.column_stack([b, c, d]))
    return np.stack([first, second], axis=1).reshape(-1, 3).astype(np.int32)


def closed_tube_faces(rings: int, around: int) -> Faces:
    """Return `ring_faces` and a fan at either end about two poles, numbered after all rings: first the one at ring 0."""
    j = np.arange(around)
    ahead, last = (j + 1) % around, (rings - 1) * around
    near = np.column_stack([np.full(around, rings * around), j, ahead])
    far = np.column_stack([np.full(around, rings * around + 1), last + ahead, last + j])
    return np.concatenate([ring_faces(rings, around), near, far]).astype(np.int32)


def closed_tube(rings: Array, first: Array, last: Array) -> tuple[Array, Faces]:
    """Return vertices (n, 3) and faces of the tube through rings (r, a, 3), closed by the poles `first` and `last`."""
    vertices = np.concatenate([rings.reshape(-1, 3), first[None], last[None]])
    return vertices, closed_tube_faces(rings.shape[0], rings.shape[1])


def rounded_path(joints: Array, cuts: Array, samples: int) -> Array:
    """Return points (..., samples, 3) along the polyline of joints (..., j, 3) with corners rounded from `cuts` (j - 2,) m.

    A corner becomes a parabola between the points at its cut before and after it. The samples are at the same fractions of the
    length for every polyline, measured along the first, so that a point keeps its place while the joints move.
    """
    first = joints.reshape(-1, *joints.shape[-2:])[0]
    reach = np.concatenate([[0.0], np.cumsum(np.linalg.norm(np.diff(first, axis=0), axis=1))])
    way = np.linspace(0.0, reach[-1], samples)
    path = np.empty((*joints.shape[:-2], samples, 3))
    for k, along in enumerate(way):
        leg = min(int(np.searchsorted(reach, along, side="right")) - 1, len(reach) - 2)
        share = (along - reach[leg]) / (reach[leg + 1] - reach[leg])
        path[..., k, :] = joints[..., leg, :] + share * (joints[..., leg + 1, :] - joints[..., leg, :])
        for corner in (leg, leg + 1):
            if 0 < corner < len(reach) - 1 and abs(along - reach[corner]) < cuts[corner - 1]:
                path[..., k, :] = _corner(joints, corner, cuts[corner - 1], along - reach[corner])
    return path


def _corner(joints: Array, corner: int, cut: float, past: float) -> Array:
    """Return the point on the parabola about a joint, `past` metres after the joint, -cut to cut."""
    middle = joints[..., corner, :]
    back, ahead = joints[..., corner - 1, :] - middle, joints[..., corner + 1, :] - middle
    enter = middle + cut * back / np.linalg.norm(back, axis=-1, keepdims=True)
    leave = middle + cut * ahead / np.linalg.norm(ahead, axis=-1, keepdims=True)
    u = 0.5 * (past / cut + 1.0)
    return np.asarray((1.0 - u) * (1.0 - u) * enter + 2.0 * u * (1.0 - u) * middle + u * u * leave)


def carried_frames(path: Array, normal: Array) -> tuple[Array, Array]:
    """Return two unit vectors perpendicular to the path (..., s, 3) at each point, from `normal` (..., 3) on without twist.

    The second is normal × tangent. Each frame is the last one, reflected twice (Wang et al., Computation of rotation minimizing
    frames, 2008); the path must not have repeated points or turn back on itself.
    """
    tangent = np.gradient(path, axis=-2)
    tangent /= np.linalg.norm(tangent, axis=-1, keepdims=True)
    across = np.empty_like(path)
    start = normal - (normal * tangent[..., 0, :]).sum(axis=-1, keepdims=True) * tangent[..., 0, :]
    across[..., 0, :] = start / np.linalg.norm(start, axis=-1, keepdims=True)
    for k in range(path.shape[-2] - 1):
        chord = path[..., k + 1, :] - path[..., k, :]
        mirrored, turned = (_reflect(v[..., k, :], chord) for v in (across, tangent))
        across[..., k + 1, :] = _reflect(mirrored, tangent[..., k + 1, :] - turned)
    return across, np.cross(across, tangent)


def _reflect(vector: Array, normal: Array) -> Array:
    """Return the vector reflected in the plane perpendicular to `normal`; unchanged if `normal` is too short."""
    square = (normal * normal).sum(axis=-1, keepdims=True)
    share = 2.0 * (vector * normal).sum(axis=-1, keepdims=True) / np.maximum(square, 1e-300)
    return np.asarray(np.where(square > 1e-24, vector - share * normal, vector))
