"""Polygons as triangles: the same area, the same outline, nothing over a notch."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

from carom.io.polygons import PolygonMesh
from carom.io.triangulate import triangulated

NOTCHED = [(0, 0), (4, 0), (4, 4), (2, 1), (0, 4)]
"""A square whose upper side is drawn in almost to its lower one; the fan of its first corner fills the notch."""
COMB = [(0, 0), (7, 0), (7, 3), (6, 3), (6, 1), (5, 1), (5, 3), (4, 3), (4, 1), (3, 1), (3, 3), (2, 3), (2, 1), (1, 1), (1, 3),
        (0, 3)]  # fmt: skip
SLIT = [(0, 0), (6, 0), (6, 6), (0, 6), (0, 0), (2, 2), (2, 4), (4, 4), (4, 2), (2, 2)]
"""A square with a hole, reached by a slit whose both ends are there twice."""
SHAPES = {
    "convex": [(0, 0), (2, 0), (3, 1), (2, 2), (0, 2)],
    "dart": [(0, 3), (-2, 0), (0, 1), (2, 0)],
    "notched": NOTCHED,
    "corner of L first": [(0, 0), (3, 0), (3, 1), (1, 1), (1, 3), (0, 3)],
    "midpoint": [(0, 0), (1, 0), (2, 0), (2, 2), (0, 2)],
    "comb": COMB,
    "slit": SLIT,
}


def mesh(*polygons):
    """Polygons of (x, y) or (x, y, z), each with vertices of its own."""
    points = [(*point, 0.0)[:3] for polygon in polygons for point in polygon]
    return PolygonMesh(np.array(points, dtype=np.float64), np.array([len(p) for p in polygons]), np.arange(len(points)))


def doubled_areas(points, triangles):
    """Twice the areas of triangles in the plane z = 0, above 0 where they turn counterclockwise."""
    a, b, c = (points[triangles[:, k], :2] for k in range(3))
    return (b[:, 0] - a[:, 0]) * (c[:, 1] - a[:, 1]) - (b[:, 1] - a[:, 1]) * (c[:, 0] - a[:, 0])


@pytest.mark.parametrize("first", range(4))
@pytest.mark.parametrize("name", SHAPES)
def test_triangulated_covers_a_polygon_once_whatever_corner_comes_first(name, first):
    outline = SHAPES[name][first:] + SHAPES[name][:first]
    given = mesh(outline)
    triangles = triangulated(given)
    x, y = np.array(outline, dtype=float).T
    twice = float((x * np.roll(y, -1) - np.roll(x, -1) * y).sum())
    areas = doubled_areas(given.vertices, triangles)
    assert triangles.shape == (len(outline) - 2, 3)
    assert (areas > 0.0).all()  # none turned over and none over the notch: then the sum would be larger
    assert areas.sum() == pytest.approx(twice)
    ways = Counter((int(t[k]), int(t[(k + 1) % 3])) for t in triangles for k in range(3))
    border = {edge for edge in ways if (edge[1], edge[0]) not in ways}
    assert border == {(k, (k + 1) % len(outline)) for k in range(len(outline))}


def test_triangulated_keeps_fans_of_convex_polygons():
    assert triangulated(mesh(SHAPES["convex"])).tolist() == [[0, 1, 2], [0, 2, 3], [0, 3, 4]]


def test_triangulated_keeps_the_order_of_mixed_polygons():
    found = triangulated(mesh([(0, 0), (1, 0), (0, 1)], SHAPES["dart"], [(0, 0), (1, 0), (0, 1)], NOTCHED))
    assert found[0].tolist() == [0, 1, 2]
    assert found[3].tolist() == [7, 8, 9]
    assert [sorted({int(k) for k in rows.ravel()}) for rows in (found[1:3], found[4:])] == [
        [3, 4, 5, 6], [10, 11, 12, 13, 14]
    ]  # fmt: skip


@pytest.mark.parametrize("scale", [1e-200, 1.0, 1e200])
def test_triangulated_works_in_any_plane_at_any_scale(scale):
    rng = np.random.default_rng(3)
    flat = np.array([(*point, 0.0) for point in COMB])
    expected = triangulated(mesh(COMB))
    for _ in range(5):
        turn, _ = np.linalg.qr(rng.standard_normal((3, 3)))
        placed = (flat @ turn.T + rng.standard_normal(3)) * scale
        given = PolygonMesh(placed, np.array([len(COMB)]), np.arange(len(COMB)))
        assert np.array_equal(triangulated(given), expected)


@pytest.mark.parametrize(
    "outline",
    [
        [(0, 0)] * 5,
        [(0, 0), (1, 0), (2, 0), (3, 0)],
        [(0, 0), (2, 2), (2, 0), (0, 2)],
        [(0, 0), (0, 0), (1, 0), (0, 1)],
    ],
    ids=["point", "line", "bow tie", "twice"],
)
def test_triangulated_cuts_degenerate_polygons_somehow(outline):
    found = triangulated(mesh(outline))
    assert found.shape == (len(outline) - 2, 3)
    assert set(found.ravel().tolist()) <= set(range(len(outline)))


def test_triangulated_agrees_with_the_area_of_random_star_shapes():
    rng = np.random.default_rng(5)
    for n in (4, 5, 6, 9, 17, 40):
        angles = np.sort(rng.uniform(0.0, 2.0 * np.pi, n))
        if np.diff(angles, append=angles[0] + 2.0 * np.pi).max() > 3.0:
            angles = np.arange(n) * 2.0 * np.pi / n
        x, y = rng.uniform(0.2, 3.0, n) * np.stack([np.cos(angles), np.sin(angles)])
        given = mesh(list(zip(x, y, strict=True)))
        areas = doubled_areas(given.vertices, triangulated(given))
        assert (areas > 0.0).all()
        assert areas.sum() == pytest.approx(float((x * np.roll(y, -1) - np.roll(x, -1) * y).sum()))
