"""Other libraries on a pair of meshes at rest, one call per pose in a Python loop."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from carom.bench.libraries import COAL, FCL, Peer, coal_mesh, fcl_mesh
from carom.shapes import Mesh


class PairPeer(Peer):
    """A library with its trees and all poses (n, 4, 4) of the second mesh in its own form. Only the methods are timed."""

    @abstractmethod
    def __init__(self, mesh: Mesh, poses: NDArray[np.float64]) -> None:
        """Set the library up; this is not timed."""

    @abstractmethod
    def collide(self) -> NDArray[np.bool_]:
        """Return whether the surfaces touch in each pose (n,)."""

    @abstractmethod
    def distance(self) -> NDArray[np.float64]:
        """Return the distance of the surfaces in each pose (n,), 0 where they touch."""


class CoalPair(PairPeer):
    """coal's function objects, which look up the method for the pair once."""

    name, library = "coal", COAL
    how = (
        "BVHModelOBBRSS with ComputeCollision and ComputeDistance, one call per pose in a Python loop, transforms made before "
        "the clock starts, no contact data"
    )

    def __init__(self, mesh: Mesh, poses: NDArray[np.float64]) -> None:
        import coal

        self._coal = coal
        self._models = [coal_mesh(mesh.vertices, mesh.faces) for _ in range(2)]
        self._still = coal.Transform3s.Identity()
        self._transforms = [coal.Transform3s(pose[:3, :3], pose[:3, 3]) for pose in poses]

    def collide(self) -> NDArray[np.bool_]:
        """See PairPeer."""
        request, result = self._coal.CollisionRequest(), self._coal.CollisionResult()
        request.num_max_contacts = 1
        request.enable_contact = False
        return np.array(self._asked(self._coal.ComputeCollision(*self._models), request, result)) > 0

    def distance(self) -> NDArray[np.float64]:
        """See PairPeer."""
        request, result = self._coal.DistanceRequest(), self._coal.DistanceResult()
        request.enable_signed_distance = False
        return np.maximum(self._asked(self._coal.ComputeDistance(*self._models), request, result), 0.0)

    def _asked(self, ask: Any, request: Any, result: Any) -> list[float]:
        still, clear, found = self._still, result.clear, []
        for transform in self._transforms:
            clear()
            found.append(ask(still, transform, request, result))
        return found


class FclPair(PairPeer):
    """python-fcl's functions of two collision objects."""

    name, library = "python-fcl", FCL
    how = "BVHModel (OBB-RSS trees), one call per pose in a Python loop, transforms made before the clock starts"

    def __init__(self, mesh: Mesh, poses: NDArray[np.float64]) -> None:
        import fcl

        self._fcl = fcl
        meshes = (fcl_mesh(mesh.vertices, mesh.faces) for _ in range(2))
        self._still, self._placed = (fcl.CollisionObject(each, fcl.Transform()) for each in meshes)
        self._transforms = [fcl.Transform(pose[:3, :3], pose[:3, 3]) for pose in poses]

    def collide(self) -> NDArray[np.bool_]:
        """See PairPeer."""
        request = self._fcl.CollisionRequest(num_max_contacts=1, enable_contact=False)
        return np.array(self._asked(self._fcl.collide, request, self._fcl.CollisionResult)) > 0

    def distance(self) -> NDArray[np.float64]:
        """See PairPeer."""
        request = self._fcl.DistanceRequest(enable_nearest_points=True)
        return np.maximum(self._asked(self._fcl.distance, request, self._fcl.DistanceResult), 0.0)

    def _asked(self, ask: Any, request: Any, result: Any) -> list[float]:
        still, placed, place, found = self._still, self._placed, self._placed.setTransform, []
        for transform in self._transforms:
            place(transform)
            found.append(ask(still, placed, request, result()))
        return found


PEERS: tuple[type[PairPeer], ...] = (FclPair, CoalPair)
