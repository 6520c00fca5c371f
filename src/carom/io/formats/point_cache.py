"""Point caches: the vertices of every frame only, as PC2 (3ds Max, Blender) or MDD (LightWave, Blender).

Both store float32, so written values are rounded. Neither stores faces, which come from a mesh file with the same vertices in
the same order.
"""

from __future__ import annotations

import math
import struct
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from carom.errors import InvalidInputError
from carom.io.frames import DEFAULT_FPS, frame_times, moving, read_bytes
from carom.io.mesh_file import FORMATS as MESH_FORMATS
from carom.io.mesh_file import read_mesh
from carom.motion import Deforming

Array = NDArray[np.float64]

FORMATS = (".pc2", ".mdd")

_PC2_HEAD = struct.Struct("<12siiffi")
"""Magic, version, points, number of the first frame, frames between samples, samples; little-endian."""
_PC2_MAGIC = b"POINTCACHE2\0"
_MDD_HEAD = struct.Struct(">ii")  # Frames and points, big-endian; the time of every frame in seconds follows


def read_point_cache(path: Path, mesh: Path | None, fps: float | None) -> Deforming:
    """Return the cache as a body with the faces of `mesh`, or of the mesh file of the same name beside the cache.

    PC2 counts frames, at `fps` frames per second. MDD stores times; with `fps` its frames are numbered instead.
    """
    if path.suffix.lower() == ".pc2":
        times, vertices = _read_pc2(path, fps)
    else:
        times, vertices = _read_mdd(path, fps)
    topology = mesh or _mesh_beside(path)
    points, faces = read_mesh(topology)
    if len(points) != vertices.shape[1]:
        raise InvalidInputError(
            f"{path}: holds {vertices.shape[1]} points per frame, but its mesh {topology} has {len(points)} vertices"
        )
    return moving(path, faces, times, vertices, path.stem)


def _mesh_beside(path: Path) -> Path:
    beside = [path.with_suffix(ending) for ending in MESH_FORMATS]
    for candidate in beside:
        if candidate.is_file():
            return candidate
    names = ", ".join(candidate.name for candidate in beside)
    raise InvalidInputError(
        f"{path}: a point cache holds no faces: name the mesh it moves (--mesh FILE, or mesh=), or put one of {names} beside it"
    )


def _read_pc2(path: Path, fps: float | None) -> tuple[Array, Array]:
    data = read_bytes(path)
    if len(data) < _PC2_HEAD.size or data[: len(_PC2_MAGIC)] != _PC2_MAGIC:
        raise InvalidInputError(f"{path}: not a PC2 file: it does not begin with POINTCACHE2")
    _, version, points, start, step, samples = _PC2_HEAD.unpack_from(data)
    if version != 1:
        raise InvalidInputError(f"{path}: is PC2 version {version}; expected 1")
    vertices = _frames(path, data, _PC2_HEAD.size, "<f4", samples, points)
    if not 0.0 < step < math.inf:
        raise InvalidInputError(f"{path}: has {step} frames between its samples; expected a finite number above 0")
    if not math.isfinite(start):
        raise InvalidInputError(f"{path}: begins at frame {start}; expected a finite number")
    return frame_times(start + step * np.arange(samples), fps), vertices


def _read_mdd(path: Path, fps: float | None) -> tuple[Array, Array]:
    data = read_bytes(path)
    if len(data) < _MDD_HEAD.size:
        raise InvalidInputError(f"{path}: not an MDD file: it is only {len(data)} bytes long")
    frames, points = _MDD_HEAD.unpack_from(data)
    head = _MDD_HEAD.size + 4 * max(frames, 0)
    vertices = _frames(path, data, head, ">f4", frames, points)
    if fps is not None:
        return frame_times(np.arange(frames), fps), vertices
    return np.frombuffer(data, ">f4", frames, _MDD_HEAD.size).astype(np.float64), vertices


def _frames(path: Path, data: bytes, head: int, kind: str, frames: int, points: int) -> Array:
    """Return the vertices (frames, points, 3) after the header, if the length of the file agrees with its counts."""
    if frames < 2 or points < 1:
        raise InvalidInputError(
            f"{path}: says that it holds {frames} frames of {points} points; expected at least 2 of 3"
        )
    expected = head + 12 * frames * points
    if len(data) != expected:
        raise InvalidInputError(
            f"{path}: {frames} frames of {points} points take {expected} bytes, but the file has {len(data)}: it is cut "
            "off, or of another format"
        )
    return np.frombuffer(data, kind, 3 * frames * points, head).astype(np.float64).reshape(frames, points, 3)


def write_point_cache(path: Path, body: Deforming, fps: float | None) -> None:
    """Write the vertices of the body as PC2 or MDD by the path's ending; PC2 needs equidistant keys."""
    frames, points, _ = body.vertices.shape
    if path.suffix.lower() == ".mdd":
        head = _MDD_HEAD.pack(frames, points) + body.times.astype(">f4").tobytes()
        path.write_bytes(head + body.vertices.astype(">f4").tobytes())
        return
    rate = DEFAULT_FPS if fps is None else fps
    steps = np.diff(body.times) * rate
    if np.ptp(steps) > 1e-6 * steps.mean():
        raise InvalidInputError(f"{path}: PC2 holds evenly spaced keys only; write MDD or npz instead")
    head = _PC2_HEAD.pack(_PC2_MAGIC, 1, points, body.times[0] * rate, steps.mean(), frames)
    path.write_bytes(head + body.vertices.astype("<f4").tobytes())
