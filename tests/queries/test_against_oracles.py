"""Distances and hits of every pairing against oracles without trees: all triangles, all pieces, extents.

A sample by default, 100,000 poses a pairing under the marker `long`. Convex pairs have their own oracle, see
tests/narrow/convex/test_gjk.py and test_epa.py.
"""

from __future__ import annotations

import numpy as np
import pytest
import trimesh

import carom
from carom.narrow.convex.convex_pair import convex_distance
from carom.pose import poses, relative
from carom.queries.toi_dispatch import quaternions_of
from carom.shapes.parts.cores import triangle_core
from carom.shapes.shape import core_of
from geometry.shapes_in_pairs import SHAPES, random_poses

CONVEX = ("sphere", "box", "capsule", "cylinder", "cone", "ellipsoid", "convex")
_block = trimesh.creation.box((1.4, 1.0, 0.7))
BLOCK = carom.Mesh(_block.vertices, _block.faces)
ROUGH = carom.Mesh(trimesh.creation.icosphere(1, 0.8).vertices * (1.0, 0.6, 1.3), trimesh.creation.icosphere(1).faces)
SIZES = [pytest.param(300, id="sample"), pytest.param(100_000, id="100000", marks=pytest.mark.long)]


def seen(there):
    return relative(poses("a", None), poses("b", there))


def triangles_of(mesh):
    return [triangle_core(corners) for corners in mesh.vertices[mesh.faces]]


def check(a, b, there, truth):
    """Distance and hits as the oracle has them; a touch is decided to rounding."""
    found = carom.distance(a, b, None, there)
    assert np.allclose(found.distance, truth, rtol=1e-9, atol=1e-9)
    hits = carom.collide(a, b, None, there, contacts="none").hit
    clear = (truth > 1e-9) | (truth == 0.0)
    assert np.array_equal(hits[clear], (truth == 0.0)[clear])


@pytest.mark.parametrize("n", SIZES)
@pytest.mark.parametrize("name", CONVEX)
def test_convex_against_mesh_agrees_with_all_triangles(name, n):
    there = random_poses(n, 3, 0.9)
    rots, shifts = seen(there)
    core = core_of(SHAPES[name])
    truth = np.full(n, np.inf)
    for triangle in triangles_of(ROUGH):
        truth = np.minimum(truth, convex_distance(core, triangle, rots, shifts, None).distance)
    check(SHAPES[name], ROUGH, there, truth)


@pytest.mark.parametrize("n", SIZES)
def test_mesh_against_mesh_agrees_with_all_pairs_of_triangles(n):
    there = random_poses(n, 5, 0.9)
    rots, shifts = seen(there)
    truth = np.full(n, np.inf)
    for first in triangles_of(BLOCK):
        for second in triangles_of(BLOCK):
            truth = np.minimum(truth, convex_distance(first, second, rots, shifts, None).distance)
    check(BLOCK, BLOCK, there, truth)


@pytest.mark.parametrize("n", SIZES)
@pytest.mark.parametrize("name", [*CONVEX, "mesh", "compound"])
def test_half_space_agrees_with_extents(name, n):
    plane, shape = SHAPES["half-space"], SHAPES[name]
    there = random_poses(n, 7)
    quats = quaternions_of(there[:, :3, :3].reshape(n, 9))
    lowest = np.array([shape.extents_along(plane.normal[None], quat)[0][0] for quat in quats])
    gap = there[:, :3, 3] @ plane.normal + lowest - plane.offset
    check(plane, shape, there, np.maximum(gap, 0.0))
    assert np.allclose(carom.penetration(plane, shape, None, there).depth, np.maximum(-gap, 0.0), atol=1e-9)


@pytest.mark.parametrize("n", SIZES)
@pytest.mark.parametrize("name", [*CONVEX, "mesh", "compound"])
def test_compound_agrees_with_its_pieces(name, n):
    compound, shape = SHAPES["compound"], SHAPES[name]
    there = random_poses(n, 9)
    others = shape.pieces if isinstance(shape, carom.Compound) else [(shape, np.eye(4))]
    truth = np.full(n, np.inf)
    for piece, pose in compound.pieces:
        for other, other_pose in others:
            truth = np.minimum(truth, carom.distance(piece, other, pose, there @ other_pose).distance)
    check(compound, shape, there, truth)
