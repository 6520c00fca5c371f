from __future__ import annotations

import numpy as np
import pytest

from carom.deform.model.adjacency import adjacency_of, neighbours_of
from carom.deform.model.mesh_tree import build_tree
from carom.deform.model.vertex_fans import CLOSED, OPEN, TANGLED, fans_of
from scenarios.deform_samples import all_pairs, crumpled_cloth, grid_cloth, shared


def below(tree, node):
    if tree.left[node] < 0:
        return [int(tree.face[node])]
    return below(tree, tree.left[node]) + below(tree, tree.right[node])


@pytest.mark.parametrize("m", [1, 2, 3, 7, 64, 101])
def test_mesh_tree_holds_every_triangle_once_and_is_balanced(m):
    tree = build_tree(np.random.default_rng(m).normal(size=(m, 3)))
    assert sorted(below(tree, 0)) == list(range(m))
    depths = tree.depths()[tree.left < 0]
    assert depths.max() - depths.min() <= 1
    assert all(tree.parent[node] < node for node in range(1, len(tree)))
    assert (tree.face[tree.leaves()] == np.arange(m)).all()


def test_mesh_tree_of_equal_centres_is_still_balanced():
    tree = build_tree(np.zeros((33, 3)))
    assert sorted(below(tree, 0)) == list(range(33))


@pytest.mark.parametrize("n", [1, 2, 5])
def test_adjacency_covers_every_pair_of_triangles_once(n):
    vertices, faces = grid_cloth(n)
    faces = faces.astype(np.int32)
    tree = build_tree(vertices[faces].mean(axis=1))
    adjacency = adjacency_of(tree, faces)
    covered = [tuple(sorted((a, b))) for p, q in adjacency.start for a in below(tree, p) for b in below(tree, q)] + [
        tuple(pair) for pair in adjacency.neighbours.tolist()
    ]
    assert sorted(covered) == all_pairs(len(faces))
    assert all(not shared(faces, a, b) for p, q in adjacency.start for a in below(tree, p) for b in below(tree, q))


def test_neighbours_are_the_pairs_that_share_a_vertex():
    cloth = crumpled_cloth(np.random.default_rng(1))
    expected = [(a, b) for a, b in all_pairs(len(cloth.faces)) if shared(cloth.faces, a, b)]
    assert neighbours_of(cloth.faces).tolist() == [list(pair) for pair in expected]


def test_fans_go_round_their_vertex_in_order():
    vertices, faces = grid_cloth(4)
    faces = faces.astype(np.int32)
    fans = fans_of(faces, len(vertices), neighbours_of(faces).astype(np.int32))
    inside = (np.abs(vertices[:, :2]) < 1.0).all(axis=1)
    assert (fans.kind[inside] == CLOSED).all()
    assert (fans.kind[~inside] == OPEN).all()
    for v in range(len(vertices)):
        rows = range(fans.first[v], fans.first[v + 1])
        rim = [int(fans.rim[k]) for k in rows] + [int(fans.ends[v])]
        for k, row in enumerate(rows):
            assert set(faces[fans.faces[row]].tolist()) == {v, rim[k], rim[k + 1]}
        assert (rim[0] == rim[-1]) == bool(inside[v])


@pytest.mark.parametrize(
    "faces",
    [
        [[0, 1, 2], [0, 1, 3]],  # both turned alike along their common edge
        [[0, 1, 2], [0, 1, 2]],  # twice the same
        [[0, 1, 2], [0, 3, 4]],  # joined at one vertex only
        [[0, 1, 1], [0, 1, 2]],  # no triangle at all
        [[0, 1, 2], [0, 2, 1]],  # back to back
    ],
)
def test_fans_that_are_no_single_turn_are_tangled_or_shown_closed(faces):
    faces = np.array(faces, np.int32)
    fans = fans_of(faces, 5, neighbours_of(faces).astype(np.int32))
    assert fans.kind[0] in (TANGLED, CLOSED)
