"""rapier3d: triangle-mesh sensors on kinematic bodies that rapier moves."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np

from carom.bench.libraries import RAPIER
from carom.bench.peers.replay import Replay, RingPeer, Sighting

_RESET_FRAMES = 100
"""rapier works in single precision and drifts by about 1e-5 per frame; positions are reset after this number of frames."""
_SAME_VELOCITY = 1e-6  # length units/s: smaller differences between frames are rounding of the replay


class RapierPipeline(RingPeer):
    """Velocity-based kinematic bodies: only changed velocities are passed from Python, which is twice as fast as poses.

    Sensors need an overlap test but no contact manifold. One thread, one solver iteration, no prediction distance.
    """

    name, library = "rapier3d", RAPIER
    how = (
        "PhysicsPipeline, trimesh sensors on velocity-based kinematic bodies (rapier integrates; velocities set when "
        f"they change, positions every {_RESET_FRAMES} frames), one thread, single precision"
    )
    slack = 2

    def __init__(self, replay: Replay) -> None:
        import rapier3d

        self._bodies = rapier3d.RigidBodySet()
        self._colliders = rapier3d.ColliderSet()
        self._pipeline = rapier3d.PhysicsPipeline()
        self._pipeline.set_num_threads(1)
        self._pipeline.counters.disable()
        self._events = rapier3d.ChannelEventCollector()
        settings = rapier3d.IntegrationParameters()
        settings.dt = replay.dt
        settings.normalized_prediction_distance = 0.0
        settings.num_solver_iterations = 1

        velocity = np.diff(replay.positions, axis=0) / replay.dt
        handles = []
        self._index: dict[Any, int] = {}
        for k, (vertices, faces) in enumerate(zip(replay.vertices, replay.faces, strict=True)):
            body = rapier3d.RigidBody.kinematic_velocity_based().translation(tuple(replay.positions[0, k]))
            handles.append(self._bodies.insert(body.linvel(tuple(velocity[0, k]))))
            collider = rapier3d.Collider.trimesh(vertices, faces.astype(np.uint32)).sensor(True)
            collider = collider.active_collision_types(rapier3d.ActiveCollisionTypes.all())
            collider = collider.active_events(rapier3d.ActiveEvents.COLLISION_EVENTS)
            self._index[self._colliders.insert_with_parent(collider, handles[-1], self._bodies)] = k
        self._handles = [self._bodies[handle] for handle in handles]
        self._arguments = (
            (0.0, 0.0, 0.0),
            settings,
            rapier3d.IslandManager(),
            rapier3d.BroadPhaseBvh(),
            rapier3d.NarrowPhase(),
            self._bodies,
            self._colliders,
            rapier3d.ImpulseJointSet(),
            rapier3d.MultibodyJointSet(),
            rapier3d.CCDSolver(),
            None,
            self._events,
        )
        self._changes = _velocity_changes(velocity)
        self._resets = {
            frame: [tuple(p) for p in replay.positions[frame].tolist()]
            for frame in range(_RESET_FRAMES, replay.n_frames, _RESET_FRAMES)
        }

    def run(self) -> list[Sighting]:
        """See RingPeer."""
        step, arguments, drain = self._pipeline.step, self._arguments, self._events.drain_collision_events
        bodies: list[Any] = self._handles
        index = self._index
        sightings: list[Sighting] = []
        for frame, changes in enumerate(self._changes):
            for k, velocity in changes:
                bodies[k].linvel = velocity
            if frame in self._resets:
                for body, position in zip(bodies, self._resets[frame], strict=True):
                    body.translation = position
            step(*arguments)
            for event in drain():
                if event.started:
                    i, j = index[event.collider1], index[event.collider2]
                    sightings.append((frame, min(i, j), max(i, j)))
        return sightings


def _velocity_changes(velocity: Any) -> list[list[tuple[int, tuple[float, ...]]]]:
    """Return, per frame, the bodies whose velocity differs from the frame before, with the new velocity."""
    changes: list[list[tuple[int, tuple[float, ...]]]] = [[]]
    for before, after in itertools.pairwise(velocity):
        changed = np.flatnonzero(np.abs(after - before).max(axis=1) > _SAME_VELOCITY)
        changes.append([(int(k), tuple(after[k].tolist())) for k in changed])
    return changes
