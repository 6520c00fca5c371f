"""Brute-force verification of a kinetic AABB tree: structure, boxes, certificates and queue."""

from __future__ import annotations

from collections.abc import Sequence
from math import inf

import numpy as np
from numpy.typing import NDArray

from carom.deform.kinetic_tree.edits import bottom_up
from carom.deform.kinetic_tree.faces import (
    EXTREME,
    TREE_FACE,
    TREE_FACES,
    TREE_LEFT,
    TREE_PARENT,
    TREE_RIGHT,
    TreeTables,
    overtake_time,
)
from carom.deform.kinetic_tree.future_certificates import NEVER, LookAhead, crossing_of
from carom.errors import AuditError
from carom.queues import EventQueue
from carom.tolerances import CERTIFICATE_SLACK

Floats = NDArray[np.float64]


def vertex_reaches(tree: TreeTables) -> Floats:
    """(v, 6, 3): at, rate and bend of every vertex outward along the six directions."""
    n = len(tree.flight)
    curve = tree.curve if len(tree.curve) else np.zeros((n, 3))
    paths = np.stack([tree.flight[:, :3], tree.flight[:, 3:], curve], axis=2)
    return np.concatenate([-paths, paths], axis=1)


def node_vertices(tree: TreeTables, roots: Sequence[int]) -> dict[int, NDArray[np.int64]]:
    """Vertices below every node, found through the children alone."""
    order = np.empty(len(tree.node), np.int64)
    held: dict[int, NDArray[np.int64]] = {}
    rows = [row for root in roots for row in order[: bottom_up(tree.node, root, order)].tolist()]
    for row in rows:
        left, right = tree.node[row, [TREE_LEFT, TREE_RIGHT]].tolist()
        below = tree.faces[tree.node[row, TREE_FACE]] if left < 0 else np.concatenate([held[left], held[right]])
        held[row] = np.unique(below).astype(np.int64)
    return held


def audit_tree(
    tree: TreeTables,
    queue: EventQueue,
    roots: Sequence[int],
    alive: NDArray[np.bool_],
    s: float,
    end: float,
    ahead: LookAhead | None = None,
) -> None:
    """Raise AuditError unless every live triangle is in one leaf, every face is marked by the farthest vertex below it (up
    to rounding), copies that vertex's path, and its certificate fails exactly when the queue, and what waits beside it, say."""
    held = node_vertices(tree, roots)
    leaves = [row for row in held if tree.node[row, TREE_LEFT] < 0]
    if sorted(tree.node[leaves, TREE_FACE].tolist()) != np.flatnonzero(alive).tolist():
        raise AuditError("leaves do not hold each triangle once")
    reaches = vertex_reaches(tree)
    here = reaches @ np.array([1.0, s, s * s])
    slack = CERTIFICATE_SLACK * max(1e-300, float(np.abs(here).max()), float(np.abs(reaches[:, :, 0]).max()))
    bends = tree.bend if len(tree.bend) else np.zeros((len(tree.node), TREE_FACES))
    for row, below in held.items():
        left, right = tree.node[row, [TREE_LEFT, TREE_RIGHT]].tolist()
        if left >= 0 and (tree.node[left, TREE_PARENT] != row or tree.node[right, TREE_PARENT] != row):
            raise AuditError(f"node {row} is not the parent of its children")
        for face in range(TREE_FACES):
            marks = int(tree.node[row, EXTREME + face])
            if marks not in below or here[marks, face] < here[below, face].max() - slack:
                raise AuditError(f"face {face} of node {row} is marked by vertex {marks}, which is not the farthest")
            if [*tree.line[row, face].tolist(), bends[row, face]] != reaches[marks, face].tolist():
                raise AuditError(f"face {face} of node {row} does not move as vertex {marks}")
            rivals = below if left < 0 else tree.node[[left, right], EXTREME + face]
            others = [int(v) for v in rivals if v != marks]
            if ahead is None:
                path = reaches[marks, face]
                due = min((overtake_time(path, reaches[v, face], s, end) for v in others), default=inf)
                told = queue.time(TREE_FACES * row + face)
                agree = told == due or (told <= s and due <= s)
                if not (agree or np.isclose(told, due, rtol=1e-9, atol=1e-9 * abs(s))):
                    raise AuditError(f"face {face} of node {row} fails at {due}, not at {told} as queued")
            else:
                _audit_failure(ahead, queue, row, face, marks, others, s)
    if not queue.check():
        raise AuditError("the event queue is out of order")
    idle = np.ones(len(tree.node), bool)
    idle[list(held)] = False
    if np.isfinite(queue.keys[: TREE_FACES * len(idle)].reshape(-1, TREE_FACES)[idle]).any():
        raise AuditError("a row that holds no node has an event")
    if ahead is not None:
        _audit_pieces(ahead, tree, idle)


def _audit_failure(
    ahead: LookAhead, queue: EventQueue, row: int, face: int, marks: int, others: Sequence[int], s: float
) -> None:
    """AuditError unless a search from now on finds what an earlier search found."""
    slot, current = TREE_FACES * row + face, int(ahead.interval[0])
    due = min((crossing_of(ahead, marks, v, face, s) for v in others), default=(NEVER, inf))
    told = (int(ahead.due[slot]), float(ahead.later[slot]))
    at_once = told[0] == due[0] == current and told[1] <= s and due[1] <= s
    if told != due and not at_once:
        raise AuditError(f"face {face} of node {row} fails at {due} (interval, time), not at {told} as noted")
    if queue.time(slot) != (told[1] if told[0] == current else inf):
        raise AuditError(
            f"face {face} of node {row} fails at {told} (interval, time), not at {queue.time(slot)} as queued"
        )


def _audit_pieces(ahead: LookAhead, tree: TreeTables, idle: NDArray[np.bool_]) -> None:
    """AuditError unless vertices start from their keys, and nothing waits for rows without nodes."""
    wrong = np.flatnonzero((tree.flight[:, :3] != ahead.keys[:, :, ahead.interval[0]]).any(axis=1))
    if len(wrong):
        raise AuditError(f"vertex {wrong[0]} does not start from its key")
    if (ahead.due.reshape(-1, TREE_FACES)[idle] != NEVER).any():
        raise AuditError("a row that holds no node waits for an event")
