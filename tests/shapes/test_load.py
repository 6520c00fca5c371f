"""Meshes from files."""

from __future__ import annotations

import zipfile

import numpy as np
import pytest
import trimesh

from carom.errors import InvalidInputError
from carom.shapes import load


@pytest.mark.parametrize("suffix", ["obj", "stl", "ply", "off"])
def test_load_reads_common_formats(tmp_path, suffix):
    path = tmp_path / f"ball.{suffix}"
    trimesh.creation.icosphere(1).export(path)
    mesh = load(path)
    assert len(mesh.faces) == 80
    np.testing.assert_allclose(np.linalg.norm(mesh.vertices, axis=1), 1.0, atol=1e-6)


def test_load_merges_a_scene(tmp_path):
    path = tmp_path / "two.glb"
    far = trimesh.creation.box()
    far.apply_translation([5.0, 0.0, 0.0])
    trimesh.Scene([trimesh.creation.box(), far]).export(path)
    mesh = load(str(path))
    assert len(mesh.faces) == 24
    assert mesh.vertices[:, 0].max() == pytest.approx(5.5)


@pytest.mark.parametrize("suffix", ["gltf", "zip", "obj", "ply", "stl"])
def test_load_places_every_part_of_a_scene(tmp_path, suffix):
    scene = trimesh.Scene()
    box = trimesh.creation.box()
    for shift in (0.0, 5.0):
        scene.add_geometry(box, transform=trimesh.transformations.translation_matrix([0.0, shift, 0.0]))
    path = tmp_path / f"scene.{suffix}"
    if suffix == "gltf":
        for name, data in scene.export(file_type="gltf").items():
            (tmp_path / name).write_bytes(data)
        path = tmp_path / "model.gltf"
    elif suffix == "zip":
        scene.export(tmp_path / "part.glb")
        with zipfile.ZipFile(path, "w") as archive:
            archive.write(tmp_path / "part.glb", "part.glb")
    else:
        scene.export(path)
    mesh = load(path)
    assert len(mesh.faces) == 24
    assert mesh.vertices[:, 1].max() == pytest.approx(5.5)


def test_load_cuts_polygons_into_triangles(tmp_path):
    path = tmp_path / "SQUARE.OBJ"
    path.write_text("v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nf 1 2 3 4\n", encoding="utf-8")
    assert len(load(path).faces) == 2


def test_load_names_the_package_a_format_needs(tmp_path, monkeypatch):
    path = tmp_path / "ball.obj"
    path.write_text("v 0 0 0\n", encoding="utf-8")

    def missing(*_):
        raise ModuleNotFoundError("No module named 'some_reader'")

    monkeypatch.setattr(trimesh, "load_mesh", missing)
    with pytest.raises(InvalidInputError, match=r"needs a package \(No module named 'some_reader'\)"):
        load(path)


def test_load_bad_files_give_one_clear_error(tmp_path):
    with pytest.raises(InvalidInputError, match="is not a file"):
        load(tmp_path / "missing.obj")
    with pytest.raises(InvalidInputError, match="is not a file"):
        load(tmp_path)
    garbage = tmp_path / "garbage.stl"
    garbage.write_bytes(b"not a mesh")
    with pytest.raises(InvalidInputError, match=r"garbage\.stl"):
        load(garbage)
    points = tmp_path / "points.obj"
    points.write_text("v 0 0 0\nv 1 0 0\nv 0 1 0\n", encoding="utf-8")
    with pytest.raises(InvalidInputError, match=r"points\.obj"):
        load(points)
    unknown = tmp_path / "thing.unknown"
    unknown.write_text("?", encoding="utf-8")
    with pytest.raises(
        InvalidInputError, match=r"thing\.unknown' has an unknown ending '\.unknown'; expected one of .*stl"
    ):
        load(unknown)
    with pytest.raises(InvalidInputError, match="path is 5; expected the path of a mesh file"):
        load(5)
    outside = tmp_path / "outside.obj"
    outside.write_text("v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 9\n", encoding="utf-8")
    with pytest.raises(InvalidInputError, match=r"outside\.obj' cannot be read as a mesh: it is damaged"):
        load(outside)
