"""Trees of oriented boxes hold their triangles, whatever those look like."""

from __future__ import annotations

import numpy as np
import pytest
import trimesh

from carom._compile.jit import lean_kernel
from carom.errors import AuditError
from carom.shapes import Box, Mesh
from carom.trees import build_obb_tree, tree_of
from carom.trees.face_rows import faces_of
from carom.trees.obb.node import NODE_AXES, NODE_COLUMNS, NODE_HALF, NODE_RADIUS, node_axis
from geometry.triangle_soup import soup, soups


@lean_kernel
def _axis(row, k):
    return node_axis(row, 0, k)


@soups(300)
def test_tree_boxes_hold_their_triangles(vertices, faces):
    for shift in (0.0, 1e7):
        tree = build_obb_tree(vertices + shift, faces)
        tree.check()
        assert len(tree.nodes) == 2 * len(faces) - 1


def test_tree_of_a_large_mesh_holds_its_triangles():
    ball = trimesh.creation.icosphere(4)
    tree = build_obb_tree(np.array(ball.vertices), np.array(ball.faces))
    tree.check()
    assert tree.nodes[0, NODE_RADIUS] < 1.1
    # The leaves fit tightly: a flat box around each triangle.
    leaves = tree.links < 0
    assert tree.nodes[leaves, NODE_HALF:NODE_RADIUS].min(axis=1).max() < 1e-9


def test_tree_leaves_are_the_given_triangles():
    vertices, faces = soup(8, (1.0, 1.0, 1.0), 300, 60)
    tree = build_obb_tree(vertices, faces)
    np.testing.assert_array_equal(tree.tris.reshape(-1, 3, 3), vertices[faces[tree.face]])


def test_tree_rows_become_faces_of_64_bits():
    tree = build_obb_tree(*soup(8, (1.0, 1.0, 1.0), 300, 60))
    faces = faces_of(tree.face, np.array([3, -1, 0]))
    assert faces.dtype == np.int64
    assert faces.tolist() == [tree.face[3], -1, tree.face[0]]
    assert faces_of(tree.face, np.empty(0, np.int64)).shape == (0,)


def test_tree_box_turns_with_its_shape():
    rng = np.random.default_rng(2)
    turn, _ = np.linalg.qr(rng.normal(size=(3, 3)))
    box = Box((1.0, 2.0, 5.0))
    tree = build_obb_tree(box.vertices @ turn.T, box.faces)
    np.testing.assert_allclose(np.sort(tree.nodes[0, NODE_HALF:NODE_RADIUS]), [0.5, 1.0, 2.5], rtol=1e-9)


def test_tree_fits_the_outline_not_the_clutter():
    # Thousands of tiny triangles in one corner of a long plate must not turn its box.
    rng = np.random.default_rng(5)
    plate = Box((10.0, 4.0, 0.1))
    turn, _ = np.linalg.qr(rng.normal(size=(3, 3)))
    clutter = rng.uniform(-0.04, 0.04, size=(3000, 3)) + [3.0, 1.0, 0.0]
    vertices = np.vstack([plate.vertices, clutter]) @ turn.T
    faces = np.vstack([plate.faces, 8 + np.arange(3000).reshape(-1, 3)])
    tree = build_obb_tree(vertices, faces)
    np.testing.assert_allclose(np.sort(tree.nodes[0, NODE_HALF:NODE_RADIUS]), [0.05, 2.0, 5.0], rtol=1e-6)


def test_tree_boxes_have_three_axes_square_to_each_other():
    tree = build_obb_tree(*soup(11, (1.0, 0.3, 1e-3), 300, 60))
    assert tree.nodes.shape[1] == NODE_COLUMNS
    assert tree.links.dtype == tree.face.dtype == np.int32
    for row in tree.nodes:
        axes = np.array([_axis(row, k) for k in range(3)])
        np.testing.assert_array_equal(axes[:2].ravel(), row[NODE_AXES:NODE_HALF])
        np.testing.assert_allclose(axes @ axes.T, np.eye(3), atol=1e-14)
        assert np.linalg.det(axes) > 0.0


def test_tree_is_built_once_for_each_shape():
    mesh = Mesh(*soup(9, (1.0, 1.0, 1.0), 300, 60))
    assert tree_of(mesh) is tree_of(mesh)


def test_tree_check_finds_a_triangle_outside():
    vertices, faces = soup(10, (1.0, 1.0, 1.0), 300, 60)
    for column, message in ((NODE_HALF, "box"), (NODE_RADIUS, "sphere")):
        tree = build_obb_tree(vertices, faces)
        tree.nodes[0, column] *= 0.5
        with pytest.raises(AuditError, match=message):
            tree.check()
    tree = build_obb_tree(vertices, faces)
    tree.face[0] = tree.face[1]
    with pytest.raises(AuditError, match="leaves"):
        tree.check()
