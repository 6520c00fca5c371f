"""What every type of bounding volume promises: it holds its triangles, and no bound is above the true distance."""

from __future__ import annotations

import functools

import numpy as np
import pytest
import trimesh
from hypothesis import given, settings
from hypothesis import strategies as st

from carom.trees import VOLUME_TYPES
from geometry.volume_pairs import bound, fit, inverse, placed, random_pose, shifted
from oracles.naive_distance import triangle_distance

KINDS = pytest.mark.parametrize("kind", VOLUME_TYPES)
GRID = st.integers(-2, 2)
CORNER = st.tuples(GRID, GRID, GRID)
TRIANGLES = st.lists(st.tuples(CORNER, CORNER, CORNER), min_size=1, max_size=4)


def patches() -> dict[str, np.ndarray]:
    """Triangles (m, 3, 3) of all sorts."""
    rng = np.random.default_rng(1)
    ball = trimesh.creation.icosphere(2)
    torus = trimesh.creation.torus(2.0, 0.7, 12, 12)
    one = rng.normal(size=(1, 3, 3))
    cap = np.array(ball.triangles)[ball.triangles_center[:, 2] > 0.8]
    return {
        "one": one,
        "point": np.ones((1, 3, 3)),
        "points": rng.normal(size=(5, 1, 3)) * np.ones((5, 3, 3)),
        "segment": one * [1.0, 0.0, 0.0],
        "needle": np.array([[[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.5, 1e-12, 0.0]]]),
        "flat": rng.normal(size=(20, 3, 3)) * [1.0, 1.0, 0.0],
        "line": rng.normal(size=(20, 3, 3)) * [0.0, 1.0, 0.0],
        "soup": rng.normal(size=(30, 3, 3)),
        "stretched": rng.normal(size=(30, 3, 3)) * [1e-6, 1.0, 1e6],
        "cap": cap,
        "ball": np.array(ball.triangles),
        "torus": np.array(torus.triangles),
        "far": rng.normal(size=(10, 3, 3)) + 1e7,
    }


@KINDS
@pytest.mark.parametrize("patch", patches())
@pytest.mark.parametrize("scale", [1e-6, 1.0, 1e6])
def test_volume_holds_its_triangles(kind, patch, scale):
    tris = patches()[patch] * scale
    node, size = fit(VOLUME_TYPES[kind], tris)
    assert VOLUME_TYPES[kind].holds(node, tris).all()
    corners = tris.reshape(-1, 3)
    apart = np.sqrt(((corners[:, None] - corners[None]) ** 2).sum(axis=2)).max()
    assert apart <= 2.0 * size
    # Not much larger than the contents: the coarsest is the diagonal of a box.
    assert size <= 1.8 * apart + 1e-12 * np.abs(tris).max()


@KINDS
def test_volume_check_sees_what_sticks_out(kind):
    tris = patches()["cap"]
    node, size = fit(VOLUME_TYPES[kind], tris)
    for direction in np.vstack([np.eye(3), -np.eye(3)]):
        moved = tris + 3.0 * size * direction
        assert not VOLUME_TYPES[kind].holds(node, moved).any()


@functools.cache
def pairs(scale: float, n_pairs: int = 300) -> tuple[list[np.ndarray], list[tuple[int, int, np.ndarray, float]]]:
    """Patches (m, 3, 3), and pairs of them: which, pose of the second, true distance."""
    rng = np.random.default_rng(2)
    tris = [tris * scale for name, tris in patches().items() if name not in ("stretched", "far", "ball", "torus")]
    found = []
    for _ in range(n_pairs):
        i, j = (int(k) for k in rng.integers(len(tris), size=2))
        pose = random_pose(rng, scale * rng.choice([0.3, 1.0, 3.0, 30.0]))
        found.append((i, j, pose, triangle_distance(tris[i], placed(tris[j], pose))))
    return tris, found


def check_pairs(kind: str, scale: float, n_pairs: int) -> None:
    volume = VOLUME_TYPES[kind]
    tris, found = pairs(scale, n_pairs)
    rows = [fit(volume, t)[0] for t in tris]
    n_apart = 0
    for i, j, pose, distance in found:
        low = bound(volume, rows[i], rows[j], pose)
        assert low <= distance
        back = bound(volume, rows[j], rows[i], inverse(pose))
        assert back <= distance
        # Below 0 a bound only says that there may be an overlap; how far below may depend on the order.
        assert max(back, 0.0) == pytest.approx(max(low, 0.0), rel=1e-5, abs=1e-9 * scale)
        n_apart += low > 0.0
    assert n_apart > 0.2 * n_pairs


@KINDS
@pytest.mark.parametrize("scale", [1e-6, 1.0, 1e6])
def test_volume_bound_is_never_above_the_distance(kind, scale):
    check_pairs(kind, scale, 300)


@pytest.mark.long
@KINDS
def test_volume_bound_is_never_above_the_distance_in_many_pairs(kind):
    check_pairs(kind, 1.0, 3_000)


@given(tris_a=TRIANGLES, tris_b=TRIANGLES, shift=CORNER, turn=st.integers(0, 23), tilt=st.booleans())
@settings(max_examples=200)
def test_volume_bound_holds_on_a_grid(tris_a, tris_b, shift, turn, tilt):
    # Touching, coplanar, parallel, degenerate and coinciding triangles; the 24 turns of a cube and tilted ones.
    a, b = np.array(tris_a, dtype=float), np.array(tris_b, dtype=float)
    pose = shifted(*shift)
    pose[:3, :3] = CUBE_TURNS[turn] @ (TILT if tilt else np.eye(3))
    distance = triangle_distance(a, placed(b, pose))
    for kind, volume in VOLUME_TYPES.items():
        low = bound(volume, fit(volume, a)[0], fit(volume, b)[0], pose)
        assert np.isfinite(low), kind
        assert low <= distance, kind


def _cube_turns() -> list[np.ndarray]:
    turns = []
    for order in ((0, 1, 2), (1, 2, 0), (2, 0, 1), (1, 0, 2), (0, 2, 1), (2, 1, 0)):
        for signs in np.ndindex(2, 2, 2):
            turn = np.eye(3)[list(order)] * (1.0 - 2.0 * np.array(signs))
            if np.linalg.det(turn) > 0.0:
                turns.append(turn)
    return turns


CUBE_TURNS = _cube_turns()
TILT = np.array([[0.6, -0.8, 0.0], [0.8, 0.6, 0.0], [0.0, 0.0, 1.0]])


@KINDS
def test_volume_bound_far_from_the_origin_stays_true(kind):
    # The pose cancels most of the coordinates: what is left of the digits must still give a bound.
    volume = VOLUME_TYPES[kind]
    rng = np.random.default_rng(3)
    offset = np.array([1e7, -2e7, 3e7])
    for _ in range(50):
        a, b = rng.normal(size=(3, 3, 3)), rng.normal(size=(3, 3, 3)) + offset
        pose = random_pose(rng, 0.0)
        pose[:3, 3] = rng.normal(size=3) * 4.0 - pose[:3, :3] @ offset
        exact = placed(b.astype(np.longdouble), pose.astype(np.longdouble)).astype(np.float64)
        low = bound(volume, fit(volume, a)[0], fit(volume, b)[0], pose)
        assert low <= triangle_distance(a, exact) + 1e-9
        assert bound(volume, fit(volume, b)[0], fit(volume, a)[0], inverse(pose)) <= triangle_distance(a, exact) + 1e-7


@KINDS
def test_volume_bound_finds_most_of_a_wide_gap(kind):
    volume = VOLUME_TYPES[kind]
    rng = np.random.default_rng(4)
    tris = patches()["soup"]
    node, size = fit(volume, tris)
    for _ in range(50):
        pose = random_pose(rng, 1.0)
        pose[:3, 3] *= 100.0 * size / np.linalg.norm(pose[:3, 3])
        distance = triangle_distance(tris, placed(tris, pose))
        assert 0.98 * distance <= bound(volume, node, node, pose) <= distance
