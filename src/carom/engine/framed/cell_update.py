"""What happens when a box comes to touch other cells: pairs begin and end, and the cells learn their new members."""

from __future__ import annotations

import functools
from typing import NamedTuple

import numpy as np

from carom._compile.jit import inline_kernel, inner_kernel
from carom.engine.addresses import bodies_at, pairs_at, run_at, unpacker
from carom.engine.framed.cell_spans import (
    ABSENT,
    CELLED,
    MOST_CELLS,
    TOP_LEVEL,
    WIDE_SPAN,
    Spans,
    aim,
    same_place,
    settle,
    spans_meet,
)
from carom.engine.framed.hash_cells import (
    AFTER,
    HOME,
    MEMBER,
    OWN_NEXT,
    PASSING,
    PLACE,
    Cells,
    cells_lack_room,
    join_cell,
    leave_all_cells,
    leave_cell,
    open_cell,
)
from carom.engine.framed.loop import (
    MOVED,
    N_WIDE,
    STRUCTURE,
    WORK,
    WORK_LIMIT,
    join_wide,
    leave_wide,
    places_at,
    report_apart,
    report_met,
    task_address,
)
from carom.tables.arrays import Longs
from carom.tables.body_columns import HEAD, NO_ID
from carom.tables.run_columns import (
    DONE,
    FRAME_END,
    FRAME_LENGTH,
    NOW,
    ROOM_WANTED,
    STATE_OVERLAP,
)

MOST_ENTERED = 3 * (MOST_CELLS + 8 * TOP_LEVEL)
"""More cells than one body can enter at once."""

_TAG = 64
"""The tag of a cell is 64*grid + level."""


class Entered(NamedTuple):
    """Cells that the body that moves has just entered."""

    slots: Longs
    """int64 (MOST_ENTERED,): scratch"""


_spans_at = unpacker(Spans, STRUCTURE)
_cells_at = unpacker(Cells, STRUCTURE + len(Spans._fields))
_entered_at = unpacker(Entered, STRUCTURE + len(Spans._fields) + len(Cells._fields))


@inline_kernel
def _reach(span, d, dims, side, up):
    """Coordinate of one end of a span on axis d of its grid at a level `up` above its own; 0 on axes that the grid lacks."""
    return span[2 * d + side] >> up if dims > 0 else 0


@inner_kernel
def _first_common(spans, other, g, level, d, cell):
    """Is `cell` the first on axis d that the body under work has in common with `other`?"""
    mine = spans.new_span[2 * d] >> (level - spans.new_level[g])
    return max(mine, spans.span[other, 2 * d] >> (level - np.int64(spans.level[other, g]))) == cell


@inner_kernel
def _met_before(spans, row, other):
    """Are `row`, where its table row says, and `other` close?"""
    return spans.kind[row] != ABSENT and spans_meet(
        spans.span[row], spans.level[row], spans.span[other], spans.level[other]
    )


@inner_kernel
def _meet_now(spans, other):
    """Are the body under work and `other` close?"""
    return spans_meet(spans.new_span, spans.new_level, spans.span[other], spans.level[other])


@inner_kernel
def _meet_members(spans, cells, places, row, g, level, slot, which):
    """Report the members of a cell that `row` enters and that it did not meet before, each in the first cell both touch."""
    n_grids = spans.new_level.shape[0]
    dims = (spans.new_span.shape[0] >> 1) // n_grids
    k = cells.head[slot, which]
    while k != NO_ID:
        places.control[WORK] += 1
        other = np.int64(cells.node[k, MEMBER])
        k = cells.node[k, AFTER]
        first = other != row
        for d in range(g * dims, (g + 1) * dims):
            first &= _first_common(spans, other, g, level, d, cells.key[slot, 1 + d - g * dims])
        if first and not _met_before(spans, row, other) and (n_grids == 1 or _meet_now(spans, other)):
            report_met(places, other)


@inner_kernel
def _enter_level(spans, cells, entered, places, row, g, level, n):
    """Find the cells of one level that `row` enters, append them to `entered` from n on, and report whom it meets there.

    Returns the new n.
    """
    n_axes = spans.new_span.shape[0] >> 1
    dims = n_axes // spans.new_level.shape[0]
    d = g * dims
    own = spans.new_level[g]
    was = np.int64(spans.level[row, g])
    which = HOME if own == level else PASSING
    stays = spans.kind[row] == CELLED and was <= level and (was == level) == (own == level)
    up = level - own
    old_up = level - was if stays else 0
    new, old = spans.new_span, spans.span[row]
    for x in range(_reach(new, d, dims, 0, up), _reach(new, d, dims, 1, up) + 1):
        x_stays = stays and _reach(old, d, dims, 0, old_up) <= x <= _reach(old, d, dims, 1, old_up)
        for y in range(_reach(new, d + 1, dims - 1, 0, up), _reach(new, d + 1, dims - 1, 1, up) + 1):
            y0, y1 = _reach(old, d + 1, dims - 1, 0, old_up), _reach(old, d + 1, dims - 1, 1, old_up)
            y_stays = x_stays and y0 <= y <= y1
            for z in range(_reach(new, d + 2, dims - 2, 0, up), _reach(new, d + 2, dims - 2, 1, up) + 1):
                if y_stays and _reach(old, d + 2, dims - 2, 0, old_up) <= z <= _reach(old, d + 2, dims - 2, 1, old_up):
                    continue
                slot = open_cell(cells, _TAG * g + level, x, y, z)
                entered[n] = 2 * slot + which
                n += 1
                for listed in range(2 - which):  # who only passes does not meet those that only pass
                    _meet_members(spans, cells, places, row, g, level, slot, listed)
    return n


@inner_kernel
def _meet_wide(spans, places, row, kind):
    """Report new pairs of which one is wide: with everyone where `row` is or was, else with those that are."""
    if kind == WIDE_SPAN or spans.kind[row] == WIDE_SPAN:
        places.control[WORK] += spans.kind.shape[0]
        for other in range(spans.kind.shape[0]):
            present = other != row and spans.kind[other] != ABSENT
            if present and _meet_now(spans, other) and not _met_before(spans, row, other):
                report_met(places, other)
    else:
        for k in range(places.control[N_WIDE]):
            other = np.int64(places.wide[k])
            if _meet_now(spans, other) and not _met_before(spans, row, other):
                report_met(places, other)


@inner_kernel
def _part(bodies, pairs, spans, places, row):
    """Report those pairs of `row` that are no longer close. Bodies that have no place yet decide that themselves later."""
    node = bodies.link[row, HEAD]
    while node != NO_ID:
        slot = np.int64(node) >> 1
        other = np.int64(pairs.node[node ^ 1, 0])
        placed = pairs.state[slot] & STATE_OVERLAP and spans.kind[other] != ABSENT
        if placed and not _meet_now(spans, other):
            report_apart(places, slot)
        node = pairs.node[node, 1]


@inner_kernel
def still_in(spans, cells, place):
    """Does the body under work still belong to the list `place` of a cell?"""
    key = cells.key[place >> 1]
    g = key[0] // _TAG
    level = key[0] - _TAG * g
    up = level - spans.new_level[g]
    if up < 0 or (up == 0) != (place & 1 == HOME):
        return False
    dims = (spans.new_span.shape[0] >> 1) // spans.new_level.shape[0]
    for d in range(dims):
        e = 2 * (g * dims + d)
        if not spans.new_span[e] >> up <= key[1 + d] <= spans.new_span[e + 1] >> up:
            return False
    return True


@inner_kernel
def _leave_cells(spans, cells, row):
    """Take `row` out of the cells that its new span does not touch."""
    node = cells.node
    before = NO_ID
    k = np.int64(cells.own[row])
    while k != NO_ID:
        if still_in(spans, cells, np.int64(node[k, PLACE])):
            before = k
            k = np.int64(node[k, OWN_NEXT])
            continue
        k = np.int64(leave_cell(cells, k))
        if before == NO_ID:
            cells.own[row] = k
        else:
            node[before, OWN_NEXT] = k


@inner_kernel
def _move(table, row):
    """Bring `row` to the cells of its box, swept from now to the end of the frame."""
    bodies, pairs, run = bodies_at(table), pairs_at(table), run_at(table)
    places, spans, cells, entered = places_at(table), _spans_at(table), _cells_at(table), _entered_at(table).slots
    if places.control[WORK] > places.control[WORK_LIMIT]:
        return ROOM_WANTED
    now = run.param[NOW]
    kind, until = aim(bodies, spans, row, now, max(now, run.param[FRAME_END]), run.param[FRAME_LENGTH])
    if same_place(spans, row, kind):
        places.stay[row] = until
        return DONE
    if cells_lack_room(cells, MOST_ENTERED):
        return ROOM_WANTED
    _meet_wide(spans, places, row, kind)
    _part(bodies, pairs, spans, places, row)
    n = np.int64(0)
    if kind == CELLED:
        for g in range(spans.new_level.shape[0]):
            for level in range(spans.new_level[g], TOP_LEVEL + 1):
                if spans.levels[g] >> level == 0:
                    break
                if (spans.levels[g] >> level) & 1:
                    n = _enter_level(spans, cells, entered, places, row, g, level, n)
        _leave_cells(spans, cells, row)
    else:
        leave_all_cells(cells, row)
    for k in range(n):
        join_cell(cells, entered[k], row)
    if kind == WIDE_SPAN and spans.kind[row] != WIDE_SPAN:
        join_wide(places, row)
    elif kind != WIDE_SPAN and spans.kind[row] == WIDE_SPAN:
        leave_wide(places, row)
    settle(spans, row, kind)
    places.control[MOVED] = row
    places.stay[row] = until
    return DONE


@inner_kernel
def _leave(table, row):
    """Take `row` out of all cells, or of the list of wide bodies."""
    spans = _spans_at(table)
    leave_all_cells(_cells_at(table), row)
    if spans.kind[row] == WIDE_SPAN:
        leave_wide(places_at(table), row)
    spans.kind[row] = ABSENT


@functools.cache
def grid_move_address() -> int:
    """Address of the C function that carom.engine.framed.loop.MOVE_ADDRESS asks for. Compiles on first use."""
    return task_address(_move, _leave)
