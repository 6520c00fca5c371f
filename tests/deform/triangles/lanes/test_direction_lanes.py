"""Directions tried for a pair of triangles: what each of them is square to."""

from __future__ import annotations

import numpy as np
import pytest

from carom._compile.jit import lean_kernel
from carom.deform.triangles.lanes.directions import cross_directions, edge_directions, likely_directions


@lean_kernel
def _directions_into(moved, likely, edge, cross):
    likely_directions(moved, likely)
    edge_directions(moved, edge)
    cross_directions(moved, cross)


@pytest.fixture
def pair():
    """(edges (2, 3, 3), normals (2, 3), way between the centres (3,), three times eight directions (8, 3)), all of length 1."""
    moved = np.zeros((12, 4))
    moved[:, :3] = np.random.default_rng(6).normal(size=(12, 3))
    found = np.empty((3, 3, 8))
    _directions_into(moved, *found)
    mean = (moved[:6, :3] + moved[6:, :3]).reshape(2, 3, 3)
    edges = unit(np.roll(mean, -1, axis=1) - mean)
    normals = unit(np.cross(edges[:, 0], edges[:, 1]))
    return edges, normals, unit(mean[1].mean(axis=0) - mean[0].mean(axis=0)), unit(found.transpose(0, 2, 1))


def unit(vectors):
    return vectors / np.linalg.norm(vectors, axis=-1, keepdims=True)


def along(a, b):
    """Are unit vectors on one line?"""
    return np.abs(np.abs((a * b).sum(axis=-1)) - 1.0) < 1e-12


def test_likely_directions_are_normals_ways_between_centres_and_square_to_both(pair):
    _, normals, centre, (ways, _, _) = pair
    assert along(ways[:2], normals).all()
    assert along(ways[2], centre)
    for way, normal in zip(ways[3:5], normals, strict=True):
        assert along(way, unit(centre - (centre @ normal) * normal))
    across = unit(np.cross(*normals))
    assert along(ways[5], across)
    assert along(ways[6:], unit(np.cross(normals, across))).all()


def test_edge_and_cross_directions_are_all_that_triangles_at_rest_can_need(pair):
    edges, normals, _, (_, edge_ways, cross_ways) = pair
    tried = np.concatenate([edge_ways, cross_ways])
    needed = [np.cross(edge, normals[side]) for side in range(2) for edge in edges[side]]
    needed += [np.cross(a, b) for a in edges[0] for b in edges[1]]
    for way in unit(np.array(needed)):
        assert along(tried, way).any()
