"""Proofs about bodies in the cells of a grid."""

from __future__ import annotations

import numpy as np

from carom._compile.jit import inner_kernel, lean_kernel
from carom.engine.framed.cell_spans import ABSENT, CELLED, TOP_LEVEL, aim, spans_meet
from carom.engine.framed.cell_update import still_in
from carom.engine.framed.hash_cells import OWN_NEXT, PLACE
from carom.tables.body_columns import NO_ID
from carom.tables.run_columns import FRAME_END, FRAME_LENGTH, NOW, STATE_OVERLAP


@inner_kernel
def _cover(spans, row):
    """Does the place of `row` in the tables cover the span in new_span?"""
    dims = (spans.new_span.shape[0] >> 1) // spans.new_level.shape[0]
    for g in range(spans.new_level.shape[0]):
        level = np.int64(spans.level[row, g])
        up = max(level - spans.new_level[g], 0)
        old_up = max(spans.new_level[g] - level, 0)
        for d in range(g * dims, (g + 1) * dims):
            if spans.span[row, 2 * d] >> old_up > spans.new_span[2 * d] >> up:
                return False
            if spans.span[row, 2 * d + 1] >> old_up < spans.new_span[2 * d + 1] >> up:
                return False
    return True


@inner_kernel
def _cells_touched(spans):
    """How many cells of all levels in use the body under work touches."""
    dims = (spans.new_span.shape[0] >> 1) // spans.new_level.shape[0]
    total = 0
    for g in range(spans.new_level.shape[0]):
        for level in range(spans.new_level[g], TOP_LEVEL + 1):
            if (spans.levels[g] >> level) & 1:
                up = level - spans.new_level[g]
                n = 1
                for d in range(g * dims, (g + 1) * dims):
                    n *= (spans.new_span[2 * d + 1] >> up) - (spans.new_span[2 * d] >> up) + 1
                total += n
    return total


@lean_kernel
def wrong_place(bodies, run, spans, cells, rows):
    """First row (index into `rows`) whose place does not cover its swept box, or that is not in exactly its cells; else -1."""
    now = run.param[NOW]
    for r in range(rows.shape[0]):
        row = np.int64(rows[r])
        if spans.kind[row] == ABSENT:
            return r
        aim(bodies, spans, row, now, max(now, run.param[FRAME_END]), run.param[FRAME_LENGTH])
        if not _cover(spans, row):
            return r
        for g in range(spans.new_level.shape[0]):
            spans.new_level[g] = spans.level[row, g]
        for e in range(spans.new_span.shape[0]):
            spans.new_span[e] = spans.span[row, e]
        expected = _cells_touched(spans) if spans.kind[row] == CELLED else 0
        k = cells.own[row]
        while k != NO_ID:
            if not still_in(spans, cells, np.int64(cells.node[k, PLACE])):
                return r
            expected -= 1
            k = cells.node[k, OWN_NEXT]
        if expected != 0:
            return r
    return -1


@lean_kernel
def far_pair(pairs, spans, slots, first, second):
    """First pair that counts as overlapping though its bodies are not close; -1 when none."""
    for k in range(slots.shape[0]):
        a = np.int64(first[k])
        b = np.int64(second[k])
        close = spans_meet(spans.span[a], spans.level[a], spans.span[b], spans.level[b])
        if pairs.state[slots[k]] & STATE_OVERLAP and not close:
            return k
    return -1
