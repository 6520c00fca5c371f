"""Layout of a graph: springs along its edges, and nodes that repel each other."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

_STEPS = 150
_FIRST_STEP, _LAST_STEP = 0.08, 0.002
"""Largest displacement of a node in the first and the last step, relative to the radius of the layout."""
_INWARD = 0.9  # Attraction towards the centre, which keeps unconnected parts together


def spring_layout(n: int, edges: NDArray[np.int64]) -> NDArray[np.float64]:
    """Return positions (n, 2) in the unit circle for n nodes and edges (m, 2); deterministic.

    Fruchterman and Reingold (1991): at a distance d a spring pulls by d²/k and two nodes repel by k²/d, where k is the distance
    of evenly spread nodes; steps shrink. O(n²) time per step and memory: for up to some hundred nodes.
    """
    if n == 0:
        return np.empty((0, 2))
    k = np.arange(n)
    # A sunflower: evenly spread from the start, with consecutive nodes on neighbouring rings.
    radius, angle = np.sqrt((k + 0.5) / n), k * np.pi * (3.0 - np.sqrt(5.0))
    at = np.stack([radius * np.cos(angle), radius * np.sin(angle)], axis=1)
    if n < 3:
        return 0.45 * np.array([[-1.0, 0.0], [1.0, 0.0]])[:n] if n == 2 else np.zeros((1, 2))
    spread = np.sqrt(np.pi / n)
    for step in np.geomspace(_FIRST_STEP, _LAST_STEP, _STEPS):
        apart = at[:, None] - at[None]
        square = np.maximum(np.einsum("ijk,ijk->ij", apart, apart), 1e-12)
        push = np.einsum("ijk,ij->ik", apart, spread**2 / square)
        pull = _INWARD * at
        along = at[edges[:, 0]] - at[edges[:, 1]]
        spring = along * (np.linalg.norm(along, axis=1) / spread)[:, None]
        np.add.at(pull, edges[:, 0], spring)
        np.subtract.at(pull, edges[:, 1], spring)
        force = push - pull
        size = np.maximum(np.linalg.norm(force, axis=1, keepdims=True), 1e-300)
        at = at + force / size * np.minimum(size, step)
    at = at - (at.min(axis=0) + at.max(axis=0)) / 2.0
    return at / np.linalg.norm(at, axis=1).max()
