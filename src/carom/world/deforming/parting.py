"""Directions that keep two triangles apart which touch: on which side of each other they are, and whether they part.

Two triangles that only touch, edge to edge or in a plane, have more than one feature in contact, and the normals of some of
these say nothing about the side that the one triangle is on. A direction that keeps both apart does: along it they came
together, and whatever else touches, they do not meet while it opens.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from carom.maths.fixed_order import dot, length
from carom.tolerances import CLOSING_NOISE, PARTING_GAP, SIDED_GAP

Floats = NDArray[np.float64]

_NEXT = (1, 2, 0)
_FLAT = 1e-12  # Sine. Sides closer to parallel than this have no direction of their own.


def parting_shares(corners: Floats, touching: Floats, rates: Floats, before: Floats) -> Floats:
    """Shares (n,) of an interval after which pairs that touch at its start are surely apart; 0 where nothing proves it.

    corners (n, 6, 3) of a, then of b, at the start; touching (n, 6): their weights where they touch, those of a negative;
    rates (n, 6, 3): how far each goes in the interval; before (n, 6, 3): velocities, in any unit, before the motion changed,
    NaN where nothing is known of it.
    """
    size, toward, along = _keeping_apart(corners)
    moves = dot(rates[:, None], toward[:, :, None])
    opening = dot(touching[:, None], moves)
    came = -dot(touching[:, None], dot(before[:, None], toward[:, :, None]))
    parts = opening > CLOSING_NOISE * np.abs(rates).max(axis=(1, 2))[:, None]
    shares = np.divide(4.0 * PARTING_GAP * size, opening, out=np.full(opening.shape, np.inf), where=parts)
    parts &= shares < 1.0
    later = _gaps(along + np.where(parts, shares, 0.0)[:, :, None] * moves)
    here = _gaps(along)
    # Flat against each other, triangles are on either side: only how they came together tells on which.
    one_sided = np.roll(here, here.shape[1] // 2, axis=1) < -2.0 * PARTING_GAP * size
    known = one_sided | (came > CLOSING_NOISE * np.abs(before).max(axis=(1, 2))[:, None])
    proven = parts & known & (here >= -PARTING_GAP * size) & (later >= 2.0 * PARTING_GAP * size)
    return np.where(proven.any(axis=1), np.where(proven, shares, np.inf).min(axis=1), 0.0)


def sided(corners: Floats, touching: Floats, rates: Floats, normals: Floats, speeds: Floats) -> tuple[Floats, Floats]:
    """Normals (n, 3) and speeds (n,) of contacts, those normals replaced that do not keep the triangles apart by directions
    that do: the one along which they come together the fastest.

    corners (n, 6, 3) of a, then of b, at the contact; touching (n, 6): their weights there, those of a negative; rates
    (n, 6, 3): how far each goes in the interval.
    """
    normals, speeds = normals.copy(), speeds.copy()
    size = np.ptp(corners, axis=1).max(axis=1)
    beyond = _gaps(dot((corners - corners[:, :1])[:, None], normals[:, None, None]))[:, 0]
    wrong = np.flatnonzero(beyond < -SIDED_GAP * size)
    if len(wrong):
        long, toward, along = _keeping_apart(corners[wrong])
        closing = -dot(touching[wrong, None], dot(rates[wrong, None], toward[:, :, None]))
        closing = np.where(_gaps(along) >= -PARTING_GAP * long, closing, -np.inf)
        best = np.argmax(closing, axis=1)
        fastest = closing[np.arange(len(wrong)), best]
        known = fastest > 0.0
        normals[wrong[known]] = toward[known, best[known]]
        speeds[wrong[known]] = fastest[known]
    return normals, speeds


def _keeping_apart(corners: Floats) -> tuple[Floats, Floats, Floats]:
    """Sizes (n, 1) of pairs, directions (n, d, 3) that can keep them apart, and the places (n, d, 6) of all corners along
    these."""
    size = np.ptp(corners, axis=1).max(axis=1)[:, None]
    about = corners - corners[:, :1]
    toward = _directions(about / np.where(size > 0.0, size, 1.0)[:, :, None])
    return size, toward, dot(about[:, None], toward[:, :, None])


def _directions(corners: Floats) -> Floats:
    """Unit directions (n, 34, 3) that can keep two triangles apart, the opposite ones behind them; 0 for what is flat."""
    a = corners[:, _NEXT] - corners[:, :3]
    b = corners[:, 3:][:, _NEXT] - corners[:, 3:]
    face_a, face_b = np.cross(a[:, :1], a[:, 1:2]), np.cross(b[:, :1], b[:, 1:2])
    edges = np.cross(a[:, :, None], b[:, None]).reshape(-1, 9, 3)
    found = np.concatenate([face_a, face_b, edges, np.cross(face_a, a), np.cross(face_b, b)], axis=1)
    long = length(found)[:, :, None]
    units = np.divide(found, long, out=np.zeros_like(found), where=long > _FLAT)
    return np.concatenate([units, -units], axis=1)


def _gaps(along: Floats) -> Floats:
    """How far b is beyond a, from places (n, d, 6) of the corners along each direction."""
    return np.asarray(along[:, :, 3:].min(axis=2) - along[:, :, :3].max(axis=2))
