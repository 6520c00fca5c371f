"""coal (formerly hpp-fcl) on a pair of meshes."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from carom.shapes import Mesh


class CoalPair:
    """One call a pose of coal's function objects, which look up the method for the pair once."""

    name: ClassVar[str] = "coal"
    package: ClassVar[str] = "coal"
    module: ClassVar[str] = "coal"
    how: ClassVar[str] = (
        "BVHModelOBBRSS with ComputeCollision and ComputeDistance, one call a pose in a Python loop, transforms made "
        "before the clock, no contact data"
    )

    def __init__(self, mesh: Mesh, poses: NDArray[np.float64]) -> None:
        import coal

        self._coal = coal
        self._models = [self._model(mesh) for _ in range(2)]
        self._collision = coal.ComputeCollision(*self._models)
        self._distance = coal.ComputeDistance(*self._models)
        self._still = coal.Transform3s.Identity()
        self._transforms = [coal.Transform3s(pose[:3, :3], pose[:3, 3]) for pose in poses]

    def _model(self, mesh: Mesh) -> Any:
        model = self._coal.BVHModelOBBRSS()
        model.beginModel(len(mesh.faces), len(mesh.vertices))
        model.addVertices(np.array(mesh.vertices))
        model.addTriangles(mesh.faces.astype(np.uint32))
        model.endModel()
        model.computeLocalAABB()
        return model

    def collide(self) -> NDArray[np.bool_]:
        """See PairPeer."""
        request, result = self._coal.CollisionRequest(), self._coal.CollisionResult()
        request.num_max_contacts = 1
        request.enable_contact = False
        collide, still, clear = self._collision, self._still, result.clear
        hits = []
        for transform in self._transforms:
            clear()
            hits.append(collide(still, transform, request, result))
        return np.array(hits) > 0

    def distance(self) -> NDArray[np.float64]:
        """See PairPeer."""
        request, result = self._coal.DistanceRequest(), self._coal.DistanceResult()
        request.enable_signed_distance = False
        distance, still, clear = self._distance, self._still, result.clear
        found = []
        for transform in self._transforms:
            clear()
            found.append(distance(still, transform, request, result))
        return np.maximum(found, 0.0)
