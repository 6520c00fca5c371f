from __future__ import annotations

import numpy as np
import pytest
import trimesh

from carom.scenes import meshes
from carom.scenes.models import _model_data

CASES = {"ring": meshes.ring(), **{f"model {k}": data for k, data in enumerate(_model_data())}}


@pytest.mark.parametrize("name", CASES)
def test_meshes_are_closed_outward_and_of_radius_one(name):
    vertices, faces = CASES[name]
    mesh = trimesh.Trimesh(vertices, faces, process=False)
    assert mesh.is_watertight
    assert mesh.is_winding_consistent
    assert mesh.volume > 0.0
    assert np.linalg.norm(vertices, axis=1).max() == pytest.approx(1.0, rel=1e-12)


def test_ring_has_64_triangles_and_a_hole():
    vertices, faces = meshes.ring()
    assert len(faces) == 64
    assert trimesh.Trimesh(vertices, faces, process=False).euler_number == 0


def test_models_have_over_6000_triangles_each():
    assert all(len(faces) > 6000 for _, faces in _model_data())


def test_cube_sphere_shares_its_vertices():
    vertices, faces = meshes._cube_sphere(4)
    assert len(faces) == 12 * 16
    assert len(vertices) == 6 * 16 + 2
    assert np.allclose(np.linalg.norm(vertices, axis=1), 1.0)
