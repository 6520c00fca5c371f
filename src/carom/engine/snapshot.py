"""A world as arrays, and back. Predictions are functions of the bodies' states, so they need not be saved.

All but those of deforming bodies: which triangles touch already depends on what was reported before.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from carom.bounds.polled import Polled
from carom.engine.deforming.bodies import DeformingBodies
from carom.engine.entry import keyed_turns, write_orientation
from carom.engine.guided.saving import restored_guided, saved_guided
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
from carom.engine.tables import Tables
from carom.errors import InvalidInputError
from carom.layout import FLAGS, FREE_ROW, GIVEN_BOUNDS, ID, KIND, NO_ID, SHAPE
from carom.queues.event_queue import EventQueue
from carom.shapes import Shape
from carom.shapes.kind import POLLED

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
        **saved_guided(world._guided, world._broken),
        **world._deforming.saved(tables, _rows_by_id(world)),
    }


def _rows_by_id(world: World) -> dict[int, int]:
    return dict(zip(world._registry.ids().tolist(), world._registry.present().tolist(), strict=True))


def counts_of(snapshot: dict[str, NDArray[Any]]) -> dict[str, int]:
    """What the world had done when the snapshot was taken, by the names of Stats; no world has to be built for it."""
    return dict(zip(_COUNTER_NAMES, (int(count) for count in snapshot["counters"]), strict=False))


def restore_tables(world: World, snapshot: dict[str, NDArray[Any]], shapes: Sequence[Shape | None]) -> None:
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
    width = tables.given.shape[1]
    for name in _TABLES:
        setattr(tables, name, np.ascontiguousarray(snapshot[name]).copy())
    # Snapshots of earlier versions have no cutting planes.
    tables.given = np.zeros((len(snapshot["given"]), width))
    tables.given[:, : snapshot["given"].shape[1]] = snapshot["given"]
    tables.forget_pairs()
    tables.timers = EventQueue(capacity, tables.timers.method)
    tables.timers.keys[:capacity] = snapshot["timers"]
    tables.timers.build()
    tables.count[_COUNTERS] = snapshot["counters"]
    origin, tables.param[NOW], tables.param[SAME_AT], world._time = (float(v) for v in snapshot["clock"])
    world._origin = origin
    world._registry = Registry.restored(snapshot)
    tables.turning = bool(tables.spin.any() or tables.key_turn[:, 4:].any())
    deforming = set(snapshot["deforming_ids"].tolist()) if "deforming_ids" in snapshot else set()
    for body, shape in zip(bodies, shapes, strict=True):
        row = int(row_of_id[body])
        if int(body) in deforming:
            continue
        _check_shape(tables, int(body), row, shape)
        assert shape is not None
        if isinstance(shape, Polled):
            world._polled[int(body)] = shape
        else:
            tables.link[row, SHAPE] = tables.shapes.add(shape)
        guided = tables.link[row, FLAGS] == GIVEN_BOUNDS and not isinstance(shape, Polled)
        turns = guided or bool(tables.spin[row].any()) or keyed_turns(tables, row)
        write_orientation(tables, row, shape, tables.quat[row], turns)
    if "guided_ids" in snapshot:
        world._guided, world._broken = restored_guided(snapshot)
        world._deforming = DeformingBodies.restored(snapshot, tables, _rows_by_id(world))


def _check_shape(tables: Tables, body: int, row: int, shape: Shape | None) -> None:
    if tables.link[row, ID] != body or tables.link[row, FLAGS] == FREE_ROW:
        raise InvalidInputError(f"snapshot does not fit together: row {row} is not that of body {body}")
    if tables.link[row, KIND] == POLLED and not isinstance(shape, Polled):
        raise InvalidInputError(
            f"shape of body {body} is a {type(shape).__name__}; expected its carom.Polled, whose functions no snapshot holds"
        )
    if shape is None or shape.kind != tables.link[row, KIND]:
        raise InvalidInputError(f"shape of body {body} is a {type(shape).__name__}, not the one in the snapshot")
