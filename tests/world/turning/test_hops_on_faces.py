"""Bodies that turn and hop on the face of a box, a convex shape or a mesh stay on it, as they do on a half-space."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import carom
from carom.shapes import Shape
from scenarios.worlds import lowest

BOX = carom.Box((1.0, 0.6, 0.8))
BODIES: dict[str, Shape] = {"box": BOX, "mesh": carom.Mesh(BOX.vertices, BOX.faces)}
SLAB = carom.Box((40.0, 40.0, 1.0))
FLOORS: dict[str, Shape] = {
    "box": SLAB,
    "convex": carom.Convex(SLAB.vertices),
    "mesh": carom.Mesh(SLAB.vertices, SLAB.faces),
}


def bounce(world: carom.World, contact: Any) -> None:
    """Without restitution, and without friction; bodies that part are left alone."""
    motion = world.motion(0)
    sign = -1.0 if contact.a == 0 else 1.0
    arm = contact.point - motion.position_at(contact.time)
    velocity = motion.velocity_at(contact.time)
    closing = -sign * float((velocity + np.cross(motion.spin, arm)) @ contact.normal)
    if closing > 0.0:
        lever = np.cross(arm, contact.normal)
        impulse = sign * (closing + 1e-3) / (1.0 + lever @ lever / 0.1)
        place, turned = motion.position_at(contact.time), motion.orientation_at(contact.time)
        velocity = velocity + impulse * contact.normal
        spin = motion.spin + impulse * lever / 0.1
        world.set_motion(0, carom.Motion(place, velocity, motion.acceleration, turned, spin, contact.time))


def falling(body: Shape, floor: Shape, response: Any, orientation: Any, spin: Any) -> carom.World:
    world = carom.World("all-pairs", response=response)
    fall = carom.Motion((0.0, 0.0, 1.0), (0.1, -0.2, 0.0), (0.0, 0.0, -3.0), orientation, spin)
    world.add(body, fall)
    world.add(floor, carom.Motion((0.0, 0.0, -0.5)), mass=np.inf)
    return world


@pytest.mark.compiled
@pytest.mark.parametrize("name", BODIES)
@pytest.mark.parametrize("floor", FLOORS)
def test_body_that_falls_flat_and_tips_stays_above_a_face(name: str, floor: str) -> None:
    """The contact is at corners that come down: at their middle with one that rises faster no response would act."""
    for seed in range(3):
        rng = np.random.default_rng(seed)
        response = carom.Elastic(0.0) if seed == 2 else bounce
        spin = np.zeros(3) if seed == 1 else rng.normal(size=3)
        world = falling(BODIES[name], FLOORS[floor], response, (1.0, 0.0, 0.0, 0.0), spin)
        for step in range(1, 19):
            world.advance(0.05 * step)
            assert lowest(world) > -1e-6, (seed, world.time)


LYING = (0.37315715, 0.31772853, -0.72175884, -0.4887397)


@pytest.mark.compiled
@pytest.mark.parametrize("name", ["box", "half-space"])
@pytest.mark.parametrize("orientation", [(0.5**0.5, 0.0, 0.5**0.5, 0.0), LYING])
def test_capsule_that_rocks_on_its_ends_stays_above_a_face(name: str, orientation: Any) -> None:
    """While the end that was hit parts, the other one comes down: it is not to sink in before it is found."""
    floor = carom.HalfSpace((0.0, 0.0, 1.0), 0.5) if name == "half-space" else FLOORS[name]
    world = falling(carom.Capsule(0.2, 0.8), floor, bounce, orientation, (0.0, 0.0, 0.0))
    for step in range(1, 20):
        world.advance(0.05 * step)
        assert lowest(world) > -1e-6, world.time
