"""The pairs of boxes of a kinetic separation list: a pool of records, linked to the faces that they depend on.

A pair that is apart depends on one face of each box alone, its witness: only when the paths of these two change is its event
to be computed anew. So it hangs in the list of that face, not of the box (a box has many pairs, a face few). Pairs that
overlap hang in a seventh list of each box. Neighbours hang nowhere. Records come in blocks of four, the pairs below one pair.
"""

from __future__ import annotations

from math import inf
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from carom._compile.aligned import aligned_copy, aligned_zeros
from carom._compile.jit import inline_kernel, inner_kernel, lean_kernel
from carom.deform.kinetic_tree.faces import TREE_FACE, TREE_FACES, TREE_PARENT, set_time

NODE_A, NODE_B, PAIR_STATE, CHILD, NEXT_A, BACK_A, NEXT_B, BACK_B = range(8)
"""Columns of a record, half a cache line: the two boxes; state; first of the four pairs below (-1: none); links in the lists of
a and of b."""
PAIR_COLUMNS = 8
FATHER, PAIR_CODE = range(2)
"""Columns of what is rarely wanted: the pair above (-1: none), the feature of a contact."""

PAIR_SPLIT, CLOSE, PAIR_UNSURE, WAITING, PAIR_FREE = range(TREE_FACES, TREE_FACES + 5)
"""States. Below PAIR_SPLIT: apart, and the state is the face of a that shows it, the witness. PAIR_SPLIT: overlapping, the
pairs below are in the list; CLOSE: overlapping leaves, or neighbours, which share a vertex; PAIR_UNSURE: the same, whose
contact needs exact arithmetic; WAITING: to be opened, in no list of a box."""

PAIR_OVERLAP = TREE_FACES
"""Number of the list of a box for pairs that overlap."""
ABOVE, PAIR_TRIANGLE, PAIR_MARK, PAIR_PENDING = range(TREE_FACES + 1, TREE_FACES + 5)
"""After the lists of a box: its parent (-1: none), the triangle of a leaf, and notes of the last change of flightplans that
concerned it: the number of that change, and what is known of boxes below it."""
PAIR_BOX = 16
"""Numbers a box, one cache line."""
PAIR_BLOCK = 4

TOP, SPARE_BLOCK, N_UNSURE, LINKED = range(4)
"""Rows of the pool's state: records in use end here; first spare block (-1: none); entries of `unsure`; are pairs linked? As
long as no box changes but at keys nobody needs the links, and keeping them is most of the work of opening pairs."""
_UNSURE_ROOM = 1024


class PairTables(NamedTuple):
    """record (c, 8), rare (c, 2) int32; contact (c,) contact times of overlapping leaves, inf: none; direction (c, 4) float32,
    along which a pair of leaves was last apart (0: none); boxes (16 n,) int32, of every box the first links of its seven lists
    (-1: none) and more; pool (4,) int64; stack, for descents; unsure: pairs that became PAIR_UNSURE, as long as there is
    room."""

    record: NDArray[np.int32]
    rare: NDArray[np.int32]
    contact: NDArray[np.float64]
    direction: NDArray[np.float32]
    boxes: NDArray[np.int32]
    pool: NDArray[np.int64]
    stack: NDArray[np.int32]
    unsure: NDArray[np.int32]

    def __deepcopy__(self, memo: dict[int, Any]) -> PairTables:
        return PairTables(*(aligned_copy(table) for table in self))


@inline_kernel
def opposite(face):
    """The face of another box that looks at `face`."""
    return face + 3 if face < 3 else (face - 3 if face < TREE_FACES else face)


@inner_kernel
def _push(record, boxes, head, link):
    """Put a link (2 pair, or 2 pair + 1 for its second box) first into a list."""
    following = boxes[head]
    side = 2 * (link & 1)
    record[link >> 1, NEXT_A + side] = following
    record[link >> 1, BACK_A + side] = -1
    if following >= 0:
        record[following >> 1, BACK_A + 2 * (following & 1)] = link
    boxes[head] = link


@inner_kernel
def _pull(record, boxes, head, link):
    """Take a link out of a list."""
    side = 2 * (link & 1)
    following = record[link >> 1, NEXT_A + side]
    previous = record[link >> 1, BACK_A + side]
    if previous >= 0:
        record[previous >> 1, NEXT_A + 2 * (previous & 1)] = following
    else:
        boxes[head] = following
    if following >= 0:
        record[following >> 1, BACK_A + 2 * (following & 1)] = previous


@inline_kernel
def list_of(state):
    """The list of its first box that a pair in this state hangs in."""
    return min(state, PAIR_OVERLAP)


@inner_kernel
def _link(record, boxes, pair):
    place = list_of(record[pair, PAIR_STATE])
    _push(record, boxes, PAIR_BOX * record[pair, NODE_A] + place, 2 * pair)
    _push(record, boxes, PAIR_BOX * record[pair, NODE_B] + opposite(place), 2 * pair + 1)


@inline_kernel
def link_pair(pairs, pair, state):
    """Give a pair a state, and hang it into the lists of its boxes."""
    pairs.record[pair, PAIR_STATE] = state
    if pairs.pool[LINKED] != 0:
        _link(pairs.record, pairs.boxes, pair)


@inline_kernel
def unlink_pair(pairs, pair):
    """Take a pair out of the lists of its boxes."""
    if pairs.pool[LINKED] != 0:
        record = pairs.record
        place = list_of(record[pair, PAIR_STATE])
        _pull(record, pairs.boxes, PAIR_BOX * record[pair, NODE_A] + place, 2 * pair)
        _pull(record, pairs.boxes, PAIR_BOX * record[pair, NODE_B] + opposite(place), 2 * pair + 1)


@lean_kernel
def link_all(pairs, first):
    """Link all pairs from record `first` on from now on."""
    pairs.pool[LINKED] = 1
    for pair in range(first, pairs.pool[TOP]):
        if pairs.record[pair, PAIR_STATE] < WAITING:
            _link(pairs.record, pairs.boxes, pair)


def unlink_all(pairs: PairTables) -> None:
    """Link no pair from now on."""
    pairs.pool[LINKED] = 0
    pairs.boxes.reshape(-1, PAIR_BOX)[:, : PAIR_OVERLAP + 1] = -1


@inner_kernel
def take_block(pairs):
    """First of four free records, -1 if there is no room."""
    block = pairs.pool[SPARE_BLOCK]
    if block >= 0:
        pairs.pool[SPARE_BLOCK] = pairs.record[block, NEXT_A]
        return block
    block = pairs.pool[TOP]
    if block + PAIR_BLOCK > pairs.record.shape[0]:
        return -1
    pairs.pool[TOP] = block + PAIR_BLOCK
    return block


@inline_kernel
def put_children(pairs, pair, block, first_a, second_a, first_b, second_b):
    """Write the pairs below `pair` into a block; returns how many they are. first, second: children of a box, -1 for a leaf's.

    They are in no list of a box, and FREE until they get another state.
    """
    record = pairs.record
    record[pair, CHILD] = block
    both = first_a >= 0 and first_b >= 0
    children = PAIR_BLOCK if both else 2
    for k in range(PAIR_BLOCK):
        child = block + k
        record[child, CHILD] = -1
        record[child, PAIR_STATE] = PAIR_FREE
        pairs.rare[child, FATHER] = pair
        if k < children:
            last_a = k >= 2 if both else k == 1
            record[child, NODE_A] = record[pair, NODE_A] if first_a < 0 else (second_a if last_a else first_a)
            record[child, NODE_B] = record[pair, NODE_B] if first_b < 0 else (second_b if k & 1 == 1 else first_b)
    return children


@inner_kernel
def drop_below(pairs, queue, base, pair, bulk):
    """Free all pairs below `pair`. bulk: the queue is built anew later, so only its keys are written."""
    record = pairs.record
    waiting = 0
    if record[pair, CHILD] >= 0:
        pairs.stack[0] = record[pair, CHILD]
        waiting = 1
        record[pair, CHILD] = -1
    while waiting > 0:
        waiting -= 1
        block = pairs.stack[waiting]
        for child in range(block, block + PAIR_BLOCK):
            if record[child, PAIR_STATE] == PAIR_FREE:
                continue
            if record[child, CHILD] >= 0:
                pairs.stack[waiting] = record[child, CHILD]
                waiting += 1
            if record[child, PAIR_STATE] != WAITING:
                unlink_pair(pairs, child)
            record[child, PAIR_STATE] = PAIR_FREE
            schedule(queue, base + child, inf, bulk)
        record[block, NEXT_A] = pairs.pool[SPARE_BLOCK]
        pairs.pool[SPARE_BLOCK] = block


@inline_kernel
def schedule(queue, slot, time, bulk):
    """Set the time of a slot; bulk: the queue is built anew later. Most stay without one, which costs a look."""
    if bulk:
        queue.keys[slot] = time
    elif queue.keys[slot] != time:
        set_time(queue, slot, time)


def pair_tables(capacity: int, node: NDArray[np.int32], stack: int, linked: bool) -> PairTables:
    """An empty pool. node (n, 4): see Forest. linked: are pairs to be linked from the beginning?"""
    record = aligned_zeros((capacity, PAIR_COLUMNS), np.int32)
    boxes = aligned_zeros((len(node), PAIR_BOX), np.int32)
    boxes[:] = -1
    boxes[:, [ABOVE, PAIR_TRIANGLE]] = node[:, [TREE_PARENT, TREE_FACE]]
    # Records are written when they are taken: memory that is never taken is never touched.
    return PairTables(
        record,
        np.empty((capacity, 2), np.int32),
        np.empty(capacity),
        aligned_zeros((capacity, 4), np.float32),
        boxes.reshape(-1),
        np.array([0, -1, 0, linked], np.int64),
        np.empty(stack, np.int32),
        np.empty(_UNSURE_ROOM, np.int32),
    )
