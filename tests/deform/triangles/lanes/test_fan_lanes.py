"""Normals of moving triangles in single precision, against exact rational arithmetic."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from carom._compile.jit import lean_kernel
from carom.deform.triangles.lanes.fans import NORMALS, face_one_way, mean_normal, put_normal

ROWS = np.array([0, 0], np.int32)


@lean_kernel
def _normal_into(start, end, normals):
    put_normal(start, end, 0, 1, 2, normals, 0)


@lean_kernel
def _mean_into(normals, faces, direction):
    direction[0], direction[1], direction[2] = mean_normal(normals, faces, 0, len(faces))


@lean_kernel
def _one_way(normals, faces, direction):
    return face_one_way(normals, faces, 0, len(faces), direction[0], direction[1], direction[2])


def _normals(start: np.ndarray, end: np.ndarray) -> np.ndarray:
    """Row (1, 16) of a triangle whose corners (3, 3) move from start to end."""
    normals = np.full((1, NORMALS), np.nan, np.float32)
    _normal_into(*(np.pad(places, ((0, 0), (0, 1))) for places in (start, end)), normals)
    return normals


def _direction(normals: np.ndarray) -> np.ndarray:
    direction = np.empty(3)
    _mean_into(normals, ROWS, direction)
    return direction


def _exact(start: np.ndarray, end: np.ndarray) -> list[list[Fraction]]:
    """The four cross products that the normal is made of."""

    def cross(u: list[Fraction], v: list[Fraction]) -> list[Fraction]:
        return [u[(d + 1) % 3] * v[(d + 2) % 3] - u[(d + 2) % 3] * v[(d + 1) % 3] for d in range(3)]

    edges = []
    for corners in (start, end):
        a, b, c = ([Fraction(x) for x in corner] for corner in corners.tolist())
        edges.append([[y - x for x, y in zip(a, other, strict=True)] for other in (b, c)])
    (u, v), (p, q) = edges
    return [cross(u, v), cross(u, q), cross(p, v), cross(p, q)]


def _random(rng: np.random.Generator, far: float) -> tuple[np.ndarray, np.ndarray]:
    """Corners at both ends, often of triangles that fold over or have hardly any area."""
    size = 10.0 ** rng.integers(-6, 3)
    start = far + size * rng.standard_normal((3, 3))
    if rng.random() < 0.5:
        start[2] = start[0] + rng.uniform(-2.0, 2.0) * (start[1] - start[0])
        start[2] += 10.0 ** rng.integers(-8, -2) * size * rng.standard_normal(3)
    return start, start + size * 10.0 ** rng.integers(-8, 1) * rng.standard_normal((3, 3))


@pytest.mark.parametrize("far", [0.0, 1e3])
def test_put_normal_is_within_its_bound(far: float) -> None:
    rng = np.random.default_rng(3)
    closest = 0.0
    for _ in range(1000):
        start, end = _random(rng, far)
        row = _normals(start, end)[0]
        for at, truth in enumerate(_exact(start, end)):
            bound = Fraction(float(row[12 + at]))
            for d in range(3):
                off = abs(Fraction(float(row[4 * d + at])) - truth[d])
                assert off <= bound
                closest = max(closest, float(off / bound))
    assert closest > 0.05  # the bound is not idle


@pytest.mark.parametrize("far", [0.0, 1e3])
def test_face_one_way_never_claims_what_is_not_so(far: float) -> None:
    rng = np.random.default_rng(4)
    claimed = truly = 0
    for _ in range(2000):
        start, end = _random(rng, far)
        normals = _normals(start, end)
        direction = _direction(normals)
        if rng.random() < 0.5:  # nearly at right angles to a normal: where rounding would decide
            normal = normals[0, :12:4].astype(float)
            across = np.cross(normal, rng.standard_normal(3))
            size = float(np.abs(across).sum())
            if not size > 0.0:
                continue
            direction = (across / size).astype(np.float32).astype(float)
        if not np.isfinite(direction).all():
            continue
        along = [Fraction(x) for x in direction.tolist()]
        truth = all(sum(x * y for x, y in zip(c, along, strict=True)) > 0 for c in _exact(start, end))
        answer = _one_way(normals, ROWS, direction)
        assert truth or not answer
        claimed += answer
        truly += truth
    assert claimed >= 0.5 * truly > 100


def test_mean_normal_points_along_the_normal_of_a_triangle_at_rest() -> None:
    corners = np.array([(0, 0, 0), (2, 0, 0), (0, 2, 0.0)])
    np.testing.assert_allclose(_direction(_normals(corners, corners)), (0, 0, 1))


NEEDLE = np.array([(0, 0, 0), (1e-45, 0, 0), (0, 1e30, 0)])
"""Its short edge is below the smallest single precision number: no digit of its normal is right."""


@pytest.mark.parametrize(
    "corners", [np.zeros((3, 3)), np.full((3, 3), 1e-30), np.eye(3) * 1e-25, np.eye(3) * 1e300, NEEDLE, NEEDLE * 1e8]
)
def test_face_one_way_of_triangles_beyond_single_precision_is_not_claimed(corners: np.ndarray) -> None:
    normals = _normals(corners, corners)
    assert not _one_way(normals, ROWS, _direction(normals))
