"""The shape of a ship, a lamp, and its sphere-tree, which is built once and cached."""

from __future__ import annotations

import contextlib

from carom._compile.fingerprint import fingerprint
from carom._compile.kernel_cache import place
from carom.errors import InvalidInputError
from carom.scenes.lamp import TRIANGLES, lamp
from carom.trees import SphereTree

LEVELS = 4


def ship_tree(levels: int = LEVELS, triangles: int = TRIANGLES) -> SphereTree:
    """Return the sphere-tree of a ship: from the cache in milliseconds, or built in some seconds."""
    mesh = lamp(triangles)
    path = place().folder / f"ship-{triangles}-{levels}-{fingerprint(ship_tree)[:16]}.npz"
    with contextlib.suppress(InvalidInputError):
        return SphereTree.load(path, mesh)
    tree = SphereTree.build(mesh, levels=levels)
    with contextlib.suppress(InvalidInputError):
        tree.save(path)
    return tree
