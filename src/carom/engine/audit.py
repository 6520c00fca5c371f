"""Proofs about a whole world that do not depend on the broad phase."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from carom._compile.jit import lean_kernel
from carom.boxes.still_boxes import find_pairs
from carom.engine.body_boxes import bounds_at
from carom.engine.contract import Engine
from carom.engine.events.narrow_call import advances
from carom.engine.events.pairs import collide_groups
from carom.engine.events.predict import predict, test_now
from carom.engine.periodic import with_images
from carom.engine.tables import Tables
from carom.errors import AuditError
from carom.shapes.kind import POLLED
from carom.tables.body_columns import FLAGS, FREE_ROW, ID, KIND
from carom.tables.run_columns import NOW, STATE_CONTACT, STATE_LEAVING, Pairs, Run


@lean_kernel
def _wrong_prediction(bodies, pairs, run, scratch, slots, first, second):
    """First pair whose contact time differs from a fresh prediction, -1 when none; `scratch` is a copy of `pairs`."""
    for k in range(slots.shape[0]):
        slot = slots[k]
        i = np.int64(first[k])
        j = np.int64(second[k])
        if bodies.link[i, KIND] == POLLED or bodies.link[j, KIND] == POLLED or advances(bodies, i, j):
            continue  # asked by the application, or searched stretch by stretch
        if pairs.state[slot] & STATE_LEAVING:
            continue  # no event to come
        predict(bodies, scratch, run, slot, i, j)
        if pairs.state[slot] & STATE_CONTACT and not scratch.state[slot] & STATE_CONTACT:
            test_now(bodies, scratch, run, slot, i, j)
        if pairs.keys[slot] != scratch.keys[slot]:
            return k
    return -1


def audit_predictions(tables: Tables, engine: Engine, *, just_changed: bool) -> None:
    """Every stored prediction equals a fresh one, bit for bit; the clock has not passed an event.

    just_changed: at this very time. Bodies that overlap then may meet at the last key of one of them, which is past: that
    event is due, and not passed over.
    """
    if tables.periods.any():
        return  # predictions are for images of the bodies, which only the grid knows; it proves its plans itself
    slots, first, second = engine.pair_rows()
    pairs = engine.pairs()
    scratch = Pairs(*(array.copy() for array in pairs))
    run = Run(tables.log, tables.count.copy(), tables.param.copy(), tables.none)
    wrong = _wrong_prediction(tables.bodies(), pairs, run, scratch, slots, first, second)
    if wrong >= 0:
        a, b = tables.link[first[wrong], ID], tables.link[second[wrong], ID]
        raise AuditError(f"the prediction of bodies {a} and {b} is {pairs.keys[slots[wrong]]}; it should be another")
    is_contact = (engine.state[slots] & STATE_CONTACT) != 0
    passed = is_contact & (engine.queue.keys[slots] < tables.param[NOW] - 1e-9)
    if passed.any() and not just_changed:
        k = int(np.flatnonzero(passed)[0])
        raise AuditError(
            f"an event of bodies {tables.link[first[k], ID]} and {tables.link[second[k], ID]} was passed over"
        )


@lean_kernel
def _collidable(bodies, pairs, kept):
    for k in range(pairs.shape[0]):
        kept[k] = collide_groups(bodies, np.int64(pairs[k, 0]), np.int64(pairs[k, 1]))


def present_rows(tables: Tables) -> NDArray[np.int32]:
    """Rows that hold a body."""
    return np.flatnonzero(tables.link[:, FLAGS] != FREE_ROW).astype(np.int32)


def overlapping_bounds(tables: Tables) -> NDArray[np.int64]:
    """Pairs (m, 2) of ids, sorted, whose kinetic bounds overlap at the current time and whose groups collide."""
    rows = present_rows(tables)
    low, high = bounds_at(tables, rows, float(tables.param[NOW]))
    if tables.periods.any():
        low, high, stands_for = with_images(low, high, tables.periods)
        pairs = np.unique(np.sort(stands_for[find_pairs(low, high)].reshape(-1, 2), axis=1), axis=0)
        found = rows[pairs[pairs[:, 0] != pairs[:, 1]]]
    else:
        found = rows[find_pairs(low, high)].reshape(-1, 2)
    kept = np.zeros(len(found), np.bool_)
    _collidable(tables.bodies(), found, kept)
    ids = np.sort(tables.link[found[kept], ID].astype(np.int64), axis=1)
    return np.asarray(ids[np.lexsort((ids[:, 1], ids[:, 0]))])
