"""Conservation and exclusion over long runs: what physics says a hard-sphere gas must keep."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.spatial.distance import pdist

from scenarios.worlds import energy, gas

N_WALLS = 6


def test_gas_keeps_energy_and_momentum_over_a_million_contacts() -> None:
    world = gas(24, 0.25, broad="all-pairs")
    before = energy(world)
    momentum = list(world.velocities()[N_WALLS:].T)
    scale = float(np.abs(world.velocities()[N_WALLS:]).sum())
    contacts, k = 0, 0
    while contacts < 1_000_000:
        k += 1
        log = world.advance(2000.0 * k)
        contacts += len(log)
        on_wall = log.a < N_WALLS
        pushed = 2.0 * log.speeds[on_wall, None] * log.normals[on_wall]
        momentum = [np.append(given, pushed[:, d]) for d, given in enumerate(momentum)]
        if k == 1:
            assert np.all(np.diff(log.times) >= 0.0)
            assert np.all(log.speeds > 0.0)
    assert abs(energy(world) / before - 1.0) < 1e-12
    # What the bodies have now is what they had and what the walls gave them, summed without rounding.
    for d in range(3):
        drift = math.fsum([*world.velocities()[N_WALLS:, d], *(-momentum[d])])
        assert abs(drift) < 1e-12 * scale


@pytest.mark.parametrize("packing", [0.05, 0.3])
def test_gas_never_overlaps_at_random_times(packing: float) -> None:
    rng = np.random.default_rng(8)
    world = gas(120, packing)
    size = (120 * 4.0 / 3.0 * np.pi / packing) ** (1.0 / 3.0)
    for t in np.sort(rng.uniform(0.0, 30.0, 60)):
        world.advance(float(t))
        positions = world.positions()[N_WALLS:]
        assert pdist(positions).min() > 2.0 - 1e-12
        assert positions.min() > 1.0 - 1e-12
        assert positions.max() < size - 1.0 + 1e-12
