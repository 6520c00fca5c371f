"""Polygons as triangles: the same area, the same outline, nothing over a notch."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

from carom.io.polygons import ear_clipping
from carom.io.polygons.polygon_mesh import PolygonMesh
from carom.io.polygons.triangulate import triangulated

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


def test_triangulated_cuts_a_polygon_of_many_corners_with_few_tests(monkeypatch):
    # Each ear tried all corners against all others: hours for a polygon of a thousand.
    tests = 0
    blocked = ear_clipping._Outline._blocked

    def counted(self, *arguments):
        nonlocal tests
        tests += 1
        return blocked(self, *arguments)

    monkeypatch.setattr(ear_clipping._Outline, "_blocked", counted)
    n = 1200
    angles = np.arange(n) * 2.0 * np.pi / n
    radii = 1.0 + 0.5 * (np.arange(n) % 2)
    outline = list(zip(radii * np.cos(angles), radii * np.sin(angles), strict=True))
    areas = doubled_areas(mesh(outline).vertices, triangulated(mesh(outline)))
    assert (areas > 0.0).all()
    x, y = np.array(outline).T
    assert areas.sum() == pytest.approx(float((x * np.roll(y, -1) - np.roll(x, -1) * y).sum()))
    assert tests <= 3 * n
    rng = np.random.default_rng(0)
    tests = 0
    assert triangulated(mesh(rng.normal(size=(n, 2)).tolist())).shape == (n - 2, 3)
    assert tests <= 6 * n


def ring_of_cells(rng):
    """A random simply connected set of unit squares, whose outline may touch itself at corners; and how many there are."""
    cells = {(0, 0)}
    for _ in range(int(rng.integers(1, 25))):
        x, y = list(cells)[rng.integers(len(cells))]
        dx, dy = [(1, 0), (-1, 0), (0, 1), (0, -1)][rng.integers(4)]
        cells.add((x + dx, y + dy))
    ways = {}
    for x, y in cells:
        square = [(x, y), (x + 1, y), (x + 1, y + 1), (x, y + 1)]
        for k, (dx, dy) in enumerate([(0, -1), (1, 0), (0, 1), (-1, 0)]):
            if (x + dx, y + dy) not in cells:
                ways.setdefault(square[k], []).append(square[(k + 1) % 4])
    loops = 0
    outline = []
    while ways:
        here, before = min(ways), None
        loops += 1
        while here in ways:
            ahead = ways[here]
            if before is not None and len(ahead) > 1:  # at a corner where it touches itself it turns left
                dx, dy = here[0] - before[0], here[1] - before[1]
                ahead.sort(key=lambda to: dy * (to[0] - here[0]) - dx * (to[1] - here[1]))
            outline.append(here)
            before, here = here, ahead.pop(0)
            if not ways[before]:
                del ways[before]
    return (outline, len(cells)) if loops == 1 else ring_of_cells(rng)


def test_triangulated_covers_outlines_that_touch_themselves_and_run_straight_on():
    for seed in range(300):
        rng = np.random.default_rng(seed)
        outline, cells = ring_of_cells(rng)
        first = int(rng.integers(len(outline)))
        given = mesh(outline[first:] + outline[:first])
        areas = doubled_areas(given.vertices, triangulated(given))
        assert areas.min() >= 0.0, seed
        assert areas.sum() == pytest.approx(2 * cells), seed
