"""Deforming bodies in a world beside rigid ones."""

from __future__ import annotations

from dataclasses import fields
from typing import Any

import numpy as np
import pytest

import carom
from scenarios.deform_samples import crumpled_cloth, grid_cloth, triangle_soup
from scenarios.worlds import directions, lattice, ring, walls

BROAD = carom.world.BROAD_PHASES
NEVER_STILL = (0.3, 0.1, -1.0)


def falling_cloth(n: int = 4, height: float = 1.0, keys: Any = (0.0, 2.0), speed: float = 1.0) -> carom.Deforming:
    """A level cloth of side 2 that falls from `height` at constant speed."""
    flat, faces = grid_cloth(n)
    drops = [(0.0, 0.0, height - speed * (t - keys[0])) for t in keys]
    return carom.Deforming(faces, keys, [flat + drop for drop in drops])


def still_cloth(n: int = 4, height: float = 0.0) -> carom.Deforming:
    flat, faces = grid_cloth(n)
    return carom.Deforming(faces, (0.0, 1.0), [flat + (0.0, 0.0, height)] * 2)


def waving_cloth(n: int = 5, keys: int = 7, size: float = 2.5, centre: Any = (3.0, 3.0, 3.0)) -> carom.Deforming:
    """A cloth through which waves run for three seconds."""
    flat, faces = grid_cloth(n)
    flat = size * flat + centre
    times = np.linspace(0.0, 3.0, keys)
    heights = 0.4 * size * np.sin(1.3 * flat[None, :, 0] + 3.0 * times[:, None])
    return carom.Deforming(faces, times, flat + heights[:, :, None] * (0.0, 0.0, 1.0))


def as_mesh(shape: Any) -> carom.Mesh:
    return carom.Mesh(shape.vertices, shape.faces)


FLOORS = {
    "half-space": (carom.HalfSpace((0.0, 0.0, 1.0)), 1.0),
    "box": (carom.Box((0.7, 0.9, 1.0)), 0.5),
    "convex": (carom.Convex([(1, 0, 0.5), (-1, 0, 0.25), (0, 1, 0), (0, -1, 0), (0, 0, -1)]), 0.5),
    "mesh": (as_mesh(carom.Box((0.7, 0.9, 1.0))), 0.5),
    "sphere": (carom.Sphere(0.25), 0.75),
    "capsule": (carom.Capsule(0.25, 0.5), 0.5),
    "cylinder": (carom.Cylinder(0.2, 1.0), 0.5),
    "cone": (carom.Cone(0.2, 0.5), 0.75),
    "ellipsoid": (carom.Ellipsoid((0.2, 0.3, 0.5)), 0.5),
}


@pytest.mark.parametrize("floor", FLOORS)
def test_world_deforming_cloth_lands_at_the_analytic_time_and_place(floor: str) -> None:
    shape, expected = FLOORS[floor]
    world = carom.World()
    low, cloth = world.add(shape), world.add(falling_cloth())
    first = world.advance(1.5)[0]
    assert (first.a, first.b) == (low, cloth)
    assert expected - 2e-9 <= first.time <= expected
    assert np.allclose(first.normal, (0.0, 0.0, 1.0), atol=1e-6)
    assert first.point[2] == pytest.approx(1.0 - expected, abs=1e-8)
    assert first.speed == pytest.approx(1.0)
    assert first.status == (3 if floor in ("sphere", "capsule", "cylinder", "cone", "ellipsoid") else 0)
    corners = world.vertices(cloth, first.time)[falling_cloth().faces[first.feature_b]]
    assert first.barycentric_b.sum() == pytest.approx(1.0)
    assert np.allclose(first.barycentric_b @ corners, first.point, atol=1e-8)


@pytest.mark.parametrize(
    ("motion", "expected"),
    [
        (carom.Motion((0, 0, 2.0), velocity=NEVER_STILL), 1.5),
        (carom.Motion((0, 0, 2.0), acceleration=(0.0, 0.0, -2.0)), np.sqrt(1.5)),
        (carom.Motion((0, 0, 2.0), (0.0, 0.0, -1.0), spin=(0.0, 0.0, 3.0)), 1.5),
    ],
    ids=["straight", "accelerated", "spinning"],
)
@pytest.mark.parametrize(
    "shape", [carom.Box((0.5, 0.5, 1.0)), as_mesh(carom.Box((0.5, 0.5, 1.0)))], ids=["box", "mesh"]
)
def test_world_deforming_cloth_at_rest_is_hit_at_the_analytic_time(shape: Any, motion: Any, expected: float) -> None:
    world = carom.World()
    cloth, body = world.add(still_cloth(3)), world.add(shape, motion)
    first = world.advance(3.0)[0]
    assert (first.a, first.b) == (cloth, body)
    assert expected - 3e-9 <= first.time <= expected + 1e-15
    assert np.allclose(first.normal, (0.0, 0.0, 1.0), atol=1e-6)


@pytest.mark.parametrize("seed", range(3))
def test_world_deforming_bodies_touch_as_carom_contacts_says(seed: int) -> None:
    rng = np.random.default_rng(seed)
    a, b = triangle_soup(rng), triangle_soup(rng, keys=4)
    expected = carom.contacts(a, b)
    world = carom.World()
    world.add(a)
    world.add(b)
    log = world.advance(b.times[-1])
    assert len(log) > 3
    assert np.array_equal(log.times, expected.times)
    order = np.lexsort((log.features_b, log.features_a, log.times))
    for ours, theirs in (
        ("features_a", "face_a"), ("features_b", "face_b"), ("points", "points"), ("normals", "normals"),
        ("speeds", "speeds"), ("barycentric_a", "barycentric_a"), ("barycentric_b", "barycentric_b"),
    ):  # fmt: skip
        assert np.allclose(getattr(log, ours)[order], getattr(expected, theirs), equal_nan=True, rtol=1e-12)


@pytest.mark.parametrize("seed", range(2))
def test_world_deforming_body_touches_itself_as_carom_self_contacts_says(seed: int) -> None:
    cloth = crumpled_cloth(np.random.default_rng(seed))
    expected = carom.self_contacts(cloth)
    world = carom.World()
    body = world.add(cloth, self_collision=True)
    log = world.advance(float(cloth.times[-1]))
    assert len(log) > 10
    assert (log.a == body).all()
    assert (log.b == body).all()
    assert np.array_equal(log.times, expected.times)
    silent = carom.World()
    silent.add(cloth)
    assert len(silent.advance(float(cloth.times[-1]))) == 0


def test_world_deforming_rigid_mesh_at_rest_is_touched_like_a_deforming_one() -> None:
    rng = np.random.default_rng(5)
    cloth = crumpled_cloth(rng)
    vertices, faces = ring(0.6, 0.2)
    expected = carom.contacts(cloth, carom.Deforming(faces, cloth.times[[0, -1]], [vertices] * 2))
    world = carom.World()
    world.add(cloth)
    world.add(carom.Mesh(vertices, faces))
    log = world.advance(float(cloth.times[-1]))
    assert len(log) > 10
    assert np.array_equal(log.times, expected.times)


def mixed(broad: str, response: Any) -> tuple[carom.World, int]:
    """Balls, boxes, rings and capsules, straight, falling and spinning, around a waving cloth and a small one."""
    rng = np.random.default_rng(0)
    world = carom.World(broad=broad, response=response)
    walls(world, 6.0)
    places = lattice(40, 6.0, 0.05, rng)
    others = np.array(
        [(3, 3, 5.2), (1.5, 4, 5.2), (4.5, 2, 5.2), (4.2, 4.2, 0.8), (2.2, 4.2, 0.8), (1, 1, 5.3), (3, 3, 1.0)]
    )
    apart = np.linalg.norm(places[:, None] - others, axis=2).min(axis=1) > 1.2
    places = places[apart & (np.abs(places[:, 2] - 3.0) > 1.6)]
    world.add_many(carom.Sphere(0.2), places, directions(len(places), rng))
    cloth = world.add(waving_cloth(), self_collision=True)
    vertices, faces = ring(0.3, 0.1)
    for shape, at, velocity, acceleration, spin in (
        (carom.Box((0.4, 0.3, 0.5)), others[0], (0.1, 0, -1), (0, 0, 0), (0, 0, 0)),
        (carom.Box((0.4, 0.3, 0.5)), others[1], (0.1, 0, -1), (0, 0, 0), (1, 2, 0.5)),
        (carom.Capsule(0.2, 0.4), others[2], (0.1, 0, -0.7), (0, 0, 0), (0, 0, 0)),
        (carom.Mesh(vertices, faces), others[3], (0.1, 0, 0.7), (0, 0, 0), (0, 0, 0)),
        (carom.Mesh(vertices, faces), others[4], (0.1, 0, 0.7), (0, 0, 0), (0, 1, 1)),
        (carom.Sphere(0.3), others[5], (0, 0, 0), (0, 0, -2.0), (0, 0, 0)),
    ):
        world.add(shape, carom.Motion(at, velocity, acceleration, spin=spin))
    world.add(waving_cloth(2, 5, 0.4, others[6]))
    return world, cloth


@pytest.mark.parametrize("response", [None, carom.Elastic(), carom.Elastic(0.7)], ids=["pass", "elastic", "lossy"])
def test_world_deforming_logs_are_the_same_in_every_broad_phase(response: Any) -> None:
    logs = []
    for broad in BROAD:
        world, cloth = mixed(broad, response)
        logs.append(carom.ContactLog.concatenate([world.advance(t) for t in (0.7, 1.3, 3.0)]))
        world.audit()
        assert logs[-1].identical(logs[0]), broad
    of_cloth = (logs[0].a == cloth) | (logs[0].b == cloth)
    assert of_cloth.sum() > 8
    assert (logs[0].speeds[logs[0].status != 1] >= -1e-12).all()


def test_world_deforming_log_does_not_depend_on_polling() -> None:
    whole, _ = mixed("kinetic", carom.Elastic())
    polled, _ = mixed("kinetic", carom.Elastic())
    steps = [polled.advance(t) for t in np.linspace(0.0, 2.0, 200).tolist()]
    assert carom.ContactLog.concatenate(steps).identical(whole.advance(2.0))


def test_world_deforming_keys_are_events_and_positions_are_means() -> None:
    world = carom.World("kinetic")
    cloth = waving_cloth(keys=4)
    body = world.add(cloth, name="flag")
    assert world.name(body) == "flag"
    assert world.next_event_time() == cloth.times[1]
    world.advance(1.7)
    assert world.stats.timers == 1
    assert np.array_equal(world.vertices(body), cloth.vertices_at(1.7))
    assert np.array_equal(world.vertices(body, 2.5), cloth.vertices_at(2.5))
    assert np.allclose(world.positions(), cloth.vertices_at(1.7).mean(axis=0))
    surface = world.shape(body)
    assert isinstance(surface, carom.Mesh)
    assert np.allclose(surface.vertices + world.positions()[0], cloth.vertices_at(1.7))
    world.advance(10.0)
    assert world.next_event_time() == np.inf
    assert np.array_equal(world.vertices(body), cloth.vertices[-1])
    assert np.isinf(world.masses).all()


def test_world_deforming_pass_through_is_armed_again_after_a_key_apart() -> None:
    flat, faces = grid_cloth(1)
    heights = (1.0, -1.0, -2.0, 1.0)
    cloth = carom.Deforming(faces, (0.0, 1.0, 2.0, 3.0), [flat + (0.2, 0.1, z) for z in heights])
    world = carom.World()
    world.add(cloth)
    world.add(carom.Mesh(flat, faces))
    log = world.advance(3.0)
    first = log.times < 1.0
    assert first.sum() == (log.times > 2.0).sum() > 2
    assert np.allclose(log.times[first], 0.5)
    assert np.allclose(log.times[~first], 2.0 + 2.0 / 3.0)


@pytest.mark.parametrize("broad", BROAD)
def test_world_deforming_ball_bounces_off_a_rising_cloth_like_off_a_wall(broad: str) -> None:
    world = carom.World(broad=broad, response=carom.Elastic())
    world.add(falling_cloth(3, height=0.0, keys=(0.0, 10.0), speed=-0.5))
    ball = world.add(carom.Sphere(0.25), carom.Motion((0.1, 0.2, 2.0), (0.3, 0.0, -1.0)))
    log = world.advance(9.0)
    assert len(log) == 1
    assert log.times[0] == pytest.approx(1.75 / 1.5, abs=1e-8)
    assert log.speeds[0] == pytest.approx(1.5)
    assert np.allclose(world.velocities()[ball], (0.3, 0.0, 2.0), atol=1e-6)


def test_world_deforming_box_bounces_once_and_leaves_however_it_is_rounded() -> None:
    # At the bounce corners of the box lie on the cloth but for rounding; going apart through that is no contact.
    rng = np.random.default_rng(7)
    for _ in range(20):
        shift = rng.uniform(-1.0, 1.0, 3) * (0.2, 0.2, 10.0)
        world = carom.World("kinetic", response=carom.Elastic())
        flat, faces = grid_cloth(3)
        world.add(carom.Deforming(faces, (0.0, 50.0), [flat + shift] * 2))
        box = world.add(
            carom.Box(rng.uniform(0.2, 0.5, 3)), carom.Motion(shift + (0, 0, 1.0), (0.01, 0.0, -rng.uniform(0.5, 2)))
        )
        log = world.advance(10.0)
        assert len(log) == 1
        assert world.velocities()[box][2] == pytest.approx(log.speeds[0])


def test_world_deforming_ball_hops_on_a_cloth_under_gravity() -> None:
    world = carom.World(response=carom.Elastic())
    world.add(still_cloth(4))
    world.add(carom.Sphere(0.2), carom.Motion((0.1, 0.05, 1.2), acceleration=(0, 0, -2.0)))
    log = world.advance(20.5)
    assert np.allclose(log.times, 1.0 + 2.0 * np.arange(10), atol=1e-6)


@pytest.mark.parametrize("broad", BROAD)
def test_world_deforming_response_may_change_flightplans_and_the_run_goes_on(broad: str) -> None:
    """Every vertex that reaches the floor or the ceiling turns round."""
    flat, faces = grid_cloth(2)
    rng = np.random.default_rng(3)
    speeds = np.zeros_like(flat)
    speeds[:, 2] = rng.uniform(0.5, 1.0, len(flat)) * rng.choice((-1.0, 1.0), len(flat))

    def turn(world: carom.World, contact: carom.Contact) -> None:
        cloth = max(contact.a, contact.b)
        vertex = int(faces[contact.feature_b][np.argmax(contact.barycentric_b)])
        inwards = contact.normal if contact.b == cloth else -contact.normal
        speeds[vertex] -= 2.0 * (speeds[vertex] @ inwards) * inwards
        world.set_flightplan(cloth, speeds[vertex], [vertex])

    world = carom.World(broad=broad, response=turn)
    world.add(carom.HalfSpace((0.0, 0.0, 1.0), 0.0))
    world.add(carom.HalfSpace((0.0, 0.0, -1.0), -1.0))
    body = world.add(carom.Deforming(faces, (0.0, 1.0), [flat + (0.0, 0.0, 0.5)] * 2))
    world.set_flightplan(body, speeds.copy())
    log = world.advance(10.0)
    # Each vertex meets a wall once in 1 / speed seconds.
    expected = int(np.floor(10.0 * np.abs(speeds[:, 2]) + 0.5).sum())
    assert len(log) == expected
    heights = world.vertices(body)[:, 2]
    assert ((heights >= -1e-9) & (heights <= 1.0 + 1e-9)).all()
    world.audit()


def test_world_deforming_cloth_thrown_at_a_box_comes_back() -> None:
    flat, faces = grid_cloth(4)

    def back(world: carom.World, contact: carom.Contact) -> None:
        world.set_flightplan(contact.b, (0.1, 0.0, 1.0))

    world = carom.World(response=back)
    world.add(carom.Box((1.0, 1.0, 1.0)))
    cloth = world.add(carom.Deforming(faces, (0.0, 3.0), [flat + (0, 0, 1.0), flat + (0, 0, -2.0)]))
    log = world.advance(8.0)
    assert len(log) == 1
    assert log.times[0] == pytest.approx(0.5, abs=1e-9)
    assert np.allclose(world.vertices(cloth)[:, 2], 0.5 + 7.5, atol=1e-9)


def test_world_deforming_cloth_that_bounces_vertex_by_vertex_never_enters_a_box() -> None:
    """Triangles that touch the box, or each other, are turned away; between contacts nothing is in anything."""
    flat, faces = grid_cloth(3)
    speeds = np.random.default_rng(0).normal(scale=0.15, size=flat.shape) + (0.05, 0.02, -1.0)

    def turn_away(world: carom.World, contact: carom.Contact) -> None:
        sides = [(contact.b, contact.feature_b, contact.normal)]
        if contact.a == contact.b:
            sides.append((contact.a, contact.feature_a, -contact.normal))
        for body, face, away in sides:
            rate = speeds[faces[face]] @ away
            speeds[faces[face]] += np.maximum(0.3 - rate, 0.0)[:, None] * away
            world.set_flightplan(body, speeds[faces[face]], faces[face])

    world = carom.World(response=turn_away)
    world.add(box := carom.Box((1.0, 1.0, 1.0)))
    places = 0.5 * flat + (0.03, 0.02, 1.2)
    cloth = world.add(carom.Deforming(faces, (0.0, 1.0), [places] * 2), self_collision=True)
    world.set_flightplan(cloth, speeds.copy())
    logs = []
    for t in np.linspace(0.0, 2.0, 80).tolist():
        logs.append(world.advance(t))
        surface = carom.Mesh(world.vertices(cloth), faces)
        assert not carom.collide(box, surface, contacts="none").hit
    log = carom.ContactLog.concatenate(logs)
    assert (log.a == log.b).sum() > 2
    assert (log.a != log.b).sum() > 5


def test_world_deforming_flightplan_leaves_other_vertices_on_their_keys() -> None:
    cloth = waving_cloth(2, keys=4)
    world = carom.World()
    body = world.add(cloth)
    world.advance(0.4)
    world.set_flightplan(body, (1.0, 0.0, 0.0), [0, 3])
    world.advance(2.4)
    expected = cloth.vertices_at(2.4)
    expected[[0, 3]] = cloth.vertices_at(0.4)[[0, 3]] + (2.0, 0.0, 0.0)
    assert np.allclose(world.vertices(body), expected, atol=1e-12)
    rest = world.deforming(body)
    assert np.allclose(rest.vertices_at(2.7)[0], cloth.vertices_at(0.4)[0] + (2.3, 0.0, 0.0))
    assert np.allclose(rest.vertices_at(2.7)[1], cloth.vertices_at(2.7)[1])


@pytest.mark.parametrize("broad", BROAD)
def test_world_deforming_bodies_come_go_and_get_new_motions(broad: str) -> None:
    world = carom.World(broad=broad)
    ball = world.add(carom.Sphere(0.25))
    world.advance(0.3)
    cloth = world.add(falling_cloth(3, keys=(0.3, 2.3)))
    assert len(world.advance(0.9)) == 0
    world.set_motion(cloth, falling_cloth(3, height=2.0, keys=(0.9, 2.9)))
    assert len(world.advance(2.6)) == 0
    first = world.advance(2.8)[0]
    assert (first.a, first.b) == (ball, cloth)
    assert first.time == pytest.approx(0.9 + 1.75, abs=1e-8)
    world.remove(cloth)
    again = world.add(falling_cloth(3, height=0.5, keys=(2.8, 4.8)))
    later = world.advance(4.0)
    assert later.times[0] == pytest.approx(2.8 + 0.25, abs=1e-8)
    assert (later.b == again).all()
    world.audit()


def test_world_deforming_overlap_at_the_start_is_reported_once() -> None:
    world = carom.World()
    flat, faces = grid_cloth(2)
    world.add(carom.Deforming(faces, (0.0, 1.0, 2.0), [flat] * 2 + [flat + (0.0, 0.0, 0.1)]))
    world.advance(0.2)
    world.add(carom.Mesh(flat[:, [2, 0, 1]] + (0.1, 0.05, 0.0), faces))
    log = world.advance(2.0)
    begun = log.times == 0.2
    assert begun.sum() > 5
    assert np.array_equal(begun, log.status == 1)
    assert len(np.unique(np.stack([log.features_a, log.features_b]), axis=1).T) == len(log)


@pytest.mark.parametrize("start", [0.0, 1e6, 65000.0])
def test_world_deforming_time_stays_local(start: float) -> None:
    world = carom.World(start=start)
    world.add(carom.Sphere(0.25))
    world.add(falling_cloth(3, height=1500.0, keys=(start, start + 3000.0)))
    log = world.advance(start + 2000.0)
    assert log.times[0] - start == pytest.approx(1499.75, abs=1e-8)


def test_world_deforming_run_past_the_time_origin_goes_on_alike() -> None:
    def run(start: float) -> carom.ContactLog:
        world = carom.World(start=start)
        cloth = waving_cloth()
        late = carom.Deforming(cloth.faces, cloth.times + 66000.0, cloth.vertices)
        world.add(late, self_collision=True)
        world.add(carom.Box((1, 1, 1)), carom.Motion((3.0, 3.0, 3.0)))
        log = world.advance(66010.0)
        return carom.ContactLog(*(getattr(log, f.name)[log.status == 0] for f in fields(log)))

    early, late = run(0.0), run(65999.0)
    assert len(early) == len(late) > 5
    assert np.allclose(early.times, late.times, rtol=0.0, atol=1e-9)


def test_world_deforming_groups_that_do_not_collide_pass_each_other() -> None:
    world = carom.World()
    world.set_filter(0, 1, False)
    world.add(carom.Sphere(0.25))
    world.add(falling_cloth(2), group=1)
    assert len(world.advance(2.0)) == 0


def test_world_deforming_polled_body_is_asked_about_at_its_own_rate() -> None:
    asked: list[float] = []

    def test(world: carom.World, body: int, other: int, t: float) -> bool:
        asked.append(t)
        return bool(world.vertices(other)[:, 2].min() <= 0.5)

    world = carom.World()
    bounds = carom.KineticBounds([(-0.5, 0, 0)] * 3, [(0.5, 0, 0)] * 3)
    probe, cloth = world.add(carom.Polled(bounds, test, 10.0)), world.add(falling_cloth(2))
    log = world.advance(1.9)
    assert [(c.a, c.b, c.status) for c in log] == [(probe, cloth, 2)]
    assert log.times[0] == pytest.approx(0.5, abs=0.11)
    assert np.allclose(np.array(asked) * 10.0, np.round(np.array(asked) * 10.0))


BAD = [
    (lambda w, c, s: w.add(falling_cloth(), carom.Motion()), "motion or inertia is given"),
    (lambda w, c, s: w.add(falling_cloth(), inertia=1.0), "motion or inertia is given"),
    (lambda w, c, s: w.add(falling_cloth(), group=99), "group"),
    (lambda w, c, s: w.add(falling_cloth(), mass=-1.0), "mass"),
    (lambda w, c, s: w.add(carom.Sphere(1.0), self_collision=True), "self_collision"),
    (lambda w, c, s: w.set_motion(c, carom.Motion()), "expected one carom.Deforming"),
    (lambda w, c, s: w.set_motion(s, falling_cloth()), "expected one carom.Deforming"),
    (lambda w, c, s: w.set_motion([c, s], falling_cloth()), "expected one carom.Deforming"),
    (lambda w, c, s: w.set_flightplan(s, (0, 0, 1)), "is rigid"),
    (lambda w, c, s: w.set_flightplan(c, (0, 0, np.nan)), "velocities"),
    (lambda w, c, s: w.set_flightplan(c, np.zeros((2, 3)), [1]), "velocities"),
    (lambda w, c, s: w.set_flightplan(c, (0, 0, 1), [999]), "vertices"),
    (lambda w, c, s: w.set_flightplan(c, (0, 0, 1), [1, 1]), "vertices"),
    (lambda w, c, s: w.set_flightplan(c, (0, 0, 1), [0.5]), "vertices"),
    (lambda w, c, s: w.set_flightplan(77, (0, 0, 1)), "not in this world"),
    (lambda w, c, s: w.vertices(s), "is rigid"),
    (lambda w, c, s: w.deforming(s), "is rigid"),
    (lambda w, c, s: carom.World(periodic=(9, 9, 9)).add(falling_cloth()), "periodic"),
]


@pytest.mark.parametrize(("call", "message"), BAD, ids=[str(k) for k in range(len(BAD))])
def test_world_deforming_bad_calls_are_refused_and_change_nothing(call: Any, message: str) -> None:
    world = carom.World()
    cloth, ball = world.add(falling_cloth(2)), world.add(carom.Sphere(0.25))
    with pytest.raises(carom.CaromError, match=message):
        call(world, cloth, ball)
    assert len(world) == 2
    assert world.advance(1.0).times[0] == pytest.approx(0.75, abs=1e-8)


@pytest.mark.parametrize(
    "body", [carom.Sphere(0.5), carom.Box((1, 1, 1)), carom.Capsule(0.3, 0.4)], ids=["ball", "box", "pill"]
)
@pytest.mark.parametrize("broad", ["all-pairs", "kinetic-grid"])
def test_world_deforming_filter_of_other_groups_repeats_no_contact(broad: str, body: Any) -> None:
    """A body that is in the cloth stays in touch with it while a third group, far away, is let collide with theirs."""

    def run(filtered: bool) -> carom.ContactLog:
        world = carom.World(broad)
        world.add(still_cloth())
        world.add(body, carom.Motion((0.1, 0.05, 1.47), (0.0, 0.0, -1.0)))
        world.add(carom.Sphere(0.2), carom.Motion((50.0, 0.0, 0.0)), group=1)
        logs = []
        for step in range(1, 30):
            logs.append(world.advance(0.1 * step))
            if filtered:
                world.set_filter(0, 1, step % 2 == 0)
            world.audit()
        return carom.ContactLog.concatenate(logs)

    plain, filtered = run(False), run(True)
    assert len(plain) == len(filtered) > 5
    assert np.array_equal(plain.features_a, filtered.features_a)
    np.testing.assert_allclose(plain.times, filtered.times, rtol=0.0, atol=1e-9)


def test_world_deforming_filter_reports_what_it_lets_collide_and_nothing_before() -> None:
    """A ball and a cloth of another group are let collide while the ball is in the cloth."""
    world = carom.World()
    world.add(still_cloth(), group=1)
    world.add(carom.Sphere(0.5), carom.Motion((0.1, 0.05, 1.0), (0.0, 0.0, -1.0)))
    world.advance(0.2)
    world.set_filter(0, 1, False)
    assert len(world.advance(0.9)) == 0
    world.set_filter(0, 1, True)
    log = world.advance(3.0)
    assert len(log) > 0
    assert (log.times[log.status == 1] == 0.9).all()
    assert log.times.min() >= 0.9
