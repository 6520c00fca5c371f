"""The collision manager: trimesh's names, carom's answers."""

from __future__ import annotations

import math

import numpy as np
import pytest
import trimesh

import carom
from carom.errors import InvalidInputError
from geometry.shapes_in_pairs import moved


@pytest.fixture
def boxes():
    manager = carom.CollisionManager()
    box = trimesh.creation.box((1.0, 1.0, 1.0))
    manager.add_object("left", box, moved(-2.0))
    manager.add_object("middle", box)
    manager.add_object("right", box, moved(0.8))
    return manager


def test_manager_finds_who_touches_whom(boxes):
    assert boxes.in_collision_internal()
    assert boxes.in_collision_internal(return_names=True) == (True, {("middle", "right")})
    boxes.set_transform("right", moved(3.0))
    assert boxes.in_collision_internal(return_names=True) == (False, set())


def test_manager_asks_for_a_single_object(boxes):
    ball = carom.Sphere(0.6)
    hit, names, data = boxes.in_collision_single(ball, moved(-1.0), return_names=True, return_data=True)
    assert hit
    assert names == {"left", "middle"}
    assert {frozenset(each.names) for each in data} == {
        frozenset(("left", "__external")),
        frozenset(("middle", "__external")),
    }
    assert all(each.depth == pytest.approx(0.1) for each in data)
    assert not boxes.in_collision_single(ball, moved(0.0, 5.0))


def test_manager_gives_distances_and_negative_depths(boxes):
    assert boxes.min_distance_single(carom.Sphere(0.5), moved(0.0, 2.0)) == pytest.approx(1.0)
    value, name, data = boxes.min_distance_single(carom.Sphere(0.5), moved(-5.0), return_name=True, return_data=True)
    assert (value, name) == (pytest.approx(2.0), "left")
    assert np.allclose(data.point("left"), (-2.5, 0.0, 0.0))
    assert np.allclose(data.point("__external"), (-4.5, 0.0, 0.0))
    value, names = boxes.min_distance_internal(return_names=True)
    assert (value, names) == (pytest.approx(-0.2), ("middle", "right"))
    assert boxes.min_distance_internal("left") == pytest.approx(1.0)


@pytest.mark.parametrize(
    "names", [("left", "middle", "right"), ("right", "left", "middle"), ("middle", "right", "left")]
)
def test_manager_gives_the_deepest_of_several_overlaps_in_any_order(names):
    place = {"left": -0.9, "middle": 0.0, "right": 0.7}
    manager = carom.CollisionManager()
    for name in names:
        manager.add_object(name, carom.Sphere(0.5), moved(place[name]))
    assert manager.min_distance_internal(return_names=True) == (pytest.approx(-0.3), ("middle", "right"))
    assert manager.min_distance_internal("left") == pytest.approx(-0.1)
    needle = carom.Box((3.0, 0.02, 0.02))
    assert manager.min_distance_single(needle, return_name=True) == (pytest.approx(-0.51), "middle")
    assert manager.min_distance_single(carom.Sphere(0.1), moved(0.75), return_name=True)[1] == "right"


def test_manager_meets_another(boxes):
    other = carom.CollisionManager()
    other.add_object("ball", carom.Sphere(0.5), moved(-2.0, 0.9))
    assert boxes.in_collision_other(other, return_names=True) == (True, {("left", "ball")})
    other.set_transform("ball", moved(-2.0, 3.0))
    assert boxes.min_distance_other(other, return_names=True) == (pytest.approx(2.0), ("left", "ball"))


def test_manager_finds_the_first_impact(boxes):
    boxes.remove_object("right")
    falling = carom.Motion((0.0, 5.0, 0.0), (0.0, -1.0, 0.0))
    time, name, data = boxes.time_of_impact_single(carom.Sphere(0.5), falling, 10.0, return_name=True, return_data=True)
    assert (time, name) == (pytest.approx(4.0), "middle")
    assert np.allclose(data.impact.normal, (0.0, 1.0, 0.0))
    assert boxes.time_of_impact_internal(5.0) == math.inf
    boxes.set_motion("left", carom.Motion((-2.0, 0, 0), (0.5, 0, 0)))
    assert boxes.time_of_impact_internal(5.0, return_names=True) == (pytest.approx(2.0), ("left", "middle"))


def test_manager_finds_the_first_impact_with_another_manager(boxes):
    other = carom.CollisionManager()
    assert boxes.time_of_impact_other(other, 10.0, return_names=True) == (math.inf, None)
    other.add_object("slow", carom.Sphere(0.5))
    other.set_motion("slow", carom.Motion((0.0, 5.0, 0.0), (0.0, -1.0, 0.0)))
    other.add_object("fast", carom.Sphere(0.5))
    other.set_motion("fast", carom.Motion((-2.0, 5.0, 0.0), (0.0, -2.0, 0.0)))
    assert boxes.time_of_impact_other(other, 10.0, return_names=True) == (pytest.approx(2.0), ("left", "fast"))
    assert boxes.time_of_impact_other(other, 1.5) == math.inf


def test_manager_of_nothing_is_free():
    empty = carom.CollisionManager()
    assert not empty.in_collision_internal()
    assert empty.min_distance_single(carom.Sphere(1.0)) == math.inf
    assert empty.min_distance_internal(return_names=True) == (math.inf, None)


def test_manager_replaces_and_refuses_as_trimesh_does(boxes):
    boxes.add_object("left", carom.Sphere(0.1), moved(-9.0))
    assert boxes.min_distance_internal("left") == pytest.approx(9.0 - 0.6)
    for call in (lambda: boxes.remove_object("nobody"), lambda: boxes.set_transform("nobody", np.eye(4))):
        with pytest.raises(ValueError, match="nobody not in collision manager!"):
            call()
    with pytest.raises(InvalidInputError, match="mesh is 3"):
        boxes.add_object("number", 3)
    with pytest.raises(InvalidInputError, match="transform"):
        boxes.add_object("flat", carom.Sphere(1.0), np.eye(3))


def test_scene_to_collision_places_every_node():
    scene = trimesh.Scene()
    box = trimesh.creation.box((1.0, 1.0, 1.0))
    scene.add_geometry(box, node_name="a")
    scene.add_geometry(box, node_name="b", transform=moved(0.5))
    manager, shapes = carom.manager.scene_to_collision(scene)
    assert set(shapes) == {"a", "b"}
    assert manager.in_collision_internal(return_names=True) == (True, {("a", "b")})


def test_manager_agrees_with_trimesh_on_random_scenes():
    pytest.importorskip("fcl", reason="python-fcl, which trimesh's manager needs, is not installed")
    rng = np.random.default_rng(3)
    torus = trimesh.creation.torus(1.0, 0.3, major_sections=16, minor_sections=8)
    ours, theirs = carom.CollisionManager(), trimesh.collision.CollisionManager()
    for k in range(8):
        pose = trimesh.transformations.random_rotation_matrix(rng.random(3))
        pose[:3, 3] = rng.normal(size=3) * 1.5
        ours.add_object(str(k), torus, pose)
        theirs.add_object(str(k), torus, pose)
    hit, names = ours.in_collision_internal(return_names=True)
    assert (hit, names) == theirs.in_collision_internal(return_names=True)
    far = trimesh.transformations.translation_matrix((6.0, 1.0, 2.0))
    assert ours.min_distance_single(torus, far) == pytest.approx(theirs.min_distance_single(torus, far), rel=1e-6)
