"""Triangles that share a vertex, in a separation list: records without links, tested per fan.

Boxes of neighbours always overlap, so they have no box events; and as long as a fan around a vertex they share is clear, they
have no contact either. So only neighbours in fans that are not clear are tested, and nothing is done for the others: their
records say CLOSE, no contact, all the time. Fans some pair of which may say otherwise are `armed`.
"""

from __future__ import annotations

from math import inf

from carom._compile.jit import inner_kernel, lean_kernel
from carom.deform.model.changed_fans import look_at_fan
from carom.deform.separation_list.pair_events import BASE, CHANGES, arm_leaves
from carom.deform.separation_list.pair_pool import (
    CHILD,
    CLOSE,
    FATHER,
    NODE_A,
    NODE_B,
    PAIR_BOX,
    PAIR_MARK,
    PAIR_STATE,
    PAIR_TRIANGLE,
    TOP,
    schedule,
)


@lean_kernel
def start_neighbours(lists, leaves, neighbours):
    """Records of neighbours (q, 2), pairs of triangles, first in the pool. leaves (m,): node of every triangle."""
    pairs = lists.pairs
    record = pairs.record
    for pair in range(len(neighbours)):
        record[pair, NODE_A] = leaves[neighbours[pair, 0]]
        record[pair, NODE_B] = leaves[neighbours[pair, 1]]
        record[pair, CHILD] = -1
        record[pair, PAIR_STATE] = CLOSE
        pairs.rare[pair, FATHER] = -1
        pairs.contact[pair] = inf
    pairs.pool[TOP] = len(neighbours)


@inner_kernel
def _disarm(lists, pair, bulk):
    """No contact of two neighbours."""
    lists.pairs.record[pair, PAIR_STATE] = CLOSE
    lists.pairs.contact[pair] = inf
    schedule(lists.queue, lists.rules[BASE] + pair, inf, bulk)


@inner_kernel
def _arm(lists, pair, now, bulk):
    """Test two neighbours, whose fans are not clear."""
    for k in range(2):
        if lists.fans.shared[pair, k] >= 0:
            lists.fans.armed[lists.fans.shared[pair, k]] = 1
    arm_leaves(lists, pair, now, bulk)


@lean_kernel
def refresh_neighbours(lists, proved, now):
    """Contacts of neighbours from now on, at the beginning of an interval. proved (v,): fans that are clear. The queue is to be
    built after."""
    fans = lists.fans
    for v in range(len(fans.kind)):
        if fans.armed[v]:
            fans.armed[v] = 0
            for k in range(fans.first_pair[v], fans.first_pair[v + 1]):
                _disarm(lists, fans.held[k], True)
    for v in range(len(fans.kind)):
        if proved[v]:
            continue
        for k in range(fans.first_pair[v], fans.first_pair[v + 1]):
            pair = fans.held[k]
            other = fans.shared[pair, 0] + fans.shared[pair, 1] - v
            if other < 0 or (v < other and not proved[other]):
                _arm(lists, pair, now, True)


@inner_kernel
def recheck_neighbours(lists, leaves, now):
    """Contacts of neighbours after flights around these leaves changed, which are marked.

    A pair of which one leaf is marked has all its fans looked at. It is handled in the fan of its lowest shared vertex: if that
    is clear and not armed, the pair is clear, and says so.
    """
    fans = lists.fans
    record, boxes = lists.pairs.record, lists.pairs.boxes
    look = lists.counts[CHANGES]
    if len(fans.kind) == 0:
        return
    for leaf in leaves:
        triangle = boxes[PAIR_BOX * leaf + PAIR_TRIANGLE]
        for corner in range(3):
            v = lists.tree.faces[triangle, corner]
            if fans.looked_at[v] != look:
                look_at_fan(fans, lists.motion, v, now, look)
    for leaf in leaves:
        triangle = boxes[PAIR_BOX * leaf + PAIR_TRIANGLE]
        for corner in range(3):
            v = lists.tree.faces[triangle, corner]
            if fans.handled_at[v] == look or (fans.proved[v] and not fans.armed[v]):
                continue
            fans.handled_at[v] = look
            for k in range(fans.first_pair[v], fans.first_pair[v + 1]):
                pair = fans.held[k]
                other = fans.shared[pair, 0] + fans.shared[pair, 1] - v
                a, b = record[pair, NODE_A], record[pair, NODE_B]
                if 0 <= other < v or (
                    boxes[PAIR_BOX * a + PAIR_MARK] != look and boxes[PAIR_BOX * b + PAIR_MARK] != look
                ):
                    continue
                if fans.proved[v] or (other >= 0 and fans.proved[other]):
                    _disarm(lists, pair, False)
                else:
                    _arm(lists, pair, now, False)
