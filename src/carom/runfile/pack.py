"""Arrays and shapes as bytes, and back, bit for bit."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from carom.errors import CaromError, RunFileError
from carom.shapes import Box, Capsule, Cone, Convex, Cylinder, HalfSpace, Mesh, Shape, ShapeKind, Sphere


def pack_arrays(arrays: Mapping[str, NDArray[Any]]) -> bytes:
    """The arrays as the bytes of an .npz file."""
    buffer = io.BytesIO()
    np.savez(buffer, allow_pickle=False, **dict(arrays))
    return buffer.getvalue()


def unpack_arrays(data: bytes) -> dict[str, NDArray[Any]]:
    """Undo `pack_arrays`; RunFileError when the bytes are not what it wrote."""
    try:
        with np.load(io.BytesIO(data), allow_pickle=False) as archive:
            return {name: archive[name] for name in archive.files}
    except (OSError, ValueError, EOFError, zipfile.BadZipFile) as error:
        raise RunFileError(f"arrays are damaged: {error}") from None


def pack_shapes(shapes: Sequence[Shape]) -> bytes:
    """All shapes in one piece: their kinds, and their numbers end to end."""
    parts = [_parts(shape) for shape in shapes]
    floats, ints = [np.ravel(f) for f, _ in parts], [np.ravel(i) for _, i in parts]
    return pack_arrays(
        {
            "kind": np.array([int(shape.kind) for shape in shapes], dtype=np.int64),
            "n_floats": np.array([len(f) for f in floats], dtype=np.int64),
            "n_ints": np.array([len(i) for i in ints], dtype=np.int64),
            "floats": np.concatenate([*floats, np.empty(0)]),
            "ints": np.concatenate([*ints, np.empty(0, dtype=np.int64)]),
        }
    )


def unpack_shapes(data: bytes) -> list[Shape]:
    """Undo `pack_shapes`; RunFileError when the bytes are damaged or name a shape this version does not know."""
    packed = unpack_arrays(data)
    shapes: list[Shape] = []
    float_end, int_end = np.cumsum(packed["n_floats"]), np.cumsum(packed["n_ints"])
    for k, kind in enumerate(packed["kind"]):
        floats = packed["floats"][float_end[k] - packed["n_floats"][k] : float_end[k]]
        ints = packed["ints"][int_end[k] - packed["n_ints"][k] : int_end[k]]
        try:
            shapes.append(_shape(ShapeKind(kind), floats, ints))
        except (CaromError, ValueError) as error:
            raise RunFileError(f"shape {k} is damaged: {error}") from None
    return shapes


def _parts(shape: Shape) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """The numbers that make the shape."""
    none = np.empty(0, dtype=np.int64)
    match shape:
        case Sphere():
            return np.array([shape.radius]), none
        case Box():
            return np.asarray(shape.extents), none
        case HalfSpace():
            return np.array([*shape.normal, shape.offset]), none
        case Capsule() | Cylinder() | Cone():
            return np.array([shape.radius, shape.height]), none
        case Convex():
            return np.asarray(shape.points), none
        case Mesh():
            return np.asarray(shape.vertices), np.asarray(shape.faces, dtype=np.int64)
    raise RunFileError(f"a {type(shape).__name__} cannot be written to a run file")


def _shape(kind: ShapeKind, floats: NDArray[np.float64], ints: NDArray[np.int64]) -> Shape:
    match kind:
        case ShapeKind.SPHERE:
            return Sphere(float(floats[0]))
        case ShapeKind.BOX:
            return Box(floats)
        case ShapeKind.HALF_SPACE:
            return _half_space(floats)
        case ShapeKind.CAPSULE:
            return Capsule(float(floats[0]), float(floats[1]))
        case ShapeKind.CYLINDER:
            return Cylinder(float(floats[0]), float(floats[1]))
        case ShapeKind.CONE:
            return Cone(float(floats[0]), float(floats[1]))
        case ShapeKind.CONVEX:
            return Convex(floats.reshape(-1, 3))
        case ShapeKind.MESH:
            return Mesh(floats.reshape(-1, 3), ints.reshape(-1, 3))
    raise RunFileError(f"a shape of kind {kind.name} cannot be read from a run file")


def _half_space(floats: NDArray[np.float64]) -> HalfSpace:
    """The half-space with exactly this normal: the constructor normalises, which can change a last bit again."""
    shape = HalfSpace(floats[:3], float(floats[3]))
    normal = floats[:3].copy()
    normal.setflags(write=False)
    object.__setattr__(shape, "normal", normal)
    object.__setattr__(shape, "offset", float(floats[3]))
    return shape
