"""Progressive collision of two tetrahedra in octree sphere-trees: small enough to be followed line by line."""

from __future__ import annotations

import numpy as np
import pytest

import carom

CORNERS = np.array([(0.0, 0.0, 0.0), (1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)])
SHIFTS = [0.0, 0.4, 0.9, 1.05, 1.3, 4.0]
"""Along x: the tetrahedra touch up to 1."""


@pytest.fixture(scope="module")
def tree():
    faces = [(0, 2, 1), (0, 1, 3), (0, 3, 2), (1, 2, 3)]
    return carom.time_critical.SphereTree.build(carom.Mesh(CORNERS, faces), levels=1, method="octree")


def shifted(x):
    pose = np.eye(4)
    pose[0, 3] = x
    return pose


@pytest.mark.parametrize("x", SHIFTS)
def test_progressive_pair_narrows_down_to_the_truth(tree, x):
    pair = carom.time_critical.ProgressivePair(tree, tree)
    for level in range(pair.levels + 1):
        assert pair.query(None, shifted(x), level=level).hit or x > 1.0
    found = pair.resume()
    assert (found.hit, found.exact) == (x <= 1.0, True)
    assert pair.query(None, shifted(x)).hit == (x <= 1.0)


def test_progressive_crowd_narrows_down_to_the_truth(tree):
    crowd = carom.time_critical.ProgressiveCrowd([tree] * 4)
    places = np.array([shifted(x) for x in (0.0, 0.9, 2.0, 3.1)])
    pairs = np.array([(0, 1), (1, 2), (2, 3), (0, 3)])
    part = crowd.query(pairs, places, steps=0)
    while not part.exact.all():
        part = crowd.resume(steps=20)
    assert part.hit.tolist() == [True, False, False, False]
    assert crowd.query(pairs, places).hit.tolist() == [True, False, False, False]
