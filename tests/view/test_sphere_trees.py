"""Sphere-trees in a replay: which meshes get one, how deep, and what is said where there is none."""

from __future__ import annotations

import numpy as np
import pytest

import carom
from carom.errors import InvalidInputError
from carom.view import Film
from geometry.sphere_tree_samples import mesh


def film_of(*shapes):
    world = carom.World()
    for k, shape in enumerate(shapes):
        world.add(shape, carom.Motion((10.0 * k, 0.0, 0.0)))
    return Film(world)


def fresh(name, scale=1.0):
    """A mesh of its own, without a tree."""
    found = mesh(name)
    return carom.Mesh(found.vertices * scale, found.faces)


def test_sphere_trees_are_those_of_the_meshes_level_by_level():
    box = fresh("box")
    replay = film_of(carom.Sphere(1.0), box).replay("two", sphere_trees=2)
    tree = carom.time_critical.SphereTree.build(fresh("box"), levels=2)
    assert list(replay.sphere_levels) == [1]
    for number, spheres in enumerate(replay.sphere_levels[1]):
        assert np.array_equal(spheres, tree.level(number))
    assert number == 2


def test_sphere_trees_that_meshes_have_are_shown_as_deep_as_they_go():
    box = fresh("box")
    tree = carom.time_critical.SphereTree.build(box, levels=1, method="octree")
    (levels,) = film_of(box).replay("box", sphere_trees=3).sphere_levels.values()
    assert len(levels) == 2
    assert np.array_equal(levels[1], tree.level(1))


def test_sphere_trees_of_copies_in_other_sizes_are_one_and_cover_each():
    sizes = (1.0, 0.37, 2.9)
    replay = film_of(*(fresh("ring", size) for size in sizes), fresh("box")).replay("rings", sphere_trees=2)
    levels = replay.sphere_levels
    assert levels[0] is levels[1] is levels[2] is not levels[3]
    for row, size in enumerate(sizes):
        assert replay.sphere_scales[row] == pytest.approx(size, rel=1e-12)
        vertices = np.asarray(replay.shapes[row].vertices)
        for spheres in levels[row]:
            scaled = replay.sphere_scales[row] * spheres
            away = np.linalg.norm(vertices[:, None] - scaled[:, :3], axis=2) - scaled[:, 3]
            assert away.min(axis=1).max() < 1e-9


def test_sphere_trees_without_a_mesh_or_of_no_depth_are_refused():
    with pytest.raises(InvalidInputError, match="ball: no body is a rigid mesh"):
        film_of(carom.Sphere(1.0)).replay("ball", sphere_trees=2)
    for levels in (0, 7, 1.5):
        with pytest.raises(InvalidInputError, match=f"sphere_trees is {levels}; expected 1 to 6 levels"):
            film_of(fresh("box")).replay("box", sphere_trees=levels)
