"""Sphere-trees on disk: NumPy archives that hold the tree, its mesh, and a hash of the mesh."""

from __future__ import annotations

import hashlib
import os
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from carom.errors import InvalidInputError
from carom.files.npz import NpzError, read_arrays

_FORMAT = "carom sphere-tree 1"
_ARRAYS = {
    "spheres": (np.float64, 2), "depths": (np.float64, 1), "child_start": (np.int32, 1), "level_start": (np.int64, 1),
    "vertices": (np.float64, 2), "faces": (np.int64, 2),
}  # fmt: skip
_LABELS = ("format", "method", "mesh_hash")


def mesh_hash(vertices: NDArray[np.float64], faces: NDArray[np.int64]) -> str:
    """32 hex digits that only the very same vertices and faces give."""
    digest = hashlib.sha256(np.ascontiguousarray(vertices).tobytes())
    digest.update(np.ascontiguousarray(faces).tobytes())
    return digest.hexdigest()[:32]


def write_tree(path: Path, arrays: dict[str, NDArray[Any]], method: str, digest: str) -> None:
    """Write the arrays named in this file's format. The file appears only once it is complete."""
    unfinished = path.with_name(path.name + ".new")
    try:
        with unfinished.open("wb") as file:
            np.savez(
                file, allow_pickle=False, format=np.array(_FORMAT), method=np.array(method), mesh_hash=np.array(digest),
                **arrays,
            )  # fmt: skip
        os.replace(unfinished, path)
    except OSError as error:
        raise InvalidInputError(f"{path}: cannot be written: {error}") from None


def read_tree(path: Path) -> tuple[dict[str, NDArray[Any]], str, str]:
    """(arrays, method, hash of the mesh); InvalidInputError names the file and what is wrong with it."""
    if not path.is_file():
        raise InvalidInputError(f"{path}: is not a file; expected a sphere-tree saved by SphereTree.save")
    try:
        held = read_arrays(path, (*_LABELS, *_ARRAYS))
    except NpzError as error:
        raise InvalidInputError(f"{path}: cannot be read as the NumPy archive of a sphere-tree: {error}") from None
    except OSError as error:
        raise InvalidInputError(f"{path}: cannot be read: {error.strerror}") from None
    if "format" not in held or str(held["format"]) != _FORMAT:
        found = f"its format is {str(held['format'])!r}" if "format" in held else "it names no format"
        raise InvalidInputError(f"{path}: is no sphere-tree of this version: {found}; expected {_FORMAT!r}")
    for name in (*_LABELS, *_ARRAYS):
        if name not in held:
            raise InvalidInputError(f"{path}: holds no {name}; expected a sphere-tree saved by SphereTree.save")
    for name, (kind, dimensions) in _ARRAYS.items():
        if held[name].dtype != kind or held[name].ndim != dimensions:
            raise InvalidInputError(f"{path}: {name} is {held[name].dtype} with {held[name].ndim} dimensions")
    if mesh_hash(held["vertices"], held["faces"]) != str(held["mesh_hash"]):
        raise InvalidInputError(f"{path}: its mesh does not match its hash; the file is damaged")
    return {name: held[name] for name in _ARRAYS}, str(held["method"]), str(held["mesh_hash"])
