"""Where two triangles touch: point, normal and corner weights, from the feature and the time of contact."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from carom.deform.features import FIRST_EDGE, PLACES

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Touches:
    """points, normals (n, 3), from a to b; speeds (n,) of approach along the normal per interval; weights (n, 3) each."""

    points: Floats
    normals: Floats
    speeds: Floats
    weights_a: Floats
    weights_b: Floats


def touches_of(
    faces: NDArray[np.int32],
    start: Floats,
    end: Floats,
    pairs: NDArray[np.int32],
    fractions: Floats,
    codes: NDArray[np.int64],
) -> Touches:
    """Touches of pairs (n, 2) at fractions (n,) of the interval by the features `codes` (n,)."""
    rows = np.concatenate([faces[pairs[:, 0]], faces[pairs[:, 1]]], axis=1)
    share = fractions[:, None, None]
    corners = (1.0 - share) * start[rows, :3] + share * end[rows, :3]
    speeds = end[rows, :3] - start[rows, :3]
    four = np.take_along_axis(corners, PLACES[codes][:, :, None], axis=1)
    edges = codes >= FIRST_EDGE
    on_four = np.where(edges[:, None], _edge_weights(four), _face_weights(four))
    weights = np.zeros((len(codes), 6))
    np.put_along_axis(weights, PLACES[codes], on_four, axis=1)
    weights_a, weights_b = weights[:, :3], weights[:, 3:]
    on_a = np.einsum("nk,nkd->nd", weights_a, corners[:, :3])
    on_b = np.einsum("nk,nkd->nd", weights_b, corners[:, 3:])
    closing = np.einsum("nk,nkd->nd", weights_a, speeds[:, :3]) - np.einsum("nk,nkd->nd", weights_b, speeds[:, 3:])
    across = np.where(
        edges[:, None],
        np.cross(four[:, 1] - four[:, 0], four[:, 3] - four[:, 2]),
        np.cross(four[:, 2] - four[:, 1], four[:, 3] - four[:, 1]),
    )
    normals = _unit(across, closing)
    rates = np.einsum("nd,nd->n", normals, closing)
    normals = np.where(rates[:, None] < 0.0, -normals, normals)
    return Touches(0.5 * (on_a + on_b), normals, np.abs(rates), weights_a, weights_b)


def _unit(across: Floats, closing: Floats) -> Floats:
    """Unit vectors along `across`; where that vanishes along the closing velocity, and failing that along x."""
    length = np.linalg.norm(across, axis=1, keepdims=True)
    speed = np.linalg.norm(closing, axis=1, keepdims=True)
    instead = np.where(speed > 0.0, closing / np.where(speed > 0.0, speed, 1.0), (1.0, 0.0, 0.0))
    return np.where(length > 0.0, across / np.where(length > 0.0, length, 1.0), instead)


def _face_weights(four: Floats) -> Floats:
    """(n, 4): 1 for the vertex, then the weights of the face's corners nearest to it, none below 0."""
    u, v, w = four[:, 2] - four[:, 1], four[:, 3] - four[:, 1], four[:, 0] - four[:, 1]
    uu, uv, vv = (np.einsum("nd,nd->n", p, q) for p, q in ((u, u), (u, v), (v, v)))
    wu, wv = np.einsum("nd,nd->n", w, u), np.einsum("nd,nd->n", w, v)
    size = uu * vv - uv * uv
    flat = size <= 1e-24 * uu * vv
    safe = np.where(flat, 1.0, size)
    along_u = np.where(uu > 0.0, wu / np.where(uu > 0.0, uu, 1.0), 0.0)
    along_v = np.where(vv > 0.0, wv / np.where(vv > 0.0, vv, 1.0), 0.0)
    second = np.where(flat, np.where(uu >= vv, along_u, 0.0), (vv * wu - uv * wv) / safe)
    third = np.where(flat, np.where(uu >= vv, 0.0, along_v), (uu * wv - uv * wu) / safe)
    face = np.clip(np.stack([1.0 - second - third, second, third], axis=1), 0.0, 1.0)
    return np.concatenate([np.ones((len(four), 1)), face / face.sum(axis=1, keepdims=True)], axis=1)


def _edge_weights(four: Floats) -> Floats:
    """(n, 4): weights of the ends of both edges at the points where they are nearest to each other."""
    u, v, w = four[:, 1] - four[:, 0], four[:, 3] - four[:, 2], four[:, 2] - four[:, 0]
    uu, uv, vv = (np.einsum("nd,nd->n", p, q) for p, q in ((u, u), (u, v), (v, v)))
    wu, wv = np.einsum("nd,nd->n", w, u), np.einsum("nd,nd->n", w, v)
    size = uu * vv - uv * uv
    flat = size <= 1e-24 * uu * vv
    on_a = np.where(flat, 0.0, (vv * wu - uv * wv) / np.where(flat, 1.0, size))
    on_a = np.clip(on_a, 0.0, 1.0)
    on_b = np.clip(np.where(vv > 0.0, (on_a * uv - wv) / np.where(vv > 0.0, vv, 1.0), 0.0), 0.0, 1.0)
    on_a = np.clip(np.where(uu > 0.0, (wu + on_b * uv) / np.where(uu > 0.0, uu, 1.0), 0.0), 0.0, 1.0)
    return np.stack([1.0 - on_a, on_a, 1.0 - on_b, on_b], axis=1)
