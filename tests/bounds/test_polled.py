"""Bodies without a dynamic test: bounds that move by polynomials of their own, expire, and polls while they overlap."""

from __future__ import annotations

import numpy as np
import pytest

import carom

BROAD = carom.world.BROAD_PHASES


def breathing(rate: float = 100.0) -> tuple[carom.Polled, list[float], list[float]]:
    """A ball about the origin of its frame with radius 1 + t/2: its box grows, and is renewed every second."""
    asked: list[float] = []
    polled: list[float] = []

    def bounds(t: float) -> carom.KineticBounds:
        asked.append(t)
        upper = np.zeros((3, 3))
        upper[:, 0] = 1.0 + 0.5 * t
        upper[:, 1] = 0.5
        return carom.KineticBounds(-upper, upper, start=t, expires=t + 1.0)

    def test(world: carom.World, body: int, other: int, t: float) -> bool:
        polled.append(t)
        here, there = world.positions()[[body, other]]
        return bool(np.linalg.norm(there - here) <= 1.0 + 0.5 * t + 1.0)

    return carom.Polled(bounds, test, rate), asked, polled


@pytest.mark.parametrize("broad", BROAD)
def test_polled_body_with_growing_bounds_is_found_at_the_first_poll_after_touch(broad: str) -> None:
    shape, asked, polled = breathing()
    world = carom.World(broad=broad)
    world.add(shape)
    world.add(carom.Sphere(1.0), carom.Motion((6.0, 0.0, 0.0)))
    (contact,) = world.advance(9.25)
    assert contact.time == pytest.approx(8.0, abs=1e-12)  # the gap 6 - 1 - (1 + t/2) closes at t = 8
    assert contact.status == 2
    np.testing.assert_allclose(contact.normal, (1.0, 0.0, 0.0))
    assert sorted(set(asked)) == pytest.approx([0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0], abs=1e-9)
    if broad == "kinetic":
        assert min(polled) >= 7.99
    world.audit()


def test_polled_contacts_do_not_depend_on_the_broad_phase() -> None:
    logs = []
    for broad in BROAD:
        shape, _, _ = breathing(20.0)
        world = carom.World(broad=broad)
        world.add(shape, carom.Motion((0.0, 0.0, 0.0), (0.3, 0.0, 0.0)))
        world.add(carom.Sphere(1.0), carom.Motion((6.0, 1.0, 0.0), (-0.5, 0.0, 0.0)))
        world.add(carom.Sphere(1.0), carom.Motion((0.0, 8.0, 1.0), (0.3, -0.5, 0.0)))
        logs.append(world.advance(7.0))
    assert len(logs[0]) == 2
    for broad, log in zip(BROAD, logs, strict=True):
        assert log.identical(logs[0]), broad


def test_polled_test_may_give_point_and_normal() -> None:
    bounds = carom.KineticBounds(-np.eye(3)[:, [0, 1, 2]] * 0 - [[1, 0, 0]] * 3, np.zeros((3, 3)) + [[1, 0, 0]] * 3)
    shape = carom.Polled(bounds, lambda w, a, b, t: ((1.0, 2.0, 3.0), (0.0, 0.0, 2.0)), 10.0)
    world = carom.World()
    world.add(carom.Sphere(1.0))
    world.add(shape, carom.Motion((5.0, 0.0, 0.0), (-1.0, 0.0, 0.0)))
    (contact,) = world.advance(6.0)
    assert contact.time == pytest.approx(3.0, abs=0.11)
    np.testing.assert_array_equal(contact.point, (1.0, 2.0, 3.0))
    np.testing.assert_array_equal(contact.normal, (0.0, 0.0, -1.0))  # from the sphere, which has the lower id


def test_kinetic_bounds_along_slanted_axes_contain_the_box() -> None:
    rng = np.random.default_rng(3)
    lower = rng.uniform(-2.0, -1.0, (3, 3))
    upper = rng.uniform(1.0, 2.0, (3, 3))
    bounds = carom.KineticBounds(lower, upper, expires=1.0) if (upper >= lower).all() else None
    assert bounds is not None
    axes = rng.normal(size=(20, 3))
    low, high = bounds.along(axes)
    for s in (0.0, 0.3, 1.0):
        powers = np.array([1.0, s, s * s])
        corner_low, corner_high = lower @ powers, upper @ powers
        for pick in np.ndindex(2, 2, 2):
            corner = np.where(pick, corner_high, corner_low)
            assert (low @ powers <= axes @ corner + 1e-12).all()
            assert (high @ powers >= axes @ corner - 1e-12).all()


def test_polled_bounds_that_expire_need_a_function() -> None:
    bounds = carom.KineticBounds(np.zeros((3, 3)), np.eye(3) * 0 + [[1, 0, 0]] * 3, expires=5.0)
    with pytest.raises(carom.InvalidInputError, match=r"bounds expire at 5\.0"):
        carom.Polled(bounds, lambda *a: False, 10.0)


CHANGES = {
    "add": lambda world: world.add(carom.Sphere(0.5)),
    "add_many": lambda world: world.add_many(carom.Sphere(0.5), np.zeros((99, 3))),
    "remove": lambda world: world.remove(world.bodies),
    "set_motion": lambda world: world.set_motion(0, carom.Motion((9, 9, 9))),
    "set_flightplan": lambda world: world.set_flightplan(0, (0, 0, 1)),
    "set_filter": lambda world: world.set_filter(0, 0, False),
    "defer": lambda world: world.defer([0]),
    "advance": lambda world: world.advance(9.0),
    "advance within a budget": lambda world: world.advance(9.0, budget=1.0),
    "snapshot": lambda world: world.snapshot(),
    "audit": lambda world: world.audit(),
}


@pytest.mark.parametrize("change", CHANGES)
@pytest.mark.parametrize("broad", BROAD)
def test_functions_of_polled_bodies_may_look_at_the_world_and_not_change_it(broad: str, change: str) -> None:
    """A body removed by its own test left rows behind that the event went on with: past the end of an array."""
    refused: list[str] = []
    world = carom.World(broad)

    def try_it() -> None:
        world.positions()
        world.overlaps()
        with pytest.raises(carom.CaromError, match="function of a polled body"):
            CHANGES[change](world)
        refused.append(change)

    def bounds(t: float) -> carom.KineticBounds:
        try_it()
        return carom.KineticBounds([(-1, 0, 0)] * 3, [(1, 0, 0)] * 3, start=t, expires=t + 0.3)

    def test(asked: carom.World, body: int, other: int, t: float) -> bool:
        try_it()
        return t > 0.55

    world.add(carom.Sphere(0.5))
    world.add(carom.Polled(bounds, test, 10.0))
    log = world.advance(1.0)
    assert [(contact.a, contact.b) for contact in log] == [(0, 1)]
    assert len(refused) > 8
    world.set_motion(1, carom.Motion((9, 0, 0), start=1.0))
    world.audit()


@pytest.mark.parametrize("start", [-5.0, 0.1, 100.0, 7e4])
@pytest.mark.parametrize("step", [0.1, 0.3, 0.7])
def test_polled_bounds_that_expire_at_given_times_are_renewed_once_each(start: float, step: float) -> None:
    """The world's clock counts from its start: the sum of both may be rounded to before the expiry."""
    ends = [start + 0.05 + step * k for k in range(30)]
    asked: list[float] = []

    def bounds(t: float) -> carom.KineticBounds:
        asked.append(t)
        assert len(asked) < 100, "asked again and again at one instant"
        end = next((end for end in ends if end > t), np.inf)
        return carom.KineticBounds([(-1, 0, 0)] * 3, [(1, 0, 0)] * 3, start=t, expires=end)

    world = carom.World("kinetic", start=start)
    world.add(carom.Polled(bounds, lambda *_: False, 10.0))
    world.add(carom.Sphere(1.0), carom.Motion((10, 0, 0), start=start))
    world.advance(start + 40.0)
    np.testing.assert_allclose(np.unique(np.round(asked, 9)), np.round([start, *ends], 9))


@pytest.mark.parametrize(
    ("answer", "named"),
    [
        (((0, 0, 0), (0, 0, 0)), "normal"),
        (((0, 0, 0),), "test gave"),
        (((np.nan, 0, 0), (0, 0, 1)), "point"),
        ((), "test gave"),
    ],
)
def test_answers_of_polled_bodies_that_are_none_are_refused(answer: tuple[object, ...], named: str) -> None:
    world = carom.World(response=carom.Elastic())
    world.add(carom.Sphere(0.5))
    bounds = carom.KineticBounds([(-1, 0, 0)] * 3, [(1, 0, 0)] * 3)
    world.add(carom.Polled(bounds, lambda *_: answer, 10.0))
    with pytest.raises(carom.InvalidInputError, match=named):
        world.advance(1.0)
    assert np.isfinite(world.velocities()).all()
