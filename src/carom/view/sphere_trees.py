"""Sphere-trees that are shown in a replay: those of its meshes, level by level."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from carom.errors import InvalidInputError
from carom.shapes import Mesh, Shape
from carom.trees.spheres.sphere_tree import MOST_LEVELS, SphereTree, sphere_tree_of
from carom.view.replay import Replay

_DIGITS = 9  # Decimals of relative coordinates to which copies of a mesh must agree


def check_sphere_trees(title: str, shapes: Sequence[Shape], levels: int) -> None:
    """Raise InvalidInputError if no shape is a mesh, or no tree has so many levels; called before the work."""
    if levels not in range(1, MOST_LEVELS + 1):
        raise InvalidInputError(f"sphere_trees is {levels!r}; expected 1 to {MOST_LEVELS} levels")
    if not any(isinstance(shape, Mesh) for shape in shapes):
        raise InvalidInputError(f"{title}: no body is a rigid mesh, and only those have sphere-trees to show")


def with_sphere_trees(replay: Replay, levels: int) -> Replay:
    """Return the replay with levels 0 (one sphere) to `levels` of the sphere-tree of each mesh among its shapes.

    A mesh with a tree (carom.time_critical.SphereTree.build or .load) shows that tree, as deep as it goes. For others a tree is
    built, which takes seconds for thousands of triangles; scaled copies of a mesh share it. InvalidInputError if no body is a
    mesh.
    """
    check_sphere_trees(replay.title, replay.shapes, levels)
    shown: dict[int, Sequence[NDArray[np.float64]]] = {}
    scales: dict[int, float] = {}
    built: dict[tuple[bytes, bytes], tuple[float, Sequence[NDArray[np.float64]]]] = {}
    for row, mesh in enumerate(replay.shapes):
        if not isinstance(mesh, Mesh):
            continue
        own = sphere_tree_of(mesh)
        if own is not None:
            shown[row] = _levels(own, levels)
            continue
        size, form = _size_and_form(mesh)
        if form not in built:
            built[form] = size, _levels(SphereTree.build(mesh, levels), levels)
        first, shown[row] = built[form]
        scales[row] = size / first
    return dataclasses.replace(replay, sphere_levels=shown, sphere_scales=scales)


def _levels(tree: SphereTree, deepest: int) -> Sequence[NDArray[np.float64]]:
    return [tree.level(number) for number in range(min(deepest, tree.levels) + 1)]


def _size_and_form(mesh: Mesh) -> tuple[float, tuple[bytes, bytes]]:
    """Return the distance of the farthest vertex from the origin, and a key that is equal for scaled copies of a mesh."""
    size = float(np.linalg.norm(mesh.vertices, axis=1).max()) or 1.0
    # Adding 0 makes both zeros equal.
    return size, (mesh.faces.tobytes(), (np.round(mesh.vertices / size, _DIGITS) + 0.0).tobytes())
