"""Pairs of triangles that are near each other all the time, each with a direction along which it was last apart.

Boxes of such pairs always meet: triangles two rows apart in a mesh, layers of cloth that rest on each other. What parts
them is a direction, and that changes slowly. Along a fixed direction positions move linearly between keys, so a direction that
parts two triangles at the start of an interval, which is known from the interval before, and at its end, parts them all the
way: three products a corner settle the pair.
"""

from __future__ import annotations

import numpy as np

from carom._jit import lean_kernel
from carom.deform.chord_lanes import sides_apart
from carom.deform.parting_lanes import AHEAD, BEHIND, parted


@lean_kernel
def look_again(faces, end, pairs, directions, n, failed):
    """Keep those of pairs[:n] that their direction still parts at the end of an interval, in order; the others to `failed`.

    directions (n, 4) float32: x, y, z pointing from the first triangle to the second. Returns how many are kept.
    """
    kept = 0
    lost = 0
    for k in range(n):
        a, b = pairs[k, 0], pairs[k, 1]
        dx, dy, dz = np.float64(directions[k, 0]), np.float64(directions[k, 1]), np.float64(directions[k, 2])
        ahead = parted(faces, end, a, b, dx, dy, dz) == AHEAD
        if kept < k:
            pairs[kept, 0] = a
            pairs[kept, 1] = b
            for d in range(3):
                directions[kept, d] = directions[k, d]
        failed[lost, 0] = a
        failed[lost, 1] = b
        kept += ahead
        lost += not ahead
    return kept


@lean_kernel
def park_watched(far, leaves, pairs, directions, n, parked, n_parked):
    """Park those of pairs[:n] whose boxes over the keys ahead are apart, as pairs of `leaves`; they are watched no longer.

    far: see carom.deform.chord_front. There is room. Returns how many are watched then, and how many parked.
    """
    kept = 0
    for k in range(n):
        a, b = leaves[pairs[k, 0]], leaves[pairs[k, 1]]
        apart = sides_apart(far, a, b) != 0
        pairs[kept, 0] = pairs[k, 0]
        pairs[kept, 1] = pairs[k, 1]
        for d in range(3):
            directions[kept, d] = directions[k, d]
        parked[n_parked, 0] = a
        parked[n_parked, 1] = b
        kept += not apart
        n_parked += apart
    return kept, n_parked


@lean_kernel
def begin_to_watch(faces, end, pairs, n, witnesses, places, front, watched, directions, held):
    """Move pairs[:n] that their witness direction parts at the end of the interval from the front to the watched pairs.

    witnesses (n, 3): 0 where no direction is known; places (n,): row in the front (f, 2), whose nodes become -1. There is
    room. Returns how many are watched then.
    """
    for k in range(n):
        x, y, z = witnesses[k, 0], witnesses[k, 1], witnesses[k, 2]
        size = max(abs(x), max(abs(y), abs(z)))
        if not (size > 0.0 and size < np.inf):
            continue
        for d in range(3):
            directions[held, d] = np.float32(witnesses[k, d] / size)
        dx, dy, dz = np.float64(directions[held, 0]), np.float64(directions[held, 1]), np.float64(directions[held, 2])
        side = parted(faces, end, pairs[k, 0], pairs[k, 1], dx, dy, dz)
        if side == 0:
            continue
        if side == BEHIND:
            for d in range(3):
                directions[held, d] = -directions[held, d]
        watched[held, 0] = pairs[k, 0]
        watched[held, 1] = pairs[k, 1]
        held += 1
        front[places[k], 0] = -1
    return held
