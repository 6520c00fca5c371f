"""Tables of a kinetic AABB tree, and the motion of the extreme vertices of its boxes.

A box is six faces: 0 to 2 the lower ends along x, y, z, 3 to 5 the upper ends. What is stored for a face is not a position
but the vertex that marks it (paper KSL, section 4), and a copy of that vertex's path outward along the face's direction,
reach(s) = at + rate s + bend s^2, so that all six faces are maxima and no vertex is looked up on the way.

Times s are counted from an epoch that all vertices of a table share, in any unit.
"""

from __future__ import annotations

from math import inf
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from carom._compile.jit import inline_kernel, inner_kernel, lean_kernel
from carom.maths.quadratic import enter_quadratic
from carom.queues.in_kernels import queue_set

TREE_FACES = 6
TREE_LEFT, TREE_RIGHT, TREE_PARENT, TREE_FACE, EXTREME = 0, 1, 2, 3, 4
"""Columns of `node`: rows of children and parent (-1: none), triangle of a leaf (-1 inside), six extreme vertices."""
TREE_NODE_COLUMNS = EXTREME + TREE_FACES


class TreeTables(NamedTuple):
    """node (n, 10) int32; line (n, 6, 2) at and rate of every face, bend (n or 0, 6); flight (v, 6) position and rate of
    every vertex, curve (v or 0, 3); faces (m, 3) int32. bend and curve have no rows where everything moves straight."""

    node: NDArray[np.int32]
    line: NDArray[np.float64]
    bend: NDArray[np.float64]
    flight: NDArray[np.float64]
    curve: NDArray[np.float64]
    faces: NDArray[np.int32]


class QueueTables(NamedTuple):
    """The arrays of a carom.queues.EventQueue; slot 6 node + face is the certificate of that face."""

    keys: NDArray[np.float64]
    ties: NDArray[np.int64]
    links: NDArray[np.int32]


@inner_kernel
def set_time(queue, slot, time):
    """Give a slot of the queue a time; compiled once for all callers."""
    queue_set(queue.keys, queue.ties, queue.links, slot, time, 0)


@inline_kernel
def overtaken(at, rate, bend, other_at, other_rate, other_bend, now, end):
    """First time from now on, before `end`, at which the other path reaches farther; inf if none.

    An answer equal to now means at once. Along straight paths only a faster one overtakes, along curved ones only one
    that gains right after, so that two paths never overtake each other back and forth at one instant.
    """
    if bend == other_bend:
        gain = other_rate - rate
        lead = at - other_at
        if gain <= 0.0 or lead >= gain * end:
            return inf
        time = lead / gain
    else:
        time = enter_quadratic(at - other_at, rate - other_rate, bend - other_bend, now)
    if time >= end:
        return inf
    return time if time > now else now


@lean_kernel
def overtake_time(path, other, now, end):
    """`overtaken` for paths (at, rate, bend) given as arrays."""
    return overtaken(path[0], path[1], path[2], other[0], other[1], other[2], now, end)


@inline_kernel
def leads(at, rate, bend, other_at, other_rate, other_bend, now):
    """Does the first path reach farther right after now? Equal reach is decided by rate, then by bend: on a flat cloth
    all reaches are equal, and any other choice would fail at once, vertex after vertex."""
    here = at + (rate + bend * now) * now
    there = other_at + (other_rate + other_bend * now) * now
    if here != there:
        return here > there
    speed = rate + 2.0 * bend * now
    other_speed = other_rate + 2.0 * other_bend * now
    if speed != other_speed:
        return speed > other_speed
    return bend > other_bend


@inline_kernel
def reach_of(tree, vertex, face):
    """(at, rate, bend) of a vertex outward along a face."""
    axis = face if face < 3 else face - 3
    sign = -1.0 if face < 3 else 1.0
    bend = sign * tree.curve[vertex, axis] if tree.curve.shape[0] > 0 else 0.0
    return sign * tree.flight[vertex, axis], sign * tree.flight[vertex, 3 + axis], bend


@inline_kernel
def face_of(tree, node, face):
    """(at, rate, bend) of the face of a box."""
    bend = tree.bend[node, face] if tree.bend.shape[0] > 0 else 0.0
    return tree.line[node, face, 0], tree.line[node, face, 1], bend


@inline_kernel
def mark_face(tree, node, face, vertex, at, rate, bend):
    """Let `vertex` mark the face of a box."""
    tree.node[node, EXTREME + face] = vertex
    tree.line[node, face, 0] = at
    tree.line[node, face, 1] = rate
    if tree.bend.shape[0] > 0:
        tree.bend[node, face] = bend


@inline_kernel
def copy_face(tree, source, node, face):
    """Let the vertex that marks a face of the box `source` mark that of `node`."""
    at, rate, bend = face_of(tree, source, face)
    mark_face(tree, node, face, tree.node[source, EXTREME + face], at, rate, bend)


def tree_tables(
    node: NDArray[np.int32], faces: NDArray[np.int32], n_vertices: int, curved: bool, capacity: int | None = None
) -> TreeTables:
    """Tables for the given structure (n, 4), boxes and flights yet to be written. capacity: rows of `node`, default n."""
    n = len(node) if capacity is None else capacity
    wide = np.full((n, TREE_NODE_COLUMNS), -1, np.int32)
    wide[: len(node), :EXTREME] = node[:, :EXTREME]
    return TreeTables(
        wide,
        np.zeros((n, TREE_FACES, 2)),
        np.zeros((n if curved else 0, TREE_FACES)),
        np.zeros((n_vertices, 6)),
        np.zeros((n_vertices if curved else 0, 3)),
        faces,
    )
