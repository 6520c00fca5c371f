"""Sphere-trees cover their meshes at every level, fit tightly, and come back from files as they were."""

from __future__ import annotations

import dataclasses
import zipfile

import numpy as np
import pytest

import carom
from carom.trees import sphere_tree_of
from carom.trees.spheres.signed_depth import Surface
from carom.trees.spheres.sphere_tree import METHODS
from geometry.sphere_tree_samples import mesh, tree

CLOSED = ("ball", "ring", "box")
OPEN = ("bowl", "sheet", "soup", "triangle")


def covered_by_every_level(built, points):
    """Is each of the points in some sphere of each level?"""
    for level in range(built.levels + 1):
        spheres = built.level(level)
        away = np.linalg.norm(points[:, None] - spheres[None, :, :3], axis=2)
        if not (away <= spheres[:, 3]).any(axis=1).all():
            return False
    return True


def surface_points(shape, n, seed):
    rng = np.random.default_rng(seed)
    corners = shape.vertices[shape.faces[rng.integers(len(shape.faces), size=n)]]
    return np.einsum("ij,ijk->ik", rng.dirichlet((1.0, 1.0, 1.0), n), corners)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("name", [*CLOSED, *OPEN, "point"])
def test_sphere_tree_covers_its_mesh(name, method):
    built = tree(name, 2, method)
    built.check(mesh(name))
    assert [len(built.level(k)) <= 8**k for k in range(3)] == [True] * 3
    assert covered_by_every_level(built, surface_points(mesh(name), 500, 1))


@pytest.mark.parametrize("method", METHODS)
def test_sphere_tree_of_a_ball_has_exact_depths(method):
    built = tree("ball", 2, method)
    away = np.linalg.norm(built.spheres[:, :3], axis=1)
    # The ball is a polyhedron that reaches from its faces' middles, at 0.98, to 1.
    assert (built.depths <= 1.0 - away + 1e-12).all()
    assert (built.depths >= 0.96 - away).all()


def test_sphere_tree_medial_root_of_a_ball_is_nearly_the_ball():
    spheres = tree("ball", 2).level(1)
    best = min(spheres, key=lambda sphere: np.linalg.norm(sphere[:3]))
    assert best[3] == pytest.approx(1.0, abs=0.02)


@pytest.mark.parametrize("name", ["ring", "box", "lamp"])
def test_sphere_tree_medial_is_never_looser_than_the_octree(name):
    for medial, octree in zip(tree(name, 3).looseness(16), tree(name, 3, "octree").looseness(16), strict=True):
        assert medial.bound_mean <= octree.bound_mean
        assert medial.bound_worst <= octree.bound_worst


def test_sphere_tree_annealing_tightens_the_octree():
    for annealed, octree in zip(
        tree("ring", 2, "annealed").looseness(16), tree("ring", 2, "octree").looseness(16), strict=True
    ):
        assert annealed.bound_mean < octree.bound_mean


@pytest.mark.parametrize("name", ["ring", "bowl"])
def test_sphere_tree_sampled_looseness_stays_below_its_bound(name):
    for level in tree(name, 2).looseness(64):
        assert 0.0 < level.sampled_worst <= level.bound_worst + 1e-12
        assert level.sampled_mean <= level.bound_mean + 1e-12


def test_sphere_tree_levels_get_tighter():
    loose = [level.bound_mean for level in tree("ring", 3).looseness(16)]
    assert loose == sorted(loose, reverse=True)
    assert loose[3] < 0.3 * loose[1]


def test_sphere_tree_is_the_same_for_the_same_seed():
    again = carom.time_critical.SphereTree.build(mesh("ring"), levels=2)
    assert np.array_equal(again.spheres, tree("ring", 2).spheres)


@pytest.mark.parametrize("level", [0, 1, 2])
def test_sphere_tree_check_notices_spheres_that_shrank(level):
    built = tree("ring", 2)
    spheres = built.spheres.copy()
    spheres[built.level_start[level] : built.level_start[level + 1], 3] *= 0.8
    with pytest.raises(carom.errors.AuditError, match="not covered"):
        dataclasses.replace(built, spheres=spheres).check()


def test_sphere_tree_check_notices_children_that_swapped_parents():
    built = tree("ring", 2)
    spheres = built.spheres.copy()
    first, last = built.child_start[1], built.level_start[-1] - 1
    spheres[[first, last]] = spheres[[last, first]]
    with pytest.raises(carom.errors.AuditError):
        dataclasses.replace(built, spheres=spheres).check()


def test_sphere_tree_check_notices_a_depth_that_is_too_good():
    built = tree("ring", 2)
    with pytest.raises(carom.errors.AuditError, match="less deep"):
        dataclasses.replace(built, depths=built.depths + 0.01).check()


def test_sphere_tree_check_notices_another_mesh():
    with pytest.raises(carom.errors.AuditError):
        tree("ring", 2).check(mesh("box"))


def test_sphere_tree_moves_with_its_mesh():
    shape = mesh("box")
    far = carom.time_critical.SphereTree.build(carom.Mesh(shape.vertices + (1e5, -2e5, 3e5), shape.faces), levels=2)
    far.check()


def test_sphere_tree_is_kept_by_its_mesh():
    shape = carom.Mesh(mesh("box").vertices, mesh("box").faces)
    assert sphere_tree_of(shape) is None
    built = carom.time_critical.SphereTree.build(shape, levels=1, method="octree")
    assert sphere_tree_of(shape) is built


@pytest.mark.parametrize("name", ["ring", "bowl"])
def test_sphere_tree_comes_back_from_a_file(name, tmp_path):
    built = tree(name, 2)
    built.save(tmp_path / "tree.npz")
    for shape in (None, mesh(name)):
        loaded = carom.time_critical.SphereTree.load(tmp_path / "tree.npz", shape)
        assert np.array_equal(loaded.spheres, built.spheres)
        assert np.array_equal(loaded.child_start, built.child_start)
        assert loaded.method == built.method
        assert sphere_tree_of(loaded.mesh) is loaded
        loaded.check()
    built._kept()


def test_sphere_tree_load_refuses_another_mesh(tmp_path):
    tree("ring", 2).save(tmp_path / "tree.npz")
    with pytest.raises(carom.InvalidInputError, match="another mesh"):
        carom.time_critical.SphereTree.load(tmp_path / "tree.npz", mesh("box"))


def damaged(path, how):
    if how == "missing":
        return
    if how == "text":
        path.write_text("no tree")
    elif how == "foreign":
        np.savez(path, faces=np.zeros((1, 3)))
    elif how == "cut":
        tree("ring", 2).save(path)
        path.write_bytes(path.read_bytes()[:-200])
    elif how == "array gone":
        tree("ring", 2).save(path)
        with zipfile.ZipFile(path) as archive:
            parts = {name: archive.read(name) for name in archive.namelist() if name != "depths.npy"}
        with zipfile.ZipFile(path, "w") as archive:
            for name, data in parts.items():
                archive.writestr(name, data)
    elif how == "levels that overflow":
        save_with(path, np.array([0, 1, -(2**63), -1, len(tree("ring", 2).spheres)]))
    else:
        save_with(path, np.array([0, 1, 5]))


def save_with(path, level_start):
    tree("ring", 2).save(path)
    with np.load(path) as held:
        arrays = dict(held)
    np.savez(path, **{**arrays, "level_start": level_start})


@pytest.mark.parametrize("how", ["missing", "text", "foreign", "cut", "array gone", "levels that overflow", "nonsense"])
def test_sphere_tree_load_refuses_what_is_no_tree(how, tmp_path):
    path = tmp_path / "tree.npz"
    damaged(path, how)
    with pytest.raises(carom.InvalidInputError, match=r"tree\.npz"):
        carom.time_critical.SphereTree.load(path)


def test_sphere_tree_save_refuses_a_place_that_is_not_there(tmp_path):
    with pytest.raises(carom.InvalidInputError, match="cannot be written"):
        tree("ring", 2).save(tmp_path / "nowhere" / "tree.npz")


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        ({"mesh": carom.Box((1, 1, 1))}, "mesh"),
        ({"levels": 0}, "levels"),
        ({"levels": 7}, "levels"),
        ({"levels": 2.5}, "levels"),
        ({"method": "magic"}, "method"),
    ],
)
def test_sphere_tree_build_refuses_bad_input(arguments, named):
    with pytest.raises(carom.InvalidInputError, match=named):
        carom.time_critical.SphereTree.build(**({"mesh": mesh("box")} | arguments))


def test_sphere_tree_level_refuses_numbers_beyond():
    with pytest.raises(carom.InvalidInputError, match="level"):
        tree("ring", 2).level(3)


def test_surface_depth_of_a_box_is_exact():
    surface = Surface.of(mesh("box"))
    points = np.random.default_rng(2).uniform(-1.5, 1.5, (400, 3))
    outside = np.maximum(np.abs(points) - (0.5, 1.0, 0.15), 0.0)
    inside = (np.array((0.5, 1.0, 0.15)) - np.abs(points)).min(axis=1)
    expected = np.where(outside.any(axis=1), -np.linalg.norm(outside, axis=1), inside)
    assert surface.closed
    assert surface.depth(points) == pytest.approx(expected, abs=1e-12)


def test_surface_inside_does_not_depend_on_orientation():
    shape = mesh("ring")
    points = np.random.default_rng(3).uniform(-1.4, 1.4, (300, 3))
    flipped = Surface.of(carom.Mesh(shape.vertices, shape.faces[:, ::-1]))
    assert np.array_equal(Surface.of(shape).inside(points), flipped.inside(points))


@pytest.mark.parametrize("name", ["lamp", "ring", "ball", "box"])
def test_surface_inside_through_the_tree_is_that_by_all_triangles(name):
    surface, shape = Surface.of(mesh(name)), mesh(name)
    rng = np.random.default_rng(4)
    low, high = shape.vertices.min(axis=0) - 0.1, shape.vertices.max(axis=0) + 0.1
    near = surface_points(shape, 2000, 5) + 1e-3 * rng.normal(size=(2000, 3))
    points = np.concatenate([rng.uniform(low, high, (3000, 3)), near])
    assert np.array_equal(surface.inside(points), surface.inside(points, surely=True))


def test_surface_of_parts_that_overlap_is_inside_both():
    shape = mesh("box")
    both = carom.Mesh(
        np.concatenate([shape.vertices, shape.vertices + (0.4, 0.0, 0.0)]),
        np.concatenate([shape.faces, shape.faces + 8]),
    )
    points = np.array([(-0.4, 0.0, 0.0), (0.1, 0.0, 0.0), (0.8, 0.0, 0.0), (1.0, 0.0, 0.0)])
    for surely in (True, False):
        assert Surface.of(both).inside(points, surely=surely).tolist() == [True, True, True, False]


@pytest.mark.parametrize("name", OPEN)
def test_surface_that_is_open_has_no_inside(name):
    surface = Surface.of(mesh(name))
    assert not surface.closed
    assert (surface.depth(np.random.default_rng(1).normal(size=(50, 3))) <= 0.0).all()


@pytest.mark.parametrize(
    "changed",
    [
        {"mesh": None}, {"spheres": None}, {"spheres": np.zeros((3, 4))}, {"depths": np.zeros(3)},
        {"child_start": np.full(1000, 10**6, np.int32)}, {"level_start": np.array([0, 1, 5])}, {"child_start": [1, 2]},
    ],
)  # fmt: skip
def test_sphere_trees_refuse_arrays_that_are_no_tree(changed):
    with pytest.raises(carom.InvalidInputError):
        dataclasses.replace(tree("ring", 2), **changed)


def test_sphere_trees_refuse_children_beyond_their_spheres():
    built = tree("ring", 2)
    starts = built.child_start.copy()
    starts[3:] += 1000
    with pytest.raises(carom.InvalidInputError, match="no sphere-tree"):
        dataclasses.replace(built, child_start=starts)
