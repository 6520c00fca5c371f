"""Shapes that overlap at the start, part and touch again: the second touch is reported, against sampled poses."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from scipy.spatial import ConvexHull

import carom

_SAMPLES = 400
_UNTIL = 3.0


def _unit(rng: np.random.Generator) -> np.ndarray:
    q = rng.normal(size=4)
    return q / np.linalg.norm(q)


def _tray() -> carom.Mesh:
    """Two walls and a floor: not convex."""
    vertices, faces = [], []
    for extents, centre in (((0.3, 1, 1), (-0.8, 0, 0)), ((0.3, 1, 1), (0.8, 0, 0)), ((1.9, 1, 0.3), (0, 0, -0.65))):
        corners = np.array(list(itertools.product((-0.5, 0.5), repeat=3))) * extents + centre
        faces.append(ConvexHull(corners).simplices + 8 * len(vertices))
        vertices.append(corners)
    return carom.Mesh(np.concatenate(vertices), np.concatenate(faces))


def _shape(rng: np.random.Generator, kind: str) -> carom.Box | carom.Convex | carom.Mesh:
    match kind:
        case "mesh":
            return _tray()
        case "box":
            return carom.Box(rng.uniform(0.2, 1.5, 3))
    return carom.Convex(rng.normal(size=(12, 3)) * 0.5)


@pytest.mark.parametrize("kinds", [("mesh", "box"), ("mesh", "convex"), ("mesh", "mesh"), ("box", "convex")])
def test_second_contact_of_shapes_that_separate_at_the_start_is_reported(kinds):
    rng = np.random.default_rng(8)
    times = np.linspace(0.0, _UNTIL, _SAMPLES + 1)
    seen = 0
    for _ in range(400):
        a, b = (_shape(rng, kind) for kind in kinds)
        motion_a = carom.Motion(orientation=_unit(rng))
        velocity = rng.normal(size=3)
        pull = -velocity / np.linalg.norm(velocity) * rng.uniform(0.5, 3.0) + rng.normal(size=3) * 0.3
        motion_b = carom.Motion(rng.normal(size=3) * 0.6, velocity, pull, orientation=_unit(rng))
        poses = np.array([motion_b.pose_at(t) for t in times])
        gaps = carom.distance(a, b, motion_a.pose_at(0.0), poses).distance
        touching, apart = gaps == 0.0, gaps > 1e-3
        if not touching[0] or not apart.any() or not touching[np.argmax(apart) :].any():
            continue
        parted = int(np.argmax(apart))
        again = parted + int(np.argmax(touching[parted:]))
        world = carom.World("all-pairs")
        world.add(a, motion_a)
        world.add(b, motion_b)
        log = world.advance(_UNTIL)
        step = times[1]
        if log.speeds[0] >= 0.0 or (log.times[1:] < times[parted] - 2.0 * step).any():
            continue  # a contact of shapes that press counts until the bounding spheres have parted
        seen += 1
        assert ((log.times >= times[parted] - 2.0 * step) & (log.times <= times[again])).any(), (motion_a, motion_b)
    assert seen >= 3
