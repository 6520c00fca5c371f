"""Animations as one mesh file per frame: OBJ, PLY or OFF files whose names differ in their last number."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import islice, pairwise
from pathlib import Path

import numpy as np

from carom import validate
from carom.errors import InvalidInputError
from carom.io.frames import frame_times, moving
from carom.io.mesh_file import read_polygons
from carom.io.polygons.triangulate import triangulated
from carom.motion import Deforming

_LAST_NUMBER = re.compile(r"((?:(?:(?<=[_.-])|^)-)?\d+)(\D*)$")
"""A hyphen is a minus after another separator or at the beginning: c_-2 is frame -2, c-2 is frame 2."""
_NAMED = 5  # Number of missing frames that a notice names


def sequences(files: Iterable[Path]) -> list[list[Path]]:
    """Group the files whose names differ only in their last number, by that number: 2 comes before 10."""
    groups: dict[tuple[Path, str, str], list[Path]] = {}
    for file in files:
        pattern, numbered = _LAST_NUMBER.subn(r"#\2", file.stem)
        if not numbered:  # mesh.obj and mesh.OBJ are two meshes
            pattern = file.name
        groups.setdefault((file.parent, pattern, file.suffix.lower()), []).append(file)
    return [sorted(group, key=lambda file: (frame_number(file), file.name)) for group in groups.values()]


def frame_number(file: Path) -> int:
    """Return the last number in the name of a file; 0 if there is none."""
    found = _LAST_NUMBER.search(file.stem)
    return int(found[1]) if found else 0


def sequence_name(file: Path) -> str:
    """Return the name of a sequence: that of its files without the number."""
    return _LAST_NUMBER.sub(r"\2", file.stem).strip(" ._-") or file.parent.name or "mesh"


def read_sequence(files: Sequence[Path], fps: float | None, notice: Callable[[str], None]) -> Deforming:
    """Return the files, in order, as one body: frame n at n / fps seconds; polygons are cut as in the first file.

    InvalidInputError if two have the same number, or their faces differ; `notice` gets a message about missing frames.
    """
    numbers = [frame_number(file) for file in files]
    for (earlier, file), (one, other) in zip(pairwise(files), pairwise(numbers), strict=True):
        if one == other:
            raise InvalidInputError(f"{file}: is frame {other}, as {earlier.name} is; expected one file per frame")
    first = read_polygons(files[0])
    vertices = np.empty((len(files), *first.vertices.shape))
    vertices[0] = first.vertices
    for k, file in enumerate(files[1:], start=1):
        mesh = read_polygons(file)
        if len(mesh.vertices) != len(first.vertices) or len(mesh.sizes) != len(first.sizes):
            raise InvalidInputError(
                f"{file}: has {len(mesh.vertices)} vertices and {len(mesh.sizes)} faces, but {files[0].name} has "
                f"{len(first.vertices)} and {len(first.sizes)}; expected the same mesh in every frame"
            )
        row = first.difference(mesh)
        if row is not None:
            raise InvalidInputError(
                f"{file}: face {row} joins vertices {mesh.polygon(row)}, but in {files[0].name} it joins "
                f"{first.polygon(row)}; expected the same mesh in every frame"
            )
        vertices[k] = mesh.vertices
    if words := _missing(numbers):
        name = files[0].parent / sequence_name(files[0])
        notice(f"{name}: {words}; vertices move straight from the frame before to the one after")
    return moving(files[0], triangulated(first), frame_times(numbers, fps), vertices, sequence_name(files[0]))


def _missing(numbers: Sequence[int]) -> str:
    """Return the missing frames in words; empty if there are none. Three or more files may have a constant stride."""
    steps = [after - before for before, after in pairwise(numbers)]
    stride = math.gcd(*steps) if len(steps) > 1 else 1
    count = (numbers[-1] - numbers[0]) // stride + 1 - len(numbers)
    if count == 0:
        return ""
    named = [str(number) for number in islice(_between(numbers, stride), _NAMED)]
    shown = validate.few(named, _NAMED, count)
    return f"frame {shown} is missing" if count == 1 else f"frames {shown} are missing"


def _between(numbers: Sequence[int], stride: int) -> Iterator[int]:
    for before, after in pairwise(numbers):
        yield from range(before + stride, after, stride)


def sequence_files(path: Path, count: int) -> list[Path]:
    """Return names of `count` frames from the path: cloth.obj becomes cloth_0000.obj, cloth_0001.obj ..."""
    return [path.with_name(f"{path.stem}_{k:04d}{path.suffix}") for k in range(count)]
