"""coal (formerly hpp-fcl): OBB-RSS trees under a dynamic AABB tree, tested inside C++."""

from __future__ import annotations

from collections import deque
from typing import Any, ClassVar

import numpy as np

from carom.bench.peers.peer import Sighting
from carom.bench.peers.replay import Replay

_MANY_CONTACTS = 1_000_000
"""The default callback stops the whole query at this many contacts; it must never be reached."""


class CoalTree:
    """Each frame: set every translation and box, update the tree, collide with coal's own callback."""

    name: ClassVar[str] = "coal"
    package: ClassVar[str] = "coal"
    module: ClassVar[str] = "coal"
    how: ClassVar[str] = (
        "DynamicAABBTreeCollisionManager over BVHModelOBBRSS with CollisionCallBackDefault (no Python callback); "
        "translations set from NumPy rows"
    )
    slack: ClassVar[int] = 1

    def __init__(self, replay: Replay) -> None:
        import coal

        self._coal = coal
        self._geometries: list[Any] = []
        for vertices, faces in zip(replay.vertices, replay.faces, strict=True):
            geometry = coal.BVHModelOBBRSS()
            geometry.beginModel(len(faces), len(vertices))
            geometry.addVertices(vertices)
            geometry.addTriangles(faces.astype(np.uint32))
            geometry.endModel()
            geometry.computeLocalAABB()
            self._geometries.append(geometry)
        self._index = {geometry.id(): k for k, geometry in enumerate(self._geometries)}
        start = replay.positions[0]
        self._objects = [
            coal.CollisionObject(geometry, np.eye(3), p) for geometry, p in zip(self._geometries, start, strict=True)
        ]
        self._manager = coal.DynamicAABBTreeCollisionManager()
        for item in self._objects:
            self._manager.registerObject(item)
        self._manager.setup()
        self._callback = coal.CollisionCallBackDefault()
        self._callback.data.request.num_max_contacts = _MANY_CONTACTS
        self._callback.data.request.enable_contact = False
        self._frames = [list(frame) for frame in np.ascontiguousarray(replay.positions[1:])]

    def run(self) -> list[Sighting]:
        """See Peer."""
        place, bound = self._coal.CollisionObject.setTranslation, self._coal.CollisionObject.computeAABB
        objects, manager, callback, index = self._objects, self._manager, self._callback, self._index
        data = callback.data
        sightings: list[Sighting] = []
        for frame, poses in enumerate(self._frames, start=1):
            deque(map(place, objects, poses), maxlen=0)
            deque(map(bound, objects), maxlen=0)
            manager.update()
            data.clear()
            manager.collide(callback)
            if data.result.isCollision():
                pairs = {(index[c.o1.id()], index[c.o2.id()]) for c in data.result.getContacts()}
                sightings.extend((frame, min(pair), max(pair)) for pair in pairs)
        return sightings
