"""Meshes as unions of convex solids."""

from __future__ import annotations

import sys

import numpy as np
import pytest
import trimesh

from carom import CaromError, Compound, Convex, InvalidInputError, Mesh, Sphere, decompose


def tee() -> Mesh:
    """A T of two bars as one closed surface."""
    outline = np.array([[-2, 1], [2, 1], [2, 0], [0.5, 0], [0.5, -3], [-0.5, -3], [-0.5, 0], [-2, 0]], dtype=float)
    n = len(outline)
    low, high = np.column_stack([outline, np.zeros(n)]), np.column_stack([outline, np.ones(n)])
    caps = [[0, 7, 1], [1, 7, 2], [2, 7, 3], [3, 7, 6], [3, 6, 4], [4, 6, 5]]
    faces = [[a, c, b] for a, b, c in caps] + [[a + n, b + n, c + n] for a, b, c in caps]
    for k in range(n):
        after = (k + 1) % n
        faces += [[k, k + n, after], [after, k + n, after + n]]
    mesh = trimesh.Trimesh(np.vstack([low, high]), faces, process=False)
    mesh.fix_normals()
    assert mesh.is_watertight
    return Mesh(mesh.vertices, mesh.faces)


def test_decompose_gives_convex_pieces_that_hold_the_mesh():
    pytest.importorskip("coacd")
    mesh = tee()
    compound = decompose(mesh, threshold=0.05, seed=1, preprocess_mode="off")
    assert isinstance(compound, Compound)
    assert 2 <= len(compound.pieces) <= 6
    assert all(isinstance(shape, Convex) for shape, _ in compound.pieces)
    heights = np.stack(
        [(mesh.vertices @ s.planes[:, :3].T - s.planes[:, 3]).max(axis=1) for s, _ in compound.pieces]
    ).min(axis=0)
    assert heights.max() < 0.05
    volume = sum(trimesh.Trimesh(s.vertices, s.faces).volume for s, _ in compound.pieces)
    assert volume == pytest.approx(7.0, rel=0.1)


def test_decompose_bad_input_gives_one_clear_error():
    with pytest.raises(InvalidInputError, match="mesh is Sphere"):
        decompose(Sphere(1.0))
    pytest.importorskip("coacd")
    with pytest.raises(InvalidInputError, match="'depth': 3"):
        decompose(tee(), depth=3)


def test_decompose_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "coacd", None)
    with pytest.raises(CaromError, match=r"install carom\[decompose\]"):
        decompose(tee())
