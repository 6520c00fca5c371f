"""BSP-trees know inside from outside, and pairs of them overlap exactly when the solids do."""

from __future__ import annotations

import numpy as np
import pytest
import trimesh

import carom
from carom.baselines.bsp_pair import bsp_collide
from carom.baselines.bsp_tree import build_bsp_tree
from carom.pose import poses, relative
from carom.trees.spheres.signed_depth import Surface
from geometry.sphere_tree_samples import mesh, random_poses

CLOSED = ("ball", "ring", "box", "lamp")


def bsp(name):
    return build_bsp_tree(mesh(name).vertices, mesh(name).faces)


@pytest.mark.parametrize("name", CLOSED)
def test_bsp_tree_agrees_with_winding_numbers(name):
    built = bsp(name)
    built.check()
    points = np.random.default_rng(5).uniform(built.low - 0.1, built.high + 0.1, (3000, 3))
    assert np.array_equal(built.inside(points), Surface.of(mesh(name)).inside(points))


def test_bsp_tree_of_a_box_is_six_planes():
    built = bsp("box")
    assert len(built.planes) == 6
    assert built.relabelled == 0


def test_bsp_tree_labels_parts_that_overlap_by_a_sliver():
    # The overlap, thin as it is, is a cell of its own behind the face of one part and in front of the other's.
    one, other = trimesh.creation.box((1.0, 1.0, 1.0)), trimesh.creation.box((1.0, 1.0, 1.0))
    other.apply_translation((0.998, 0.1, 0.05))
    both = trimesh.util.concatenate([one, other])
    built = build_bsp_tree(np.array(both.vertices), np.array(both.faces))
    built.check(20_000)
    assert built.inside(np.array([[0.4995, 0.2, 0.1], [0.0, 0.0, 0.0], [1.2, 0.2, 0.1], [0.4995, 0.62, 0.0]])).tolist() == [
        True, True, True, False,
    ]  # fmt: skip


def solids_overlap(a, b, pose):
    moved = b.vertices @ pose[:3, :3].T + pose[:3, 3]
    back = (a.vertices - pose[:3, 3]) @ pose[:3, :3]
    inside = Surface.of(a).inside(moved).any() or Surface.of(b).inside(back).any()
    return bool(inside or carom.collide(a, b, None, pose).hit)


@pytest.mark.parametrize(("a", "b"), [("ring", "box"), ("lamp", "ring"), ("lamp", "lamp"), ("ball", "box")])
def test_bsp_collide_is_exact_for_solids(a, b):
    where = random_poses(6, 200, 2.0)
    rots, shifts = relative(poses("pose_a", None), poses("pose_b", where))
    found = bsp_collide(bsp(a), bsp(b), rots, shifts)
    assert found.tolist() == [solids_overlap(mesh(a), mesh(b), pose) for pose in where]
    assert 0 < found.sum() < len(found)


def test_bsp_collide_finds_one_solid_inside_the_other():
    big = trimesh.creation.box((4.0, 4.0, 4.0))
    outer, inner = build_bsp_tree(np.array(big.vertices), np.array(big.faces)), bsp("box")
    pose = np.eye(3).reshape(1, 9), np.array([[0.1, 0.2, 0.3]])
    assert bsp_collide(outer, inner, *pose).all()
    assert bsp_collide(inner, outer, *pose).all()


def test_bsp_tree_refuses_an_open_surface():
    with pytest.raises(carom.InvalidInputError, match="closed"):
        bsp("bowl")


def test_bsp_check_notices_a_wrong_label():
    built = bsp("ball")
    built.children[built.children == -2] = -1
    with pytest.raises(carom.errors.AuditError, match="wrong side"):
        built.check()
