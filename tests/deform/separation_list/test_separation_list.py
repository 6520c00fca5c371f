"""Kinetic separation lists: the contacts of brute force, in time order, and a state that proves itself after every event."""

from __future__ import annotations

import copy
from math import inf, nan

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from carom.deform.separation_list.list_key_transition import ACTIVE
from carom.deform.separation_list.pair_events import CHANGES
from carom.deform.separation_list.pair_pool import PAIR_FREE, PAIR_STATE, TOP
from carom.deform.separation_list.separation_list import SeparationList
from carom.errors import AuditError, InvalidInputError
from carom.motion import Deforming
from scenarios.moving_meshes import all_contacts, cloth, contacts_of_pairs, crumpling, joined, soup

WAYS = {
    "chord": {"boxes": "chord", "full_passes": False},
    "chord, pruned by events": {"boxes": "chord", "prune": "events", "full_passes": False},
    "kinetic": {"boxes": "kinetic", "full_passes": False},
    "kinetic, pruned by events": {"boxes": "kinetic", "prune": "events", "full_passes": False},
    "kinetic on a Fibonacci heap": {"boxes": "kinetic", "queue": "fibonacci", "full_passes": False},
    "full passes": {},
    "full passes beside kinetic": {"boxes": "kinetic"},
}
every_way = pytest.mark.parametrize("way", WAYS.values(), ids=WAYS.keys())


def reported(contacts):
    """Contacts as (time, a, b)."""
    return [(t, *pair) for t, pair in zip(contacts.times.tolist(), contacts.faces.tolist(), strict=True)]


def assert_same(found, expected):
    assert [(a, b) for _, a, b in found] == [(a, b) for _, a, b in expected]
    np.testing.assert_allclose([t for t, _, _ in found], [t for t, _, _ in expected], rtol=0.0, atol=1e-9)


def read_only(rows):
    rows.setflags(write=False)
    return rows


def run_and_check(made):
    """Handle event after event, with a check after each; returns contacts of the interval as (fraction, a, b)."""
    interval = made._interval
    found = []
    made.check()
    while interval.next_event() <= 1.0:
        fractions, rows = interval.run(1.0, at_once=False, most=1)
        made.check()
        found += [(t, *row) for t, row in zip(fractions.tolist(), rows[:, :2].tolist(), strict=True)]
    return found


@every_way
def test_separation_list_finds_self_contacts_as_brute_force(way):
    motion = crumpling(1)
    found = reported(SeparationList(motion, **way).advance(motion.times[-1]))
    assert len(found) > 100
    assert_same(found, all_contacts(motion))


@every_way
def test_separation_list_finds_contacts_of_two_meshes_as_brute_force(way):
    a, b = soup(2, n=25), soup(3, n=15, offset=0.5)
    made = SeparationList(a, b, **way)
    found = made.advance(2.0)
    pairs = np.stack(np.meshgrid(np.arange(25), np.arange(25, 40), indexing="ij"), -1).reshape(-1, 2)
    assert len(found) > 50
    assert_same(reported(found), [(t, i, j - 25) for t, i, j in all_contacts(joined(a, b), pairs)])
    assert (found.bodies == [0, 1]).all()
    made.check()


def test_separation_list_finds_contacts_within_and_between_meshes_at_once():
    a, b = soup(4, n=12), soup(5, n=10)
    found = SeparationList(a, b, selves=True).advance(2.0)
    numbers = found.faces + 12 * found.bodies
    assert_same([(t, *n) for t, n in zip(found.times, numbers.tolist(), strict=True)], all_contacts(joined(a, b)))


@every_way
def test_separation_list_proves_itself_after_every_event(way):
    motion = crumpling(6, n=3, keys=2, amount=0.4)
    made = SeparationList(motion, **way)
    found = run_and_check(made)
    expected = contacts_of_pairs(*(motion.faces, *motion.vertices), np.stack(np.triu_indices(18, 1), axis=1))
    assert sorted(found) == expected
    assert len(found) > 10


def test_separation_list_counts_the_five_events():
    motion = crumpling(7, keys=4)
    made = SeparationList(motion, boxes="kinetic", prune="events")
    made.advance(motion.times[-1])
    stats = made.stats
    assert min(stats.bv_overlaps, stats.fathers_parted, stats.leaves_parted, stats.contacts, stats.bv_changes) > 0
    assert stats.leaf_events > 0
    assert stats.tree_events > 0
    assert stats.keys == 2


def test_separation_list_does_not_depend_on_when_it_is_asked():
    motion = crumpling(8, keys=3)
    at_once = SeparationList(motion).advance(motion.times[-1])
    made = SeparationList(motion)
    parts = [made.advance(t) for t in np.linspace(motion.times[0], motion.times[-1], 23)]
    np.testing.assert_array_equal(np.concatenate([p.times for p in parts]), at_once.times)
    np.testing.assert_array_equal(np.concatenate([p.faces for p in parts]), at_once.faces)
    assert made.next_event_time() == inf


@every_way
def test_separation_list_of_a_cloth_that_falls_flat_finds_nothing(way):
    faces, flat = cloth(5)
    made = SeparationList(Deforming(faces, [0.0, 1.0, 2.0], np.stack([flat, flat - [0, 0, 1.0], flat])), **way)
    assert len(made.advance(2.0)) == 0
    assert made.stats.bv_overlaps == 0
    made.check()


@every_way
def test_separation_list_meets_many_contacts_at_one_instant(way):
    # A flat cloth lands on another: all facing triangles touch at half time.
    faces, flat = cloth(3)
    above = Deforming(faces, [0.0, 1.0], np.stack([flat + [0, 0, 1.0], flat - [0, 0, 1.0]]))
    below = Deforming(faces, [0.0, 1.0], np.stack([flat, flat]))
    found = SeparationList(above, below, **way).advance(1.0)
    np.testing.assert_allclose(found.times, 0.5, atol=1e-9)
    assert found.faces.tolist() == sorted(found.faces.tolist())
    assert set(map(tuple, found.faces.tolist())) >= {(k, k) for k in range(18)}


@every_way
def test_separation_list_of_a_resting_mesh_has_no_events(way):
    faces, flat = cloth(3)
    made = SeparationList(Deforming(faces, [0.0, 3.0], np.stack([flat, flat])), **way)
    assert made.next_event_time() == 3.0
    assert len(made.advance(3.0)) == 0


def bounce(made, contact):
    """Let the corners of both triangles turn back."""
    corners = np.unique(
        np.concatenate([made.corners(contact.body_a, contact.face_a), made.corners(contact.body_b, contact.face_b)])
    )
    made.change_flightplans(corners, -made.velocities()[corners])


class Naive:
    """The same by brute force: every pair of triangles anew after every change."""

    def __init__(self, motion):
        self.faces, self.pairs = motion.faces, np.stack(np.triu_indices(len(motion.faces), 1), axis=1)
        self.start, self.end = motion.vertices[0].copy(), motion.vertices[1].copy()
        self.epoch = np.zeros(len(self.start))
        self.delivered = {}
        self.log = []
        self.next = {}
        self.test(self.pairs)

    def test(self, pairs):
        for pair in map(tuple, pairs.tolist()):
            corners = self.faces[list(pair)].ravel()
            epoch = self.epoch[corners].max()
            share = ((epoch - self.epoch) / (1.0 - self.epoch))[:, None]
            start = np.where(share > 0.0, (1.0 - share) * self.start + share * self.end, self.start)
            hit = contacts_of_pairs(self.faces, start, self.end, np.array([pair]))
            time = epoch + hit[0][0] * (1.0 - epoch) if hit else inf
            self.next[pair] = inf if self.delivered.get(pair, -1.0) >= epoch else time

    def run(self, most):
        now = 0.0
        while len(self.log) < most and min(self.next.values()) <= 1.0:
            now = max(now, min(self.next.values()))
            due = sorted(pair for pair, t in self.next.items() if t <= now)
            for pair in due:
                self.log.append((self.next[pair], *pair))
                self.delivered[pair] = now
            for pair in due:
                corners = np.unique(self.faces[list(pair)].ravel())
                share = ((now - self.epoch[corners]) / (1.0 - self.epoch[corners]))[:, None]
                here = (1.0 - share) * self.start[corners] + share * self.end[corners]
                rate = (self.end[corners] - self.start[corners]) / (1.0 - self.epoch[corners])[:, None]
                self.start[corners], self.end[corners] = here, here - rate * (1.0 - now)
                self.epoch[corners] = now
                for other in due:
                    self.next[other] = inf
                self.test(self.pairs[np.isin(self.faces[self.pairs].reshape(len(self.pairs), -1), corners).any(axis=1)])


@every_way
def test_separation_list_with_a_response_follows_brute_force(way):
    motion = soup(9, n=10, keys=2, spread=0.5, size=0.5)
    naive = Naive(motion)
    naive.run(most=10)
    made = SeparationList(motion, **way)

    def answer(made, contact):
        bounce(made, contact)
        made.check()

    found = reported(made.advance(1.0, answer))
    assert len(found) >= 10
    assert_same(found[:10], naive.log[:10])


def test_separation_list_response_sees_the_time_of_its_contact():
    motion = soup(10, n=10, keys=3)
    times = []
    found = SeparationList(motion).advance(2.0, lambda made, contact: times.append((made.time, contact.time)))
    assert len(times) == len(found) > 5
    assert all(now == pytest.approx(then, abs=1e-9) for now, then in times)
    assert_same(reported(found), all_contacts(motion))


@settings(max_examples=12)
@given(
    st.integers(0, 2**32 - 1),
    st.sampled_from(list(WAYS.values())),
    st.lists(st.sampled_from(["time", "plan", "jump", "add", "drop"]), max_size=6),
)
def test_separation_list_survives_changes_and_edits(seed, way, actions):
    rng = np.random.default_rng(seed)
    made = SeparationList(soup(seed % 1000, n=8, keys=3, size=0.4), **way)
    for action in actions:
        rows = rng.choice(24, 4, replace=False)
        if action == "time":
            made.advance(min(2.0, made.time + rng.exponential(0.4)))
        if made.time == 2.0:
            break
        live = np.flatnonzero(made._interval.alive)
        if action == "plan":
            made.change_flightplans(rows, rng.normal(size=(4, 3)))
        elif action == "jump":
            made.change_flightplans(rows, rng.normal(size=(4, 3)), rng.normal(size=(4, 3)))
        elif action == "add":
            new = made.add_vertices(rng.normal(size=(2, 3)), rng.normal(size=(2, 3)))
            made.add_faces([[*new, rows[0]]])
        elif action == "drop" and len(live) > 2:
            made.remove_faces(rng.choice(live, 2, replace=False))
        made.check()
    made.advance(2.0)
    made.check()


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("way", [WAYS["chord"], WAYS["kinetic, pruned by events"]], ids=["chord", "kinetic"])
def test_separation_list_of_a_cloth_follows_changes_of_some_vertices(way, seed):
    # Most fans around the changed vertices stay clear; those that do not are tested pair by pair. The check tests all.
    rng = np.random.default_rng(seed)
    motion = crumpling(seed, n=4, keys=3, amount=0.05)
    made = SeparationList(motion, **way)
    for share in (0.3, 0.7, 1.4):
        made.advance(motion.times[0] + share * (motion.times[1] - motion.times[0]))
        rows = rng.choice(25, 5, replace=False)
        made.change_flightplans(rows, made.velocities()[rows] + 0.2 * rng.normal(size=(5, 3)))
        made.check()
    made.advance(motion.times[-1])
    made.check()


@pytest.mark.parametrize("way", [WAYS["chord"], WAYS["kinetic, pruned by events"]], ids=["chord", "kinetic"])
def test_separation_list_of_close_layers_follows_changes_of_many_patches(way):
    # Layers that nearly touch: most pairs stay apart along the direction that is known, some do not, and some have contacts.
    layers = [crumpling(5, n=5, keys=3, amount=0.01) for _ in range(2)]
    below, above = layers[0], Deforming(layers[1].faces, layers[1].times, layers[1].vertices + (0.03, 0.02, 0.015))
    made = SeparationList(below, above, selves=True, **way)
    rng, found = np.random.default_rng(6), []
    for time in np.linspace(below.times[0], below.times[-1], 14)[1:-1]:
        found += reported(made.advance(time))
        positions = made.positions()
        centre = positions[rng.integers(len(positions))]
        rows = np.flatnonzero(np.linalg.norm(positions - centre, axis=1) < 0.3)
        made.change_flightplans(rows, made.velocities()[rows] + rng.normal(scale=0.1, size=3))
        made.check()
    assert len(found) > 10


def test_separation_list_marks_begin_anew_after_very_many_changes():
    motion = crumpling(3, n=4, keys=3, amount=0.05)
    plain, late = SeparationList(motion), SeparationList(motion)
    late._interval.lists.counts[CHANGES] = 2**31 - 3
    for made in (plain, late):
        for share in (0.1, 0.3, 0.5, 0.7, 0.9):
            made.advance(motion.times[0] + share * (motion.times[1] - motion.times[0]))
            made.change_flightplans([7, 8, 12], made.velocities()[[7, 8, 12]] + (0.0, 0.0, 0.1))
            made.check()
    assert late._interval.lists.counts[CHANGES] == 2
    assert reported(late.advance(motion.times[-1])) == reported(plain.advance(motion.times[-1]))


def test_separation_list_copy_goes_its_own_way():
    motion = soup(18, n=24, keys=4, spread=0.6, size=0.4)
    made, rows = SeparationList(motion, full_passes=False), np.arange(6)
    made.advance(0.5)
    made.change_flightplans(rows, np.ones((6, 3)))
    copied, again = copy.deepcopy(made), copy.deepcopy(made)
    copied.change_flightplans(rows, -np.ones((6, 3)))
    assert copied._interval.lists.pairs.record.ctypes.data % 128 == 0
    assert np.array_equal(made.velocities(), again.velocities())
    assert reported(made.advance(3.0)) == reported(again.advance(3.0)) != reported(copied.advance(3.0))


@pytest.mark.parametrize("as_given", [np.array, list, read_only, np.asfortranarray])
def test_separation_list_takes_flightplans_in_any_form(as_given):
    motion = soup(19, n=10)
    made, other = SeparationList(motion), SeparationList(motion)
    rows, rates, places = np.array([2, 5, 7]), np.arange(9.0).reshape(3, 3), np.arange(9.0).reshape(3, 3) / 7.0
    for each in (made, other):
        each.advance(0.5)
    other.change_flightplans(rows, rates, places)
    made.change_flightplans(as_given(rows), as_given(rates), as_given(places))
    assert np.array_equal(made.positions()[rows], places)
    assert np.allclose(made.velocities()[rows], rates)
    assert np.array_equal(made.velocities(), other.velocities())
    made.check()
    assert reported(made.advance(2.0)) == reported(other.advance(2.0))


def contacts_with_changes(motion, seed, share, when, full_passes):
    """Contacts of a list some vertices of which get other flightplans at `when` (parts of intervals)."""
    rng = np.random.default_rng(seed)
    made = SeparationList(motion, full_passes=full_passes)
    n = motion.vertices.shape[1]
    found = []
    for k, at in enumerate(when, start=1):
        found += reported(made.advance(motion.times[k] + at * (motion.times[k + 1] - motion.times[k])))
        rows = rng.choice(n, max(1, int(share * n)), replace=False)
        made.change_flightplans(rows, 0.3 * rng.normal(size=(len(rows), 3)))
        made.check()
    return found + reported(made.advance(motion.times[-1]))


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize(("share", "when"), [(0.05, (0.4, 0.0, 0.7)), (0.5, (0.0, 0.0)), (0.5, (0.3, 0.3))])
def test_separation_list_with_full_passes_equals_events_alone(seed, share, when):
    motion = soup(seed, n=24, keys=6, spread=0.6, size=0.4)
    passes, events = (contacts_with_changes(motion, seed, share, when, way) for way in (True, False))
    assert len(events) > 20
    assert passes == events


@pytest.mark.parametrize("prune", ["keys", "events"])
@pytest.mark.parametrize("boxes", ["chord", "kinetic"])
def test_separation_list_carried_over_keys_is_a_list_at_any_time(boxes, prune):
    motion = soup(17, n=24, keys=7, spread=0.6, size=0.4)
    events = SeparationList(motion, full_passes=False)
    passes = SeparationList(motion, boxes=boxes, prune=prune)
    for part in np.linspace(0.05, 0.98, 12):
        time = (1.0 - part) * motion.times[0] + part * motion.times[-1]
        assert reported(passes.advance(time)) == reported(events.advance(time))
        if part > 0.5:
            passes.check()  # takes up the events of the interval; the next key is passed in one go again
    assert reported(passes.advance(motion.times[-1])) == reported(events.advance(motion.times[-1]))


@pytest.mark.parametrize("seed", range(3))
def test_separation_list_leaves_out_pairs_that_are_far_apart_over_many_keys(seed):
    # Slow ways over twenty keys: most pairs are apart over six of them, and some come together later.
    rng = np.random.default_rng(seed)
    base = soup(seed, n=60, keys=2, spread=1.0, size=0.3).vertices[0].reshape(60, 3, 3)
    ways = rng.normal(size=(60, 1, 3))
    keys = [base + 0.6 * np.sin(0.25 * k + np.arange(60)[:, None, None]) * ways for k in range(20)]
    motion = Deforming(np.arange(180).reshape(60, 3), np.arange(20.0), np.reshape(keys, (20, 180, 3)))
    passes, events = SeparationList(motion), SeparationList(motion, full_passes=False)
    found, expected, least = [], [], inf
    for time in np.arange(0.5, 19.0, 1.0).tolist():
        found += reported(passes.advance(time))
        expected += reported(events.advance(time))
        pairs = passes._interval.lists.pairs
        live = (pairs.record[: pairs.pool[TOP], PAIR_STATE] != PAIR_FREE).sum()
        if passes._interval._pass is not None:
            least = min(least, passes._interval._pass._progress[ACTIVE] / live)
    assert len(expected) > 50
    assert found == expected
    assert least < 0.7
    passes.check()


def test_separation_list_carried_over_a_key_makes_room_for_pairs():
    # Two clouds far apart come together: thousands of pairs are opened where there was one, and dropped when they part.
    a, b = soup(18, n=60, keys=2, size=2.0), soup(19, n=60, keys=2, size=2.0)
    near, far = a.vertices[0], a.vertices[0] + [50.0, 0.0, 0.0]
    moving = Deforming(a.faces, np.arange(5.0), np.stack([far, far + 1.0, near, far, far + 1.0]))
    still = Deforming(b.faces, np.arange(5.0), np.stack([b.vertices[0]] * 5))
    made = SeparationList(moving, still)
    interval = made._interval
    made.advance(0.5)
    before = len(interval.lists.pairs.record)
    found = reported(made.advance(2.0))
    assert len(found) > 100
    assert len(interval.lists.pairs.record) > before
    found += reported(made.advance(4.0))
    pairs = np.stack(np.meshgrid(np.arange(60), np.arange(60, 120), indexing="ij"), -1).reshape(-1, 2)
    assert_same(found, [(t, i, j - 60) for t, i, j in all_contacts(joined(moving, still), pairs)])
    pairs = interval.lists.pairs
    assert (pairs.record[: pairs.pool[TOP], PAIR_STATE] != PAIR_FREE).sum() == 1
    made.check()


def test_separation_list_reports_a_triangle_that_is_put_in_the_way():
    still = Deforming([[0, 1, 2]], [0.0, 4.0], np.array([[[0, 0, 0], [1, 0, 0], [0, 1, 0.0]]] * 2))
    made = SeparationList(still)
    assert len(made.advance(1.0)) == 0
    corners = made.add_vertices([[0.2, 0.2, 1.0], [0.2, 0.3, 2.0], [0.3, 0.2, 2.0]], [[0, 0, -0.5]] * 3)
    assert made.add_faces([corners]).tolist() == [1]
    assert len(made.advance(2.9)) == 0
    found = made.advance(4.0)
    assert found.faces.tolist() == [[0, 1]]
    assert found.times[0] == pytest.approx(3.0, abs=1e-9)
    assert found[0].kind == "face-vertex"


@pytest.mark.parametrize("below", [0, 1])
def test_separation_list_names_bodies_of_added_triangles_in_order(below):
    """Triangles added to body 0 have higher rows than those of body 1; contacts come as (0, 1) all the same."""
    flat = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0.0]])
    bodies = [Deforming([[0, 1, 2]], [0.0, 4.0], [flat + (0, 0, z)] * 2) for z in (-9.0, 0.0)]
    made = SeparationList(*bodies, selves=True)
    corners = made.add_vertices([[0.2, 0.2, 1.0], [0.2, 0.3, 2.0], [0.3, 0.2, 2.0]], [[0, 0, -0.5]] * 3)
    others = made.add_vertices([[0.2, 0.2, 1.5], [0.2, 0.3, 2.5], [0.3, 0.2, 2.5]], [[0, 0, -0.5]] * 3)
    assert made.add_faces([corners], body=below).tolist() == [1]
    assert made.add_faces([others], body=1 - below).tolist() == [1]
    found = made.advance(3.5)
    hits = [(c.body_a, c.face_a, c.body_b, c.face_b, c.kind) for c in found]
    first = (0, 1, 1, 0, "vertex-face") if below == 0 else (1, 0, 1, 1, "face-vertex")
    second = (1, 0, 1, 1, "face-vertex") if below == 0 else (0, 1, 1, 0, "vertex-face")
    assert hits[0] == first
    assert hits[-1] == second
    assert (found.bodies[:, 0] <= found.bodies[:, 1]).all()
    order = np.lexsort((found.faces[:, 1], found.bodies[:, 1], found.faces[:, 0], found.bodies[:, 0], found.times))
    assert np.array_equal(order, np.arange(len(found)))


def test_separation_list_forgets_removed_triangles():
    motion = crumpling(11)
    made = SeparationList(motion)
    made.remove_faces([0, 1, 2])
    kept = np.stack(np.triu_indices(len(motion.faces), 1), axis=1)
    found = reported(made.advance(motion.times[-1]))
    assert_same(found, all_contacts(motion, kept[(kept > 2).all(axis=1)]))


def test_separation_list_compares_a_still_mesh_with_itself_once_it_moves():
    faces, flat = cloth(1)
    far = flat + [0.0, 0.0, 1.0]
    still = Deforming(np.concatenate([faces, faces + 4]), [0.0, 4.0], np.stack([np.concatenate([flat, far])] * 2))
    made = SeparationList(still)
    made.advance(1.0)
    made.change_flightplans([4, 5, 6, 7], np.broadcast_to([0.0, 0.0, -0.5], (4, 3)))
    found = made.advance(4.0)
    assert len(found) > 0
    np.testing.assert_allclose(found.times, 3.0, atol=1e-9)


def test_separation_list_check_sees_what_is_wrong():
    made = SeparationList(crumpling(12, n=3), boxes="kinetic")
    queue = made._interval.queue
    base = int(made._interval.lists.rules[0])
    pair = int(np.argmin(queue.keys[base : len(queue)]))
    queue.set(base + pair, inf)
    with pytest.raises(AuditError, match="as queued"):
        made.check()
    made = SeparationList(crumpling(12, n=3))
    made._interval.lists.pairs.record[:, 2][made._interval.lists.pairs.record[:, 2] < 6] = 10
    with pytest.raises(AuditError, match="covered 0 times"):
        made.check()


def test_separation_list_refuses_bad_input():
    motion = soup(13, n=3)
    made = SeparationList(motion)
    made.advance(0.5)
    for call, words in (
        (lambda: SeparationList(3), "a is int; expected Deforming"),
        (lambda: SeparationList(motion, boxes="obb"), "boxes is 'obb'; expected one of chord, kinetic"),
        (lambda: SeparationList(motion, prune="never"), "prune is 'never'"),
        (lambda: SeparationList(motion, queue="calendar"), "queue is 'calendar'"),
        (lambda: made.advance(0.4), "until is 0.4; expected 0.5 to 2.0"),
        (lambda: made.advance(2.1), "expected 0.5 to 2.0"),
        (lambda: made.advance(nan), "nan"),
        (lambda: made.change_flightplans([9], [[0, 0, 0]]), r"vertices\[0\] is 9"),
        (lambda: made.change_flightplans([1], [[0, 0]]), r"velocities has shape \(1, 2\)"),
        (
            lambda: made.change_flightplans(np.array([1, 9]), np.zeros((2, 3))),
            r"vertices\[1\] is 9; expected a whole number",
        ),
        (lambda: made.change_flightplans(np.array([-1]), np.zeros((1, 3))), r"vertices\[0\] is -1"),
        (lambda: made.change_flightplans(np.array([1, 2, 1]), np.zeros((3, 3))), "vertices holds 1 twice"),
        (lambda: made.change_flightplans(np.array([1]), np.array([[0.0, nan, 0.0]])), r"velocities\[0, 1\] is nan"),
        (
            lambda: made.change_flightplans(np.array([1]), np.zeros((1, 3)), np.full((1, 3), inf)),
            r"positions\[0, 0\] is inf",
        ),
        (
            lambda: made.change_flightplans(np.array([1]), np.zeros((1, 3)), np.empty((0, 3))),
            r"positions has shape \(0, 3\)",
        ),
        (lambda: made.change_flightplans(np.array([1]), np.zeros((2, 3))), r"velocities has shape \(2, 3\)"),
        (lambda: made.add_faces([[0, 1, 9]]), r"faces\[0\]"),
        (lambda: made.add_faces([[0, 1, 2]], body=1), "body is 1; expected 0 to 0"),
        (lambda: made.remove_faces([3]), "from 0 to 2"),
        (lambda: made.remove_faces([0, 1, 2]), "expected one at least to stay"),
    ):
        with pytest.raises(InvalidInputError, match=words):
            call()
    assert np.array_equal(made.velocities(), SeparationList(motion).velocities())
    made.check()
    made.advance(2.0)
    with pytest.raises(InvalidInputError, match="holds 1 twice"):
        made.change_flightplans(np.array([1, 1]), np.zeros((2, 3)))
    with pytest.raises(InvalidInputError, match="nothing can change any more"):
        made.change_flightplans([1], [[0, 0, 0]])
