"""A world as arrays, and back. Predictions are functions of the bodies' states, so they need not be saved.

All but those of deforming bodies: which triangles touch already depends on what was reported before.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import inf
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from carom.bounds.polled import Polled
from carom.engine.periodic import check_periodic
from carom.engine.tables import Tables
from carom.errors import InvalidInputError
from carom.queues.event_queue import EventQueue
from carom.response import Elastic
from carom.shapes import Shape
from carom.shapes.kind import POLLED
from carom.shapes.registry import SHAPES
from carom.tables.body_columns import AX, FLAGS, FREE_ROW, GIVEN_BOUNDS, KIND, NO_ID, SHAPE, TRACK
from carom.tables.run_columns import (
    CALLABLE,
    CONTACTS,
    ELASTIC,
    MOTION_CHANGES,
    NARROW_TESTS,
    NOW,
    PAIR_TESTS,
    PASS_THROUGH,
    PRIMITIVE_TESTS,
    SAME_AT,
    SAME_TIME,
    SWAPS,
    TIMERS,
)
from carom.validate import with_article
from carom.world.body_rows import check_turning, keyed_turns, write_orientation
from carom.world.broad_phase import rebuild
from carom.world.clock.clock import set_origin
from carom.world.deforming.bodies import DeformingBodies
from carom.world.deforming.bounds import restore_surface
from carom.world.guided.saving import restored_guided, saved_guided
from carom.world.guided.steering import GuidedBodies
from carom.world.registry import Registry
from carom.world.saved.check import Registered, checked_clock, checked_counters, checked_reported, checked_tables
from carom.world.saved.fields import Fields
from carom.world.starts.starts import Starts

if TYPE_CHECKING:
    from carom.world.world import World

_TABLES = (
    "body",
    "link",
    "quat",
    "spin",
    "departure",
    "given",
    "key_time",
    "key_pos",
    "key_turn",
    "track",
    "masks",
    "axes",
)
_COUNTERS = [SWAPS, MOTION_CHANGES, PAIR_TESTS, NARROW_TESTS, PRIMITIVE_TESTS, CONTACTS, TIMERS, SAME_TIME]
_COUNTER_NAMES = ("swaps", "motion_changes", "pair_tests", "narrow_tests", "primitive_tests", "contacts", "timers")
"""The fields of Stats that those counters are, in their order."""


def take_snapshot(world: World) -> dict[str, NDArray[Any]]:
    """Everything that decides how the world goes on."""
    tables = world._tables
    first, second, since = world._engine.reported()
    saved = {name: getattr(tables, name).copy() for name in _TABLES}
    _save_codes(saved["link"], [shape.code for shape in tables.shapes.shapes])
    return saved | {
        "shape_digests": _shape_digests(world),
        "periods": tables.periods.copy(),
        "timers": tables.timers.keys[: tables.capacity].copy(),
        "counters": tables.count[_COUNTERS].copy(),
        "response": _response_as_numbers(world.response),
        "clock": np.array([world._origin, tables.param[NOW], tables.param[SAME_AT], world._time]),
        "reported_rows": np.stack((first, second), axis=1).astype(np.int32),
        "reported_since": since.copy(),
        "touching_ids": np.array(list(world._touching), np.int64).reshape(-1, 2),
        "touching_at": np.array(list(world._touching.values()), np.float64),
        **world._bodies.registry.saved(),
        **world._starts.saved(),
        **saved_guided(world._guided.by_id, world._guided.broken),
        **world._deforming.saved(tables, world._bodies.rows_by_id()),
    }


def _save_codes(link: NDArray[np.int32], codes: Sequence[int]) -> None:
    """Write the code of its shape in place of the kind of every body that has one: kinds do not tell all shapes apart."""
    shaped = np.flatnonzero((link[:, SHAPE] != NO_ID) & (link[:, FLAGS] != FREE_ROW))
    link[shaped, KIND] = np.array(codes, np.int32)[link[shaped, SHAPE]]


def _shape_digests(world: World) -> NDArray[np.uint64]:
    """Digests of the shapes of all bodies, by id; 0 for those that deform or are polled."""
    tables = world._tables
    own = tables.link[world._bodies.registry.present(), SHAPE]
    digests = np.array([shape.digest() for shape in tables.shapes.shapes] + [0], np.uint64)
    return np.where(own == NO_ID, np.uint64(0), digests[own])


def counts_of(snapshot: dict[str, NDArray[Any]]) -> dict[str, int]:
    """What the world had done when the snapshot was taken, by the names of Stats; no world has to be built for it."""
    return dict(zip(_COUNTER_NAMES, (int(count) for count in snapshot["counters"]), strict=False))


def time_of(snapshot: dict[str, NDArray[Any]]) -> float:
    """The time of the world when the snapshot was taken; no world has to be built for it."""
    return float(snapshot["clock"][3])


def _fields(snapshot: Mapping[str, Any]) -> Fields:
    if not isinstance(snapshot, Mapping):
        raise InvalidInputError(f"snapshot is {snapshot!r}; expected what World.snapshot() gave")
    return Fields(snapshot)


def _response_as_numbers(response: Any) -> NDArray[np.float64]:
    """The response (3,): PASS_THROUGH, ELASTIC or CALLABLE, and restitution and collapse time of an Elastic."""
    if isinstance(response, Elastic):
        return np.array([ELASTIC, response.restitution, response.collapse_time])
    return np.array([PASS_THROUGH if response is None else CALLABLE, 0.0, 0.0])


def saved_response(snapshot: Mapping[str, Any]) -> Elastic | None:
    """The response of the world that was saved; InvalidInputError where it was a function, which no snapshot holds."""
    saved = _fields(snapshot)
    if "response" not in saved:  # earlier versions saved none
        return None
    kind, restitution, collapse_time = saved.array("response", np.float64, (3,)).tolist()
    if kind == ELASTIC:
        return Elastic(restitution, collapse_time)
    if kind != PASS_THROUGH:
        raise InvalidInputError(
            "response is not given, and that of the saved world is a function, which no snapshot holds; expected this "
            "function, or response=None if bodies are to pass through each other"
        )
    return None


def restore_world(world: World, snapshot: Mapping[str, Any], shapes: Sequence[Shape | None]) -> None:
    """Let an empty world go on from a snapshot; InvalidInputError where the snapshot is none, or not of these shapes."""
    saved = _fields(snapshot)
    tables = world._tables
    if not np.array_equal(saved.array("axes", np.float64, (None, 3)), tables.axes):
        raise InvalidInputError("axes differ from those of the snapshot")
    periods = saved.array("periods", np.float64, (3,)) if "periods" in saved else np.zeros(3)
    if not np.array_equal(periods, tables.periods):
        raise InvalidInputError("periodic differs from that of the snapshot")
    clock = checked_clock(saved)
    arrays, known = checked_tables(saved, len(tables.axes), clock)
    reported = checked_reported(saved, known)
    counters = checked_counters(saved, len(_COUNTERS))
    _check_shapes(shapes, known)
    digests = saved.array("shape_digests", np.uint64, (len(known.ids),)) if "shape_digests" in saved else None
    tables.grow(len(arrays["body"]))
    for name, array in arrays.items():
        if name in _TABLES:
            setattr(tables, name, array)
    tables.forget_pairs()
    tables.timers = EventQueue(tables.capacity, tables.timers.method)
    tables.timers.keys[: tables.capacity] = arrays["timers"]
    tables.timers.build()
    set_origin(world, clock.origin)
    world._time = clock.time
    tables.param[NOW], tables.param[SAME_AT] = clock.now, clock.same_at
    world._bodies.registry = Registry.restored(known)
    tables.turning = bool(tables.spin.any() or tables.key_turn[:, 4:].any())
    deforming = set(saved.array("deforming_ids", np.int64, (None,)).tolist()) if "deforming_ids" in saved else set()
    rigid: dict[int, int] = {}
    guided: list[int] = []
    for k, (body, row, shape) in enumerate(zip(known.ids.tolist(), known.rows.tolist(), shapes, strict=True)):
        if tables.link[row, KIND] == POLLED and body in deforming:
            restore_surface(tables, row)
            continue
        _restore_shape(world, body, row, shape, None if digests is None else int(digests[k]))
        if tables.link[row, KIND] != POLLED:
            rigid[body] = row
            if tables.link[row, FLAGS] == GIVEN_BOUNDS:
                guided.append(body)
    if guided or "guided_ids" in saved or "deforming_ids" in saved:  # earlier versions had neither
        world._guided = GuidedBodies(*restored_guided(saved, np.array(guided, np.int64)))
        world._deforming = DeformingBodies.restored(saved, tables, clock, rigid)
    _restore_news(world, saved, known)
    rebuild(world, reported)
    tables.count[_COUNTERS] = counters


def _restore_news(world: World, saved: Fields, known: Registered) -> None:
    """What was not looked at yet, and which polled bodies touch; earlier versions saved neither."""
    if "starts_put" in saved:
        world._starts = Starts.restored(saved, known.ids)
    if "touching_ids" in saved:
        pairs = saved.array("touching_ids", np.int64, (None, 2))
        times = saved.array("touching_at", np.float64, (len(pairs),))
        world._touching = {(int(a), int(b)): float(t) for (a, b), t in zip(pairs, times, strict=True)}


def _check_shapes(shapes: Sequence[Shape | None], known: Registered) -> None:
    try:
        n = len(shapes)
    except TypeError:
        raise InvalidInputError(f"shapes is {shapes!r}; expected a list of shapes, one per body") from None
    if n != len(known.ids):
        raise InvalidInputError(f"shapes has {n} entries; expected {len(known.ids)}, one per body")


def _restore_shape(world: World, body: int, row: int, shape: Shape | None, digest: int | None) -> None:
    """Write what follows from the shape of a body that does not deform. digest: None in snapshots of earlier versions."""
    tables = world._tables
    _check_shape(tables, body, row, shape, digest)
    assert shape is not None
    guided = tables.link[row, FLAGS] == GIVEN_BOUNDS and not isinstance(shape, Polled)
    turns = guided or bool(tables.spin[row].any()) or keyed_turns(tables, row)
    name = f"shape of body {body}"
    check_turning(name, shape, turns)
    check_periodic(tables.periods, name, shape, tables.body[row, AX : AX + 3], tables.quat[row])
    if isinstance(shape, Polled):
        world._bodies.polled[body] = shape
        tables.link[row, SHAPE] = NO_ID
        tables.given[tables.link[row, TRACK], 0] = 1.0 / shape.rate
    else:
        tables.link[row, SHAPE], tables.link[row, KIND] = tables.shapes.add(shape), shape.kind
        if guided:
            tables.given[tables.link[row, TRACK], 0] = inf
    write_orientation(tables, row, shape, tables.quat[row], turns)


def _check_shape(tables: Tables, body: int, row: int, shape: Shape | None, digest: int | None) -> None:
    given = with_article(type(shape).__name__) if shape is not None else "None"
    if tables.link[row, KIND] == POLLED and not isinstance(shape, Polled):
        raise InvalidInputError(
            f"shape of body {body} is {given}; expected its carom.Polled, whose functions no snapshot holds"
        )
    if not isinstance(shape, Shape) or shape.code != tables.link[row, KIND]:
        held = next(each for each in SHAPES if each.code == tables.link[row, KIND])
        raise InvalidInputError(
            f"shape of body {body} is {given}, not the one in the snapshot, which is {with_article(held.__name__)}"
        )
    if digest is not None and not isinstance(shape, Polled) and shape.digest() != digest:
        raise InvalidInputError(f"shape of body {body} is {given} of other measures than the one in the snapshot")
