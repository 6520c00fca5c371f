"""broad="auto": what it chooses, what it says, and that a change of mind changes no contact."""

from __future__ import annotations

import numpy as np
import pytest

import carom
from carom.engine.broad_phase_cost import Estimate
from carom.engine.contract import Census
from scenarios.worlds import directions, gas

GRID, SWEEP, PAIRS = "kinetic-grid", "kinetic", "all-pairs"


def test_auto_runs_the_grid_for_a_gas_and_says_so():
    world = gas(300, 0.1)
    assert world.broad_phase in carom.world.BROAD_PHASES[1:]
    words = world.explain()
    assert words.startswith("The kinetic grid runs over 306 bodies.")
    for part in ("motion changes", "exchanges in sorted lists", "the kinetic sweep", "the cache of all pairs"):
        assert part in words


def test_auto_remembers_that_options_decide():
    assert carom.World(overlap="matrix").explain().startswith("The kinetic sweep")
    assert "only choice" in carom.World(periodic=(5.0, 5.0, 5.0)).explain()
    assert 'asked for by broad="swept"' in carom.World("swept").explain()


def test_auto_says_that_few_bodies_cost_nothing():
    world = carom.World()
    assert "0 bodies" in world.explain()
    world.add(carom.Sphere(1.0))
    assert "1 body." in world.explain()


def test_estimate_changes_only_for_a_clear_gain():
    def costing(grid: float, sweep: float) -> Estimate:
        return Estimate({GRID: grid, SWEEP: sweep, PAIRS: np.inf}, 10, Census(10, 0, 0.0, 0.0, 0.0, 0.0, 0.0, 1))

    assert costing(1.0, 0.9).better_than(GRID) is None
    assert costing(1.0, 0.5).better_than(GRID) == SWEEP
    assert costing(1.0, 0.5).better_than(SWEEP) is None


@pytest.mark.parametrize("response", [None, carom.Elastic()])
def test_auto_changes_its_mind_without_changing_the_log(response, monkeypatch: pytest.MonkeyPatch):
    rng = np.random.default_rng(1)
    positions, velocities = rng.uniform(0.0, 30.0, (80, 3)), directions(80, rng)

    def run(broad: str) -> tuple[carom.World, carom.ContactLog]:
        world = carom.World(broad, response)
        world.add_many(carom.Sphere(1.0), positions, velocities)
        logs = [world.advance(float(t)) for t in range(1, 12)]
        for k in range(12, 20):
            world.set_motion(
                [0, 1, 2],
                [carom.Motion(p, -v, start=world.time) for p, v in zip(positions[:3], velocities[:3], strict=True)],
            )
            logs.append(world.advance(float(k)))
        world.audit()
        return world, carom.ContactLog.concatenate(logs)

    _, expected = run("kinetic")
    looks = iter([GRID, SWEEP, PAIRS] * 100)
    monkeypatch.setattr("carom.engine.broad_phase_choice._FIRST_LOOK", 1)
    monkeypatch.setattr("carom.engine.broad_phase_choice._NEGLIGIBLE", 0.0)
    monkeypatch.setattr("carom.engine.broad_phase_choice._PAUSE", 0.0)
    monkeypatch.setattr(Estimate, "better_than", lambda self, running: next(looks))
    world, log = run("auto")
    assert world._selection.switches >= 4
    assert "changed" in world.explain()
    assert log.identical(expected)


@pytest.mark.parametrize("pull", [1e9, 1e16])
def test_auto_leaves_the_grid_when_a_body_accelerates_without_end(pull):
    """It crosses ever more cells while two others stay in touch, so that no time is free of possible contacts."""

    def bodies(broad):
        world = carom.World(broad)
        world.add(carom.Sphere(0.5), carom.Motion((5, 0, 0), (-1, 0, 0)))
        world.add(carom.Box((1, 1, 1)))
        world.add(carom.Sphere(0.5), carom.Motion((1, 0, 0), (1, 0, 0), (0, 0, -1)))
        world.add(carom.Sphere(0.5), carom.Motion((3, 0.5, 0), (1, 0, 0), (pull, 0, -1)))
        return world

    world = bodies("auto")
    log = world.advance(1.5, budget=30.0)
    assert log.reached == 1.5
    assert world.broad_phase != GRID
    assert len(log) == len(expected := bodies("all-pairs").advance(1.5))
    assert np.array_equal(log.times, expected.times)
