"""Velocity-aligned polytopes in a world: which axes bodies choose, what the lists hold, which pairs are left."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import carom
from carom.bounds.axis_pool import axis_pool
from scenarios.worlds import directions, falling_spheres, gas, lattice, log_of

FRAME = 1.0 / 30.0
BOTH = ("vadop", "kinetic-vadop")


def cloud(n: int, speed: float, response: Any = None, seed: int = 1, **options: Any) -> carom.World:
    """Unit spheres on a jittered lattice, density about 0.001, at `speed` radii a frame of 1/30 s."""
    rng = np.random.default_rng(seed)
    size = (n * 4.0 / 3.0 * np.pi / 0.001) ** (1.0 / 3.0)
    world = carom.World(response=response, frame=FRAME, **options)
    velocities = directions(n, rng) * rng.uniform(0.5, 1.5, (n, 1)) * speed / FRAME
    world.add_many(carom.Sphere(1.0), lattice(n, size, 4.0, rng), velocities)
    return world


def chosen_by(world: carom.World) -> np.ndarray:
    """(n, m): which pool axes hold which body, rows in the order of ids."""
    lists = world._engine.lists
    rows = world._bodies.registry.rows(world.bodies)
    shared, total = int(lists.control[0]), len(lists.axes)
    return np.array([[(lists.uses[row, d // 64] >> (d % 64)) & 1 for d in range(shared, total)] for row in rows], bool)


@pytest.mark.parametrize("broad", BOTH)
@pytest.mark.parametrize("pool", [16, 130])
def test_vadop_bodies_use_exactly_the_axes_in_their_zone(broad: str, pool: int) -> None:
    world = cloud(60, 10.0, broad=broad, pool=pool, zone=0.3)
    velocities = world.velocities()
    cosine = np.abs(velocities @ axis_pool(pool).axes.T) / np.linalg.norm(velocities, axis=1)[:, None]
    assert np.array_equal(chosen_by(world), cosine <= math.sin(0.3))
    world.audit()


def test_vadop_new_velocity_takes_other_axes_at_the_next_frame() -> None:
    world = cloud(60, 10.0, broad="vadop", pool=65)
    world.advance(0.5 * FRAME)
    before = chosen_by(world)[0]
    motion = carom.Motion(world.positions()[0], world.velocities()[0][[1, 2, 0]], start=world.time)
    world.set_motion(0, motion)
    assert not chosen_by(world)[0].any()  # until then shared axes and spheres tell
    world.audit()
    world.advance(1.5 * FRAME)
    after = chosen_by(world)[0]
    assert after.any()
    assert (after != before).any()
    assert int(world._engine.lists.control[1]) == 0  # nobody waits
    world.audit()


def test_vadop_resting_and_endless_bodies_use_shared_axes_only() -> None:
    world = carom.World("vadop", pool=16, slow=0.0)
    world.add(carom.HalfSpace((0.0, 0.0, 1.0), -5.0))
    world.add(carom.Sphere(1.0), carom.Motion((0.0, 0.0, 0.0)))
    world.add(carom.Sphere(1.0), carom.Motion((9.0, 0.0, 0.0), (0.0, 1.0, 0.0)))
    assert chosen_by(world).any(axis=1).tolist() == [False, False, True]


def test_vadop_slow_bodies_use_shared_axes_only() -> None:
    speeds = np.array((0.5, 2.9, 3.1, 50.0))  # radii a frame
    velocities = np.outer(speeds / FRAME, (0.6, 0.0, 0.8))
    positions = np.outer(np.arange(4.0), (0.0, 10.0, 0.0))
    for slow, expected in ((None, [False, False, True, True]), (0.0, [True] * 4), (10.0, [False, False, False, True])):
        world = carom.World("vadop", pool=16, frame=FRAME, slow=slow)
        world.add_many(carom.Sphere(1.0), positions, velocities)
        assert chosen_by(world).any(axis=1).tolist() == expected
        world.audit()


def test_kinetic_vadop_resting_bodies_use_the_whole_pool() -> None:
    world = carom.World("kinetic-vadop", pool=16)
    world.add(carom.HalfSpace((0.0, 0.0, 1.0), -5.0))
    world.add(carom.Sphere(1.0), carom.Motion((0.0, 0.0, 0.0)))
    assert chosen_by(world).all()
    world.audit()


def test_vadop_under_gravity_axes_follow_the_path() -> None:
    world = carom.World("vadop", pool=65, frame=0.1, slow=0.0)
    world.add(carom.Sphere(0.5), carom.Motion((0.0, 0.0, 0.0), (6.0, 0.0, 10.0), (0.0, 0.0, -10.0)))
    world.add(carom.Sphere(0.5), carom.Motion((9.0, 9.0, 0.0), (5.0, 1.0, 10.0), (0.0, 0.0, -10.0)))
    first = chosen_by(world)[0]
    world.advance(1.0)
    assert (chosen_by(world)[0] != first).any()
    world.audit()


def test_vadop_slow_worlds_need_no_pool_and_fast_ones_a_large_one() -> None:
    sizes = [cloud(60, speed, broad="vadop")._engine.pool_size for speed in (0.1, 1.0, 5.0, 30.0, 200.0)]
    assert sizes[:2] == [0, 0]
    assert sizes == sorted(sizes)
    assert sizes[-1] >= 32


def test_vadop_changes_its_pool_when_bodies_get_faster() -> None:
    def script(**options: Any) -> tuple[carom.World, carom.ContactLog]:
        world = cloud(500, 0.1, **options)
        parts = [world.advance(FRAME)]
        for _ in range(3):
            fast = [
                carom.Motion(p, 3000.0 * v, start=world.time)
                for p, v in zip(world.positions(), world.velocities() / np.linalg.norm(world.velocities(), axis=1)[:, None],
                                strict=True)
            ]  # fmt: skip
            world.set_motion(world.bodies, fast)
            parts.append(world.advance(world.time + 0.1))
            world.audit()
        return world, carom.ContactLog.concatenate(parts)

    world, log = script(broad="vadop")
    assert world._engine.pool_size > 0
    assert log.identical(script()[1])


@pytest.mark.parametrize("speed", [0.1, 3.0, 30.0, 100.0])
def test_vadop_finds_the_contacts_of_all_pairs_at_every_speed(speed: float) -> None:
    until = FRAME * max(2.0, 30.0 / speed)
    for response in (None, carom.Elastic()):
        expected = cloud(200, speed, response, broad="all-pairs").advance(until)
        for options in ({"broad": "vadop"}, {"broad": "vadop", "pool": 65}, {"broad": "kinetic-vadop"}):
            world = cloud(200, speed, response, **options)
            assert world.advance(until).identical(expected), options
            world.audit()


def test_vadop_leaves_no_more_pairs_than_swept_boxes_and_fewer_when_fast() -> None:
    active = {}
    for pool in (0, 65):
        world = cloud(300, 30.0, broad="vadop", pool=pool)
        active[pool] = world.stats.active_pairs
    swept = cloud(300, 30.0, broad="swept").stats.active_pairs
    assert active[0] == swept
    assert active[65] < 0.95 * swept


def test_vadop_matrix_counts_what_the_ranks_say() -> None:
    worlds = [cloud(80, 30.0, carom.Elastic(), broad="vadop", pool=16, overlap=how) for how in ("rank", "matrix")]
    logs = [world.advance(10.0 * FRAME) for world in worlds]
    assert logs[0].identical(logs[1])
    assert worlds[0].stats.active_pairs == worlds[1].stats.active_pairs
    assert worlds[1]._engine.lists.apart.shape == (80, 80)
    assert worlds[0]._engine.lists.apart.size == 0


def test_kinetic_vadop_swaps_follow_the_law() -> None:
    until, speed = 20.0 * FRAME, 1.0
    plain = cloud(600, speed, broad="kinetic")
    plain.advance(until)
    for m, width in ((16, 1.0), (65, 1.5)):
        angle = width * axis_pool(m).covering
        world = cloud(600, speed, broad="kinetic-vadop", pool=m, zone=angle)
        world.advance(until)
        law = m * math.sin(angle) ** 3 / 3.0
        assert world.stats.swaps / plain.stats.swaps == pytest.approx(law, rel=0.1)


@pytest.mark.parametrize("broad", BOTH)
def test_vadop_zone_too_narrow_for_any_common_axis_misses_nothing(broad: str) -> None:
    expected = gas(60, 0.1).advance(5.0)
    world = gas(60, 0.1, broad=broad, pool=3, zone=0.01, frame=0.3)
    assert world.advance(5.0).identical(expected)
    world.audit()


@pytest.mark.parametrize("broad", BOTH)
def test_vadop_bodies_come_and_go_in_any_number(broad: str) -> None:
    def script(**options: Any) -> carom.ContactLog:
        rng = np.random.default_rng(3)
        world = gas(40, 0.1, **options)
        parts = []
        for k, n in enumerate((1, 30, 5, 100)):
            positions = rng.uniform(1.0, 10.0, (n, 3))
            ids = world.add_many(carom.Sphere(0.2), positions, rng.uniform(-20.0, 20.0, (n, 3)))
            parts.append(world.advance(0.2 * (k + 1)))
            world.remove(ids[: (n + 1) // 2])
            world.audit()
        return carom.ContactLog.concatenate(parts)

    assert script(broad=broad, pool=16, frame=0.05).identical(script())


def test_vadop_explains_itself() -> None:
    assert "velocity-aligned polytopes" in carom.World("vadop").explain()
    assert "velocity-aligned axes" in carom.World("kinetic-vadop").explain()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"broad": "vadop", "pool": 2}, "pool is 2"),
        ({"broad": "vadop", "pool": 1001}, "pool is 1001"),
        ({"broad": "vadop", "pool": 16.0}, "pool is 16.0"),
        ({"broad": "vadop", "zone": 0.0}, "zone is 0"),
        ({"broad": "vadop", "zone": 1.6}, "at most pi/2"),
        ({"broad": "vadop", "zone": math.nan}, "zone"),
        ({"broad": "kinetic", "pool": 16}, "pool and zone"),
        ({"zone": 0.3}, "pool and zone"),
        ({"broad": "vadop", "slow": -1.0}, "slow is -1"),
        ({"broad": "vadop", "slow": math.nan}, "slow"),
        ({"broad": "kinetic-vadop", "slow": 1.0}, "slow is for"),
    ],
)
def test_vadop_options_are_checked(options: dict[str, Any], message: str) -> None:
    with pytest.raises(carom.InvalidInputError, match=message):
        carom.World(**options)


bodies = falling_spheres((0.01, 1.0, 20.0), 100.0, 14)


@settings(max_examples=25, deadline=None)
@given(
    bodies=bodies,
    frame=st.sampled_from((0.02, 0.4)),
    pool=st.sampled_from((0, 3, 70)),
    slow=st.sampled_from((0.0, 3.0)),
)
def test_vadop_agrees_on_whatever_is_thrown_at_it(bodies: list[Any], frame: float, pool: int, slow: float) -> None:
    logs = []
    framed, kinetic = {"broad": "vadop", "pool": pool, "slow": slow}, {"broad": "kinetic-vadop", "pool": pool}
    for options in ({"broad": "all-pairs"}, framed, kinetic):
        world = carom.World(frame=frame, **options)
        logs.append(log_of(world, bodies))
    assert logs[1].identical(logs[0])
    assert logs[2].identical(logs[0])
