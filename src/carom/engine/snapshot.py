"""A world as arrays, and back. Predictions are functions of the bodies' states, so they need not be saved."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from carom.bounds.polled import Polled
from carom.engine.entry import keyed_turns, write_orientation
from carom.engine.registry import Registry
from carom.engine.state import (
    CONTACTS,
    MOTION_CHANGES,
    NARROW_TESTS,
    NOW,
    PAIR_TESTS,
    PRIMITIVE_TESTS,
    SAME_AT,
    SAME_TIME,
    SWAPS,
    TIMERS,
)
from carom.errors import InvalidInputError
from carom.layout import FLAGS, FREE_ROW, GIVEN_BOUNDS, ID, KIND, NO_ID, SHAPE
from carom.queues.event_queue import EventQueue
from carom.shapes import Shape

if TYPE_CHECKING:
    from carom.world import World

_TABLES = ("body", "link", "quat", "spin", "given", "key_time", "key_pos", "key_turn", "track", "masks", "axes")
_COUNTERS = [SWAPS, MOTION_CHANGES, PAIR_TESTS, NARROW_TESTS, PRIMITIVE_TESTS, CONTACTS, TIMERS, SAME_TIME]
_COUNTER_NAMES = ("swaps", "motion_changes", "pair_tests", "narrow_tests", "primitive_tests", "contacts", "timers")
"""The fields of Stats that those counters are, in their order."""


def take_snapshot(world: World) -> dict[str, NDArray[Any]]:
    """Everything that decides how the world goes on."""
    tables = world._tables
    first, second, since = world._engine.reported()
    saved = {name: getattr(tables, name).copy() for name in _TABLES}
    return saved | {
        "periods": tables.periods.copy(),
        "timers": tables.timers.keys[: tables.capacity].copy(),
        "counters": tables.count[_COUNTERS].copy(),
        "clock": np.array([world._origin, tables.param[NOW], tables.param[SAME_AT], world._time]),
        "reported_rows": np.stack((first, second), axis=1).astype(np.int32),
        "reported_since": since.copy(),
        **world._registry.saved(),
    }


def counts_of(snapshot: dict[str, NDArray[Any]]) -> dict[str, int]:
    """What the world had done when the snapshot was taken, by the names of Stats; no world has to be built for it."""
    return dict(zip(_COUNTER_NAMES, (int(count) for count in snapshot["counters"]), strict=False))


def restore_tables(world: World, snapshot: dict[str, NDArray[Any]], shapes: Sequence[Shape]) -> None:
    """Fill an empty world from a snapshot; the caller rebuilds its engine afterwards and marks the reported pairs."""
    missing = {*_TABLES, "timers", "clock", "row_of_id", "reported_rows"} - set(snapshot)
    if missing:
        raise InvalidInputError(f"snapshot lacks {', '.join(sorted(missing))}; expected what World.snapshot() gave")
    tables = world._tables
    if not np.array_equal(snapshot["axes"], tables.axes):
        raise InvalidInputError("axes differ from those of the snapshot")
    if not np.array_equal(snapshot.get("periods", np.zeros(3)), tables.periods):
        raise InvalidInputError("periodic differs from that of the snapshot")
    row_of_id = np.asarray(snapshot["row_of_id"], np.int32)
    bodies = np.flatnonzero(row_of_id != NO_ID)
    if len(shapes) != len(bodies):
        raise InvalidInputError(f"shapes has {len(shapes)} entries; expected {len(bodies)}, one per body")
    capacity = len(snapshot["body"])
    tables.grow(capacity)
    for name in _TABLES:
        setattr(tables, name, np.ascontiguousarray(snapshot[name]).copy())
    tables.forget_pairs()
    tables.timers = EventQueue(capacity, tables.timers.method)
    tables.timers.keys[:capacity] = snapshot["timers"]
    tables.timers.build()
    tables.count[_COUNTERS] = snapshot["counters"]
    origin, tables.param[NOW], tables.param[SAME_AT], world._time = (float(v) for v in snapshot["clock"])
    world._origin = origin
    world._registry = Registry.restored(snapshot)
    tables.turning = bool(tables.spin.any() or tables.key_turn[:, 4:].any())
    for body, shape in zip(bodies, shapes, strict=True):
        row = int(row_of_id[body])
        if shape.kind != tables.link[row, KIND] or tables.link[row, ID] != body or tables.link[row, FLAGS] == FREE_ROW:
            raise InvalidInputError(f"shape of body {body} is a {type(shape).__name__}, not the one in the snapshot")
        if isinstance(shape, Polled):
            world._polled[int(body)] = shape
        else:
            tables.link[row, SHAPE] = tables.shapes.add(shape)
        guided = tables.link[row, FLAGS] == GIVEN_BOUNDS and not isinstance(shape, Polled)
        turns = guided or bool(tables.spin[row].any()) or keyed_turns(tables, row)
        write_orientation(tables, row, shape, tables.quat[row], turns)
