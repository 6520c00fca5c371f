"""Solids with corners on a small lattice, in poses that keep them there: every kind of parallel and touching feature."""

from __future__ import annotations

from itertools import permutations, product

import numpy as np
import pytest

from carom.errors import InvalidInputError
from carom.narrow.convex.closest_features import closest_features
from carom.narrow.convex.convex_pair import convex_collide, convex_distance, convex_penetration
from carom.narrow.convex.voronoi_regions import regions
from carom.shapes import Convex, core_of
from carom.shapes.parts.core_layout import FEATURES
from carom.shapes.parts.polyhedron import polyhedron
from oracles import exact_convex

TURNS = [
    turn.ravel()
    for order in permutations(range(3))
    for signs in product((1.0, -1.0), repeat=3)
    if np.linalg.det(turn := np.eye(3)[list(order)] * signs) > 0.0
]


def lattice_solid(rng):
    while True:
        try:
            return Convex(rng.integers(-2, 3, size=(rng.integers(4, 14), 3)))
        except InvalidInputError:
            continue


def small_turn(rng, size):
    """A rotation (3, 3) by `size` radians about a random axis."""
    axis = rng.normal(size=3)
    x, y, z = axis / np.linalg.norm(axis)
    skew = np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])
    return np.eye(3) + np.sin(size) * skew + (1.0 - np.cos(size)) * skew @ skew


def check(rng, rots, shifts):
    first, second = lattice_solid(rng), lattice_solid(rng)
    core_a, core_b = core_of(first), core_of(second)
    bare = core_a.copy()
    bare[FEATURES] = 0.0
    apart = convex_distance(core_a, core_b, rots, shifts)
    hits = convex_collide(core_a, core_b, rots, shifts)
    deep = convex_penetration(core_a, core_b, rots, shifts)
    grown = convex_penetration(bare, core_b, rots, shifts)
    tracked = closest_features(*(regions(polyhedron(s.vertices, s.faces)) for s in (first, second)), rots, shifts)
    solid_a, solid_b = exact_convex.hull(first.vertices), exact_convex.hull(second.vertices)
    for k in range(len(rots)):
        expected = exact_convex.signed_distance(solid_a, solid_b.placed(rots[k].reshape(3, 3), shifts[k]))
        close = {"rel": 2e-11, "abs": 1e-14}
        assert apart.distance[k] == pytest.approx(max(expected, 0.0), **close)
        assert tracked.distance[k] == pytest.approx(max(expected, 0.0), **close)
        assert deep.depth[k] == pytest.approx(-expected, **close)
        assert grown.depth[k] == pytest.approx(-expected, **close)
        assert tracked.depth[k] >= -expected - 1e-13
        if abs(expected) > 2e-14:
            assert hits[k] == (expected < 0.0)


def test_lattice_solids_agree_with_the_oracle():
    rng = np.random.default_rng(1)
    for _ in range(30):
        rots = np.array([TURNS[k] for k in rng.integers(0, 24, 12)])
        check(rng, rots, rng.integers(-4, 5, size=(12, 3)).astype(float))


def test_lattice_solids_nearly_parallel_agree_with_the_oracle():
    rng = np.random.default_rng(2)
    for _ in range(30):
        turns = [TURNS[k].reshape(3, 3) for k in rng.integers(0, 24, 12)]
        tilted = [small_turn(rng, 10.0 ** rng.uniform(-16.0, -6.0)) @ turn for turn in turns]
        check(rng, np.array(tilted).reshape(-1, 9), rng.integers(-4, 5, size=(12, 3)).astype(float))


def test_lattice_solids_nearly_touching_agree_with_the_oracle():
    rng = np.random.default_rng(3)
    for _ in range(30):
        rots = np.array([TURNS[k] for k in rng.integers(0, 24, 12)])
        shifts = rng.integers(-4, 5, size=(12, 3)) + rng.normal(size=(12, 3)) * 10.0 ** rng.uniform(-16, -3, (12, 1))
        check(rng, rots, shifts)
