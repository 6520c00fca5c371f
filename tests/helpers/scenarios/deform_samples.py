"""Deforming meshes for tests, and first contacts by trying every feature of every pair of triangles."""

from __future__ import annotations

from fractions import Fraction

import numpy as np

import carom
from carom.deform.triangles.features import FEATURES, FIRST_EDGE, PLACES, feature_points
from carom.deform.triangles.triangle_pairs import QUANTUM


def grid_cloth(n):
    """(vertices (v, 3), faces): a square cloth of n x n cells, two triangles each, consistently turned."""
    side = np.linspace(-1.0, 1.0, n + 1)
    x, y = np.meshgrid(side, side, indexing="ij")
    rows = np.arange((n + 1) * (n + 1)).reshape(n + 1, n + 1)
    a, b, c, d = (part.ravel() for part in (rows[:-1, :-1], rows[1:, :-1], rows[1:, 1:], rows[:-1, 1:]))
    faces = np.concatenate([np.stack([a, b, c], 1), np.stack([a, c, d], 1)])
    return np.stack([x.ravel(), y.ravel(), np.zeros(x.size)], 1), faces


def crumpled_cloth(rng, n=5, keys=4, jump=0.5):
    """A cloth whose vertices go anywhere: folds, touches and crosses itself."""
    flat, faces = grid_cloth(n)
    steps = rng.normal(scale=jump / n * 2.0, size=(keys, *flat.shape))
    steps[0] *= 0.2
    return carom.Deforming(faces, np.arange(keys) * 0.5, flat + np.cumsum(steps, axis=0))


def triangle_soup(rng, n=12, keys=3, spread=0.6):
    """Triangles without common vertices that fly about."""
    corners = rng.uniform(-spread, spread, (n, 1, 3)) + rng.normal(scale=0.5, size=(n, 3, 3))
    flight = rng.normal(scale=0.8, size=(keys, n, 1, 3)) + rng.normal(scale=0.1, size=(keys, n, 3, 3))
    places = corners + np.cumsum(flight, axis=0)
    return carom.Deforming(np.arange(3 * n).reshape(n, 3), np.arange(keys), places.reshape(keys, 3 * n, 3))


def shared(faces, a, b):
    return set(faces[a].tolist()) & set(faces[b].tolist())


def first_contacts(faces, start, end, pairs):
    """{(a, b): (fraction, code)} over one interval by exact queries of every feature, rounded down to the quantum."""
    rows = [(a, b, code) for a, b in pairs for code in range(FEATURES)]
    table = np.array(rows)
    points, edges = feature_points(faces, start, end, table[:, :2], table[:, 2])
    corners = np.concatenate([faces[table[:, 0]], faces[table[:, 1]]], axis=1)
    times = np.full(len(table), np.inf)
    for is_edge, solve in ((False, carom.vertex_face_toi), (True, carom.edge_edge_toi)):
        at = np.flatnonzero(edges == is_edge)
        times[at] = solve(points[at, :4], points[at, 4:], tight=True)
    found = {}
    for row, (a, b, code) in enumerate(rows):
        places = corners[row][PLACES[code]]
        cut = 2 if code >= FIRST_EDGE else 1
        if set(places[:cut].tolist()) & set(places[cut:].tolist()) or not times[row] <= 1.0:
            continue
        early = float(Fraction(int(times[row] / QUANTUM)) * Fraction(QUANTUM))
        if (early, code) < found.get((a, b), (np.inf, 99)):
            found[a, b] = (early, code)
    return found


def all_pairs(n):
    return [(a, b) for a in range(n) for b in range(a + 1, n)]
