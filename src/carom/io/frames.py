"""The contents of animation files: meshes with a time per frame, and meshes at rest."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from carom import validate
from carom.errors import InvalidInputError
from carom.motion import Deforming
from carom.shapes import Mesh

Array = NDArray[np.float64]

DEFAULT_FPS = 24.0
"""Frames per second of files that only number their frames."""


class Still(NamedTuple):
    """A mesh at rest while the others move."""

    name: str
    mesh: Mesh


def frame_times(frames: ArrayLike, fps: float | None) -> Array:
    """Return the times of frames with these numbers, s, at `fps` frames per second (None: the default)."""
    rate = validate.positive("fps", DEFAULT_FPS if fps is None else fps)
    return np.asarray(frames, dtype=np.float64) / rate


def moving(path: Path, faces: ArrayLike, times: ArrayLike, vertices: ArrayLike, name: str) -> Deforming:
    """Return a moving body; InvalidInputError names the file."""
    try:
        return Deforming(faces, times, vertices, name=name)
    except InvalidInputError as error:
        raise InvalidInputError(f"{path}: {error}") from None


def still(path: Path, vertices: ArrayLike, faces: ArrayLike, name: str) -> Still:
    """Return a mesh at rest; InvalidInputError names the file."""
    try:
        return Still(name, Mesh(vertices, faces))
    except InvalidInputError as error:
        raise InvalidInputError(f"{path}: {error}") from None


def read_bytes(path: Path) -> bytes:
    """Return all bytes of the file; InvalidInputError if it cannot be read."""
    try:
        return path.read_bytes()
    except OSError as error:
        raise InvalidInputError(f"{path}: cannot be read: {error.strerror}") from None


@contextmanager
def one_clear_error() -> Iterator[None]:
    """Put errors that quote a file on one line, and suppress NumPy's warnings about numbers that checks refuse later."""
    try:
        with np.errstate(all="ignore"):
            yield
    except InvalidInputError as error:
        words = validate.printable(str(error))
        if words == str(error):
            raise
        raise InvalidInputError(words) from None
