"""Morph targets with animated weights, read from glTF 2.0: vertices that are blended linearly, which carom represents exactly.

glTF splits vertices at seams of normals or textures; those with the same position and the same targets are merged again, so
that a surface stays connected. Animation that is not linear between keys (skins, moving or turning nodes, stepped or cubic
weights) is refused.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from carom.errors import InvalidInputError
from carom.io.formats.gltf_file import GltfFile
from carom.io.formats.gltf_scene import (
    Geometry,
    blended,
    check_extensions,
    mesh_name,
    placed_nodes,
    read_geometry,
    rest_weights,
)
from carom.io.frames import Still, moving, still
from carom.maths.fixed_order import product
from carom.motion import Deforming

Array = NDArray[np.float64]

_KINDS = {"weights": "SCALAR", "translation": "VEC3", "rotation": "VEC4", "scale": "VEC3"}
"""Types of the accessors of animated properties."""


class _Track(NamedTuple):
    """Values (k, ...) of a property of a node at times (k,)."""

    times: Array
    values: Array


def read_morph_targets(path: Path) -> list[Deforming | Still]:
    """Return every mesh of the file's scene in world coordinates, named after its node; moving if its weights are animated."""
    file = GltfFile(path)
    with file.faults_in_words(), np.errstate(all="ignore"):
        return _bodies(file)


def _bodies(file: GltfFile) -> list[Deforming | Still]:
    check_extensions(file)
    tracks = _tracks(file)
    held = {key: track.values[0] for key, track in tracks.items()}
    read: dict[int, Geometry] = {}
    bodies = []
    for index, placed in placed_nodes(file, held):
        node = file.entry("nodes", index)
        _check_still(file, index, node, tracks)
        if "mesh" in node:
            bodies.append(_body(file, node, placed, tracks.get((index, "weights")), read))
    if not bodies:
        raise InvalidInputError(f"{file.path}: holds no mesh")
    return bodies


def _body(
    file: GltfFile, node: dict[str, Any], placed: Array, track: _Track | None, read: dict[int, Geometry]
) -> Deforming | Still:
    """Return the mesh of a node. read: meshes of earlier nodes, by number."""
    mesh = file.entry("meshes", node["mesh"])
    name = mesh_name(node, mesh, node["mesh"])
    if "skin" in node:
        raise InvalidInputError(
            f"{file.path}: {name} is moved by a skin, which is not linear between keys: bake it first"
        )
    if node["mesh"] not in read:
        read[node["mesh"]] = read_geometry(file, mesh, name)
    geometry = read[node["mesh"]]
    weights = rest_weights(node, mesh, geometry) if track is None else track.values
    frames = product(blended(file, name, geometry, weights), placed[:3, :3].T) + placed[:3, 3]
    if track is None or len(frames) == 1:
        return still(file.path, frames[0], geometry.faces, name)
    return moving(file.path, geometry.faces, track.times, frames, name)


def _tracks(file: GltfFile) -> dict[tuple[int, str], _Track]:
    """Return the animated properties by node, over all animations of the file; cameras and the like are ignored."""
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
    """Return the nodes with a mesh at or below them; motion of other nodes has no effect."""
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


def _check_still(file: GltfFile, index: int, node: dict[str, Any], tracks: dict[tuple[int, str], _Track]) -> None:
    """Raise InvalidInputError if an animation moves, turns or scales the node."""
    for path in _KINDS:
        track = tracks.get((index, path))
        if path != "weights" and track is not None and (track.values != track.values[0]).any():
            name = node.get("name", f"node {index}")
            raise InvalidInputError(f"{file.path}: {name} has an animated {path}; only morph weights may move: bake it")
