"""Animations as NumPy archives, exact to the last bit.

One mesh: arrays `faces` (m, 3), `vertices` (k, n, 3) and `times` (k,). Several: `NAME.faces`, `NAME.vertices`, `NAME.times`
for each; names may contain dots. A mesh without times uses the archive's `times`, or without those frame numbers. Vertices
(n, 3) are a mesh at rest.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from carom.errors import InvalidInputError
from carom.files.npz import NpzError, read_arrays
from carom.io.frames import Still, frame_times, moving, still
from carom.motion import Deforming


def read_npz(path: Path, fps: float | None) -> list[Deforming | Still]:
    """Return the meshes of the archive in order; InvalidInputError names the file and what is missing or wrong."""
    try:
        arrays = read_arrays(path)
    except NpzError as error:
        raise InvalidInputError(f"{path}: cannot be read as a NumPy archive: {error}") from None
    except OSError as error:
        raise InvalidInputError(f"{path}: cannot be read: {error.strerror}") from None
    prefixes = [name.removesuffix("faces") for name in arrays if name == "faces" or name.endswith(".faces")]
    if not prefixes:
        held = ", ".join(arrays) or "nothing"
        raise InvalidInputError(f"{path}: holds no array called faces or NAME.faces, only {held}")
    return [_body(path, arrays, prefix, fps) for prefix in prefixes]


def _body(path: Path, arrays: Mapping[str, NDArray[Any]], prefix: str, fps: float | None) -> Deforming | Still:
    name = prefix.removesuffix(".") or path.stem
    vertices = arrays.get(f"{prefix}vertices")
    if vertices is None:
        raise InvalidInputError(f"{path}: holds {prefix}faces but no {prefix}vertices")
    if vertices.ndim not in (2, 3):
        raise InvalidInputError(
            f"{path}: {prefix}vertices has shape {vertices.shape}; expected (keys, vertices, 3), or (vertices, 3) for a mesh "
            "that stands still"
        )
    if vertices.ndim == 2:
        return still(path, vertices, arrays[f"{prefix}faces"], name)
    times = arrays.get(f"{prefix}times", arrays.get("times"))
    if times is None or fps is not None:
        times = frame_times(np.arange(len(vertices)), fps)
    return moving(path, arrays[f"{prefix}faces"], times, vertices, name)


def write_npz(path: Path, bodies: Sequence[Deforming], names: Sequence[str]) -> None:
    """Write the bodies: one without a prefix, several under their names."""
    arrays: dict[str, NDArray[Any]] = {}
    for body, name in zip(bodies, names, strict=True):
        prefix = f"{name}." if len(bodies) > 1 else ""
        arrays |= {f"{prefix}faces": body.faces, f"{prefix}times": body.times, f"{prefix}vertices": body.vertices}
    with path.open("wb") as file:
        np.savez_compressed(file, allow_pickle=False, **arrays)
