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

from carom._compile.jit import compiling
from carom.deform.triangles.convex_advancement import (
    ANSWER,
    DEPTH,
    HIT_FACE,
    HIT_NORMAL,
    HIT_POINT,
    HIT_STATUS,
    HIT_TIME,
    HIT_TOUCHES,
    HIT_WEIGHTS,
    core_contacts_into,
    surface_contacts_into,
)
from carom.deform.triangles.convex_steps import BODY_REACH
from carom.maths.fixed_order import dot
from carom.maths.quadratic import enter_quadratic
from carom.narrow.toi.status import EXACT, OVERLAPPING
from carom.shapes import Mesh
from carom.shapes.shape import core_of
from carom.tolerances import ADVANCE_GAP, PARTING_GAP, SHALLOW_TOUCH
from carom.trees.obb.tree import tree_of
from carom.world.deforming.flightplans import Flightplans, Piece
from carom.world.deforming.rigid import Rigid
from carom.world.deforming.touches import Touches

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Found:
    """Contacts of a window, and the triangles (k,) that touched the body when it began."""

    touches: Touches
    touching: NDArray[np.int64]


def search_body(plans: Flightplans, rigid: Rigid, begin: float, end: float, side: Floats) -> Found:
    """First contact of every triangle with the body within [begin, end], local times; end finite, save for half-spaces.

    side (3,): direction towards the body where they touched last, at `begin`; zeros where they do not.
    """
    if rigid.is_plane:
        return _plane(plans.faces, plans.piece, rigid, begin, end)
    return _advanced(plans, rigid, begin, end, side)


def overlaps(plans: Flightplans, rigid: Rigid, t: float) -> Touches:
    """Contacts (status OVERLAPPING) of all triangles that are in the body at local time t, coming closer or not.

    A triangle inside of a solid is in it; a surface has no inside.
    """
    return _in_plane(plans.faces, plans.piece, rigid, t) if rigid.is_plane else _in_body(plans, rigid, t)


def not_parting(plans: Flightplans, rigid: Rigid, begin: float, end: float, side: Floats) -> NDArray[np.int64]:
    """Triangles (k,) that touch a rigid surface at local time `begin` where nothing proves that they come apart by `end`.

    The proof is the gap along the direction between the two, kept fixed: each corner's share of it is linear in time. side: as
    `search_body` takes it.
    """
    rows = _near(plans, rigid, begin, begin)
    if not len(rows):
        return rows
    here = plans.piece.at(begin)
    answers, _ = _answers(plans.faces[rows], here, here, 0.0, rigid, begin, True, side)
    touch = answers[:, HIT_TIME] < inf
    rows, normals = rows[touch], answers[touch, HIT_NORMAL : HIT_NORMAL + 3]
    corners, body = here[plans.faces[rows]], rigid.vertices(begin)
    size = np.ptp(corners, axis=1).max(axis=1) + rigid.reach
    least = dot(body[None], normals[:, None]).min(axis=1)
    gaps = least[:, None] - dot(corners, normals[:, None])
    rates = dot(rigid.velocity - plans.piece.velocities[plans.faces[rows]], normals[:, None])
    apart = (4.0 * PARTING_GAP * size)[:, None]
    wait = np.divide(apart - gaps, rates, out=np.full(gaps.shape, inf), where=rates > 0.0)
    wait = np.where(gaps < apart, wait, 0.0).max(axis=1)
    proven = (wait < end - begin) & (gaps + np.where(wait < inf, wait, 0.0)[:, None] * rates >= 0.5 * apart).all(axis=1)
    return rows[~proven]


def cuts_through(plans: Flightplans, rigid: Rigid, t: float) -> bool:
    """Is a triangle in the body at local time t, deeper than a touch?"""
    if rigid.is_plane:
        _, gaps, _, near = _heights(plans.piece, rigid, t)
        return bool((gaps < -SHALLOW_TOUCH / ADVANCE_GAP * near).any())
    rows = _near(plans, rigid, t, t)
    if not len(rows):
        return False
    here = plans.piece.at(t)
    answers, _ = _answers(plans.faces[rows], here, here, 0.0, rigid, t, True, np.zeros(3))
    return bool(((answers[:, HIT_TIME] < inf) & (answers[:, DEPTH] > 0.0)).any())


def _heights(piece: Piece, rigid: Rigid, t: float) -> tuple[Floats, Floats, Floats, float]:
    """Places (n, 3) of all vertices at t, their heights (n,) above a half-space, the rates (n,) of these, and the height that
    counts as touching."""
    here = piece.at(t)
    speed = rigid.velocity + (t - rigid.begin) * rigid.acceleration
    gaps = dot(here - rigid.place(t), rigid.normal) - rigid.offset
    rates = dot(piece.velocities - speed, rigid.normal)
    return here, gaps, rates, ADVANCE_GAP * float(np.abs(here).max() + np.abs(piece.goal).max())


def _in_plane(faces: NDArray[np.int32], piece: Piece, rigid: Rigid, t: float) -> Touches:
    here, gaps, rates, near = _heights(piece, rigid, t)
    deepest = np.argmin(gaps[faces], axis=1)
    vertex = faces[np.arange(len(faces)), deepest]
    rows = np.flatnonzero(gaps[vertex] < -near)
    vertex, n = vertex[rows], len(rows)
    weights = np.full((n, 6), np.nan)
    weights[:, :3] = np.eye(3)[deepest[rows]]
    return Touches(
        np.full(n, t),
        np.stack([rows, np.full(n, -1)], axis=1),
        here[vertex],
        np.tile(-rigid.normal, (n, 1)),
        -rates[vertex],
        np.full(n, OVERLAPPING),
        weights,
    )


def _plane(faces: NDArray[np.int32], piece: Piece, rigid: Rigid, begin: float, end: float) -> Found:
    here, gaps, rates, near = _heights(piece, rigid, begin)
    normal = rigid.normal
    pull = -0.5 * float(dot(normal, rigid.acceleration))
    with compiling("deforming bodies and half-spaces"):
        met = np.array([enter_quadratic(g, r, pull, 0.0) for g, r in zip(gaps, rates, strict=True)])
    met[met > end - begin] = inf
    if end < inf:  # rounding must not carry a contact at the end beyond it
        at_end = dot(piece.at(end) - rigid.place(end), normal) - rigid.offset
        met[(met == inf) & (gaps > 0.0) & (at_end <= 0.0)] = end - begin
    inside = gaps < -near
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
    return Found(touches.ordered(), np.flatnonzero((gaps <= near)[faces].any(axis=1)))


def _near(plans: Flightplans, rigid: Rigid, begin: float, end: float) -> NDArray[np.int64]:
    """Triangles whose boxes, all along the piece, come together with the body's within the window."""
    low, high = rigid.extents
    place, goal = rigid.place(begin), rigid.place(end)
    # A parabola is nowhere farther from its chord than span^2 |a| / 8.
    bend = 0.125 * (end - begin) * (end - begin) * np.abs(rigid.acceleration)
    pad = ADVANCE_GAP * (rigid.reach + float(np.abs(place).max() + np.abs(goal).max()))
    low, high = np.minimum(place, goal) + low - bend - pad, np.maximum(place, goal) + high + bend + pad
    least, most = plans.swept_boxes()
    return np.flatnonzero(((least <= high) & (most >= low)).all(axis=1))


def _advanced(plans: Flightplans, rigid: Rigid, begin: float, end: float, side: Floats) -> Found:
    rows = _near(plans, rigid, begin, end)
    if not len(rows):
        return Found(Touches.none(), np.empty(0, np.int64))
    piece = plans.piece
    answers, other = _answers(plans.faces[rows], piece.at(begin), piece.at(end), end - begin, rigid, begin, False, side)
    touches = _touches(plans, rigid, begin, end, rows, answers, other)
    return Found(touches, rows[answers[:, HIT_TOUCHES] > 0.0])


def _in_body(plans: Flightplans, rigid: Rigid, t: float) -> Touches:
    rows = _near(plans, rigid, t, t)
    if not len(rows):
        return Touches.none()
    here = plans.piece.at(t)
    answers, other = _answers(plans.faces[rows], here, here, 0.0, rigid, t, True, np.zeros(3))
    answers[answers[:, HIT_STATUS] != OVERLAPPING, HIT_TIME] = inf
    return _touches(plans, rigid, t, t, rows, answers, other)


def _answers(
    faces: NDArray[np.int32],
    here: Floats,
    there: Floats,
    span: float,
    rigid: Rigid,
    begin: float,
    any_touch: bool,
    side: Floats,
) -> tuple[Floats, NDArray[np.int64]]:
    """Answers (n, ANSWER) for triangles (n, 3) whose vertices go from here to there in `span` seconds, and which triangles (n,)
    of the body they met, -1 for a body without any. any_touch: also those that part."""
    first = np.ascontiguousarray(here[faces].reshape(-1, 9))
    last = np.ascontiguousarray(there[faces].reshape(-1, 9))
    flight = rigid.flight_from(begin)
    size = float(np.ptp(first.reshape(-1, 3, 3), axis=1).max(axis=1).min())
    gap = ADVANCE_GAP * min(flight[BODY_REACH], size if size > 0.0 else inf)
    answers = np.zeros((len(faces), ANSWER))
    whole = span if span > 0.0 else 1.0
    with compiling("deforming and rigid bodies"):
        if isinstance(rigid.shape, Mesh):
            tree = tree_of(rigid.shape)
            surface_contacts_into(
                first, last, whole, span, tree.nodes, tree.links, tree.tris, flight, gap, any_touch, side, answers
            )
            touched = answers[:, HIT_FACE].astype(np.int64)
            return answers, np.where(touched >= 0, tree.face[touched], -1)
        core_contacts_into(first, last, whole, span, core_of(rigid.shape), flight, gap, any_touch, side, answers)
        return answers, np.full(len(faces), -1)


def _touches(
    plans: Flightplans, rigid: Rigid, begin: float, end: float,
    rows: NDArray[np.int64], answers: Floats, other: NDArray[np.int64],
) -> Touches:  # fmt: skip
    """The contacts among answers (n, ANSWER) of triangles `rows` (n,)."""
    hit = np.flatnonzero(answers[:, HIT_TIME] < inf)
    answers, rows, other = answers[hit], rows[hit], other[hit]
    weights = np.full((len(hit), 6), np.nan)
    weights[:, :3] = answers[:, HIT_WEIGHTS : HIT_WEIGHTS + 3]
    normals, points = answers[:, HIT_NORMAL : HIT_NORMAL + 3], answers[:, HIT_POINT : HIT_POINT + 3]
    own = dot(weights[:, None, :3], np.swapaxes(plans.piece.velocities[plans.faces[rows]], 1, 2))
    times = np.minimum(begin + answers[:, HIT_TIME], end)
    theirs = np.array([rigid.point_velocity(t, p) for t, p in zip(times, points, strict=True)]).reshape(-1, 3)
    speeds = dot(own - theirs, normals)
    touches = Touches(
        times,
        np.stack([rows, other], axis=1),
        points,
        normals,
        speeds,
        answers[:, HIT_STATUS].astype(np.int64),
        weights,
    )
    return touches.ordered()
