"""Vertex-face and edge-edge candidates of a cloth in motion, as from a broad phase."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from carom.boxes.still_boxes import box_pairs
from carom.motion import Deforming

Floats = NDArray[np.float64]
Rows = NDArray[np.int64]


def cloth_candidates(cloth: Deforming, key: int) -> dict[str, Floats]:
    """Return features without a common vertex whose boxes, swept from `key` to the next, overlap.

    Points (n, 8, 3) by kind: four points at the start, four at the end.
    """
    start, end = cloth.vertices[key], cloth.vertices[key + 1]
    faces = cloth.faces.astype(np.int64)
    lo, hi = _swept(start, end, faces)
    pairs = box_pairs(lo, hi).astype(np.int64)
    edges, edges_of = np.unique(
        np.sort(faces[:, [[0, 1], [1, 2], [2, 0]]].reshape(-1, 2), axis=1), axis=0, return_inverse=True
    )
    both = np.concatenate([pairs, pairs[:, ::-1]])
    on_face = _once(faces[both[:, 0]].reshape(-1), both[:, 1].repeat(3))
    on_edge = _edge_pairs(edges_of.reshape(-1, 3), pairs)
    found = {
        "vertex-face": np.concatenate([on_face[:, :1], faces[on_face[:, 1]]], axis=1),
        "edge-edge": np.concatenate([edges[on_edge[:, 0]], edges[on_edge[:, 1]]], axis=1),
    }
    split = {"vertex-face": 1, "edge-edge": 2}
    return {kind: _overlapping(start, end, rows, split[kind]) for kind, rows in found.items()}


def past_relative_box(points: Floats, kind: str) -> NDArray[np.bool_]:
    """Return the candidates (n, 8, 3) for which the box around all differences of their points contains the origin."""
    n_first = 1 if kind == "vertex-face" else 2
    ends = points.reshape(-1, 2, 4, 3)
    apart = ends[:, :, :n_first, None] - ends[:, :, None, n_first:]
    apart = apart.reshape(len(points), -1, 3)
    return np.asarray(((apart.min(axis=1) <= 0.0) & (apart.max(axis=1) >= 0.0)).all(axis=1))


def _edge_pairs(edges_of: Rows, pairs: Rows) -> Rows:
    """Return all pairs of an edge of one triangle and an edge of the other, without repetition."""
    a = edges_of[pairs[:, 0]].repeat(3, axis=1).reshape(-1)
    b = np.tile(edges_of[pairs[:, 1]], 3).reshape(-1)
    return _once(np.minimum(a, b), np.maximum(a, b))


def _once(a: Rows, b: Rows) -> Rows:
    """Return pairs (n, 2) without repetition."""
    width = int(b.max(initial=0)) + 1
    keys = np.unique(a * width + b)
    return np.stack([keys // width, keys % width], axis=1)


def _swept(start: Floats, end: Floats, rows: Rows) -> tuple[Floats, Floats]:
    """Return lower and upper ends of boxes around vertices `rows` (n, k) at both ends of the step."""
    points = np.concatenate([start[rows], end[rows]], axis=1)
    return points.min(axis=1), points.max(axis=1)


def _overlapping(start: Floats, end: Floats, rows: Rows, n_first: int) -> Floats:
    """Return points of the candidates `rows` (n, 4) of vertices whose parts share none and have overlapping boxes."""
    first, second = rows[:, :n_first], rows[:, n_first:]
    rows = rows[(first[:, :, None] != second[:, None, :]).all(axis=(1, 2))]
    lo_a, hi_a = _swept(start, end, rows[:, :n_first])
    lo_b, hi_b = _swept(start, end, rows[:, n_first:])
    kept = rows[((lo_a <= hi_b) & (lo_b <= hi_a)).all(axis=1)]
    return np.concatenate([start[kept], end[kept]], axis=1)
