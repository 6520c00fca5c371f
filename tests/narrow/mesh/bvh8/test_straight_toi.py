"""Straight flights of meshes over wide trees give the contacts of the general search."""

from __future__ import annotations

import math

import numpy as np
import pytest
import trimesh

import carom
from carom.narrow.toi.straight.flights import straight_impacts
from carom.narrow.toi.translating import first_contact


def mesh_of(source, scale=1.0):
    return carom.Mesh(source.vertices * scale, source.faces)


MESHES = {
    "ball": trimesh.creation.icosphere(3, 1.0),
    "torus": trimesh.creation.torus(1.0, 0.3, major_sections=24, minor_sections=12),
    "plate": trimesh.creation.box((2.0, 2.0, 1e-5)),
}


def flights(n, seed, scale=1.0):
    rng = np.random.default_rng(seed)
    way = rng.normal(size=(n, 3))
    way *= 5.0 * scale / np.linalg.norm(way, axis=1)[:, None]
    quats = rng.normal(size=(2 * n, 4))
    quats /= np.linalg.norm(quats, axis=1)[:, None]
    return way, -way + rng.normal(size=(n, 3)) * scale, quats


def both_ways(a, b, way, speed, pull, quats, until):
    times, out = straight_impacts(a, b, quats, way, speed, pull, np.full(len(way), until), 1)
    for k in range(len(way)):
        found = first_contact(
            a, b, (0, 0, 0), way[k], (0, 0, 0), speed[k], (0, 0, 0), pull[k], quats[2 * k], quats[2 * k + 1]
        )
        expected = math.inf if found is None or found.time > until else found.time
        assert times[k] == pytest.approx(expected, rel=1e-12, abs=1e-12)
        if expected < math.inf:
            assert np.allclose(out[k, 3:6], found.normal, atol=1e-6)
    return times


@pytest.mark.parametrize(
    "pair", [("ball", "ball"), ("torus", "ball"), ("torus", "torus"), ("plate", "torus")], ids="-".join
)
def test_wide_straight_agrees_with_the_general_search(pair):
    a, b = (mesh_of(MESHES[name]) for name in pair)
    way, speed, quats = flights(60, 3)
    times = both_ways(a, b, way, speed, np.zeros((60, 3)), quats, 3.0)
    assert 5 < np.isfinite(times).sum() < 60


@pytest.mark.parametrize("scale", [1e-6, 1e6])
def test_wide_straight_does_not_depend_on_the_unit_of_length(scale):
    way, speed, quats = flights(40, 5, scale)
    mesh = mesh_of(MESHES["torus"], scale)
    times, _ = straight_impacts(mesh, mesh, quats, way, speed, np.zeros((40, 3)), np.full(40, 3.0), 1)
    usual = mesh_of(MESHES["torus"])
    way, speed, quats = flights(40, 5)
    expected, _ = straight_impacts(usual, usual, quats, way, speed, np.zeros((40, 3)), np.full(40, 3.0), 1)
    assert np.allclose(times, expected, rtol=1e-9)


def test_wide_straight_leaves_curved_paths_to_the_general_search():
    mesh = mesh_of(MESHES["ball"])
    way, speed, quats = flights(20, 7)
    both_ways(mesh, mesh, way, speed, np.random.default_rng(1).normal(size=(20, 3)), quats, 3.0)


def test_wide_straight_from_touch_and_from_overlap_has_the_documented_answers():
    block = mesh_of(trimesh.creation.box((1.0, 1.0, 1.0)))
    way = np.array([(1.0, 0, 0), (1.0, 0, 0), (0.4, 0.1, 0), (0.4, 0.1, 0), (1.0, 0, 0)])
    speed = np.array([(1.0, 0, 0), (-1.0, 0, 0), (1.0, 0, 0), (-1.0, 0, 0), (0.0, 0, 0)])
    quats = np.tile((1.0, 0.0, 0.0, 0.0), (10, 1))
    times = both_ways(block, block, way, speed, np.zeros((5, 3)), quats, 9.0)
    assert times[1] == 0.0
    assert times[0] == times[4] == math.inf


def test_wide_straight_finds_plates_that_fly_fast_and_far():
    plate = mesh_of(MESHES["plate"])
    way, speed = np.array([(0.1, 0.2, 5e4)]), np.array([(0.0, 0.0, -1e5)])
    quats = np.tile((1.0, 0.0, 0.0, 0.0), (2, 1))
    times = both_ways(plate, plate, way, speed, np.zeros((1, 3)), quats, 9.0)
    assert times[0] == pytest.approx(0.5, abs=1e-9)


def test_straight_flights_meet_a_triangle_whose_corners_lie_nearly_in_a_line():
    """Its normal is rounding: the plane through one corner does not hold the others, and must not rule out a contact."""
    rng = np.random.default_rng(51095)
    met = 0
    for _ in range(40):
        along, place = rng.normal(size=3), rng.normal(size=3) * 0.2
        needle = carom.Mesh(place + np.outer((-0.5, 0.1, 0.6), along), [[0, 1, 2]])
        segment = carom.Mesh(needle.vertices[[0, 2]], [[0, 1, 1]])
        plate = carom.Mesh(rng.normal(size=(3, 3)), [[0, 1, 2]])
        turn, way = rng.normal(size=(2, 4)), rng.normal(size=(50, 3))
        ways = carom.Motions(-3.0 * way, 6.0 * way, orientations=turn[0])
        still = carom.Motion(orientation=turn[1])
        times = carom.time_of_impact(needle, plate, still, ways, 1.0).time
        np.testing.assert_allclose(times, carom.time_of_impact(segment, plate, still, ways, 1.0).time, rtol=1e-9)
        met += int(np.isfinite(times).sum())
    assert met > 400
