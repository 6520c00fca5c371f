"""The contract of a broad phase: what follows it gives the log of all others, and needs no change of anything else."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import carom
from carom.engine.broad_phases import AUTO, BROAD_PHASES, REGISTERED
from carom.errors import InvalidInputError
from one_axis import ONE_AXIS
from scenarios.worlds import gas, random_mix, rings, slow_and_fast


@pytest.fixture
def one_axis(monkeypatch: pytest.MonkeyPatch) -> str:
    """The name of a broad phase that only this test knows."""
    monkeypatch.setitem(REGISTERED, ONE_AXIS.name, ONE_AXIS)
    return ONE_AXIS.name


def log_of(world: carom.World, until: float) -> carom.ContactLog:
    """The log of a world whose bodies are pushed, leave and come on the way; audited."""
    rng = np.random.default_rng(0)
    logs = []
    for step in range(1, 7):
        logs.append(world.advance(until * step / 6.0))
        world.audit()
        for body in rng.choice(world.bodies[6:], 3, replace=False):
            world.set_motion(body, carom.Motion(world.motion(body).position, rng.normal(size=3), start=world.time))
        world.remove(int(rng.choice(world.bodies[6:])))
        world.add(carom.Sphere(0.4), carom.Motion(rng.uniform(2.0, 5.0, 3), rng.normal(size=3), start=world.time))
    return carom.ContactLog.concatenate(logs)


SCENES: dict[str, Any] = {
    "gas": lambda broad: gas(100, 0.1, broad=broad),
    "rings": lambda broad: rings(60, 0.05, broad=broad),
    "slow and fast": lambda broad: slow_and_fast(1, n=60, shapes=True, accelerate=True, broad=broad),
    "mixed, passing": lambda broad: random_mix(0, True, response=None, broad=broad),
    "mixed, elastic": lambda broad: random_mix(1, False, response=carom.Elastic(0.7), broad=broad),
}


@pytest.mark.parametrize("scene", SCENES)
def test_broad_phase_that_follows_the_contract_gives_the_same_log(scene: str, one_axis: str) -> None:
    expected = log_of(SCENES[scene]("all-pairs"), 3.0)
    assert len(expected) >= 10
    assert log_of(SCENES[scene](one_axis), 3.0).identical(expected)


def test_registered_broad_phase_is_known_everywhere_by_its_name(one_axis: str) -> None:
    world = carom.World(one_axis)
    assert world.broad_phase == one_axis
    assert world.explain().startswith("The comparison of intervals on one axis runs over 0 bodies.")
    world.add(carom.Sphere(1.0), carom.Motion((0, 0, 0), (1, 0, 0)))
    world.add(carom.Sphere(1.0), carom.Motion((5, 0, 0)))
    again = carom.World.restore(world.snapshot(), [world.shape(body) for body in world.bodies], broad=one_axis)
    assert again.advance(5.0).identical(world.advance(5.0))


def test_broad_phases_take_only_the_options_that_they_register() -> None:
    given: dict[str, Any] = {
        "axes": [[1.0, 0.0, 0.0]], "periodic": (9.0, 9.0, 9.0), "pool": 16, "zone": 0.3, "slow": 1.0,
    }  # fmt: skip
    for name, each in REGISTERED.items():
        assert each.options <= set(given), name
        for option, value in given.items():
            if option in each.options:
                carom.World(name, **{option: value})
            else:
                with pytest.raises(InvalidInputError, match=option):
                    carom.World(name, **{option: value})


def test_broad_phases_have_different_names_and_titles() -> None:
    assert (AUTO, *REGISTERED) == BROAD_PHASES
    assert len({each.title for each in REGISTERED.values()}) == len(REGISTERED)
    assert all(each.title.startswith("the ") for each in REGISTERED.values())
