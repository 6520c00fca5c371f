"""Bodies that come after others have gone know nothing of them."""

from __future__ import annotations

import math

import numpy as np

import carom


def test_world_spheres_added_after_a_removal_are_bounded_by_their_own_sphere() -> None:
    world = carom.World()
    far_from_its_origin = carom.Convex(np.vstack((np.zeros(3), np.eye(3))) + 50.0)
    gone = world.add(far_from_its_origin)
    world.add(carom.Box((2, 2, 2)), carom.Motion((9.0, 0.0, 0.0)))
    world.remove(gone)
    world.add_many(carom.Sphere(1.0), [(4.0, 0.0, 0.0)], [(1.0, 0.0, 0.0)])
    log = world.advance(9.0)
    assert log.times.tolist() == [3.0]
    world.audit()


def test_world_spheres_added_after_a_removal_do_not_turn() -> None:
    world = carom.World()
    gone = world.add(carom.Box((1, 1, 1)), carom.Motion(orientation=(0.5, 0.5, 0.5, 0.5), spin=(1.0, 2.0, 3.0)))
    world.advance(1.0)
    world.remove(gone)
    world.add_many(carom.Sphere(1.0), np.zeros((1, 3)))
    assert world.spins.tolist() == [[0.0, 0.0, 0.0]]
    assert world.inertias.tolist() == [math.inf]
    assert world.orientations().tolist() == [[1.0, 0.0, 0.0, 0.0]]


def test_world_spheres_added_after_a_removal_have_not_been_hit() -> None:
    world = carom.World(response=carom.Elastic(0.5, collapse_time=10.0))
    world.add(carom.HalfSpace((1.0, 0.0, 0.0), 0.0), mass=math.inf)
    gone = world.add(carom.Sphere(1.0), carom.Motion((2.0, 0.0, 0.0), velocity=(-1.0, 0.0, 0.0)))
    assert len(world.advance(1.5)) == 1
    world.remove(gone)
    world.add_many(carom.Sphere(1.0), [(2.0, 0.0, 0.0)], [(-1.0, 0.0, 0.0)])
    assert len(world.advance(3.0)) == 1
    assert world.velocities()[1].tolist() == [0.5, 0.0, 0.0]
