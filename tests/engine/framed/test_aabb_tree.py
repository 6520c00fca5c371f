"""The dynamic tree keeps its promises while leaves come, go and move, and a walk finds what brute force finds."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from carom._compile.jit import lean_kernel
from carom.engine.framed.aabb_tree import (
    LEFT,
    ROOT,
    Tree,
    add_leaf,
    boxes_overlap,
    count_leaves,
    drop_leaf,
    empty_tree,
    following,
)


@lean_kernel
def put(tree, row, box, near):
    """Insert the leaf of `row` with `box`."""
    for d in range(6):
        tree.box[2 * row, d] = box[d]
    add_leaf(tree, np.int64(2 * row), near)


@lean_kernel
def take(tree, row):
    """Take the leaf of `row` out; returns the inner node above."""
    return np.int64(drop_leaf(tree, np.int64(2 * row)))


@lean_kernel
def find(tree, box, found):
    """Rows of the leaves that overlap `box`, into `found`; returns how many, and how many nodes the walk visited."""
    n, visited = 0, 0
    node = np.int64(tree.tally[ROOT])
    while node != -1:
        visited += 1
        if boxes_overlap(tree.box[node], box):
            if node & 1:
                node = np.int64(tree.link[node, LEFT])
                continue
            found[n] = node >> 1
            n += 1
        node = np.int64(following(tree, node))
    return n, visited


def overlapping(tree: Tree, box: np.ndarray) -> list[int]:
    found = np.zeros(len(tree.box), np.int64)
    n, _ = find(tree, box, found)
    return sorted(found[:n].tolist())


def brute(boxes: dict[int, np.ndarray], box: np.ndarray) -> list[int]:
    return sorted(r for r, b in boxes.items() if (b[:3] <= box[3:]).all() and (box[:3] <= b[3:]).all())


def random_box(rng: np.random.Generator, size: float) -> np.ndarray:
    low = rng.uniform(0.0, 10.0, 3)
    return np.concatenate((low, low + rng.uniform(0.0, size, 3)))


@pytest.mark.parametrize("size", [0.0, 0.5, 4.0])
@pytest.mark.parametrize("seed", range(3))
def test_tree_finds_what_brute_force_finds_while_leaves_come_go_move_and_resize(seed: int, size: float) -> None:
    rng = np.random.default_rng(seed)
    tree = empty_tree(100)
    boxes: dict[int, np.ndarray] = {}
    for step in range(600):
        row = int(rng.integers(100))
        near = -1
        if row in boxes:
            near = take(tree, row)
            del boxes[row]
        if step % 3:
            boxes[row] = random_box(rng, size * rng.choice((1.0, 0.1)))
            put(tree, row, boxes[row], near if step % 2 else -1)
        if step % 20 == 0:
            assert count_leaves(tree, 100) == len(boxes)
            query = random_box(rng, 3.0)
            assert overlapping(tree, query) == brute(boxes, query)
    for row in list(boxes):
        take(tree, row)
    assert count_leaves(tree, 100) == 0
    assert overlapping(tree, np.array([-1e9, -1e9, -1e9, 1e9, 1e9, 1e9])) == []


def test_tree_of_coincident_boxes() -> None:
    tree = empty_tree(20)
    box = np.array([1.0, 1.0, 1.0, 1.0, 1.0, 1.0])
    for row in range(20):
        put(tree, row, box, -1)
    assert count_leaves(tree, 20) == 20
    assert overlapping(tree, box) == list(range(20))


@pytest.mark.parametrize("order", ["sorted", "random"])
def test_tree_walk_visits_few_nodes_even_when_leaves_come_in_order(order: str) -> None:
    n = 2000
    rng = np.random.default_rng(1)
    low = rng.uniform(0.0, 100.0, (n, 3))
    low = low[np.argsort(low[:, 0])] if order == "sorted" else low
    tree = empty_tree(n)
    for row in range(n):
        put(tree, row, np.concatenate((low[row], low[row] + 2.0)), -1)
    assert count_leaves(tree, n) == n
    found = np.zeros(n, np.int64)
    visited = [find(tree, np.concatenate((p, p + 2.0)), found)[1] for p in low[::20]]
    assert np.mean(visited) < 80


coordinate = st.one_of(st.sampled_from((0.0, 1.0, -1.0, 1e-6, 1e6)), st.floats(-1e6, 1e6))
box_strategy = st.tuples(*[coordinate] * 6).map(
    lambda c: np.concatenate((np.minimum(c[:3], c[3:]), np.maximum(c[:3], c[3:])))
)


@settings(max_examples=60, deadline=None)
@given(boxes=st.lists(box_strategy, min_size=1, max_size=12), query=box_strategy)
def test_tree_finds_what_brute_force_finds_in_any_boxes(boxes: list[np.ndarray], query: np.ndarray) -> None:
    tree = empty_tree(12)
    for row, box in enumerate(boxes):
        put(tree, row, box, -1)
    assert count_leaves(tree, 12) == len(boxes)
    assert overlapping(tree, query) == brute(dict(enumerate(boxes)), query)
