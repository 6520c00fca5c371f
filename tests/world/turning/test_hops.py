"""Bodies that turn and hop on a floor stay on it, however little restitution is left to them."""

from __future__ import annotations

import numpy as np
import pytest

import carom
from scenarios.worlds import lowest

SHAPES = {
    "box": carom.Box((1.0, 0.6, 0.8)),
    "mesh": carom.Mesh(carom.Box((1.0, 0.6, 0.8)).vertices, carom.Box((1.0, 0.6, 0.8)).faces),
    "cone": carom.Cone(0.4, 0.9),
    "ellipsoid": carom.Ellipsoid((0.4, 0.3, 0.15)),
    "capsule": carom.Capsule(0.2, 0.8),
    "cylinder": carom.Cylinder(0.3, 0.2),
}


def _falling(name: str, seed: int) -> carom.World:
    rng = np.random.default_rng(seed)
    world = carom.World("all-pairs", response=carom.Elastic(float(rng.choice((0.0, 0.0, 0.0, 0.9)))))
    turn = rng.normal(size=3) * rng.choice((0.1, 1.0, 10.0))
    height = 1.0 + rng.choice((0.0, rng.uniform()))
    world.add(SHAPES[name], carom.Motion((0.0, 0.0, height), 0.3 * rng.normal(size=3), (0.0, 0.0, -3.0), spin=turn))
    world.add(carom.HalfSpace((0.0, 0.0, 1.0), 0.0), mass=np.inf)
    return world


@pytest.mark.compiled
@pytest.mark.parametrize("name", SHAPES)
def test_turning_body_that_hops_on_a_floor_stays_above_it(name: str) -> None:
    """Of two corners in touch one rises and one comes down: the contact is at the latter, or no response would act."""
    for seed in range(200):
        world = _falling(name, seed)
        for step in range(1, 7):
            world.advance(0.5 * step)
            assert lowest(world) > -1e-6, (seed, world.time)
