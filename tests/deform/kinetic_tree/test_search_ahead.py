"""Kinetic trees that search for failures through later keys: the same boxes as those made anew at every key."""

from __future__ import annotations

from fractions import Fraction
from math import inf, nan

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from carom.deform.kinetic_tree.audit import node_vertices
from carom.deform.kinetic_tree.future_certificates import NEVER, crossing_of, leave_keys, look_ahead
from carom.deform.kinetic_tree.kinetic_tree import KineticTree
from carom.errors import AuditError, InvalidInputError
from carom.motion import Deforming
from carom.queues import METHODS
from scenarios.moving_meshes import cloth, crumpling, soup


def one_triangle(xs, times=None):
    """A triangle whose corners move along x alone: xs (k, 3) at the keys."""
    xs = np.array(xs, float)
    where = np.zeros((len(xs), 3, 3))
    where[:, :, 0] = xs
    return Deforming([[0, 1, 2]], np.arange(len(xs)) if times is None else times, where)


def lattice_mesh(seed, keys, extent):
    """Six triangles over nine vertices with whole coordinates: many ties, crossings at keys, and some vertices at rest."""
    rng = np.random.default_rng(seed)
    where = rng.integers(-extent, extent + 1, (keys, 9, 3)).astype(float)
    still = rng.random(9) < 0.25
    where[:, still] = where[0, still]
    still_key = rng.integers(1, keys)
    where[still_key] = where[still_key - 1]
    where[rng.integers(keys), :, rng.integers(3)] = 0.0
    faces = np.array([rng.choice(9, 3, replace=False) for _ in range(6)])
    return Deforming(faces, np.cumsum(rng.choice([0.25, 0.3, 1.0, 7.0], keys)), where)


def require_tight(tree):
    """Every box is that of all vertices below its node, found through the triangles."""
    at, (lower, upper) = tree.positions(), tree.boxes()
    slack = 64 * np.finfo(float).eps * max(1.0, np.abs(at).max(), np.abs(tree._interval.tables.flight[:, :3]).max())
    for row, below in node_vertices(tree._interval.tables, [tree.root]).items():
        assert np.abs(lower[row] - at[below].min(axis=0)).max() <= slack
        assert np.abs(upper[row] - at[below].max(axis=0)).max() <= slack


def step_through(tree):
    """Check after every event and key, and that time never runs backwards; returns how many there were."""
    steps, before = 0, tree.time
    tree.check()
    while tree.step():
        assert tree.time >= before
        before = tree.time
        tree.check()
        steps += 1
    return steps


def exact_crossing(ahead, marks, other, face):
    """(interval, time) by rational arithmetic, from the first key on."""
    axis, sign = face % 3, -1 if face < 3 else 1
    gaps = [
        sign * (Fraction(b) - Fraction(a))
        for a, b in zip(ahead.keys[marks, axis].tolist(), ahead.keys[other, axis].tolist(), strict=True)
    ]
    for key in range(1, len(gaps)):
        if gaps[key] > 0:
            length = Fraction(float(ahead.times[key])) - Fraction(float(ahead.times[key - 1]))
            return key - 1, max(Fraction(0), -gaps[key - 1] * length / (gaps[key] - gaps[key - 1]))
    gain = sign * (Fraction(float(ahead.tail[other, axis])) - Fraction(float(ahead.tail[marks, axis])))
    return (len(gaps) - 1, max(Fraction(0), -gaps[-1] / gain)) if gain > 0 else (NEVER, inf)


def test_search_ahead_finds_the_crossing_several_keys_later():
    # Corner 1 passes corner 0 halfway from key 3 to key 4; nothing happens before, and nothing is made anew.
    tree = KineticTree.following(
        one_triangle([[1, 0, -1], [1, 0.5, -1], [2, 0, -1], [2, 1, -1], [2, 3, -1]]), search_ahead=True
    )
    made = tree.stats.certificates
    assert tree.advance(3.25) == 0
    assert (tree.stats.keys, tree.stats.certificates) == (3, made)
    assert tree.next_event_time() == 3.5
    assert tree.advance(4.0) == 1
    assert tree.stats.leaf_events == 1
    np.testing.assert_array_equal([box[tree.root, 0] for box in tree.boxes()], [-1.0, 3.0])
    assert tree.advance(100.0) == 0


@pytest.mark.parametrize(
    ("xs", "due"),
    [
        ([[1, 0], [1, 1], [1, 2]], 1.0),  # level at a key, and gaining
        ([[1, 0], [1, 1], [1, 1], [1, 1], [1, 1.5]], 3.0),  # level all along two intervals
        ([[1, 0], [1, 1], [1, 0], [1, 2]], 2.5),  # touches at a key and falls back
        ([[0, 0], [0, 0], [0, 1]], 1.0),  # level from the start
        ([[1, 0], [1, 1], [1, 0]], inf),
        ([[1, 0], [1, 1]], inf),  # rests level
        ([[0, 0], [1, 1]], inf),
    ],
)
def test_search_ahead_breaks_ties_at_keys(xs, due):
    ahead = look_ahead(one_triangle([[a, b, -9] for a, b in xs]), 0)
    interval, time = crossing_of(ahead, 0, 1, 3, 0.0)
    assert (interval + time if interval != NEVER else inf) == due
    mirrored = look_ahead(one_triangle([[-a, -b, 9] for a, b in xs]), 0)
    assert crossing_of(mirrored, 0, 1, 0, 0.0) == (interval, time)


@settings(max_examples=150)
@given(
    st.lists(st.tuples(st.integers(-2, 2), st.integers(-2, 2)), min_size=2, max_size=6),
    st.sampled_from([1.0, 0.1, 1e6]),
    st.integers(-2, 2),
    st.booleans(),
)
@example([(1, 0), (1, 1), (1, 2)], 0.1, 1, False)
def test_search_ahead_agrees_with_rational_arithmetic(rows, scale, ulps, leaves):
    xs = scale * np.array([[max(rows[0]), min(rows[0]), 0], *((a, b, 0) for a, b in rows[1:])], float)
    xs[1:, 1] += ulps * np.spacing(xs[1:, 1])
    ahead = look_ahead(one_triangle(xs, np.cumsum(np.linspace(0.3, 0.7, len(xs)))), 0)
    if leaves:
        leave_keys(ahead, np.array([1]), np.array([xs[0, 1:2].repeat(3)]), np.full((1, 3), 0.7 * scale), 0.0)
        ahead.keys[1, :, 0] = xs[0, 1]
    interval, time = crossing_of(ahead, 0, 1, 3, 0.0)
    exact_interval, exact_time = exact_crossing(ahead, 0, 1, 3)
    assert interval == exact_interval
    assert time == exact_time == inf or abs(Fraction(time) - exact_time) <= Fraction(1, 2**50) * exact_time


@pytest.mark.parametrize("motion", [crumpling(2, n=3, keys=5), soup(3, n=8, keys=4)], ids=["cloth", "soup"])
def test_search_ahead_is_right_after_every_event(motion):
    tree = KineticTree.following(motion, search_ahead=True)
    assert step_through(tree) > 100
    np.testing.assert_array_equal(tree.positions(), motion.vertices[-1])
    require_tight(tree)


@pytest.mark.parametrize("motion", [crumpling(4, n=6, keys=7), soup(5, n=30, keys=6)], ids=["cloth", "soup"])
def test_search_ahead_has_tight_boxes_at_any_time_and_those_of_the_other_mode(motion):
    tree, other = (KineticTree.following(motion, search_ahead=ahead) for ahead in (True, False))
    rng = np.random.default_rng(6)
    for t in np.sort(np.append(rng.uniform(motion.times[0], motion.times[-1] + 1.0, 40), motion.times)):
        tree.advance(t)
        other.advance(t)
        require_tight(tree)
        np.testing.assert_allclose(tree.positions(), motion.vertices_at(t), rtol=0.0, atol=1e-13)
        np.testing.assert_allclose(tree.boxes(), other.boxes(), rtol=0.0, atol=1e-13)
    assert tree.stats.certificates < other.stats.certificates
    tree.check()


@pytest.mark.parametrize("queue", METHODS)
def test_search_ahead_gives_the_same_boxes_with_every_queue(queue):
    motion = soup(7, n=10, keys=4)
    tree, reference = (KineticTree.following(motion, search_ahead=True, queue=q) for q in (queue, "reference"))
    for t in (0.3, 1.0, 2.9, 5.0):
        assert tree.advance(t) == reference.advance(t)
        np.testing.assert_array_equal(tree.boxes(), reference.boxes())
    tree.check()


def test_search_ahead_of_a_mesh_at_rest_or_moving_as_a_whole_has_no_events():
    faces, flat = cloth(4)
    for step in ((0.0, 0.0, 0.0), (0.5, -2.0, 0.25)):
        where = flat + np.arange(4)[:, None, None] * np.array(step)
        tree = KineticTree.following(Deforming(faces, [0, 1, 2, 4], where), search_ahead=True)
        assert tree.advance(9.0) == 0
        require_tight(tree)


def test_search_ahead_passes_a_key_at_which_all_is_flat():
    rng = np.random.default_rng(8)
    faces, flat = cloth(3)
    rough = flat + (0, 0, 1) * rng.normal(size=(4, *flat.shape))
    tree = KineticTree.following(
        Deforming(faces, np.arange(5), [rough[0], rough[1], flat, flat, rough[2]]), search_ahead=True
    )
    assert step_through(tree) > 50


def test_search_ahead_goes_on_after_the_last_key_with_those_that_left():
    tree = KineticTree.following(one_triangle([[4, 0, -1], [4, 1, -1], [4, 2, -1]]), search_ahead=True)
    tree.advance(0.5)
    tree.change_flightplans([2], [[1.0, 0.0, 0.0]])
    assert step_through(tree) > 0
    assert tree.time == 5.5
    tree.advance(10.0)
    np.testing.assert_array_equal(tree.positions()[:, 0], [4.0, 2.0, 8.5])
    require_tight(tree)


def test_search_ahead_sees_that_the_same_path_goes_on_otherwise():
    # The vertex leaves the keys without a change of its present path: only what comes later is different.
    motion = crumpling(9, n=3, keys=4)
    tree = KineticTree.following(motion, search_ahead=True)
    tree.change_flightplans(range(16), tree._interval.tables.flight[:, 3:])
    tree.check()
    assert step_through(tree) > 10
    gone = (tree.time - motion.times[0]) * tree._interval.tables.flight[:, 3:]
    np.testing.assert_allclose(tree.positions(), motion.vertices[0] + gone)


def test_search_ahead_makes_certificates_anew_once_a_vertex_accelerates():
    motion = soup(10, n=6, keys=4)
    tree = KineticTree.following(motion, search_ahead=True)
    tree.advance(1.3)
    tree.change_flightplans([3, 4], np.ones((2, 3)), accelerations=np.ones((2, 3)))
    made = tree.stats.certificates
    step_through(tree)
    assert tree.stats.certificates >= made + 2 * 6 * 11
    np.testing.assert_allclose(
        np.delete(tree.positions(), [3, 4], axis=0), np.delete(motion.vertices[-1], [3, 4], axis=0)
    )


@settings(max_examples=40)
@given(
    st.integers(0, 2**32 - 1),
    st.integers(2, 6),
    st.integers(1, 3),
    st.lists(st.sampled_from(["time", "key", "plan", "stop", "bend", "add", "drop", "corner"]), max_size=8),
)
def test_search_ahead_survives_ties_changes_and_edits(seed, keys, extent, actions):
    rng = np.random.default_rng(seed)
    motion = lattice_mesh(seed, keys, extent)
    trees = [KineticTree.following(motion, search_ahead=ahead) for ahead in (True, False)]
    for action in [*actions, "time", "key", "time"]:
        live = np.flatnonzero(trees[0].faces[:, 0] >= 0)
        some, numbers = rng.choice(9, 2, replace=False), rng.integers(-2, 3, (4, 2, 3)).astype(float)
        until = trees[0].time + rng.exponential(0.5)
        later = motion.times[motion.times > trees[0].time]
        if action == "key":
            until = later[0] if len(later) else until
        three, dropped = rng.choice(9, 3, replace=False), rng.choice(live)
        around = (trees[0].faces[live] == some[0]).any(axis=1)
        for tree in trees:
            if action in ("time", "key"):
                tree.advance(until)
            elif action == "plan":
                tree.change_flightplans(some, numbers[0], numbers[1])
            elif action == "stop":
                tree.change_flightplans(some, np.zeros((2, 3)))
            elif action == "bend":
                tree.change_flightplans(some, numbers[0], accelerations=numbers[2])
            elif action == "add":
                new = tree.add_vertices(numbers[0], numbers[1])
                tree.add_faces([[*new, some[0]], three])
            elif action == "drop" and len(live) > 1:
                tree.remove_faces([dropped])
            elif action == "corner" and not around.all():
                tree.remove_vertices([some[0]])
            tree.check()
            require_tight(tree)
        ours, others = (np.array(tree.boxes())[:, tree.root] for tree in trees)
        np.testing.assert_allclose(ours, others, rtol=1e-11, atol=1e-11)
    for tree in trees:
        steps = 0
        while steps < 100 and tree.step():
            steps += 1
        tree.check()


def test_search_ahead_check_sees_what_is_wrong():
    motion = soup(11, n=6, keys=4)
    tree = KineticTree.following(motion, search_ahead=True)
    waiting = int(np.flatnonzero((tree._interval.ahead.due > 0) & (tree._interval.ahead.due < NEVER))[0])
    tree._interval.ahead.due[waiting] = NEVER
    with pytest.raises(AuditError, match="as noted"):
        tree.check()
    tree = KineticTree.following(motion, search_ahead=True)
    tree._interval.queue.set(int(np.flatnonzero(tree._interval.ahead.due == 0)[0]), inf)
    with pytest.raises(AuditError, match="as queued"):
        tree.check()
    tree = KineticTree.following(motion, search_ahead=True)
    tree._interval.tables.flight[5, 0] += 1.0
    with pytest.raises(AuditError):
        tree.check()


def test_search_ahead_refuses_bad_input_and_changes_nothing():
    tree = KineticTree.following(soup(12, n=4, keys=3), search_ahead=True)
    tree.advance(0.5)
    before = tree.boxes(), tree.stats
    for call, words in (
        (lambda: KineticTree.following(soup(12, n=4), search_ahead=True, queue="calendar"), "'calendar'"),
        (lambda: tree.advance(0.1), "until is 0.1; expected 0.5"),
        (lambda: tree.advance(nan), "nan"),
        (lambda: tree.change_flightplans([12], [[0, 0, 0]]), r"vertices\[0\] is 12"),
        (lambda: tree.change_flightplans([1], [[0, nan, 0]]), "nan"),
        (lambda: tree.change_flightplans([1, 2], np.zeros((2, 3)), np.zeros((1, 3))), r"positions has shape \(1, 3\)"),
        (lambda: tree.add_vertices(np.zeros((1, 2))), r"positions has shape \(1, 2\)"),
        (lambda: tree.add_faces([[0, 1, 12]]), r"faces\[0\]"),
        (lambda: tree.remove_faces([0, 1, 2, 3]), "expected one at least to stay"),
    ):
        with pytest.raises(InvalidInputError, match=words):
            call()
    tree.check()
    np.testing.assert_array_equal(tree.boxes(), before[0])
    assert tree.stats == before[1]
