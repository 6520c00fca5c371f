"""Exact first contact of one feature pair, with integers only."""

from __future__ import annotations

from math import frexp, inf

import numpy as np

from carom._compile.jit import inner_kernel, kernel
from carom.narrow.features.contact_at import side, touches
from carom.narrow.features.integers.limbs import add_into, copy_into, halve, set_integer, shift_into
from carom.narrow.features.integers.polynomials import (
    bernstein_into,
    component,
    degree_of,
    determinant_into,
    drop_double_roots,
    product_into,
)
from carom.narrow.features.integers.root_cell import shorten_cell, time_of_root
from carom.narrow.features.integers.rows import (
    AXIS,
    BERNSTEIN,
    CELL,
    CELL_SIZE,
    DOT,
    EDGE_A,
    EDGE_B,
    FIRST,
    HERE,
    MINUS,
    N_ROWS,
    ONE,
    OVERFLOW,
    PLUS,
    ROOTS,
    ROW_DEPTH,
    ROW_EXACT,
    ROW_POINTS,
)
from carom.narrow.features.verdict import CLEAR, CONTACT, UNDECIDED

_MANTISSA = 2.0**53
_DIVISION_DEPTH = 3
"""Depth of cells at which several sign changes are taken for a double root: simple roots are mostly apart by then."""


@inner_kernel
def _integers_into(points, limbs, size):
    """ROW_POINTS = the coordinates, all multiplied by the power of two that makes them integers."""
    lowest = np.int64(2000)
    for i in range(8):
        for c in range(3):
            mantissa, exponent = frexp(points[i, c])
            whole = np.int64(mantissa * _MANTISSA)
            if whole != 0:
                place = exponent - 53
                while whole & 1 == 0:
                    whole >>= 1
                    place += 1
                lowest = min(lowest, place)
    for i in range(8):
        for c in range(3):
            mantissa, exponent = frexp(points[i, c])
            whole, place = np.int64(mantissa * _MANTISSA), exponent - 53
            row = ROW_POINTS + 3 * i + c
            while whole != 0 and place < lowest:
                whole >>= 1  # even: its last bit is not below `lowest`
                place += 1
            set_integer(limbs, size, row, whole)
            shift_into(limbs, size, row, row, max(place - lowest, 0))


@inner_kernel
def _steepest_axis(points, edges):
    """Axis along which the normal is likely largest, at half the step: along it the signs are found soonest."""
    largest, best = -1.0, 0
    tail_a, head_a, tail_b = (0, 1, 2) if edges else (1, 2, 1)
    for axis in range(3):
        i, j = (axis + 1) % 3, (axis + 2) % 3
        ui = (points[head_a, i] - points[tail_a, i]) + (points[head_a + 4, i] - points[tail_a + 4, i])
        uj = (points[head_a, j] - points[tail_a, j]) + (points[head_a + 4, j] - points[tail_a + 4, j])
        vi = (points[3, i] - points[tail_b, i]) + (points[7, i] - points[tail_b + 4, i])
        vj = (points[3, j] - points[tail_b, j]) + (points[7, j] - points[tail_b + 4, j])
        magnitude = abs(ui * vj - uj * vi)
        if magnitude > largest:
            largest, best = magnitude, axis
    return best


@inner_kernel
def _vector_into(limbs, size, out, head, tail):
    """Vector `out` = point head minus point tail: value at the start and change over the step."""
    for c in range(3):
        row = component(out, c)
        add_into(limbs, size, row, ROW_POINTS + 3 * head + c, ROW_POINTS + 3 * tail + c, MINUS)
        add_into(limbs, size, row + 1, ROW_POINTS + 12 + 3 * head + c, ROW_POINTS + 12 + 3 * tail + c, MINUS)
        add_into(limbs, size, row + 1, row + 1, row, MINUS)


@inner_kernel
def _vectors_into(edges, limbs, size):
    """The differences, and the two edges whose cross product is the normal."""
    for out in range(EDGE_B + 1):
        if edges:
            head, tail = 2 + out % 2, out // 2
            if out >= EDGE_A:
                head, tail = 1 + 2 * (out - EDGE_A), 2 * (out - EDGE_A)
        else:
            head, tail = out + 1, 0
            if out >= EDGE_A:
                head, tail = out - EDGE_A + 2, 1
        if head < 4:
            _vector_into(limbs, size, out, head, tail)


@inner_kernel
def _first_root_with_contact(limbs, size, edges, cell, tight):
    """Time of the first root of ROOTS in [0, 1] at which the features touch; inf if there is none.

    Cells of [0, 1] from left to right; one with several sign changes is halved. Ends: simple roots get cells of their own
    (Vincent), and double roots are divided out. A root at the begin of a cell belongs to it, one at 1 is looked at last.
    """
    simple = False
    size[HERE] = 0
    depth = np.int64(0)
    while size[OVERFLOW] == 0:
        copy_into(limbs, size, CELL, HERE)
        cell[ROW_DEPTH] = depth
        changes = bernstein_into(limbs, size, ROOTS, depth)
        if changes >= 2 and depth >= _DIVISION_DEPTH and not simple:
            simple = True
            drop_double_roots(limbs, size)
            size[HERE] = 0
            depth = np.int64(0)
            continue
        zero_first, zero_last = size[BERNSTEIN] == 0, size[BERNSTEIN + 3] == 0
        if zero_first and changes < 2:
            cell[ROW_EXACT] = 1
            if touches(limbs, size, edges, cell):
                return time_of_root(limbs, size, cell, tight)
        if changes == 1:
            shorten_cell(limbs, size, cell)
            if touches(limbs, size, edges, cell):
                return time_of_root(limbs, size, cell, tight)
        if changes >= 2:
            add_into(limbs, size, HERE, HERE, HERE, PLUS)
            depth += 1
            continue
        add_into(limbs, size, HERE, HERE, ONE, PLUS)
        while depth > 0 and limbs[HERE, 0] & np.uint64(1) == np.uint64(0):
            halve(limbs, size, HERE)
            depth -= 1
        if depth == 0:  # the end of the step
            if zero_last:
                copy_into(limbs, size, CELL, HERE)
                cell[ROW_DEPTH], cell[ROW_EXACT] = 0, 1
                if touches(limbs, size, edges, cell):
                    return 1.0
            break
    return inf


@inner_kernel
def _first_contact(limbs, size, edges, cell, tight):
    """Time of the first contact of the features with vectors in the pool; inf if never.

    At a contact the points are coplanar. Where they are coplanar all the time and do not touch at the start, 0 enters the hull
    of the differences over one of its sides, whose ends are then parallel: a root of a component of their cross product, or,
    where they are parallel all the time, of their dot product.
    """
    determinant_into(limbs, size, ROOTS, EDGE_A, EDGE_B, FIRST)
    sides = 0
    if degree_of(size, ROOTS) < 0:
        sides = 4 if edges else 3
        size[CELL], cell[ROW_DEPTH], cell[ROW_EXACT] = 0, 0, 1
        if touches(limbs, size, edges, cell):
            return 0.0
    best = inf
    for k in range(max(sides, 1)):
        if sides > 0:
            x, y = side(edges, k)
            for axis in range(DOT + 1):
                product_into(limbs, size, ROOTS, x, y, axis)
                if degree_of(size, ROOTS) >= 0:
                    break
        if degree_of(size, ROOTS) >= 1:
            best = min(best, _first_root_with_contact(limbs, size, edges, cell, tight))
    return best


@kernel
def first_contacts_into(points, edges, tight, capacity, status, times):
    """CLEAR or CONTACT, and the time of first contact (inf if never), for each row of points (n, 8, 3) and edges (n,).

    UNDECIDED where integers of `capacity` limbs overflow.
    """
    limbs, size = np.empty((N_ROWS, capacity), np.uint64), np.zeros(N_ROWS, np.int64)
    cell = np.zeros(CELL_SIZE, np.int64)
    set_integer(limbs, size, ONE, PLUS)
    for i in range(points.shape[0]):
        size[OVERFLOW] = 0
        _integers_into(points[i], limbs, size)
        _vectors_into(edges[i], limbs, size)
        cell[AXIS] = _steepest_axis(points[i], edges[i])
        times[i] = _first_contact(limbs, size, edges[i], cell, tight)
        status[i] = CONTACT if times[i] <= 1.0 else CLEAR
        if size[OVERFLOW] != 0:
            status[i] = UNDECIDED
