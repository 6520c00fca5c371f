"""Bodies that only just touch a deforming one, and contacts at one instant that do not come to an end."""

from __future__ import annotations

from itertools import permutations, product
from typing import Any

import numpy as np
import pytest

import carom
from scenarios.deform_samples import grid_cloth

SHEET = np.array([(0, -3, -0.5), (2, -3, -0.5), (0, -1, -0.5), (2, -1, -0.5)], float)


def contacts_of(world: carom.World, until: float, most: int) -> list[Any]:
    """Contacts until then, or a few more than `most`."""
    found: list[Any] = []
    while world.time < until and len(found) <= most:
        found += list(world.advance(until, budget=0.1))
    return found


@pytest.mark.parametrize("order", list(permutations(range(3))))
def test_world_deforming_box_that_grazes_an_edge_leaves_it_on_its_own_side(order: tuple[int, ...]) -> None:
    """At t = 0.25 the lower edge of a box that comes from above and goes sideways lies on the edge of a sheet."""
    for signs, sheet_first in product(product((1.0, -1.0), repeat=3), (True, False)):

        def placed(points: Any, signs: Any = signs) -> Any:
            return (np.asarray(points, float) * signs)[..., list(order)]

        world = carom.World(response=carom.Elastic())
        sheet = carom.Deforming([[0, 1, 2], [1, 3, 2]], (0.0, 1.0), placed([SHEET, SHEET + (1.0, -0.5, 0.0)]))
        box = carom.Box(np.abs(placed((2.0, 0.5, 2.0))))
        start = carom.Motion(placed((2.5, -1.5, 1.0)), velocity=placed((1.0, 2.5, -2.0)))
        if sheet_first:
            world.add(sheet)
        body = world.add(box, start)
        if not sheet_first:
            world.add(sheet)
        log = contacts_of(world, 3.0, 1)
        assert len(log) <= 1
        for contact in log:
            assert contact.time == pytest.approx(0.25, abs=1e-8)
            away = contact.normal * (1.0 if sheet_first else -1.0)
            assert away == pytest.approx(placed((0.0, 0.0, 1.0)), abs=1e-12)
        world.audit()
        after = placed((1.0, 2.5, 2.0)) if log else placed((1.0, 2.5, -2.0))
        assert world.positions()[list(world.bodies).index(body)] == pytest.approx(
            placed((2.75, -0.875, 0.5)) + 2.75 * after, abs=1e-6
        )


def resting_sheet() -> carom.Deforming:
    return carom.Deforming([[0, 1, 2]], (0.0, 4.0), [[(-2, -2, 0), (2, -2, 0), (0, 3, 0)]] * 2)


def test_world_deforming_body_that_is_turned_back_twice_at_once_has_not_left() -> None:
    """A motion that is replaced before time goes on has moved nothing, in a world from a snapshot too."""
    world = carom.World()
    world.add(resting_sheet())
    body = world.add(carom.Box((0.5, 0.5, 0.5)), carom.Motion((0.0, 0.0, 1.25), velocity=(0.0, 0.0, -1.0)))
    assert {contact.time for contact in world.advance(1.0)} == {1.0}
    world.set_motion(body, carom.Motion((0.0, 0.0, 0.25), velocity=(0.0, 0.0, 1.0), start=1.0))
    assert not len(world.advance(1.0))
    saved = carom.World.restore(world.snapshot(), [None, world.shape(body)])
    for each in (world, saved):
        each.set_motion(body, carom.Motion((0.0, 0.0, 0.25), velocity=(0.0, 0.0, -1.0), start=1.0))
        assert {contact.time for contact in each.advance(1.1)} == {1.0}


@pytest.mark.parametrize("shape", [carom.Sphere(0.25), carom.Box((0.5, 0.5, 0.5))], ids=["sphere", "box"])
def test_world_deforming_sheets_that_close_in_on_a_body_end_with_an_error(shape: Any) -> None:
    """The body is never let into a sheet, and the error does not take 100,000 contacts."""
    world = carom.World(response=carom.Elastic())
    for z in (-1.0, 1.0):
        keys = [[(-2.0, -2.0, h), (2.0, -2.0, h), (0.0, 3.0, h)] for h in (z, -z)]
        world.add(carom.Deforming([[0, 1, 2]], (0.0, 2.0), keys))
    world.add(shape)
    with pytest.raises(carom.CaromError, match="bodies are wedged"):
        world.advance(1.5)
    assert world.time == pytest.approx(0.75, abs=1e-8)
    assert world.stats.contacts < 3_000


def test_world_deforming_thousands_of_triangles_may_land_at_one_instant() -> None:
    """Each of them once, with a response called for each, one after the other."""
    flat, faces = grid_cloth(40)
    assert len(faces) > 3_000
    landed: list[int] = []
    world = carom.World(response=lambda world, contact: landed.append(contact.feature_b))
    world.add(carom.HalfSpace((0.0, 0.0, 1.0)))
    world.add(carom.Deforming(faces, (0.0, 2.0), [flat + (0.0, 0.0, 1.0), flat - (0.0, 0.0, 1.0)]))
    world.advance(1.5)
    assert sorted(landed) == list(range(len(faces)))
