"""Animations as one mesh file a frame: OBJ, PLY or OFF files whose names differ in their last number."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from pathlib import Path

import numpy as np
import trimesh
from numpy.typing import NDArray

from carom.errors import InvalidInputError
from carom.io.frames import frame_times, moving, read_bytes
from carom.motion import Deforming

Array = NDArray[np.float64]
Faces = NDArray[np.int64]

FORMATS = (".obj", ".ply", ".off")
"""Formats in which triangles share vertices. STL is not among them: it would tear a mesh into loose triangles."""

_LAST_NUMBER = re.compile(r"(\d+)(\D*)$")


def sequences(files: Iterable[Path]) -> list[list[Path]]:
    """The files in groups whose names differ in their last number only, each group by that number: 2 comes before 10."""
    groups: dict[tuple[Path, str, str], list[Path]] = {}
    for file in files:
        pattern = _LAST_NUMBER.sub(r"#\2", file.stem)
        groups.setdefault((file.parent, pattern, file.suffix.lower()), []).append(file)
    return [sorted(group, key=_frame_number) for group in groups.values()]


def _frame_number(file: Path) -> tuple[int, str]:
    found = _LAST_NUMBER.search(file.stem)
    return (int(found[1]) if found else -1), file.name


def sequence_name(file: Path) -> str:
    """What a sequence is called: the name of its files without the number."""
    return _LAST_NUMBER.sub(r"\2", file.stem).strip(" ._-") or file.parent.name or "mesh"


def read_sequence(files: Sequence[Path], fps: float | None) -> Deforming:
    """The files, in order, as one body: frame k at k / fps seconds; InvalidInputError where their faces differ."""
    first, faces = read_mesh(files[0])
    vertices = np.empty((len(files), *first.shape))
    vertices[0] = first
    for k, file in enumerate(files[1:], start=1):
        points, same_faces = read_mesh(file)
        if len(points) != len(first) or len(same_faces) != len(faces):
            raise InvalidInputError(
                f"{file}: has {len(points)} vertices and {len(same_faces)} triangles, but {files[0].name} has {len(first)} "
                f"and {len(faces)}; expected the same mesh in every frame"
            )
        if not np.array_equal(same_faces, faces):
            row = int(np.argmax((same_faces != faces).any(axis=1)))
            raise InvalidInputError(
                f"{file}: triangle {row} joins vertices {same_faces[row].tolist()}, but in {files[0].name} it joins "
                f"{faces[row].tolist()}; expected the same mesh in every frame"
            )
        vertices[k] = points
    return moving(files[0], faces, frame_times(len(files), fps), vertices, sequence_name(files[0]))


def read_mesh(path: Path) -> tuple[Array, Faces]:
    """Vertices (n, 3) and triangles (m, 3) of the file, as they are in it: nothing is merged, split or left out."""
    if path.suffix.lower() == ".obj":
        vertices, faces = _read_obj(path)
    else:
        vertices, faces = _read_by_trimesh(path)
    if len(faces) == 0:
        raise InvalidInputError(f"{path}: holds no triangles")
    if faces.min() < 0 or faces.max() >= len(vertices):
        row = int(np.argmax(((faces < 0) | (faces >= len(vertices))).any(axis=1)))
        raise InvalidInputError(f"{path}: triangle {row} joins vertices {faces[row].tolist()} of {len(vertices)}")
    return vertices, faces


def _read_by_trimesh(path: Path) -> tuple[Array, Faces]:
    read_bytes(path)
    options = {"fix_texture": False} if path.suffix.lower() == ".ply" else {}
    try:
        loaded = trimesh.load_mesh(path, process=False, **options)
        return np.array(loaded.vertices, dtype=np.float64), np.array(loaded.faces, dtype=np.int64)
    except Exception as error:
        raise InvalidInputError(f"{path}: cannot be read as a mesh: {type(error).__name__}: {error}") from error


def _read_obj(path: Path) -> tuple[Array, Faces]:
    """Read positions and faces alone: trimesh splits vertices where textures or normals meet, which tears a cloth at seams."""
    text = read_bytes(path).decode("utf-8", errors="replace").replace("\\\n", " ")
    points: list[list[float]] = []
    faces: list[tuple[int, int, int]] = []
    for number, line in enumerate(text.splitlines(), start=1):
        parts = line.split()
        if not parts or parts[0] not in ("v", "f"):
            continue
        try:
            if parts[0] == "v":
                x, y, z = map(float, parts[1:4])
                points.append([x, y, z])
                continue
            corners = [int(part.partition("/")[0]) for part in parts[1:]]
        except ValueError:
            raise InvalidInputError(f"{path}: line {number} is {line.strip()!r}; expected numbers") from None
        # Numbers count from 1, or backwards from the last vertex so far.
        rows = [k - 1 if k > 0 else len(points) + k for k in corners]
        faces += [(rows[0], rows[k], rows[k + 1]) for k in range(1, len(rows) - 1)]
    return np.array(points, dtype=np.float64).reshape(-1, 3), np.array(faces, dtype=np.int64).reshape(-1, 3)


def sequence_files(path: Path, count: int) -> list[Path]:
    """Names of `count` frames after the path: cloth.obj becomes cloth_0001.obj, cloth_0002.obj ..."""
    return [path.with_name(f"{path.stem}_{k:04d}{path.suffix}") for k in range(1, count + 1)]


def write_mesh(path: Path, vertices: Array, faces: NDArray[np.integer]) -> None:
    """Write an OBJ or a binary PLY file; coordinates keep their last bit."""
    if path.suffix.lower() == ".obj":
        lines = [f"v {x!r} {y!r} {z!r}" for x, y, z in vertices.tolist()]
        lines += [f"f {a} {b} {c}" for a, b, c in (faces + 1).tolist()]
        path.write_text("\n".join(lines) + "\n", encoding="ascii")
        return
    head = (
        f"ply\nformat binary_little_endian 1.0\nelement vertex {len(vertices)}\nproperty double x\nproperty double y\n"
        f"property double z\nelement face {len(faces)}\nproperty list uchar int vertex_indices\nend_header\n"
    )
    rows = np.empty(len(faces), dtype=[("corners", "u1"), ("rows", "<i4", 3)])
    rows["corners"], rows["rows"] = 3, faces
    path.write_bytes(head.encode("ascii") + vertices.astype("<f8").tobytes() + rows.tobytes())
