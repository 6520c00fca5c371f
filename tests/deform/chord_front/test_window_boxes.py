"""Boxes of all nodes at all keys of a window, in steps and in single precision, and the front that relies on them."""

import numpy as np
import pytest

from carom._compile.jit import lean_kernel
from carom.deform import check
from carom.deform.chord_front import search as front_search
from carom.deform.chord_front.chord_boxes import MOST_KEYS
from carom.deform.chord_front.front import FRONT_BLOCK
from carom.deform.chord_front.window_boxes import MOST_INTERVALS, OneInterval, WindowBoxes, window_cuts
from carom.deform.model.assembly import assemble
from carom.deform.model.contact_log import OVERLAPPING
from carom.deform.model.vertex_envelope import Keys
from carom.deform.triangles.lanes.chord_boxes import meeting_intervals, meeting_window
from carom.motion import Deforming
from scenarios.moving_meshes import cloth, crumpling, soup

COLUMNS = ("times", "face_a", "face_b", "kinds", "points", "normals")


def with_outlier(body, far):
    """The body with one more triangle, far away: steps become too long, boxes are of single precision."""
    corners = np.array([[far, 0.0, 0.0], [far + 1.0, 0.0, 0.0], [far, 1.0, 0.0]])
    at = np.concatenate([body.vertices, np.tile(corners, (len(body.times), 1, 1))], axis=1)
    n = body.vertices.shape[1]
    return Deforming(np.concatenate([body.faces, [[n, n + 1, n + 2]]]), body.times, at)


def fitted(body, first=0, intervals=MOST_INTERVALS):
    assembly = assemble([body], np.inf, itself=True, each_other=False)
    keys = Keys(assembly, intervals)
    keys.begin_at(first)
    window = WindowBoxes(assembly)
    window.fit(keys.places, keys.rows(first + intervals))
    return assembly, window


@pytest.mark.parametrize("intervals", [1, 6, 7, 8, 13, 14, 25, 701])
def test_window_cuts_are_few_and_even(intervals):
    cuts = window_cuts(intervals)
    lengths = np.diff(cuts)
    assert (cuts[0], cuts[-1], len(lengths)) == (0, intervals, -(-intervals // MOST_INTERVALS))
    assert lengths.max() <= MOST_INTERVALS
    assert lengths.max() - lengths.min() <= 1


@pytest.mark.parametrize("far", [0.0, 1e5])
@pytest.mark.parametrize("first", [0, 2])
def test_window_boxes_hold_every_triangle_below_at_every_key(far, first):
    body = crumpling(3, n=6, keys=12)
    body = with_outlier(body, far) if far else body
    assembly, window = fitted(body, first)
    assert window.boxes.dtype == (np.float32 if far else np.int16)
    tree, origin = assembly.tree, assembly.origin[:3]
    sides = window.boxes.reshape(len(tree), MOST_KEYS, 8).astype(float) / (window._steps or 1.0)
    loose = 1.0 / window._steps if window._steps else 1e-6 * far
    for key in range(MOST_KEYS):
        corners = body.vertices[first + key][body.faces] - origin
        low, high = np.empty((2, len(tree), 3))
        for node in range(len(tree) - 1, -1, -1):
            if tree.left[node] < 0:
                low[node], high[node] = corners[tree.face[node]].min(axis=0), corners[tree.face[node]].max(axis=0)
            else:
                below = [tree.left[node], tree.right[node]]
                low[node], high[node] = low[below].min(axis=0), high[below].max(axis=0)
        for truth, fitted_sides in ((-low, sides[:, key, :3]), (high, sides[:, key, 3:6])):
            assert (fitted_sides >= truth).all()
            assert (fitted_sides <= truth + 1.01 * loose).all()
    assert (sides[:, :, 6:] == 0.0).all()


@lean_kernel
def _meetings(boxes, pairs, interval, masks, windows):
    width = boxes.shape[1]
    for k in range(len(pairs)):
        a, b = pairs[k, 0], pairs[k, 1]
        masks[k] = meeting_intervals(boxes, a, b)
        first, last = meeting_window(boxes, width * a + 8 * interval, width * b + 8 * interval, 0)
        windows[k, 0] = first
        windows[k, 1] = last


@pytest.mark.parametrize("far", [0.0, 1e5])
def test_meeting_intervals_and_windows_hold_all_times_at_which_boxes_of_triangles_meet(far):
    body = soup(5, n=40, keys=8)
    body = with_outlier(body, far) if far else body
    assembly, window = fitted(body)
    leaves = assembly.tree.leaves()
    rng = np.random.default_rng(0)
    faces = rng.integers(0, 40, (1500, 2))
    pairs = leaves[faces]
    together = 0
    for interval in range(len(window)):
        masks, windows = np.empty(len(pairs), np.int64), np.empty((len(pairs), 2))
        _meetings(window.boxes, pairs, interval, masks, windows)
        flagged = (masks >> (8 * interval + 7)) & 1 == 1
        for share in np.linspace(0.0, 1.0, 33):
            at = (1.0 - share) * body.vertices[interval] + share * body.vertices[interval + 1]
            corners = at[body.faces]
            low, high = corners.min(axis=1), corners.max(axis=1)
            meet = ((low[faces[:, 0]] <= high[faces[:, 1]]) & (low[faces[:, 1]] <= high[faces[:, 0]])).all(axis=1)
            assert flagged[meet].all()
            assert (windows[meet, 0] <= share).all()
            assert (share <= windows[meet, 1]).all()
            together += meet.sum()
        assert not flagged.all()
    assert together > 1000


def test_one_interval_boxes_are_those_of_its_two_keys():
    body = crumpling(4, n=4, keys=2)
    assembly = assemble([body], np.inf, itself=True, each_other=False)
    start, end = assembly.vertices(0), assembly.vertices(1)
    window = OneInterval(assembly, start, end)
    root = window.boxes[0].reshape(2, 8).astype(float)
    middle = 0.5 * (start.min(axis=0) + start.max(axis=0))[:3]
    for places, sides in zip((start, end), root, strict=True):
        np.testing.assert_allclose(middle - sides[:3], places[:, :3].min(axis=0), atol=1e-6)
        np.testing.assert_allclose(middle + sides[3:6], places[:, :3].max(axis=0), atol=1e-6)
    assert len(window) == 1


@pytest.mark.parametrize("far", [0.0, 1e5, 1e9])
@pytest.mark.parametrize("motion", [crumpling(2, n=8, keys=17), soup(6, n=60, keys=16)], ids=["cloth", "soup"])
def test_check_finds_the_same_with_boxes_in_steps_and_in_single_precision(motion, far):
    plain = check([motion], every=True, method="swept")
    found = check([with_outlier(motion, far) if far else motion], every=True)
    assert len(plain.times) > 50
    for column in COLUMNS:
        np.testing.assert_array_equal(getattr(found, column), getattr(plain, column))


@pytest.mark.parametrize("scale", [1e-315, 1e-302, 1e-150, 1e150])
def test_check_finds_the_same_in_scenes_of_any_size(scale):
    motion = soup(6, n=40, keys=9)
    scaled = Deforming(motion.faces, motion.times, scale * motion.vertices)
    plain, found = (check([scaled], every=True, method=method) for method in ("swept", "chord-front"))
    # Which triangles start in each other is told with room to spare where squares overflow or underflow.
    ours, theirs = (log.kinds != OVERLAPPING for log in (found, plain))
    assert theirs.sum() > 500
    for column in ("times", "face_a", "face_b", "kinds"):
        np.testing.assert_array_equal(getattr(found, column)[ours], getattr(plain, column)[theirs])


def test_check_finds_the_same_with_hardly_any_room(monkeypatch):
    motion = soup(7, n=150, keys=9)
    plain = check([motion], every=True)
    monkeypatch.setattr(front_search, "_BATCH", FRONT_BLOCK)
    stacks = []
    with_room = front_search._with_room
    monkeypatch.setattr(front_search, "_with_room", lambda rows, room: stacks.append(room) or with_room(rows, room))
    found = check([motion], every=True)
    assert len(found.times) > FRONT_BLOCK
    assert stacks
    for column in COLUMNS:
        np.testing.assert_array_equal(getattr(found, column), getattr(plain, column))


def test_check_of_a_mesh_that_is_all_in_one_place_ends():
    faces, flat = cloth(2)
    body = Deforming(faces, [0.0, 1.0, 2.0], np.zeros((3, *flat.shape)))
    assert len(check([body], every=True).times) == len(check([body], every=True, method="swept").times)
