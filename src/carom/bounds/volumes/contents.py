"""Input of a fit of the triangles order[first : first + count] of tris (m, 9): box, reach and principal axes."""

from __future__ import annotations

from math import inf, sqrt

from carom._compile.jit import inner_kernel
from carom.bounds.volumes.volume_type import FIT_AXES, FIT_FREE, FIT_SPLIT, HI, LO, MEAN, SPREAD
from carom.maths.vector import cross
from carom.tolerances import EIGEN_SHARE


@inner_kernel
def box_into(tris, order, first, count, space):
    """Set LO and HI of `space` to the box around the corners; returns the largest absolute coordinate."""
    reach = 0.0
    for d in range(3):
        lo, hi = inf, -inf
        for k in range(first, first + count):
            t = tris[order[k]]
            lo = min(lo, min(t[d], min(t[d + 3], t[d + 6])))
            hi = max(hi, max(t[d], max(t[d + 3], t[d + 6])))
        space[LO + d], space[HI + d] = lo, hi
        reach = max(reach, max(abs(lo), abs(hi)))
    return reach


@inner_kernel
def split_longest_side(space):
    """Set FIT_SPLIT of `space` to the longest side of its box."""
    longest = 0
    for d in range(3):
        space[FIT_SPLIT + d] = 0.0
        if space[HI + d] - space[LO + d] > space[HI + longest] - space[LO + longest]:
            longest = d
    space[FIT_SPLIT + longest] = 1.0


@inner_kernel
def far_from(tris, order, first, count, x, y, z):
    """Distance of (x, y, z) to the farthest corner, and the row and first column of that corner."""
    far, row, column = -1.0, first, 0
    for k in range(first, first + count):
        t = tris[order[k]]
        for c in range(0, 9, 3):
            square = (t[c] - x) ** 2 + (t[c + 1] - y) ** 2 + (t[c + 2] - z) ** 2
            if square > far:
                far, row, column = square, order[k], c
    return sqrt(far), row, column


@inner_kernel
def principal_axes_into(tris, order, first, count, space):
    """Set MEAN, AXES and SPREAD of `space` from the covariance of the surface; by corners where it has no area.

    Seen from one corner, so that triangles far from the origin keep their digits.
    """
    base = tris[order[first]]
    matrix = space[FIT_FREE : FIT_FREE + 9]
    for by_corners in range(2):
        total = 0.0
        for i in range(3):
            space[MEAN + i] = 0.0
        for i in range(9):
            matrix[i] = 0.0
        for k in range(first, first + count):
            t = tris[order[k]]
            w = 1.0 if by_corners else _double_area(t)
            total += w
            for i in range(3):
                pi, qi, ri = t[i] - base[i], t[3 + i] - base[i], t[6 + i] - base[i]
                space[MEAN + i] += w * (pi + qi + ri) / 3.0
                for j in range(i, 3):
                    pj, qj, rj = t[j] - base[j], t[3 + j] - base[j], t[6 + j] - base[j]
                    matrix[3 * i + j] += w * ((pi + qi + ri) * (pj + qj + rj) + pi * pj + qi * qj + ri * rj) / 12.0
        if total > 0.0:
            break
    for i in range(3):
        for j in range(i, 3):
            spread = matrix[3 * i + j] / total - space[MEAN + i] * space[MEAN + j] / (total * total)
            matrix[3 * i + j] = matrix[3 * j + i] = spread
    for i in range(3):
        space[MEAN + i] = base[i] + space[MEAN + i] / total
    _diagonalise(matrix, space[FIT_AXES : FIT_AXES + 9])
    for i in range(3):
        space[SPREAD + i] = matrix[4 * i]
    _sort_axes(space)


@inner_kernel
def _double_area(t):
    ux, uy, uz = t[3] - t[0], t[4] - t[1], t[5] - t[2]
    vx, vy, vz = t[6] - t[0], t[7] - t[1], t[8] - t[2]
    nx, ny, nz = cross(ux, uy, uz, vx, vy, vz)
    return sqrt(nx * nx + ny * ny + nz * nz)


@inner_kernel
def _diagonalise(matrix, vectors):
    """Jacobi rotations: `vectors` (9,) gets the eigenvectors of the symmetric `matrix` (9,), in rows; the matrix their values.

    Three rotations a sweep converge quadratically: a dozen sweeps reach rounding.
    """
    for i in range(9):
        vectors[i] = 1.0 if i % 4 == 0 else 0.0
    for _ in range(12):
        off = matrix[1] ** 2 + matrix[2] ** 2 + matrix[5] ** 2
        if off <= EIGEN_SHARE * (matrix[0] ** 2 + matrix[4] ** 2 + matrix[8] ** 2):
            break
        for p in range(2):
            for q in range(p + 1, 3):
                if matrix[3 * p + q] == 0.0:
                    continue
                theta = 0.5 * (matrix[4 * q] - matrix[4 * p]) / matrix[3 * p + q]
                t = 1.0 / (abs(theta) + sqrt(theta * theta + 1.0))
                if theta < 0.0:
                    t = -t
                c = 1.0 / sqrt(t * t + 1.0)
                s = t * c
                for k in range(0, 9, 3):
                    x, y = matrix[k + p], matrix[k + q]
                    matrix[k + p], matrix[k + q] = c * x - s * y, s * x + c * y
                for k in range(3):
                    x, y = matrix[3 * p + k], matrix[3 * q + k]
                    matrix[3 * p + k], matrix[3 * q + k] = c * x - s * y, s * x + c * y
                    x, y = vectors[3 * p + k], vectors[3 * q + k]
                    vectors[3 * p + k], vectors[3 * q + k] = c * x - s * y, s * x + c * y


@inner_kernel
def _sort_axes(space):
    """Order AXES and SPREAD of `space` by falling spread: three swaps sort three."""
    for i, j in ((0, 1), (1, 2), (0, 1)):
        if space[SPREAD + i] < space[SPREAD + j]:
            space[SPREAD + i], space[SPREAD + j] = space[SPREAD + j], space[SPREAD + i]
            for k in range(3):
                p, q = FIT_AXES + 3 * i + k, FIT_AXES + 3 * j + k
                space[p], space[q] = space[q], space[p]
