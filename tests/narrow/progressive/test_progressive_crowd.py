"""Many pairs in one budget: the answers of single pairs, level by level over all of them."""

from __future__ import annotations

import numpy as np
import pytest

import carom
from geometry.sphere_tree_samples import mesh, random_poses, tree

NAMES = ["lamp", "ring", "box"] * 6


@pytest.fixture(scope="module")
def crowd():
    return carom.time_critical.ProgressiveCrowd([tree(name) for name in NAMES])


def all_pairs():
    return np.array([(i, j) for i in range(len(NAMES)) for j in range(i)])


def true_hits(pairs, poses):
    return np.array([carom.collide(mesh(NAMES[i]), mesh(NAMES[j]), poses[i], poses[j]).hit for i, j in pairs])


@pytest.mark.parametrize("seed", [1, 2])
def test_crowd_exact_answers_are_those_of_collide(crowd, seed):
    poses, pairs = random_poses(seed, len(NAMES), 3.0), all_pairs()
    found = crowd.query(pairs, poses)
    assert found.exact.all()
    assert (found.error_bound == 0.0).all()
    expected = true_hits(pairs, poses)
    assert np.array_equal(found.hit, expected)
    assert 0 < expected.sum() < len(pairs)


@pytest.mark.parametrize("level", [0, 1, 2, 3])
def test_crowd_levels_are_those_of_single_pairs(crowd, level):
    poses, pairs = random_poses(3, len(NAMES), 2.5), all_pairs()
    found = crowd.query(pairs, poses, level=level)
    for k, (i, j) in enumerate(pairs[::7]):
        alone = carom.time_critical.ProgressivePair(tree(NAMES[i]), tree(NAMES[j])).query(
            poses[i], poses[j], level=level
        )
        assert (found.hit[7 * k], found.exact[7 * k]) == (alone.hit, alone.exact)
        if alone.exact or alone.error_bound > 0.0:  # where solids overlap for sure a single pair stops within the level
            assert found.level[7 * k] == alone.level
        assert found.error_bound[7 * k] == pytest.approx(alone.error_bound, abs=1e-12)


def test_crowd_resumed_in_small_steps_gives_the_same(crowd):
    poses, pairs = random_poses(4, len(NAMES), 2.0), all_pairs()
    whole = crowd.query(pairs, poses)
    expected = true_hits(pairs, poses)
    part = crowd.query(pairs, poses, steps=0)
    turns = 0
    while not part.exact.all():
        assert (part.hit | ~expected).all()
        part = crowd.resume(steps=500)
        turns += 1
    assert turns > 3
    assert np.array_equal(part.hit, whole.hit)
    assert np.array_equal(part.level, whole.level)
    assert part.steps == whole.steps


def test_crowd_serves_pairs_in_their_order(crowd):
    poses, pairs = random_poses(5, len(NAMES), 1.5), all_pairs()
    found = crowd.query(pairs, poses, steps=3000)
    touching = found.level[found.hit & (found.error_bound > 0.0)]
    assert len(set(touching.tolist())) == 2
    assert (np.diff(touching) <= 0).all()


def test_crowd_without_time_takes_every_pair_to_touch(crowd):
    found = crowd.query([(0, 1), (1, 2)], random_poses(6, len(NAMES), 50.0), budget=0.0)
    assert found.hit.all()
    assert (found.level == -1).all()
    assert np.isinf(found.error_bound).all()
    assert crowd.resume().exact.all()


def test_crowd_of_parts_is_an_articulated_body():
    from carom.scenes.lamp import lamp_parts

    trees = [carom.time_critical.SphereTree.build(part, levels=2, method="octree") for part in lamp_parts()[:3]]
    crowd = carom.time_critical.ProgressiveCrowd([*trees, tree("box", 2)])
    pairs = [(part, 3) for part in range(3)]
    for pose in random_poses(7, 40, 1.5):
        poses = np.stack([np.eye(4)] * 3 + [pose])
        whole = carom.Compound([(part.mesh, None) for part in trees])
        assert crowd.query(pairs, poses).hit.any() == carom.collide(whole, mesh("box"), None, pose).hit


def test_crowd_of_no_pairs_is_done(crowd):
    found = crowd.query(np.empty((0, 2)), random_poses(8, len(NAMES), 1.0))
    assert len(found) == 0


@pytest.mark.parametrize(
    ("pairs", "n_poses", "named"),
    [
        ([(0, 99)], 18, r"pairs\[0\]"),
        ([(0, 1), (0.5, 1)], 18, r"pairs\[1\]"),
        ([(0, 1, 2)], 18, "pairs"),
        ([(0, 1), (0, 1e30)], 18, r"pairs\[1\]"),
        ([(0, 1)], 3, "poses_of"),
    ],
)
def test_crowd_refuses_bad_input(crowd, pairs, n_poses, named):
    with pytest.raises(carom.InvalidInputError, match=named):
        crowd.query(pairs, random_poses(9, n_poses, 1.0))


@pytest.mark.parametrize(
    ("changed", "named"),
    [
        ({"pairs": np.array([[0, 18]])}, r"pairs\[0\]"), ({"pairs": np.array([[0, 1], [-1, 2]])}, r"pairs\[1\]"),
        ({"pairs": np.array([[0.0, 1.0]])}, "pairs"), ({"pairs": [(0, 1)]}, "pairs"), ({"pairs": np.arange(2)}, "pairs"),
        ({"rotations": np.zeros((17, 9))}, "rotations"), ({"rotations": np.zeros((18, 3, 3))}, "rotations"),
        ({"positions": np.zeros((17, 3))}, "positions"), ({"positions": np.zeros((18, 3), np.float32)}, "positions"),
    ],
)  # fmt: skip
def test_crowd_refuses_placed_bodies_that_are_not_there(crowd, changed, named):
    good = {"pairs": np.array([[0, 1]]), "rotations": np.zeros((18, 9)), "positions": np.zeros((18, 3))}
    with pytest.raises(carom.InvalidInputError, match=named):
        crowd.query_placed(**{**good, **changed})


def test_crowd_refuses_what_is_no_tree():
    with pytest.raises(carom.InvalidInputError, match=r"trees\[1\]"):
        carom.time_critical.ProgressiveCrowd([tree("ring"), mesh("ring")])
    with pytest.raises(carom.InvalidInputError, match="empty"):
        carom.time_critical.ProgressiveCrowd([])
    with pytest.raises(carom.InvalidInputError, match="resume"):
        carom.time_critical.ProgressiveCrowd([tree("ring")]).resume()
