"""Kinetic AABB trees: right after every event, whatever the motion and whatever changes on the way."""

from __future__ import annotations

from math import inf, nan

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from carom.deform.kinetic_tree.kinetic_tree import KineticTree
from carom.errors import AuditError, InvalidInputError
from carom.queues import METHODS
from scenarios.moving_meshes import cloth, crumpling, soup


def random_tree(seed, n=30, accelerated=False, **options):
    rng = np.random.default_rng(seed)
    where, rate = rng.normal(size=(2, n, 3))
    acceleration = rng.normal(size=(n, 3)) - rate if accelerated else None
    return KineticTree(rng.permutation(n).reshape(-1, 3), where, rate, acceleration, **options)


def step_and_check(tree, most=10_000):
    """Check after every event, and that time never runs backwards."""
    steps = 0
    while steps < most:
        before = tree.time
        if not tree.step():
            break
        assert tree.time >= before
        tree.check()
        steps += 1
    return steps


@pytest.mark.parametrize("accelerated", [False, True])
def test_kinetic_tree_is_right_after_every_event(accelerated):
    tree = random_tree(1, accelerated=accelerated)
    tree.check()
    assert step_and_check(tree) > 50
    assert tree.next_event_time() == inf


@pytest.mark.parametrize("search_ahead", [False, True])
def test_kinetic_tree_follows_keys_and_rests_after_the_last(search_ahead):
    motion = crumpling(2, n=3, keys=4)
    tree = KineticTree.following(motion, search_ahead=search_ahead)
    assert step_and_check(tree) > 100
    assert tree.stats.keys == 3
    np.testing.assert_allclose(tree.positions(), motion.vertices[-1])
    tree.advance(1e6)
    lower, upper = tree.boxes()
    np.testing.assert_allclose(lower[tree.root], motion.vertices[-1].min(axis=0))
    np.testing.assert_allclose(upper[tree.root], motion.vertices[-1].max(axis=0))


def test_kinetic_tree_boxes_are_tight_at_any_time():
    tree = random_tree(3, accelerated=True)
    for t in np.linspace(0.0, 4.0, 9):
        tree.advance(t)
        at = tree.positions()
        lower, upper = tree.boxes()
        np.testing.assert_allclose(lower[tree.root], at.min(axis=0), rtol=1e-12, atol=1e-12)
        np.testing.assert_allclose(upper[tree.root], at.max(axis=0), rtol=1e-12, atol=1e-12)


def test_kinetic_tree_counts_the_one_event_of_two_corners_that_pass():
    # Vertex 0 overtakes vertex 1 along x at t = 2, when it becomes the largest; vertex 1 becomes the smallest at t = 3.
    tree = KineticTree([[0, 1, 2]], [[0, 0, 0], [2, 1, 0], [-1, 0, 1]], [[2, 0, 0], [1, 0, 0], [2, 0, 0]])
    assert tree.next_event_time() == 2.0
    assert tree.advance(2.0) == 1
    assert tree.next_event_time() == 3.0
    assert tree.advance(10.0) == 1
    assert (tree.stats.leaf_events, tree.stats.tree_events) == (2, 0)


def test_kinetic_tree_at_rest_or_moving_as_a_whole_has_no_events():
    faces, flat = cloth(5)
    assert KineticTree(faces, flat).next_event_time() == inf
    assert KineticTree(faces, flat, np.broadcast_to([1.0, -2.0, 0.5], flat.shape)).next_event_time() == inf
    falling = KineticTree(faces, flat, accelerations=np.broadcast_to([0, 0, -9.8], flat.shape))
    assert falling.advance(5.0) == 0


def test_kinetic_tree_of_a_flat_cloth_does_not_cascade_at_its_start():
    faces, flat = cloth(6)
    rate = np.random.default_rng(4).normal(size=flat.shape)
    tree = KineticTree(faces, flat, rate)
    assert tree.next_event_time() > 0.0
    tree.check()


def test_kinetic_tree_handles_simultaneous_events():
    # All vertices meet in one point at t = 1, and go on.
    rng = np.random.default_rng(5)
    rate = rng.integers(-3, 4, (24, 3)).astype(float)
    tree = KineticTree(np.arange(24).reshape(8, 3), -rate, rate)
    tree.advance(1.0)
    tree.check()
    tree.advance(2.0)
    tree.check()


@pytest.mark.parametrize("queue", METHODS)
def test_kinetic_tree_gives_the_same_boxes_with_every_queue(queue):
    tree, reference = random_tree(6, queue=queue), random_tree(6)
    for t in (0.3, 1.0, 5.0):
        assert tree.advance(t) == reference.advance(t)
        np.testing.assert_array_equal(tree.boxes(), reference.boxes())
    tree.check()


@pytest.mark.parametrize("search_ahead", [False, True])
def test_kinetic_tree_keeps_changed_vertices_off_the_keys(search_ahead):
    motion = soup(7, n=6)
    tree = KineticTree.following(motion, search_ahead=search_ahead)
    tree.advance(0.5)
    tree.change_flightplans([4], [[1.0, 0.0, 0.0]], [[0.0, 0.0, 0.0]])
    tree.check()
    step_and_check(tree)
    np.testing.assert_allclose(tree.positions()[4], [tree.time - 0.5, 0.0, 0.0])
    np.testing.assert_allclose(np.delete(tree.positions(), 4, axis=0), np.delete(motion.vertices[-1], 4, axis=0))


@settings(max_examples=25)
@given(
    st.integers(0, 2**32 - 1),
    st.lists(st.sampled_from(["time", "plan", "bend", "add", "drop", "edge", "corner"]), max_size=8),
)
def test_kinetic_tree_survives_changes_and_edits(seed, actions):
    rng = np.random.default_rng(seed)
    tree = random_tree(seed, n=12)
    for action in actions:
        live = np.flatnonzero(tree.faces[:, 0] >= 0)
        some = rng.choice(12, 3, replace=False)
        if action == "time":
            tree.advance(tree.time + rng.exponential(0.3))
        elif action == "plan":
            tree.change_flightplans(some, rng.normal(size=(3, 3)), rng.normal(size=(3, 3)))
        elif action == "bend":
            tree.change_flightplans(some, rng.normal(size=(3, 3)), accelerations=rng.normal(size=(3, 3)))
        elif action == "add":
            new = tree.add_vertices(rng.normal(size=(2, 3)), rng.normal(size=(2, 3)))
            tree.add_faces([[*new, some[0]], some])
        elif action == "drop" and len(live) > 2:
            tree.remove_faces(rng.choice(live, 2, replace=False))
        elif action == "edge" and len(live) > 3:
            tree.remove_edges([tree.faces[live[0], :2]])
        elif action == "corner" and len(live) > len(np.flatnonzero((tree.faces == some[0]).any(axis=1))):
            tree.remove_vertices([some[0]])
        tree.check()
    tree.advance(tree.time + 1.0)
    tree.check()


def test_kinetic_tree_check_sees_what_is_wrong():
    tree = random_tree(8)
    tree._interval.tables.node[tree.root, 4] = tree._interval.tables.node[tree.root, 7]
    with pytest.raises(AuditError, match="marked by"):
        tree.check()
    tree = random_tree(8)
    tree._interval.queue.set(int(np.argmin(tree._interval.queue.keys[:30])), inf)
    with pytest.raises(AuditError, match="as queued"):
        tree.check()


def test_kinetic_tree_refuses_bad_input():
    tree = random_tree(9, n=6)
    tree.advance(0.5)
    for call, words in (
        (lambda: KineticTree([[0, 1, 5]], np.zeros((3, 3))), r"faces\[0\].*0 to 2"),
        (lambda: KineticTree([[0, 1, 2]], np.zeros((3, 3)), np.zeros((2, 3))), r"velocities has shape \(2, 3\)"),
        (lambda: random_tree(1, n=3, queue="calendar"), "'calendar'"),
        (lambda: tree.advance(0.1), "until is 0.1; expected 0.5"),
        (lambda: tree.advance(nan), "nan"),
        (lambda: tree.change_flightplans([6], [[0, 0, 0]]), r"vertices\[0\] is 6; expected a whole number from 0 to 5"),
        (lambda: tree.change_flightplans([1, 1], np.zeros((2, 3))), "holds 1 twice"),
        (lambda: tree.change_flightplans([1], [[0, inf, 0]]), "inf"),
        (lambda: tree.add_faces([[0, 1, 6]]), r"faces\[0\]"),
        (lambda: tree.remove_faces([0, 1]), "expected one at least to stay"),
        (lambda: tree.remove_faces([2]), "from 0 to 1"),
        (lambda: tree.remove_edges([[0, 0]]), "expected the edge of a triangle"),
    ):
        with pytest.raises(InvalidInputError, match=words):
            call()
    tree.check()
    tree.remove_faces([1])
    with pytest.raises(InvalidInputError, match="1, which was removed before"):
        tree.remove_faces([1])
    tree.check()


@pytest.mark.parametrize("start", [0.0, 1.0, 100.0, 1e4, 1e6])
def test_kinetic_tree_is_right_and_gets_on_whenever_it_begins(start):
    for seed in range(20):
        step_and_check(random_tree(seed, n=12, start=start))
        tree = random_tree(seed, n=12, start=start)
        while (due := tree.next_event_time()) < inf:
            assert tree.advance(due) > 0
            tree.check()
