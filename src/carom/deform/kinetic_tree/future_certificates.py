"""Failure times of certificates, searched for through all later keys (paper KSL, Algorithm 2).

Between two keys all vertices move straight, so one that is not ahead of another at both keys is not ahead in between. The
first key at which the other is ahead names the interval in which the certificate fails, by comparing coordinates as they
are given: rounding neither loses a failure nor invents one. If both are level at the key before, it fails at that key.
Only the time within the interval is rounded, by some units in the last place of the interval, so that a vertex sticks out of
its box by no more than where paths are made anew at every key.

Within one interval a face is only ever handed to a vertex that is farther at its end: events at one instant come to an end.

Times are counted from the key before, as everywhere in a kinetic tree. The queue holds the failures of the current interval;
all others wait beside it, with the number of theirs. Counted from the first key, times would lose digits from key to key.
"""

from __future__ import annotations

from math import inf
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from carom._compile.jit import inline_kernel, inner_kernel, lean_kernel
from carom.deform.kinetic_tree.faces import EXTREME, TREE_FACES, overtaken
from carom.motion.deforming import Deforming

NEVER = 2**31 - 1
"""Number of the interval in which a certificate fails that does not fail."""
NOT_AHEAD = ()
"""What kernels get for `ahead` where certificates are made anew at every key."""


class LookAhead(NamedTuple):
    """What is known of the time after the current interval. Interval i begins at key i; the last one does not end.

    keys (v, 3, k): positions of every vertex at the keys, k numbers beside each other for a search to run along; those of
    vertices that left the keys lie on their line. tail (v, 3): rates after the last key. times (k,): of the keys, s.
    due (slots,) int32: the interval in which the certificate of a slot of the queue fails; later (slots,): when in it.
    interval (1,): the current one. moved (v,): vertices whose flightplans are just being changed.
    """

    keys: NDArray[np.float64]
    tail: NDArray[np.float64]
    times: NDArray[np.float64]
    due: NDArray[np.int32]
    later: NDArray[np.float64]
    interval: NDArray[np.int64]
    moved: NDArray[np.bool_]


@inner_kernel
def crossing(ahead, marks, other, face, now, last):
    """(interval, time): when the vertex `other` reaches farther than `marks` along a face, from now on; (NEVER, inf) if it
    does not, up to interval `last`. `marks` must not be behind now, up to rounding; where it is, and falls back, the answer
    is now."""
    if marks == other:
        return NEVER, inf
    axis = face if face < 3 else face - 3
    sign = -1.0 if face < 3 else 1.0
    first = ahead.interval[0]
    n_keys = ahead.keys.shape[2]
    stop = min(n_keys, last + 2)
    key = first + 1
    while key < stop and sign * ahead.keys[other, axis, key] <= sign * ahead.keys[marks, axis, key]:
        key += 1
    interval = key - 1
    if interval > last:
        return NEVER, inf
    lead = sign * (ahead.keys[marks, axis, interval] - ahead.keys[other, axis, interval])
    if key == n_keys:
        gain = sign * (ahead.tail[other, axis] - ahead.tail[marks, axis])
        time = lead / gain
        if gain <= 0.0 or time == inf:
            return NEVER, inf
    else:
        # Both are positive where the paths cross, so that the share is right to some units in the last place.
        behind = sign * (ahead.keys[other, axis, key] - ahead.keys[marks, axis, key])
        length = ahead.times[key] - ahead.times[interval]
        share = lead / (lead + behind)
        time = 0.0
        if lead > 0.0:
            time = length * share if share < 1.0 else length
    if interval == first and time < now:
        time = now
    return interval, time


@lean_kernel
def crossing_of(ahead, marks, other, face, now):
    """`crossing`, to be called from Python."""
    return crossing(ahead, marks, other, face, now, NEVER)


# What takes `ahead` from here on comes in two versions. Where nothing is known beyond the end of an interval, it is the empty
# tuple NOT_AHEAD and a failure is a time; else a failure is an interval and a time in it. The length of a tuple is part of its
# type, so Numba drops the branch that does not apply before it looks at types.


@inline_kernel
def no_failure(ahead, last):
    """A failure that comes after all others up to interval `last`."""
    if len(ahead) == 0:
        return inf
    return last, inf


@inline_kernel
def failure(ahead, marks, path, other, other_path, face, now, end, bound):
    """When `other` overtakes the vertex that marks a face; no_failure if it does not, before `end` or in the intervals up to
    that of the failure `bound`. Paths (at, rate, bend) count where `ahead` is empty."""
    if len(ahead) == 0:
        at, rate, bend = path
        other_at, other_rate, other_bend = other_path
        return overtaken(at, rate, bend, other_at, other_rate, other_bend, now, end)
    return crossing(ahead, marks, other, face, now, bound[0])


@inline_kernel
def queue_time(ahead, slot, due):
    """Write down when the certificate of a slot fails; returns its time in the queue, inf in all but its own interval."""
    if len(ahead) == 0:
        return due
    interval, time = due
    ahead.due[slot] = interval
    ahead.later[slot] = time
    return time if interval == ahead.interval[0] else inf


@lean_kernel
def copy_paths(tree):
    """Give every face of every box the path of the vertex that marks it; all move straight."""
    for node in range(tree.node.shape[0]):
        for face in range(TREE_FACES):
            vertex = tree.node[node, EXTREME + face]
            if vertex >= 0:
                axis = face if face < 3 else face - 3
                sign = -1.0 if face < 3 else 1.0
                tree.line[node, face, 0] = sign * tree.flight[vertex, axis]
                tree.line[node, face, 1] = sign * tree.flight[vertex, 3 + axis]


def look_ahead(motion: Deforming, slots: int) -> LookAhead:
    """Tables at the first key of a motion, for a queue of so many slots; no certificate is known yet."""
    n_vertices = motion.vertices.shape[1]
    return LookAhead(
        np.ascontiguousarray(motion.vertices.transpose(1, 2, 0)),
        np.zeros((n_vertices, 3)),
        motion.times.copy(),
        np.full(slots, NEVER, np.int32),
        np.full(slots, inf),
        np.zeros(1, np.int64),
        np.zeros(n_vertices, bool),
    )


def leave_keys(
    ahead: LookAhead, rows: NDArray[np.int64], where: NDArray[np.float64], rate: NDArray[np.float64], since: float
) -> None:
    """Let vertices move straight for good: they are at `where`, (r, 3), `since` seconds after the present interval began."""
    ahead.keys[rows] = _along_lines(ahead, where, rate, since)
    ahead.tail[rows] = rate


def with_vertices(ahead: LookAhead, where: NDArray[np.float64], rate: NDArray[np.float64], since: float) -> LookAhead:
    """The tables with more vertices, which move straight; see leave_keys."""
    return ahead._replace(
        keys=np.concatenate([ahead.keys, _along_lines(ahead, where, rate, since)]),
        tail=np.concatenate([ahead.tail, rate]),
        moved=np.append(ahead.moved, np.zeros(len(where), bool)),
    )


def with_slots(ahead: LookAhead, slots: int) -> LookAhead:
    """The tables for a queue of more slots."""
    more = slots - len(ahead.due)
    return ahead._replace(
        due=np.append(ahead.due, np.full(more, NEVER, np.int32)), later=np.append(ahead.later, np.full(more, inf))
    )


def _along_lines(
    ahead: LookAhead, where: NDArray[np.float64], rate: NDArray[np.float64], since: float
) -> NDArray[np.float64]:
    begin = ahead.times[ahead.interval[0]]
    return where[:, :, None] + rate[:, :, None] * ((ahead.times - begin) - since)
