"""python-fcl on a pair of meshes."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from carom.shapes import Mesh


class FclPair:
    """One call a pose on two collision objects; a transform for each pose exists beforehand."""

    name: ClassVar[str] = "python-fcl"
    package: ClassVar[str] = "python-fcl"
    module: ClassVar[str] = "fcl"
    how: ClassVar[str] = (
        "BVHModel (OBB-RSS trees), one call a pose in a Python loop, transforms made before the clock, no contact data"
    )

    def __init__(self, mesh: Mesh, poses: NDArray[np.float64]) -> None:
        import fcl

        self._fcl = fcl
        self._still, self._placed = (fcl.CollisionObject(self._model(mesh), fcl.Transform()) for _ in range(2))
        self._transforms = [fcl.Transform(pose[:3, :3], pose[:3, 3]) for pose in poses]

    def _model(self, mesh: Mesh) -> Any:
        model = self._fcl.BVHModel()
        model.beginModel(len(mesh.vertices), len(mesh.faces))
        model.addSubModel(np.array(mesh.vertices), np.array(mesh.faces))
        model.endModel()
        return model

    def collide(self) -> NDArray[np.bool_]:
        """See PairPeer."""
        collide, result = self._fcl.collide, self._fcl.CollisionResult
        request = self._fcl.CollisionRequest(num_max_contacts=1, enable_contact=False)
        still, placed, place = self._still, self._placed, self._placed.setTransform
        hits = []
        for transform in self._transforms:
            place(transform)
            hits.append(collide(still, placed, request, result()))
        return np.array(hits) > 0

    def distance(self) -> NDArray[np.float64]:
        """See PairPeer."""
        distance, result = self._fcl.distance, self._fcl.DistanceResult
        request = self._fcl.DistanceRequest(enable_nearest_points=True)
        still, placed, place = self._still, self._placed, self._placed.setTransform
        found = []
        for transform in self._transforms:
            place(transform)
            found.append(distance(still, placed, request, result()))
        return np.maximum(found, 0.0)
