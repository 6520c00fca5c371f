"""Flights whose bounding spheres touch at the start, with the pose of b in the frame of a at that time."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from carom._compile.jit import compiling, kernel
from carom.narrow.toi.advancement.scratch import F_D, F_ROT_A, F_ROT_B
from carom.tolerances import SPHERE_SLACK

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


class NearStarts(NamedTuple):
    """rows (m,) of the flights, rotations (m, 9) by rows and shifts (m, 3): x_a = R x_b + shift."""

    rows: Ints
    rots: Floats
    shifts: Floats


@kernel
def _near_starts_into(flights, centre_a, centre_b, reach, rows, rots, shifts):
    """Fill one row of rows, rots and shifts per flight whose spheres overlap; returns how many. reach: sum of the radii."""
    n = 0
    for k in range(flights.shape[0]):
        square = 0.0
        for r in range(3):
            off = flights[k, F_D + r]
            for c in range(3):
                off += flights[k, F_ROT_B + 3 * r + c] * centre_b[c] - flights[k, F_ROT_A + 3 * r + c] * centre_a[c]
            square += off * off
        if square > reach * reach:
            continue
        rows[n] = k
        for r in range(3):
            shifts[n, r] = 0.0
            for m in range(3):
                a = flights[k, F_ROT_A + 3 * m + r]
                shifts[n, r] += a * flights[k, F_D + m]
            for c in range(3):
                total = 0.0
                for m in range(3):
                    total += flights[k, F_ROT_A + 3 * m + r] * flights[k, F_ROT_B + 3 * m + c]
                rots[n, 3 * r + c] = total
        n += 1
    return n


def near_starts(flights: Floats, sphere_a: tuple[Floats, float], sphere_b: tuple[Floats, float]) -> NearStarts:
    """Flights (n, FLIGHT_COLUMNS) that may start in touch, by bounding spheres (centre (3,), radius) in the shapes' frames."""
    n = len(flights)
    rows, rots, shifts = np.empty(n, np.int64), np.empty((n, 9)), np.empty((n, 3))
    reach = (sphere_a[1] + sphere_b[1]) * (1.0 + SPHERE_SLACK)
    with compiling("time of impact"):
        # Copies, as centres may be read-only, which is another type to the compiler.
        m = _near_starts_into(flights, np.array(sphere_a[0]), np.array(sphere_b[0]), reach, rows, rots, shifts)
    return NearStarts(rows[:m], rots[:m], shifts[:m])
