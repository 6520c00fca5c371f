"""The ring scene of kinetic sweep and prune (figure 1 and section 5): many small tori drifting in a box."""

from __future__ import annotations

import numpy as np

from carom.scenes import meshes
from carom.scenes.crowd import crowd
from carom.scenes.scene import Scene
from carom.shapes import Mesh


def rings(objects: int = 1000, density: float = 0.01, seed: int = 0) -> Scene:
    """Rings of 64 triangles that drift and bounce in a box.

    Each has its own size (bounding radius 0.5 to 1.5, mean 1), orientation, direction and speed (0.5 to 1.5 mean radii
    a second); its mass is the cube of its size. The density is the volume of all bounding spheres over that of the box.
    """
    rng = np.random.default_rng(seed)
    sizes = rng.uniform(0.5, 1.5, objects)
    vertices, faces = meshes.ring()
    shapes = [Mesh(vertices * size, faces) for size in sizes]
    parameters = {"objects": objects, "density": density, "seed": seed}
    return crowd("rings", parameters, shapes, np.arange(objects), sizes, rng, until=1.0)
