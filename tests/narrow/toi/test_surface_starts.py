"""Searches that start with a mesh in another shape, which leaves and comes back."""

from __future__ import annotations

import numpy as np
import pytest

import carom
from carom.narrow.toi.translating import first_contact
from carom.narrow.toi.turning_contact import first_contact_turning


def _plain(size: float, n: int = 8) -> carom.Mesh:
    """A flat square of side `size` at z = 0, in 2 n^2 triangles."""
    x, y = np.meshgrid(np.linspace(-0.5, 0.5, n + 1) * size, np.linspace(-0.5, 0.5, n + 1) * size)
    vertices = np.stack((x.ravel(), y.ravel(), np.zeros(x.size)), axis=1)
    k = (np.arange(n)[:, None] * (n + 1) + np.arange(n)).ravel()
    faces = np.concatenate((np.stack((k, k + 1, k + n + 2), 1), np.stack((k, k + n + 2, k + n + 1), 1)))
    return carom.Mesh(vertices, faces)


def _unit(*quaternion: float) -> np.ndarray:
    return np.array(quaternion) / np.linalg.norm(quaternion)


@pytest.mark.parametrize(
    "shape", [carom.Box((0.4, 0.4, 0.4)), carom.Convex(np.random.default_rng(2).normal(size=(20, 3)) * 0.2)]
)
@pytest.mark.parametrize("slide", [0.0, -1.7])
def test_body_that_is_thrown_out_of_a_terrain_falls_back_on_it(shape, slide):
    """Nothing was looked for until the bounding spheres had parted, so that the body fell through the terrain."""
    lowest = 0.2 if isinstance(shape, carom.Box) else -float(shape.vertices[:, 2].min())
    start = lowest - 0.01
    found = first_contact(
        _plain(20.0),
        shape,
        position_b=(-3.0, 0.1, start),
        velocity_b=(slide, 0.0, 2.0),
        acceleration_b=(0.0, 0.0, -10.0),
    )
    # z(t) = start + 2 t - 5 t^2 comes back to the height `lowest`.
    expected = (2.0 + np.sqrt(4.0 + 20.0 * (start - lowest))) / 10.0
    assert found.time == pytest.approx(expected, rel=1e-12)
    world = carom.World(response=carom.Elastic())
    world.add(_plain(20.0), mass=np.inf)
    body = world.add(shape, carom.Motion((-3.0, 0.1, start), (slide, 0.0, 2.0), (0.0, 0.0, -10.0)))
    log = world.advance(0.5)
    assert log.times.tolist() == pytest.approx([0.0, expected], rel=1e-12)
    assert log.status.tolist() == [carom.narrow.toi.status.OVERLAPPING, carom.narrow.toi.status.EXACT]
    assert world.velocities()[body, 2] > 0.0


def test_body_that_leaves_one_wall_of_a_mesh_straight_on_meets_the_next():
    walls = [[(x, -1, -1), (x, 1, -1), (x, 0, 1)] for x in (-1.0, 0.4, 1.0)]
    mesh = carom.Mesh(np.concatenate(walls), np.arange(9).reshape(3, 3))
    for shape in (carom.Box((0.4, 0.4, 0.4)), carom.Convex([(-0.2, 0, 0), (0.2, 0, 0), (0, 0.2, 0), (0, 0, 0.2)])):
        found = first_contact(mesh, shape, position_b=(0.45, 0.0, 0.0), velocity_b=(1.0, 0.0, 0.0))
        assert found.time == pytest.approx(0.35, rel=1e-12)


def test_spinning_body_that_is_thrown_out_of_a_terrain_falls_back_on_it():
    shape = carom.Box((0.4, 0.4, 0.4))
    motion = carom.Motion((-3.0, 0.1, 0.19), (-1.0, 0.0, 2.0), (0.0, 0.0, -10.0), spin=(0.0, 0.0, 3.0))
    found = first_contact_turning(_plain(20.0), shape, carom.Motion(), motion, 2.0)
    expected = (2.0 + np.sqrt(4.0 - 0.2)) / 10.0
    assert found.time <= expected
    assert found.time == pytest.approx(expected, abs=1e-9)


def test_spinning_solids_that_parted_past_an_edge_do_not_touch_when_they_come_closer():
    """They were followed until a side of one of them was between them, and a contact was reported 0.09 apart."""
    a, b = carom.Box((1.66073757, 1.33516269, 1.71101736)), carom.Box((0.22286093, 1.20166549, 1.48603939))
    motion_a = carom.Motion(
        (0, 0, 0),
        orientation=_unit(0.56982326, 0.09796, 0.74215915, -0.33897654),
        spin=(1.22759497, 1.0627744, -0.36901546),
    )
    motion_b = carom.Motion(
        (-0.15939665, 0.82098588, -1.13535061), (-1.02068867, 1.13490014, -0.44486625), (2.73006444, -3.03460414, 1.3478239),
        _unit(0.80492826, -0.08763696, 0.03833587, -0.58561133), (0.16836571, -4.17328717, -0.40884256),
    )  # fmt: skip
    found = first_contact_turning(a, b, motion_a, motion_b, 3.0)
    assert (
        found is None
        or carom.distance(a, b, motion_a.pose_at(found.time), motion_b.pose_at(found.time)).distance < 1e-8
    )
