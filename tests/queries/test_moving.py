"""Time of impact and shape casts of every pairing of shapes."""

from __future__ import annotations

import math

import numpy as np
import pytest
import trimesh

import carom
from carom.errors import InvalidInputError, UnsupportedMotionError
from carom.queries import toi_dispatch as strike
from geometry.shapes_in_pairs import PAIRS, SHAPES, moved


def flight(rng, spin, half_space):
    """Two bodies about to meet, or not."""
    way = rng.normal(size=3)
    way *= 3.5 / np.linalg.norm(way)
    still = carom.Motion(orientation=rng.normal(size=4), spin=rng.normal(size=3) * spin * (not half_space))
    speed = -0.5 * way + rng.normal(size=3) * 0.3
    return still, carom.Motion(way, speed, rng.normal(size=3) * 0.1, rng.normal(size=4), rng.normal(size=3) * spin)


@pytest.mark.parametrize("spin", [0.0, 1.5])
@pytest.mark.parametrize("pair", [p for p in PAIRS if p[1] != "half-space"], ids="-".join)
def test_time_of_impact_is_never_late_and_close(pair, spin):
    a, b = (SHAPES[name] for name in pair)
    if pair[0] != "half-space" and "half-space" in pair:
        a, b = b, a
    rng = np.random.default_rng(41)
    for _ in range(4):
        first, second = flight(rng, spin, isinstance(a, carom.HalfSpace))
        if isinstance(a, carom.HalfSpace) and carom.collide(a, b, first.pose_at(0.0), second.pose_at(0.0)).hit:
            continue
        impact = carom.time_of_impact(a, b, first, second, 6.0)
        times = np.linspace(0.0, 6.0, 300)
        apart = carom.distance(
            a, b, np.stack([first.pose_at(t) for t in times]), np.stack([second.pose_at(t) for t in times])
        ).distance
        seen = times[apart == 0.0]
        if impact is None:
            assert not len(seen)
            continue
        assert not len(seen) or impact.time <= seen[0] + 1e-12
        gap = carom.distance(a, b, first.pose_at(impact.time), second.pose_at(impact.time)).distance
        assert gap < 1e-6
        assert np.linalg.norm(impact.normal) == pytest.approx(1.0)


@pytest.mark.parametrize("pair", PAIRS, ids="-".join)
def test_time_of_impact_is_the_same_from_both_sides(pair):
    a, b = (SHAPES[name] for name in pair)
    rng = np.random.default_rng(43)
    first, second = flight(rng, 0.0, True)
    one, other = carom.time_of_impact(a, b, first, second, 9.0), carom.time_of_impact(b, a, second, first, 9.0)
    assert (one is None) == (other is None)
    if one is not None:
        assert one.time == pytest.approx(other.time, abs=1e-9)
        assert np.allclose(one.normal, -other.normal, atol=1e-4)


def test_time_of_impact_of_balls_is_exact():
    ball = carom.Sphere(1.0)
    impact = carom.time_of_impact(ball, ball, carom.Motion(), carom.Motion((5.0, 0, 0), (-1.0, 0, 0)), 10.0)
    assert impact.time == 3.0
    assert impact.status == 0
    assert np.array_equal(impact.point, (1.0, 0.0, 0.0))
    assert np.array_equal(impact.normal, (1.0, 0.0, 0.0))


def test_time_of_impact_of_cylinders_is_that_of_circles():
    can = carom.Cylinder(1.0, 2.0)
    impact = carom.time_of_impact(can, can, carom.Motion(), carom.Motion((5.0, 0.3, 0.2), (-1.0, 0, 0)), 10.0)
    touch = 5.0 - math.sqrt(4.0 - 0.09)
    # Early by what closes a gap of 1e-9 of their reach, never late, and no root of a polynomial.
    assert touch - 3e-9 < impact.time <= touch + 1e-15
    assert impact.status == 3


@pytest.mark.parametrize("spin", [0.0, 2.0])
@pytest.mark.parametrize("name", ["capsule", "cylinder", "cone"])
def test_time_of_impact_of_round_shapes_leaves_the_stated_gap_at_most(name, spin):
    rng = np.random.default_rng(7)
    found = 0
    for other in ("sphere", "box", "convex", "mesh", "capsule", "cylinder", "cone"):
        a, b = SHAPES[name], SHAPES[other]
        reach = min(np.linalg.norm(centre) + radius for centre, radius in (a.bounding_sphere(), b.bounding_sphere()))
        for _ in range(6):
            way = rng.normal(size=3)
            start = 4.0 * way / np.linalg.norm(way)
            first = carom.Motion(orientation=rng.normal(size=4), spin=spin * rng.normal(size=3))
            second = carom.Motion(start, -0.25 * start, orientation=rng.normal(size=4), spin=spin * rng.normal(size=3))
            impact = carom.time_of_impact(a, b, first, second, 8.0)
            if impact is None:
                continue
            gap = carom.distance(a, b, first.pose_at(impact.time), second.pose_at(impact.time)).distance
            # Reach is bounded from above by the corners of a box, at most twice as far away.
            assert 0.0 < gap < 2e-9 * reach
            found += 1
    assert found > 30


def test_box_flying_at_a_cone_hits_it():
    cone = trimesh.creation.cone(1.0, 2.0, sections=32)
    mesh = carom.Mesh(cone.vertices, cone.faces)
    fly = carom.Motion((8.0, 0.0, 0.5), (-10.0, 0.0, 0.0))
    for shape in (mesh, carom.Cone(1.0, 2.0)):
        assert carom.time_of_impact(carom.Box((1, 1, 1)), shape, fly, carom.Motion(), 2.0) is not None


def test_boxes_as_meshes_translated_into_each_other_meet():
    box = trimesh.creation.box((1.0, 1.0, 1.0))
    mesh = carom.Mesh(box.vertices, box.faces)
    impact = carom.time_of_impact(mesh, mesh, carom.Motion(), carom.Motion((4.0, 0, 0), (-1.0, 0, 0)), 9.0)
    assert impact.time == pytest.approx(3.0, abs=1e-12)


@pytest.mark.parametrize("spin", [0.0, 40.0])
def test_thin_plates_at_high_speed_do_not_pass_through_each_other(spin):
    plate = carom.Box((2.0, 2.0, 1e-4))
    fly = carom.Motion((0.1, 0.2, 500.0), (0, 0, -1000.0), spin=(spin, 0, 0))
    impact = carom.time_of_impact(plate, plate, carom.Motion(), fly, 1.0)
    assert impact is not None
    assert 0.498 < impact.time < 0.5


def test_pure_rotation_strikes():
    rod = carom.Capsule(0.1, 2.0)
    turning = carom.Motion(spin=(1.0, 0, 0))
    impact = carom.time_of_impact(rod, carom.Sphere(0.1), turning, carom.Motion((0.0, -0.8, 0.0)), 10.0)
    assert impact.time == pytest.approx(math.pi / 2 - math.asin(0.25), abs=1e-7)
    assert impact.status == 3


@pytest.mark.parametrize("shape", ["sphere", "box", "capsule", "cylinder", "mesh"])
def test_touching_starts_have_the_documented_answers(shape):
    a = SHAPES[shape]
    size = carom.penetration(a, a, None, moved(1e-3)).depth if shape == "mesh" else None
    place = 2.6 if shape == "mesh" else 2.0 * a.extents_along(np.eye(3), np.array([1.0, 0, 0, 0]))[1][0]
    assert size is None or size > 0.0
    parting = carom.Motion((place, 0, 0), (1.0, 0, 0))
    closing = carom.Motion((place, 0, 0), (-1.0, 0, 0))
    resting = carom.Motion((place, 0, 0))
    assert carom.time_of_impact(a, a, carom.Motion(), parting, 5.0) is None
    assert carom.time_of_impact(a, a, carom.Motion(), resting, 5.0) is None
    assert carom.time_of_impact(a, a, carom.Motion(), closing, 5.0).time == pytest.approx(0.0, abs=1e-6)


def test_time_of_impact_in_batches_gives_single_answers():
    a, b = SHAPES["box"], SHAPES["mesh"]
    rng = np.random.default_rng(47)
    places = rng.normal(size=(80, 3))
    places *= 4.0 / np.linalg.norm(places, axis=1)[:, None]
    motions = carom.Motions(places, -places + rng.normal(size=(80, 3)) * 0.5, spins=rng.normal(size=(80, 3)))
    batch = carom.time_of_impact(a, b, carom.Motion(), motions, 3.0)
    for k in range(0, 80, 13):
        alone = carom.Motion(places[k], motions.velocities[k], spin=motions.spins[k])
        one = carom.time_of_impact(a, b, carom.Motion(), alone, 3.0)
        assert (one.time if one else np.inf) == batch.time[k]
    assert np.isfinite(batch.time).sum() > 5


def test_time_of_impact_follows_keyframes_and_their_turns():
    half = math.sqrt(0.5)
    gate = carom.Keyframes([1.0, 2.0], np.zeros((2, 3)), [(1, 0, 0, 0), (half, 0, 0, half)])
    impact = carom.time_of_impact(
        carom.Box((2.0, 0.2, 0.2)), carom.Sphere(0.1), gate, carom.Motion((0.0, 0.8, 0.0)), 5.0
    )
    assert impact.time == pytest.approx(1.0 + (math.pi / 2 - math.asin(0.25)) / (math.pi / 2), abs=1e-7)


def test_time_of_impact_starts_at_the_later_start():
    ball = carom.Sphere(1.0)
    late = carom.Motion((5.0, 0, 0), (-1.0, 0, 0), start=2.0)
    assert carom.time_of_impact(ball, ball, carom.Motion(), late, 10.0).time == 5.0


def test_compound_that_spins_strikes_with_its_outer_piece():
    dumbbell = carom.Compound([(carom.Sphere(0.2), moved(1.0)), (carom.Sphere(0.2), moved(-1.0))])
    target = carom.Motion((0.0, 1.0, 0.0))
    impact = carom.time_of_impact(dumbbell, carom.Sphere(0.1), carom.Motion(spin=(0, 0, 1.0)), target, 5.0)
    # Two circles of radius 0.2 and 0.1 whose centres are on a circle of radius 1: chord 0.3.
    assert impact.time == pytest.approx(math.pi / 2 - 2.0 * math.asin(0.15), abs=1e-7)
    assert impact.feature_a == 0


def test_shape_cast_stops_at_the_first_of_many():
    poses = np.stack([moved(6.0), moved(3.0), moved(9.0)])
    others = [carom.Box((1, 1, 1)), carom.Sphere(0.5), carom.Box((1, 1, 1))]
    hit = carom.shape_cast(carom.Sphere(0.5), others, (10.0, 0, 0), None, poses)
    assert hit.time == pytest.approx(0.2)
    assert hit.feature_b == 1
    assert carom.shape_cast(carom.Sphere(0.5), others, (0.0, 5.0, 0), None, poses) is None


@pytest.mark.parametrize(
    ("call", "error", "says"),
    [
        (
            lambda m: carom.time_of_impact(SHAPES["box"], SHAPES["box"], m, "fast", 1.0),
            InvalidInputError,
            "motion_b is",
        ),
        (lambda m: carom.time_of_impact(SHAPES["box"], SHAPES["box"], m, m, -1.0), InvalidInputError, "until is -1"),
        (lambda m: carom.time_of_impact(SHAPES["box"], SHAPES["box"], m, m, math.inf), InvalidInputError, "until"),
        (
            lambda m: carom.time_of_impact(SHAPES["box"], SHAPES["box"], m, m, 1.0, gap=0.0),
            InvalidInputError,
            "gap is 0",
        ),
        (
            lambda m: carom.time_of_impact(
                SHAPES["half-space"], SHAPES["capsule"], carom.Motion(spin=(1, 0, 0)), m, 1.0
            ),
            UnsupportedMotionError,
            "half-space",
        ),
        (lambda m: carom.shape_cast(SHAPES["box"], SHAPES["box"], (1, 2)), InvalidInputError, "translation has shape"),
    ],
)
def test_moving_queries_refuse_bad_input(call, error, says):
    with pytest.raises(error, match=says):
        call(carom.Motion())


def test_impacts_of_a_mesh_with_a_compound_name_its_face():
    compound = carom.Compound([(carom.Sphere(0.1), moved(5.0)), (carom.Sphere(0.2), None)])
    fly = carom.Motion((0.2, 3.0, 0.1), (0.0, -1.0, 0.0))
    alone = carom.time_of_impact(SHAPES["mesh"], carom.Sphere(0.2), carom.Motion(), fly, 5.0)
    assert alone.feature_a > 0
    for spin in (0.0, 1e-6):
        rest = carom.Motion(spin=(0.0, spin, 0.0))
        hit = carom.time_of_impact(SHAPES["mesh"], compound, rest, fly, 5.0)
        assert (hit.feature_a, hit.feature_b) == (alone.feature_a, 1)
        hit = carom.time_of_impact(compound, SHAPES["mesh"], fly, rest, 5.0)
        assert (hit.feature_a, hit.feature_b) == (1, alone.feature_a)


def test_managers_pass_over_pairs_that_start_after_the_first_contact():
    manager = carom.CollisionManager()
    manager.add_object("wall", carom.Box((1, 1, 1)))
    manager.add_object("early", carom.Sphere(0.5))
    manager.add_object("late", carom.Sphere(0.5))
    manager.set_motion("early", carom.Motion((3.0, 0, 0), (-1.0, 0, 0)))
    manager.set_motion("late", carom.Motion((0, 9.0, 0), (0, -1.0, 0), start=4.0))
    assert manager.time_of_impact_internal(20.0, return_names=True) == (2.0, ("early", "wall"))


def test_time_of_impact_ends_where_the_closing_hardly_depends_on_the_length_of_a_step():
    # The cylinder flies away faster and faster while both turn: all shares of the first step were nearly 1.
    box = carom.Box((0.55595898, 1.43484883, 0.64480303))
    cylinder = carom.Cylinder(0.3633577776797431, 0.8804693088578592)
    first = carom.Motion(
        (0.10461433, -0.51904406, -2.40071632),
        (0.65107163, 0.44849685, -0.17255301),
        orientation=(0.5, 0.5, 0.5, 0.5),
        spin=(0.53970402, 0.07772484, 1.85939309),
    )
    second = carom.Motion(
        (0.20788245, -0.37329876, -1.0684233),
        (-0.79995386, 0.56060478, -0.54823933),
        (1.9471206, 0.23301516, 0.67177955),
        (-0.24663256, -0.93329819, 0.26077739, 0.01104668),
        (-4.93305685, -2.4457002, 9.88143188),
    )
    times = np.linspace(0.0, 3.0, 600)
    poses = [np.stack([motion.pose_at(t) for t in times]) for motion in (first, second)]
    assert carom.distance(box, cylinder, *poses).distance.min() > 0.01
    assert carom.time_of_impact(box, cylinder, first, second, 3.0) is None
    assert carom.time_of_impact(cylinder, box, second, first, 3.0) is None
    world = carom.World()
    world.add(box, first)
    world.add(cylinder, second)
    assert len(world.advance(3.0)) == 0


def test_placed_meshes_of_compounds_go_with_them() -> None:
    """A mesh kept a copy of itself for every pose that it ever had in a compound."""
    mesh = carom.Mesh(carom.Box((1, 1, 1)).vertices, carom.Box((1, 1, 1)).faces)
    pose = np.eye(4)
    for k in range(20):
        pose[0, 3] = k
        both = carom.Compound([(mesh, pose), (carom.Sphere(0.1), None)])
        spinning = carom.Motion((30.0, 0, 0), (-1.0, 0, 0), spin=(0, 0, 1))
        assert carom.time_of_impact(both, mesh, carom.Motion(), spinning, 40.0) is not None
    assert len(strike._placed_meshes[mesh]) <= 1
    del both
    assert not strike._placed_meshes[mesh]
