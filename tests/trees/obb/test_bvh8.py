"""Wide trees in single precision hold their triangles, and their bounds stay below the true distance."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import trimesh

from carom._compile.jit import lean_kernel
from carom.errors import AuditError
from carom.narrow.mesh.bvh8.tree_pair import (
    WIDE_WORK,
    distance_tests,
    open_larger,
    overlap_tests,
    place_wide_into,
    push_roots,
    wide_arrays,
)
from carom.narrow.mesh.mesh_pair import mesh_distance
from carom.trees import build_obb_tree
from carom.trees.obb.bvh8 import WIDTH, wide_tree_of


def soup(seed: int, scale: tuple[float, float, float], n_tris: int = 300) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    return rng.normal(size=(60, 3)) * scale, rng.integers(0, 60, size=(n_tris, 3))


@pytest.mark.parametrize(
    "scale", [(1.0, 1.0, 1.0), (1.0, 1.0, 0.0), (1.0, 0.0, 0.0), (0.0, 0.0, 0.0), (1e-9, 1.0, 1e9)]
)
@pytest.mark.parametrize("n_tris", [1, 2, 7, 8, 9, 65, 300])
def test_wide_tree_holds_its_triangles(scale, n_tris):
    vertices, faces = soup(1, scale, n_tris)
    for shift in (0.0, 1e7):
        wide_tree_of(build_obb_tree(vertices + shift, faces)).check()


def test_wide_tree_fills_its_lowest_nodes():
    ball = trimesh.creation.icosphere(3)
    wide = wide_tree_of(build_obb_tree(np.array(ball.vertices), np.array(ball.faces)))
    wide.check()
    assert wide.fills.mean() > 4.5
    assert len(wide.lanes) * 4 + len(wide.children) * 4 < 150 * len(ball.faces)


def test_wide_tree_is_made_once():
    tree = build_obb_tree(*soup(2, (1.0, 1.0, 1.0)))
    assert wide_tree_of(tree) is wide_tree_of(tree)


def test_wide_tree_check_finds_a_triangle_outside():
    tree = build_obb_tree(*soup(3, (1.0, 1.0, 1.0)))
    for column, message in ((12, "box"), (15, "sphere")):
        wide = wide_tree_of(tree)
        lanes = wide.lanes.copy()
        lanes[WIDTH * column] *= 0.5
        with pytest.raises(AuditError, match=message):
            replace(wide, lanes=lanes).check()


@lean_kernel
def _keys_of_a_descent(tests, a, b, rot, shift, work, bounds, stack, keys, codes):
    """Open pairs from the roots on until `keys` is full; returns how many there are."""
    place_wide_into(a, b, rot, shift, work)
    size = push_roots(tests, a, b, np.inf, work, bounds, stack, keys)
    done = 0
    while done < size and size + 8 <= len(keys):
        if a.children[stack[done, 0]] >= 0 or b.children[stack[done, 1]] >= 0:
            size = open_larger(tests, a, b, stack[done, 0], stack[done, 1], np.inf, work, bounds, stack, keys, size)
        done += 1
    for k in range(size):
        codes[k, 0], codes[k, 1] = stack[k, 0], stack[k, 1]
    return size


def _triangles_below(wide, code):
    child = int(wide.children[code])
    if child < 0:
        return [-1 - child]
    return [t for lane in range(wide.fills[child]) for t in _triangles_below(wide, child * WIDTH + lane)]


@pytest.mark.parametrize("tests", [overlap_tests, distance_tests])
@pytest.mark.parametrize("scale", [1e-6, 1.0, 1e6])
def test_wide_bounds_never_exceed_the_distance(tests, scale):
    rng = np.random.default_rng(7)
    trees = [
        build_obb_tree(v * 0.3 * scale, f) for v, f in (soup(5, (1.0, 1.0, 1.0), 40), soup(6, (1.0, 0.2, 1.0), 40))
    ]
    wides = [wide_tree_of(tree) for tree in trees]
    for offset in (0.0, 1.0, 3.0, 50.0):
        turn, _ = np.linalg.qr(rng.normal(size=(3, 3)))
        shift = rng.normal(size=3) * offset * scale
        keys, codes = np.empty(200), np.empty((200, 2), np.int64)
        n = _keys_of_a_descent(
            tests(), wide_arrays(wides[0]), wide_arrays(wides[1]), turn.ravel(), shift, np.empty(WIDE_WORK),
            np.empty(WIDTH, np.float32), np.empty((200, 2), np.int64), keys, codes,
        )  # fmt: skip
        assert n > 50
        for key, (a, b) in zip(keys[:n:9], codes[:n:9], strict=True):
            parts = []
            for tree, wide, code in zip(trees, wides, (a, b), strict=True):
                corners = tree.tris[_triangles_below(wide, int(code))].reshape(-1, 3)
                parts.append(build_obb_tree(corners, np.arange(len(corners)).reshape(-1, 3)))
            poses = turn.reshape(1, 9), shift.reshape(1, 3)
            assert key <= mesh_distance(*parts, *poses, wide=False).distance[0]
