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


def random_rotations(n, seed):
    rng = np.random.default_rng(seed)
    q, r = np.linalg.qr(rng.normal(size=(n, 3, 3)))
    q *= np.sign(np.einsum("nii->ni", r))[:, None, :]
    return q * np.sign(np.linalg.det(q))[:, None, None]


def as_poses(rotations):
    out = np.tile(np.eye(4), (len(rotations), 1, 1))
    out[:, :3, :3] = rotations
    return out


@pytest.mark.parametrize("decimals", [3, 4, 6, 9])
def test_poses_written_with_few_decimals_become_the_nearest_rotation(decimals):
    exact = random_rotations(300, 3)
    given = np.round(exact, decimals)
    taken = poses("pose", as_poses(given)).rotations
    assert np.abs(taken @ taken.transpose(0, 2, 1) - np.eye(3)).max() < 4e-15
    # The nearest of all rotations: R' U is symmetric, and what is left over is no turn.
    left = taken.transpose(0, 2, 1) @ given
    assert np.abs(left - left.transpose(0, 2, 1)).max() < 4e-15
    assert np.abs(taken - exact).max() < 3.0 * 10.0**-decimals


def test_poses_that_are_rotations_keep_every_bit():
    exact = random_rotations(300, 5)
    assert np.array_equal(poses("pose", as_poses(exact)).rotations, exact)
    mixed = exact.copy()
    mixed[7] = np.round(mixed[7], 4)
    kept = np.arange(300) != 7
    assert np.array_equal(poses("pose", as_poses(mixed)).rotations[kept], exact[kept])


@pytest.mark.parametrize("scale", [0.997, 1.003, 0.5, 1e-300, 1e20, 0.0])
def test_poses_off_by_more_are_refused_with_deviation_and_remedy(scale):
    given = as_poses(random_rotations(5, 7))
    given[3, :3, :3] *= scale
    with pytest.raises(InvalidInputError, match=r"^pose\[3\] .* off the nearest rotation by .* 0.001 .*svd") as caught:
        poses("pose", given)
    off = float(str(caught.value).split("nearest rotation by ")[1].split(",")[0])
    assert off > 1e-3
    if scale in (0.997, 1.003):
        assert off < 0.003


def test_managers_and_compounds_take_poses_with_few_decimals():
    import carom

    rough = np.round(as_poses(random_rotations(1, 9)), 4)[0]
    nearest = poses("pose", rough).matrices()[0]
    manager = carom.CollisionManager()
    manager.add_object("box", carom.Box((1, 1, 1)), rough)
    manager.set_transform("box", rough)
    compound = carom.Compound([(carom.Box((1, 1, 1)), rough)])
    assert np.array_equal(compound.pieces[0][1], nearest)
    far = np.eye(4)
    far[:3, 3] = (3.0, 0.2, 0.1)
    box, ball = carom.Box((1, 1, 1)), carom.Sphere(0.5)
    assert manager.min_distance_single(ball, far) == carom.distance(box, ball, nearest, far).distance


def test_quaternions_of_any_length_give_the_same_orientation_everywhere():
    import carom

    rng = np.random.default_rng(11)
    quats = np.round(rng.normal(size=(50, 4)), 3)
    many = carom.Motions(np.zeros((50, 3)), orientations=quats)
    keys = carom.Keyframes(np.arange(50.0), np.zeros((50, 3)), quats)
    world = carom.World()
    world.add_many(carom.Sphere(1e-3), 10.0 * np.arange(150.0).reshape(50, 3), orientations=quats)
    for k, quat in enumerate(quats):
        alone = carom.Motion(orientation=quat).orientation
        assert np.array_equal(alone, many.orientations[k])
        assert np.array_equal(alone, keys.orientations[k])
        assert abs(np.linalg.norm(alone) - 1.0) < 4e-16
    assert np.array_equal(
        world.motions().orientations, np.stack([carom.Motion(orientation=q).orientation for q in many.orientations])
    )
    for scale in (1e-20, 1e20):
        assert np.allclose(carom.Motion(orientation=scale * quats[0]).orientation, many.orientations[0], atol=1e-15)
