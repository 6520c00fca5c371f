"""NumPy archives (.npz), read with every declared size checked against the stored bytes before memory is allocated."""

from __future__ import annotations

import io
import math
import zipfile
from collections.abc import Container
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from carom.errors import InvalidInputError
from carom.files.unpack_limit import check_unpacked

_HEADERS = {(1, 0): np.lib.format.read_array_header_1_0, (2, 0): np.lib.format.read_array_header_2_0}


class NpzError(ValueError):
    """Why a file cannot be read as a NumPy archive, worded as the end of a sentence."""


def array_names(path: Path) -> list[str]:
    """Return the names of all arrays of the archive, in order; NpzError as for `read_arrays`."""
    with _opened(path) as archive:
        return list(_members(archive))


def read_arrays(path: Path, names: Container[str] | None = None) -> dict[str, NDArray[Any]]:
    """Return the arrays of the archive with these names (None: all), in order. Nothing is unpickled.

    NpzError: the file is not an archive, is damaged, or contains other things than arrays of numbers and text.
    InvalidInputError: it would take more memory than `check_unpacked` allows. OSError: it cannot be opened.
    """
    with _opened(path) as archive:
        members = {name: info for name, info in _members(archive).items() if names is None or name in names}
        length = path.stat().st_size
        check_unpacked(path, sum(info.file_size for info in members.values()), length)
        arrays = {name: _array(archive, name, info) for name, info in members.items()}
    # Callers convert them into float64.
    check_unpacked(path, sum(array.size * max(array.itemsize, 8) for array in arrays.values()), length)
    return arrays


def _opened(path: Path) -> zipfile.ZipFile:
    if not zipfile.is_zipfile(path):
        raise NpzError("it is none, or cut off")
    try:
        return zipfile.ZipFile(path)
    except OSError:
        raise
    except Exception:  # zipfile raises errors of many types for damaged directories
        raise NpzError("it is damaged or cut off") from None


def _members(archive: zipfile.ZipFile) -> dict[str, zipfile.ZipInfo]:
    members: dict[str, zipfile.ZipInfo] = {}
    for info in archive.infolist():
        if info.filename.endswith(".npy"):
            name = info.filename.removesuffix(".npy")
            if name in members:
                raise NpzError(f"it holds {name} twice")
            members[name] = info
    return members


def _array(archive: zipfile.ZipFile, name: str, info: zipfile.ZipInfo) -> NDArray[Any]:
    try:
        with archive.open(info) as stored:
            # read(n) decompresses at most n bytes; read() would trust the stream, not the directory.
            data = io.BytesIO(stored.read(info.file_size))
        header = _HEADERS[np.lib.format.read_magic(data)]
        shape, fortran, dtype = header(data)
        if dtype.hasobject:
            raise NpzError("it holds Python objects; expected arrays of numbers")
        rest = len(data.getbuffer()) - data.tell()
        if min(shape, default=0) < 0 or math.prod(shape) * dtype.itemsize != rest or dtype.itemsize == 0:
            raise NpzError(f"{name} should have shape {shape} of {dtype}, but has {rest} bytes")
        stored_values = bytearray(data.getbuffer()[data.tell() :])
        return np.ndarray(shape, dtype, stored_values, order="F" if fortran else "C")
    except (InvalidInputError, NpzError):
        raise
    except Exception:  # anything that zip, deflate and the array headers may raise
        raise NpzError(f"{name} is damaged or cut off") from None
