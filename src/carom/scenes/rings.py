"""The ring scene of kinetic sweep and prune (figure 1 and section 5): many small tori drifting in a box."""

from __future__ import annotations

import numpy as np

from carom.scenes import meshes, placement
from carom.scenes.scene import Scene, make_scene
from carom.shapes import Mesh


def rings(objects: int = 1000, density: float = 0.01, seed: int = 0) -> Scene:
    """Rings of 64 triangles that drift and bounce in a box.

    Each has its own size (bounding radius 0.5 to 1.5, mean 1), orientation, direction and speed (0.5 to 1.5 mean radii
    a second); its mass is the cube of its size. The density is the volume of all bounding spheres over that of the box.
    """
    rng = np.random.default_rng(seed)
    sizes = rng.uniform(0.5, 1.5, objects)
    side = placement.box_side(sizes, density)
    vertices, faces = meshes.ring()
    return make_scene(
        "rings",
        {"objects": objects, "density": density, "seed": seed},
        [Mesh(vertices * size, faces) for size in sizes],
        shape_index=np.arange(objects),
        positions=placement.scatter(rng, sizes, side),
        velocities=placement.random_directions(rng, objects) * rng.uniform(0.5, 1.5, (objects, 1)),
        orientations=placement.random_orientations(rng, objects),
        masses=sizes * sizes * sizes,
        walls=(np.zeros(3), np.full(3, side)),
        until=1.0,
    )
