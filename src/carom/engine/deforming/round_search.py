"""First contacts of a deforming surface with a rigid body that is round, accelerates or turns, or has no end.

A half-space is solved vertex by vertex; all others by conservative advancement, triangle by triangle: never late, and when
reported nearer than ADVANCE_GAP of the smaller of triangle and body. The deforming body is a here; its faces are touched by
the body as a whole.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import inf

import numpy as np
from numpy.typing import NDArray

from carom._jit import compiling
from carom.deform.core_advance import (
    ANSWER,
    BODY_REACH,
    FACE,
    NORMAL,
    POINT,
    STATUS,
    TIME,
    TOUCHES,
    WEIGHTS,
    core_contacts_into,
    surface_contacts_into,
)
from carom.engine.deforming.flightplans import Flightplans, Piece
from carom.engine.deforming.rigid import Rigid
from carom.engine.deforming.touches import Touches
from carom.maths.quadratic import enter_quadratic
from carom.narrow.cores import core_of
from carom.narrow.status import EXACT, OVERLAPPING
from carom.shapes import Mesh
from carom.tolerances import ADVANCE_GAP
from carom.trees.obb_tree import tree_of

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Found:
    """Contacts of a window, and the triangles (k,) that touched the body when it began."""

    touches: Touches
    touching: NDArray[np.int64]


def search_body(plans: Flightplans, rigid: Rigid, begin: float, end: float) -> Found:
    """First contact of every triangle with the body within [begin, end], local times; end finite, save for half-spaces."""
    return (
        _plane(plans.faces, plans.piece, rigid, begin, end) if rigid.is_plane else _advanced(plans, rigid, begin, end)
    )


def _plane(faces: NDArray[np.int32], piece: Piece, rigid: Rigid, begin: float, end: float) -> Found:
    here = piece.at(begin)
    normal = rigid.normal
    speed = rigid.velocity + (begin - rigid.begin) * rigid.acceleration
    gaps = (here - rigid.place(begin)) @ normal - rigid.offset
    rates = (piece.velocities - speed) @ normal
    pull = -0.5 * float(normal @ rigid.acceleration)
    with compiling("deforming bodies and half-spaces"):
        met = np.array([enter_quadratic(g, r, pull, 0.0) for g, r in zip(gaps, rates, strict=True)])
    met[met > end - begin] = inf
    if end < inf:  # rounding must not carry a contact at the end beyond it
        at_end = (piece.at(end) - rigid.place(end)) @ normal - rigid.offset
        met[(met == inf) & (gaps > 0.0) & (at_end <= 0.0)] = end - begin
    size = float(np.abs(here).max() + np.abs(piece.goal).max())
    inside = gaps < -ADVANCE_GAP * size
    first = np.argmin(met[faces], axis=1)
    vertex = faces[np.arange(len(faces)), first]
    hit = np.flatnonzero(met[vertex] < inf)
    vertex, first = vertex[hit], first[hit]
    after = met[vertex]
    weights = np.full((len(hit), 6), np.nan)
    weights[:, :3] = np.eye(3)[first]
    n = len(hit)
    places = here[vertex] + after[:, None] * piece.velocities[vertex]
    touches = Touches(
        begin + after,
        np.stack([hit, np.full(n, -1)], axis=1),
        places,
        np.tile(-normal, (n, 1)),
        -(rates[vertex] + 2.0 * pull * after),
        np.where(inside[vertex] & (after == 0.0), OVERLAPPING, EXACT),
        weights,
    )
    return Found(touches.ordered(), np.flatnonzero((gaps <= ADVANCE_GAP * size)[faces].any(axis=1)))


def _near(plans: Flightplans, rigid: Rigid, begin: float, end: float) -> NDArray[np.int64]:
    """Triangles whose boxes, all along the piece, come together with the body's within the window."""
    low, high = rigid.extents
    place, goal = rigid.place(begin), rigid.place(end)
    # A parabola is nowhere farther from its chord than span^2 |a| / 8.
    bend = 0.125 * (end - begin) ** 2 * np.abs(rigid.acceleration)
    pad = ADVANCE_GAP * (rigid.reach + float(np.abs(place).max() + np.abs(goal).max()))
    low, high = np.minimum(place, goal) + low - bend - pad, np.maximum(place, goal) + high + bend + pad
    least, most = plans.swept_boxes()
    return np.flatnonzero(((least <= high) & (most >= low)).all(axis=1))


def _advanced(plans: Flightplans, rigid: Rigid, begin: float, end: float) -> Found:
    faces, piece, span = plans.faces, plans.piece, end - begin
    rows = _near(plans, rigid, begin, end)
    if not len(rows):
        return Found(Touches.none(), np.empty(0, np.int64))
    here, there = piece.at(begin), piece.at(end)
    first = np.ascontiguousarray(here[faces[rows]].reshape(-1, 9))
    last = np.ascontiguousarray(there[faces[rows]].reshape(-1, 9))
    flight = rigid.flight_from(begin)
    size = float(np.ptp(first.reshape(-1, 3, 3), axis=1).max(axis=1).min())
    gap = ADVANCE_GAP * min(flight[BODY_REACH], size if size > 0.0 else inf)
    answers = np.zeros((len(rows), ANSWER))
    with compiling("deforming and rigid bodies"):
        if isinstance(rigid.shape, Mesh):
            tree = tree_of(rigid.shape)
            surface_contacts_into(first, last, span, span, tree.nodes, tree.links, tree.tris, flight, gap, answers)
            touched = answers[:, FACE].astype(np.int64)
            other = np.where(touched >= 0, tree.face[touched], -1)
        else:
            core_contacts_into(first, last, span, span, core_of(rigid.shape), flight, gap, answers)
            other = np.full(len(rows), -1)
    hit = np.flatnonzero(answers[:, TIME] < inf)
    answers, rows, other, touching = answers[hit], rows[hit], other[hit], rows[answers[:, TOUCHES] > 0.0]
    weights = np.full((len(hit), 6), np.nan)
    weights[:, :3] = answers[:, WEIGHTS : WEIGHTS + 3]
    normals, points = answers[:, NORMAL : NORMAL + 3], answers[:, POINT : POINT + 3]
    own = np.einsum("nk,nkd->nd", weights[:, :3], piece.velocities[faces[rows]])
    times = np.minimum(begin + answers[:, TIME], end)
    theirs = np.array([rigid.point_velocity(t, p) for t, p in zip(times, points, strict=True)]).reshape(-1, 3)
    speeds = np.einsum("nd,nd->n", own - theirs, normals)
    touches = Touches(
        times,
        np.stack([rows, other], axis=1),
        points,
        normals,
        speeds,
        answers[:, STATUS].astype(np.int64),
        weights,
    )
    return Found(touches.ordered(), touching)
