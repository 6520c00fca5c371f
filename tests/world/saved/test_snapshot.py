"""A restored world goes on to the bit-identical log."""

from __future__ import annotations

import io
from typing import Any

import numpy as np
import pytest

import carom
from scenarios.worlds import gas, random_mix, rings


def saved(snapshot: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
    """The snapshot after a way through a file."""
    file = io.BytesIO()
    np.savez(file, **snapshot)
    file.seek(0)
    with np.load(file) as arrays:
        return dict(arrays)


def shapes_of(world: carom.World) -> list[Any]:
    return [world.shape(int(b)) for b in world.bodies]


@pytest.mark.parametrize("broad", carom.world.BROAD_PHASES)
@pytest.mark.parametrize("response", [None, carom.Elastic(), carom.Elastic(0.5)])
def test_snapshot_continues_bit_identically(broad: str, response: Any) -> None:
    options = {"broad": broad, "response": response}
    whole = random_mix(11, True, **options)
    whole.advance(2.0)
    expected = whole.advance(6.0)
    first = random_mix(11, True, **options)
    first.advance(2.0)
    second = carom.World.restore(saved(first.snapshot()), shapes_of(first), **options)
    second.audit()
    assert second.advance(6.0).identical(expected)
    assert len(expected) > 1
    np.testing.assert_array_equal(second.positions(), whole.positions())


def test_snapshot_of_rings_and_gas_continues_in_another_broad_phase() -> None:
    for make in (lambda **o: rings(60, 0.1, **o), lambda **o: gas(60, 0.1, **o)):
        whole = make()
        whole.advance(3.0)
        expected = whole.advance(8.0)
        first = make()
        first.advance(3.0)
        second = carom.World.restore(first.snapshot(), shapes_of(first), carom.Elastic(), broad="swept")
        assert second.advance(8.0).identical(expected)


def test_snapshot_keeps_names_ids_and_keyframes() -> None:
    world = carom.World()
    world.add(carom.Sphere(1.0), name="gone")
    world.add(
        carom.Box((1.0, 1.0, 1.0)), carom.Keyframes([0.0, 1.0, 5.0], [(0, 0, 9), (1, 0, 9), (9, 0, 9)]), name="led"
    )
    world.add(carom.Sphere(1.0), carom.Motion((5.0, 0.0, 9.0)))
    world.remove(0)
    world.advance(0.5)
    again = carom.World.restore(saved(world.snapshot()), shapes_of(world))
    assert again.bodies.tolist() == [1, 2]
    assert again.name(1) == "led"
    assert again.advance(5.0).identical(world.advance(5.0))
    assert again.add(carom.Sphere(1.0)) == 3


def test_snapshot_restore_refuses_what_does_not_fit() -> None:
    world = gas(10, 0.01)
    snapshot = world.snapshot()
    with pytest.raises(carom.InvalidInputError, match="shapes has 1 entries"):
        carom.World.restore(snapshot, [carom.Sphere(1.0)])
    with pytest.raises(carom.InvalidInputError, match="not the one in the snapshot"):
        carom.World.restore(snapshot, [carom.Box((1, 1, 1))] * len(world))
    with pytest.raises(carom.InvalidInputError, match="snapshot lacks"):
        carom.World.restore({"axes": np.eye(3)}, [])


def _passing(broad, acceleration=(0.0, 0.0, 0.0)):
    """Two balls that touch at 0.934 and go on through each other, with a common acceleration."""
    world = carom.World(broad)
    world.add(carom.Sphere(0.3), carom.Motion((-1.5, 0, 0), (1, 0, 0), acceleration))
    world.add(carom.Sphere(0.3), carom.Motion((0, 0.2, 0), acceleration=acceleration))
    return world


def _plates(broad, acceleration=(0.0, 0.0, 0.0)):
    """Two plates one above the other that meet once: their bounding spheres overlap long after."""
    world = carom.World(broad)
    world.add(carom.Box((2.0, 2.0, 0.05)), carom.Motion((0, 0, 0.2), (0.3, 0.2, -0.4), acceleration))
    world.add(carom.Box((2.0, 2.0, 0.05)), carom.Motion(acceleration=acceleration))
    return world


def _diagonal(broad, acceleration=(0.0, 0.0, 0.0)):
    """Balls that part along a diagonal: their boxes overlap while their spheres no longer do."""
    world = carom.World(broad)
    world.add(carom.Sphere(1.0), carom.Motion((-1.5, -1.5, -1.5), (1, 1, 1), acceleration))
    world.add(carom.Sphere(1.0), carom.Motion(acceleration=acceleration))
    return world


@pytest.mark.parametrize("other", carom.world.BROAD_PHASES)
@pytest.mark.parametrize("broad", carom.world.BROAD_PHASES)
def test_contact_that_lies_behind_is_no_event_in_another_broad_phase(broad: str, other: str) -> None:
    for make, times in ((_passing, (1.5, 3.0)), (_plates, (0.8, 1.1)), (_diagonal, (2.7, 3.2))):
        for acceleration in ((0.0, 0.0, 0.0), (0.0, 0.0, -1.0)):
            world = make(broad, acceleration)
            found = 0
            for t in times:
                found += len(world.advance(t))
                restored = carom.World.restore(world.snapshot(), shapes_of(world), broad=other)
                assert len(restored.advance(20.0)) == 0, (make.__name__, acceleration, t)
            assert found == 1


def test_snapshot_restores_an_elastic_response_by_itself():
    world = random_mix(11, True, response=carom.Elastic(0.5, 1e-5))
    world.advance(2.0)
    again = carom.World.restore(saved(world.snapshot()), shapes_of(world))
    assert again.response == carom.Elastic(0.5, 1e-5)
    assert again.advance(6.0).identical(world.advance(6.0))


def test_snapshot_of_a_world_with_a_function_as_response_is_not_restored_without_one():
    """Bodies then passed through each other, and nothing said so."""
    heard: list[float] = []

    def hear(world: carom.World, contact: carom.Contact) -> None:
        heard.append(contact.time)

    world = random_mix(11, True, response=hear)
    snapshot = saved(world.snapshot())
    with pytest.raises(carom.InvalidInputError, match="response is not given"):
        carom.World.restore(snapshot, shapes_of(world))
    assert carom.World.restore(snapshot, shapes_of(world), response=None).response is None
    assert carom.World.restore(snapshot, shapes_of(world), hear).response is hear
    del snapshot["response"]  # earlier versions had none
    assert carom.World.restore(snapshot, shapes_of(world)).response is None


@pytest.mark.parametrize("change", ["size", "form", "none"])
def test_restore_refuses_shapes_of_other_measures(change):
    world = carom.World()
    world.add(carom.Ellipsoid((1.0, 2.0, 3.0)))
    snapshot = world.snapshot()
    other, said = {
        "size": (carom.Ellipsoid((1.0, 2.0, 4.0)), "shape of body 0 is an Ellipsoid of other measures"),
        "form": (carom.Box((1, 1, 1)), "is a Box, not the one in the snapshot, which is an Ellipsoid"),
        "none": (None, "is None, not the one in the snapshot, which is an Ellipsoid"),
    }[change]
    with pytest.raises(carom.InvalidInputError, match=said):
        carom.World.restore(snapshot, [other])


def test_restore_accepts_equal_shapes_and_snapshots_without_digests():
    world = carom.World()
    world.add(carom.Box((1, 2, 3)))
    snapshot = world.snapshot()
    assert carom.World.restore(snapshot, [carom.Box([1.0, 2.0, 3.0])]).bodies.tolist() == [0]
    del snapshot["shape_digests"]
    assert carom.World.restore(snapshot, [carom.Box((3, 2, 1))]).bodies.tolist() == [0]
