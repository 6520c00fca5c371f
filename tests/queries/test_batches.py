"""A batch gives the answers of its rows, bit for bit, whatever its size: every query, every pairing."""

from __future__ import annotations

from dataclasses import fields

import numpy as np
import pytest

import carom
from geometry.shapes_in_pairs import PAIRS, SHAPES, moved, random_poses

N = 24


def same(row, single, pose):
    """Is a row of a batch the same answer as a single one, in every field?"""
    for field in fields(single):
        one, many = getattr(single, field.name), getattr(row, field.name)
        if field.name == "contacts":
            if one is not None:
                of_pose = many.pose == pose
                for column in ("points", "normals", "depths", "features_a", "features_b"):
                    assert np.array_equal(getattr(many, column)[of_pose], getattr(one, column)), column
            continue
        assert np.array_equal(many[pose], one, equal_nan=np.asarray(one).dtype.kind == "f"), field.name


def near_poses(pair, seed):
    """Poses that overlap, touch nearly and stay apart, far from the origin too."""
    poses = random_poses(N, seed, 0.9)
    poses[::4, :3, 3] += 1e3
    other = poses.copy()
    other[:, :3, :3] = random_poses(N, seed + 1)[:, :3, :3]
    other[:, :3, 3] += np.random.default_rng(seed).normal(size=(N, 3)) * 0.6
    return poses, other


QUERIES = {
    "collide": lambda a, b, p, q: carom.collide(a, b, p, q, contacts="all"),
    "collide once": lambda a, b, p, q: carom.collide(a, b, p, q),
    "distance": lambda a, b, p, q: carom.distance(a, b, p, q),
    "distance within": lambda a, b, p, q: carom.distance(a, b, p, q, within=0.2),
    "penetration": lambda a, b, p, q: carom.penetration(a, b, p, q),
}


@pytest.mark.parametrize("pair", [*PAIRS, *[(b, a) for a, b in PAIRS if a != b]], ids="-".join)
@pytest.mark.parametrize("query", QUERIES)
def test_still_queries_in_batches_give_single_answers(query, pair):
    a, b = (SHAPES[name] for name in pair)
    poses, other = near_poses(pair, 3)
    ask = QUERIES[query]
    n = 6 if query == "penetration" and {"mesh", "compound"} & set(pair) else N
    many = ask(a, b, poses[:n], other[:n])
    for k in range(n):
        single = ask(a, b, poses[k], other[k])
        same(many, single, k)
        same(ask(a, b, poses[k : k + 1], other[k : k + 1]), single, 0)
    fixed = ask(a, b, poses[1], other[:n])
    for k in range(0, n, 5):
        same(fixed, ask(a, b, poses[1], other[k]), k)


@pytest.mark.parametrize("pair", PAIRS, ids="-".join)
def test_gaps_in_batches_give_single_answers(pair):
    a, b = (SHAPES[name] for name in pair)
    poses, other = near_poses(pair, 5)
    assert np.array_equal(
        carom.gap(a, b, 0.1, poses, other), [carom.gap(a, b, 0.1, p, q) for p, q in zip(poses, other, strict=True)]
    )


@pytest.mark.parametrize("pair", [*PAIRS, *[(b, a) for a, b in PAIRS if a != b]], ids="-".join)
@pytest.mark.parametrize("way", ["straight", "falling", "spinning"])
def test_times_of_impact_in_batches_give_single_answers(pair, way):
    a, b = (SHAPES[name] for name in pair)
    rng = np.random.default_rng(7)
    n = 12
    places = rng.normal(size=(n, 3))
    places *= rng.uniform(0.3, 4.0, size=(n, 1)) / np.linalg.norm(places, axis=1)[:, None]
    still = carom.Motion(orientation=(1.0, 0.2, -0.3, 0.1))
    motions = carom.Motions(
        places,
        -places + rng.normal(size=(n, 3)) * 0.5,
        rng.normal(size=(n, 3)) if way == "falling" else (0.0, 0.0, 0.0),
        rng.normal(size=(n, 4)),
        rng.normal(size=(n, 3)) if way == "spinning" and pair[1] != "half-space" else (0.0, 0.0, 0.0),
    )
    many = carom.time_of_impact(a, b, still, motions, 2.0)
    for k in range(n):
        columns = motions.positions, motions.velocities, motions.accelerations, motions.orientations, motions.spins
        one = carom.time_of_impact(a, b, still, carom.Motion(*(column[k] for column in columns)), 2.0)
        assert (one is None) == np.isinf(many.time[k])
        if one is not None:
            same(many, one, k)


@pytest.mark.parametrize("pair", [*PAIRS, *[(b, a) for a, b in PAIRS if a != b]], ids="-".join)
def test_flights_of_every_kind_in_one_batch_are_answered_as_if_alone(pair):
    a, b = (SHAPES[name] for name in pair)
    rng = np.random.default_rng(19)
    spin = (0.0, 0.0, 0.0) if pair[1] == "half-space" else (0.3, -2.0, 1.0)
    motions = [
        carom.Motion((3.0, 0.2, 4.0), velocity=(-1.0, 0.1, -1.5), orientation=rng.normal(size=4)),
        carom.Motion((3.0, 0.1, 4.0), velocity=(-1.0, 0.0, -1.5), orientation=rng.normal(size=4), spin=spin),
        carom.Motion((0.0, 3.0, 4.0), acceleration=(0.1, -2.0, -2.0), orientation=rng.normal(size=4)),
        carom.Motion((1e9, 2e9, 3e9), velocity=(1.0, 2.0, 3.0)),
    ]
    still = carom.Motion(orientation=(1.0, 0.2, -0.3, 0.1))
    many = carom.time_of_impact(a, b, still, motions, 5.0)
    for k, motion in enumerate(motions):
        one = carom.time_of_impact(a, b, still, motion, 5.0)
        assert (one is None) == np.isinf(many.time[k])
        if one is not None:
            same(many, one, k)


@pytest.mark.parametrize("shape", [carom.Sphere(1.0), carom.Box((2.0, 2.0, 2.0))], ids=["sphere", "box"])
def test_a_shallow_overlap_is_found_beside_a_flight_far_away(shape):
    still = [carom.Motion(), carom.Motion((1e9, 0.0, 0.0))]
    parting = [
        carom.Motion((2.0 - 1e-6, 0.0, 0.0), velocity=(1.0, 0.0, 0.0)),
        carom.Motion((1e9, 50.0, 0.0)),
    ]
    found = carom.time_of_impact(shape, shape, still, parting, 5.0)
    assert found.time.tolist() == [0.0, np.inf]
    assert found.status.tolist() == [1, -1]


@pytest.mark.parametrize("name", SHAPES)
def test_rays_in_batches_give_single_answers(name):
    rng = np.random.default_rng(11)
    pose = random_poses(1, 13)[0]
    origins = rng.normal(size=(N, 3)) * 2.0
    directions = 0.3 * rng.normal(size=(N, 3)) - origins
    many = carom.ray_cast(SHAPES[name], origins, directions, pose)
    for k in range(N):
        same(many, carom.ray_cast(SHAPES[name], origins[k], directions[k], pose), k)


@pytest.mark.parametrize("pair", [("box", "convex"), ("sphere", "mesh"), ("compound", "half-space")], ids="-".join)
def test_tracked_paths_give_the_answers_of_single_poses(pair):
    a, b = (SHAPES[name] for name in pair)
    path = np.stack([random_poses(1, 17)[0]] * N)
    path[:, :3, 3] = np.linspace((-2.0, 0.1, 1.2), (2.0, 0.3, 1.5), N)
    many = carom.Tracker(a, b).distance(moved(0.3), path)
    tracker = carom.Tracker(a, b)
    for k in range(N):
        same(many, tracker.distance(moved(0.3), path[k]), k)
