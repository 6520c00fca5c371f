"""Bodies that turn and bounce on a deforming one: every part of them that comes near is met, with the true normal."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import carom
from carom.errors import AuditError
from carom.world.deforming import watch
from carom.world.deforming.round_search import Found
from carom.world.deforming.touches import Touches

SQUARE = np.array([(-1.5, -1.5), (-1.5, 1.5), (1.5, -1.5), (1.5, 1.5)])
TETRAHEDRON = np.array([(0.5, 0.5, 0.5), (0.5, -0.5, -0.5), (-0.5, 0.5, -0.5), (-0.5, -0.5, 0.5)])


def sheet(times: Any, heights: Any, shifts: Any = None) -> carom.Deforming:
    """A square of two triangles, flat at each key."""
    shifts = np.zeros((len(times), 2)) if shifts is None else np.asarray(shifts)
    keys = [np.column_stack([SQUARE + shift, np.full(4, z)]) for z, shift in zip(heights, shifts, strict=True)]
    return carom.Deforming([[0, 2, 1], [1, 2, 3]], times, keys)


def falling(response: Any) -> carom.World:
    """A tetrahedron that turns easily comes down on a moving sheet with one edge level: both of its ends land at once."""
    world = carom.World(response=response)
    way = carom.Motion((0.0, 1.0, 1.5), velocity=(0.0, 0.0, -2.0), acceleration=(0.0, 0.0, -2.0))
    world.add(carom.Convex(TETRAHEDRON), way, inertia=0.1)
    world.add(sheet((0.0, 0.75, 1.25), (0.3, -0.1, 0.3)))
    return world


def height_at(t: float) -> float:
    return float(np.interp(t, (0.0, 0.75, 1.25), (0.3, -0.1, 0.3)))


def lowest(world: carom.World, t: float) -> float:
    """Height of the tetrahedron's lowest corner over the sheet, which is flat."""
    world.advance(t)
    w, *axis = world.orientations()[0]
    turned = TETRAHEDRON + 2.0 * np.cross(axis, np.cross(axis, TETRAHEDRON) + w * TETRAHEDRON)
    return float((turned + world.positions()[0])[:, 2].min()) - height_at(t)


def test_world_deforming_both_ends_of_an_edge_that_lands_at_once_bounce() -> None:
    """The second end closes in the instant in which the first one parts."""
    world = falling(carom.Elastic(1.0))
    log = world.advance(0.3793)
    assert len(log) >= 2
    assert log.normals == pytest.approx(np.tile((0.0, 0.0, -1.0), (len(log), 1)), abs=1e-6)
    assert not (log.status == 1).any()
    for t in np.linspace(0.3793, 0.6, 40):
        assert lowest(world, float(t)) > -1e-8
        world.audit()


def test_world_deforming_audit_notices_a_contact_missed_while_a_body_bounces(monkeypatch: pytest.MonkeyPatch) -> None:
    """The body touches where the search that misses the contact begins: that is no excuse."""
    world = falling(carom.Elastic(1.0))
    assert len(world.advance(0.3792212844)) >= 1

    def blind(*_: Any) -> Found:
        return Found(Touches.none(), np.empty(0, np.int64))

    monkeypatch.setattr(watch, "search_body", blind)
    kick = carom.Motion(world.positions()[0], velocity=(0.0, 0.0, -3.0), start=world.time)
    world.set_motion(0, kick)
    world.advance(0.4)
    assert lowest(world, 0.4) < -0.01
    with pytest.raises(AuditError, match="has no contact before"):
        world.audit()


@pytest.mark.parametrize("restitution", [0.0, 0.5, 1.0])
def test_world_deforming_box_that_lands_across_an_edge_of_a_sheet_stays_out(restitution: float) -> None:
    """The contact that sets it turning is exact, without a gap; those that follow at once are not."""
    world = carom.World(response=carom.Elastic(restitution))
    world.add(sheet((0.0, 0.75), (0.0, 0.0), [(0.25, 0.5)] * 2))
    body = world.add(
        carom.Box((1.0, 1.0, 1.0)), carom.Motion((1.34325, 1.5, 1.5), velocity=(0.0, 0.25, -1.0)), inertia=0.1
    )
    log = world.advance(1.1)
    assert len(log) > 1
    assert np.abs(log.normals[:, 2]) == pytest.approx(np.ones(len(log)), abs=1e-6)
    for t in np.linspace(1.1, 3.0, 60):
        log = carom.ContactLog.concatenate([log, world.advance(float(t))])
        world.audit()
    assert len(log) < 100
    assert world.positions()[body][2] > 0.0


def test_world_deforming_body_without_restitution_on_a_turning_sheet_has_few_contacts() -> None:
    """A contact that rolls leaves at a speed: contacts are not 1e-9 s apart."""
    world = carom.World(response=carom.Elastic(0.0))
    corners = np.array([(-2.0, -2.0, 0.0), (2.0, -2.0, 0.0), (0.0, 3.0, 0.0)])
    world.add(carom.Deforming([[0, 1, 2]], (0.0, 2.0), [corners, corners + [(0, 0, 0.6), (0, 0, -0.4), (0, 0, 0.2)]]))
    world.add(
        carom.Box((1.0, 1.0, 1.0)),
        carom.Motion((0.1, 0.2, 0.55), velocity=(0.3, 0.1, -0.2), spin=(0.3, 0.2, 0.1)),
        inertia=0.1,
    )
    assert 1 < len(world.advance(1.0)) < 1_000
    world.audit()


@pytest.mark.parametrize("velocity", [(0.0, 0.0, 0.0), (-0.5, 0.0, 0.0), (0.2, 0.1, -1.0)])
@pytest.mark.parametrize("turned", [(1.0, 0.0, 0.0, 0.0), (0.9238795325112867, 0.0, 0.3826834323650898, 0.0)])
def test_world_deforming_body_cut_through_at_the_start_is_reported_and_goes_on(velocity: Any, turned: Any) -> None:
    """Triangles in it drive it in opposite directions; it is not wedged between them."""
    world = carom.World(response=carom.Elastic(0.5))
    places = [(x, y, 0.0) for x in (-1.5, 0.0, 1.5) for y in (-1.5, 0.0, 1.5)]
    faces = [[0, 3, 1], [1, 3, 4], [1, 4, 5], [1, 5, 2], [3, 6, 7], [3, 7, 4], [4, 7, 5], [5, 7, 8]]
    body = world.add(carom.Box((0.5, 1.0, 0.25)), carom.Motion((-0.5, 0.5, 0.1), velocity=velocity, orientation=turned))
    world.add(carom.Deforming(faces, (0.0, 2.5), [places, places]))
    log = world.advance(0.0)
    assert len(log)
    assert (log.status == 1).all()
    assert len(world.advance(2.0)) < 100
    assert world.time == 2.0
    assert np.isfinite(world.positions()[body]).all()


BUMPY = [
    [(-2.25, -1.75, -0.011), (-2.25, 2.25, -0.03), (1.75, -1.75, 0.018), (1.75, 2.25, -0.096)],
    [(-1.75, -2.0, -0.354), (-1.75, 2.0, -0.334), (2.25, -2.0, -0.318), (2.25, 2.0, -0.277)],
    [(-2.0, -2.0, -0.313), (-2.0, 2.0, -0.242), (2.0, -2.0, -0.245), (2.0, 2.0, -0.325)],
    [(-1.75, -2.0, -0.291), (-1.75, 2.0, -0.24), (2.25, -2.0, -0.218), (2.25, 2.0, -0.222)],
    [(-2.25, -1.75, 0.391), (-2.25, 2.25, 0.328), (1.75, -1.75, 0.206), (1.75, 2.25, 0.238)],
]


def test_world_deforming_body_that_hardly_leaves_a_turning_triangle_meets_it_again() -> None:
    """Without restitution it leaves at no speed: exact tests cannot tell on which side of the triangle it is."""
    world = carom.World(response=carom.Elastic(0.0))
    world.add(carom.Deforming([[0, 2, 3], [0, 3, 1]], (0.0, 0.5, 1.0, 1.5, 2.0), BUMPY))
    body = world.add(carom.Convex(TETRAHEDRON), carom.Motion((0.5, 1.0, 1.5), velocity=(0.5, 0.0, -1.0)))
    for t in np.linspace(1.2, 2.0, 41):
        world.advance(float(t))
        world.audit()
        sheet = carom.Mesh(world.vertices(0), [[0, 2, 3], [0, 3, 1]])
        moved = carom.Convex(TETRAHEDRON + world.positions()[body])
        overlap = carom.penetration(moved, sheet)
        assert overlap is None or overlap.depth < 1e-7


def test_world_deforming_mesh_that_lands_flat_is_met_from_its_own_side() -> None:
    """Triangles in one plane have no side of their own; the contact before tells it."""
    corners = np.array([(x, y, z) for x in (-0.5, 0.5) for y in (-0.25, 0.25) for z in (-0.125, 0.125)])
    faces = [
        [0, 2, 6], [6, 4, 0], [0, 4, 5], [5, 1, 0], [4, 6, 5], [5, 6, 7],
        [3, 2, 0], [0, 1, 3], [3, 6, 2], [7, 6, 3], [1, 5, 3], [3, 5, 7],
    ]  # fmt: skip
    world = carom.World(response=carom.Elastic(1.0))
    world.add(carom.Mesh(corners, faces), carom.Motion((0.7, 1.0, 1.125), velocity=(-1.0, 0.0, -1.0)), inertia=0.1)
    world.add(sheet((0.0, 2.0), (0.0, 0.0), [(0.5, 0.2), (0.0, 0.2)]))
    log = world.advance(1.5)
    assert 1 < len(log) < 20
    assert log.normals == pytest.approx(np.tile((0.0, 0.0, -1.0), (len(log), 1)), abs=1e-6)


def test_world_deforming_key_right_after_a_bounce_does_not_wedge_the_body() -> None:
    """The contact is one unit in the last place before the key."""
    for height in np.nextafter(2.0, (0.0, 1.0, 2.0, 3.0)):
        world = carom.World(response=carom.Elastic(0.9))
        world.add(carom.Box((1.0, 0.25, 1.0)), carom.Motion((0.0, 0.5, height - 0.5), velocity=(0.0, 0.0, 1.0)))
        world.add(sheet((0.0, 1.0, 2.0), (3.0, 3.0, 3.0), [(0.0, 0.0), (0.25, 0.0), (0.0, 0.25)]))
        log = world.advance(1.9)
        assert len(log)
        assert (log.normals[:, 2] > 0.99).all()
