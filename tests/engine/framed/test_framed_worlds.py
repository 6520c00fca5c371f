"""Worlds that are hard on grids, trees and lists: the log is that of the kinetic sweep, and every certificate holds."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import carom
from scenarios.worlds import directions, falling_spheres, gas, lattice, log_of, walls

FRAMED: dict[str, dict[str, Any]] = {
    "uniform grid": {"broad": "uniform-grid"},
    "hash grid": {"broad": "hash-grid"},
    "hash grid an axis": {"broad": "hash-grid", "grid": "1d"},
    "tree": {"broad": "aabb-tree"},
    "space-time": {"broad": "space-time"},
    "vadop": {"broad": "vadop"},
    "vadop, pool of 16": {"broad": "vadop", "pool": 16, "slow": 0.0},
    "kinetic vadop": {"broad": "kinetic-vadop", "pool": 16},
}


def mixed_sizes(ratio: float, **options: Any) -> carom.World:
    """Spheres of radii from 1/ratio to 1 in a box, most of them small, elastic."""
    rng = np.random.default_rng(int(ratio))
    n, size = 260, 9.0
    radii = ratio ** -(rng.uniform(0.0, 1.0, n) ** 0.3)
    radii[:4] = 1.0
    world = carom.World(response=carom.Elastic(), **options)
    walls(world, size)
    centres = lattice(n, size, 0.0, rng)
    kept = np.ones(n, np.bool_)
    for i in np.argsort(-radii):  # the larger of two that overlap stays
        if kept[i]:
            near = np.linalg.norm(centres - centres[i], axis=1) < radii + radii[i]
            near[i] = False
            kept &= ~near
            kept[i] = (centres[i] > radii[i]).all() and (centres[i] < size - radii[i]).all()
    world.add_many(
        [carom.Sphere(float(r)) for r in radii[kept]],
        centres[kept],
        directions(n, rng)[kept] * rng.uniform(0.5, 3.0, (n, 1))[kept],
        masses=radii[kept] ** 3,
    )
    return world


def pile(**options: Any) -> carom.World:
    """Spheres that fall onto the floor of a box and onto each other, most of the time in contact or nearly so."""
    rng = np.random.default_rng(8)
    world = carom.World(response=carom.Elastic(0.9), **options)
    walls(world, 4.0)
    positions = lattice(27, 4.0, 0.05, rng)
    world.add_many(carom.Sphere(0.5), positions, accelerations=np.tile((0.0, 0.0, -9.81), (27, 1)))
    return world


def slanted_walls(**options: Any) -> carom.World:
    """A gas between half-spaces that face no axis, one of which comes closer."""
    rng = np.random.default_rng(2)
    world = carom.World(response=carom.Elastic(), **options)
    for normal in directions(8, rng):
        world.add(carom.HalfSpace(normal, -6.0), mass=np.inf)
    world.add(carom.HalfSpace((0.0, 0.0, 1.0), 0.0), carom.Motion((0, 0, -8), (0, 0, 0.3)), mass=np.inf)
    world.add_many(carom.Sphere(0.4), rng.uniform(-2.5, 2.5, (40, 3)), rng.uniform(-2.0, 2.0, (40, 3)))
    return world


def coincident(**options: Any) -> carom.World:
    """Several bodies at the very same place, in pairs with the same and with other velocities."""
    world = carom.World(**options)
    for k in range(8):
        world.add(carom.Sphere(0.5), carom.Motion((1.0, 1.0, 1.0), (float(k // 2), 0.0, 0.0)))
    world.add(carom.Box((1.0, 1.0, 1.0)), carom.Motion((1.0, 1.0, 1.0)))
    return world


def far_away(scale: float, place: float, **options: Any) -> carom.World:
    """Bodies of size `scale` that cross a region `place` away from the origin."""
    rng = np.random.default_rng(3)
    world = carom.World(response=carom.Elastic(), **options)
    positions = place + lattice(64, 8.0 * scale, 0.3 * scale, rng)
    world.add_many(carom.Sphere(0.5 * scale), positions, rng.uniform(-2.0, 2.0, (64, 3)) * scale)
    return world


def giant(**options: Any) -> carom.World:
    """One body in far more cells than any other has."""
    rng = np.random.default_rng(9)
    world = carom.World(response=carom.Elastic(), **options)
    world.add(carom.Box((60.0, 60.0, 1.0)), carom.Motion((0.0, 0.0, 0.0), (0.0, 0.0, 0.5)), mass=1e6)
    positions = np.concatenate((lattice(100, 30.0, 0.5, rng) - 15.0, np.zeros((1, 3))))
    positions[:, 2] += np.where(positions[:, 2] > 0.0, 2.0, -2.0)
    world.add_many(carom.Sphere(0.4), positions, rng.uniform(-3.0, 3.0, (101, 3)))
    return world


def crossing(**options: Any) -> carom.World:
    """Bodies on straight paths through each other: most pairs come close, part and come close again many times."""
    rng = np.random.default_rng(5)
    world = carom.World(**options)
    drift = np.array((3.0, 2.0, 1.0))
    world.add_many(carom.Sphere(0.6), rng.uniform(0.0, 6.0, (50, 3)), drift + rng.uniform(-0.3, 0.3, (50, 3)))
    world.add_many(
        carom.Box((0.7, 0.9, 0.5)),
        rng.uniform(0.0, 6.0, (20, 3)),
        drift + rng.uniform(-0.3, 0.3, (20, 3)),
        orientations=rng.normal(size=(20, 4)),
    )
    return world


WORLDS: dict[str, tuple[Callable[..., carom.World], float, int]] = {
    "sizes 16:1": (lambda **o: mixed_sizes(16.0, **o), 3.0, 200),
    "sizes 64:1": (lambda **o: mixed_sizes(64.0, **o), 3.0, 200),
    "pile": (pile, 1.0, 100),
    "slanted walls": (slanted_walls, 3.0, 40),
    "coincident": (coincident, 3.0, 5),
    "at a million metres": (lambda **o: far_away(1.0, 1e6, **o), 3.0, 20),
    "micrometres": (lambda **o: far_away(1e-6, 1.0, **o), 3.0, 20),
    "thousands of kilometres": (lambda **o: far_away(1e6, 0.0, **o), 3.0, 20),
    "giant": (giant, 4.0, 15),
    "crossing": (crossing, 20.0, 60),
}


@pytest.mark.parametrize("name", WORLDS)
def test_framed_worlds_give_the_log_of_the_kinetic_lists(name: str) -> None:
    make, until, contacts = WORLDS[name]
    reference = make().advance(until)
    assert len(reference) >= contacts
    for variant, options in FRAMED.items():
        for frame in (1.0 / 60.0, 0.4):
            world = make(frame=frame, **options)
            world.audit()
            parts = []
            for t in np.linspace(0.0, until, 7)[1:]:
                parts.append(world.advance(float(t)))
                world.audit()
            assert carom.ContactLog.concatenate(parts).identical(reference), (variant, frame)


@pytest.mark.parametrize("variant", FRAMED)
def test_framed_worlds_of_none_one_and_two_bodies(variant: str) -> None:
    world = carom.World(**FRAMED[variant])
    assert len(world.advance(1.0)) == 0
    world.audit()
    body = world.add(carom.Sphere(1.0), carom.Motion((0.0, 0.0, 0.0), (1.0, 0.0, 0.0), start=1.0))
    assert len(world.advance(50.0)) == 0
    world.audit()
    world.add(carom.Sphere(1.0), carom.Motion((60.0, 0.5, 0.0), (0.0, 0.0, 0.0), start=50.0))
    (contact,) = world.advance(70.0)
    assert contact.time == pytest.approx(1.0 + 60.0 - np.sqrt(4.0 - 0.25), rel=1e-12)
    world.remove(body)
    world.audit()
    assert len(world.advance(80.0)) == 0


@pytest.mark.parametrize("variant", FRAMED)
def test_framed_world_of_resting_bodies_does_nothing(variant: str) -> None:
    world = carom.World(response=carom.Elastic(), **FRAMED[variant])
    grid = lattice(125, 10.0, 0.0, np.random.default_rng(0))
    world.add_many(carom.Sphere(1.0), grid)  # every sphere touches its neighbours
    tests = world.stats.pair_tests
    assert len(world.advance(100.0)) == 0
    assert world.stats.pair_tests == tests
    world.audit()


@pytest.mark.parametrize("variant", FRAMED)
def test_framed_worlds_with_comings_goings_and_jumps(variant: str) -> None:
    def script(**options: Any) -> carom.ContactLog:
        rng = np.random.default_rng(11)
        world = gas(80, 0.1, **options)
        parts = []
        for k in range(1, 60):
            parts.append(world.advance(0.07 * k))
            balls = world.bodies[6:]
            start = world.time
            if k % 4 == 0:
                world.remove(rng.choice(balls, 3, replace=False).tolist())
            elif k % 4 == 1:
                place = rng.uniform(2.0, 12.0, (3, 3))
                world.add_many(carom.Sphere(0.4), place, rng.uniform(-30.0, 30.0, (3, 3)))
            elif k % 4 == 2:
                motion = carom.Motion(rng.uniform(2.0, 12.0, 3), rng.uniform(-3.0, 3.0, 3), start=start)
                world.set_motion(int(rng.choice(balls)), motion)
            else:
                world.set_motion(int(rng.choice(balls)), carom.Motion(rng.uniform(-1e4, 1e4, 3), start=start))
            world.audit()
        return carom.ContactLog.concatenate(parts)

    reference = script()
    assert len(reference) > 100
    assert script(**FRAMED[variant]).identical(reference)


@pytest.mark.parametrize("variant", FRAMED)
def test_framed_world_refits_when_boxes_change_their_size(variant: str) -> None:
    def script(**options: Any) -> tuple[carom.World, carom.ContactLog]:
        rng = np.random.default_rng(12)
        world = carom.World(frame=0.25, **options)
        world.add_many(carom.Sphere(0.4), rng.uniform(0.0, 20.0, (300, 3)))
        world.advance(1.0)
        parts = []
        for k, speed in enumerate((40.0, 0.1, 5.0)):
            velocities = rng.uniform(-speed, speed, (300, 3))
            places = rng.uniform(0.0, 20.0, (300, 3))
            motions = [carom.Motion(p, v, start=world.time) for p, v in zip(places, velocities, strict=True)]
            world.set_motion(world.bodies, motions)
            world.audit()
            parts.append(world.advance(2.0 + k))
            world.audit()
        return world, carom.ContactLog.concatenate(parts)

    _, reference = script()
    _, log = script(**FRAMED[variant])
    assert len(reference) > 100
    assert log.identical(reference)


def test_uniform_grid_chooses_larger_cells_for_faster_bodies() -> None:
    rng = np.random.default_rng(1)
    world = carom.World("uniform-grid", frame=0.5)
    bodies = world.add_many(carom.Sphere(0.1), rng.uniform(0.0, 10.0, (200, 3)))
    before = world._engine.spans.fineness[0]
    positions = world.positions()
    motions = [carom.Motion(p, v) for p, v in zip(positions, directions(200, rng) * 30.0, strict=True)]
    world.set_motion(bodies, motions)
    world.advance(3.0)
    assert world._engine.spans.fineness[0] < 0.5 * before
    world.audit()


def test_hash_grid_uses_a_level_for_every_size_and_the_uniform_grid_one() -> None:
    several = mixed_sizes(64.0, broad="hash-grid", frame=1e-3)._engine
    one = mixed_sizes(64.0, broad="uniform-grid", frame=1e-3)._engine
    assert int(several.spans.levels[0]).bit_count() >= 4
    assert int(one.spans.levels[0]) == 1
    assert len(set(several.spans.level[several.spans.kind == 1, 0].tolist())) >= 4


@pytest.mark.parametrize("variant", FRAMED)
def test_framed_world_grows_with_many_more_bodies(variant: str) -> None:
    rng = np.random.default_rng(4)
    world = carom.World(response=carom.Elastic(), **FRAMED[variant])
    for k in range(5):
        n = 4**k
        world.add_many(carom.Sphere(0.3), rng.uniform(0.0, 8.0, (n, 3)) + 10.0 * k, rng.uniform(-1.0, 1.0, (n, 3)))
        world.advance(0.1 * (k + 1))
        world.audit()


@pytest.mark.parametrize("variant", FRAMED)
def test_framed_world_passes_bodies_through_each_other_once(variant: str) -> None:
    """Two that meet slowly while both move fast are close, apart and close again long after their contact."""
    world = carom.World(**FRAMED[variant])
    world.add(carom.Sphere(0.5), carom.Motion((0.0, 0.0, 0.0), (7.0, 5.0, 3.0)))
    world.add(carom.Sphere(0.5), carom.Motion((1.2, 0.1, 0.0), (6.9, 5.0, 3.01)))
    log = world.advance(40.0)
    assert len(log) == 1


def test_grid_option_is_checked() -> None:
    with pytest.raises(carom.InvalidInputError, match="grid is '2d'"):
        carom.World("hash-grid", grid="2d")


bodies = falling_spheres((1e-3, 0.1, 1.0, 30.0), 1e3, 12)


@settings(max_examples=25, deadline=None)
@given(bodies=bodies, frame=st.sampled_from((0.01, 0.3)))
def test_framed_worlds_agree_on_whatever_is_thrown_at_them(bodies: list[Any], frame: float) -> None:
    logs = []
    for options in ({}, *FRAMED.values()):
        world = carom.World(frame=frame, **options)
        logs.append(log_of(world, bodies))
    for log in logs[1:]:
        assert log.identical(logs[0])
