"""Trees of every type of volume hold their triangles, whatever those look like."""

from __future__ import annotations

import numpy as np
import pytest
import trimesh

from carom.errors import AuditError, InvalidInputError
from carom.shapes import Mesh
from carom.trees import VOLUME_TYPES, build_volume_tree, volume_tree_of
from carom.trees.tiling import tile_triangles
from geometry.triangle_soup import soup, soups
from geometry.volume_pairs import bound, placed, random_pose
from oracles.naive_distance import triangle_distance

KINDS = pytest.mark.parametrize("kind", VOLUME_TYPES)


@KINDS
@soups(60, leave_out="far stretched")
def test_volume_tree_holds_its_triangles(kind, vertices, faces):
    for shift in (0.0, 1e5):
        tree = build_volume_tree(vertices + shift, faces, kind)
        tree.check()
        assert len(tree.nodes) == len(tree.links) == len(tree.sizes) == 2 * len(tree.leaf_tri) - 1
        assert tree.nodes.shape[1] == VOLUME_TYPES[kind].columns


@KINDS
def test_volume_tree_of_a_mesh_is_sound(kind):
    ball = trimesh.creation.icosphere(2)
    tree = build_volume_tree(np.array(ball.vertices), np.array(ball.faces), kind)
    tree.check()
    np.testing.assert_array_equal(tree.tris.reshape(-1, 3, 3), ball.vertices[ball.faces[tree.face]])
    inner = np.flatnonzero(tree.links >= 0)
    # Children hold parts of what their parent holds.
    assert (tree.sizes[inner + 1] <= 1.3 * tree.sizes[inner]).all()
    assert (tree.sizes[tree.links[inner]] <= 1.3 * tree.sizes[inner]).all()
    assert sorted(set(tree.leaf_tri.tolist())) == list(range(len(ball.faces)))


@KINDS
def test_volume_tree_search_finds_the_distance(kind):
    # The plain search of the slides over both trees, with the bounds by address.
    rng = np.random.default_rng(1)
    torus = trimesh.creation.torus(2.0, 0.5, 8, 6)
    tree = build_volume_tree(np.array(torus.vertices), np.array(torus.faces), kind)
    volume, tris = VOLUME_TYPES[kind], tree.tris.reshape(-1, 3, 3)
    for _ in range(2):
        pose = random_pose(rng, 4.0)
        moved = placed(tris, pose)

        def gap(a: int, b: int, pose: np.ndarray = pose) -> tuple[float, int, int]:
            return bound(volume, tree.nodes[a], tree.nodes[b], pose), a, b

        best, tested = np.inf, set()
        todo = [gap(0, 0)]
        while todo:
            low, a, b = todo.pop()
            if low > best:
                continue
            right_a, right_b = int(tree.links[a]), int(tree.links[b])
            if right_a < 0 and right_b < 0:
                pair = tree.leaf_tri[-1 - right_a], tree.leaf_tri[-1 - right_b]
                if pair not in tested:
                    tested.add(pair)
                    best = min(best, triangle_distance(tris[pair[0]][None], moved[pair[1]][None]))
            elif right_b < 0 or (right_a >= 0 and tree.sizes[a] > tree.sizes[b]):
                todo += sorted([gap(right_a, b), gap(a + 1, b)], reverse=True)
            else:
                todo += sorted([gap(a, right_b), gap(a, b + 1)], reverse=True)
        assert best == triangle_distance(tris, moved)
        assert len(tested) < 0.25 * len(tris) ** 2


def test_sphere_tree_tiles_large_triangles():
    vertices, faces = np.array([[0.0, 0.0, 0.0], [10.0, 0.0, 0.0], [0.0, 10.0, 0.0]]), np.array([[0, 1, 2]])
    tree = build_volume_tree(vertices, faces, "sphere", tile=0.5)
    tree.check()
    assert tree.tiled
    leaves = tree.links < 0
    assert tree.nodes[leaves, 3].max() <= 0.5 * (1.0 + 1e-12)
    assert (tree.leaf_tri == 0).all()
    # About as many as the area needs.
    assert 100 < len(tree.leaf_tri) < 1000


def test_sphere_tree_takes_few_tiles_unless_told():
    # One triangle a million times larger than the rest must not become a million million leaves.
    vertices, faces = soup(8, (1.0, 1.0, 1.0), 20)
    vertices = np.vstack([vertices, [[0.0, 0.0, 0.0], [1e6, 0.0, 0.0], [0.0, 1e6, 0.0]]])
    tree = build_volume_tree(vertices, np.vstack([faces, [[30, 31, 32]]]), "sphere")
    tree.check()
    assert len(tree.leaf_tri) < 40 * len(tree.tris)


def test_tiles_cover_their_triangles():
    rng = np.random.default_rng(3)
    tris = rng.normal(size=(20, 9))
    pieces, owner = tile_triangles(tris, 0.3)

    def areas(t: np.ndarray) -> np.ndarray:
        corners = t.reshape(-1, 3, 3)
        return 0.5 * np.linalg.norm(np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]), axis=1)

    np.testing.assert_allclose(np.bincount(owner, areas(pieces)), areas(tris), rtol=1e-12)


def test_only_sphere_trees_are_tiled():
    vertices, faces = soup(9, (1.0, 1.0, 1.0))
    for kind in VOLUME_TYPES:
        tree = build_volume_tree(vertices, faces, kind)
        assert tree.tiled == (kind == "sphere")
        if kind != "sphere":
            assert sorted(tree.leaf_tri.tolist()) == list(range(len(faces)))
            with pytest.raises(InvalidInputError, match="only a 'sphere' tree is tiled"):
                build_volume_tree(vertices, faces, kind, tile=0.1)


def test_volume_tree_bad_input_names_argument_and_value():
    vertices, faces = soup(10, (1.0, 1.0, 1.0))
    with pytest.raises(InvalidInputError, match="kind is 'cube'; expected one of 'sphere', 'aabb'"):
        build_volume_tree(vertices, faces, "cube")
    with pytest.raises(InvalidInputError, match="kind is 3"):
        volume_tree_of(Mesh(vertices, faces), 3)
    with pytest.raises(InvalidInputError, match=r"tile is 0\.0"):
        build_volume_tree(vertices, faces, "sphere", tile=0.0)


def test_volume_tree_is_built_once_for_each_shape_and_type():
    mesh = Mesh(*soup(11, (1.0, 1.0, 1.0)))
    assert volume_tree_of(mesh, "rss") is volume_tree_of(mesh, "rss")
    assert volume_tree_of(mesh, "rss") is not volume_tree_of(mesh, "aabb")


@pytest.mark.parametrize(("kind", "column"), [("sphere", 3), ("aabb", 3), ("kdop18", 1), ("rss", 14), ("shell", 7)])
def test_volume_tree_check_finds_a_triangle_outside(kind, column):
    vertices, faces = soup(12, (1.0, 1.0, 1.0))
    tree = build_volume_tree(vertices, faces, kind)
    tree.nodes[0, column] *= 0.5
    with pytest.raises(AuditError, match="sticks out"):
        tree.check()


def test_volume_tree_check_finds_a_missing_triangle():
    vertices, faces = soup(13, (1.0, 1.0, 1.0))
    for kind in ("aabb", "sphere"):
        tree = build_volume_tree(vertices, faces, kind)
        tree.leaf_tri[tree.leaf_tri == 7] = 8
        with pytest.raises(AuditError, match="triangle 7 sticks out"):
            tree.check()
    tree = build_volume_tree(vertices, faces, "aabb")
    tree.face[0] = tree.face[1]
    with pytest.raises(AuditError, match="every face once"):
        tree.check()
    tree = build_volume_tree(vertices, faces, "aabb")
    tree.sizes[0] *= 0.1
    with pytest.raises(AuditError, match="smaller than"):
        tree.check()
