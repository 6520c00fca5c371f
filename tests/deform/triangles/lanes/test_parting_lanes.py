"""Directions that part triangles, against exact rational arithmetic."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from carom._compile.jit import lean_kernel
from carom.deform.triangles.lanes.separating import AHEAD, BEHIND, parted, placed_parted
from carom.deform.triangles.lanes.window_pairs import parting_directions, place_corners

FACES = np.array([[0, 1, 2], [3, 4, 5]], np.int32)


@lean_kernel
def _both_ways(faces, places, direction, sides):
    sides[0] = parted(faces, places, 0, 0, 1, direction[0], direction[1], direction[2])
    sides[1] = placed_parted(places.reshape(-1), 0, direction[0], direction[1], direction[2])


def _sides(points: np.ndarray, direction: np.ndarray) -> int:
    places = np.zeros((6, 4))
    places[:, :3] = points
    sides = np.zeros(2, np.int64)
    _both_ways(FACES, places, np.asarray(direction, float), sides)
    assert sides[0] == sides[1]
    return int(sides[0])


def _exactly(points: np.ndarray, direction: np.ndarray) -> int:
    along = [
        sum(Fraction(x) * Fraction(n) for x, n in zip(p.tolist(), direction.tolist(), strict=True)) for p in points
    ]
    if min(along[3:]) > max(along[:3]):
        return AHEAD
    return BEHIND if max(along[3:]) < min(along[:3]) else 0


def test_parted_tells_which_side_the_other_triangle_is_on() -> None:
    points = np.array([(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1), (1, 0, 1), (0, 1, 2.0)])
    assert _sides(points, np.array([0, 0, 1.0])) == AHEAD
    assert _sides(points, np.array([0, 0, -3.0])) == BEHIND
    assert _sides(points, np.array([1.0, 0, 0])) == 0


@pytest.mark.parametrize("far", [0.0, 1e3, 1e9])
def test_parted_never_claims_what_is_not_so(far: float) -> None:
    rng = np.random.default_rng(5)
    decided = parted_truly = 0
    for _ in range(2000):
        points = far + rng.standard_normal((6, 3)) * 10.0 ** rng.integers(-6, 2)
        points[3:] += rng.standard_normal(3) * 10.0 ** rng.integers(-6, 2)
        direction = rng.standard_normal(3) * 10.0 ** rng.integers(-20, 20)
        side, truth = _sides(points, direction), _exactly(points, direction)
        assert side in (0, truth)
        decided += side != 0
        parted_truly += truth != 0
    assert decided >= 0.99 * parted_truly > 100


@lean_kernel
def _parting(start, end, corners, moved, reach, directions):
    place_corners(start, end, corners, 0.0, 1.0, moved, reach)
    return parting_directions(moved, reach, directions)


@pytest.mark.parametrize("size", [1e150, 1e160, 1e300, 1.7e308])
def test_parted_never_claims_what_is_not_so_where_projections_overflow(size: float) -> None:
    # Met: of a sum that overflowed along one triangle alone the other was taken to be apart.
    rng = np.random.default_rng(6)
    overflowed = 0
    for _ in range(1000):
        points = np.zeros((6, 4))
        points[:, :3] = size * rng.uniform(-0.5, 0.5, (6, 3))
        directions = rng.uniform(-1.0, 1.0, (3, 8)) * min(size, 1e153) ** rng.integers(0, 3)
        with np.errstate(all="ignore"):
            overflowed += not np.isfinite(points[:, :3] @ directions).all()
        mask = _parting(points, points, np.arange(6), np.zeros((12, 4)), np.zeros(4), directions)
        for k in range(8):
            truth = _exactly(points[:, :3], directions[:, k])
            assert truth != 0 or not (mask >> k) & 1
            assert _sides(points[:, :3], directions[:, k]) in (0, truth)
    assert overflowed > 100


def test_parted_of_touching_and_degenerate_triangles_is_not_claimed() -> None:
    flat = np.zeros((6, 3))
    flat[:, 0] = (0, 1, 0.5, 1, 2, 3)  # they share the value 1 along x
    assert _sides(flat, np.array([1.0, 0, 0])) == 0
    flat[3, 0] = np.nextafter(1.0, 2.0)  # apart by less than rounding is bounded by
    assert _sides(flat, np.array([1.0, 0, 0])) == 0
    assert _sides(flat, np.zeros(3)) == 0
    assert _sides(np.full((6, 3), np.nan), np.array([1.0, 0, 0])) == 0
    apart = np.array([(0, 0, 0)] * 3 + [(0, 0, 1e-310)] * 3)
    assert _sides(apart, np.array([0, 0, 1.0])) == 0  # below what underflow is covered by
