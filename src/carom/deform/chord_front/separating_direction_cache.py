"""Pairs of triangles that are always near each other, each with the direction that last separated it.

Boxes of such pairs always meet: triangles two rows apart in a mesh, layers of cloth that rest on each other. What parts
them is a direction, and that changes slowly. Along a fixed direction positions move linearly between keys, so a direction that
parts two triangles at two keys in a row parts them all the way between: three products a corner and key settle the pair. A pair
is watched while its direction parts it to the end of the window; else it is due where its direction fails, or later, where its
boxes meet.
"""

from __future__ import annotations

import numpy as np

from carom._compile.jit import inline_kernel, lean_kernel
from carom.deform.chord_front.chord_boxes import MOST_KEYS
from carom.deform.chord_front.front import intervals_from, put_off
from carom.deform.triangles.lanes.chord_boxes import meeting_intervals
from carom.deform.triangles.lanes.separating import AHEAD, BEHIND, parted


@inline_kernel
def _first_failure(faces, places, firsts, key, a, b, directions, row):
    """First key from `key` on at which a row of directions does not point from triangle a to b; len(firsts) if none is."""
    x, y, z = np.float64(directions[row, 0]), np.float64(directions[row, 1]), np.float64(directions[row, 2])
    while key < len(firsts) and parted(faces, places, firsts[key], a, b, x, y, z) == AHEAD:
        key += 1
    return key


@lean_kernel
def look_again(faces, places, firsts, leaves, boxes, pairs, directions, n, counts, due):
    """Keep those of pairs[:n] whose directions part them at all keys of a window, in order; put the others off.

    places, firsts: see carom.deform.chord_front.chord_boxes; leaves (m,): nodes of triangles; directions (n, 4)
    float32: x, y, z pointing from the first triangle to the second. Pairs whose boxes are apart over the window are
    parked. counts, due: see carom.deform.chord_front.front; there is room. Returns how many are watched then.
    """
    window = len(firsts) - 1
    kept = 0
    for k in range(n):
        a, b = leaves[pairs[k, 0]], leaves[pairs[k, 1]]
        meeting = meeting_intervals(boxes, a, b) & intervals_from(0, window)
        if meeting != 0:
            fails = _first_failure(faces, places, firsts, 1, pairs[k, 0], pairs[k, 1], directions, k)
            if fails > window:
                pairs[kept, 0] = pairs[k, 0]
                pairs[kept, 1] = pairs[k, 1]
                for d in range(3):
                    directions[kept, d] = directions[k, d]
                kept += 1
                continue
            meeting &= intervals_from(fails - 1, window)
        interval = put_off(meeting, a, b, counts, due)
        counts[interval] += 1
    return kept


@lean_kernel
def begin_to_watch(
    faces, places, firsts, interval, leaves, boxes, pairs, n, witnesses, put, watched, directions, held, counts, due
):
    """Watch pairs[:n], which were put off to `put` (n,), as long as their witness direction parts them from the end of the
    interval on: to the end of the window, or else they are put off until it fails.

    witnesses (n, 3): 0 where no direction is known. There is room. Returns how many are watched then.
    """
    window = len(firsts) - 1
    for k in range(n):
        x, y, z = witnesses[k, 0], witnesses[k, 1], witnesses[k, 2]
        size = max(abs(x), max(abs(y), abs(z)))
        if not (size > 0.0 and size < np.inf):
            continue
        for d in range(3):
            directions[held, d] = np.float32(witnesses[k, d] / size)
        dx, dy, dz = np.float64(directions[held, 0]), np.float64(directions[held, 1]), np.float64(directions[held, 2])
        side = parted(faces, places, firsts[interval + 1], pairs[k, 0], pairs[k, 1], dx, dy, dz)
        if side == 0:
            continue
        if side == BEHIND:
            for d in range(3):
                directions[held, d] = -directions[held, d]
        fails = _first_failure(faces, places, firsts, interval + 2, pairs[k, 0], pairs[k, 1], directions, held)
        if fails == interval + 2 and fails <= window:
            continue
        due[put[k] % MOST_KEYS, put[k] // MOST_KEYS, 0] = -1
        if fails > window:
            watched[held, 0] = pairs[k, 0]
            watched[held, 1] = pairs[k, 1]
            held += 1
        else:
            a, b = leaves[pairs[k, 0]], leaves[pairs[k, 1]]
            row = put_off(meeting_intervals(boxes, a, b) & intervals_from(fails - 1, window), a, b, counts, due)
            counts[row] += 1
    return held
