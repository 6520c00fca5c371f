"""A translation that separates two shapes of which at least one is not convex: short, but not necessarily the shortest.

Along a direction d the translation is known exactly: move b from far away back along d until it first touches a; from there
on outwards they are separate. Candidates are the normals of the contacts, the line of centres and the axes; the best is
improved by taking the contact normal at its end as the next direction, as long as that shortens the translation.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from carom.maths.fixed_order import dot, length
from carom.narrow.toi.advancement.scratch import F_D, F_ROT_A, F_ROT_B, F_V, FLIGHT_COLUMNS
from carom.queries.pairs.pair import Deepest, Pair, placed
from carom.queries.toi_dispatch import strike
from carom.tolerances import ADVANCE_GAP, ESCAPE_ROUNDS, ESCAPE_SLACK

Floats = NDArray[np.float64]

_AXES = np.vstack((np.eye(3), -np.eye(3)))


def separating_translation(pair: Pair, rots: Floats, shifts: Floats, threads: int | None) -> Deepest:
    """Return depth and normal for every pose (n, 9), (n, 3) in which the shapes of `pair` touch; 0 for the others."""
    n = len(rots)
    depth, normal = np.zeros(n), np.zeros((n, 3))
    found = pair.touching(rots, shifts, 0.0, threads)
    hit = found.hit
    if not np.isfinite(pair.a.bounding_sphere()[1] + pair.b.bounding_sphere()[1]):
        # The overlap of an unbounded piece may be unbounded.
        depth[hit] = np.inf
        return Deepest(depth, normal, np.full((n, 3), np.nan), np.full((n, 3), np.nan), ~hit)
    contacts = pair.touches(rots[hit], shifts[hit], False, threads, found.first[hit])
    first = np.zeros((n, 3))
    first[np.flatnonzero(hit)[contacts.pose]] = contacts.normal
    for k in np.flatnonzero(hit):
        directions = _candidates(pair, rots[k], shifts[k], first[k])
        ways, normals = _ways_out(pair, rots[k], shifts[k], directions)
        best = int(np.argmin(ways))
        way, direction, ahead = ways[best], directions[best], normals[best]
        for _ in range(ESCAPE_ROUNDS):
            if not np.isfinite(ahead).all() or length(ahead) < 0.5:
                break
            ways, normals = _ways_out(pair, rots[k], shifts[k], ahead[None])
            if not ways[0] < way * (1.0 - 1e-9):
                break
            way, direction, ahead = ways[0], ahead, normals[0]
        depth[k], normal[k] = way, direction
    middle = shifts + 0.5 * depth[:, None] * normal
    return Deepest(depth, normal, middle + 0.5 * depth[:, None] * normal, middle - 0.5 * depth[:, None] * normal, ~hit)


def _candidates(pair: Pair, rot: Floats, shift: Floats, contact: Floats) -> Floats:
    """Return candidate unit directions (m, 3)."""
    centre_a, _ = pair.a.bounding_sphere()
    centre_b, _ = pair.b.bounding_sphere()
    line = placed(rot[None], shift[None], centre_b[None])[0] - centre_a
    every = pair.touches(rot[None], shift[None], True, 1).normal
    tries = [_AXES, line[None], contact[None], -contact[None], _spread(every)]
    directions = np.vstack(tries)
    lengths = length(directions)
    keep = np.isfinite(lengths) & (lengths > 1e-9)
    return np.asarray(directions[keep] / lengths[keep, None])


def _spread(normals: Floats, most: int = 16) -> Floats:
    """Return up to `most` of the normals (m, 3), far apart from one another, and the opposite ones."""
    if not len(normals):
        return normals
    chosen = [0]
    nearest = dot(normals, normals[0])
    while len(chosen) < min(most, len(normals)):
        k = int(np.argmin(nearest))
        if nearest[k] > 0.99:
            break
        chosen.append(k)
        nearest = np.maximum(nearest, dot(normals, normals[k]))
    return np.vstack((normals[chosen], -normals[chosen]))


def _ways_out(pair: Pair, rot: Floats, shift: Floats, directions: Floats) -> tuple[Floats, Floats]:
    """Return the translations (m,) of b along each direction that separate it from a, and contact normals (m, 3) there."""
    centre_a, radius_a = pair.a.bounding_sphere()
    centre_b, radius_b = pair.b.bounding_sphere()
    between = placed(rot[None], shift[None], centre_b[None])[0] - centre_a
    # All starts are outside: the spheres separate within the sum of their radii and the distance of their centres.
    far = 1.1 * (radius_a + radius_b + float(length(between)))
    flights = np.zeros((len(directions), FLIGHT_COLUMNS))
    flights[:, F_ROT_A : F_ROT_A + 9] = np.eye(3).ravel()
    flights[:, F_ROT_B : F_ROT_B + 9] = rot
    flights[:, F_D : F_D + 3] = shift + far * directions
    flights[:, F_V : F_V + 3] = -directions
    found = strike(pair.a, pair.b, flights, np.full(len(directions), 2.0 * far), ADVANCE_GAP, 1)
    time = np.minimum(found.time, found.searched)
    ways = np.where(np.isfinite(time), far - time, 0.0)
    # Slightly more than the touch, so that rounding does not leave them touching.
    return np.maximum(ways, 0.0) + ESCAPE_SLACK * far, found.normal
