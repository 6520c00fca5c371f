"""coal and python-fcl on a replay: OBB-RSS trees of the bodies under a dynamic AABB tree."""

from __future__ import annotations

from collections import deque
from typing import Any

import numpy as np

from carom.bench.libraries import COAL, FCL, coal_mesh, coal_tree, fcl_mesh, fcl_tree
from carom.bench.peers.replay import Replay, RingPeer, Sighting

_MANY_CONTACTS = 1_000_000
"""The default callback stops the whole query at this number of contacts; it must never be reached."""


class CoalTree(RingPeer):
    """Each frame: set all translations and boxes, update the tree, collide with coal's own callback."""

    name, library = "coal", COAL
    how = (
        "DynamicAABBTreeCollisionManager over BVHModelOBBRSS with CollisionCallBackDefault (no Python callback); "
        "translations set from NumPy rows"
    )

    def __init__(self, replay: Replay) -> None:
        import coal

        self._coal = coal
        self._meshes = [coal_mesh(*mesh) for mesh in zip(replay.vertices, replay.faces, strict=True)]
        self._index = {mesh.id(): k for k, mesh in enumerate(self._meshes)}
        placed = zip(self._meshes, replay.positions[0], strict=True)
        self._objects = [coal.CollisionObject(mesh, np.eye(3), position) for mesh, position in placed]
        self._manager = coal_tree(self._objects)
        self._callback = coal.CollisionCallBackDefault()
        self._callback.data.request.num_max_contacts = _MANY_CONTACTS
        self._callback.data.request.enable_contact = False
        self._frames = [list(frame) for frame in np.ascontiguousarray(replay.positions[1:])]

    def run(self) -> list[Sighting]:
        """See RingPeer."""
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


class FclTree(RingPeer):
    """Each frame: set all translations, update the tree, test the pairs whose boxes overlap in a Python callback."""

    name, library = "python-fcl", FCL
    how = "DynamicAABBTreeCollisionManager over BVHModel (OBBRSS); translations set from NumPy rows"

    def __init__(self, replay: Replay) -> None:
        import fcl

        self._fcl = fcl
        self._meshes = [fcl_mesh(*mesh) for mesh in zip(replay.vertices, replay.faces, strict=True)]
        self._index = {id(mesh): k for k, mesh in enumerate(self._meshes)}
        placed = zip(self._meshes, replay.positions[0], strict=True)
        self._objects = [fcl.CollisionObject(mesh, fcl.Transform(position)) for mesh, position in placed]
        self._manager = fcl_tree(self._objects)
        self._frames, self._setter = self._prepare(np.ascontiguousarray(replay.positions[1:]))

    def _prepare(self, frames: Any) -> tuple[list[list[Any]], Any]:
        """Return the poses of all bodies in each frame, and the method that sets one."""
        return [list(frame) for frame in frames], self._fcl.CollisionObject.setTranslation

    def run(self) -> list[Sighting]:
        """See RingPeer."""
        fcl, setter, objects, manager, index = self._fcl, self._setter, self._objects, self._manager, self._index
        # One contact names the two meshes: the callback's objects are new wrappers without identity.
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
    """The same with all poses converted into fcl.Transform objects before the clock starts."""

    name = "python-fcl, poses converted beforehand"
    how = "as python-fcl, but one fcl.Transform per body and frame exists before the clock starts"

    def _prepare(self, frames: Any) -> tuple[list[list[Any]], Any]:
        return [[self._fcl.Transform(p) for p in frame] for frame in frames], self._fcl.CollisionObject.setTransform
