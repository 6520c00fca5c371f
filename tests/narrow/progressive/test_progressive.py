"""Progressive collision: levels never miss a contact, the last is exact, and budgets, resuming and coherence change nothing."""

from __future__ import annotations

import numpy as np
import pytest

import carom
from carom.narrow.progressive.progressive_pair import filtered_collide, sphere_collide, spheres_touch
from carom.pose import poses, relative
from geometry.sphere_tree_samples import mesh, random_poses, tree

PAIRS = [("ring", "box"), ("lamp", "lamp"), ("bowl", "ring"), ("soup", "sheet"), ("ball", "triangle")]


def pair_of(a, b):
    return carom.time_critical.ProgressivePair(tree(a), tree(b))


def placed(matrices):
    return relative(poses("pose_a", None), poses("pose_b", matrices))


@pytest.mark.parametrize(("a", "b"), PAIRS)
def test_progressive_levels_never_miss_a_contact(a, b):
    pair = pair_of(a, b)
    where = random_poses(1, 250, 2.5)
    true = carom.collide(mesh(a), mesh(b), None, where).hit
    assert true.any()
    assert not true.all()
    for pose, hit in zip(where, true, strict=True):
        for level in range(pair.levels + 1):
            found = pair.query(None, pose, level=level)
            assert found.hit or not hit
            assert found.level <= level
            assert found.exact == (not found.hit)
        assert pair.resume().hit == hit


@pytest.mark.parametrize(("a", "b"), PAIRS)
def test_progressive_exact_level_is_the_mesh_query(a, b):
    pair = pair_of(a, b)
    where = random_poses(2, 200, 2.5)
    found = [pair.query(None, pose) for pose in where]
    assert all(answer.exact and answer.error_bound == 0.0 for answer in found)
    assert [answer.hit for answer in found] == carom.collide(mesh(a), mesh(b), None, where).hit.tolist()
    assert all(answer.level == pair.levels + 1 for answer in found if answer.hit)


def solid_distance(a, b, pose):
    """Distance of two closed meshes as solids: 0 where a vertex of one is inside the other."""
    from carom.trees.spheres.signed_depth import Surface

    moved = b.vertices @ pose[:3, :3].T + pose[:3, 3]
    back = (a.vertices - pose[:3, 3]) @ pose[:3, :3]
    if Surface.of(a).inside(moved).any() or Surface.of(b).inside(back).any():
        return 0.0
    return carom.distance(a, b, None, pose).distance


@pytest.mark.parametrize(("a", "b"), [("ring", "box"), ("lamp", "lamp"), ("ball", "ring")])
def test_progressive_error_bound_holds(a, b):
    pair = pair_of(a, b)
    bounded = 0
    for pose in random_poses(3, 120, 2.2):
        true = solid_distance(mesh(a), mesh(b), pose)
        for level in range(pair.levels + 1):
            found = pair.query(None, pose, level=level)
            if found.hit:
                assert true <= found.error_bound + 1e-9
                bounded += 1
    assert bounded > 100


def test_progressive_error_bound_of_open_meshes_holds():
    pair = pair_of("bowl", "sheet")
    for pose in random_poses(4, 100, 3.0):
        true = carom.distance(mesh("bowl"), mesh("sheet"), None, pose).distance
        found = pair.query(None, pose, level=2)
        assert not found.hit or true <= found.error_bound + 1e-9


def test_progressive_error_bound_falls_from_level_to_level():
    pair = pair_of("lamp", "lamp")
    for pose in random_poses(5, 60, 1.8):
        bounds = []
        for level in range(pair.levels + 1):
            found = pair.query(None, pose, level=level)
            if found.hit:
                bounds.append(found.error_bound)
        assert bounds == sorted(bounds, reverse=True)


def test_progressive_resume_equals_one_go():
    pair, other = pair_of("lamp", "lamp"), pair_of("lamp", "lamp")
    for pose in random_poses(6, 60, 1.6):
        other.forget()
        whole = other.query(None, pose)
        pair.forget()
        part = pair.query(None, pose, steps=0)
        turns = 0
        while not part.exact:
            # The exact test has no steps: it comes once the spheres are done.
            part = pair.resume(steps=40)
            turns += 1
            assert turns < 100_000
        assert part == whole


def test_progressive_steps_are_honoured():
    pair = pair_of("lamp", "lamp")
    for steps in (0, 1, 100, 1000):
        for pose in random_poses(7, 20, 1.0):
            pair.forget()
            assert pair.query(None, pose, steps=steps).steps <= max(1, steps + 72)


def test_progressive_without_time_reports_the_root_level():
    pair = pair_of("lamp", "lamp")
    found = pair.query(None, np.eye(4), budget=0.0)
    assert (found.hit, found.level, found.exact) == (True, 0, False)
    assert 0.0 <= found.error_bound < 3.0
    assert pair.resume().exact


def test_progressive_level_is_honoured():
    pair = pair_of("lamp", "lamp")
    for pose in random_poses(14, 200, 1.8):
        deepest = pair.query(None, pose).level
        for level in range(pair.levels + 1):
            found = pair.query(None, pose, level=level)
            if found.hit and found.error_bound > 0.0:
                assert found.level == level
                assert not found.exact
            assert found.level <= min(level, deepest)


def test_progressive_spheres_prove_deep_overlaps():
    pair = pair_of("ball", "ball")
    found = pair.query(None, np.eye(4), level=2)
    assert (found.hit, found.exact, found.error_bound) == (True, False, 0.0)
    assert found.level < 2
    assert pair.resume() == carom.time_critical.ProgressiveCollision(True, pair.levels + 1, True, 0.0, found.steps)


@pytest.mark.parametrize("step", [0.0, 1e-4, 3e-3, 0.05])
@pytest.mark.parametrize("level", [2, 3, 4])
def test_progressive_coherence_gives_the_answers_of_a_fresh_start(step, level):
    rng = np.random.default_rng(8)
    warm, cold = pair_of("lamp", "ring"), pair_of("lamp", "ring")
    pose, velocity = random_poses(9, 1, 0.5)[0], rng.normal(size=3)
    tested = 0
    for frame in range(120):
        angle = step * np.array([0.3, -0.5, 0.2])
        turn = np.eye(3) + np.cross(np.eye(3), angle)
        u, _, v = np.linalg.svd(turn @ pose[:3, :3])
        pose[:3, :3] = u @ v
        pose[:3, 3] += step * velocity * (1.0 if frame < 60 else -1.0)
        cold.forget()
        one, other = warm.query(None, pose, level=level), cold.query(None, pose, level=level)
        assert (one.hit, one.level, one.exact, one.error_bound) == (
            other.hit,
            other.level,
            other.exact,
            other.error_bound,
        )
        tested += one.hit
    assert tested > 0


def test_progressive_coherence_tests_fewer_pairs():
    warm = pair_of("lamp", "lamp")
    pose = np.eye(4)
    pose[0, 3] = 0.9
    steps = []
    for frame in range(12):
        pose[1, 3] = 1e-4 * frame
        steps.append(warm.query(None, pose, level=3).steps)
    assert min(steps[2:]) < 0.5 * steps[0]


def test_progressive_coherence_forgets_levels_found_at_another_pose():
    # There and back: entries of the deep levels belong to the pose in between.
    warm, cold = pair_of("lamp", "lamp"), pair_of("lamp", "lamp")
    here, there = np.eye(4), np.eye(4)
    here[0, 3], there[0, 3] = 0.5, 0.5005
    for pose in (here, there, here, there, there, here):
        cold.forget()
        assert warm.query(None, pose, level=3).error_bound == cold.query(None, pose, level=3).error_bound


@pytest.mark.parametrize(("a", "b"), PAIRS)
def test_spheres_touch_says_what_the_descent_by_levels_finds(a, b):
    where = placed(random_poses(13, 300, 2.5))
    for level in range(min(tree(a).levels, tree(b).levels) + 1):
        hits = spheres_touch(tree(a), tree(b), *where, level)
        assert np.array_equal(hits, sphere_collide(tree(a), tree(b), *where, level).hit)
        assert hits.any()


@pytest.mark.parametrize(("a", "b"), PAIRS)
def test_filtered_collide_agrees_with_the_mesh_query(a, b):
    where = random_poses(10, 300, 2.5)
    assert np.array_equal(
        filtered_collide(tree(a), tree(b), *placed(where)), carom.collide(mesh(a), mesh(b), None, where).hit
    )


def test_progressive_trees_of_different_depth_meet_at_the_common_one():
    pair = carom.time_critical.ProgressivePair(tree("ring", 2), tree("box", 3))
    assert pair.levels == 2
    where = random_poses(11, 150, 2.0)
    assert [pair.query(None, pose).hit for pose in where] == carom.collide(
        mesh("ring"), mesh("box"), None, where
    ).hit.tolist()


def test_collide_with_a_budget_answers_as_collide():
    tree("ring")
    tree("box")
    for pose in random_poses(12, 50, 2.0):
        found = carom.collide(mesh("ring"), mesh("box"), None, pose, budget=10.0)
        assert isinstance(found, carom.time_critical.ProgressiveCollision)
        assert found.exact
        assert bool(found) == carom.collide(mesh("ring"), mesh("box"), None, pose).hit


def test_collide_with_no_budget_left_stays_conservative():
    tree("ring")
    for pose in random_poses(13, 50, 2.0):
        found = carom.collide(mesh("ring"), mesh("ring"), None, pose, budget=0.0)
        assert found.hit or not carom.collide(mesh("ring"), mesh("ring"), None, pose).hit


def test_collide_with_a_budget_asks_for_a_tree():
    bare = carom.Mesh(mesh("box").vertices, mesh("box").faces)
    with pytest.raises(carom.InvalidInputError, match=r"b has no sphere-tree.*SphereTree\.build"):
        carom.collide(tree("ring").mesh, bare, budget=1.0)
    with pytest.raises(carom.InvalidInputError, match=r"a is Box.*Mesh"):
        carom.collide(carom.Box((1, 1, 1)), mesh("ring"), budget=1.0)


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        ({"budget": -1.0}, "budget"),
        ({"budget": np.nan}, "budget"),
        ({"steps": -1}, "steps"),
        ({"steps": 2.5}, "steps"),
        ({"level": 9}, "level"),
        ({"level": -1}, "level"),
        ({"pose_b": np.eye(3)}, "pose_b"),
        ({"pose_b": np.stack([np.eye(4)] * 2)}, "single"),
        ({"pose_b": 2.0 * np.eye(4)}, "pose_b"),
    ],
)
def test_progressive_query_refuses_bad_input(arguments, named):
    with pytest.raises(carom.InvalidInputError, match=named):
        pair_of("ring", "box").query(**arguments)


def test_progressive_refuses_what_is_no_tree_and_nothing_to_resume():
    with pytest.raises(carom.InvalidInputError, match="tree_b"):
        carom.time_critical.ProgressivePair(tree("ring"), mesh("box"))
    with pytest.raises(carom.InvalidInputError, match="resume"):
        pair_of("ring", "box").resume()


@pytest.mark.parametrize(
    ("rot", "shift"), [(np.zeros(8), np.zeros(3)), (np.eye(3), np.zeros(3)), (np.zeros(9), [0, 0, 0])]
)
def test_pair_refuses_placings_of_another_shape(rot, shift):
    pair = carom.time_critical.ProgressivePair(tree("ring"), tree("ring"))
    with pytest.raises(carom.InvalidInputError, match=r"rot|shift"):
        pair.query_placed(rot, shift)
