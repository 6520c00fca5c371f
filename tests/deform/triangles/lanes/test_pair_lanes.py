"""Pairs of triangles over a window: what directions and boxes prove where rounding decides, by rational arithmetic."""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from carom._compile.jit import lean_kernel
from carom.deform.triangles.features import FEATURES, FIRST_EDGE, PLACES
from carom.deform.triangles.lanes.window_pairs import DIRECTIONS, meeting_features, parting_directions, place_corners


@lean_kernel
def _look(start, end, first, last, corners, directions, moved, reach, masks):
    place_corners(start, end, corners, first, last, moved, reach)
    masks[0] = parting_directions(moved, reach, directions)
    masks[1] = meeting_features(moved, reach)


def looked_at(points, first, last, directions):
    """Directions that part six corners, points (12, 3) at both ends of the interval, over a window; features that meet."""
    start, end = np.zeros((6, 4)), np.zeros((6, 4))
    start[:, :3], end[:, :3] = points[:6], points[6:]
    masks = np.zeros(2, np.int64)
    _look(start, end, first, last, np.arange(6), directions, np.empty((12, 4)), np.empty(4), masks)
    return int(masks[0]), int(masks[1])


def placed(points, t):
    """Corners at t relative to the first of them, exactly."""
    t = Fraction(t)
    pairs = zip(points[:6].tolist(), points[6:].tolist(), strict=True)
    corners = [[(1 - t) * Fraction(p) + t * Fraction(q) for p, q in zip(*ends, strict=True)] for ends in pairs]
    return [[x - y for x, y in zip(corner, corners[0], strict=True)] for corner in corners]


def beside(rng, directions):
    """Points (12, 3) of two triangles, of which b begins where a ends along one of the directions, up to rounding."""
    points = rng.normal(size=(12, 3)) * 10.0 ** rng.integers(-3, 3) + 10.0 ** rng.integers(-2, 5) * rng.normal(size=3)
    way = directions[:, rng.integers(DIRECTIONS)] / np.linalg.norm(directions, axis=0).max()
    for half in (0, 6):
        along = points[half : half + 6] @ way
        points[half + 3 : half + 6] += (along[:3].max() - along[3:].min()) / (way @ way) * way
    return points


def test_parting_directions_part_what_they_are_said_to():
    rng = np.random.default_rng(1)
    claimed = 0
    for _ in range(1500):
        directions = rng.normal(size=(3, DIRECTIONS))
        points = beside(rng, directions)
        first, last = sorted(rng.uniform(size=2).tolist()) if rng.random() < 0.5 else (0.0, 1.0)
        mask, _ = looked_at(points, first, last, directions)
        ends = [placed(points, t) for t in (first, last)]
        for k in range(DIRECTIONS):
            if not mask >> k & 1:
                continue
            claimed += 1
            way = [Fraction(x) for x in directions[:, k].tolist()]
            sides = set()
            for corners in ends:
                along = [sum(x * d for x, d in zip(corner, way, strict=True)) for corner in corners]
                sides.add((min(along[3:]) > max(along[:3])) - (min(along[:3]) > max(along[3:])))
            assert sides in ({1}, {-1})
    assert claimed > 500


def abutting(rng):
    """Points (12, 3) of two triangles of which b begins where a ends along an axis, up to the last digits, which change."""
    corners = rng.normal(size=(6, 3))
    corners -= corners[0]
    axis = rng.integers(3)
    corners[3:, axis] += corners[:3, axis].max() - corners[3:, axis].min()
    lowest = 3 + corners[3:, axis].argmin()
    corners[lowest, axis] = corners[:3, axis].max()
    points = np.concatenate([corners, corners])
    for row in (lowest, 6 + lowest):
        points[row, axis] += np.spacing(abs(points[row, axis])) * rng.integers(-3, 4)
    return points


def test_meeting_features_leave_out_only_boxes_that_are_apart():
    rng = np.random.default_rng(2)
    left_out = 0
    for trial in range(8000):
        first, last = sorted(rng.uniform(size=2).tolist()) if trial % 8 else (0.0, 1.0)
        if trial % 4:
            points, last = abutting(rng), first
        else:
            points = beside(rng, np.tile(np.eye(3)[rng.integers(3)][:, None], DIRECTIONS))
        _, mask = looked_at(points, first, last, np.ones((3, DIRECTIONS)))
        begin, end = placed(points, first), placed(points, last)
        for code in range(FEATURES):
            if mask >> code & 1:
                continue
            left_out += 1
            cut = 2 if code >= FIRST_EDGE else 1
            parts = [[(begin[k], end[k]) for k in PLACES[code][:cut]], [(begin[k], end[k]) for k in PLACES[code][cut:]]]
            boxes = [
                [(min(x[d] for ends in part for x in ends), max(x[d] for ends in part for x in ends)) for d in range(3)]
                for part in parts
            ]
            assert any(a[0] > b[1] or b[0] > a[1] for a, b in zip(*boxes, strict=True))
    assert left_out > 500
