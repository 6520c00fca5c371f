"""The replay that every library gets: carom's motions sampled at each frame; and the base class of these libraries."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.spatial.transform import Rotation

from carom.bench.libraries import Peer
from carom.scenes.scene import Scene
from carom.shapes import Mesh


@dataclass(frozen=True)
class Replay:
    """A scene of meshes in the form that frame-based libraries take, and the contacts that carom found."""

    vertices: list[NDArray[np.float64]]  # (n_vertices, 3) per body, in world axes, relative to the body's position
    faces: list[NDArray[np.int64]]  # (n_faces, 3) per body
    positions: NDArray[np.float64]
    """(n_frames + 1, n_bodies, 3), relative to the middle of the scene, for single precision; frame 0 is the start"""
    dt: float  # seconds between frames
    times: NDArray[np.float64]  # (n_contacts,) seconds
    pairs: NDArray[np.int64]  # (n_contacts, 2): lower and higher index of the touching bodies

    @property
    def n_frames(self) -> int:
        """Frames after the start."""
        return len(self.positions) - 1


Sighting = tuple[int, int, int]
"""Frame, lower and higher body index: the library reports that the two overlap, or begin to, in that frame."""


class RingPeer(Peer):
    """A library set up for one replay. Only `run` is timed, once."""

    slack = 1
    """Frames by which a sighting may be early or late because of the library's arithmetic and order of work."""

    @abstractmethod
    def __init__(self, replay: Replay) -> None:
        """Set the library up; this is not timed."""

    @abstractmethod
    def run(self) -> list[Sighting]:
        """Return every overlap in the frames after the start."""


def record(scene: Scene, rate: float, n_frames: int, pass_through: bool = False) -> Replay:
    """Run `scene` in carom and record the positions of all meshes at every frame, and the contacts between them.

    Walls are left out: bodies bounce off them, but the other libraries need not test against them. With `pass_through`
    bodies overlap after a contact, so that frame-based libraries can detect it.
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
