"""Brute-force verification of a kinetic separation list: boxes, witnesses, links, events, and completeness."""

from __future__ import annotations

from math import inf
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from carom._compile.jit import lean_kernel
from carom.deform.kinetic_tree.audit import audit_tree, node_vertices, vertex_reaches
from carom.deform.kinetic_tree.faces import TREE_FACE, TREE_FACES, TREE_LEFT, TREE_PARENT, TREE_RIGHT
from carom.deform.model.reported_pairs import delivered_time, pair_key
from carom.deform.separation_list.box_witness import EARLY, parting_time, witness_fails
from carom.deform.separation_list.pair_events import BASE, CHORD, EAGER, N_NEIGHBOURS
from carom.deform.separation_list.pair_pool import (
    CHILD,
    CLOSE,
    FATHER,
    LINKED,
    NEXT_A,
    NODE_A,
    NODE_B,
    PAIR_BOX,
    PAIR_FREE,
    PAIR_OVERLAP,
    PAIR_SPLIT,
    PAIR_STATE,
    PAIR_UNSURE,
    TOP,
    list_of,
    opposite,
)
from carom.deform.triangles.leaf_contact import leaf_contact
from carom.errors import AuditError

if TYPE_CHECKING:
    from carom.deform.separation_list.interval import ListInterval


@lean_kernel
def _due(lists, pair, now, unknown):
    """When the next event of a pair is due, computed anew; -inf where exact arithmetic would be needed.

    unknown (4,) zeros: no direction of the past is relied on.
    """
    for d in range(3):
        unknown[d] = 0.0
    record = lists.pairs.record
    a = record[pair, NODE_A]
    b = record[pair, NODE_B]
    state = record[pair, PAIR_STATE]
    if state < PAIR_SPLIT:
        return witness_fails(lists.tree.line, a, b, state, now, lists.pad[0])
    due = inf
    if lists.rules[EAGER] != 0 and pair >= lists.rules[N_NEIGHBOURS]:
        due = parting_time(lists.tree.line, a, b, now, lists.pad[0])
    if state == CLOSE:
        i = lists.tree.node[a, TREE_FACE]
        j = lists.tree.node[b, TREE_FACE]
        i, j = min(i, j), max(i, j)
        time, _, epoch, sure = leaf_contact(
            lists.tree.faces, lists.motion, i, j, pair < lists.rules[N_NEIGHBOURS], unknown
        )
        if not sure:
            return -inf
        if time < inf and delivered_time(lists.delivered, pair_key(i, j)) < epoch:
            due = min(due, max(time, now))
    return due


@lean_kernel
def _links_hold(lists, seen):
    """Walk all lists of all boxes: every link must name its box and its list; counts visits of every pair."""
    record = lists.pairs.record
    for head in range(len(lists.pairs.boxes)):
        if head % PAIR_BOX > PAIR_OVERLAP:
            continue
        link = lists.pairs.boxes[head]
        while link >= 0:
            pair = link >> 1
            second = link & 1
            place = list_of(record[pair, PAIR_STATE])
            if head != PAIR_BOX * record[pair, NODE_A + second] + (opposite(place) if second == 1 else place):
                return False
            seen[pair] += 1
            if seen[pair] > 2:
                return False
            link = record[pair, NEXT_A + 2 * second]
    return True


def audit_list(interval: ListInterval) -> None:
    """Raise AuditError unless the whole state is right. Takes time and memory as the square of the number of triangles."""
    lists, s = interval.lists, interval.s
    node, rules = lists.tree.node, lists.rules
    roots = np.flatnonzero(node[:, TREE_PARENT] < 0).tolist()
    if rules[CHORD]:
        _audit_chords(interval, roots)
    else:
        audit_tree(lists.tree, interval.queue, roots, interval.alive, s, 1.0)
    if not interval.queue.check():
        raise AuditError("the event queue is out of order")
    record = lists.pairs.record[: lists.pairs.pool[TOP]]
    live = np.flatnonzero(record[:, PAIR_STATE] != PAIR_FREE)
    seen = np.zeros(len(record), np.int64)
    links = np.where(record[:, PAIR_STATE] != PAIR_FREE, 2 if lists.pairs.pool[LINKED] else 0, 0)
    links[: rules[N_NEIGHBOURS]] = 0
    if not _links_hold(lists, seen) or (seen != links).any():
        raise AuditError("a pair is not linked to its two boxes")
    for pair in live.tolist():
        _audit_pair(interval, pair)
    _audit_cover(interval, record, live)


def _audit_chords(interval: ListInterval, roots: list[int]) -> None:
    """Every chord box holds all vertices below it from now on: it does at both ends, and both are straight."""
    tree, s = interval.lists.tree, interval.s
    reaches = vertex_reaches(tree)
    for time in (s, 1.0):
        here = reaches[:, :, 0] + reaches[:, :, 1] * time
        box = tree.line[:, :, 0] + tree.line[:, :, 1] * time
        for row, below in node_vertices(tree, roots).items():
            if (box[row] < here[below].max(axis=0) - interval.lists.pad[0]).any():
                raise AuditError(f"the chord box of node {row} does not hold a vertex below it")


def _audit_pair(interval: ListInterval, pair: int) -> None:
    lists, s = interval.lists, interval.s
    record, pad = lists.pairs.record, float(lists.pad[0])
    a, b, state = record[pair, [NODE_A, NODE_B, PAIR_STATE]].tolist()
    told = interval.queue.time(int(lists.rules[BASE]) + pair)
    if state == PAIR_UNSURE:
        return
    line = lists.tree.line
    if state < PAIR_SPLIT and told > s:
        gap = -float(line[a, state] @ (1.0, s) + line[b, (state + 3) % TREE_FACES] @ (1.0, s))
        if gap < 0.5 * pad:
            raise AuditError(f"boxes {a} and {b} are not apart along face {state}: gap {gap}")
    due = float(_due(lists, pair, s, np.zeros(4, np.float32)))
    if due == -inf:
        return
    if not _agrees(told, due, s, bool(lists.rules[EAGER]) and state >= PAIR_SPLIT):
        raise AuditError(f"pair {pair} ({a}, {b}) in state {state} is due at {due}, not at {told} as queued")
    if state == PAIR_SPLIT:
        block = int(record[pair, CHILD])
        children = [k for k in range(block, block + 4) if record[k, PAIR_STATE] != PAIR_FREE]
        if not children or (lists.pairs.rare[children, FATHER] != pair).any():
            raise AuditError(f"pair {pair} and the pairs below it do not agree")


def _agrees(told: float, due: float, s: float, overlapping: bool) -> bool:
    """Is an event queued when it is due? What is late is now. Of overlapping pairs, the parting that is queued is a bound: it
    is looked at again when it comes, and put off by EARLY where boxes part for a moment only."""
    if told <= s and due <= s:
        return True
    if overlapping:
        return told <= due + 2.0 * EARLY
    return told == due or bool(np.isclose(told, due, rtol=1e-9, atol=1e-11))


def _audit_cover(interval: ListInterval, record: NDArray[np.int32], live: NDArray[np.int64]) -> None:
    """The list covers every pair of triangles that is to be compared exactly once."""
    forest = interval.forest
    assert forest is not None
    node = interval.lists.tree.node
    held: dict[int, list[int]] = {}
    for row in range(len(node) - 1, -1, -1):
        left, right = node[row, TREE_LEFT], node[row, TREE_RIGHT]
        held[row] = [int(node[row, TREE_FACE])] if left < 0 else held[int(left)] + held[int(right)]
    m = len(interval.owner)
    covered = np.zeros((m, m), np.int64)
    for pair in live.tolist():
        if record[pair, PAIR_STATE] != PAIR_SPLIT:
            a, b = held[int(record[pair, NODE_A])], held[int(record[pair, NODE_B])]
            covered[np.ix_(a, b)] += 1
            covered[np.ix_(b, a)] += 1
    same = interval.owner[:, None] == interval.owner[None, :]
    wanted = np.where(same, interval.searched[interval.owner][:, None], True)
    wanted &= interval.alive[:, None] & interval.alive[None, :] & ~np.eye(m, dtype=bool)
    if (covered != wanted).any():
        a, b = np.argwhere(covered != wanted)[0].tolist()
        raise AuditError(f"triangles {a} and {b} are covered {covered[a, b]} times")
