"""What a gas meter measures, against kinetic theory and published simulations of hard spheres."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

import carom
from carom.bench.broad.fluid import crystal
from carom.physics import GasMeter, carnahan_starling, virial_series
from carom.scenes import scene


def measured(world: carom.World, settle: float, seconds: float) -> GasMeter:
    world.advance(settle)
    meter = GasMeter(world)
    for k in range(1, int(seconds) + 1):
        meter.add(world.advance(settle + k))
    return meter


def test_gas_meter_two_spheres_on_a_line_collide_as_often_as_geometry_says():
    world = carom.World(response=carom.Elastic(), periodic=(10.0, 10.0, 10.0))
    world.add_many(carom.Sphere(0.5), [(0.0, 0.0, 0.0), (5.0, 0.0, 0.0)], [(1.0, 0.0, 0.0), (-1.0, 0.0, 0.0)])
    meter = GasMeter(world)
    meter.add(world.advance(90.0))
    # They are 4 apart at first, then 8 each time, the other way round the world; and they close at 2 a second.
    report = meter.report()
    assert report.collisions == 23
    assert report.mean_free_time == pytest.approx(90.0 / 23.0)


def test_gas_meter_finds_the_published_mean_free_time_and_diffusion():
    # DynamO's check (Bannerman and others, J. Comput. Chem. 32, 3329, 2011): 1372 spheres at density 0.5.
    report = measured(crystal(7, 0.5, seed=1), 5.0, 40.0).report()
    assert report.mean_free_time == pytest.approx(0.13031, rel=0.01)
    assert report.diffusion == pytest.approx(0.247, rel=0.06)


def test_gas_meter_pressure_follows_the_virial_series():
    for density in (0.2, 0.48):
        report = measured(crystal(6, density, seed=2), 5.0, 20.0).report()
        assert report.compressibility == pytest.approx(virial_series(report.packing), rel=0.02)
        assert report.packing == pytest.approx(density * np.pi / 6.0)


def test_gas_meter_pressure_between_walls_is_the_push_on_them():
    made = scene("gas", objects=200, packing=0.15, seed=4)
    world = made.build()
    side = float((200 * 4.0 / 3.0 * np.pi / 0.15) ** (1.0 / 3.0))
    world.advance(5.0)
    meter = GasMeter(world, side**3, room=(side - 2.0) ** 3)
    log = world.advance(405.0)
    meter.add(log)
    pushed = 2.0 * log.speeds[log.b >= 200].sum() / 400.0 / (6.0 * (side - 2.0) ** 2)
    assert meter.report().pressure == pytest.approx(pushed, rel=0.01)
    assert meter.report().packing == pytest.approx(0.15)


def test_equations_of_state_agree_where_both_hold():
    assert carnahan_starling(0.0) == virial_series(0.0) == 1.0
    assert carnahan_starling(0.1) == pytest.approx(virial_series(0.1), rel=5e-4)
    assert virial_series(0.25) / carnahan_starling(0.25) == pytest.approx(1.002, abs=5e-4)


def test_gas_meter_before_any_time_reports_nothing_measured():
    report = GasMeter(crystal(3, 0.3, seed=3)).report()
    assert dataclasses.asdict(report)["seconds"] == 0.0
    assert report.collisions == 0
    assert report.mean_free_time == np.inf


def test_gas_meter_refuses_worlds_it_cannot_measure():
    with pytest.raises(carom.InvalidInputError, match="0 spheres"):
        GasMeter(carom.World())
    world = scene("gas", objects=20, packing=0.05).build()
    with pytest.raises(carom.InvalidInputError, match="volume is missing"):
        GasMeter(world)
    with pytest.raises(carom.InvalidInputError, match="volume"):
        GasMeter(world, -1.0)
