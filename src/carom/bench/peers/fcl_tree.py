"""python-fcl: OBB-RSS trees under a dynamic AABB tree."""

from __future__ import annotations

from collections import deque
from typing import Any, ClassVar

import numpy as np

from carom.bench.peers.peer import Sighting
from carom.bench.peers.replay import Replay


class FclTree:
    """Each frame: set every translation, update the tree, test the pairs whose boxes overlap in a Python callback."""

    name: ClassVar[str] = "python-fcl"
    package: ClassVar[str] = "python-fcl"
    module: ClassVar[str] = "fcl"
    how: ClassVar[str] = "DynamicAABBTreeCollisionManager over BVHModel (OBBRSS); translations set from NumPy rows"
    slack: ClassVar[int] = 1

    def __init__(self, replay: Replay) -> None:
        import fcl

        self._fcl = fcl
        self._geometries: list[Any] = []
        for vertices, faces in zip(replay.vertices, replay.faces, strict=True):
            geometry = fcl.BVHModel()
            geometry.beginModel(len(vertices), len(faces))
            geometry.addSubModel(vertices, faces)
            geometry.endModel()
            self._geometries.append(geometry)
        self._index = {id(geometry): k for k, geometry in enumerate(self._geometries)}
        start = replay.positions[0]
        self._objects = [
            fcl.CollisionObject(geometry, fcl.Transform(p)) for geometry, p in zip(self._geometries, start, strict=True)
        ]
        self._manager = fcl.DynamicAABBTreeCollisionManager()
        self._manager.registerObjects(self._objects)
        self._manager.setup()
        self._frames = self._prepare(replay)
        self._setter = self._choose_setter()

    def _prepare(self, replay: Replay) -> list[list[Any]]:
        """Per frame, one pose for each body in the form that the setter takes."""
        return [list(frame) for frame in np.ascontiguousarray(replay.positions[1:])]

    def _choose_setter(self) -> Any:
        return self._fcl.CollisionObject.setTranslation

    def run(self) -> list[Sighting]:
        """See Peer."""
        fcl, setter, objects, manager, index = self._fcl, self._setter, self._objects, self._manager, self._index
        # One contact names the two geometries: the callback's own objects are fresh wrappers without identity.
        request = fcl.CollisionRequest(num_max_contacts=1, enable_contact=True)
        sightings: list[Sighting] = []
        current = 0

        def test(a: Any, b: Any, _: Any) -> bool:
            result = fcl.CollisionResult()
            if fcl.collide(a, b, request, result):
                contact = result.contacts[0]
                i, j = index[id(contact.o1)], index[id(contact.o2)]
                sightings.append((current, min(i, j), max(i, j)))
            return False

        for poses in self._frames:
            current += 1
            deque(map(setter, objects, poses), maxlen=0)
            manager.update()
            manager.collide(None, test)
        return sightings


class FclTreePrepared(FclTree):
    """The same with all poses turned into fcl.Transform objects before the clock starts."""

    name: ClassVar[str] = "python-fcl, poses converted beforehand"
    how: ClassVar[str] = "as python-fcl, but one fcl.Transform per body and frame exists before the clock starts"

    def _prepare(self, replay: Replay) -> list[list[Any]]:
        return [[self._fcl.Transform(p) for p in frame] for frame in np.ascontiguousarray(replay.positions[1:])]

    def _choose_setter(self) -> Any:
        return self._fcl.CollisionObject.setTransform
