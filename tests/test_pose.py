"""Poses: what is taken, what is refused, and how one body sees another."""

from __future__ import annotations

import numpy as np
import pytest

from carom.errors import InvalidInputError
from carom.pose import poses, relative


def turned(angle, position=(0.0, 0.0, 0.0)):
    pose = np.eye(4)
    pose[:2, :2] = [[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]]
    pose[:3, 3] = position
    return pose


def test_poses_none_is_the_identity():
    assert np.array_equal(poses("pose", None).matrices(), np.eye(4)[None])


def test_poses_keep_a_batch_and_single_apart():
    assert poses("pose", np.eye(4)).single
    assert not poses("pose", np.eye(4)[None]).single
    assert len(poses("pose", np.empty((0, 4, 4)))) == 0


def test_poses_of_single_precision_are_made_orthonormal():
    rough = turned(0.3).astype(np.float32)
    rotation = poses("pose", rough).rotations[0]
    assert np.abs(rotation @ rotation.T - np.eye(3)).max() < 4e-16
    assert np.abs(rotation - turned(0.3)[:3, :3]).max() < 1e-7


def test_relative_takes_points_of_b_into_the_frame_of_a():
    rng = np.random.default_rng(1)
    a = np.stack([turned(k, rng.normal(size=3)) for k in range(5)])
    b = turned(-0.7, (1.0, 2.0, 3.0))
    rots, shifts = relative(poses("pose_a", a), poses("pose_b", b))
    point = rng.normal(size=3)
    for k in range(5):
        there = rots[k].reshape(3, 3) @ point + shifts[k]
        assert np.allclose((a[k] @ np.append(there, 1.0))[:3], (b @ np.append(point, 1.0))[:3], atol=1e-14)


@pytest.mark.parametrize(
    ("value", "says"),
    [
        (np.eye(3), r"pose has shape \(3, 3\)"),
        (np.full((4, 4), np.nan), r"pose\[0, 0\] is nan"),
        (np.diag([2.0, 2.0, 2.0, 1.0]), "pose scales, shears or mirrors"),
        (np.diag([1.0, 1.0, -1.0, 1.0]), "pose scales, shears or mirrors"),
        (np.stack([np.eye(4), np.ones((4, 4))]), r"pose\[1\]\[3\] is \[1.0, 1.0, 1.0, 1.0\]"),
        ("here", "cannot be read as numbers"),
    ],
)
def test_poses_refuse_what_is_not_rigid(value, says):
    with pytest.raises(InvalidInputError, match=says):
        poses("pose", value)


def test_relative_refuses_batches_of_different_length():
    with pytest.raises(InvalidInputError, match="pose_a has 2 poses and pose_b 3"):
        relative(poses("pose_a", np.tile(np.eye(4), (2, 1, 1))), poses("pose_b", np.tile(np.eye(4), (3, 1, 1))))
