"""Proof that no contact of a deforming body with a rigid one was, or is about to be, passed over.

A watch solves for times. The proof asks who is in whom at single instants, which needs no motion: now, and at some instants
until the watch looks again. A triangle that is clearly in the rigid body there must have been in it already where the look
began, or still touch it since an earlier contact, or have a contact in between. "Clearly" means: also when the body is shifted
a little along any axis. A mere touch where the look began excuses nothing: a body that has just bounced touches.
"""

from __future__ import annotations

from dataclasses import replace
from math import inf, sqrt

import numpy as np
from numpy.typing import NDArray

from carom.maths.fixed_order import length
from carom.world.deforming.flightplans import Flightplans
from carom.world.deforming.rigid import Rigid
from carom.world.deforming.round_search import overlaps
from carom.world.deforming.touches import Touches

_SHARES = (0.0, 0.3, 0.65, 0.97)  # Instants that are looked at, as shares of the time until the watch looks again
_SHIFT = 1e-6  # Relative to both bodies: what is nearer to a mere touch than this is not clear


def passed_over(
    plans: Flightplans,
    rigid: Rigid,
    touches: Touches,
    held: NDArray[np.int64],
    own: int,
    since: float,
    now: float,
    until: float,
) -> tuple[int, float] | None:
    """A triangle that is in the rigid body at some instant from now on without a contact since the look, and that instant.

    touches: contacts of the look that began at `since` and holds up to `until`, times local; held (k, 2): pairs of triangles
    that touched then and had their contact before; own: column of the deforming body's triangles. None where all is well.
    """
    size = float(length(np.ptp(plans.piece.extents.reshape(-1, 3), axis=0)))
    ahead = min(until - now, _passing(plans, rigid, now, size))
    step = _SHIFT * max(size, rigid.reach if rigid.reach < inf else 0.0)
    shifted = [replace(rigid, position=rigid.position + way * step) for way in (*np.eye(3), *-np.eye(3))]
    before: NDArray[np.int64] | None = None
    for share in _SHARES if ahead > 0.0 else _SHARES[:1]:
        t = now + share * ahead
        inside = _within(plans, rigid, t)
        inside = np.setdiff1d(inside, touches.faces[touches.times <= t, own])
        for body in shifted:
            if not len(inside):
                break
            inside = np.intersect1d(inside, _within(plans, body, t))
        if len(inside):
            if before is None:
                before = np.concatenate([_within(plans, rigid, since), held[:, own]])
            inside = np.setdiff1d(inside, before)
        if len(inside):
            return int(inside[0]), t
    return None


def _within(plans: Flightplans, rigid: Rigid, t: float) -> NDArray[np.int64]:
    """Triangles that are in the rigid body at t."""
    return np.asarray(overlaps(plans, rigid, t).faces[:, 0])


def _passing(plans: Flightplans, rigid: Rigid, now: float, size: float) -> float:
    """Seconds in which a rigid body that moves on as it does now has met a body at rest, if it ever does; 0 where it rests."""
    way = float(length(rigid.place(now) - plans.piece.extent_at(now).mean(axis=0))) + size
    way += rigid.reach if rigid.reach < inf else abs(rigid.offset)
    speed = float(length(rigid.velocity + (now - rigid.begin) * rigid.acceleration))
    pull = float(length(rigid.acceleration))
    if plans.piece.end < inf:
        return inf
    return way / speed if speed > 0.0 else sqrt(2.0 * way / pull) if pull > 0.0 else 0.0
