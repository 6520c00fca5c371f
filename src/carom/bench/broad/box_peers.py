"""Other libraries set up to find the overlapping pairs of equal cubes."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from carom.bench.libraries import COAL, FCL, IPCTK, WARP, Peer, coal_tree, fcl_tree

Floats = NDArray[np.float64]


class BoxPeer(Peer):
    """A library set up for cubes of side `size` around `centres` (n, 3). Only `run` is timed."""

    most = 1_000_000
    """Largest number of boxes that is measured."""

    @abstractmethod
    def __init__(self, centres: Floats, size: float) -> None:
        """Set the library up; this is not timed."""

    @abstractmethod
    def run(self) -> Any:
        """Find all pairs, in the library's own form."""

    def read(self, answer: Any) -> NDArray[np.int64] | int:
        """Convert an answer into pairs (m, 2) in any order, or their number if the library reports no more to Python."""
        return int(answer)


class CoalBoxes(BoxPeer):
    """coal (formerly hpp-fcl): pairs are collected inside C++."""

    name, library = "coal", COAL
    how = (
        "DynamicAABBTreeCollisionManager.collide with CollisionCallBackCollect, one thread; objects and tree are made before "
        "the clock starts"
    )

    def __init__(self, centres: Floats, size: float) -> None:
        import coal

        cube = coal.Box(size, size, size)
        self._objects = [coal.CollisionObject(cube, np.eye(3), centre) for centre in centres]
        self._manager = coal_tree(self._objects)
        self._found = coal.CollisionCallBackCollect(10 * len(centres))

    def run(self) -> Any:
        """See BoxPeer."""
        self._found.init()
        self._manager.collide(self._found)
        return self._found.numCollisionPairs()


class FclBoxes(BoxPeer):
    """python-fcl: its tree calls Python for each pair."""

    name, library = "python-fcl", FCL
    how = (
        "DynamicAABBTreeCollisionManager.collide with a callback that counts, one thread; objects and tree are made before the "
        "clock starts"
    )
    most = 100_000

    def __init__(self, centres: Floats, size: float) -> None:
        import fcl

        cube = fcl.Box(size, size, size)
        self._objects = [fcl.CollisionObject(cube, fcl.Transform(centre)) for centre in centres]
        self._manager = fcl_tree(self._objects)

    def run(self) -> Any:
        """See BoxPeer."""
        found = 0

        def count(a: Any, b: Any, _: Any) -> bool:
            nonlocal found
            found += 1
            return False

        self._manager.collide(None, count)
        return found


class IpctkBoxes(BoxPeer):
    """ipctk (IPC Toolkit): vertices inflated to cubes; candidates stay in C++; on all cores."""

    library = IPCTK
    how = (
        "Candidates.build of a mesh of single vertices inflated by half a side, on all cores; the candidates are not converted "
        "into Python objects"
    )
    method: str  # Name of the broad phase, a class of ipctk

    def __init__(self, centres: Floats, size: float) -> None:
        import ipctk

        self._ipctk = ipctk
        self._vertices = np.asfortranarray(centres)
        self._mesh = ipctk.CollisionMesh(self._vertices)
        self._radius = 0.5 * size

    def run(self) -> Any:
        """See BoxPeer."""
        found = self._ipctk.Candidates()
        found.build(self._mesh, self._vertices, self._radius, getattr(self._ipctk, self.method)())
        return found

    def read(self, answer: Any) -> NDArray[np.int64]:
        """See BoxPeer."""
        pairs = [(found.vertex0_id, found.vertex1_id) for found in answer.vv_candidates]
        return np.array(pairs, np.int64).reshape(-1, 2)


def _ipctk_boxes(method: str, most: int = BoxPeer.most) -> type[IpctkBoxes]:
    return type(f"Ipctk{method}", (IpctkBoxes,), {"name": f"ipctk {method}", "method": method, "most": most})


class WarpBoxes(BoxPeer):
    """warp-lang: a tree of boxes in single precision, queried by a kernel that warp compiles, on one core."""

    name, library = "warp Bvh", WARP
    how = (
        "Bvh built and queried (bvh_query_aabb) on the CPU, one thread; boxes are rounded outwards to single precision before "
        "the clock starts"
    )

    def __init__(self, centres: Floats, size: float) -> None:
        from carom.bench.broad.warp_boxes import WarpTree

        low = np.nextafter((centres - 0.5 * size).astype(np.float32), np.float32(-np.inf))
        high = np.nextafter((centres + 0.5 * size).astype(np.float32), np.float32(np.inf))
        self._tree = WarpTree(low, high)

    def run(self) -> NDArray[np.int32]:
        """See BoxPeer."""
        return self._tree.pairs()

    def read(self, answer: NDArray[np.int32]) -> NDArray[np.int64]:
        """See BoxPeer."""
        return answer.astype(np.int64)


PEERS: tuple[type[BoxPeer], ...] = (
    CoalBoxes, FclBoxes, *map(_ipctk_boxes, ("LBVH", "HashGrid", "SpatialHash")), _ipctk_boxes("SweepAndPrune", 100_000),
    WarpBoxes,
)  # fmt: skip
