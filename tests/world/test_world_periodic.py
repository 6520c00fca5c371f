"""Space that repeats."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
import pytest

import carom
from carom.engine.kinetic_grid.cells import LEVEL_SIZE
from carom.engine.kinetic_grid.layout import lay_out
from carom.tolerances import CELL_SLACK
from scenarios.worlds import directions


def naive_contacts(
    positions: np.ndarray, velocities: np.ndarray, radius: float, periods: np.ndarray, until: float
) -> list[tuple[float, int, int]]:
    """Every collision of equal elastic spheres: at each step the earliest over all pairs and all images that can be met."""
    x, v = positions.copy(), velocities.copy()
    now, found = 0.0, []
    n = len(x)
    i, j = np.triu_indices(n, 1)
    while True:
        best, pair, normal = until, None, None
        reach = np.ceil(np.abs(v[j] - v[i]).max() * (until - now) / periods[periods > 0.0].min()) + 1
        steps = [np.arange(-reach, reach + 1) if p > 0.0 else np.zeros(1) for p in periods]
        for image in product(*steps):
            home = np.where(
                periods > 0.0, np.round((x[j] - x[i]) / np.where(periods > 0.0, periods, 1.0)) * periods, 0.0
            )
            d = x[j] - x[i] - home + np.array(image) * periods
            w = v[j] - v[i]
            b, c, vv = np.sum(d * w, axis=1), np.sum(d * d, axis=1) - 4.0 * radius**2, np.sum(w * w, axis=1)
            disc = b * b - vv * c
            ok = (b < 0.0) & (disc > 0.0)
            t = np.where(ok, c / (np.sqrt(np.where(ok, disc, 1.0)) - b), np.inf)
            k = int(np.argmin(t))
            if now + t[k] < best:
                best, pair = now + t[k], (int(i[k]), int(j[k]))
                normal = (d[k] + w[k] * t[k]) / (2.0 * radius)
        if pair is None:
            return found
        x += v * (best - now)
        now = best
        a, b_ = pair
        u = float((v[a] - v[b_]) @ normal)
        v[a] -= u * normal
        v[b_] += u * normal
        found.append((now, *pair))


@pytest.mark.parametrize("periods", [(9.0, 9.0, 9.0), (9.0, 12.0, None)])
def test_periodic_world_finds_what_all_images_say(periods: Any):
    rng = np.random.default_rng(1)
    n = 27
    corners = np.stack(np.meshgrid(*[np.arange(3)] * 3, indexing="ij"), axis=-1).reshape(-1, 3)[:n] * 3.0
    positions = corners + rng.uniform(-0.4, 0.4, (n, 3))
    velocities = directions(n, rng)
    world = carom.World(response=carom.Elastic(), periodic=periods)
    world.add_many(carom.Sphere(1.0), positions, velocities)
    lengths = np.array([p or 0.0 for p in periods])
    expected = naive_contacts(positions, velocities, 1.0, lengths, 6.0)
    log = world.advance(6.0)
    world.audit()
    assert len(expected) > 20
    found = list(zip(log.times.tolist(), log.a.tolist(), log.b.tolist(), strict=True))
    for (t, a, b), (s, c, d) in zip(found[:20], expected[:20], strict=True):
        assert (a, b) == (c, d)
        assert t == pytest.approx(s, abs=1e-9)


def test_periodic_box_flies_round_and_hits_from_behind():
    world = carom.World(periodic=(10.0, None, None))
    world.add(carom.Box((1.0, 1.0, 1.0)), carom.Motion((0.0, 0.0, 0.0)))
    world.add(carom.Box((1.0, 1.0, 1.0)), carom.Motion((2.0, 0.2, 0.0), (1.0, 0.0, 0.0)))
    log = world.advance(40.0)
    # Passed through at 7 with its front at the other's back, and every 10 seconds on, 9 after it has parted at 9.
    assert log.times == pytest.approx([7.0, 17.0, 27.0, 37.0])
    assert log.normals[0] == pytest.approx((-1.0, 0.0, 0.0))


def test_periodic_spheres_pass_through_each_other_once_a_round():
    world = carom.World(periodic=(10.0, 10.0, 10.0))
    world.add(carom.Sphere(0.5))
    world.add(carom.Sphere(0.5), carom.Motion((5.0, 0.0, 0.0), (1.0, 0.0, 0.0)))
    assert world.advance(35.0).times == pytest.approx([4.0, 14.0, 24.0, 34.0])


def test_periodic_positions_go_on_counting():
    world = carom.World(periodic=(10.0, 10.0, 10.0))
    world.add(carom.Sphere(0.5), carom.Motion((5.0, 0.0, 0.0), (1.0, 0.0, 0.0)))
    world.advance(100.0)
    assert world.positions()[0, 0] == pytest.approx(105.0)
    assert world.periodic.tolist() == [10.0, 10.0, 10.0]


def test_periodic_overlaps_reach_over_the_border():
    world = carom.World(periodic=(10.0, 10.0, 10.0))
    for x in (0.2, 9.9, 5.0, 25.5):
        world.add(carom.Sphere(0.3), carom.Motion((x, 0.1, 0.1)))
    assert world.overlaps().tolist() == [[0, 1], [2, 3]]


def crowd(**options: Any) -> carom.World:
    rng = np.random.default_rng(3)
    points = np.stack(np.meshgrid(*[np.arange(4)] * 3, indexing="ij"), axis=-1).reshape(-1, 3) * 3.0
    world = carom.World(response=carom.Elastic(), periodic=(12.0, 12.0, 12.0), **options)
    world.add_many(carom.Sphere(1.0), points + rng.uniform(-0.4, 0.4, (64, 3)), directions(64, rng))
    return world


def test_periodic_log_does_not_depend_on_polling_or_on_a_restart():
    once = crowd().advance(20.0)
    assert len(once) > 500
    polled = crowd()
    assert carom.ContactLog.concatenate([polled.advance(k / 30.0) for k in range(1, 601)]).identical(once)
    first = crowd()
    before = first.advance(7.3)
    second = carom.World.restore(
        first.snapshot(), [carom.Sphere(1.0)] * 64, carom.Elastic(), periodic=(12.0, 12.0, 12.0)
    )
    after = second.advance(20.0)
    assert carom.ContactLog.concatenate([before, after]).identical(once)


def test_periodic_slit_has_walls_across():
    world = carom.World(response=carom.Elastic(), periodic=(8.0, 8.0, None))
    world.add(carom.HalfSpace((0.0, 0.0, 1.0), 0.0), mass=np.inf)
    world.add(carom.HalfSpace((0.0, 0.0, -1.0), -6.0), mass=np.inf)
    ball = world.add(carom.Sphere(1.0), carom.Motion((0.0, 0.0, 3.0), (3.0, 0.0, 1.0)))
    log = world.advance(21.0)
    assert log.times == pytest.approx([2.0, 6.0, 10.0, 14.0, 18.0])
    assert set(log.b.tolist()) == {ball}


@pytest.mark.parametrize("period", [4.0, 3.0 * 0.9 * (1.0 + CELL_SLACK)])
def test_periodic_world_takes_bodies_of_two_sizes_wherever_three_of_the_larger_fit(period: float):
    rng = np.random.default_rng(0)
    worlds = [carom.World("kinetic-grid", response=carom.Elastic(), periodic=(period,) * 3) for _ in range(2)]
    places = np.array([(x, y, z) for x in range(2) for y in range(2) for z in range(2)]) * 0.5 * period
    velocities = directions(8, rng)
    for world, step in zip(worlds, (1, -1), strict=True):
        for k in range(8)[::step]:
            world.add(carom.Sphere(0.45 if k % 2 else 0.35), carom.Motion(places[k], velocities[k]))
        world.audit()
    logs = []
    for world in worlds:
        logs.append(world.advance(20.0))
        world.audit()
    assert min(len(log) for log in logs) > 20
    assert logs[0].times[:8] == pytest.approx(logs[1].times[:8], abs=1e-9)


def test_periodic_layout_of_a_small_body_in_much_space_takes_little_memory():
    for n, period in ((1, 1e6), (3, 1e9), (200, 1e5 / 3.0)):
        points = np.random.default_rng(n).uniform(0.0, 10.0, (n, 3))
        made = lay_out(points, np.zeros((n, 3)), np.full(n, 1e-3), np.full(3, period))
        assert made.n_buckets <= max(512, 32 * n)
        cells = np.round(period / made.widths)
        assert np.all(cells % made.levels[:, LEVEL_SIZE : LEVEL_SIZE + 3] == 0.0)
        assert np.all(made.levels[:, LEVEL_SIZE : LEVEL_SIZE + 3] >= 3)


def test_periodic_world_finds_contacts_where_its_tables_are_folded():
    world = carom.World(periodic=(1000.0, 1000.0, 1000.0))
    world.add(carom.Sphere(0.05), carom.Motion((1.0, 1.0, 1.0), velocity=(-1.0, 0.0, 0.0)))
    world.add(carom.Sphere(0.05), carom.Motion((2.0, 1.0, 1.0)))
    assert world.advance(990.0).times.size == 0
    assert world.advance(1100.0).times == pytest.approx([998.9])
    world.audit()


def test_periodic_world_without_bodies_may_be_small():
    world = carom.World(periodic=(0.01, 0.01, 0.01))
    world.add(carom.Sphere(0.001))
    assert len(world) == 1


@pytest.mark.parametrize("spin", [(0.0, 0.0, 0.0), (0.0, 0.0, 1.0)])
def test_periodic_world_that_refuses_a_body_is_as_it_was(spin: Any):
    world, expected = crowd(), crowd()
    world.advance(1.0)
    expected.advance(1.0)
    large = carom.Box((2.2, 2.2, 2.2)) if any(spin) else carom.Box((3.0, 3.0, 3.0))
    shifted = carom.Convex(large.vertices + (1.0, 1.0, 1.0))
    with pytest.raises(carom.InvalidInputError, match=r"shape is too large: periodic\[0\] is 12.0; expected at least"):
        world.add(shifted, carom.Motion(spin=spin, start=1.0))
    with pytest.raises(carom.InvalidInputError, match=r"shapes\[0\] is too large"):
        world.add_many([shifted], [(0.0, 0.0, 0.0)], spins=[spin])
    assert len(world) == 64
    world.audit()
    assert world.advance(3.0).identical(expected.advance(3.0))


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: carom.World(periodic=(1.0, 2.0)), "three lengths"),
        (lambda: carom.World(periodic=(1.0, -2.0, 3.0)), r"periodic\[1\] is -2.0"),
        (lambda: carom.World(periodic=(1.0, float("nan"), 3.0)), r"periodic\[1\]"),
        (lambda: carom.World("swept", periodic=(5.0, 5.0, 5.0)), "periodic"),
        (lambda: crowd().add(carom.HalfSpace((1.0, 0.0, 0.0), 0.0)), "half-space across"),
        (lambda: crowd().add(carom.Sphere(5.0)), "three bodies"),
    ],
)
def test_periodic_world_refuses(make: Any, message: str):
    with pytest.raises(carom.InvalidInputError, match=message):
        make()


def test_periodic_world_refuses_acceleration():
    world = crowd()
    with pytest.raises(carom.errors.UnsupportedMotionError, match="accelerates"):
        world.set_motion(3, carom.Motion(acceleration=(0.0, 0.0, -1.0), start=world.time))
    assert len(world.advance(1.0)) > 0


def test_periodic_pair_that_touches_when_saved_is_not_reported_again():
    """One body has drifted by a period: the pair in the pool must be that of the images that touch."""
    space = (None, 6.5, 4.0)
    world = carom.World(periodic=space)
    world.add(carom.Capsule(0.2, 0.4), carom.Motion((1.6, 2.3, -3.0)))
    corners = [(0.2, -0.1, 0.2), (-0.1, -0.07, -0.2), (0.4, 0.2, 0.3), (0.3, 0.3, -0.3)]
    world.add(carom.Convex(corners), carom.Motion((-3.0, 4.0, 3.0), (3.9, 4.0, 1.4)))
    assert world.advance(1.2).times == pytest.approx([1.102453677])
    again = carom.World.restore(world.snapshot(), [world.shape(k) for k in world.bodies], periodic=space)
    assert len(world.advance(3.0)) == 0
    assert len(again.advance(3.0)) == 0
