"""One test for all broad phases: whatever finds the pairs, the log is the same bit for bit."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import carom
from carom.queues import METHODS
from scenarios.worlds import directions, gas, random_mix, rings, slow_and_fast

VARIANTS: dict[str, dict[str, Any]] = {
    "auto": {},
    "swept at 60 Hz": {"broad": "swept"},
    "swept at 7 Hz": {"broad": "swept", "frame": 1.0 / 7.0},
    "all pairs": {"broad": "all-pairs"},
    "uniform grid at 60 Hz": {"broad": "uniform-grid"},
    "uniform grid at 2 Hz": {"broad": "uniform-grid", "frame": 0.5},
    "hash grid at 60 Hz": {"broad": "hash-grid"},
    "hash grid at 2 Hz": {"broad": "hash-grid", "frame": 0.5},
    "hash grid an axis": {"broad": "hash-grid", "grid": "1d", "frame": 0.1},
    "tree at 60 Hz": {"broad": "aabb-tree"},
    "tree at 2 Hz": {"broad": "aabb-tree", "frame": 0.5},
    "grid on one axis": {"broad": "uniform-grid", "axes": [[0.6, 0.0, 0.8]]},
    "tree on one axis": {"broad": "aabb-tree", "axes": [[0.6, 0.0, 0.8]]},
    "space-time at 60 Hz": {"broad": "space-time"},
    "space-time at 2 Hz": {"broad": "space-time", "frame": 0.5},
    "space-time on one axis": {"broad": "space-time", "axes": [[0.6, 0.0, 0.8]]},
    "vadop at 60 Hz": {"broad": "vadop"},
    "vadop at 2 Hz": {"broad": "vadop", "frame": 0.5, "pool": 65, "slow": 0.0},
    "vadop, pair matrix": {"broad": "vadop", "frame": 0.1, "pool": 16, "overlap": "matrix"},
    "vadop on one axis": {"broad": "vadop", "frame": 0.1, "pool": 7, "slow": 0.0, "axes": [[0.6, 0.0, 0.8]]},
    "kinetic vadop": {"broad": "kinetic-vadop", "pool": 16},
    "kinetic vadop, pairing heap": {"broad": "kinetic-vadop", "pool": 10, "queue": "pairing", "overlap": "matrix"},
    "kinetic vadop, shared axis": {"broad": "kinetic-vadop", "pool": 7, "axes": [[0.6, 0.0, 0.8]]},
    "kinetic grid": {"broad": "kinetic-grid"},
    "kinetic grid, pairing heap": {"broad": "kinetic-grid", "queue": "pairing"},
    "kinetic grid, eager": {"broad": "kinetic-grid", "narrow": "eager"},
    "pairing heap": {"broad": "kinetic", "queue": "pairing"},
    "4-ary heap": {"broad": "kinetic", "queue": "heap4"},
    "pair matrix": {"overlap": "matrix"},
    "one axis": {"axes": [[0.6, 0.0, 0.8]]},
    "18-DOP": {"axes": np.array([(a, b, c) for a in (0, 1) for b in (-1, 0, 1) for c in (-1, 0, 1)][5:])},
    "eager": {"broad": "kinetic", "narrow": "eager"},
}

OBLIQUE = [[0.6, 0.0, 0.8], [0.5, -2.0, 0.3], [1.0, 1.0, -0.2], [0.0, 0.4, 1.0]]
CHOICES: dict[str, list[Any]] = {
    "queue": list(METHODS),
    "narrow": ["lazy", "eager"],
    "profile": [False, True],
    "frame": [1.0 / 30.0, 1.0 / 240.0, 0.1, 3.0],
    "grid": ["3d", "1d"],
    "overlap": ["rank", "matrix"],
    "axes": [None, [[0.6, 0.0, 0.8]], OBLIQUE],
    "pool": [16, None, 0, 3, 130],
    "zone": [None, 0.02, 0.3, 1.57],
    "slow": [None, 0.0, 30.0, 300.0],
}
"""Values of every option of a world, the usual one first."""


def choices(broad: str) -> dict[str, list[Any]]:
    """The options that a broad phase takes."""
    refused = {"axes"} if broad == "kinetic-grid" else set()
    if "vadop" not in broad:
        refused |= {"pool", "zone"}
    if broad != "vadop":
        refused.add("slow")
    return {name: values for name, values in CHOICES.items() if name not in refused}


def cut_and_disturbed(
    seed: int, until: float, response: Any, options: dict[str, Any], **scene: Any
) -> carom.ContactLog:
    """The log of a scene of slow and fast bodies that is advanced in steps, in between which motions are set; audited."""
    world = slow_and_fast(seed, response=response, **scene, **options)
    rng = np.random.default_rng(seed)
    logs = []
    for step in range(1, 7):
        logs.append(world.advance(until * step / 6.0))
        world.audit()
        for body in rng.choice(world.bodies[6:], 3, replace=False):
            velocity = directions(1, rng)[0] * rng.choice((0.1, 50.0))
            world.set_motion(body, carom.Motion(world.positions()[body], velocity, start=world.time))
    return carom.ContactLog.concatenate(logs)


def run(make: Any, contacts: int, step: float = 5.0, **options: Any) -> tuple[carom.World, carom.ContactLog]:
    """Advance in large steps until there are enough contacts; audit at the end."""
    world = make(**options)
    logs: list[carom.ContactLog] = []
    k = 0
    while sum(map(len, logs)) < contacts:
        k += 1
        logs.append(world.advance(k * step))
    world.audit()
    return world, carom.ContactLog.concatenate(logs)


@pytest.mark.parametrize("packing", [0.01, 0.1, 0.3])
def test_broad_phases_give_bit_identical_gas_logs(packing: float) -> None:
    def make(**options: Any) -> carom.World:
        return gas(150, packing, **options)

    _, reference = run(make, 600, broad="kinetic")
    for name, options in VARIANTS.items():
        _, log = run(make, 600, **options)
        assert log.identical(reference), name


@pytest.mark.parametrize("packing", [0.01, 0.05, 0.15])
def test_broad_phases_give_bit_identical_ring_logs(packing: float) -> None:
    def make(**options: Any) -> carom.World:
        return rings(150, packing, **options)

    _, reference = run(make, 600, broad="kinetic")
    others = [{"broad": broad} for broad in carom.world.BROAD_PHASES] + [{"narrow": "eager"}, {"queue": "pairing"}]
    for options in others:
        _, log = run(make, 600, **options)
        assert log.identical(reference), options


@pytest.mark.parametrize("accelerate", [False, True])
@pytest.mark.parametrize("response", [None, carom.Elastic(), carom.Elastic(0.7)])
def test_broad_phases_agree_on_mixed_shapes(accelerate: bool, response: Any) -> None:
    for seed in range(2):
        make = lambda seed=seed, **o: random_mix(seed, accelerate, response=response, **o)  # noqa: E731
        _, reference = run(make, 1, 6.0, broad="kinetic")
        for name, options in VARIANTS.items():
            _, log = run(make, 1, 6.0, **options)
            assert log.identical(reference), (name, seed)


@pytest.mark.parametrize("seed", [0, 3])
def test_broad_phases_agree_on_slow_and_fast_bodies_with_every_option(seed: int) -> None:
    scene = {"n": 60, "shapes": seed > 0, "accelerate": seed > 0}
    elastic = carom.Elastic()
    expected = cut_and_disturbed(seed, 0.4, elastic, {"broad": "all-pairs"}, **scene)
    assert len(expected) > 100
    for broad in carom.world.BROAD_PHASES:
        usual = {name: values[0] for name, values in choices(broad).items()}
        for name, values in choices(broad).items():
            for value in values if name == "queue" else values[1:]:
                options = {"broad": broad, **usual, name: value}
                assert cut_and_disturbed(seed, 0.4, elastic, options, **scene).identical(expected), options


@pytest.mark.long
@pytest.mark.parametrize("first", range(0, 400, 40))
def test_broad_phases_agree_on_slow_and_fast_bodies_with_any_options(first: int) -> None:
    for seed in range(first, first + 40):
        rng = np.random.default_rng(seed)
        n = int(rng.choice((12, 40, 120)))
        scene = {"n": n, "shapes": rng.uniform() < 0.2, "accelerate": rng.uniform() < 0.4}
        response = (None, carom.Elastic(), carom.Elastic(), carom.Elastic(0.8))[rng.integers(4)]
        until = rng.uniform(10.0, 20.0) / n
        expected = cut_and_disturbed(seed, until, response, {"broad": "all-pairs"}, **scene)
        for broad in (
            "vadop",
            "vadop",
            str(rng.choice(carom.world.BROAD_PHASES)),
            str(rng.choice(carom.world.BROAD_PHASES)),
        ):
            options = {name: values[rng.integers(len(values))] for name, values in choices(broad).items()}
            log = cut_and_disturbed(seed, until, response, {"broad": broad, **options}, **scene)
            assert log.identical(expected), (seed, broad, options)


def test_audit_of_an_eager_kinetic_grid_asks_for_no_test_before_bounding_spheres_touch() -> None:
    """A plan leaves out neighbours whose bounding spheres touch after it, though an eager test of them is due at once."""
    scene = {"n": 90, "shapes": True, "accelerate": True}
    eager = {"broad": "kinetic-grid", "narrow": "eager"}
    expected = cut_and_disturbed(1, 0.4, carom.Elastic(), {"broad": "all-pairs"}, **scene)
    assert cut_and_disturbed(1, 0.4, carom.Elastic(), eager, **scene).identical(expected)


@pytest.mark.parametrize("options", [{}, {"slow": 30.0}, {"zone": 0.02}, {"pool": 0}, {"overlap": "matrix"}])
def test_vadop_body_that_turns_towards_one_that_waits_meets_it(options: dict[str, Any]) -> None:
    """A fast ball takes a new course within the frame and waits for its axes; then a slow one is sent into its way."""
    frame = 1.0
    logs = []
    for broad in ("all-pairs", "vadop"):
        world = carom.World(broad, frame=frame, **({"pool": 16} | options if broad == "vadop" else {}))
        for k in range(4):
            world.add(carom.Sphere(0.5), carom.Motion((0.0, 0.0, 20.0 * k), (100.0, 0.0, 0.0)))
        slow = world.add(carom.Sphere(0.5), carom.Motion((5.0, 3.0, 0.0)))
        world.advance(0.01)
        world.set_motion(0, carom.Motion((1.0, 0.0, 0.0), (50.0, 0.0, 0.0), start=0.01))
        world.advance(0.02)
        world.set_motion(slow, carom.Motion((5.0, 3.0, 0.0), (0.0, -30.0, 0.0), start=0.02))
        world.audit()
        logs.append(world.advance(0.5))
    assert len(logs[0]) == 1
    assert logs[1].identical(logs[0])


SHAPES = {
    "ball": carom.Sphere(0.5),
    "box": carom.Box((1.0, 0.6, 0.8)),
    "capsule": carom.Capsule(0.3, 0.6),
    "cylinder": carom.Cylinder(0.25281304421298306, 0.513320849845175),
    "cone": carom.Cone(0.25281304421298306, 0.513320849845175),
    "ellipsoid": carom.Ellipsoid((0.25281304421298306, 0.4, 0.513320849845175)),
    "point": carom.Mesh([(0.1, 0.2, 0.3), (1.0, 1.0, 1.0)], [(0, 0, 0)]),
}


def flat_on_a_floor(**options: Any) -> carom.World:
    """Bodies that fall flat, or with one corner, on a floor far below the origin."""
    world = carom.World(start=70_000.0, **options)
    world.add(carom.HalfSpace((0, 0, 1), 0.0), carom.Motion((0, 0, -4.2), start=70_000.0), mass=float("inf"))
    for k, shape in enumerate(SHAPES.values()):
        for shift in range(3):
            path = carom.Motion((3.0 * k, 3.0 * shift, -2.0 - 0.1 * k), (0, 1, 0), (0, 0, -3.0 - shift), start=70_000.0)
            world.add(shape, path)
    return world


def overlapping_at_the_start(**options: Any) -> carom.World:
    """Bodies in each other that part, rest or close; some are led along keys."""
    world = carom.World(**options)
    shapes = (SHAPES["ball"], SHAPES["box"], carom.Mesh(SHAPES["box"].vertices, SHAPES["box"].faces))
    for k, (a, b) in enumerate((a, b) for a in shapes for b in shapes):
        place = np.array((4.0 * (k % 6), 4.0 * (k // 6), 0.0))
        speed = (-1.0, 0.0, 1.0)[k % 3]
        path = place + ((0.2, 0.1, 0.3), (0.2, 0.1, 0.3 + speed), (0.3, 0.1, 0.3))
        world.add(a, carom.Motion(place))
        world.add(b, carom.Keyframes((0.0, 1.0, 3.0), path) if k % 2 else carom.Motion(path[0], (0, 0, speed)))
    return world


def at_keys(**options: Any) -> carom.World:
    """Bodies that touch others at their very keys, stop, turn back or go on there, and stay in touch over many keys."""
    world = carom.World(**options)
    world.add(carom.Box((60.0, 60.0, 1.0)), carom.Motion((0, 0, -0.5)))
    times = (0.0, 0.7, 1.0, 1.5, 2.0, 2.5)
    for k, shape in enumerate(SHAPES.values()):
        rest = -float(shape.extents_along(np.eye(3), np.array((1.0, 0, 0, 0)))[0][2])
        for n, above in enumerate(
            ((1, 0, 1, 1, 0, 0), (1, 0, 0, 0, 0, 0), (1, 0, -0.1, -0.2, -0.3, -0.4), (1, 0.3, -0.1, -0.1, 1, 0))
        ):
            world.add(shape, carom.Keyframes(times, [(3.0 * k, 3.0 * n, rest + z) for z in above]))
    return world


@pytest.mark.parametrize("make", [flat_on_a_floor, overlapping_at_the_start, at_keys])
def test_broad_phases_agree_where_bodies_touch_at_once_or_lie_flat(make: Any) -> None:
    until = 70_003.0 if make is flat_on_a_floor else 3.0
    reference = make(broad="all-pairs").advance(until)
    assert len(reference) >= 9
    for name, options in VARIANTS.items():
        world = make(**options)
        assert world.advance(until).identical(reference), name
        world.audit()


@pytest.mark.parametrize("broad", carom.world.BROAD_PHASES)
def test_polling_rate_does_not_change_the_log(broad: str) -> None:
    once = rings(100, 0.05, broad=broad).advance(3.0)
    assert len(once) > 20
    for rate in (30, 1000):
        world = rings(100, 0.05, broad=broad)
        log = carom.ContactLog.concatenate([world.advance(k / rate) for k in range(1, 3 * rate + 1)])
        assert log.identical(once), rate


@pytest.mark.parametrize("broad", carom.world.BROAD_PHASES)
def test_slow_meeting_of_fast_bodies_that_fall_alike_is_reported_once(broad: str) -> None:
    """Boxes swept over a frame are thinnest at the top of a path: after the contact these are close, apart and close again."""
    world = carom.World(broad, frame=0.1)
    fall = (0.0, 0.0, -10.0)
    world.add(carom.Sphere(0.5), carom.Motion((0.0, 0.0, 0.0), (0.0, 0.0, 30.0), fall))
    world.add(carom.Sphere(0.5), carom.Motion((0.0, 0.99, 0.3), (0.0, 0.0, 29.4), fall))
    (contact,) = world.advance(12.0)
    assert contact.time == pytest.approx((0.3 - np.sqrt(1.0 - 0.99**2)) / 0.6, rel=1e-12)
    world.audit()


def test_reference_queue_gives_the_same_log() -> None:
    for broad in ("kinetic", "kinetic-grid"):
        assert gas(20, 0.1, broad=broad, queue="reference").advance(20.0).identical(gas(20, 0.1).advance(20.0))


def test_kinetic_boxes_begin_no_more_pairs_than_swept_boxes() -> None:
    kinetic = rings(200, 0.02, narrow="eager", broad="kinetic")
    swept = rings(200, 0.02, narrow="eager", broad="swept", frame=1.0)
    kinetic.advance(10.0)
    swept.advance(10.0)
    assert kinetic.stats.narrow_tests < swept.stats.narrow_tests
