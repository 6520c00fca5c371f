"""Exact contacts of those pairs of a separation list that the filter left open: all of them at once, when one is due."""

from __future__ import annotations

from math import inf

import numpy as np

from carom._compile.jit import lean_kernel
from carom.deform.kinetic_tree.faces import TREE_FACE
from carom.deform.separation_list.pair_events import N_NEIGHBOURS, ListTables, settle_leaves
from carom.deform.separation_list.pair_pool import CLOSE, N_UNSURE, NODE_A, NODE_B, PAIR_STATE, PAIR_UNSURE
from carom.deform.triangles.leaf_contact import place_corners
from carom.deform.triangles.pair_address import LEAF_END, LEAF_FACES, LEAF_START, LEAF_WIDTH
from carom.deform.triangles.pair_tester import PairTester


@lean_kernel
def unsure_corners(lists, pairs, faces, start, end, epochs):
    """The triangles of PAIR_UNSURE pairs as one mesh of six vertices a pair: faces (2 n, 3), start and end (6 n, 4)."""
    record = lists.pairs.record
    for k in range(len(pairs)):
        a = lists.tree.node[record[pairs[k], NODE_A], TREE_FACE]
        b = lists.tree.node[record[pairs[k], NODE_B], TREE_FACE]
        epochs[k] = place_corners(lists.tree.faces, lists.motion, min(a, b), max(a, b))
        for corner in range(6):
            faces[2 * k + corner // 3, corner % 3] = 6 * k + lists.motion.ints[LEAF_FACES + corner]
            for d in range(3):
                start[6 * k + corner, d] = lists.motion.floats[LEAF_START + LEAF_WIDTH * corner + d]
                end[6 * k + corner, d] = lists.motion.floats[LEAF_END + LEAF_WIDTH * corner + d]


@lean_kernel
def settle_pairs(lists, pairs, times, codes, epochs, now):
    """Contacts of PAIR_UNSURE pairs, decided exactly. times (n,) fractions of the interval, inf: none."""
    record = lists.pairs.record
    for k in range(len(pairs)):
        pair = pairs[k]
        a = lists.tree.node[record[pair, NODE_A], TREE_FACE]
        b = lists.tree.node[record[pair, NODE_B], TREE_FACE]
        record[pair, PAIR_STATE] = CLOSE
        settle_leaves(lists, pair, min(a, b), max(a, b), times[k], codes[k], epochs[k], now, False)


def decide_exactly(lists: ListTables, due: int, now: float) -> None:
    """Exact contacts of all pairs that the filter left open. due: the pair whose contact the event loop needs."""
    pool, record = lists.pairs.pool, lists.pairs.record
    listed = np.unique(np.append(lists.pairs.unsure[: pool[N_UNSURE]], due)).astype(np.int64)
    pairs = listed[record[listed, PAIR_STATE] == PAIR_UNSURE]
    pool[N_UNSURE] = 0
    n = len(pairs)
    faces, start, end = np.empty((2 * n, 3), np.int32), np.zeros((6 * n, LEAF_WIDTH)), np.zeros((6 * n, LEAF_WIDTH))
    epochs, times, codes = np.empty(n), np.full(n, inf), np.full(n, -1, np.int64)
    unsure_corners(lists, pairs, faces, start, end, epochs)
    tester = PairTester(faces)
    both = np.stack([np.arange(0, 2 * n, 2), np.arange(1, 2 * n, 2)], axis=1).astype(np.int32)
    near = pairs < lists.rules[N_NEIGHBOURS]
    for adjacent in (False, True):
        some = np.ascontiguousarray(both[near == adjacent])
        if len(some):
            windows = np.tile((0.0, 1.0), (len(some), 1))
            hits = tester.run(start, end, some, windows, len(some), adjacent=adjacent)
            row = hits.pairs[:, 0] // 2
            times[row] = epochs[row] + hits.fractions * (1.0 - epochs[row])
            codes[row] = hits.codes
    settle_pairs(lists, pairs, times, codes, epochs, now)
