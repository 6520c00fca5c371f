"""Pairs of triangles that are near each other all the time, each with a direction along which it was last apart.

Boxes of such pairs always meet: triangles two rows apart in a mesh, layers of cloth that rest on each other. What parts
them is a direction, and that changes slowly. Along a fixed direction positions move linearly between keys, so a direction that
parts two triangles at the start of an interval, which is known from the interval before, and at its end, parts them all the
way: three products a corner settle the pair.
"""

from __future__ import annotations

import numpy as np

from carom._jit import inline_kernel, lean_kernel

_ROUNDING = 16.0 * 2.0**-53
"""Times (sum of the direction's sizes) times the largest coordinate relative to the first corner: a difference, three products
and two sums take 6 units of 2^-53; two such numbers are compared, 12 units."""
_TINY = 1e-300
"""Covers underflow."""


@inline_kernel
def _parts(faces, places, a, b, dx, dy, dz):
    """Does the direction part triangles a and b, whose vertices are at places (n, 4), beyond rounding?"""
    o = faces[a, 0]
    ox, oy, oz = places[o, 0], places[o, 1], places[o, 2]
    low_a = high_a = 0.0
    low_b, high_b = np.inf, -np.inf
    reach = 0.0
    for k in range(1, 3):
        v = faces[a, k]
        x, y, z = places[v, 0] - ox, places[v, 1] - oy, places[v, 2] - oz
        along = x * dx + y * dy + z * dz
        low_a = along if along < low_a else low_a
        high_a = along if along > high_a else high_a
        reach += abs(x) + abs(y) + abs(z)
    for k in range(3):
        v = faces[b, k]
        x, y, z = places[v, 0] - ox, places[v, 1] - oy, places[v, 2] - oz
        along = x * dx + y * dy + z * dz
        low_b = along if along < low_b else low_b
        high_b = along if along > high_b else high_b
        reach += abs(x) + abs(y) + abs(z)
    slack = _ROUNDING * (abs(dx) + abs(dy) + abs(dz)) * reach + _TINY
    return low_b - high_a > slack, low_a - high_b > slack


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
        ahead, _ = _parts(faces, end, a, b, dx, dy, dz)
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
        ahead, behind = _parts(faces, end, pairs[k, 0], pairs[k, 1], dx, dy, dz)
        if not (ahead or behind):
            continue
        if behind:
            for d in range(3):
                directions[held, d] = -directions[held, d]
        watched[held, 0] = pairs[k, 0]
        watched[held, 1] = pairs[k, 1]
        held += 1
        front[places[k], 0] = -1
    return held
