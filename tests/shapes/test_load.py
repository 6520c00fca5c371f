"""Meshes from files."""

from __future__ import annotations

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
    with pytest.raises(InvalidInputError, match=r"thing\.unknown"):
        load(unknown)
