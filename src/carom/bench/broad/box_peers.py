"""Other libraries set up to find the overlapping pairs of equal cubes."""

from __future__ import annotations

from typing import Any, ClassVar, Protocol

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


class BoxPeer(Protocol):
    """A library set up for cubes of side `size` round `centres` (n, 3). The constructor is not timed; `run` is."""

    name: ClassVar[str]
    package: ClassVar[str]
    """distribution name, for its version"""
    module: ClassVar[str]
    """import name"""
    how: ClassVar[str]
    """one line: which of its methods, and what is outside the clock"""
    most: ClassVar[int]
    """boxes up to which it is asked"""

    def __init__(self, centres: Floats, size: float) -> None: ...

    def run(self) -> Any:
        """Find all pairs, in the library's own form."""
        ...

    def read(self, answer: Any) -> NDArray[np.int64] | int:
        """Pairs (m, 2) of an answer in any order, or their number where the library shows no more to Python. Not timed."""
        ...


class CoalBoxes:
    """coal (formerly hpp-fcl): pairs collected inside C++."""

    name: ClassVar[str] = "coal"
    package: ClassVar[str] = "coal"
    module: ClassVar[str] = "coal"
    how: ClassVar[str] = (
        "DynamicAABBTreeCollisionManager.collide with CollisionCallBackCollect, one thread; objects and tree are made before "
        "the clock"
    )
    most: ClassVar[int] = 1_000_000

    def __init__(self, centres: Floats, size: float) -> None:
        import coal

        cube = coal.Box(size, size, size)
        self._objects = [coal.CollisionObject(cube, np.eye(3), centre) for centre in centres]
        self._manager = coal.DynamicAABBTreeCollisionManager()
        for each in self._objects:
            self._manager.registerObject(each)
        self._manager.setup()
        self._found = coal.CollisionCallBackCollect(10 * len(centres))

    def run(self) -> int:
        """See BoxPeer."""
        self._found.init()
        self._manager.collide(self._found)
        return int(self._found.numCollisionPairs())

    def read(self, answer: int) -> int:
        """See BoxPeer."""
        return answer


class FclBoxes:
    """python-fcl: its tree calls Python for each pair."""

    name: ClassVar[str] = "python-fcl"
    package: ClassVar[str] = "python-fcl"
    module: ClassVar[str] = "fcl"
    how: ClassVar[str] = (
        "DynamicAABBTreeCollisionManager.collide with a callback that counts, one thread; objects and tree are made before the "
        "clock"
    )
    most: ClassVar[int] = 100_000

    def __init__(self, centres: Floats, size: float) -> None:
        import fcl

        cube = fcl.Box(size, size, size)
        self._objects = [fcl.CollisionObject(cube, fcl.Transform(centre)) for centre in centres]
        self._manager = fcl.DynamicAABBTreeCollisionManager()
        self._manager.registerObjects(self._objects)
        self._manager.setup()

    def run(self) -> int:
        """See BoxPeer."""
        found = 0

        def count(a: Any, b: Any, _: Any) -> bool:
            nonlocal found
            found += 1
            return False

        self._manager.collide(None, count)
        return found

    def read(self, answer: int) -> int:
        """See BoxPeer."""
        return answer


class IpctkBoxes:
    """ipctk (IPC Toolkit): vertices inflated to cubes, candidates left in C++; on all cores."""

    package: ClassVar[str] = "ipctk"
    module: ClassVar[str] = "ipctk"
    how: ClassVar[str] = (
        "Candidates.build of a mesh of single vertices inflated by half a side, on all cores; the candidates are not turned "
        "into Python objects"
    )
    most: ClassVar[int] = 1_000_000
    method: ClassVar[str]
    """class name in ipctk"""

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


class IpctkLbvh(IpctkBoxes):
    """Linear bounding volume hierarchy."""

    name: ClassVar[str] = "ipctk LBVH"
    method: ClassVar[str] = "LBVH"


class IpctkHashGrid(IpctkBoxes):
    """Uniform grid of hashed cells."""

    name: ClassVar[str] = "ipctk HashGrid"
    method: ClassVar[str] = "HashGrid"


class IpctkSpatialHash(IpctkBoxes):
    """Grid of cells in a hash table."""

    name: ClassVar[str] = "ipctk SpatialHash"
    method: ClassVar[str] = "SpatialHash"


class IpctkSweepAndPrune(IpctkBoxes):
    """Sorted along one axis."""

    name: ClassVar[str] = "ipctk SweepAndPrune"
    method: ClassVar[str] = "SweepAndPrune"
    most: ClassVar[int] = 100_000


class WarpBoxes:
    """warp-lang: a tree of boxes in single precision, queried by a kernel of its own compiler on one core."""

    name: ClassVar[str] = "warp Bvh"
    package: ClassVar[str] = "warp-lang"
    module: ClassVar[str] = "warp"
    how: ClassVar[str] = (
        "Bvh built and queried (bvh_query_aabb) on the CPU, one thread; boxes are rounded outwards to single precision before "
        "the clock"
    )
    most: ClassVar[int] = 1_000_000

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
    CoalBoxes,
    FclBoxes,
    IpctkLbvh,
    IpctkHashGrid,
    IpctkSpatialHash,
    IpctkSweepAndPrune,
    WarpBoxes,
)
