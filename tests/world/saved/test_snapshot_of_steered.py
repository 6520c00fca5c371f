"""Worlds with guided, deforming and polled bodies go on from a snapshot to the bit-identical log."""

from __future__ import annotations

import io
from collections.abc import Callable
from dataclasses import fields
from typing import Any

import numpy as np
import pytest

import carom
from carom import Guided, Motion, Sphere
from scenarios.deform_samples import crumpled_cloth, grid_cloth
from scenarios.guided_samples import random_guided, random_path
from scenarios.worlds import directions, random_mix

Act = Callable[[carom.World, float], None]


def through_a_file(snapshot: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
    file = io.BytesIO()
    np.savez(file, allow_pickle=False, **snapshot)
    file.seek(0)
    with np.load(file, allow_pickle=False) as arrays:
        return dict(arrays)


def again(world: carom.World, **options: Any) -> carom.World:
    """The world restored from its snapshot; its shapes as `World.shape` gives them."""
    shapes = [world.shape(int(body)) for body in world.bodies]
    restored = carom.World.restore(through_a_file(world.snapshot()), shapes, world.response, **options)
    restored.audit()
    return restored


def driven(world: carom.World, times: np.ndarray, act: Act, saves: set[int], **options: Any) -> Any:
    """Contacts and broken bounds of a world that is told something before each of `times`, saved half-way to some of them."""
    parts = []
    for k, t in enumerate(times):
        act(world, t)
        parts.append(world.advance(world.time + 0.5 * (t - world.time)))
        if k in saves:
            world = again(world, **options)
        parts.append(world.advance(t))
    world.audit()
    return world, carom.ContactLog.concatenate(parts)


# ---- guided


def steering(seed: int, **options: Any) -> tuple[carom.World, Act]:
    """Rigid bodies of all shapes and four guided ones, and what tells these where they are; one breaks its word."""
    rng = np.random.default_rng(seed)
    world = random_mix(seed, seed % 2 == 1, **options)
    hands = []
    for k in range(4):
        limits = random_guided(rng, 3.0, 3.0, expires=2.0)
        limits = Guided(limits.position, limits.velocity, 6.0, 2.0, limits.direction, orientation=(1, 2, 3, 4))
        shape = Sphere(0.5) if k % 2 else carom.Box((0.8, 0.6, 0.4))
        path = random_path(limits, rng, 20)
        hands.append((world.add(shape, limits, mass=k + 1.0, name=f"hand {k}"), k, *path))

    def act(world: carom.World, t: float) -> None:
        step = int(np.argmin(np.abs(hands[0][2] - t)))
        for body, k, times, places in hands:
            if k == 3 and step % 4:
                continue  # its bounds expire now and then
            velocity = (places[step] - places[step - 1]) / (times[step] - times[step - 1])
            jerk = 2.0 if k == 2 and step % 5 == 0 else 0.0
            region = ((-50, -50, -50), (50, 50, 50)) if k == 1 else None
            told = Guided(
                places[step] + jerk, velocity, 15.0, t + (0.15 if k == 3 else 0.7), (1, 1, k), t,
                region=region, max_speed=40.0, orientation=(1, 0.1 * step, 0.2, 0),
            )  # fmt: skip
            world.set_motion(body, told)

    return world, act


TIMES = np.linspace(0.0, 2.0, 21)[1:]


@pytest.mark.parametrize(
    ("broad", "later"), [("auto", "auto"), ("kinetic", "space-time"), ("space-time", "kinetic"), ("all-pairs", "swept")]
)
@pytest.mark.parametrize("response", [None, carom.Elastic()], ids=["passing", "elastic"])
def test_snapshot_with_guided_bodies_continues_bit_identically(broad: str, later: str, response: Any) -> None:
    for seed in (2, 3):
        whole, expected = driven(*_unpacked(steering(seed, broad=broad, response=response)), set())
        assert len(expected) > 3
        first, act = steering(seed, broad=broad, response=response)
        second, log = driven(first, TIMES, act, {0, 4, 9, 10, 15}, broad=later)
        assert log.identical(expected)
        np.testing.assert_array_equal(second.positions(), whole.positions())
        np.testing.assert_array_equal(second.orientations(), whole.orientations())
        assert second.take_broken_bounds() == whole.take_broken_bounds() != []
        assert second.earliest_possible_contact() == whole.earliest_possible_contact()


def _unpacked(scene: tuple[carom.World, Act]) -> tuple[carom.World, np.ndarray, Act]:
    return scene[0], TIMES, scene[1]


def test_snapshot_keeps_what_was_told_of_guided_bodies() -> None:
    world = carom.World()
    told = Guided((0.1, 0.2, 0.3), (1, 2, 3), 4.0, 5.0, (0.1, 0.7, 0.3), 0.0, max_speed=9.0, orientation=(1, 2, 3, 5))
    plain = Guided.within((0, 9, 0), (-1, 8, -1), (1, 10, 1), 0.4)
    hands = [world.add(Sphere(0.1), told, mass=3.0), world.add(Sphere(0.1), plain)]
    world.advance(0.1)
    world.set_motion(
        hands[1], Guided((0, 9.5, 0), (0, 0, 0), 1.0, 2.0, start=0.3)
    )  # arrives before the old limits expire
    world.set_motion(hands[0], Guided((90, 0, 0), (0, 0, 0), 1.0, 2.0, start=0.2))
    other = again(world)
    for body in hands:
        one, same = world.guided(body), other.guided(body)
        for field in fields(Guided):
            np.testing.assert_array_equal(getattr(one, field.name), getattr(same, field.name))
    assert world.take_broken_bounds() == other.take_broken_bounds() != []
    for each in (world, other):  # when they arrive
        np.testing.assert_array_equal(each._tables.timers.keys[:2], (0.2, 0.3))
    for each in (world, other):
        each.advance(0.65)
        each.set_motion(hands[0], Motion((90, 0, 0)))  # no longer guided: its mass comes back
    np.testing.assert_array_equal(other.positions(), world.positions())
    assert other.masses[0] == 3.0
    assert not other.is_guided(hands[0])


# ---- deforming


def waving_cloth(n: int = 5, keys: int = 7, size: float = 2.0) -> carom.Deforming:
    flat, faces = grid_cloth(n)
    flat = size * flat
    times = np.linspace(0.0, 3.0, keys)
    heights = 0.4 * size * np.sin(1.3 * flat[None, :, 0] + 3.0 * times[:, None])
    return carom.Deforming(faces, times, flat + heights[:, :, None] * (0.0, 0.0, 1.0), name="cloth")


def fluttering(seed: int, **options: Any) -> tuple[carom.World, Act]:
    """A cloth in waves, one that crumples and touches itself, balls, boxes and a wall; plans change on the way."""
    rng = np.random.default_rng(seed)
    world = carom.World(**options)
    cloth = world.add(waving_cloth(), name="cloth")
    crumpled = world.add(crumpled_cloth(rng, 4, 6), self_collision=True)
    world.add(carom.HalfSpace((0, 0, 1), -2.5), mass=np.inf)
    shapes = [
        Sphere(0.3),
        carom.Box((0.5, 0.3, 0.4)),
        carom.Mesh(carom.Box((0.4, 0.4, 0.4)).vertices, carom.Box((1, 1, 1)).faces),
    ]
    for k in range(6):
        place = rng.uniform(-1.5, 1.5, 3) + (0, 0, 1.5)
        spin = rng.normal(size=3) if k == 4 else (0, 0, 0)
        world.add(shapes[k % 3], Motion(place, directions(1, rng)[0] * 2.0, spin=spin), mass=1.0 + k)
    if options.get("response") is None:
        hand = world.add(Sphere(0.4), Guided((0, 0, 3), (0, 0, -1), 50.0, 1.0))
    plans, other = rng.normal(size=(30, 3)), crumpled_cloth(rng, 4, 6)

    def act(world: carom.World, t: float) -> None:
        k = round(10.0 * t)
        if k % 4 == 1:
            world.set_flightplan(cloth, plans[k], [k % 7, 9, 20])
        if k % 5 == 2:
            world.set_motion(int(world.bodies[4]), Motion(plans[k], -plans[k], start=world.time))
        if k == 9:
            world.set_motion(crumpled, other)  # the same faces, elsewhere
        if k == 15:
            world.set_flightplan(crumpled, (0.0, 0.0, 0.5))
        if world.response is None:
            world.set_motion(hand, Guided((0.1 * k, 0, 2 - 0.3 * k), (0, 0, -3), 50.0, t + 1.0, start=t))

    return world, act


@pytest.mark.parametrize(("broad", "later"), [("auto", "auto"), ("kinetic", "space-time"), ("swept", "all-pairs")])
@pytest.mark.parametrize("response", [None, carom.Elastic()], ids=["passing", "elastic"])
def test_snapshot_with_deforming_bodies_continues_bit_identically(broad: str, later: str, response: Any) -> None:
    world, act = fluttering(1, broad=broad, response=response)
    whole, expected = driven(world, TIMES, act, set())
    assert len(expected) > 50
    assert (expected.a == expected.b).any()
    world, act = fluttering(1, broad=broad, response=response)
    second, log = driven(world, TIMES, act, {0, 3, 6, 7, 11, 12, 18}, broad=later)
    assert log.identical(expected)
    for body in whole.bodies[:2]:
        np.testing.assert_array_equal(second.vertices(body), whole.vertices(body))
        assert second.deforming(body).times.tolist() == whole.deforming(body).times.tolist()
    assert second.is_deforming(0)


def test_snapshot_of_a_body_wedged_between_deforming_ones_keeps_how_often_it_touched() -> None:
    """A world that goes on from it is called stuck after as many contacts."""
    world = carom.World(response=carom.Elastic())
    for z in (-1.0, 1.0):
        keys = [[(-2.0, -2.0, h), (2.0, -2.0, h), (0.0, 3.0, h)] for h in (z, -z)]
        world.add(carom.Deforming([[0, 1, 2]], (0.0, 2.0), keys))
    body = world.add(Sphere(0.25))
    with pytest.raises(carom.CaromError, match="bodies are wedged"):
        world.advance(1.5)
    state = world.snapshot()
    assert state["repeats.again"] > 1_000
    assert len(state["repeats.known"]) == 2
    second = carom.World.restore(state, [None, None, world.shape(body)], response=carom.Elastic()).snapshot()
    for name in ("repeats.since", "repeats.known", "repeats.again"):
        assert np.array_equal(state[name], second[name])


def test_snapshot_between_two_changes_of_a_deforming_body() -> None:
    """What was seen before the first change decides what the second one arms."""
    logs = []
    for save in (False, True):
        world, _ = fluttering(5, broad="kinetic")
        parts = [world.advance(0.9)]
        world.set_flightplan(0, (0, 0, -1), [1, 2])
        world.set_motion(3, Motion((0, 0, 0.2), (0, 0, -0.3), start=0.9))
        if save:
            world = again(world, broad="kinetic")
        world.set_flightplan(0, (0, 0.5, 0), [20])
        parts.append(world.advance(3.5))
        logs.append(carom.ContactLog.concatenate(parts))
    assert logs[1].identical(logs[0])
    assert len(logs[0]) > 20


def test_snapshot_at_a_key_and_after_the_time_origin_has_moved() -> None:
    late = 70000.0
    logs = []
    for saves in ((), (0.5, 1.5, late + 0.25, late + 1.0)):
        flat, faces = grid_cloth(3)
        times = np.array([0.0, 0.5, 1.0, 1.5, late, late + 0.5, late + 1.0, late + 2.0])
        heights = np.array([1.0, 0.2, 1.0, 0.3, 0.5, 0.1, -0.2, 1.0])
        world = carom.World("kinetic")
        world.add(carom.Deforming(faces, times, flat + heights[:, None, None] * np.array((0.1, 0, 1))))
        world.add(carom.Box((0.5, 0.5, 0.5)))
        parts = []
        for t in (0.5, 1.5, 2.0, late + 0.25, late + 1.0, late + 2.0):
            parts.append(world.advance(t))
            if t in saves:
                world = again(world, broad="kinetic")
        logs.append(carom.ContactLog.concatenate(parts))
    assert len(logs[0]) > 10
    assert logs[1].identical(logs[0])


# ---- polled


def breathing() -> carom.Polled:
    """A ball of radius 1 + t/2 whose box is renewed every second."""

    def bounds(t: float) -> carom.KineticBounds:
        upper = np.zeros((3, 3))
        upper[:, 0], upper[:, 1] = 1.0 + 0.5 * t, 0.5
        return carom.KineticBounds(-upper, upper, start=t, expires=t + 1.0)

    def test(world: carom.World, body: int, other: int, t: float) -> bool:
        here, there = world.positions()[[body, other]]
        return bool(np.linalg.norm(there - here) <= 2.0 + 0.5 * t)

    return carom.Polled(bounds, test, 20.0)


@pytest.mark.parametrize("broad", ["kinetic", "kinetic-grid", "all-pairs", "space-time"])
def test_snapshot_with_a_polled_body_continues_bit_identically(broad: str) -> None:
    logs = []
    for saves in (False, True):
        world = carom.World(broad)
        world.add(breathing(), Motion((0, 0, 0), (0.3, 0, 0)))
        world.add(Sphere(1.0), Motion((6, 1, 0), (-0.5, 0, 0)))
        world.add(Sphere(1.0), Motion((0, 8, 1), (0.3, -0.5, 0)))
        parts = []
        for t in np.linspace(0.0, 8.0, 33)[1:]:
            parts.append(world.advance(t))
            if saves:
                world = again(world, broad=broad)
        logs.append(carom.ContactLog.concatenate(parts))
    assert len(logs[0]) >= 2
    assert logs[1].identical(logs[0])


# ---- what cannot be saved


def test_snapshot_says_what_it_lacks() -> None:
    world = carom.World()
    world.add(breathing())
    world.add(waving_cloth())
    world.add(Sphere(1.0), Motion((9, 9, 9)))
    state = world.snapshot()
    with pytest.raises(
        carom.InvalidInputError, match=r"shape of body 0 is a Sphere; expected its carom\.Polled, whose functions"
    ):
        carom.World.restore(state, [Sphere(1.0), None, Sphere(1.0)])
    with pytest.raises(carom.InvalidInputError, match="shape of body 2 is None, not the one"):
        carom.World.restore(state, [world.shape(0), None, None])
    assert len(carom.World.restore(state, [world.shape(0), None, world.shape(2)])) == 3


def test_snapshot_inside_a_response_is_refused() -> None:
    def save(world: carom.World, contact: carom.Contact) -> None:
        world.snapshot()

    world = carom.World(response=save)
    world.add(Sphere(1.0))
    world.add(Sphere(1.0), Motion((5, 0, 0), (-1, 0, 0)))
    with pytest.raises(carom.CaromError, match="take it when advance has returned"):
        world.advance(4.0)


def test_snapshot_of_an_earlier_version_without_planes_is_read() -> None:
    world = carom.World()
    world.add(breathing())
    state = world.snapshot()
    old = {
        name: array
        for name, array in state.items()
        if not name.startswith(("guided", "broken", "deforming", "jumped", "watched"))
    }
    old["given"] = old["given"][:, :-5]
    assert carom.World.restore(old, [world.shape(0)]).advance(1.0).identical(world.advance(1.0))
