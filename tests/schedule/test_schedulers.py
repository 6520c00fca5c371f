"""What each way of scheduling finds, and what it misses."""

from __future__ import annotations

import numpy as np
import pytest

import carom
from carom.errors import InvalidInputError
from carom.schedule import Bisection, FixedStep, Prediction, System


def bullet_and_plate():
    """A bullet that is through the plate between two looks, 0.1 s apart."""
    plate = (carom.Box((4.0, 4.0, 0.05)), carom.Motion())
    bullet = (carom.Sphere(0.05), carom.Motion((0.3, 0.2, 10.23), (0.0, 0.0, -10.0)))
    return [plate, bullet]


def slow_ball():
    return [(carom.Sphere(1.0), carom.Motion()), (carom.Sphere(1.0), carom.Motion((5.0, 0, 0), (-1.0, 0, 0)))]


def test_fixed_step_tunnels():
    assert FixedStep(0.1).run(System(bullet_and_plate()), 2.0) == []


def test_bisection_still_misses_what_passes_between_two_looks():
    assert Bisection(0.1).run(System(bullet_and_plate()), 2.0) == []


@pytest.mark.parametrize("tentative", [None, 0.25])
def test_prediction_never_misses(tentative):
    (seen,) = Prediction(tentative=tentative).run(System(bullet_and_plate()), 2.0)
    assert seen.time == pytest.approx((10.23 - 0.075) / 10.0, abs=1e-6)
    assert seen.time <= (10.23 - 0.075) / 10.0


def test_fixed_step_is_late_by_up_to_a_step_and_bisection_is_not():
    (late,) = FixedStep(0.4).run(System(slow_ball()), 5.0)
    assert 3.0 <= late.time <= 3.4
    (seen,) = Bisection(0.4, near=1e-6).run(System(slow_ball()), 5.0)
    assert 3.0 - 1e-6 <= seen.time <= 3.0
    assert 0.0 < seen.distance <= 1e-6


def test_prediction_looks_rarely_at_distant_bodies():
    far = [(carom.Sphere(1.0), carom.Motion()), (carom.Sphere(1.0), carom.Motion((500.0, 0, 0), (0.0, 1.0, 0)))]
    fixed, predicted = System(far), System(far)
    FixedStep(0.1).run(fixed, 10.0)
    Prediction().run(predicted, 10.0)
    assert predicted.checks <= 3


def test_tentative_steps_predict_only_what_may_meet():
    rng = np.random.default_rng(5)
    bodies = [(carom.Sphere(0.3), carom.Motion(rng.uniform(-8, 8, 3), rng.normal(size=3))) for _ in range(20)]
    every, few = System(bodies), System(bodies)
    one, other = Prediction().run(every, 1.0), Prediction(tentative=0.2).run(few, 1.0)
    assert [(s.a, s.b) for s in one] == [(s.a, s.b) for s in other]
    assert few.checks < every.checks


def test_prediction_agrees_with_the_world_in_time_and_order():
    rng = np.random.default_rng(7)
    places = np.stack(np.meshgrid([0.0, 2.0, 4.0], [0.0, 2.0], [0.0, 2.0]), -1).reshape(-1, 3)
    world = carom.World()
    for place in places:
        world.add(carom.Sphere(0.5), carom.Motion(place, rng.normal(size=3)))
    seen = Prediction(near=1e-7).run(System(world), 2.0)
    log = world.advance(2.0)
    assert len(seen) == len(log)
    assert [(s.a, s.b) for s in seen] == list(zip(log.a.tolist(), log.b.tolist(), strict=True))
    assert np.allclose([s.time for s in seen], log.times, atol=1e-5)
    assert (np.array([s.time for s in seen]) <= log.times + 1e-12).all()


def test_prediction_follows_spin_and_keyframes():
    rod = (carom.Box((2.0, 0.2, 0.2)), carom.Motion(spin=(0, 0, 1.0)))
    ball = (carom.Sphere(0.1), carom.Keyframes([0.0, 9.0], [(0, 0.8, 0), (0, 0.8, 0)]))
    (seen,) = Prediction(near=1e-7).run(System([rod, ball]), 5.0)
    truth = np.pi / 2 - np.arcsin(0.25)
    assert truth - 1e-5 < seen.time <= truth


@pytest.mark.parametrize(
    ("call", "says"),
    [
        (lambda: FixedStep(0.0), "step is 0"),
        (lambda: Bisection(0.1, near=-1.0), "near is -1"),
        (lambda: Prediction(tentative=0.0), "tentative is 0"),
        (lambda: System([carom.Sphere(1.0)]), r"bodies\[0\] is"),
        (lambda: System([(carom.Sphere(1.0), "still")]), r"bodies\[0\]\[1\] is 'still'"),
        (lambda: FixedStep(0.1).run(System(slow_ball()), float("nan")), "until is nan"),
    ],
)
def test_schedulers_refuse_bad_input(call, says):
    with pytest.raises(InvalidInputError, match=says):
        call()


def test_system_of_a_world_refuses_bodies_whose_paths_are_not_known():
    world = carom.World()
    world.add(carom.Sphere(1.0))
    guided = world.add(carom.Sphere(1.0), carom.Guided((5, 0, 0), (-1, 0, 0), 1.0, 10.0))
    with pytest.raises(InvalidInputError, match=f"body {guided} of the world is guided"):
        System(world)
    world.remove(guided)
    bounds = carom.KineticBounds([(-1, 0, 0)] * 3, [(1, 0, 0)] * 3)
    polled = world.add(carom.Polled(bounds, lambda *_: False, 10.0))
    with pytest.raises(InvalidInputError, match=f"body {polled} of the world is polled"):
        System(world)
    world.remove(polled)
    assert len(System(world).bodies) == 1


def test_system_of_a_world_follows_keyframes_beyond_the_next_one():
    world = carom.World(start=100.0)
    world.add(carom.Sphere(1.0), carom.Motion(start=100.0))
    path = carom.Keyframes([100.0, 101.0, 103.0], [(9, 0, 0), (9, 5, 0), (0, 0, 0)])
    world.add(carom.Sphere(1.0), path)
    world.advance(100.5)
    system = System(world)
    (seen,) = Prediction().run(system, 104.0)
    assert seen.time == pytest.approx(world.advance(104.0).times[0], abs=1e-5)
