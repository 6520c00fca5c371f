"""Bodies that roll on one another: they neither sink into each other nor have millions of contacts."""

from __future__ import annotations

import numpy as np
import pytest

import carom

_FALL = (0.0, 0.0, -2.0)
_ROLLS = {
    "cylinders": (
        (
            carom.Cylinder(0.3193514874067873, 0.3963276104134249),
            carom.Motion(
                (2.7822791276248275, -3.6041645953319916, 3.7486219861149674),
                (-0.03810549687081069, -0.08953758551635618, 0.11351648367620214),
                _FALL,
                (0.8281286255209755, 0.3916028027977259, -0.3685929039562421, 0.1580806616471783),
                (0.9869223221815163, -2.383479473484097, 0.942222307232936),
            ),
            1.0,
        ),
        (
            carom.Cylinder(0.18913151415876508, 0.8632742201993429),
            carom.Motion(
                (-1.7716857476929562, -0.8615711253050993, -0.2579614190860746),
                (5.013659546958165, -2.8832924416360863, 3.961468679792139),
                _FALL,
                (-0.8888284081685861, 0.31407507894604036, 0.022507022154818514, 0.332917917167668),
                (0.4251232020509213, 3.361235862903935, 18.049074174389204),
            ),
            1.0,
        ),
    ),
    "capsule and cylinder": (
        (
            carom.Capsule(1.634140399340913, 1.555277233418742),
            carom.Motion(
                (12.58847998561343, 10.108865110501773, -9.46449095270314),
                (-5.1866412861255515, -5.384933105680322, 1.6047933493378392),
                _FALL,
                (0.2887414763661636, -0.5950505418675077, -0.5161771819571671, -0.5441546924136842),
            ),
            52.225367224250085,
        ),
        (
            carom.Cylinder(1.0514649582618079, 1.2565712886790223),
            carom.Motion(
                (12.076327945855056, 17.08699286374634, -9.605292122995996),
                (-5.366833230570468, -14.456431612317939, 1.758553364970826),
                _FALL,
                (-0.09866064182895823, -0.86543171975195, 0.4439506935200149, 0.21024223629941238),
                (1.2240381781067173, 1.7793235592164984, -1.1818381662348187),
            ),
            17.2015009652227,
        ),
    ),
    "box and splinter": (
        (
            carom.Box((2.46041652, 2.25735676, 2.01096687)),
            carom.Motion(
                (-44.297601042519275, -43.77642413106682, -17.49250605456129),
                (0.4765566591310704, 0.13500474982922914, 0.035962732887719374),
                _FALL,
                (0.9150391995058176, -0.1137423067292675, -0.35872437760926484, 0.14519907691339995),
                (-22.56367785212602, -46.62402178946779, -5.412698289964705),
            ),
            1.0,
        ),
        (
            carom.Box((0.0075, 0.005, 0.005)),
            carom.Motion(
                (-44.649475018235485, -39.77652973445797, -19.532466760526653),
                (0.27357504794746856, -3.1045552181334206, 1.5818170044620445),
                _FALL,
                (-0.1931530728, 0.7556367380, 0.5925845079, 0.2013668597),
            ),
            1.0,
        ),
    ),
}  # fmt: skip
_UNTIL = 1.5
_SPHERES = (
    (529.9277327531688, (813.0462798597032, -416.6657417821099, -352.5419431497396), (0.0, 0.0, 0.0), 1.0),
    (
        152.52836159580403,
        (1073.25830297103, -1941.4958452928627, -399.77341631805234),
        (-221.4412422413007, 1176.9221878497608, 78.27801246001226),
        7194734.021426291,
    ),
)


@pytest.mark.parametrize("pair", _ROLLS)
def test_rolling_bodies_hop_and_do_not_sink_into_each_other(pair: str) -> None:
    world = carom.World(response=carom.Elastic(0.0))
    shapes = [shape for shape, _, _ in _ROLLS[pair]]
    for shape, motion, mass in _ROLLS[pair]:
        world.add(shape, motion, mass=mass)
    contacts = 0
    for time in np.linspace(0.0, _UNTIL, 301):
        reached = world.advance(time, budget=20.0)
        assert reached.reached == time
        contacts += len(reached)
        placed = [_pose(world, k) for k in range(2)]
        assert carom.penetration(*shapes, *placed).depth < 1e-6
    assert 1 < contacts < 1000


def _pose(world: carom.World, k: int) -> np.ndarray:
    w, x, y, z = world.orientations()[k]
    pose = np.eye(4)
    pose[:3, :3] = (
        (1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)),
        (2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)),
        (2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)),
    )
    pose[:3, 3] = world.positions()[k]
    return pose


def test_spheres_without_restitution_part_where_rounding_leaves_them_closing() -> None:
    """Velocities of 1e3 m/s do not resolve the 2e-14 m/s that the first contact leaves."""
    world = carom.World(response=carom.Elastic(0.0))
    for radius, place, velocity, mass in _SPHERES:
        world.add(carom.Sphere(radius), carom.Motion(place, velocity), mass=mass)
    assert len(world.advance(1.5)) == 2


@pytest.mark.parametrize("shape", [carom.Cylinder(7.5e-8, 2.25e-7), carom.Cone(7.5e-8, 2.25e-7)])
def test_tiny_body_that_falls_far_meets_the_floor(shape: carom.Cylinder | carom.Cone) -> None:
    """A step that closes a gap of 1e-9 of its size is shorter than the clock resolves: the search did not come on."""
    world = carom.World()
    world.add(shape, carom.Motion((0.0, 1.0, -1.0), (0.0, 0.0, 0.0), (0.0, 0.0, -3.0)))
    world.add(carom.HalfSpace((0.0, 0.0, 1.0), 0.0), carom.Motion((0.0, 0.0, -3.2)), mass=np.inf)
    log = world.advance(1.3)
    assert log.times == pytest.approx([np.sqrt(2.0 * 2.2 / 3.0)], abs=1e-6)
