from __future__ import annotations

import numpy as np
import pytest

import carom
from carom.deform.chord_front import search as front_search
from carom.deform.chord_front import swept_tree
from carom.deform.chord_front.front import FRONT_BLOCK
from carom.deform.model.overlaps import overlapping
from scenarios.deform_samples import all_pairs, crumpled_cloth, first_contacts, grid_cloth, shared, triangle_soup

WAYS = [{"method": "chord-front"}, {"method": "swept"}, {"method": "swept", "frames": 7}]


def naive_every(deforming):
    """[(key, a, b, fraction, code)] of every pair in every interval."""
    found = []
    for key in range(len(deforming.times) - 1):
        start, end = deforming.vertices[key], deforming.vertices[key + 1]
        for (a, b), (fraction, code) in first_contacts(
            deforming.faces, start, end, all_pairs(len(deforming.faces))
        ).items():
            found.append((key, a, b, fraction, code))
    return sorted(found)


def rows(contacts):
    return sorted(
        (int(k), int(a), int(b), float(f))
        for k, a, b, f, kind in zip(
            contacts.keys, contacts.face_a, contacts.face_b, contacts.fractions, contacts.kinds, strict=True
        )
        if kind != 3
    )


def falling_triangle():
    """A small triangle that falls flat through a large one, at half time."""
    large = [[-3.0, -3.0, 0.0], [3.0, -3.0, 0.0], [0.0, 4.0, 0.0]]
    small = [[0.0, 0.0, 1.0], [0.5, 0.0, 1.2], [0.0, 0.5, 1.2]]
    start = np.array(large + small)
    end = start.copy()
    end[3:, 2] -= 2.0
    return carom.Deforming([[0, 1, 2], [3, 4, 5]], [2.0, 4.0], [start, end])


def test_check_falling_triangle_touches_with_its_lowest_corner_at_half_time():
    found = carom.self_contacts(falling_triangle())
    assert len(found) == 1
    contact = found[0]
    assert contact.time == pytest.approx(3.0, abs=1e-11)
    assert contact.time <= 3.0
    assert (contact.face_a, contact.face_b, contact.kind) == (0, 1, "face-vertex")
    assert contact.point == pytest.approx([0.0, 0.0, 0.0], abs=1e-9)
    assert contact.normal == pytest.approx([0.0, 0.0, 1.0])
    assert contact.speed == pytest.approx(1.0)
    assert contact.barycentric_b == pytest.approx([1.0, 0.0, 0.0])
    assert contact.barycentric_a @ np.array([[-3.0, -3.0], [3.0, -3.0], [0.0, 4.0]]) == pytest.approx(
        [0.0, 0.0], abs=1e-9
    )


@pytest.mark.parametrize("way", WAYS, ids=str)
@pytest.mark.parametrize("seed", range(3))
def test_check_crumpled_cloth_agrees_with_every_feature_of_every_pair(way, seed):
    cloth = crumpled_cloth(np.random.default_rng(seed), n=4)
    naive = naive_every(cloth)
    assert len(naive) > 20
    assert any(shared(cloth.faces, a, b) for _, a, b, _, _ in naive)
    found = carom.self_contacts(cloth, every=True, **way)
    assert rows(found) == [row[:4] for row in naive]


@pytest.mark.parametrize("way", WAYS, ids=str)
def test_check_soup_agrees_with_every_feature_of_every_pair(way):
    soup = triangle_soup(np.random.default_rng(5), n=28)
    naive = naive_every(soup)
    assert len(naive) > 10
    assert rows(carom.self_contacts(soup, every=True, **way)) == [row[:4] for row in naive]


@pytest.mark.parametrize("way", WAYS, ids=str)
@pytest.mark.parametrize("seed", range(2))
def test_check_lattice_motion_full_of_exact_touches_agrees_with_every_feature(way, seed):
    rng = np.random.default_rng(seed)
    _, faces = grid_cloth(3)
    cloth = carom.Deforming(faces, range(4), rng.integers(-2, 3, (4, 16, 3)) * 0.1)
    soup = carom.Deforming(np.arange(30).reshape(10, 3), range(4), rng.integers(-2, 3, (4, 30, 3)) * 0.1)
    for body in (cloth, soup):
        assert rows(carom.self_contacts(body, every=True, **way)) == [row[:4] for row in naive_every(body)]


def test_check_flat_cloth_that_stays_flat_has_no_contact():
    flat, faces = grid_cloth(6)
    slid = flat * (1.1, 0.9, 1.0) + (0.3, 0.1, 0.0)
    assert len(carom.self_contacts(carom.Deforming(faces, [0, 1], [flat, slid]))) == 0


def test_check_cloth_that_folds_onto_itself_touches_neighbours():
    # Two triangles hinged at an edge close like a book: they meet all over at the end.
    start = np.array([[0.0, 0, 0], [0, 1, 0], [1, 0.5, 0], [-1, 0.5, 0]])
    end = start.copy()
    end[3] = (1.5, 0.5, 0.0)
    end[2] = (0.5, 0.5, 0.0)
    book = carom.Deforming([[0, 2, 1], [0, 1, 3]], [0, 1], [start, end])
    found = carom.self_contacts(book)
    assert len(found) == 1
    assert found.fractions[0] < 1.0


def test_check_between_bodies_agrees_with_every_feature_of_every_pair():
    rng = np.random.default_rng(11)
    a, b = triangle_soup(rng, n=15), triangle_soup(rng, n=16)
    both = carom.Deforming(
        np.concatenate([a.faces, b.faces + a.vertices.shape[1]]),
        a.times,
        np.concatenate([a.vertices, b.vertices], axis=1),
    )
    naive = [(k, p, q - 15, f) for k, p, q, f, _ in naive_every(both) if p < 15 <= q]
    assert len(naive) > 5
    found = carom.contacts(a, b, every=True)
    assert rows(found) == sorted(naive)
    assert (found.body_a == 0).all()
    assert (found.body_b == 1).all()
    assert rows(carom.deform.check([a, b], self_collision=False, every=True)) == sorted(naive)


def test_check_bodies_with_other_keys_meet_at_all_of_them():
    floor = carom.Deforming([[0, 1, 2]], [0, 10], [[[-5, -5, 0], [5, -5, 0], [0, 5, 0]]] * 2)
    drop = carom.Deforming(
        [[0, 1, 2]],
        [1, 2, 4],
        np.array([[0, 0, 1.0], [1, 0, 1], [0, 1, 2]]) + np.array([0, -0.5, -2.5])[:, None, None] * (0, 0, 1),
    )
    found = carom.contacts(floor, drop)
    assert found.times == pytest.approx([2.5], abs=1e-11)
    assert found.keys.tolist() == [2]


def test_check_every_method_gives_the_same_log_bit_for_bit():
    cloth = crumpled_cloth(np.random.default_rng(9), n=9, keys=12, jump=0.35)
    logs = [carom.self_contacts(cloth, **way) for way in (*WAYS, {"threads": 2}, {"threads": 1})]
    assert len(logs[0]) > 100
    for log in logs[1:]:
        for column in ("times", "face_a", "face_b", "kinds", "points", "normals"):
            assert np.array_equal(getattr(logs[0], column), getattr(log, column)), column
    assert (np.diff(logs[0].times) >= 0.0).all()


def test_check_small_buffers_are_enlarged_and_lose_nothing(monkeypatch):
    cloth = crumpled_cloth(np.random.default_rng(9), n=8, keys=4)
    whole = carom.self_contacts(cloth, every=True)
    monkeypatch.setattr(front_search, "_BATCH", FRONT_BLOCK)
    monkeypatch.setattr(swept_tree, "_BATCH", 3)
    for method in carom.deform.METHODS:
        assert rows(carom.self_contacts(cloth, every=True, method=method)) == rows(whole)


def test_check_a_pair_is_new_only_after_it_was_apart_at_a_key():
    heights = [1.0, -0.5, -0.4, -0.6, 1.0, -1.0]  # in, stays in twice, out, in again
    large = np.array([[-3.0, -3.0, 0.0], [3.0, -3.0, 0.0], [0.0, 4.0, 0.0]])
    small = np.array([[0.0, 0.0, 0.0], [0.5, 0.0, 0.7], [0.0, 0.5, 0.8]])
    keys = [np.concatenate([large, small + (0, 0, h)]) for h in heights]
    body = carom.Deforming([[0, 1, 2], [3, 4, 5]], range(6), keys)
    assert carom.self_contacts(body).keys.tolist() == [0, 4]
    every = carom.self_contacts(body, every=True).keys.tolist()
    assert every[0] == 0
    assert len(every) > 2


def test_check_pairs_that_start_in_each_other_are_reported_at_the_first_key():
    cloth = crumpled_cloth(np.random.default_rng(4), n=5, keys=3, jump=2.0)
    later = carom.Deforming(cloth.faces, cloth.times[1:], cloth.vertices[1:])
    pairs = np.array([p for p in all_pairs(len(cloth.faces)) if not shared(cloth.faces, *p)], np.int32)
    inside = pairs[overlapping(later.faces, later.vertices[0], pairs)]
    found = carom.self_contacts(later)
    begun = found.kinds == 3
    assert begun.sum() == len(inside) > 0
    assert (found.times[begun] == later.times[0]).all()
    assert sorted(zip(found.face_a[begun], found.face_b[begun], strict=True)) == sorted(map(tuple, inside.tolist()))
    assert np.isfinite(found.points).all()


def test_check_until_cuts_the_search_off():
    cloth = crumpled_cloth(np.random.default_rng(2), n=5, keys=6)
    whole, part = carom.self_contacts(cloth), carom.self_contacts(cloth, until=1.2)
    assert len(part) == (whole.times <= 1.2).sum() > 0
    assert part.stats.intervals == 3
    assert np.array_equal(part.times, whole.times[: len(part)])


def test_check_tells_its_progress():
    seen = []
    carom.self_contacts(
        crumpled_cloth(np.random.default_rng(2)), progress=lambda done, total: seen.append((done, total))
    )
    assert seen == [(1, 3), (2, 3), (3, 3)]


def test_check_scale_and_place_do_not_change_what_touches():
    cloth = crumpled_cloth(np.random.default_rng(3), n=4)
    scaled = carom.Deforming(cloth.faces, cloth.times, cloth.vertices * 2.0**-30)
    assert rows(carom.self_contacts(scaled, every=True)) == rows(carom.self_contacts(cloth, every=True))


def test_check_contacts_lie_on_both_triangles():
    cloth = crumpled_cloth(np.random.default_rng(8), n=6)
    found = carom.self_contacts(cloth)
    for contact, key, share in zip(found, found.keys, found.fractions, strict=True):
        if contact.kind == "overlapping":
            continue
        vertices = (1 - share) * cloth.vertices[key] + share * cloth.vertices[key + 1]
        on_a = contact.barycentric_a @ vertices[cloth.faces[contact.face_a]]
        on_b = contact.barycentric_b @ vertices[cloth.faces[contact.face_b]]
        assert on_a == pytest.approx(on_b, abs=1e-9)
        assert contact.point == pytest.approx(on_a, abs=1e-9)
        assert np.linalg.norm(contact.normal) == pytest.approx(1.0)
        assert contact.speed >= 0.0


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"method": "magic"}, "method is 'magic'"),
        ({"frames": 0}, "frames is 0"),
        ({"until": 2.0}, "until is 2.0"),
    ],
)
def test_check_bad_options_get_one_clear_error(change, message):
    with pytest.raises(carom.InvalidInputError, match=message):
        carom.self_contacts(falling_triangle(), **change)


def test_check_bad_bodies_are_refused():
    body = falling_triangle()
    with pytest.raises(carom.InvalidInputError, match="empty"):
        carom.deform.check([])
    with pytest.raises(carom.InvalidInputError, match=r"bodies\[1\] is 'cloth'"):
        carom.deform.check([body, "cloth"])
    with pytest.raises(carom.InvalidInputError, match="one Deforming"):
        carom.deform.check(body)


@pytest.mark.parametrize("method", ["chord-front", "swept"])
@pytest.mark.parametrize(("first", "last"), [(0.0, 0.25), (2.5, 3.0), (7.0, 9.0), (-3.0, -1.0)])
def test_check_bodies_rest_before_their_first_and_after_their_last_key(method, first, last):
    # A corner comes down by 1 m/s from 2 m onto a floor that moves a little, far below, at other times.
    floor = np.array([[-2, -2, 0], [2, -2, 0], [0, 2, 0], [-2, -2, -9], [2, -2, -9], [0, 2, -8]], float)
    shaken = floor.copy()
    shaken[5, 2] = -9.0
    ground = carom.Deforming([[0, 1, 2], [3, 4, 5]], [first, last], [floor, shaken])
    corner = np.array([[0, 0, 0], [0.5, 0, 1], [0, 0.5, 1]])
    cloth = carom.Deforming([[0, 1, 2]], [0.0, 2.5], [corner + (0, 0, 2), corner - (0, 0, 0.5)])
    found = carom.contacts(cloth, ground, method=method)
    assert [contact.time for contact in found] == [pytest.approx(2.0, abs=1e-9)]
    assert found.times[0] <= 2.0
    listed = carom.deform.SeparationList(cloth, ground)
    assert listed.time == min(0.0, first)
    assert listed.last_time == max(2.5, last)
    times = np.concatenate([listed.advance(t).times for t in (1.0, listed.last_time)])
    assert times[0] == found.times[0]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (([[0, 1, 2]], [0.0], np.zeros((1, 3, 3))), "times has 1 key;"),
        (([[0, 1, 2]], [0.0, 0.0], np.zeros((2, 3, 3))), r"times\[1\]"),
        (([[0, 1, 3]], [0.0, 1.0], np.zeros((2, 3, 3))), r"faces\[0\]"),
        (([[0, 1, 2]], [0.0, 1.0], np.zeros((3, 3, 3))), r"expected \(2, n, 3\), since times has 2 keys"),
        (([[0, 1, 2]], [0.0, 1.0], np.full((2, 3, 3), np.nan)), r"vertices\[0, 0, 0\] is nan"),
        ((np.empty((0, 3)), [0.0, 1.0], np.zeros((2, 3, 3))), "faces is empty"),
    ],
)
def test_deforming_bad_input_gets_one_clear_error(arguments, message):
    with pytest.raises(carom.InvalidInputError, match=message):
        carom.Deforming(*arguments)


def test_deforming_is_linear_between_keys_and_still_outside():
    body = falling_triangle()
    assert body.vertices_at(3.0)[3] == pytest.approx([0.0, 0.0, 0.0])
    assert np.array_equal(body.vertices_at(-1.0), body.vertices[0])
    assert np.array_equal(body.vertices_at(9.0), body.vertices[1])
    assert not body.is_still


@pytest.mark.parametrize("closed", [True, False], ids=["closed", "open"])
def test_check_fans_that_wind_about_agree_with_every_feature_of_every_pair(closed):
    # A rim that goes once or twice round its hub, bent up and down: flat proofs must not hide that it meets itself.
    rng = np.random.default_rng(1)
    met = 0
    for trial in range(60):
        n = int(rng.integers(3, 11))
        turns = rng.choice([0.7, 1.0, 1.2, 2.0])
        angle = 2.0 * np.pi * turns * (np.arange(n) + rng.uniform(-0.2, 0.2, n)) / n
        rim = np.stack([np.cos(angle), np.sin(angle), rng.normal(scale=0.15, size=n)], axis=1)
        rim *= rng.uniform(0.6, 1.4, (n, 1))
        start = np.concatenate([np.zeros((1, 3)), rim])
        end = start + rng.normal(scale=rng.choice([0.05, 0.4]), size=start.shape)
        last = n if closed else n - 1
        faces = [[0, 1 + k, 1 + (k + 1) % n] for k in range(last)]
        fan = carom.Deforming(faces, [0, 1], [start, end])
        naive = naive_every(fan)
        met += len(naive)
        assert rows(carom.self_contacts(fan, every=True)) == [row[:4] for row in naive], trial
    assert met > 30


def test_check_open_fan_that_closes_within_the_interval_touches_itself():
    # The rim goes from 0 to 350 degrees; its last vertex moves on past the first: seen from above nothing turns over.
    angles = np.radians([0.0, 70.0, 140.0, 210.0, 280.0, 350.0])
    rim = np.stack([np.cos(angles), np.sin(angles), np.zeros(6)], axis=1)
    start = np.concatenate([np.zeros((1, 3)), rim])
    for height in (0.0, 0.05):
        end = start.copy()
        end[6] = (0.8 * np.cos(np.radians(375.0)), 0.8 * np.sin(np.radians(375.0)), height)
        start[6, 2] = -height
        fan = carom.Deforming([[0, k, k + 1] for k in range(1, 6)], [0, 1], [start, end])
        naive = naive_every(fan)
        assert len(naive) > 0
        assert rows(carom.self_contacts(fan, every=True)) == [row[:4] for row in naive]


def test_contacts_tell_how_many_they_are_when_printed():
    cloth = crumpled_cloth(np.random.default_rng(9), n=6, keys=4, jump=0.35)
    found = carom.self_contacts(cloth)
    assert repr(found).startswith(f"DeformContacts({len(found)} contacts from t = ")
    listed = carom.deform.SeparationList(cloth)
    assert repr(listed) == f"SeparationList(72 triangles, t = 0 of {cloth.times[-1]:.6g} s)"
    assert repr(listed.advance(float(cloth.times[-1]))).startswith("SeparationContacts(")
    assert repr(listed.advance(float(cloth.times[-1]))) == "SeparationContacts(no contacts)"
    assert repr(carom.deform.KineticTree.following(cloth)) == "KineticTree(72 triangles, 49 vertices, t = 0 s)"


@pytest.mark.parametrize("method", ["chord-front", "swept"])
@pytest.mark.parametrize("rise", [0.0, 0.5, -0.5])
@pytest.mark.parametrize("keys", [2, 5])
def test_check_reports_what_overlaps_at_the_start_whether_it_moves_or_not(method, rise, keys):
    """Two crossing triangles, at rest, coming closer or parting, and a third that is apart and joined to the first."""
    flat = np.array([[-1, -1, 0], [1, -1, 0], [0, 1, 0], [5, 5, 5]], float)
    upright = np.array([[0, 0, -0.5], [0, 0.1, 0.5], [0.1, 0, 0.5]])
    times = np.linspace(0.0, 1.0, keys)
    first = carom.Deforming([[0, 1, 2], [1, 2, 3]], times, [flat] * keys)
    second = carom.Deforming([[0, 1, 2]], times, [upright + (0, 0, rise * t) for t in times])
    both = carom.Deforming(
        [[0, 1, 2], [1, 2, 3], [4, 5, 6]], times, np.concatenate([first.vertices, second.vertices], axis=1)
    )
    for found, b in (
        (carom.contacts(first, second, method=method), (1, 0)),
        (carom.deform.check([first, second], method=method), (1, 0)),
        (carom.self_contacts(both, method=method), (0, 2)),
    ):
        assert found.times[0] == 0.0
        assert found[0].kind == "overlapping"
        assert (found.body_a[0], found.face_a[0], found.body_b[0], found.face_b[0]) == (0, 0, *b)
        assert np.isfinite(found.points[0]).all()
        assert np.linalg.norm(found.normals[0]) == pytest.approx(1.0)
        assert np.count_nonzero((found.face_a == 0) & (found.face_b == b[1])) == 1
