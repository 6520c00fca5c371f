"""Formats that are read by trimesh."""

from __future__ import annotations

import logging
import warnings
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from carom.errors import InvalidInputError
from carom.io.mesh_archive import check_zip


def formats() -> list[str]:
    """Return the endings that trimesh supports; some of these formats need further packages."""
    import trimesh  # when first used: the import takes most of a second

    return sorted(f".{ending}" for ending in trimesh.exchange.load.mesh_loaders)


def read_foreign_mesh(path: Path) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """Return vertices (n, 3) and triangles (m, 3) of a file, all its parts placed and merged, without repairs.

    InvalidInputError names the file if it is damaged or has no triangles. Vertices are not checked.
    """
    import trimesh

    try:
        with _quietly():
            # Without processing, which would silently drop faces with bad vertices.
            loaded = trimesh.load_mesh(_checked(path), process=False)
    except InvalidInputError:
        raise
    except ImportError as error:
        raise InvalidInputError(f"{path}: cannot be read: its format needs a package ({error})") from error
    except Exception as error:
        raise InvalidInputError(
            f"{path}: cannot be read as a mesh: it is damaged, cut off, or not of the format that its ending says"
        ) from error
    faces = np.asarray(getattr(loaded, "faces", ()))
    if len(faces) == 0:
        raise InvalidInputError(f"{path}: holds no triangles; expected a triangle mesh")
    return np.asarray(loaded.vertices, dtype=np.float64), faces.astype(np.int64)


def _checked(path: Path) -> Path:
    if zipfile.is_zipfile(path):  # 3MF and similar formats
        check_zip(path)
    return path


@contextmanager
def _quietly() -> Iterator[None]:
    """Suppress what trimesh and NumPy print about damaged files."""
    logger = logging.getLogger("trimesh")
    level = logger.level
    logger.setLevel(logging.CRITICAL + 1)
    try:
        with warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore")
            yield
    finally:
        logger.setLevel(level)
