"""First contacts of spinning bodies: never late, early by a small gap only."""

from __future__ import annotations

import numpy as np
import pytest
import trimesh

from carom.motion.motion import Motion
from carom.narrow import (
    Flights,
    Status,
    first_contact,
    first_contact_turning,
    first_contacts_turning,
)
from carom.shapes import Box, Convex, HalfSpace, Mesh, Sphere
from carom.tolerances import ADVANCE_GAP
from geometry.turning_samples import CUBE, REST, mesh_of
from oracles.naive_narrow import distance_to_triangles, drawn_pairs, random_quaternion, rotation
from oracles.naive_turning import distance_at, free_until, placed_at


def surfaces(rng: np.random.Generator) -> list:
    ball = trimesh.creation.icosphere(0)
    ring = trimesh.creation.torus(1.0, 0.3, major_sections=6, minor_sections=3)
    return [
        Box((1.0, 0.7, 1.3)),
        Box((2.4, 0.1, 0.1)),
        Convex(rng.normal(size=(12, 3)) * 0.6),
        Mesh(ball.vertices, ball.faces),
        Mesh(ring.vertices, ring.faces),
        Mesh(rng.normal(size=(9, 3)) * 0.6, np.arange(9).reshape(3, 3)),
    ]


def reach_of(shape) -> float:
    return float(np.linalg.norm(shape.vertices, axis=1).max())


def random_flight(rng: np.random.Generator, reach: float, both: bool, pulled: bool) -> tuple[Motion, Motion]:
    """Two motions, the second of which comes towards the first and mostly meets its sphere within 3 seconds."""
    out = rng.normal(size=3)
    out /= np.linalg.norm(out)
    place = rng.normal(size=3) * 10.0
    far = reach * rng.uniform(1.05, 2.0)
    speed = far / rng.uniform(0.5, 2.0)
    still = Motion(
        place,
        orientation=random_quaternion(rng),
        spin=rng.normal(size=3) * (3.0 if both else 0.0),
        velocity=rng.normal(size=3) if both else np.zeros(3),
    )
    coming = Motion(
        place + out * far,
        velocity=still.velocity - out * speed + 0.4 * speed * rng.normal(size=3),
        acceleration=rng.normal(size=3) if pulled else np.zeros(3),
        orientation=random_quaternion(rng),
        spin=rng.normal(size=3) * rng.choice([0.3, 3.0, 15.0]),
    )
    return still, coming


@pytest.mark.parametrize("both", [False, True], ids=["one spins", "both spin"])
@pytest.mark.parametrize("pulled", [False, True], ids=["straight", "curved"])
def test_spinning_surfaces_are_never_late_and_close(both, pulled):
    rng = np.random.default_rng(100 + 2 * both + pulled)
    shapes = surfaces(rng)
    n_hits = n_misses = 0
    for a, b in drawn_pairs(rng, shapes, 20):
        ma, mb = random_flight(rng, reach_of(a) + reach_of(b), both, pulled)
        hit = first_contact_turning(a, b, ma, mb, until=3.0)
        end = 3.0 if hit is None else hit.time
        near = 1e-6
        free = free_until(a, b, ma, mb, end, near)
        # What the oracle's last step leaves open is sampled.
        for t in np.linspace(free, end, 20)[:-1]:
            assert distance_at(a, b, ma, mb, t) > 0.0
        if hit is None:
            n_misses += 1
            assert free == 3.0
            continue
        n_hits += 1
        assert hit.status is Status.CONSERVATIVE
        gap = ADVANCE_GAP * min(s.bounding_sphere()[1] for s in (a, b))
        assert 0.0 < distance_at(a, b, ma, mb, hit.time) <= 1.01 * gap
        assert np.linalg.norm(hit.normal) == pytest.approx(1.0)
        # The contact point is on both surfaces, and they approach there.
        for shape, motion in ((a, ma), (b, mb)):
            assert distance_to_triangles(hit.point, placed_at(shape, motion, hit.time)) < 2.0 * gap
        speed = [m.velocity_at(hit.time) + np.cross(m.spin, hit.point - m.position_at(hit.time)) for m in (ma, mb)]
        assert (speed[1] - speed[0]) @ hit.normal < 0.0
    assert n_hits > 4
    assert n_misses > 2


@pytest.mark.parametrize("pulled", [False, True], ids=["straight", "curved"])
def test_spinning_without_spin_agrees_with_the_exact_test(pulled):
    rng = np.random.default_rng(200 + pulled)
    shapes = [*surfaces(rng), Sphere(0.5)]
    n_hits = 0
    for a, b in drawn_pairs(rng, shapes, 150):
        ma, mb = random_flight(rng, 2.5, False, pulled)
        mb = Motion(mb.position, mb.velocity, mb.acceleration, mb.orientation)
        exact = first_contact(
            a, b, ma.position, mb.position, ma.velocity, mb.velocity, ma.acceleration, mb.acceleration,
            ma.orientation, mb.orientation,
        )  # fmt: skip
        hit = first_contact_turning(a, b, ma, mb, until=10.0)
        if exact is None or exact.time > 10.0:
            assert hit is None
            continue
        assert hit is not None
        n_hits += 1
        assert hit.time <= exact.time
        closing = -(mb.velocity_at(exact.time) @ exact.normal)
        assert hit.time >= exact.time - 3.0 * ADVANCE_GAP / max(closing, 1e-4)
    assert n_hits > 60


def test_spinning_rod_strikes_a_resting_box_at_the_computed_angle():
    # The end of the rod, 2 long and 0.1 off its axis, is too short for the corner (2, 1) and comes up to the side y = 1.
    rod, box = Box((4.0, 0.2, 0.2)), Box((1.0, 1.0, 1.0))
    angle = np.arcsin(1.0 / np.hypot(2.0, 0.1)) - np.arctan2(0.1, 2.0)
    place = Motion(position=(1.5, 1.5, 0.0))
    for a, b in ((rod, box), (mesh_of(rod), mesh_of(box))):
        hit = first_contact_turning(a, b, Motion(spin=(0.0, 0.0, 2.0)), place, until=5.0)
        assert hit is not None
        assert hit.time <= angle / 2.0
        assert hit.time == pytest.approx(angle / 2.0, abs=1e-8)
        np.testing.assert_allclose(hit.normal, [0.0, 1.0, 0.0], atol=1e-6)
    assert first_contact_turning(rod, box, Motion(spin=(0.0, 0.0, 2.0)), Motion(position=(1.5, 1.5, 2.0)), 20.0) is None


def test_spinning_about_the_contact_normal_does_not_hide_the_contact():
    for spin in (0.1, 10.0, 1e3):
        for a, b in ((CUBE, CUBE), (mesh_of(CUBE), mesh_of(CUBE))):
            motion = Motion((0.0, 0.0, 5.0), (0.0, 0.0, -1.0), spin=(0.0, 0.0, spin))
            hit = first_contact_turning(a, b, REST, motion, until=9.0)
            assert hit is not None
            assert 3.0 - 3e-9 <= hit.time <= 3.0
            np.testing.assert_allclose(hit.normal, [0.0, 0.0, 1.0], atol=1e-9)
            assert hit.tests < 3000


def test_spinning_plates_at_high_speed_do_not_tunnel():
    plate = Box((4.0, 4.0, 1e-3))
    sheet = Mesh([[-2, -2, 0], [2, -2, 0], [2, 2, 0], [-2, 2, 0]], [[0, 1, 2], [0, 2, 3]])
    rng = np.random.default_rng(4)
    for a in (plate, sheet):
        for b in (plate, sheet):
            for _ in range(10):
                spin = rng.normal(size=3) * 50.0
                motion = Motion((0.2, 0.1, 100.0), (0.0, 0.0, -1e4), spin=spin, orientation=random_quaternion(rng))
                hit = first_contact_turning(a, b, REST, motion, until=1.0)
                assert hit is not None
                assert 0.0097 < hit.time < 0.0101
                assert distance_at(a, b, REST, motion, hit.time) <= 1e-8


def test_spinning_box_flies_into_a_cone():
    cone = trimesh.creation.cone(1.0, 2.0, sections=24)
    a = Mesh(cone.vertices, cone.faces)
    b = mesh_of(Box((1.0, 1.0, 1.0)))
    down = Motion((0.0, 0.0, 6.0), (0.0, 0.0, -2.0), spin=(0.0, 0.0, 0.7))
    top = cone.vertices[:, 2].max()
    hit = first_contact_turning(a, b, REST, down, until=10.0)
    assert hit is not None
    assert hit.time == pytest.approx((5.5 - top) / 2.0, abs=1e-8)
    assert hit.time <= (5.5 - top) / 2.0


def test_boxes_as_meshes_translated_into_each_other_meet():
    a, b = mesh_of(Box((1.0, 1.0, 1.0))), mesh_of(Box((1.0, 1.0, 1.0)))
    for spin in ((0.0, 0.0, 0.0), (0.5, 0.0, 0.0)):
        hit = first_contact_turning(a, b, REST, Motion((4.0, 0.0, 0.0), (-1.0, 0.0, 0.0), spin=spin), until=10.0)
        assert hit is not None
        assert hit.time == pytest.approx(3.0, abs=1e-8)
        assert hit.time <= 3.0


@pytest.mark.parametrize("scale", [1e-6, 1e6])
def test_spinning_times_do_not_depend_on_the_unit_of_length(scale):
    rng = np.random.default_rng(9)
    soup = rng.normal(size=(9, 3))
    faces = np.arange(9).reshape(3, 3)
    points = rng.normal(size=(12, 3))
    pairs = [
        (Box((1.0, 2.0, 1.5)), Box(scale * np.array([1.0, 2.0, 1.5]))),
        (Convex(points), Convex(scale * points)),
        (Mesh(soup, faces), Mesh(scale * soup, faces)),
        (Sphere(0.9), Sphere(0.9 * scale)),
    ]
    for a, large_a in pairs[:3]:
        for b, large_b in pairs:
            ma, mb = random_flight(rng, 3.5, True, True)
            one = first_contact_turning(a, b, ma, mb, until=3.0)
            two = first_contact_turning(large_a, large_b, *(scaled(m, scale) for m in (ma, mb)), until=3.0)
            assert (one is None) == (two is None)
            if one is not None and two is not None:
                assert two.time == pytest.approx(one.time, abs=1e-7)


def scaled(motion: Motion, scale: float) -> Motion:
    return Motion(
        scale * motion.position,
        scale * motion.velocity,
        scale * motion.acceleration,
        motion.orientation,
        motion.spin,
        motion.start,
    )


def test_spinning_contact_is_the_same_from_both_sides():
    rng = np.random.default_rng(11)
    shapes = [*surfaces(rng), Sphere(0.6), HalfSpace((0.3, -0.2, 1.0), -1.5)]
    n_hits = 0
    for a, b in drawn_pairs(rng, shapes, 60):
        ma, mb = random_flight(rng, 3.0, True, True)
        one, two = first_contact_turning(a, b, ma, mb, 3.0), first_contact_turning(b, a, mb, ma, 3.0)
        assert (one is None) == (two is None)
        if one is None or two is None:
            continue
        n_hits += 1
        assert one.status == two.status
        closing = max(-(mb.velocity_at(one.time) - ma.velocity_at(one.time)) @ one.normal, 1e-2)
        assert two.time == pytest.approx(one.time, abs=1e-8 + 1e-8 / closing)
        if a.kind != b.kind:
            assert two.time == one.time
            np.testing.assert_array_equal(two.normal, -one.normal)
            assert (two.feature_a, two.feature_b) == (one.feature_b, one.feature_a)
    assert n_hits > 20


def test_ball_is_struck_by_a_turning_blade():
    blade = Box((6.0, 0.2, 1.0))
    for shape in (blade, mesh_of(blade), Convex(blade.vertices)):
        motion = Motion(spin=(0.0, 0.0, 1.5))
        hit = first_contact_turning(shape, Sphere(0.5), motion, Motion((0.0, 2.0, 0.0)), until=5.0)
        assert hit is not None
        # The face is 0.1 off the axis: the ball at distance 2 is touched where 2 cos(angle) = 0.6.
        expected = np.arccos(0.6 / 2.0) / 1.5
        assert hit.time == pytest.approx(expected, abs=1e-8)
        assert hit.time <= expected
        away = first_contact_turning(shape, Sphere(0.5), motion, Motion((0.0, 4.0, 0.0)), until=50.0)
        assert away is None


def test_ball_against_turning_surfaces_is_never_late():
    rng = np.random.default_rng(77)
    shapes = surfaces(rng)
    n_hits = 0
    for _ in range(60):
        b = shapes[rng.integers(len(shapes))]
        radius = rng.uniform(0.05, 0.8)
        ma, mb = random_flight(rng, reach_of(b) + radius, True, True)
        hit = first_contact_turning(Sphere(radius), b, ma, mb, until=3.0)

        def off(t, b=b, ma=ma, mb=mb, radius=radius):
            return distance_to_triangles(ma.position_at(t), placed_at(b, mb, t)) - radius

        end = 3.0 if hit is None else hit.time
        for t in np.concatenate([np.linspace(0.0, end, 150)[:-1], end * (1.0 - np.logspace(-9, -2, 30))]):
            assert off(t) > 0.0
        if hit is not None:
            n_hits += 1
            assert off(hit.time) <= 1.01 * ADVANCE_GAP * min(radius, b.bounding_sphere()[1])
            assert np.linalg.norm(hit.point - ma.position_at(hit.time)) == pytest.approx(radius, abs=1e-8)
    assert n_hits > 15


def test_spinning_surface_falls_on_a_half_space():
    rng = np.random.default_rng(61)
    floor = HalfSpace((0.0, 0.0, 1.0), 0.5)
    for shape in surfaces(rng):
        for turning in (False, True):
            quat = random_quaternion(rng)
            spin = rng.normal(size=3) * 4.0
            falling = Motion((0.0, 0.0, 6.0), (1.0, 0.0, 1.0), (0.0, 0.0, -3.0), quat, spin)
            tilt = Motion(spin=(0.02, 0.03, 0.0) if turning else (0.0, 0.0, 1.0))
            hit = first_contact_turning(shape, floor, falling, tilt, until=9.0)
            assert hit is not None

            def low(t, shape=shape, falling=falling, tilt=tilt):
                corners = placed_at(shape, falling, t).reshape(-1, 3)
                angle = np.linalg.norm(tilt.spin) * t
                half = np.sin(0.5 * angle) * tilt.spin / np.linalg.norm(tilt.spin)
                normal = rotation(np.array([np.cos(0.5 * angle), *half])) @ [0.0, 0.0, 1.0]
                return (corners @ normal).min() - 0.5

            assert min(low(t) for t in np.linspace(0.0, hit.time, 2000)) > 0.0
            assert low(hit.time) <= 2e-9 * shape.bounding_sphere()[1]
            assert hit.normal[2] < -0.9


def test_ball_meets_a_turning_half_space():
    wall = HalfSpace((1.0, 0.0, 0.0), 0.0)
    hit = first_contact_turning(Sphere(0.5), wall, Motion((2.0, 0.0, 0.0)), Motion(spin=(0.0, 0.0, 1.0)), until=5.0)
    assert hit is not None
    expected = np.arccos(0.25)
    assert hit.time == pytest.approx(expected, abs=1e-8)
    assert hit.time <= expected
    np.testing.assert_allclose(hit.normal, [-np.cos(expected), -np.sin(expected), 0.0], atol=1e-6)


def test_search_from_a_later_start_finds_the_same_contact():
    rng = np.random.default_rng(71)
    shapes = [*surfaces(rng), Sphere(0.5)]
    n_hits = 0
    for a, b in drawn_pairs(rng, shapes, 40):
        ma, mb = random_flight(rng, 2.5, True, True)
        early = first_contact_turning(a, b, ma, mb, until=3.0)
        if early is None or early.time == 0.0:
            continue
        n_hits += 1
        later = first_contact_turning(a, b, ma, mb, until=3.0, start=0.7 * early.time)
        assert later is not None
        assert later.time == pytest.approx(early.time, abs=1e-6)
    assert n_hits > 10


def test_bodies_that_bounced_with_spin_are_not_found_in_contact_again():
    rng = np.random.default_rng(21)
    shapes = [*surfaces(rng), Sphere(0.8)]
    n_bounces = 0
    for a, b in drawn_pairs(rng, shapes, 60):
        ma, mb = random_flight(rng, 3.0, True, False)
        for bounce in range(3):
            hit = first_contact_turning(a, b, ma, mb, until=ma.start + 5.0)
            if hit is None:
                break
            t = hit.time
            assert bounce == 0 or t > ma.start + 1e-7
            # Both bounce as if of mass 1 and moment of inertia 1.
            arms = [hit.point - m.position_at(t) for m in (ma, mb)]
            speeds = [m.velocity_at(t) + np.cross(m.spin, arm) for m, arm in zip((ma, mb), arms, strict=True)]
            closing = (speeds[1] - speeds[0]) @ hit.normal
            levers = [np.cross(arm, hit.normal) for arm in arms]
            push = -2.0 * closing / (2.0 + sum(lever @ lever for lever in levers))
            moved = []
            for motion, lever, sign in zip((ma, mb), levers, (-1.0, 1.0), strict=True):
                moved.append(
                    Motion(
                        motion.position_at(t),
                        motion.velocity_at(t) + sign * push * hit.normal,
                        orientation=turned(motion, t),
                        spin=motion.spin + sign * push * lever,
                        start=t,
                    )
                )
            ma, mb = moved
            n_bounces += 1
    assert n_bounces > 20


def turned(motion: Motion, t: float) -> np.ndarray:
    """Orientation at time t."""
    rate = np.linalg.norm(motion.spin)
    if rate == 0.0:
        return motion.orientation
    half = 0.5 * rate * (t - motion.start)
    w, axis = np.cos(half), np.sin(half) * motion.spin / rate
    v = motion.orientation[1:]
    return np.array([w * motion.orientation[0] - axis @ v, *(w * v + motion.orientation[0] * axis + np.cross(axis, v))])


def test_search_says_how_far_it_got():
    # A blade that turns a hair above a plate for ever: it never touches, and the search must end.
    blade, plate = Box((2.0, 0.1, 0.1)), Box((4.0, 4.0, 0.1))
    motion = Motion((0.0, 0.0, 0.1 + 1e-7), spin=(0.0, 0.0, 5.0))
    assert first_contact_turning(blade, plate, motion, REST, until=100.0) is None
    wobbling = Motion((0.0, 0.0, 0.1 + 2e-9), spin=(1e-9, 0.0, 5.0))
    found = first_contact_turning(blade, plate, wobbling, REST, until=np.inf)
    assert found is not None
    assert found.time < np.inf


def sides(flights):
    """The motions of pairs of bodies as arrays, one Flights per side."""
    names = ("position", "velocity", "acceleration", "spin")
    return [
        Flights(
            np.array([rotation(m[side].orientation).ravel() for m in flights]),
            *(np.array([getattr(m[side], name) for m in flights]) for name in names),
        )
        for side in range(2)
    ]


def test_batch_gives_the_answers_of_single_pairs():
    rng = np.random.default_rng(5)
    shapes = [*surfaces(rng), Sphere(0.5)]
    for a, b in ((shapes[0], shapes[3]), (shapes[4], shapes[2]), (shapes[5], shapes[6])):
        flights = [random_flight(rng, 2.5, True, True) for _ in range(12)]
        rows = sides(flights)
        many = first_contacts_turning(a, b, *rows, until=3.0)
        for k, (ma, mb) in enumerate(flights):
            one = first_contact_turning(a, b, ma, mb, until=3.0)
            if one is None:
                assert many.time[k] == np.inf
                continue
            assert many.time[k] == pytest.approx(one.time, abs=1e-8)
            np.testing.assert_allclose(many.point[k], one.point, atol=1e-5)
            np.testing.assert_allclose(many.normal[k], one.normal, atol=1e-5)
        split = first_contacts_turning(a, b, *rows, until=3.0, threads=2)
        np.testing.assert_array_equal(split.time, many.time)


def test_thousands_of_flights_give_the_same_times_from_both_sides():
    # The two searches go through other boxes at other times: a bound that is too long for one shows up here.
    ring = trimesh.creation.torus(1.0, 0.35, major_sections=30, minor_sections=15)
    mesh = Mesh(ring.vertices, ring.faces)
    rng = np.random.default_rng(13)
    flights = [random_flight(rng, 2.7, True, bool(k % 2)) for k in range(2000)]
    rows = sides(flights)
    one, two = first_contacts_turning(mesh, mesh, *rows, 3.0), first_contacts_turning(mesh, mesh, *rows[::-1], 3.0)
    hit = one.time < np.inf
    assert 400 < hit.sum() < 1900
    np.testing.assert_array_equal(hit, two.time < np.inf)
    assert (one.status[hit] == Status.CONSERVATIVE).all()
    np.testing.assert_allclose(one.time[hit], two.time[hit], atol=1e-6)


def test_spinning_body_that_leaves_comes_back():
    plate = Box((20.0, 20.0, 2.0))
    for shape in (CUBE, mesh_of(CUBE), Sphere(1.0)):
        for floor in (plate, mesh_of(plate), HalfSpace((0.0, 0.0, 1.0), 1.0)):
            thrown = Motion((0.3, 0.2, 2.5), (0.1, 0.0, 20.0), (0.0, 0.0, -10.0), spin=(0.0, 0.0, 3.0))
            tilt = Motion(spin=(0.0, 0.0, 0.1))
            hit = first_contact_turning(shape, floor, thrown, tilt, until=100.0)
            assert hit is not None
            expected = 2.0 + np.sqrt(4.0 + 0.1)
            assert hit.time == pytest.approx(expected, abs=1e-8)
            assert hit.time <= expected
            np.testing.assert_allclose(hit.normal, [0.0, 0.0, -1.0], atol=1e-6)
