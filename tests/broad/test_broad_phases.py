"""One test for all broad phases: whatever finds the pairs, the log is the same bit for bit."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import carom
from worlds import gas, random_mix, rings

VARIANTS: dict[str, dict[str, Any]] = {
    "auto": {},
    "swept at 60 Hz": {"broad": "swept"},
    "swept at 7 Hz": {"broad": "swept", "frame": 1.0 / 7.0},
    "all pairs": {"broad": "all-pairs"},
    "uniform grid at 60 Hz": {"broad": "uniform-grid"},
    "uniform grid at 2 Hz": {"broad": "uniform-grid", "frame": 0.5},
    "hash grid at 60 Hz": {"broad": "hash-grid"},
    "hash grid at 2 Hz": {"broad": "hash-grid", "frame": 0.5},
    "hash grid an axis": {"broad": "hash-grid", "grid": "1d", "frame": 0.1},
    "tree at 60 Hz": {"broad": "aabb-tree"},
    "tree at 2 Hz": {"broad": "aabb-tree", "frame": 0.5},
    "grid on one axis": {"broad": "uniform-grid", "axes": [[0.6, 0.0, 0.8]]},
    "tree on one axis": {"broad": "aabb-tree", "axes": [[0.6, 0.0, 0.8]]},
    "space-time at 60 Hz": {"broad": "space-time"},
    "space-time at 2 Hz": {"broad": "space-time", "frame": 0.5},
    "space-time on one axis": {"broad": "space-time", "axes": [[0.6, 0.0, 0.8]]},
    "vadop at 60 Hz": {"broad": "vadop"},
    "vadop at 2 Hz": {"broad": "vadop", "frame": 0.5, "pool": 65, "slow": 0.0},
    "vadop, pair matrix": {"broad": "vadop", "frame": 0.1, "pool": 16, "overlap": "matrix"},
    "vadop on one axis": {"broad": "vadop", "frame": 0.1, "pool": 7, "slow": 0.0, "axes": [[0.6, 0.0, 0.8]]},
    "kinetic vadop": {"broad": "kinetic-vadop", "pool": 16},
    "kinetic vadop, pairing heap": {"broad": "kinetic-vadop", "pool": 10, "queue": "pairing", "overlap": "matrix"},
    "kinetic vadop, shared axis": {"broad": "kinetic-vadop", "pool": 7, "axes": [[0.6, 0.0, 0.8]]},
    "kinetic grid": {"broad": "kinetic-grid"},
    "kinetic grid, pairing heap": {"broad": "kinetic-grid", "queue": "pairing"},
    "kinetic grid, eager": {"broad": "kinetic-grid", "narrow": "eager"},
    "pairing heap": {"broad": "kinetic", "queue": "pairing"},
    "4-ary heap": {"broad": "kinetic", "queue": "heap4"},
    "pair matrix": {"overlap": "matrix"},
    "one axis": {"axes": [[0.6, 0.0, 0.8]]},
    "18-DOP": {"axes": np.array([(a, b, c) for a in (0, 1) for b in (-1, 0, 1) for c in (-1, 0, 1)][5:])},
    "eager": {"broad": "kinetic", "narrow": "eager"},
}


def run(make: Any, contacts: int, step: float = 5.0, **options: Any) -> tuple[carom.World, carom.ContactLog]:
    """Advance in large steps until there are enough contacts; audit at the end."""
    world = make(**options)
    logs: list[carom.ContactLog] = []
    k = 0
    while sum(map(len, logs)) < contacts:
        k += 1
        logs.append(world.advance(k * step))
    world.audit()
    return world, carom.ContactLog.concatenate(logs)


@pytest.mark.parametrize("packing", [0.01, 0.1, 0.3])
def test_broad_phases_give_bit_identical_gas_logs(packing: float) -> None:
    def make(**options: Any) -> carom.World:
        return gas(150, packing, **options)

    _, reference = run(make, 600, broad="kinetic")
    for name, options in VARIANTS.items():
        _, log = run(make, 600, **options)
        assert log.identical(reference), name


@pytest.mark.parametrize("packing", [0.01, 0.05, 0.15])
def test_broad_phases_give_bit_identical_ring_logs(packing: float) -> None:
    def make(**options: Any) -> carom.World:
        return rings(150, packing, **options)

    _, reference = run(make, 600, broad="kinetic")
    others = [{"broad": broad} for broad in carom.BROAD_PHASES] + [{"narrow": "eager"}, {"queue": "pairing"}]
    for options in others:
        _, log = run(make, 600, **options)
        assert log.identical(reference), options


@pytest.mark.parametrize("accelerate", [False, True])
@pytest.mark.parametrize("response", [None, carom.Elastic(), carom.Elastic(0.7)])
def test_broad_phases_agree_on_mixed_shapes(accelerate: bool, response: Any) -> None:
    for seed in range(2):
        make = lambda seed=seed, **o: random_mix(seed, accelerate, response=response, **o)  # noqa: E731
        _, reference = run(make, 1, 6.0, broad="kinetic")
        for name, options in VARIANTS.items():
            _, log = run(make, 1, 6.0, **options)
            assert log.identical(reference), (name, seed)


@pytest.mark.parametrize("broad", carom.BROAD_PHASES)
def test_polling_rate_does_not_change_the_log(broad: str) -> None:
    once = rings(100, 0.05, broad=broad).advance(3.0)
    assert len(once) > 20
    for rate in (30, 1000):
        world = rings(100, 0.05, broad=broad)
        log = carom.ContactLog.concatenate([world.advance(k / rate) for k in range(1, 3 * rate + 1)])
        assert log.identical(once), rate


@pytest.mark.parametrize("broad", carom.BROAD_PHASES)
def test_slow_meeting_of_fast_bodies_that_fall_alike_is_reported_once(broad: str) -> None:
    """Boxes swept over a frame are thinnest at the top of a path: after the contact these are close, apart and close again."""
    world = carom.World(broad, frame=0.1)
    fall = (0.0, 0.0, -10.0)
    world.add(carom.Sphere(0.5), carom.Motion((0.0, 0.0, 0.0), (0.0, 0.0, 30.0), fall))
    world.add(carom.Sphere(0.5), carom.Motion((0.0, 0.99, 0.3), (0.0, 0.0, 29.4), fall))
    (contact,) = world.advance(12.0)
    assert contact.time == pytest.approx((0.3 - np.sqrt(1.0 - 0.99**2)) / 0.6, rel=1e-12)
    world.audit()


def test_reference_queue_gives_the_same_log() -> None:
    for broad in ("kinetic", "kinetic-grid"):
        assert gas(20, 0.1, broad=broad, queue="reference").advance(20.0).identical(gas(20, 0.1).advance(20.0))


def test_kinetic_boxes_begin_no_more_pairs_than_swept_boxes() -> None:
    kinetic = rings(200, 0.02, narrow="eager", broad="kinetic")
    swept = rings(200, 0.02, narrow="eager", broad="swept", frame=1.0)
    kinetic.advance(10.0)
    swept.advance(10.0)
    assert kinetic.stats.narrow_tests < swept.stats.narrow_tests
