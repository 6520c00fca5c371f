"""Animations as morph targets in a .glb file, for viewers and modelling programs: one target per key."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from carom.io.formats.gltf_file import write_glb
from carom.motion import Deforming

_FLOAT, _UNSIGNED = 5126, 5125
_ARRAY_BUFFER, _ELEMENT_BUFFER = 34962, 34963


def write_morph_targets(path: Path, bodies: Sequence[Deforming], names: Sequence[str]) -> None:
    """Write the bodies; key k is a target whose weight is 1 at its time and 0 at all other keys.

    Weights are linear in between, so the motion is that of the bodies, rounded to float32. Bodies at rest are plain meshes.
    """
    glb = _Glb()
    nodes: list[dict[str, Any]] = []
    meshes: list[dict[str, Any]] = []
    channels: list[dict[str, Any]] = []
    samplers: list[dict[str, Any]] = []
    for body, name in zip(bodies, names, strict=True):
        base = body.vertices[0].astype(np.float32)
        primitive: dict[str, Any] = {
            "attributes": {"POSITION": glb.add(base, "VEC3", _ARRAY_BUFFER, bounds=True)},
            "indices": glb.add(body.faces.astype(np.uint32).reshape(-1), "SCALAR", _ELEMENT_BUFFER),
        }
        mesh: dict[str, Any] = {"name": name, "primitives": [primitive]}
        if not body.is_still:
            count = len(body.times) - 1
            moves = [(key - body.vertices[0]).astype(np.float32) for key in body.vertices[1:]]
            primitive["targets"] = [{"POSITION": glb.add(move, "VEC3", _ARRAY_BUFFER, bounds=True)} for move in moves]
            mesh["weights"] = [0.0] * count
            times = glb.add(body.times.astype(np.float32), "SCALAR", None, bounds=True)
            weights = glb.add(np.eye(count + 1, count, -1, dtype=np.float32).reshape(-1), "SCALAR", None)
            channels.append({"sampler": len(samplers), "target": {"node": len(nodes), "path": "weights"}})
            samplers.append({"input": times, "output": weights, "interpolation": "LINEAR"})
        nodes.append({"name": name, "mesh": len(meshes)})
        meshes.append(mesh)
    description: dict[str, Any] = {
        "asset": {"version": "2.0", "generator": "carom"},
        "scene": 0,
        "scenes": [{"nodes": list(range(len(nodes)))}],
        "nodes": nodes,
        "meshes": meshes,
        "accessors": glb.accessors,
        "bufferViews": glb.views,
        "buffers": [{"byteLength": len(glb.binary)}],
    }
    if channels:
        description["animations"] = [{"channels": channels, "samplers": samplers}]
    write_glb(path, description, bytes(glb.binary))


class _Glb:
    """The buffer of a file that is being written, its views and accessors."""

    def __init__(self) -> None:
        self.binary = bytearray()
        self.views: list[dict[str, Any]] = []
        self.accessors: list[dict[str, Any]] = []

    def add(self, values: NDArray[Any], kind: str, target: int | None, *, bounds: bool = False) -> int:
        """Append an array of four-byte numbers and return the number of its accessor."""
        data = values.astype(values.dtype.newbyteorder("<")).tobytes()
        view = {"buffer": 0, "byteOffset": len(self.binary), "byteLength": len(data)}
        self.views.append(view if target is None else {**view, "target": target})
        self.binary += data
        component = _FLOAT if values.dtype.kind == "f" else _UNSIGNED
        entry = {"bufferView": len(self.views) - 1, "componentType": component, "count": len(values), "type": kind}
        if bounds:
            entry["min"] = np.atleast_1d(values.min(axis=0)).tolist()
            entry["max"] = np.atleast_1d(values.max(axis=0)).tolist()
        self.accessors.append(entry)
        return len(self.accessors) - 1
