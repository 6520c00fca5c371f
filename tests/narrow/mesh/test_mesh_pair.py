"""Collide, gap, contacts and distance of two surfaces, against all pairs of triangles."""

from __future__ import annotations

import math
from types import SimpleNamespace

import numba
import numpy as np
import pytest
import trimesh
from hypothesis import given
from hypothesis import strategies as st

from carom._compile.address_call import as_float64
from carom._compile.jit import c_callback, lean_kernel
from carom.narrow.mesh import mesh_pair
from carom.narrow.mesh import search_choice as mesh_search
from carom.narrow.mesh.mesh_pair import mesh_collide, mesh_contacts, mesh_distance
from carom.narrow.mesh.triangle_distance import WITNESS, triangle_distance_into
from carom.narrow.mesh.triangle_overlap import CONTACT_SPACE, triangles_overlap
from carom.shapes import Box
from carom.trees import build_obb_tree
from carom.trees.obb.node import NODE_RADIUS
from oracles.exact_convex import rotations
from oracles.exact_triangles import exact_square_distance


@lean_kernel
def _all_pairs(tris_a, tris_b, space, witness, hits):
    """Least squared distance over all pairs of triangles; hits (m_a, m_b) gets who meets whom."""
    best = np.inf
    for i in range(len(tris_a)):
        for j in range(len(tris_b)):
            hits[i, j] = triangles_overlap(tris_a[i], tris_b[j], 0.0)
            best = min(best, triangle_distance_into(tris_a[i], tris_b[j], 0.0, best, space, witness))
    return best


def brute(tree_a, tree_b, rot, shift):
    """(distance, who meets whom) of all pairs."""
    placed = (tree_b.tris.reshape(-1, 3) @ rot.reshape(3, 3).T + shift).reshape(-1, 9)
    hits = np.zeros((len(tree_a.tris), len(placed)), dtype=np.bool_)
    square = _all_pairs(tree_a.tris, placed, np.empty(CONTACT_SPACE), np.empty(WITNESS), hits)
    return math.sqrt(square), hits


def soup(seed, n_tris=60):
    rng = np.random.default_rng(seed)
    points = rng.uniform(-1.0, 1.0, size=(n_tris, 1, 3)) + 0.2 * rng.normal(size=(n_tris, 3, 3))
    return build_obb_tree(points.reshape(-1, 3), np.arange(3 * n_tris).reshape(-1, 3))


def tree_of_trimesh(mesh, scale=1.0):
    return build_obb_tree(np.array(mesh.vertices) * scale, np.array(mesh.faces))


BALL = tree_of_trimesh(trimesh.creation.icosphere(1))
RING = tree_of_trimesh(trimesh.creation.torus(1.0, 0.3, major_sections=12, minor_sections=6))
SOUP = soup(3)
IDENTITY = np.eye(3).reshape(1, 9)


def poses(seed, n, far):
    """n poses with offsets up to `far`."""
    rng = np.random.default_rng(seed)
    return rotations(rng, n), np.ascontiguousarray(rng.uniform(-far, far, size=(n, 3)))


def back(rots, shifts):
    """The poses of a in the frame of b."""
    turned = rots.reshape(-1, 3, 3).transpose(0, 2, 1)
    return np.ascontiguousarray(turned.reshape(-1, 9)), np.ascontiguousarray(-np.einsum("nij,nj->ni", turned, shifts))


# A tree of another kind: balls, called by address; some triangles have two leaves


@c_callback("float64(int64, int64, int64, int64, int64)")
def ball_bound(nodes_a_at, a, nodes_b_at, b, placing_at):
    nodes_a = numba.carray(as_float64(nodes_a_at), 4 * (a + 1))
    nodes_b = numba.carray(as_float64(nodes_b_at), 4 * (b + 1))
    placing = numba.carray(as_float64(placing_at), 12)
    square = 0.0
    for r in range(3):
        p = placing[9 + r] - nodes_a[4 * a + r]
        for c in range(3):
            p += placing[3 * r + c] * nodes_b[4 * b + c]
        square += p * p
    return math.sqrt(square) - nodes_a[4 * a + 3] - nodes_b[4 * b + 3]


def ball_tree(tree):
    """Balls around the boxes of `tree`, with every leaf doubled: two leaves below each of its leaves name its triangle."""
    nodes, links, leaf_tri = [], [], []

    def put(node):
        row = len(nodes)
        nodes.append(tree.nodes[node, [0, 1, 2, NODE_RADIUS]])
        links.append(0)
        if tree.links[node] < 0:
            for k in range(2):
                if k == 1:
                    links[row] = len(nodes)
                nodes.append(nodes[row])
                links.append(-1 - len(leaf_tri))
                leaf_tri.append(-1 - tree.links[node])
            return
        put(node + 1)
        links[row] = len(nodes)
        put(int(tree.links[node]))

    put(0)
    nodes = np.array(nodes)
    return SimpleNamespace(
        nodes=nodes,
        links=np.array(links, np.int32),
        sizes=nodes[:, 3].copy(),
        leaf_tri=np.array(leaf_tri, np.int32),
        tris=tree.tris,
    )


PAIRS = {
    "balls": (BALL, BALL, 2.2),
    "rings": (RING, RING, 2.0),
    "soups": (SOUP, soup(4), 2.0),
    "mixed": (BALL, SOUP, 2.0),
}


@pytest.fixture(params=PAIRS, scope="module")
def case(request):
    """Trees, poses and what brute force says of each."""
    tree_a, tree_b, far = PAIRS[request.param]
    rots, shifts = poses(5, 40, far)
    truth = [brute(tree_a, tree_b, rot, shift) for rot, shift in zip(rots, shifts, strict=True)]
    return tree_a, tree_b, rots, shifts, np.array([t[0] for t in truth]), [t[1] for t in truth]


@pytest.mark.parametrize("wide", [True, False])
def test_collide_agrees_with_all_pairs(case, wide):
    tree_a, tree_b, rots, shifts, _, hits = case
    expected = np.array([h.any() for h in hits])
    assert 0 < expected.sum() < len(expected)
    found = mesh_collide(tree_a, tree_b, rots, shifts, wide=wide)
    np.testing.assert_array_equal(found.hit, expected)
    for k in range(len(rots)):
        assert hits[k][tuple(found.pair[k])] if expected[k] else (found.pair[k] == -1).all()
    assert (found.tests[:, 0] > 0).all()


def test_collide_is_symmetric(case):
    tree_a, tree_b, rots, shifts, _, _ = case
    forth, again = mesh_collide(tree_a, tree_b, rots, shifts), mesh_collide(tree_b, tree_a, *back(rots, shifts))
    np.testing.assert_array_equal(forth.hit, again.hit)


@pytest.mark.parametrize("wide", [True, False])
@pytest.mark.parametrize("margin", [0.01, 0.3, 2.0])
def test_collide_with_a_margin_finds_whether_there_is_a_gap(case, margin, wide):
    tree_a, tree_b, rots, shifts, distances, _ = case
    found = mesh_collide(tree_a, tree_b, rots, shifts, margin=margin, wide=wide)
    np.testing.assert_array_equal(found.hit, distances < margin)


@pytest.mark.parametrize("wide", [True, False])
def test_contacts_are_all_pairs_that_meet(case, wide):
    tree_a, tree_b, rots, shifts, _, hits = case
    n_contacts = 0
    for rot, shift, expected in zip(rots, shifts, hits, strict=True):
        found = mesh_contacts(tree_a, tree_b, rot, shift, wide=wide)
        n_contacts += len(found.pairs)
        assert sorted(map(tuple, found.pairs.tolist())) == list(
            zip(*map(np.ndarray.tolist, expected.nonzero()), strict=True)
        )
    assert n_contacts > 64


def test_contacts_grow_their_buffer(monkeypatch):
    rots, shifts = IDENTITY[0], np.array([0.01, 0.02, 0.03])
    whole = mesh_contacts(RING, RING, rots, shifts)
    monkeypatch.setattr(mesh_pair, "_PAIRS", 1)
    np.testing.assert_array_equal(mesh_contacts(RING, RING, rots, shifts).pairs, whole.pairs)
    assert len(whole.pairs) > 64


@pytest.mark.parametrize("wide", [True, False])
def test_distance_agrees_with_all_pairs(case, wide):
    tree_a, tree_b, rots, shifts, distances, _ = case
    found = mesh_distance(tree_a, tree_b, rots, shifts, wide=wide)
    np.testing.assert_allclose(found.distance, distances, rtol=1e-13, atol=1e-15)
    assert ((found.distance == 0.0) == (distances == 0.0)).all()
    np.testing.assert_allclose(np.linalg.norm(found.point_b - found.point_a, axis=1), distances, rtol=1e-13, atol=1e-15)


def test_distance_names_the_triangles_of_its_points(case):
    tree_a, tree_b, rots, shifts, _, _ = case
    found = mesh_distance(tree_a, tree_b, rots, shifts)
    for k, (i, j) in enumerate(found.pair):
        placed = tree_b.tris[j].reshape(3, 3) @ rots[k].reshape(3, 3).T + shifts[k]
        assert exact_square_distance(np.tile(found.point_a[k], 3), tree_a.tris[i]) < 1e-28
        assert exact_square_distance(np.tile(found.point_b[k], 3), placed.ravel()) < 1e-28


def test_distance_is_symmetric(case):
    tree_a, tree_b, rots, shifts, _, _ = case
    forth, again = mesh_distance(tree_a, tree_b, rots, shifts), mesh_distance(tree_b, tree_a, *back(rots, shifts))
    np.testing.assert_allclose(forth.distance, again.distance, rtol=1e-13, atol=1e-15)


def test_distance_within_a_limit_is_inf_beyond_it(case):
    tree_a, tree_b, rots, shifts, distances, _ = case
    found = mesh_distance(tree_a, tree_b, rots, shifts, within=0.3)
    near = distances <= 0.3
    np.testing.assert_allclose(found.distance[near], distances[near], rtol=1e-13, atol=1e-15)
    assert np.isinf(found.distance[~near]).all()
    assert (found.pair[~near] == -1).all()
    assert (found.feature[~near] == -1).all()


def test_distance_keeps_a_distance_of_exactly_the_limit():
    shift = np.array([[0.0, 0.0, 3.0]])
    box = build_obb_tree(Box((2.0, 2.0, 2.0)).vertices, Box((2.0, 2.0, 2.0)).faces)
    assert mesh_distance(box, box, IDENTITY, shift, within=1.0).distance[0] == 1.0


def test_distance_from_a_start_pair_is_the_same_with_fewer_tests(case):
    tree_a, tree_b, rots, shifts, distances, _ = case
    cold = mesh_distance(tree_a, tree_b, rots, shifts)
    warm = mesh_distance(tree_a, tree_b, rots, shifts, start=cold.pair)
    np.testing.assert_allclose(warm.distance, distances, rtol=1e-13, atol=1e-15)
    assert warm.tests.sum() < cold.tests.sum()
    for start in (np.array([0, 0]), np.array([-1, -1])):
        found = mesh_distance(tree_a, tree_b, rots, shifts, start=start)
        np.testing.assert_allclose(found.distance, distances, rtol=1e-13, atol=1e-15)
    # The nearest pair itself as the limit: nothing is nearer.
    np.testing.assert_array_equal(warm.pair[distances > 0.0], cold.pair[distances > 0.0])


def test_other_volumes_by_address_agree_with_all_pairs(case):
    tree_a, tree_b, rots, shifts, distances, hits = case
    balls_a, balls_b = ball_tree(tree_a), ball_tree(tree_b)
    address = int(ball_bound.address)
    found = mesh_distance(balls_a, balls_b, rots, shifts, address=address)
    np.testing.assert_allclose(found.distance, distances, rtol=1e-13, atol=1e-15)
    hit = mesh_collide(balls_a, balls_b, rots, shifts, address=address).hit
    np.testing.assert_array_equal(hit, [h.any() for h in hits])
    for k in range(0, len(rots), 5):
        pairs = mesh_contacts(balls_a, balls_b, rots[k], shifts[k], address=address).pairs
        assert sorted(map(tuple, pairs.tolist())) == list(zip(*map(np.ndarray.tolist, hits[k].nonzero()), strict=True))


def test_scratch_too_small_grows(case, monkeypatch):
    tree_a, tree_b, rots, shifts, distances, hits = case
    monkeypatch.setattr(mesh_search, "_STACK", 1)
    monkeypatch.setattr(mesh_search, "_SEEN", 2)
    np.testing.assert_allclose(mesh_distance(tree_a, tree_b, rots, shifts).distance, distances, rtol=1e-13, atol=1e-15)
    np.testing.assert_array_equal(mesh_collide(tree_a, tree_b, rots, shifts).hit, [h.any() for h in hits])
    found = mesh_distance(ball_tree(tree_a), ball_tree(tree_b), rots, shifts, address=int(ball_bound.address))
    np.testing.assert_allclose(found.distance, distances, rtol=1e-13, atol=1e-15)


def test_threads_do_not_change_answers():
    rots, shifts = poses(8, 200, 2.0)
    for query in (mesh_collide, mesh_distance):
        alone, shared = query(RING, BALL, rots, shifts, threads=1), query(RING, BALL, rots, shifts, threads=3)
        for left, right in zip(alone, shared, strict=True):
            np.testing.assert_array_equal(left, right)


def test_no_poses_give_no_answers():
    assert len(mesh_collide(BALL, BALL, np.empty((0, 9)), np.empty((0, 3))).hit) == 0
    assert len(mesh_distance(BALL, BALL, np.empty((0, 9)), np.empty((0, 3))).distance) == 0


@pytest.mark.parametrize("scale", [1e-20, 1e-6, 1.0, 1e6, 1e20])
@pytest.mark.parametrize("offset", [0.0, 1e3])
def test_boxes_face_to_face_touch(scale, offset):
    box = Box((2.0, 2.0, 2.0))
    tree_a = build_obb_tree((box.vertices + offset) * scale, box.faces)
    tree_b = build_obb_tree(box.vertices * scale, box.faces)
    shifts = (np.array([[2.0, 0.0, 0.0], [2.0, 2.0, 2.0], [2.0, 0.3, 0.4], [2.0 + 1e-9, 0.3, 0.4]]) + offset) * scale
    rots = np.tile(IDENTITY, (4, 1))
    np.testing.assert_array_equal(mesh_collide(tree_a, tree_b, rots, shifts).hit, [True, True, True, False])
    found = mesh_distance(tree_a, tree_b, rots, shifts).distance
    np.testing.assert_allclose(found, [0.0, 0.0, 0.0, 1e-9 * scale], atol=2e-12 * scale)
    assert (found[:3] == 0.0).all()


def test_parallel_plates_a_hair_apart_keep_their_gap():
    # Single precision cannot tell these apart; triangles decide.
    x, y = (g.ravel() for g in np.meshgrid(np.arange(5.0), np.arange(5.0)))
    corners = np.column_stack([x, y, 0.0 * x])
    quads = np.array([k for k in range(19) if k % 5 < 4])
    faces = np.concatenate(
        [np.column_stack([quads, quads + 1, quads + 5]), np.column_stack([quads + 1, quads + 6, quads + 5])]
    )
    plate = build_obb_tree(corners, faces)
    shifts = np.array([[0.3, 0.4, 1e-9], [0.3, 0.4, 0.0]])
    np.testing.assert_array_equal(mesh_collide(plate, plate, np.tile(IDENTITY, (2, 1)), shifts).hit, [False, True])
    np.testing.assert_allclose(
        mesh_distance(plate, plate, np.tile(IDENTITY, (2, 1)), shifts).distance, [1e-9, 0.0], atol=1e-14
    )


def test_a_surface_inside_another_does_not_touch_it():
    outer, inner = tree_of_trimesh(trimesh.creation.icosphere(1), 10.0), BALL
    found = mesh_distance(outer, inner, IDENTITY, np.zeros((1, 3)))
    assert found.distance[0] == pytest.approx(brute(outer, inner, IDENTITY[0], np.zeros(3))[0])
    assert not mesh_collide(outer, inner, IDENTITY, np.zeros((1, 3))).hit[0]


def test_identical_surfaces_touch():
    assert mesh_collide(SOUP, SOUP, IDENTITY, np.zeros((1, 3))).hit[0]
    found = mesh_contacts(SOUP, SOUP, IDENTITY[0], np.zeros(3)).pairs
    assert {(k, k) for k in range(len(SOUP.tris))} <= set(map(tuple, found.tolist()))


def test_single_triangles_points_and_segments_are_surfaces():
    triangle = build_obb_tree(np.eye(3), np.array([[0, 1, 2]]))
    point = build_obb_tree(np.eye(3), np.array([[0, 0, 0]]))
    segment = build_obb_tree(np.eye(3), np.array([[0, 1, 1]]))
    for tree in (triangle, point, segment):
        assert mesh_collide(triangle, tree, IDENTITY, np.zeros((1, 3))).hit[0]
        found = mesh_distance(tree, triangle, IDENTITY, np.array([[1.0, 1.0, 1.0]]))
        assert found.distance[0] == pytest.approx(math.sqrt(3.0))


@given(
    st.lists(st.integers(-2, 2), min_size=3, max_size=3),
    st.sampled_from([np.eye(3), np.eye(3)[[1, 2, 0]], np.diag([-1.0, -1.0, 1.0])]),
)
def test_grid_surfaces_agree_with_exact_arithmetic(shift, rot):
    rng = np.random.default_rng(17)
    grids = [rng.integers(-2, 3, size=(12, 9)).astype(np.float64) for _ in range(2)]
    tree_a, tree_b = (build_obb_tree(g.reshape(-1, 3), np.arange(36).reshape(-1, 3)) for g in grids)
    placed = (grids[1].reshape(-1, 3) @ rot.T + shift).reshape(-1, 9)
    expected = min(exact_square_distance(a, b) for a in grids[0][:4] for b in placed[:4])
    rots, shifts = np.ascontiguousarray(rot).reshape(1, 9), np.array([shift], dtype=np.float64)
    found = mesh_distance(tree_a, tree_b, rots, shifts)
    assert found.distance[0] <= math.sqrt(expected) + 1e-14
    assert mesh_collide(tree_a, tree_b, rots, shifts).hit[0] == (found.distance[0] == 0.0)
    i, j = tree_a.face[found.pair[0, 0]], tree_b.face[found.pair[0, 1]]
    assert found.distance[0] == pytest.approx(math.sqrt(exact_square_distance(grids[0][i], placed[j])), abs=1e-14)


@pytest.mark.long
def test_thousands_of_poses_agree_with_all_pairs():
    for name, (tree_a, tree_b, far) in PAIRS.items():
        rots, shifts = poses(99, 3000, far)
        found, hit = mesh_distance(tree_a, tree_b, rots, shifts), mesh_collide(tree_a, tree_b, rots, shifts).hit
        for k in range(len(rots)):
            distance, hits = brute(tree_a, tree_b, rots[k], shifts[k])
            assert hit[k] == hits.any(), (name, k)
            assert found.distance[k] == pytest.approx(distance, rel=1e-13, abs=1e-15), (name, k)
