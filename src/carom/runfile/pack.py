"""Conversion of arrays and shapes into bytes and back, bit for bit."""

from __future__ import annotations

import io
import math
import struct
import zipfile
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from carom.errors import CaromError, RunFileError
from carom.shapes import Shape
from carom.shapes.registry import BY_CODE


def pack_arrays(arrays: Mapping[str, NDArray[Any]]) -> bytes:
    """Return the arrays as the bytes of an .npz file."""
    buffer = io.BytesIO()
    np.savez(buffer, allow_pickle=False, **dict(arrays))
    return buffer.getvalue()


def unpack_arrays(data: bytes) -> dict[str, NDArray[Any]]:
    """Undo `pack_arrays`; RunFileError for other bytes. It takes no more memory than the bytes."""
    found: dict[str, NDArray[Any]] = {}
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            members = archive.infolist()
            if sum(member.file_size for member in members) > len(data):
                raise ValueError("they claim to be larger than the bytes that hold them")
            for member in members:
                name = member.filename.removesuffix(".npy")
                if member.compress_type != zipfile.ZIP_STORED or name in found:
                    raise ValueError(f"{name} is compressed or there twice")
                found[name] = _unpacked(name, archive.read(member))
    except (
        OSError,
        ValueError,
        EOFError,
        NotImplementedError,
        RuntimeError,
        struct.error,
        zipfile.BadZipFile,
    ) as error:
        raise RunFileError(f"arrays are damaged: {error}") from None
    return found


def _unpacked(name: str, data: bytes) -> NDArray[Any]:
    """Return the array of one .npy file; ValueError unless its size is that of the bytes."""
    file = io.BytesIO(data)
    if np.lib.format.read_magic(file) != (1, 0):
        raise ValueError(f"{name} is of another NumPy format")
    shape, fortran, kind = np.lib.format.read_array_header_1_0(file)
    if kind.hasobject or kind.fields is not None or kind.subdtype is not None:
        raise ValueError(f"{name} holds {kind}")
    if min(shape, default=0) < 0 or math.prod(shape) * kind.itemsize != len(data) - file.tell():
        raise ValueError(f"{name} has shape {shape}, which does not fit its {len(data):,} bytes")
    values = np.frombuffer(data, kind, math.prod(shape), file.tell()).copy() if kind.itemsize else np.zeros(shape, kind)
    return values.reshape(shape, order="F" if fortran else "C")


def pack_shapes(shapes: Sequence[Shape]) -> bytes:
    """All shapes in one piece: their kinds, and their numbers end to end."""
    parts = [shape.record() for shape in shapes]
    floats, ints = [np.ravel(f) for f, _ in parts], [np.ravel(i) for _, i in parts]
    return pack_arrays(
        {
            "kind": np.array([shape.code for shape in shapes], dtype=np.int64),
            "n_floats": np.array([len(f) for f in floats], dtype=np.int64),
            "n_ints": np.array([len(i) for i in ints], dtype=np.int64),
            "floats": np.concatenate([*floats, np.empty(0)]),
            "ints": np.concatenate([*ints, np.empty(0, dtype=np.int64)]),
        }
    )


def unpack_shapes(data: bytes) -> list[Shape]:
    """Undo `pack_shapes`; RunFileError if the bytes are damaged or contain an unknown shape."""
    packed = unpack_arrays(data)
    kinds, floats_of, ints_of, floats, ints = (_flat(packed, name) for name in _PACKED)
    if len(floats_of) != len(kinds) or len(ints_of) != len(kinds):
        raise RunFileError("shapes are damaged: their numbers do not belong together")
    for counts, numbers in ((floats_of, floats), (ints_of, ints)):
        if (counts < 0).any() or (counts > len(numbers)).any() or int(counts.sum()) != len(numbers):
            raise RunFileError("shapes are damaged: they have other numbers than they say")
    shapes: list[Shape] = []
    float_end, int_end = np.cumsum(floats_of), np.cumsum(ints_of)
    for k, kind in enumerate(kinds):
        own_floats, own_ints = (
            floats[float_end[k] - floats_of[k] : float_end[k]],
            ints[int_end[k] - ints_of[k] : int_end[k]],
        )
        try:
            shapes.append(_form_of(int(kind)).from_record(own_floats, own_ints))
        except (CaromError, ValueError, IndexError) as error:
            raise RunFileError(f"shape {k} is damaged: {error}") from None
    return shapes


_PACKED = {"kind": np.int64, "n_floats": np.int64, "n_ints": np.int64, "floats": np.float64, "ints": np.int64}
"""The arrays of packed shapes, all of one dimension."""


def _flat(packed: Mapping[str, NDArray[Any]], name: str) -> NDArray[Any]:
    """Return one of the arrays of packed shapes; RunFileError if it is missing or of another type."""
    found = packed.get(name)
    if found is None or found.ndim != 1 or found.dtype != _PACKED[name]:
        raise RunFileError(f"shapes are damaged: {name} is missing, or not what it was written as")
    return found


def _form_of(code: int) -> type[Shape]:
    if code not in BY_CODE:
        raise ValueError(f"{code} is the code of no shape")
    return BY_CODE[code]
