"""The complex scene of kinetic sweep and prune (figure 6): a hundred bodies of over 6000 triangles each."""

from __future__ import annotations

import numpy as np

from carom.scenes import meshes
from carom.scenes.crowd import crowd
from carom.scenes.scene import Scene
from carom.shapes import Mesh

_SIZES = (1.1, 0.9, 1.2, 0.8, 1.0, 1.3, 0.7, 1.0, 1.2, 0.8)  # Bounding radii of the ten models, mean 1


def models(objects: int = 100, density: float = 0.05, seed: int = 0) -> Scene:
    """Knots, twisted rings, urchins and asteroids of 6480 to 7200 triangles each, in a box.

    Ten models take turns; every body has its own orientation, direction and speed (0.5 to 1.5 mean radii a second), and
    its mass is the cube of its size. The density is the volume of all bounding spheres over that of the box.
    """
    rng = np.random.default_rng(seed)
    prototypes = [Mesh(vertices * size, faces) for (vertices, faces), size in zip(_model_data(), _SIZES, strict=True)]
    index = np.arange(objects) % len(prototypes)
    sizes = np.asarray(_SIZES)[index]
    parameters = {"objects": objects, "density": density, "seed": seed}
    return crowd("models", parameters, prototypes, index, sizes, rng, until=5.0)


def _model_data() -> list[meshes.MeshData]:
    return [
        meshes.torus_knot(2, 3, thickness=0.45),
        meshes.urchin(spikes=40, height=0.55, sharpness=60.0),
        meshes.torus_knot(2, 5, thickness=0.28, ridges=30),
        meshes.asteroid(seed=1, roughness=0.45),
        meshes.twisted_torus(sides=3, turns=2),
        meshes.torus_knot(3, 4, thickness=0.3),
        meshes.urchin(spikes=24, height=-0.3, sharpness=25.0),
        meshes.twisted_torus(sides=4, turns=5),
        meshes.torus_knot(3, 5, thickness=0.24, ridges=24),
        meshes.asteroid(seed=7, roughness=0.7),
    ]
