"""Nodes and meshes of a glTF file: the placement of each mesh, and its triangles."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from carom.errors import InvalidInputError
from carom.io.formats.gltf_file import GltfFile
from carom.io.polygons.strips import strip_triangles
from carom.io.polygons.welding import welded_rows
from carom.maths.fixed_order import product
from carom.motion.turning import rotations

Array = NDArray[np.float64]

_HARMLESS = ("KHR_mesh_quantization", "KHR_materials_", "KHR_texture_", "KHR_lights_", "EXT_texture_")
"""Prefixes of required extensions that do not change vertices."""
_INSTANCES = "EXT_mesh_gpu_instancing"
_TRIANGLES, _STRIP, _FAN = 4, 5, 6
_PLACE = {"translation": (0.0, 0.0, 0.0), "rotation": (0.0, 0.0, 0.0, 1.0), "scale": (1.0, 1.0, 1.0)}

Held = Mapping[tuple[int, str], Array]
"""Values that replace those of a node, by node and property."""


class Geometry(NamedTuple):
    """A mesh: vertices (n, 3), offsets of its m morph targets (m, n, 3), triangles (k, 3). Equal vertices are merged."""

    points: Array
    targets: Array
    faces: NDArray[np.int64]


def check_extensions(file: GltfFile) -> None:
    """Raise InvalidInputError if the file requires an unknown extension that may change vertices."""
    for extension in file.json.get("extensionsRequired", []):
        if not extension.startswith(_HARMLESS):
            raise InvalidInputError(f"{file.path}: needs the extension {extension}, which carom does not read")


def placed_nodes(file: GltfFile, held: Held) -> Iterator[tuple[int, Array]]:
    """Return the nodes of the file's scene, or all without one, with their matrices (4, 4) to world coordinates."""
    nodes = file.entries("nodes")
    if file.entries("scenes"):
        roots = file.entry("scenes", file.json.get("scene", 0)).get("nodes", [])
    else:
        below = {child for node in nodes for child in node.get("children", [])}
        roots = [k for k in range(len(nodes)) if k not in below]
    own = _matrices(file, held)
    pending = [(index, np.eye(4)) for index in reversed(roots)]
    seen: set[int] = set()
    while pending:
        index, outer = pending.pop()
        node = file.entry("nodes", index)
        if index in seen:
            raise InvalidInputError(f"{file.path}: its nodes are no tree: node {index}")
        seen.add(index)
        if _INSTANCES in node.get("extensions", {}):
            raise InvalidInputError(f"{file.path}: node {index} uses {_INSTANCES}, which carom does not read")
        placed = product(outer, own[index])
        yield index, placed
        pending.extend((child, placed) for child in reversed(node.get("children", [])))


def _matrices(file: GltfFile, held: Held) -> Array:
    """Return the local matrices (n, 4, 4) of all nodes."""
    nodes = file.entries("nodes")
    columns = {path: np.tile(np.array(usual), (len(nodes), 1)) for path, usual in _PLACE.items()}
    for path, values in columns.items():
        for index, node in enumerate(nodes):
            if (index, path) in held:
                values[index] = held[index, path]
            elif path in node:
                values[index] = _numbers(node[path], values.shape[1])
    turns = columns["rotation"]
    lengths = np.linalg.norm(turns, axis=1)
    wrong = ~((lengths > 0.0) & np.isfinite(lengths))
    if wrong.any():
        index = int(np.argmax(wrong))
        raise InvalidInputError(
            f"{file.path}: node {index} has the rotation {turns[index].tolist()}; expected a quaternion"
        )
    own = np.tile(np.eye(4), (len(nodes), 1, 1))
    own[:, :3, :3] = rotations((turns / lengths[:, None])[:, [3, 0, 1, 2]]) * columns["scale"][:, None]
    own[:, :3, 3] = columns["translation"]
    for index, node in enumerate(nodes):
        if "matrix" in node:
            own[index] = _numbers(node["matrix"], 16).reshape(4, 4).T
    return own


def _numbers(values: Any, count: int) -> Array:
    """Return a JSON list of numbers; TypeError for anything else."""
    if not isinstance(values, list | tuple) or len(values) != count:
        raise TypeError
    if not all(type(value) in (int, float) for value in values):
        raise TypeError
    return np.array(values, dtype=np.float64)


def mesh_name(node: dict[str, Any], mesh: dict[str, Any], index: int) -> str:
    """Return the name of the node or of the mesh, or the number of the mesh."""
    for entry in (node, mesh):
        name = entry.get("name")
        if isinstance(name, str) and name:
            # JSON can contain halves of surrogate pairs, which cannot be printed.
            return name.encode("utf-8", "replace").decode("utf-8")
    return f"mesh {index}"


def rest_weights(node: dict[str, Any], mesh: dict[str, Any], geometry: Geometry) -> Array:
    """Return the weights (1, m) of the morph targets that are not animated."""
    weights = node.get("weights", mesh.get("weights"))
    return np.zeros((1, len(geometry.targets))) if weights is None else _numbers(weights, len(weights))[None]


def blended(file: GltfFile, name: str, geometry: Geometry, weights: Array) -> Array:
    """Return the vertices (k, n, 3) with weights (k, m)."""
    if weights.shape[1] != len(geometry.targets):
        raise InvalidInputError(
            f"{file.path}: {name} has {len(geometry.targets)} morph targets but {weights.shape[1]} weights"
        )
    file.allot(len(weights) * geometry.points.nbytes + geometry.faces.nbytes)
    if len(geometry.targets) == 0:
        return np.broadcast_to(geometry.points, (len(weights), *geometry.points.shape))
    moved = product(weights, geometry.targets.reshape(len(geometry.targets), -1))
    return np.asarray(geometry.points + moved.reshape(-1, *geometry.points.shape))


def read_geometry(file: GltfFile, mesh: dict[str, Any], name: str) -> Geometry:
    """Return the triangles of a mesh; lines and points are ignored."""
    points: list[Array] = []
    targets: list[Array] = []
    faces: list[NDArray[np.int64]] = []
    first = 0
    for primitive in mesh["primitives"]:
        mode = primitive.get("mode", _TRIANGLES)
        if mode not in range(_FAN + 1):
            raise InvalidInputError(f"{file.path}: {name} has a primitive of mode {mode!r}; expected 0 to {_FAN}")
        if mode < _TRIANGLES:
            continue
        here = _vectors(file, primitive["attributes"]["POSITION"])
        offsets = [
            _offsets(file, target["POSITION"], here, name) if "POSITION" in target else np.zeros_like(here)
            for target in primitive.get("targets", [])
        ]
        triangles = _triangles(file, primitive, mode, len(here), name)
        points.append(here)
        targets.append(np.array(offsets).reshape(len(offsets), *here.shape))
        faces.append(triangles + first)
        first += len(here)
    if not faces or not sum(map(len, faces)):
        raise InvalidInputError(f"{file.path}: {name} holds no triangles")
    if len({len(one) for one in targets}) > 1:
        raise InvalidInputError(f"{file.path}: the primitives of {name} differ in their number of morph targets")
    return _welded(np.concatenate(points), np.concatenate(targets, axis=1), np.concatenate(faces))


def _triangles(file: GltfFile, primitive: dict[str, Any], mode: int, n: int, name: str) -> NDArray[np.int64]:
    """Return the triangles (k, 3) of one primitive with n vertices."""
    corners = file.rows(primitive["indices"]) if "indices" in primitive else np.arange(n)
    if (len(corners) and corners.max() >= n) or (mode == _TRIANGLES and len(corners) % 3):
        raise InvalidInputError(f"{file.path}: {name} has triangles whose corners are missing")
    match mode:
        case 5:
            return strip_triangles(corners)
        case 6:
            inner = np.arange(1, max(len(corners) - 1, 1))
            return np.stack([corners[inner], corners[inner + 1], np.broadcast_to(corners[:1], len(inner))], axis=1)
    return corners.reshape(-1, 3)


def _vectors(file: GltfFile, accessor: int) -> Array:
    values = np.asarray(file.accessor(accessor), dtype=np.float64)
    if file.kind(accessor) != "VEC3":
        raise InvalidInputError(
            f"{file.path}: accessor {accessor} holds {file.kind(accessor)}; expected positions as VEC3"
        )
    return values


def _offsets(file: GltfFile, accessor: int, points: Array, name: str) -> Array:
    """Return the offsets (n, 3) of a target of points (n, 3)."""
    count = file.entry("accessors", accessor)["count"]
    if count != len(points):
        raise InvalidInputError(f"{file.path}: {name} has {len(points)} vertices, but a morph target of {count}")
    return _vectors(file, accessor)


def _welded(points: Array, targets: Array, faces: NDArray[np.int64]) -> Geometry:
    """Merge vertices that agree in position and all targets, bit for bit, and keep their order."""
    # Before any arithmetic, which may round equal rows differently.
    kept, rank = welded_rows(np.concatenate([points[None], targets]).swapaxes(0, 1).reshape(len(points), -1))
    return Geometry(points[kept], targets[:, kept], rank[faces])
