"""Reading and writing of deforming meshes, in every format that carom supports."""

from __future__ import annotations

import glob
import os
from collections.abc import Callable, Iterable, Sequence
from os import PathLike
from pathlib import Path

import numpy as np

from carom import validate
from carom.errors import InvalidInputError
from carom.files.unpack_limit import check_unpacked
from carom.io import mesh_file, mesh_sequence
from carom.io.formats import point_cache
from carom.io.formats.morph_targets import read_morph_targets
from carom.io.formats.morph_writer import write_morph_targets
from carom.io.formats.npz_animation import read_npz, write_npz
from carom.io.frames import Still, moving, one_clear_error, still
from carom.motion import Deforming

AnyPath = str | PathLike[str]

ANIMATION_FORMATS = (".npz", ".gltf", ".glb", *point_cache.FORMATS, *mesh_file.FORMATS)
"""File name endings that `load_animation` reads."""


def load_animation(
    paths: AnyPath | Iterable[AnyPath],
    *,
    mesh: AnyPath | None = None,
    fps: float | None = None,
    notice: Callable[[str], None] | None = None,
) -> list[Deforming]:
    """Read deforming meshes from files. Each body is named after its file, or has the name given in the file.

    The formats are:

    - .npz: faces (m, 3), vertices (k, n, 3), times (k,), or NAME.faces and so on for several meshes.
    - .obj, .ply, .off: one file per frame. Files whose names differ only in their last number are one body, with frame
      n at
      n / fps seconds; a single file is a mesh at rest. Polygons are triangulated as they lie in the first file.
    - .pc2, .mdd: point caches; their faces come from `mesh`, or from a mesh file of the same name beside the cache.
    - .gltf, .glb: meshes with morph targets whose weights are animated linearly; a mesh without them is at rest.

    Parameters
    ----------
    paths : path-like or iterable of path-like
        A file, a pattern such as "frames/*.obj", or several of either.
    mesh : path-like, optional
        Mesh file with the faces of a point cache.
    fps : float, optional
        Frames per second of numbered frames. Default: 24. If it is given, npz and MDD files count as numbered frames
        too, instead of having their own times.
    notice : callable, optional
        Called with one line of text about each sequence in which frames are missing.

    Returns
    -------
    list of Deforming
        The bodies.

    Raises
    ------
    InvalidInputError
        A file is unreadable or truncated, a mesh has other faces in another frame, or nothing moves. The message names
        the file and the fault.
    """
    with one_clear_error():
        return _loaded(paths, mesh, fps, notice or _ignore)


def _loaded(
    paths: AnyPath | Iterable[AnyPath], mesh: AnyPath | None, fps: float | None, notice: Callable[[str], None]
) -> list[Deforming]:
    if fps is not None:
        validate.positive("fps", fps)
    files = _files(paths)
    topology = _topology(mesh, files)
    frames = [file for file in files if file.suffix.lower() in mesh_file.FORMATS]
    found: list[tuple[int, list[Deforming | Still]]] = []
    for group in mesh_sequence.sequences(frames):
        if len(group) > 1:
            found.append((files.index(group[0]), [mesh_sequence.read_sequence(group, fps, notice)]))
        else:
            vertices, faces = mesh_file.read_mesh(group[0])
            found.append((files.index(group[0]), [still(group[0], vertices, faces, group[0].stem)]))
    for position, file in enumerate(files):
        match file.suffix.lower():
            case ".npz":
                found.append((position, read_npz(file, fps)))
            case ".gltf" | ".glb":
                found.append((position, read_morph_targets(file)))
            case ".pc2" | ".mdd":
                found.append((position, [point_cache.read_point_cache(file, topology, fps)]))
    found.sort(key=lambda entry: entry[0])
    return _at_common_times(files, [body for _, bodies in found for body in bodies])


def save_animation(path: AnyPath, bodies: Deforming | Sequence[Deforming], *, fps: float | None = None) -> list[Path]:
    """Write deforming bodies in the format of the ending of `path`. No file is overwritten.

    .npz stores every bit. .glb stores morph targets (float32). .obj and .ply become one file per key, cloth_0000.obj
    and so on, without times. .pc2 and .mdd hold one body (float32), and its mesh is written beside it as an .obj file.

    Parameters
    ----------
    path : path-like
        The file, or the base name of a sequence.
    bodies : Deforming or sequence of Deforming
        The bodies.
    fps : float, optional
        Frames per second of a .pc2 file. Default: 24.

    Returns
    -------
    list of Path
        The files written.

    Raises
    ------
    InvalidInputError
        A file exists already or cannot be written, or the format cannot hold the bodies.
    """
    target = Path(path)
    each = [bodies] if isinstance(bodies, Deforming) else list(bodies)
    if not each:
        raise InvalidInputError("bodies is empty; expected at least one Deforming")
    names = _distinct([body.name or f"body {k}" for k, body in enumerate(each)])
    ending = target.suffix.lower()
    if ending in point_cache.FORMATS and len(each) > 1:
        raise InvalidInputError(f"{target}: a point cache holds one body, got {len(each)}; write .npz or .glb instead")
    if ending in (".obj", ".ply"):
        stems = [target if len(each) == 1 else target.with_name(f"{target.stem}_{n}{target.suffix}") for n in names]
        series = [mesh_sequence.sequence_files(s, len(b.times)) for s, b in zip(stems, each, strict=True)]
        written = [file for files in series for file in files]
    elif ending in point_cache.FORMATS:
        written = [target, target.with_suffix(".obj")]
    elif ending in (".npz", ".glb"):
        written = [target]
    else:
        raise InvalidInputError(
            f"{target}: has an unknown ending {target.suffix!r}; expected .npz, .glb, .obj, .ply, .pc2 or .mdd"
        )
    for file in written:
        if file.exists():
            raise InvalidInputError(f"{file}: already exists; choose another name")
    try:
        if ending == ".npz":
            write_npz(target, each, names)
        elif ending == ".glb":
            write_morph_targets(target, each, names)
        elif ending in point_cache.FORMATS:
            point_cache.write_point_cache(target, each[0], fps)
            mesh_file.write_mesh(written[1], each[0].vertices[0], each[0].faces)
        else:
            for body, files in zip(each, series, strict=True):
                for key, file in zip(body.vertices, files, strict=True):
                    mesh_file.write_mesh(file, key, body.faces)
    except OSError as error:
        raise InvalidInputError(f"{target}: cannot be written: {error.strerror}") from None
    return written


def _files(paths: AnyPath | Iterable[AnyPath]) -> list[Path]:
    """Return the files, with patterns expanded; InvalidInputError for missing files and unknown formats."""
    if not isinstance(paths, str | PathLike | Iterable):
        raise InvalidInputError(f"paths is {paths!r}; expected the path of an animation file, or several")
    given = [paths] if isinstance(paths, str | PathLike) else list(paths)
    files: list[Path] = []
    for path in given:
        if not isinstance(path, str | PathLike):
            raise InvalidInputError(f"paths holds {path!r}; expected the path of an animation file")
        file = Path(path)
        if not os.path.lexists(file) and glob.has_magic(str(path)):
            matched = [Path(name) for name in sorted(glob.glob(str(path)))]
            if not matched:
                raise InvalidInputError(f"{path}: no file matches this pattern")
            files += matched
        else:
            files.append(file)
    if not files:
        raise InvalidInputError("paths is empty; expected at least one animation file")
    for file in files:
        if os.path.isdir(file):
            raise InvalidInputError(f"{file}: is a folder; expected files, or a pattern such as {file / '*.obj'}")
        if not os.path.isfile(file):
            raise InvalidInputError(f"{file}: no such file")
        if file.suffix.lower() not in ANIMATION_FORMATS:
            known = ", ".join(ANIMATION_FORMATS)
            raise InvalidInputError(f"{file}: has an unknown ending {file.suffix!r}; expected one of {known}")
    return list(dict.fromkeys(files))


def _topology(mesh: AnyPath | None, files: Sequence[Path]) -> Path | None:
    """Return the mesh file of point caches; InvalidInputError if it is not a mesh, or there is no point cache."""
    if mesh is None:
        return None
    if not isinstance(mesh, str | PathLike):
        raise InvalidInputError(f"mesh is {mesh!r}; expected the path of a mesh file")
    path = Path(mesh)
    if not any(file.suffix.lower() in point_cache.FORMATS for file in files):
        raise InvalidInputError(
            f"mesh (--mesh) is {path}, but no file is a point cache ({', '.join(point_cache.FORMATS)}) that lacks its faces; "
            "a mesh that takes part is one of the files"
        )
    if not os.path.isfile(path):
        raise InvalidInputError(
            f"{path}: {'is a folder' if os.path.isdir(path) else 'no such file'}; expected a mesh file"
        )
    if path.suffix.lower() not in mesh_file.FORMATS:
        known = ", ".join(mesh_file.FORMATS)
        raise InvalidInputError(f"{path}: has an unknown ending {path.suffix!r}; expected a mesh file, one of {known}")
    return path


def _ignore(notice: str) -> None:
    """Discard a notice."""


def _at_common_times(files: Sequence[Path], bodies: Sequence[Deforming | Still]) -> list[Deforming]:
    """Return all bodies with distinct names; those at rest get the times of the first that moves."""
    times = next((body.times for body in bodies if isinstance(body, Deforming)), None)
    if times is None:
        raise InvalidInputError(
            f"{files[0]}: nothing moves: expected an animation, or mesh files whose names differ in their frame number only"
        )
    stored = sum(file.stat().st_size for file in files)
    rest = sum(body.mesh.vertices.nbytes for body in bodies if isinstance(body, Still))
    check_unpacked(files[0], rest * len(times), stored)
    made = []
    for body, name in zip(bodies, _distinct([body.name or "mesh" for body in bodies]), strict=True):
        if isinstance(body, Still):
            vertices = np.broadcast_to(body.mesh.vertices, (len(times), *body.mesh.vertices.shape))
            made.append(moving(files[0], body.mesh.faces, times, vertices, name))
        else:
            made.append(body if body.name == name else Deforming(body.faces, body.times, body.vertices, name=name))
    return made


def _distinct(names: Sequence[str]) -> list[str]:
    """Return the names, with numbers for repeated ones: cloth, cloth 2, cloth 3."""
    taken: set[str] = set()
    last: dict[str, int] = {}
    distinct = []
    for name in names:
        label, k = name, last.get(name, 1)
        while label in taken:
            k += 1
            label = f"{name} {k}"
        taken.add(label)
        last[name] = k
        distinct.append(label)
    return distinct
