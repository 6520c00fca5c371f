"""rapier3d: shape casts of one mesh along each flight against the other, which is at rest."""

from __future__ import annotations

import time
from typing import Any

import numpy as np
from numpy.typing import NDArray

from carom.bench.queries.models import Flights
from carom.shapes import Mesh

HOW = (
    "QueryPipeline.cast_shape and cast_shape_nonlinear of a trimesh against one trimesh collider, one call per flight in a "
    "Python loop, poses and motions made before the clock starts, single precision, no geometry of penetrations"
)


class RapierCasts:
    """A world with one collider; flights in rapier's own form."""

    def __init__(self, mesh: Mesh, flights: Flights) -> None:
        import rapier3d

        faces = mesh.faces.astype(np.uint32)
        vertices = np.array(mesh.vertices)
        self._world = rapier3d.PhysicsWorld()
        self._world.colliders.insert(rapier3d.Collider.trimesh(vertices, faces))
        self._world.detect_collisions()
        self._world.update_query_pipeline()
        self._shape = rapier3d.SharedShape.trimesh(vertices, faces)
        self._options = rapier3d.ShapeCastOptions(max_time_of_impact=1.0, compute_impact_geometry_on_penetration=False)
        m = flights.motions
        self._turning = bool(m.spins.any())
        self._poses = [
            rapier3d.Isometry3(tuple(position), rapier3d.Rotation3(*quat))
            for position, quat in zip(m.positions.tolist(), m.orientations.tolist(), strict=True)
        ]
        self._velocities = [rapier3d.Vec3(*velocity) for velocity in m.velocities.tolist()]
        self._motions = [
            rapier3d.NonlinearRigidMotion(pose, None, velocity, rapier3d.Vec3(*spin))
            for pose, velocity, spin in zip(self._poses, self._velocities, m.spins.tolist(), strict=True)
        ]

    def cast(self, budget: float) -> tuple[NDArray[np.float64], float]:
        """Return times of impact (k,), inf for none, and the CPU seconds that they took.

        The first k flights, at least one, are cast in about `budget` CPU seconds.
        """
        pipeline = self._world.query_pipeline
        shape, options = self._shape, self._options
        if self._turning:
            casts = (pipeline.cast_shape_nonlinear(motion, shape, options, 0.0, 1.0) for motion in self._motions)
        else:
            flights = zip(self._poses, self._velocities, strict=True)
            casts = (pipeline.cast_shape(pose, velocity, shape, options) for pose, velocity in flights)
        found: list[Any] = []
        begin = end = time.process_time()
        for hit in casts:
            found.append(hit)
            end = time.process_time()
            if end - begin > budget:
                break
        return np.array([np.inf if hit is None else hit[1].time_of_impact for hit in found]), end - begin
