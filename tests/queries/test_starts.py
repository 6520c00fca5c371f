"""Shapes that overlap or touch at the start of a time of impact or of a cast: every pairing, whichever way they move."""

from __future__ import annotations

import functools

import numpy as np
import pytest

import carom
from carom.queries.toi_dispatch import quaternions_of
from geometry.shapes_in_pairs import BOUNDED, PAIRS, SHAPES, moved, random_poses

BOTH_WAYS = [*PAIRS, *[(b, a) for a, b in PAIRS if a != b]]
WAYS = {
    "resting": ((0.0, 0.0, 0.0), (0.0, 0.0, 0.0), (0.0, 0.0, 0.0)),
    "parting": ((2.0, 1.0, 3.0), (0.0, 0.0, 0.0), (0.0, 0.0, 0.0)),
    "approaching": ((-2.0, -1.0, -3.0), (0.0, 0.0, 0.0), (0.0, 0.0, 0.0)),
    "falling": ((0.0, 0.0, 1.0), (0.0, 0.0, -9.81), (0.0, 0.0, 0.0)),
    "spinning": ((1.0, -1.0, 0.5), (0.0, 0.0, 0.0), (0.3, -2.0, 1.0)),
}


@functools.cache
def overlap(pair):
    """A pose of b in which it is in a, at the origin, by more than a millimetre."""
    a, b = (SHAPES[name] for name in pair)
    for pose in random_poses(400, 19, 0.7):
        found = carom.collide(a, b, None, pose, contacts="all")
        if found.hit and found.contacts.depths.max() > 1e-3:
            return pose
    raise AssertionError("no overlap found")


def moving(pose, way, spins, start=0.0):
    velocity, acceleration, spin = WAYS[way]
    quat = quaternions_of(pose[:3, :3].reshape(1, 9))[0]
    return carom.Motion(pose[:3, 3], velocity, acceleration, quat, spin if spins else (0.0, 0.0, 0.0), start)


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("pair", BOTH_WAYS, ids="-".join)
def test_overlaps_are_reported_at_the_start(pair, way):
    a, b = (SHAPES[name] for name in pair)
    pose = overlap(pair)
    fly = moving(pose, way, pair[1] != "half-space", start=2.0)
    hit = carom.time_of_impact(a, b, carom.Motion(start=2.0), fly, 9.0)
    assert hit is not None
    assert hit.time == 2.0
    assert hit.status == 1
    assert np.isfinite(hit.point).all()
    assert np.linalg.norm(hit.normal) == pytest.approx(1.0)
    # Its description is that of a contact there.
    contacts = carom.collide(a, b, None, fly.pose_at(2.0), contacts="all").contacts
    assert np.abs(contacts.points - hit.point).max(axis=1).min() < 1e-9
    assert carom.time_of_impact(a, b, carom.Motion(start=2.0), fly, 2.0).time == 2.0


@pytest.mark.parametrize("pair", BOTH_WAYS, ids="-".join)
def test_casts_report_overlaps_at_the_start(pair):
    shape, other = SHAPES[pair[1]], SHAPES[pair[0]]
    for way in ((5.0, 1.0, 2.0), (-5.0, -1.0, -2.0), (0.0, 0.0, 0.0)):
        hit = carom.shape_cast(shape, other, way, overlap(pair))
        assert hit is not None
        assert hit.time == 0.0
        assert hit.status == 1


def test_overlaps_of_a_batch_do_not_touch_its_other_rows():
    places = [(0.1, 0, 0), (3.0, 0, 0), (0.2, 0, 0), (5.0, 0, 0)]
    motions = carom.Motions(places, [(9.0, 0, 0), (-1.0, 0, 0), (9.0, 0, 0), (1.0, 0, 0)])
    found = carom.time_of_impact(SHAPES["sphere"], SHAPES["sphere"], carom.Motion(), motions, 4.0)
    assert found.time.tolist() == [0.0, 2.0, 0.0, np.inf]
    assert found.status.tolist() == [1, 0, 1, -1]


def test_paths_that_start_in_overlap_are_not_free():
    leaving = carom.Keyframes([1.0, 2.0], [(0.2, 0, 0), (5.0, 0, 0)])
    hit = carom.time_of_impact(SHAPES["box"], SHAPES["mesh"], leaving, carom.Motion((0.9, 0, 0)), 2.0)
    assert hit.time == 0.0  # the motion of the mesh starts then, and the box rests before its first key
    assert hit.status == 1
    manager = carom.CollisionManager()
    manager.add_object("floor", SHAPES["box"])
    manager.add_object("robot", SHAPES["sphere"], moved(0.3))
    manager.set_motion("robot", carom.Motion((0.3, 0, 0), (1.0, 0, 0)))
    assert manager.time_of_impact_internal(5.0) == 0.0


@pytest.mark.parametrize("spin", [0.0, 1.0])
@pytest.mark.parametrize("pair", [pair for pair in BOTH_WAYS if "half-space" not in pair], ids="-".join)
def test_touches_at_the_start_count_only_where_shapes_approach(pair, spin):
    # From where they touch on a straight way, back the way they came and on.
    a, b = (SHAPES[name] for name in pair)
    turned = random_poses(1, 23)[0]
    quat = quaternions_of(turned[:3, :3].reshape(1, 9))[0]
    way = np.array([-1.0, 0.11, 0.07])
    first = carom.time_of_impact(a, b, carom.Motion(), carom.Motion((4.0, 0.1, -0.05), way, orientation=quat), 9.0)
    there = np.array([4.0, 0.1, -0.05]) + first.time * way
    turning = (0.0, 0.0, 0.0) if spin == 0.0 else tuple(1e-9 * np.ones(3))
    back = carom.Motion(there, -way, orientation=quat, spin=turning)
    onward = carom.Motion(there, way, orientation=quat, spin=turning)
    assert carom.time_of_impact(a, b, carom.Motion(), back, 5.0) is None
    hit = carom.time_of_impact(a, b, carom.Motion(), onward, 5.0)
    assert hit.time < 1e-7
    assert hit.status in (0, 3)


@pytest.mark.parametrize("name", sorted({name for pair in BOUNDED for name in pair} - {"mesh", "compound"}))
def test_touches_of_a_floor_at_the_start_count_only_where_shapes_approach(name):
    floor, shape = carom.HalfSpace((0, 0, 1)), SHAPES[name]
    height = -shape.extents_along(np.eye(3), np.array([1.0, 0, 0, 0]))[0][2]
    for speed, expected in ((1.0, None), (0.0, None), (-1.0, 0.0)):
        fly = carom.Motion((0, 0, height), (0.3, 0, speed))
        hit = carom.time_of_impact(shape, floor, fly, carom.Motion(), 5.0)
        assert (hit and hit.time) == expected
        above = carom.time_of_impact(floor, shape, carom.Motion(), fly, 5.0)
        assert (above and above.time) == expected
