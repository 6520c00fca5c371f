"""The paths that every library sees: carom's own motions, sampled at each frame."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.spatial.transform import Rotation

from carom.scenes.scene import Scene
from carom.shapes import Mesh


@dataclass(frozen=True)
class Replay:
    """A scene of meshes as frame-based libraries take it, and the contacts that carom found along it."""

    vertices: list[NDArray[np.float64]]
    """(n_vertices, 3) per body, turned into world axes, about the body's position"""
    faces: list[NDArray[np.int64]]
    """(n_faces, 3) per body"""
    positions: NDArray[np.float64]
    """(n_frames + 1, n_bodies, 3), about the middle of the scene (kind to single precision); frame 0 is the start"""
    dt: float
    """seconds between frames"""
    times: NDArray[np.float64]
    """(n_contacts,) seconds"""
    pairs: NDArray[np.int64]
    """(n_contacts, 2): lower and higher index of the touching bodies"""

    @property
    def n_frames(self) -> int:
        """Frames after the start."""
        return len(self.positions) - 1


def record(scene: Scene, rate: float, n_frames: int, pass_through: bool = False) -> Replay:
    """Run `scene` in carom and keep the positions of all meshes at every frame, and the contacts among them.

    Walls are left out: bodies bounce off them in the replay, but the other libraries need not test against them.
    With `pass_through` bodies overlap after a contact, so that frame-based libraries can see it.
    """
    world = scene.build(response=None) if pass_through else scene.build()
    shapes = [scene.shapes[k] for k in scene.shape_index]
    meshes = [shape for shape in shapes if isinstance(shape, Mesh)]
    n_bodies = len(meshes)
    turns = Rotation.from_quat(scene.orientations[:n_bodies], scalar_first=True).as_matrix()
    positions = np.empty((n_frames + 1, n_bodies, 3))
    positions[0] = scene.positions[:n_bodies]
    times, pairs = [np.empty(0)], [np.empty((0, 2), np.int64)]
    for k in range(1, n_frames + 1):
        log = world.advance(k / rate)
        positions[k] = world.positions(k / rate)[:n_bodies]
        times.append(log.times)
        pairs.append(np.sort(np.column_stack([log.a, log.b]).astype(np.int64), axis=1))
    all_times, all_pairs = np.concatenate(times), np.concatenate(pairs)
    among = all_pairs[:, 1] < n_bodies
    return Replay(
        [np.ascontiguousarray(mesh.vertices @ turn.T) for turn, mesh in zip(turns, meshes, strict=True)],
        [np.array(mesh.faces, dtype=np.int64) for mesh in meshes],
        positions - positions[0].mean(axis=0),
        1.0 / rate,
        all_times[among],
        all_pairs[among],
    )
