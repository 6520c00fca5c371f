"""Distances followed from pose to pose."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

import carom
from carom.errors import InvalidInputError
from carom.motion.turning import rotations
from geometry.shapes_in_pairs import SHAPES, moved


def path(n, step):
    """A slow walk of b past a."""
    t = np.linspace(0.0, n * step, n)
    poses = np.tile(np.eye(4), (n, 1, 1))
    quats = np.column_stack((np.cos(t), np.sin(t) * 0.6, np.sin(t) * 0.8, np.zeros(n)))
    poses[:, :3, :3] = rotations(quats)
    poses[:, :3, 3] = np.column_stack((2.0 + 0.5 * np.cos(t), 2.0 * np.sin(t), 0.3 * t))
    return poses


@pytest.mark.parametrize("pair", [("box", "convex"), ("convex", "convex"), ("capsule", "box"), ("mesh", "mesh")])
def test_tracker_gives_the_distance(pair):
    a, b = (SHAPES[name] for name in pair)
    poses = path(60, 0.02)
    tracked = carom.Tracker(a, b)
    assert np.allclose(tracked.distance(None, poses).distance, carom.distance(a, b, None, poses).distance, atol=1e-9)
    again = carom.Tracker(a, b)
    for k in range(5):
        assert again.distance(None, poses[k]).distance == pytest.approx(carom.distance(a, b, None, poses[k]).distance)


def test_tracker_takes_nearly_constant_steps_when_little_moves():
    rng = np.random.default_rng(0)
    points = rng.normal(size=(400, 3))
    ball = carom.Convex(points / np.linalg.norm(points, axis=1)[:, None])
    tracked = carom.Tracker(ball, ball)
    tracked.distance(None, path(2, 0.001))
    tracked.distance(None, path(200, 0.001))
    assert tracked.steps < 3 * 200


def test_tracker_sees_overlap():
    box = SHAPES["box"]
    tracked = carom.Tracker(box, box)
    assert tracked.distance(None, moved(3.0)).distance == pytest.approx(2.0)
    assert tracked.distance(None, moved(0.4)).distance == 0.0
    assert tracked.distance(None, moved(3.0)).distance == pytest.approx(2.0)


def test_tracker_refuses_what_is_no_shape():
    with pytest.raises(InvalidInputError, match="b is 3"):
        carom.Tracker(SHAPES["box"], 3)


@pytest.mark.parametrize("volumes", ["sphere", "aabb", "kdop18", "kdop26", "hull", "shell", "pss", "lss", "rss"])
def test_every_type_of_bounding_volume_gives_the_same_answers(volumes):
    mesh = SHAPES["mesh"]
    poses = path(12, 0.1)
    usual = carom.distance(mesh, mesh, None, poses)
    other = carom.distance(mesh, mesh, None, poses, volumes=volumes)
    assert np.allclose(usual.distance, other.distance, atol=1e-12)
    assert np.array_equal(
        carom.collide(mesh, mesh, None, poses).hit, carom.collide(mesh, mesh, None, poses, volumes=volumes).hit
    )
    assert (other.volume_tests > 0).all()


def test_queries_refuse_unknown_volumes():
    with pytest.raises(InvalidInputError, match="volumes is 'cube'"):
        carom.distance(SHAPES["mesh"], SHAPES["mesh"], volumes="cube")


@pytest.mark.parametrize("pair", [("mesh", "mesh"), ("capsule", "box"), ("box", "convex")])
def test_tracker_takes_the_same_batches_as_distance(pair):
    a, b = (SHAPES[name] for name in pair)
    tracker, poses = carom.Tracker(a, b), path(5, 0.02)
    assert len(tracker.distance(None, poses[:0]).distance) == 0
    assert len(tracker.distance(poses[:1], poses[:1]).distance) == 1
    assert tracker.distance(None, poses[0]).distance == carom.distance(a, b, None, poses[0]).distance
    with pytest.raises(InvalidInputError, match="pose_a has 3 poses and pose_b 5; expected as many, or a single one"):
        tracker.distance(poses[:3], poses)


def test_last_answer_of_other_shapes_never_changes_the_distance():
    rng = np.random.default_rng(0)
    small, big = (carom.Mesh(rng.normal(size=(n, 3)), rng.integers(0, n, (n, 3))) for n in (30, 300))
    there = moved(9.0)
    expected = carom.distance(small, small, None, there).distance
    last = carom.distance(big, big, None, there)
    assert carom.distance(small, small, None, there, last=last).distance == expected
    one = carom.distance(small, small, None, there[None])
    assert (carom.distance(small, small, None, np.stack([there] * 3), last=one).distance == expected).all()


def test_last_answer_with_features_that_are_no_whole_numbers_is_refused():
    box = carom.Box((1, 1, 1))
    last = dataclasses.replace(carom.distance(box, box, None, moved(9.0)), feature_a=float("nan"))
    with pytest.raises(InvalidInputError, match=r"last\.feature_a is nan; expected whole numbers"):
        carom.distance(box, box, last=last)
