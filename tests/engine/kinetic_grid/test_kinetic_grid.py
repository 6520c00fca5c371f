"""The kinetic grid where it differs from the other broad phases: sizes, streams, far bodies, cells that no longer fit."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import carom
from carom.boxes.morton import morton_order
from carom.engine.kinetic_grid.cells import CELL_LEVEL, LEVEL_SIZE
from carom.engine.kinetic_grid.layout import crowded_width, lay_out, stream_velocity
from carom.tolerances import CELL_SLACK
from scenarios.worlds import directions, gas, walls

STILL = np.zeros(3)


def layout(centres: Any, sizes: Any, periods: Any = STILL) -> Any:
    centres = np.asarray(centres, float)
    return lay_out(centres, np.zeros_like(centres), np.asarray(sizes, float), np.asarray(periods, float))


def mixture(ratio: float, n: int, seed: int, **options: Any) -> carom.World:
    """Spheres of radius 1 to `ratio`, few of them large, in a box that they fill to a tenth, elastic."""
    rng = np.random.default_rng(seed)
    radii = ratio ** rng.power(0.5, n)[::-1] ** 3
    side = (np.sum(4.0 / 3.0 * np.pi * radii**3) / 0.02) ** (1.0 / 3.0)
    placed: list[np.ndarray] = []
    for r in -np.sort(-radii):
        while True:
            p = rng.uniform(r, side - r, 3)
            if all(np.linalg.norm(p - q[:3]) > r + q[3] for q in placed):
                break
        placed.append(np.append(p, r))
    world = carom.World(response=carom.Elastic(), **options)
    walls(world, side)
    for *p, r in placed:
        world.add(carom.Sphere(float(r)), carom.Motion(p, directions(1, rng)[0]), mass=float(r**3))
    return world


def test_layout_puts_each_body_where_its_cell_is_just_wide_enough():
    sizes = np.array([1.0, 1.9, 2.1, 16.0, 100.0])
    made = layout(np.zeros((5, 3)) + np.arange(5)[:, None], sizes)
    width = made.widths[made.level_of(sizes), 0]
    assert np.all(width >= sizes * (1.0 + CELL_SLACK))
    assert np.all(width[3:] < 2.1 * sizes[3:] * (1.0 + CELL_SLACK))


@pytest.mark.parametrize("period", [0.0, 1000.0])
def test_layout_has_a_level_for_every_size_however_it_is_rounded(period: float):
    rng = np.random.default_rng(10)
    for _ in range(2000):
        smallest = 10.0 ** rng.uniform(-3.0, 0.0)
        factor = 2.0 ** rng.integers(0, 5, 3) * (1.0 + rng.choice([0.0, 2e-16, 4e-16, -2e-16, 1e-13, 7e-13, 2e-12], 3))
        sizes = np.append(smallest, smallest * factor)
        made = layout(rng.uniform(0.0, 900.0, (4, 3)), sizes, np.full(3, period))
        levels = made.level_of(sizes)
        assert levels.max() < len(made.levels)
        assert np.all(made.widths.min(axis=1)[levels] * (1.0 + 1e-12) >= sizes * (1.0 + CELL_SLACK))


def test_layout_gives_equal_sizes_that_were_rounded_differently_one_level():
    assert len(layout(np.eye(3)[:2], [0.6, 0.2 + 0.4]).levels) == 1


def test_grid_bodies_of_equal_sizes_that_were_rounded_differently_meet_in_time():
    world = carom.World("kinetic-grid")
    world.add(carom.Sphere(0.3), carom.Motion((0, 0, 0), velocity=(1, 0, 0)))
    world.add(carom.Sphere(0.1 + 0.2), carom.Motion((1.2, 0, 0)))
    levels = world._engine.note[:2, CELL_LEVEL]
    assert np.array_equal(levels, [0, 0])
    assert world.advance(2.0).times == pytest.approx([0.6], abs=1e-12)


@pytest.mark.parametrize("level", [-2, 1])
def test_grid_refuses_a_level_that_does_not_exist_before_anything_is_written(level: int):
    world = carom.World("kinetic-grid")
    world.add(carom.Sphere(1.0))
    engine = world._engine
    assert len(engine.levels) == 1
    before = [array.copy() for array in engine.grid()]
    with pytest.raises(carom.CaromError, match=f"a level of cells is {level}; expected -1 to 0"):
        engine._enter(np.zeros(1, np.int32), np.array([level]))
    assert all(a.tobytes() == b.tobytes() for a, b in zip(before, engine.grid(), strict=True))


def test_layout_cells_of_a_sparse_gas_hold_about_one_body():
    points = np.random.default_rng(1).uniform(0.0, 100.0, (4000, 3))
    edge = layout(points, np.full(4000, 0.1)).widths[0, 0]
    assert 0.5 < 4000 * edge**3 / 1e6 < 1.2


@pytest.mark.parametrize("flat", [1, 2])
def test_layout_counts_no_empty_space_beside_a_flat_or_thin_cloud(flat: int):
    points = np.random.default_rng(2).uniform(0.0, 100.0, (1000, 3))
    points[:, :flat] = 0.0
    edge = crowded_width(points, 1e-3, len(points))
    assert edge == pytest.approx((0.8 * 100.0 ** (3 - flat) / 1000) ** (1.0 / (3 - flat)), rel=0.1)


def test_layout_tables_are_never_much_larger_than_the_number_of_bodies():
    points = np.random.default_rng(3).uniform(0.0, 1e9, (100, 3))
    assert layout(points, np.full(100, 1e-3)).n_buckets <= 500


def test_layout_cells_divide_a_period_evenly():
    made = layout(np.random.default_rng(4).uniform(0.0, 50.0, (300, 3)), np.full(300, 1.0), (50.0, 40.0, 0.0))
    for d, period in ((0, 50.0), (1, 40.0)):
        assert made.widths[:, d] * made.levels[:, LEVEL_SIZE + d] == pytest.approx(np.full(len(made.widths), period))


def test_stream_velocity_is_that_of_most_bodies_and_none_of_a_gas():
    rng = np.random.default_rng(5)
    velocities = rng.normal(size=(500, 3))
    assert np.array_equal(stream_velocity(velocities), STILL)
    velocities[:400, 0] += 30.0
    assert stream_velocity(velocities)[0] == pytest.approx(30.0, abs=1.0)


def test_morton_order_keeps_neighbours_near():
    points = np.random.default_rng(6).uniform(size=(4096, 3))
    order = morton_order(points)
    assert sorted(order.tolist()) == list(range(4096))
    assert np.linalg.norm(np.diff(points[order], axis=0), axis=1).mean() < 0.1


@pytest.mark.parametrize("ratio", [16.0, 64.0])
def test_grid_mixed_sizes_give_the_log_of_the_sweep(ratio: float):
    grid, sweep = (mixture(ratio, 150, 7, broad=broad) for broad in ("kinetic-grid", "kinetic"))
    for t in (200.0, 600.0 if ratio < 20.0 else 2000.0):
        assert grid.advance(t).identical(sweep.advance(t))
        grid.audit()
    assert grid.stats.contacts > 300


def test_grid_cells_move_with_a_stream():
    rng = np.random.default_rng(8)
    velocities = directions(300, rng) * 0.1 + (50.0, 0.0, 0.0)
    positions = rng.uniform(0.0, 30.0, (300, 3))
    logs = []
    for broad in ("kinetic-grid", "kinetic"):
        world = carom.World(broad)
        world.add_many(carom.Sphere(0.5), positions, velocities)
        logs.append(world.advance(20.0))
        world.audit()
        if broad == "kinetic-grid":
            assert world.stats.swaps < 300 * 20  # a resting grid of such cells would see 100,000
    assert len(logs[0]) > 10
    assert logs[0].identical(logs[1])


def test_grid_body_that_leaves_the_others_far_behind_costs_no_contact():
    logs = []
    for broad in ("kinetic-grid", "all-pairs"):
        world = gas(40, 0.1, broad=broad)
        flyer = world.add(carom.Sphere(0.5), carom.Motion((-50.0, 0.0, 0.0), (-1e6, 0.0, 0.0)))
        logs.append(carom.ContactLog.concatenate([world.advance(1.0)]))
        world.set_motion(flyer, carom.Motion((-1e6, -30.0, 3.0), (1e6, 0.0, 0.0), start=world.time))
        logs[-1] = carom.ContactLog.concatenate([logs[-1], world.advance(3.0)])
        world.audit()
    assert logs[0].identical(logs[1])


def test_grid_follows_bodies_that_come_go_jump_and_change_size_class():
    logs, rng_seed = [], 9
    for broad in ("kinetic-grid", "kinetic"):
        rng = np.random.default_rng(rng_seed)
        world = gas(60, 0.05, broad=broad)
        parts = []
        for k in range(1, 30):
            parts.append(world.advance(0.5 * k))
            ids = world.bodies[6:]
            if k % 3 == 0:
                world.remove(int(rng.choice(ids)))
            if k % 4 == 0:
                place = rng.uniform(2.0, 15.0, 3)
                world.add(
                    carom.Sphere(float(10.0 ** rng.uniform(-2.0, 0.3))),
                    carom.Motion(place, directions(1, rng)[0], start=world.time),
                )
            if k % 5 == 0:
                jump = carom.Motion(rng.uniform(2.0, 15.0, 3), 3.0 * directions(1, rng)[0], start=world.time)
                world.set_motion(int(rng.choice(world.bodies[6:])), jump)
            world.audit()
        logs.append(carom.ContactLog.concatenate(parts))
    assert len(logs[0]) > 100
    assert logs[0].identical(logs[1])


def test_grid_moving_wall_pushes_all_it_meets():
    logs = []
    for broad in ("kinetic-grid", "kinetic"):
        world = gas(50, 0.05, broad=broad)
        track = carom.Keyframes((0.0, 4.0, 8.0), ((0.0, 0.0, 0.0), (0.0, 0.0, 3.0), (0.0, 0.0, 0.0)))
        world.add(carom.HalfSpace((0.0, 0.0, 1.0), 0.0), track)
        logs.append(world.advance(12.0))
        world.audit()
    assert len(logs[0]) > 50
    assert logs[0].identical(logs[1])


def test_grid_has_no_axes_of_its_own():
    with pytest.raises(carom.InvalidInputError, match="axes are for sweeps"):
        carom.World("kinetic-grid", axes=[[1.0, 0.0, 0.0]])


@pytest.mark.parametrize("shape", [carom.Sphere(0.5), carom.Box((0.8, 0.9, 1.0))])
def test_grid_bodies_that_fall_together_give_the_log_of_the_sweep(shape: carom.Sphere | carom.Box):
    logs = []
    for broad in ("kinetic-grid", "kinetic"):
        rng = np.random.default_rng(11)
        world = carom.World(broad, carom.Elastic(0.7, collapse_time=0.01))
        world.add(carom.HalfSpace((0.0, 0.0, 1.0), 0.0), mass=np.inf)
        world.add(carom.Sphere(1.5), carom.Motion((4.0, 4.0, 1.5)), mass=np.inf)
        points = np.stack(np.meshgrid(*[np.arange(4)] * 3, indexing="ij"), axis=-1).reshape(-1, 3) * 1.6 + (
            1.0,
            1.0,
            4.5,
        )
        gravity = np.tile((0.0, 0.0, -10.0), (64, 1))
        gravity[:3] = 0.0  # some float
        world.add_many(shape, points + rng.uniform(-0.2, 0.2, (64, 3)), directions(64, rng), accelerations=gravity)
        logs.append(carom.ContactLog.concatenate([world.advance(0.9), world.advance(1.8)]))
        world.audit()
    assert len(logs[0]) > 100
    assert logs[0].identical(logs[1])


def test_grid_audit_allows_for_rounding_where_bodies_come_together_slowly():
    """Far from the origin, rounding moves the time of a slow meeting by more than any fixed tolerance."""
    rng = np.random.default_rng(0)
    for _ in range(20):
        world = carom.World("kinetic-grid")
        place = 300.0 * rng.normal(size=3)
        world.add(carom.HalfSpace((0, 0, 1), 0.0), carom.Motion(place))
        velocity = (1e-3, 2e-3, -1e-5 * rng.uniform(1.0, 5.0))
        world.add(carom.Box((0.01, 0.01, 0.01)), carom.Motion(place + (0.3, 0.2, 0.1), velocity))
        for t in np.linspace(0.1, 2.0, 20):
            world.advance(float(t))
            world.audit()
