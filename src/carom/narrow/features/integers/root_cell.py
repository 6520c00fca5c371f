"""A root of a polynomial in [0, 1], known exactly: a dyadic number, or the only root in a dyadic cell.

The cell from n / 2^k to (n + 1) / 2^k can be shortened at will, and every question about the root has an exact answer: the sign
of another polynomial there, and the largest double not above it.
"""

from __future__ import annotations

import numpy as np

from carom._compile.jit import inner_kernel
from carom.narrow.features.coplanarity import root_of_cubic
from carom.narrow.features.integers.limbs import (
    add_into,
    bit_length,
    copy_into,
    floor_double,
    scaled_float,
    set_integer,
    shift_into,
    sign_of,
)
from carom.narrow.features.integers.polynomials import (
    bernstein_into,
    common_divisor,
    degree_of,
    first_sign,
    product_into,
    sign_at_point,
)
from carom.narrow.features.integers.rows import (
    BERNSTEIN,
    CELL,
    OVERFLOW,
    PLUS,
    ROOTS,
    ROW_DEPTH,
    ROW_EXACT,
    ROW_LEFT,
    ROW_RIGHT,
    SIGN,
    TERM,
)

_LEAP = np.int64(44)
"""Halvings made at once from an approximate root: eight bits short of a double, so that it mostly names the right cell."""
_MANTISSA = 53
_LAST_DEPTH = 1074
"""Doubles are multiples of 2^-1074."""


@inner_kernel
def shorten_cell(limbs, size, cell):
    """Replace the open cell at CELL, in which ROOTS has one root and that a simple one, by one 2^-_LEAP as long.

    An approximate root names a cell; exact signs confirm it or say where to look, eight times as far each time. A look
    outside the bracket becomes its middle, so the bracket shrinks with every sign.
    """
    bernstein_into(limbs, size, ROOTS, cell[ROW_DEPTH])
    before = first_sign(size)
    cell[ROW_EXACT] = 0
    bits = 0
    for i in range(4):
        bits = max(bits, bit_length(limbs, size, BERNSTEIN + i))
    near = root_of_cubic(
        scaled_float(limbs, size, BERNSTEIN, bits),
        scaled_float(limbs, size, BERNSTEIN + 1, bits) / 3.0,
        scaled_float(limbs, size, BERNSTEIN + 2, bits) / 3.0,
        scaled_float(limbs, size, BERNSTEIN + 3, bits),
        0.0,
    )
    shift_into(limbs, size, CELL, CELL, _LEAP)
    cell[ROW_DEPTH] += _LEAP
    low, high = np.int64(0), np.int64(1) << _LEAP
    now = np.int64(0)  # CELL is the begin of the long cell plus this
    look, step = np.int64(near * high), np.int64(1)
    while high - low > 1:
        if not low < look < high:
            look = (low + high) >> 1
        set_integer(limbs, size, TERM, look - now)
        add_into(limbs, size, CELL, CELL, TERM, PLUS)
        now = look
        sign = sign_at_point(limbs, size, ROOTS, cell[ROW_DEPTH])
        if sign == 0:
            cell[ROW_EXACT] = 1
            return
        if sign == before:
            low = look
            look += step
        else:
            high = look
            look -= step
        step *= 8
    set_integer(limbs, size, TERM, low - now)
    add_into(limbs, size, CELL, CELL, TERM, PLUS)


@inner_kernel
def _vanishes(limbs, size, cell):
    """Is SIGN zero at the root in the open cell? Exactly if the common divisor with ROOTS has a root there.

    The cell holds one simple root of ROOTS, hence at most that one of the divisor: an odd number of sign changes, or even.
    """
    for i in range(4):
        copy_into(limbs, size, ROW_LEFT + i, ROOTS + i)
        copy_into(limbs, size, ROW_RIGHT + i, SIGN + i)
    divisor = common_divisor(limbs, size)
    if degree_of(size, divisor) < 1:
        return False
    return bernstein_into(limbs, size, divisor, cell[ROW_DEPTH]) % 2 == 1


@inner_kernel
def product_sign(limbs, size, cell, x, y, axis):
    """Sign at the root of component `axis` of the cross product of vectors x and y, or with DOT of their dot product.

    Shortens the cell until the product has one sign in it, after a test for zero. Ends: where the product is not zero at the
    root it keeps its sign in some cell around it, and its Bernstein coefficients converge to its values.
    """
    product_into(limbs, size, SIGN, x, y, axis)
    degree = degree_of(size, SIGN)
    if degree < 0:
        return 0
    if degree == 0:
        return sign_of(size, SIGN)
    tested = False
    while cell[ROW_EXACT] == 0:
        if bernstein_into(limbs, size, SIGN, cell[ROW_DEPTH]) == 0:
            return first_sign(size)
        if not tested:
            tested = True
            if _vanishes(limbs, size, cell):
                return 0
        if size[OVERFLOW] != 0:
            return 0
        shorten_cell(limbs, size, cell)
    return sign_at_point(limbs, size, SIGN, cell[ROW_DEPTH])


@inner_kernel
def time_of_root(limbs, size, cell, tight):
    """A double not after the root, closer than FEATURE_TIME_GAP as every shortened cell is; with `tight` the largest one.

    No double lies inside a cell whose n has as many bits as a double, nor in one as short as the least double.
    """
    while tight and cell[ROW_EXACT] == 0 and size[OVERFLOW] == 0:
        if bit_length(limbs, size, CELL) >= _MANTISSA or cell[ROW_DEPTH] >= _LAST_DEPTH:
            break
        shorten_cell(limbs, size, cell)
    return floor_double(limbs, size, CELL, cell[ROW_DEPTH])
