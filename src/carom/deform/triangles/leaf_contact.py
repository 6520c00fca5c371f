"""First contact of two triangles within an interval, each vertex with its own linear flightplan.

Most vertices fly from the start of the interval to its end. One that was given another flightplan on the way flies from its
epoch, a fraction of the interval. A pair is looked at from the latest epoch of its corners on: the answer depends on the
flightplans alone, never on when it is asked for.
"""

from __future__ import annotations

from math import inf
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from carom._compile.jit import inline_kernel, inner_kernel
from carom.deform.triangles.lanes.separating import placed_parted
from carom.deform.triangles.pair_address import (
    LEAF_CODE,
    LEAF_END,
    LEAF_FACES,
    LEAF_N_FLOATS,
    LEAF_START,
    LEAF_TIME,
    LEAF_WIDTH,
    LEAF_WITNESS,
    WINDOW,
    pair_ints,
    pair_test_address,
    test_placed_pair,
)

Floats = NDArray[np.float64]

_WINDOW_SLACK = 16.0 * 2.0**-53
"""Relative. A window's end is a quotient of two sums, each rounded once: off by at most 4 units of 2^-53."""


class MotionTables(NamedTuple):
    """start, finish (v, 3) positions at the epoch and at the end of the interval; epoch (v,) fraction of the interval;
    face_epoch (m,) when a triangle was added, the same. Work space: here, there (v, 4) positions when flightplans last changed,
    and at the end, of vertices whose placed_at (v,) is the number of that change; for one pair, see pair_by_address."""

    start: Floats
    finish: Floats
    epoch: Floats
    face_epoch: Floats
    here: Floats
    there: Floats
    placed_at: NDArray[np.int64]
    floats: Floats
    ints: NDArray[np.int64]
    address: NDArray[np.int64]

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickled without the address, which is another one in every process."""
        return _with_address, tuple(self[:-1])


def _with_address(*tables: Any) -> MotionTables:
    return MotionTables._make((*tables, np.array([pair_test_address()], np.int64)))


def motion_tables(n_vertices: int, n_faces: int) -> MotionTables:
    """Tables with flightplans yet to be written."""
    return _with_address(
        np.zeros((n_vertices, 3)),
        np.zeros((n_vertices, 3)),
        np.zeros(n_vertices),
        np.zeros(n_faces),
        np.zeros((n_vertices, LEAF_WIDTH)),
        np.zeros((n_vertices, LEAF_WIDTH)),
        np.full(n_vertices, -1, np.int64),
        np.zeros(LEAF_N_FLOATS),
        pair_ints(),
    )


def with_vertices(motion: MotionTables, start: Floats, finish: Floats, epoch: float) -> MotionTables:
    """The same with more vertices, which fly from start to finish, (k, 3), from `epoch` on."""
    k = len(start)
    return motion._replace(
        start=np.concatenate([motion.start, start]),
        finish=np.concatenate([motion.finish, finish]),
        epoch=np.append(motion.epoch, np.full(k, epoch)),
        here=np.concatenate([motion.here, np.zeros((k, LEAF_WIDTH))]),
        there=np.concatenate([motion.there, np.zeros((k, LEAF_WIDTH))]),
        placed_at=np.append(motion.placed_at, np.full(k, -1)),
    )


@inline_kernel
def place_vertex(motion, vertex, now, look):
    """Position of a vertex now, rounded as for a test of its triangles, and at the end, into here and there."""
    if motion.placed_at[vertex] == look:
        return
    motion.placed_at[vertex] = look
    since = motion.epoch[vertex]
    share = (now - since) / (1.0 - since) if now > since else 0.0
    for d in range(3):
        x = motion.start[vertex, d]
        y = motion.finish[vertex, d]
        motion.there[vertex, d] = y
        motion.here[vertex, d] = x if share == 0.0 else (1.0 - share) * x + share * y


@inner_kernel
def place_corners(faces, motion, a, b):
    """Corners of triangles a and b from their latest epoch on into floats and ints; returns that epoch.

    A vertex that comes more than once has one number, so that shared features are known as such.
    """
    epoch = max(motion.face_epoch[a], motion.face_epoch[b])
    for corner in range(6):
        vertex = faces[a, corner] if corner < 3 else faces[b, corner - 3]
        epoch = max(epoch, motion.epoch[vertex])
        number = corner
        for earlier in range(corner - 1, -1, -1):
            if (faces[a, earlier] if earlier < 3 else faces[b, earlier - 3]) == vertex:
                number = earlier
        motion.ints[LEAF_FACES + corner] = number
    for corner in range(6):
        vertex = faces[a, corner] if corner < 3 else faces[b, corner - 3]
        since = motion.epoch[vertex]
        share = (epoch - since) / (1.0 - since) if epoch > since else 0.0
        for d in range(3):
            x = motion.start[vertex, d]
            y = motion.finish[vertex, d]
            motion.floats[LEAF_START + LEAF_WIDTH * corner + d] = x if share == 0.0 else (1.0 - share) * x + share * y
            motion.floats[LEAF_END + LEAF_WIDTH * corner + d] = y
    return epoch


@inline_kernel
def _far_end(floats, first, sign):
    """The largest of three coordinates times `sign`; `first` is the place of the first."""
    x, y, z = sign * floats[first], sign * floats[first + LEAF_WIDTH], sign * floats[first + 2 * LEAF_WIDTH]
    return max(x, max(y, z))


@inner_kernel
def overlap_window(floats):
    """(first, last): fractions outside which the chord boxes of the two triangles are apart; first > last: always apart."""
    first = 0.0
    last = 1.0
    for d in range(3):
        for k in range(2):
            sign = 1.0 if k == 0 else -1.0
            b = d + 3 * LEAF_WIDTH
            here = _far_end(floats, LEAF_START + d, sign) + _far_end(floats, LEAF_START + b, -sign)
            there = _far_end(floats, LEAF_END + d, sign) + _far_end(floats, LEAF_END + b, -sign)
            if here < 0.0:
                if there < 0.0:
                    return 1.0, 0.0
                first = max(first, (here / (here - there)) * (1.0 - _WINDOW_SLACK))
            elif there < 0.0:
                last = min(last, (here / (here - there)) * (1.0 + _WINDOW_SLACK))
    return first, last


@inline_kernel
def _stay_apart(floats, direction):
    """Does the direction part the triangles at both ends, and so all the way?"""
    dx, dy, dz = np.float64(direction[0]), np.float64(direction[1]), np.float64(direction[2])
    side = placed_parted(floats, LEAF_START, dx, dy, dz)
    return side != 0 and placed_parted(floats, LEAF_END, dx, dy, dz) == side


@inner_kernel
def leaf_contact(faces, motion, a, b, neighbours, direction):
    """(time, feature, epoch, sure): first contact of triangles a < b as a fraction of the interval, inf: none.

    neighbours: they share vertices, and only what they do not share is looked at. Not sure: exact arithmetic is needed, and
    the time is one before which there is no contact. direction (4,): one that parted them before, tried first; gets a new
    one where there is none any more.
    """
    epoch = place_corners(faces, motion, a, b)
    if epoch >= 1.0:
        return inf, -1, epoch, True
    first = 0.0
    last = 1.0
    if not neighbours:
        if _stay_apart(motion.floats, direction):
            return inf, -1, epoch, True
        first, last = overlap_window(motion.floats)
        if first > last:
            return inf, -1, epoch, True
    motion.floats[WINDOW] = first
    motion.floats[WINDOW + 1] = last
    if not test_placed_pair(motion.address[0], motion.floats, motion.ints, neighbours):
        return epoch + first * (1.0 - epoch), -1, epoch, False
    if not neighbours and motion.floats[LEAF_TIME] == inf:
        x, y, z = motion.floats[LEAF_WITNESS], motion.floats[LEAF_WITNESS + 1], motion.floats[LEAF_WITNESS + 2]
        size = max(abs(x), max(abs(y), abs(z)))
        for d in range(3):
            direction[d] = np.float32(motion.floats[LEAF_WITNESS + d] / size) if 0.0 < size < inf else np.float32(0.0)
    return epoch + motion.floats[LEAF_TIME] * (1.0 - epoch), motion.ints[LEAF_CODE], epoch, True
