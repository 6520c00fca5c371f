"""What the fuzzer of types found: values of unusual types that broke a world, gave another answer, or another error."""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

import carom

pytestmark = pytest.mark.filterwarnings("error")

CORNERS = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0.0]])
HUGE = Fraction(-(10**5000), 10**5000 + 1)
"""Nearly -1; Python refuses to write that many digits."""


def cloth() -> carom.Deforming:
    return carom.Deforming([[0, 1, 2]], [0.0, 1.0], [CORNERS, CORNERS + (0, 0, 1)])


@pytest.mark.parametrize("kind", [np.uint64, np.int8, np.uint8, np.int32])
def test_ids_of_every_type_of_whole_numbers_are_the_same_ids(kind: Callable[[int], Any]) -> None:
    world = carom.World()
    world.add_many(carom.Sphere(0.5), [(0, 0, 0), (5, 0, 0), (9, 9, 9)])
    world.set_motion(kind(1), carom.Motion((5, 0, 0), (-2, 0, 0)))
    world.remove([kind(2)])
    assert [(contact.a, contact.b, contact.time) for contact in world.advance(3.0)] == [(0, 1, 2.0)]
    found = carom.deform.SeparationList(cloth())
    assert found.add_faces([[0, 2, 1]], kind(0)).tolist() == [1]
    found.advance(1.0)


def test_directions_of_any_length_are_taken() -> None:
    for size in (1e-300, 1e-30, 1.0, 1e300):
        ship = carom.Guided((0, 0, 0), (0, 0, 0), 1.0, 1.0, direction=(size, 0, 0))
        assert ship.direction is not None
        assert ship.direction.tolist() == [1.0, 0.0, 0.0]


def test_vehicles_take_decimals() -> None:
    given = (0, 0, 0), (1, 0, 0)
    plain = carom.Guided.vehicle(*given, 2.0, towards=(0, 1, 0))
    assert carom.Guided.vehicle(*given, Decimal(2), towards=(0, 1, 0)).expires == plain.expires  # type: ignore[arg-type]


def test_numbers_given_as_arrays_cannot_be_changed_later() -> None:
    share = np.array(0.5)
    response, horn = carom.Elastic(share), carom.time_critical.Horn((0, 0, 1), share)  # type: ignore[arg-type]
    share[()] = np.nan
    assert response.restitution == 0.5
    assert horn.radius == 0.5


WRONG = {
    "a span of time as group": (lambda: carom.World().set_filter(np.timedelta64(1, "s"), 1, False), "group_a"),
    "a truth value as group": (lambda: carom.World().set_filter(True, 1, False), "group_a"),
    "more digits than Python writes": (lambda: carom.Elastic(HUGE), "restitution"),
    "more digits in an end": (lambda: carom.Guided.within((0, 0, 0), (0, 0, 0), (1, 1, 1), HUGE), "expires"),
    "a radius of more digits": (lambda: carom.Sphere(HUGE), "radius"),
    "a long double too large": (lambda: carom.Motion(np.full(3, np.longdouble("1e400"))), r"position\[0\] is inf"),
    "a masked period": (lambda: carom.World(periodic=np.ma.masked_array([1.0, 2.0, 3.0], [0, 1, 0])), r"periodic\[1\]"),
    "a period as text": (lambda: carom.World(periodic=["1", None, None]), r"periodic\[0\]"),
    "a masked id": (lambda: carom.World().motion(np.ma.masked_array(1.0, True)), "body"),
    "many lines": (lambda: carom.collide(np.ones((2, 3)), carom.Sphere(1.0)), r"a is array\(\[\[1\., 1\., 1\.\], \[1"),
    "text as a time": (lambda: cloth().vertices_at("soon"), "t is 'soon'"),
    "text as a horn": (lambda: carom.time_critical.Horn("far", 1.0), "offset"),
    "a horn of no size": (lambda: carom.time_critical.Horn((0, 0, 1), -1.0), "radius"),
    "no shape among others": (lambda: carom.shape_cast(carom.Sphere(1.0), [3], (1, 0, 0)), r"others\[0\] is 3"),
    "no cloth": (lambda: carom.contacts(cloth(), 3), "b is 3"),
    "an edge of all triangles": (
        lambda: carom.deform.KineticTree([[0, 1, 2]], CORNERS).remove_edges([[0, 1]]), "edges holds all 1",
    ),
    "a speed beyond the range": (
        lambda: carom.deform.SeparationList(cloth()).change_flightplans(np.array([0]), np.full((1, 3), 1e31)),
        r"velocities\[0, 0\]",
    ),
}  # fmt: skip


@pytest.mark.parametrize("what", WRONG)
def test_wrong_values_get_one_error_on_one_line_that_names_the_argument(what: str) -> None:
    call, named = WRONG[what]
    with pytest.raises(carom.InvalidInputError, match=named) as refused:
        call()
    assert "\n" not in str(refused.value)
