"""Separating directions of two moving features.

If d . D_k > 0 for all differences D_k at both ends of a part of the step, then so in between (they are linear in t), and the
features do not touch in that part. d can be any vector; good ones come from the features in the middle of the part.
"""

from __future__ import annotations

from math import inf

from carom._compile.jit import inner_kernel
from carom.maths.vector import cross
from carom.narrow.features.differences import FACE_CORNERS
from carom.narrow.features.rounding import DIRECTION, UNDERFLOW

_DIRECTIONS = 5
_NEAREST_STEPS = 6
"""Steps towards the nearest point of the swept differences: most of what can be separated is after 6."""
_LEAST_GAIN = 1e-12
"""Share of the way below which a step towards the nearest point gains nothing."""


@inner_kernel
def separates(work, first, last, corners, dx, dy, dz, reach_x, reach_y, reach_z, bounds):
    """Is d . D surely of one sign for all differences at `first` and `last`? (rounding.py, DIRECTION)"""
    slack = bounds[DIRECTION] * (abs(dx) * reach_x + abs(dy) * reach_y + abs(dz) * reach_z) + bounds[UNDERFLOW]
    low, high = inf, -inf
    for k in range(0, 3 * corners, 3):
        i, j = first + k, last + k
        a = dx * work[i] + dy * work[i + 1] + dz * work[i + 2]
        b = dx * work[j] + dy * work[j + 1] + dz * work[j + 2]
        low, high = min(low, min(a, b)), max(high, max(a, b))
        if low <= slack and high >= -slack:
            return False
    return True


@inner_kernel
def separated(work, first, last, corners, reach_x, reach_y, reach_z, bounds):
    """Does one of a few directions separate over the part with differences at `first` and `last`?

    Normal of the mean differences, normals of its edges within that plane, and the mean difference.
    """
    x, y, z = work[first] + work[last], work[first + 1] + work[last + 1], work[first + 2] + work[last + 2]
    ux, uy, uz = (
        work[first + 3] + work[last + 3] - x,
        work[first + 4] + work[last + 4] - y,
        work[first + 5] + work[last + 5] - z,
    )
    vx, vy, vz = (
        work[first + 6] + work[last + 6] - x,
        work[first + 7] + work[last + 7] - y,
        work[first + 8] + work[last + 8] - z,
    )
    nx, ny, nz = cross(ux, uy, uz, vx, vy, vz)
    dx, dy, dz = nx, ny, nz
    for attempt in range(_DIRECTIONS):
        if attempt == 1:
            dx, dy, dz = cross(nx, ny, nz, ux, uy, uz)
        elif attempt == 2:
            dx, dy, dz = cross(nx, ny, nz, vx, vy, vz)
        elif attempt == 3:
            if corners != FACE_CORNERS:
                continue
            ux, uy, uz = ux - vx, uy - vy, uz - vz
            dx, dy, dz = cross(nx, ny, nz, ux, uy, uz)
        elif attempt == 4:
            dx = dy = dz = 0.0
            for k in range(0, 3 * corners, 3):
                dx += work[first + k] + work[last + k]
                dy += work[first + k + 1] + work[last + k + 1]
                dz += work[first + k + 2] + work[last + k + 2]
        if separates(work, first, last, corners, dx, dy, dz, reach_x, reach_y, reach_z, bounds):
            return True
    return False


@inner_kernel
def nearest_separates(work, first, last, corners, reach_x, reach_y, reach_z, bounds):
    """Does a direction found by a few steps towards the nearest point to 0 of all differences separate (Frank and Wolfe)?"""
    x = y = z = 0.0
    for k in range(0, 3 * corners, 3):
        x += work[first + k] + work[last + k]
        y += work[first + k + 1] + work[last + k + 1]
        z += work[first + k + 2] + work[last + k + 2]
    x, y, z = x / (2.0 * corners), y / (2.0 * corners), z / (2.0 * corners)
    for _ in range(_NEAREST_STEPS):
        least, nearest = inf, first
        for k in range(0, 3 * corners, 3):
            i, j = first + k, last + k
            a = x * work[i] + y * work[i + 1] + z * work[i + 2]
            b = x * work[j] + y * work[j + 1] + z * work[j + 2]
            if a < least:
                least, nearest = a, i
            if b < least:
                least, nearest = b, j
        if least > bounds[DIRECTION] * (abs(x) * reach_x + abs(y) * reach_y + abs(z) * reach_z) + bounds[UNDERFLOW]:
            return True
        ex, ey, ez = x - work[nearest], y - work[nearest + 1], z - work[nearest + 2]
        length = ex * ex + ey * ey + ez * ez
        if not length > 0.0:
            return False
        share = min((x * ex + y * ey + z * ez) / length, 1.0)
        if not share > _LEAST_GAIN:
            return False
        x, y, z = x - share * ex, y - share * ey, z - share * ez
    return False
