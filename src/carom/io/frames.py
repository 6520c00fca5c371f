"""What animation files hold: meshes with a time for every frame, and meshes that stand still."""

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
"""Frames a second of files that number their frames and say no more."""


class Still(NamedTuple):
    """A mesh that stands still for as long as the others move."""

    name: str
    mesh: Mesh


def frame_times(frames: ArrayLike, fps: float | None) -> Array:
    """Seconds of frames with these numbers, at `fps` frames a second (None: the default): frame n is at n / fps."""
    rate = validate.positive("fps", DEFAULT_FPS if fps is None else fps)
    return np.asarray(frames, dtype=np.float64) / rate


def moving(path: Path, faces: ArrayLike, times: ArrayLike, vertices: ArrayLike, name: str) -> Deforming:
    """The body that a file holds; InvalidInputError names the file."""
    try:
        return Deforming(faces, times, vertices, name=name)
    except InvalidInputError as error:
        raise InvalidInputError(f"{path}: {error}") from None


def still(path: Path, vertices: ArrayLike, faces: ArrayLike, name: str) -> Still:
    """The mesh that a file holds; InvalidInputError names the file."""
    try:
        return Still(name, Mesh(vertices, faces))
    except InvalidInputError as error:
        raise InvalidInputError(f"{path}: {error}") from None


def read_bytes(path: Path) -> bytes:
    """All bytes of the file; InvalidInputError where it cannot be read."""
    try:
        return path.read_bytes()
    except OSError as error:
        raise InvalidInputError(f"{path}: cannot be read: {error.strerror}") from None


@contextmanager
def one_clear_error() -> Iterator[None]:
    """Errors that quote a file's contents stay on one line, and NumPy does not warn of numbers that checks refuse later."""
    try:
        with np.errstate(all="ignore"):
            yield
    except InvalidInputError as error:
        words = validate.printable(str(error))
        if words == str(error):
            raise
        raise InvalidInputError(words) from None
