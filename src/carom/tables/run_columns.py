"""The tables of a world as kernels see them: named groups of arrays, and the columns of the two small bookkeeping arrays.

Event loops make them from one table of addresses (carom.engine.addresses).
"""

from __future__ import annotations

from typing import NamedTuple

from carom.tables.arrays import Bytes, DoubleRows, Doubles, IntRows, Ints, LongRows, Longs, Masks


class Bodies(NamedTuple):
    """Everything about single bodies."""

    body: DoubleRows
    """float64 (capacity, 16), see carom.tables.body_columns"""
    link: IntRows
    """int32 (capacity, 8), see carom.tables.body_columns"""
    extent: DoubleRows
    """float64 (capacity, 2k): lower and upper extent about the position along each of k axes, padded"""
    axes: DoubleRows
    """float64 (k, 3): the axes that bounds are projected on"""
    given: DoubleRows
    """float64 (m, GIVEN_HEAD + 6k + 5): user-given bounds: poll interval, start, expiry, then per axis lower c0 c1 c2, upper
    c0 c1 c2 about the position, then a cutting plane: normal along the first three axes, offset at the start, speed"""
    key_time: Doubles
    """float64 (n_keys,): keyframe times of all tracks, one after the other"""
    key_pos: DoubleRows
    """float64 (n_keys, 3): positions at those times"""
    track: LongRows
    """int64 (n_tracks, 2): next key and end of each track"""
    masks: Masks
    """uint64 (64,): bit h of masks[g] says whether groups g and h collide"""
    timer_keys: Doubles
    timer_links: Ints
    quat: DoubleRows
    """float64 (capacity, 4), see carom.tables.body_columns"""
    spin: DoubleRows
    """float64 (capacity, 4), see carom.tables.body_columns"""
    key_turn: DoubleRows
    """float64 (n_keys, 7): orientations at the keyframe times and spins that lead to the next"""


class Pairs(NamedTuple):
    """Pairs with a prediction, and the queue of their next events; one slot a pair."""

    node: IntRows
    """int32 (2 capacity, 3): row, next, previous; nodes 2p and 2p+1 are the two ends of pair p; empty for all-pairs"""
    state: Bytes
    """int8 (capacity,): STATE_* bits"""
    since: Doubles
    """float64 (capacity,): the pair may touch from this time on; -inf for a pair that is armed since its epoch"""
    keys: Doubles
    ties: Longs
    links: Ints


class Run(NamedTuple):
    """Where the run stands."""

    log: DoubleRows
    """float64 (log capacity, LOG_COLUMNS)"""
    count: Longs
    """int64 (COUNT_COLUMNS,): counters, free lists, addresses"""
    param: Doubles
    """float64 (PARAM_COLUMNS,): clock, options, contact scratch"""
    none: Longs
    """int64 (0,): the ties of queues that break ties by slot"""


GIVEN_HEAD = 3
"""Columns of Bodies.given before those of the axes."""

# Pairs.state bits
STATE_CONTACT = 1
"""The pair's key is its contact time; without this bit it is the time at which an exact test is due."""
STATE_OVERLAP = 2
"""The broad phase says that the bounds overlap; without it the pair is remembered only because it was reported."""
STATE_REPORTED = 4
"""The contact was reported under the current motions: the pair is armed again only after Pairs.since."""
STATE_LEAVING = 8
"""The pair has no further event under its present motions; its key is the time at which it can be forgotten."""
STATE_TOLD = 16
"""The contact was reported under the motion that ended at a key: one that begins at that very key is the same touch."""

# Run.count columns
SWAPS = 0
MOTION_CHANGES = 1
PAIR_TESTS = 2
NARROW_TESTS = 3
CONTACTS = 4
TIMERS = 5
N_LOG = 6
FREE_PAIR = 7
"""Head of the chain of freed pair slots, NO_ID when empty."""
N_PAIRS = 8
"""Pair slots ever used; slots above are fresh."""
CHANGED_I = 9
CHANGED_J = 10
"""Rows whose motion the last contact changed, NO_ID for none."""
SLOT = 11
"""Pair slot or body row that waits for Python."""
SAME_TIME = 12
"""Contacts since SAME_AT."""
FRAME = 13
"""Number of the current frame (swept boxes)."""
RESPONSE = 14
LAZY = 15
PROFILE = 16
NARROW_ADDRESS = 17
BODY_ADDRESS = 18
QUAT_ADDRESS = 19
LINK_ADDRESS = 20
N_ROWS = 21
FLOATS_ADDRESS = 22
N_FLOATS = 23
INTS_ADDRESS = 24
N_INTS = 25
PENDING = 26
"""Answer to a poll: NO_ANSWER, MISS or HIT."""
SAME_TIME_LIMIT = 27
PRIMITIVE_TESTS = 28
SORTING = 29
"""1 while the swept lists wait for the rest of a sort that ran out of pair slots."""
BALL_ADDRESS = 30
"""Address of the quartic solver, 0 until a body accelerates."""
SPINNING_ADDRESS = 31
"""Address of the pair test for bodies that turn, 0 until one does."""
SPIN_TABLE_ADDRESS = 32
ROUND_ADDRESS = 33
"""Address of the pair test for round shapes, 0 until there is one."""
N_WIDE = 34
"""Bodies without an end, which a kinetic grid keeps beside its cells."""
PERIODIC = 35
"""1 where space repeats."""
CROSSINGS_LEFT = 36
"""Crossings of cell walls until Python looks whether the cells still fit."""
SEARCHED = 37
"""Cells searched for neighbours, in nines."""
FOUND = 38
"""Neighbours found there."""
ATTENTION_ADDRESS = 39
"""Address of carom.engine.kinetic_grid.attention, 0 until a body needs it."""
PAIR_EVENT_ADDRESS = 40
"""Address of carom.engine.kinetic_grid.pairs, 0 until a pair is to be remembered."""
FILTERED = 41
"""1 where some groups do not collide."""
PATIENCE = 42
"""Frames without an event of a pair or a timer after which a loop says so."""
FRAMES_LEFT = 43
"""Frames that are left of them."""
AT_KEY = 44
"""Why motions were renewed last: NO_KEY, TURNING_KEY or EVEN_KEY."""
PAUSE_AT = 45
"""Value of PRIMITIVE_TESTS + NARROW_TESTS at which a loop returns PAUSE."""
COUNT_COLUMNS = 46

# Run.count[AT_KEY]
NO_KEY = 0
"""Not because of a key."""
TURNING_KEY = 1
"""A key after which the body moves otherwise."""
EVEN_KEY = 2
"""A key after which the body moves on as before."""

# Run.count[RESPONSE]
PASS_THROUGH = 0
ELASTIC = 1
CALLABLE = 2

# Run.count[PENDING]
NO_ANSWER = 0
MISS = 1
HIT = 2

# Run.param columns
NOW = 0
RESTITUTION = 1
COLLAPSE = 2
FRAME_LENGTH = 3
FRAME_END = 4
TICKS_UPDATE = 5
TICKS_SORT = 6
TICKS_NARROW = 7
SAME_AT = 8
"""Time of the first of the contacts that follow one another within SAME_INSTANT."""
OUT = 9
"""Ten numbers of the last exact test: point, normal, feature i, feature j, status, primitive tests."""
NEXT = 19
"""Time of the next event of any kind."""
SHIFT = 20
"""Three numbers: by how much a body is moved to be near another in periodic space."""
PARAM_COLUMNS = 23

# Run.log columns
LOG_TIME = 0
LOG_A = 1
LOG_B = 2
LOG_POINT = 3
LOG_NORMAL = 6
LOG_SPEED = 9
LOG_FEATURE_A = 10
LOG_FEATURE_B = 11
LOG_STATUS = 12
LOG_COLUMNS = 13

# Why an event loop returns. The loop's own result is `answer(code)`, or, when it is done and the log is empty, the time of
# the next event: the common poll then reads nothing else.
DONE = 0
LOG_FULL = 1
PAIRS_FULL = 2
ASK_RESPONSE = 3
ASK_POLL = 4
ASK_BOUNDS = 5
STUCK = 6
CHANGED = 7
"""Internal: the motions of CHANGED_I and CHANGED_J are new."""
REGRID = 8
"""The cells of a kinetic grid no longer fit the bodies."""
ASK_PAIRS = 11
"""PAIR_EVENT_ADDRESS is missing."""
ASK_PASS = 12
"""It was missing when rows CHANGED_I and CHANGED_J touched without a change of motion."""
ASK_WIDE = 13
"""The motion of CHANGED_I or CHANGED_J, which has no end, is new: all others are to plan with it."""
PASSED = 9
"""Internal: a contact that changed no motion, of a pair that has no slot yet."""
PLANS = 10
"""Internal: a body of a kinetic grid is to plan its next event."""

ROOM_WANTED = 14
"""Grids: the cells want more room, or to be chosen anew."""
QUIET = 15
"""No event of a pair and no timer for PATIENCE frames."""
PAUSE = 16
"""Exact tests have taken long: the deadline and signals are due for a look."""


def code_of(answer: float) -> int:
    """The reason behind a loop's result."""
    return DONE if answer >= 0.0 else int(-1.0 - answer)
