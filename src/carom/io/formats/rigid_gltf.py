"""glTF 2.0 as one rigid mesh: all meshes of the scene, placed by their nodes, with morph targets at rest."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from carom.errors import InvalidInputError
from carom.io.formats import gltf_scene
from carom.io.formats.gltf_file import GltfFile
from carom.maths.fixed_order import product

FORMATS = (".gltf", ".glb")


def read_rigid_gltf(path: Path) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """Return vertices (n, 3) in world coordinates and triangles (m, 3); animations are ignored.

    InvalidInputError names the file and the fault: damaged, a skin, an extension that changes vertices, no triangles.
    """
    file = GltfFile(path)
    with file.faults_in_words(), np.errstate(all="ignore"):
        gltf_scene.check_extensions(file)
        vertices, faces = _merged(file)
    finite = np.isfinite(vertices).all(axis=1)
    if not finite.all():
        raise InvalidInputError(
            f"{path}: vertex {int(np.argmin(finite))} of its scene is {vertices[np.argmin(finite)].tolist()}; expected finite "
            "numbers"
        )
    return vertices, faces


def _merged(file: GltfFile) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    read: dict[int, gltf_scene.Geometry] = {}
    vertices: list[NDArray[np.float64]] = []
    faces: list[NDArray[np.int64]] = []
    first = 0
    for index, placed in gltf_scene.placed_nodes(file, {}):
        node = file.entry("nodes", index)
        if "mesh" not in node:
            continue
        mesh = file.entry("meshes", node["mesh"])
        name = gltf_scene.mesh_name(node, mesh, node["mesh"])
        if "skin" in node:
            raise InvalidInputError(f"{file.path}: {name} is shaped by a skin; expected a mesh without: bake it first")
        if node["mesh"] not in read:
            read[node["mesh"]] = gltf_scene.read_geometry(file, mesh, name)
        geometry = read[node["mesh"]]
        (points,) = gltf_scene.blended(file, name, geometry, gltf_scene.rest_weights(node, mesh, geometry))
        vertices.append(product(points, placed[:3, :3].T) + placed[:3, 3])
        # A mirrored mesh is reversed, so that its faces still point outwards.
        a, b, c = placed[:3, :3].tolist()
        mirrored = (
            a[0] * (b[1] * c[2] - b[2] * c[1]) + a[1] * (b[2] * c[0] - b[0] * c[2]) + a[2] * (b[0] * c[1] - b[1] * c[0])
        ) < 0.0
        faces.append((geometry.faces[:, ::-1] if mirrored else geometry.faces) + first)
        first += len(points)
    if not faces:
        raise InvalidInputError(f"{file.path}: holds no mesh")
    return np.concatenate(vertices), np.concatenate(faces)
