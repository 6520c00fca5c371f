"""Morph targets with animated weights, read from glTF 2.0: vertices that are blended linearly, which carom follows exactly.

glTF splits vertices where normals or textures meet; those with the same position and the same targets become one again, so
that a surface holds together. What would not be linear between keys (skins, moving or turning nodes, stepped or cubic
weights) is refused rather than approximated.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from carom.errors import InvalidInputError
from carom.io.frames import Still, moving, still
from carom.io.gltf_file import GltfFile, in_words
from carom.motion import Deforming
from carom.motion.turning import rotations

Array = NDArray[np.float64]

_HARMLESS = ("KHR_mesh_quantization", "KHR_materials_", "KHR_texture_", "KHR_lights_", "EXT_texture_")
"""Beginnings of required extensions that change no vertex beyond what accessors say."""
_TRIANGLES, _STRIP, _FAN = 4, 5, 6
_PLACE = {"translation": (0.0, 0.0, 0.0), "rotation": (0.0, 0.0, 0.0, 1.0), "scale": (1.0, 1.0, 1.0)}


_KINDS = {"weights": "SCALAR", "translation": "VEC3", "rotation": "VEC4", "scale": "VEC3"}
"""What the accessors of animated properties have to hold."""


class _Track(NamedTuple):
    """Values (k, ...) of a property of a node at times (k,)."""

    times: Array
    values: Array


def read_morph_targets(path: Path) -> list[Deforming | Still]:
    """Every mesh of the file's scene in world coordinates, moving where its weights are animated, with the node's name."""
    file = GltfFile(path)
    try:
        return _bodies(file)
    except InvalidInputError:
        raise
    except (AttributeError, IndexError, KeyError, TypeError, ValueError) as error:
        raise InvalidInputError(f"{path}: its description is damaged: {in_words(error)}") from error


def _bodies(file: GltfFile) -> list[Deforming | Still]:
    path = file.path
    for extension in file.json.get("extensionsRequired", []):
        if not extension.startswith(_HARMLESS):
            raise InvalidInputError(f"{path}: needs the extension {extension}, which carom does not read")
    tracks = _tracks(file)
    bodies = []
    for index, placed in _placed_nodes(file, tracks):
        node = file.entries("nodes")[index]
        if "mesh" in node:
            bodies.append(_body(file, index, node, placed, tracks.get((index, "weights"))))
    if not bodies:
        raise InvalidInputError(f"{path}: holds no mesh")
    return bodies


def _body(file: GltfFile, index: int, node: dict[str, Any], placed: Array, track: _Track | None) -> Deforming | Still:
    mesh = file.entries("meshes")[node["mesh"]]
    name = node.get("name") or mesh.get("name") or f"mesh {node['mesh']}"
    if "skin" in node:
        raise InvalidInputError(
            f"{file.path}: {name} is moved by a skin, which is not linear between keys: bake it first"
        )
    points, targets, faces = _welded(*_geometry(file, mesh, name))
    linear, shift = placed[:3, :3], placed[:3, 3]
    if track is None:
        weights = np.array([node.get("weights", mesh.get("weights", [0.0] * len(targets)))], dtype=np.float64)
    else:
        weights = track.values
    frames = _blend(file, name, points, targets, weights) @ linear.T + shift
    if track is None or len(frames) == 1:
        return still(file.path, frames[0], faces, name)
    return moving(file.path, faces, track.times, frames, name)


def _blend(file: GltfFile, name: str, points: Array, targets: Array, weights: Array) -> Array:
    """Vertices (k, n, 3): points (n, 3) and targets (m, n, 3) times weights (k, m)."""
    if weights.shape[1] != len(targets):
        raise InvalidInputError(f"{file.path}: {name} has {len(targets)} morph targets but {weights.shape[1]} weights")
    return np.asarray(points + np.tensordot(weights, targets, axes=1))


def _geometry(file: GltfFile, mesh: dict[str, Any], name: str) -> tuple[Array, Array, NDArray[np.int64]]:
    """Points (n, 3), offsets of the targets (m, n, 3) and faces of a mesh; its lines and single points are left out."""
    points: list[Array] = []
    targets: list[Array] = []
    faces: list[NDArray[np.int64]] = []
    first = 0
    for primitive in mesh["primitives"]:
        mode = primitive.get("mode", _TRIANGLES)
        if mode in (_STRIP, _FAN):
            raise InvalidInputError(
                f"{file.path}: {name} is made of triangle strips or fans; expected single triangles"
            )
        if mode != _TRIANGLES:
            continue
        here = np.asarray(file.accessor(primitive["attributes"]["POSITION"]), dtype=np.float64)
        offsets = [
            _offsets(file, target["POSITION"], here, name) if "POSITION" in target else np.zeros_like(here)
            for target in primitive.get("targets", [])
        ]
        corners = file.accessor(primitive["indices"]) if "indices" in primitive else np.arange(len(here))
        if len(corners) % 3 or (len(corners) and corners.max() >= len(here)):
            raise InvalidInputError(f"{file.path}: {name} has triangles whose corners are missing")
        points.append(here)
        targets.append(np.array(offsets).reshape(len(offsets), *here.shape))
        faces.append(corners.astype(np.int64).reshape(-1, 3) + first)
        first += len(here)
    if not faces:
        raise InvalidInputError(f"{file.path}: {name} holds no triangles")
    return np.concatenate(points), np.concatenate(targets, axis=1), np.concatenate(faces)


def _offsets(file: GltfFile, accessor: int, points: Array, name: str) -> Array:
    """Offsets (n, 3) of a target of points (n, 3)."""
    count = file.entries("accessors")[accessor]["count"]
    if count != len(points):
        raise InvalidInputError(f"{file.path}: {name} has {len(points)} vertices, but a morph target of {count}")
    return np.asarray(file.accessor(accessor), dtype=np.float64)


def _welded(points: Array, targets: Array, faces: NDArray[np.int64]) -> tuple[Array, Array, NDArray[np.int64]]:
    """The same with vertices that agree in position and all targets, bit for bit, made one; their order is kept."""
    # Before any arithmetic, which may round equal rows differently. Adding zero makes -0.0 and 0.0 the same bytes.
    rows = np.concatenate([points[None], targets]).swapaxes(0, 1).reshape(len(points), -1) + 0.0
    as_bytes = np.ascontiguousarray(rows).view(np.dtype((np.void, rows.itemsize * rows.shape[1])))
    _, first, group = np.unique(as_bytes, return_index=True, return_inverse=True)
    order = np.argsort(first, kind="stable")
    rank = np.empty(len(first), dtype=np.int64)
    rank[order] = np.arange(len(first))
    kept = first[order]
    return points[kept], targets[:, kept], rank[group.reshape(-1)][faces]


def _tracks(file: GltfFile) -> dict[tuple[int, str], _Track]:
    """What is animated, by node and property, over all animations of the file together; cameras and the like are left out."""
    tracks: dict[tuple[int, str], _Track] = {}
    carrying = _carrying(file)
    for animation in file.entries("animations"):
        for channel in animation["channels"]:
            target = channel["target"]
            if target.get("node") not in carrying:
                continue
            key = (target["node"], target["path"])
            if key in tracks:
                raise InvalidInputError(f"{file.path}: two animations move {key[1]} of node {key[0]}; keep one of them")
            tracks[key] = _track(file, animation["samplers"][channel["sampler"]], *key)
    return tracks


def _carrying(file: GltfFile) -> set[int]:
    """The nodes with a mesh at or below them: where others move makes no difference."""
    nodes = file.entries("nodes")
    above: dict[int, list[int]] = {}
    for index, node in enumerate(nodes):
        for child in node.get("children", []):
            above.setdefault(child, []).append(index)
    carrying: set[int] = set()
    pending = [index for index, node in enumerate(nodes) if "mesh" in node]
    while pending:
        index = pending.pop()
        if index not in carrying:
            carrying.add(index)
            pending += above.get(index, [])
    return carrying


def _track(file: GltfFile, sampler: dict[str, Any], node: int, path: str) -> _Track:
    times = np.asarray(file.accessor(sampler["input"]), dtype=np.float64)
    values = np.asarray(file.accessor(sampler["output"]), dtype=np.float64)
    for what, accessor, expected in (("times", "input", "SCALAR"), (path, "output", _KINDS.get(path, ""))):
        kind = file.kind(sampler[accessor])
        if expected not in ("", kind):
            raise InvalidInputError(
                f"{file.path}: {what} of node {node}, accessor {sampler[accessor]}, hold {kind}; expected {expected}"
            )
    way = sampler.get("interpolation", "LINEAR")
    if way != "LINEAR" and path == "weights":
        raise InvalidInputError(
            f"{file.path}: the weights of node {node} change by {way}; expected LINEAR: export with sampled animations"
        )
    rows = 3 * len(times) if way == "CUBICSPLINE" else len(times)
    if len(times) == 0 or values.size % rows:
        raise InvalidInputError(f"{file.path}: {path} of node {node} has {values.size} values at {len(times)} times")
    return _Track(times, values.reshape(rows, -1))


def _placed_nodes(file: GltfFile, tracks: dict[tuple[int, str], _Track]) -> Iterator[tuple[int, Array]]:
    """Nodes of the file's scene, or of all where it has none, with their matrices (4, 4) to world coordinates."""
    nodes, scenes = file.entries("nodes"), file.entries("scenes")
    if scenes:
        roots = scenes[file.json.get("scene", 0)].get("nodes", [])
    else:
        below = {child for node in nodes for child in node.get("children", [])}
        roots = [k for k in range(len(nodes)) if k not in below]
    pending = [(index, np.eye(4)) for index in reversed(roots)]
    seen: set[int] = set()
    while pending:
        index, outer = pending.pop()
        if index in seen or not 0 <= index < len(nodes):
            raise InvalidInputError(f"{file.path}: its nodes are no tree: node {index}")
        seen.add(index)
        placed = outer @ _matrix(file, index, nodes[index], tracks)
        yield index, placed
        pending.extend((child, placed) for child in reversed(nodes[index].get("children", [])))


def _matrix(file: GltfFile, index: int, node: dict[str, Any], tracks: dict[tuple[int, str], _Track]) -> Array:
    """The node's own matrix; animations that hold it still count, others are refused."""
    if "matrix" in node:
        return np.array(node["matrix"], dtype=np.float64).reshape(4, 4).T
    place: dict[str, Array] = {}
    for path, usual in _PLACE.items():
        place[path] = np.array(node.get(path, usual), dtype=np.float64)
        if (index, path) in tracks:
            values = tracks[index, path].values
            if (values != values[0]).any():
                name = node.get("name", f"node {index}")
                raise InvalidInputError(
                    f"{file.path}: {name} has an animated {path}; only morph weights may move: bake it"
                )
            place[path] = values[0]
    x, y, z, w = place["rotation"] / np.linalg.norm(place["rotation"])
    matrix = np.eye(4)
    matrix[:3, :3] = rotations(np.array([[w, x, y, z]]))[0] * place["scale"]
    matrix[:3, 3] = place["translation"]
    return matrix
