"""Integers of any size for kernels: rows of 32-bit limbs in a pool that is allocated once.

limbs (rows, capacity) uint64 holds magnitudes, lowest limb first, each below 2^32, so that a product of two limbs plus two
limbs fits; size (rows,) int64 holds the number of limbs with the sign of the integer (0 for zero; the highest limb is never
0). A result that does not fit sets size[OVERFLOW] and is lost; callers look at it before they believe an answer.
"""

from __future__ import annotations

from math import ldexp

import numpy as np

from carom._compile.jit import inner_kernel
from carom.narrow.features.integers.rows import OVERFLOW

_LIMB = np.uint64(0xFFFFFFFF)
_BITS = np.uint64(32)
_ZERO = np.uint64(0)
_ONE = np.uint64(1)
_BASE = np.int64(1 << 32)


@inner_kernel
def set_integer(limbs, size, out, value):
    """out = value, an int64 above -2^63."""
    rest = np.uint64(abs(value))
    n = 0
    while rest != _ZERO:
        limbs[out, n] = rest & _LIMB
        rest = rest >> _BITS
        n += 1
    size[out] = n if value > 0 else -n


@inner_kernel
def sign_of(size, row):
    """-1, 0 or 1."""
    if size[row] > 0:
        return 1
    return -1 if size[row] < 0 else 0


@inner_kernel
def copy_into(limbs, size, out, a):
    """out = a."""
    for i in range(abs(size[a])):
        limbs[out, i] = limbs[a, i]
    size[out] = size[a]


@inner_kernel
def add_into(limbs, size, out, a, b, sign):
    """out = a + sign * b; out may be a or b."""
    size_a, size_b = size[a], sign * size[b]
    n_a, n_b = abs(size_a), abs(size_b)
    # x is the one with more limbs, or the larger one of as many: then x - y needs no second look.
    swap = n_b > n_a
    if n_a == n_b:
        i = n_a - 1
        while i >= 0 and limbs[a, i] == limbs[b, i]:
            i -= 1
        swap = i >= 0 and limbs[b, i] > limbs[a, i]
    x, y, n_x, n_y, positive = a, b, n_a, n_b, size_a > 0
    if swap:
        x, y, n_x, n_y, positive = b, a, n_b, n_a, size_b > 0
    if n_x >= limbs.shape[1]:
        size[OVERFLOW] = 1
        size[out] = 0
        return
    subtract = (size_a > 0) != (size_b > 0)
    carry = np.int64(0)
    for i in range(n_y):
        limb = np.int64(limbs[x, i]) + carry
        if subtract:
            limb -= np.int64(limbs[y, i])
        else:
            limb += np.int64(limbs[y, i])
        carry = limb >> 32  # arithmetic shift: -1 where the difference borrows
        limbs[out, i] = np.uint64(limb - carry * _BASE)
    for i in range(n_y, n_x):
        limb = np.int64(limbs[x, i]) + carry
        carry = limb >> 32
        limbs[out, i] = np.uint64(limb - carry * _BASE)
    n = n_x
    if carry > 0:
        limbs[out, n] = _ONE
        n += 1
    while n > 0 and limbs[out, n - 1] == _ZERO:
        n -= 1
    size[out] = n if positive else -n


@inner_kernel
def multiply_into(limbs, size, out, a, b):
    """out = a * b; out is another row."""
    n_a, n_b = abs(size[a]), abs(size[b])
    n = n_a + n_b
    if n_a == 0 or n_b == 0:
        size[out] = 0
        return
    if n > limbs.shape[1]:
        size[OVERFLOW] = 1
        size[out] = 0
        return
    for i in range(n_b):
        limbs[out, i] = _ZERO
    for i in range(n_a):
        factor = limbs[a, i]
        carry = _ZERO
        for j in range(n_b):
            term = factor * limbs[b, j] + limbs[out, i + j] + carry
            limbs[out, i + j] = term & _LIMB
            carry = term >> _BITS
        limbs[out, i + n_b] = carry
    if limbs[out, n - 1] == _ZERO:
        n -= 1
    size[out] = n if (size[a] > 0) == (size[b] > 0) else -n


@inner_kernel
def shift_into(limbs, size, out, a, bits):
    """out = a * 2^bits, bits >= 0; out may be a (limbs are moved from the top down)."""
    n = abs(size[a])
    if n == 0:
        size[out] = 0
        return
    whole, part = bits >> 5, np.uint64(bits & 31)
    if n + whole + 1 > limbs.shape[1]:
        size[OVERFLOW] = 1
        size[out] = 0
        return
    positive = size[a] > 0
    limbs[out, n + whole] = _ZERO
    for i in range(n - 1, -1, -1):
        limb = limbs[a, i] << part
        limbs[out, i + whole + 1] |= limb >> _BITS
        limbs[out, i + whole] = limb & _LIMB
    for i in range(whole):
        limbs[out, i] = _ZERO
    n += whole + 1
    if limbs[out, n - 1] == _ZERO:
        n -= 1
    size[out] = n if positive else -n


@inner_kernel
def halve(limbs, size, row):
    """row = row / 2 for an even row of 0 or more."""
    n = size[row]
    for i in range(n):
        above = limbs[row, i + 1] if i + 1 < n else _ZERO
        limbs[row, i] = (limbs[row, i] >> _ONE) | ((above & _ONE) << np.uint64(31))
    if n > 0 and limbs[row, n - 1] == _ZERO:
        size[row] = n - 1


@inner_kernel
def bit_length(limbs, size, row):
    """Bits of the magnitude; 0 for zero."""
    n = abs(size[row])
    if n == 0:
        return 0
    top, bits = limbs[row, n - 1], 32 * (n - 1)
    while top != _ZERO:
        top = top >> _ONE
        bits += 1
    return bits


@inner_kernel
def scaled_float(limbs, size, row, bits):
    """row / 2^bits as a double, cut off after three limbs: within 2^-63 of the highest limb, relative, and a rounding."""
    n = abs(size[row])
    value = 0.0
    for i in range(max(n - 3, 0), n):
        value += ldexp(float(limbs[row, i]), 32 * i - bits)
    return value if size[row] > 0 else -value


@inner_kernel
def floor_double(limbs, size, row, bits):
    """The largest double not above row / 2^bits, for a row of 0 or more. Doubles are multiples of 2^-1074."""
    drop = max(bit_length(limbs, size, row) - 53, bits - 1074)
    mantissa = _ZERO
    for i in range(size[row]):
        at = 32 * i - drop
        if at >= 0:
            mantissa |= limbs[row, i] << np.uint64(at)
        elif at > -32:
            mantissa |= limbs[row, i] >> np.uint64(-at)
    return ldexp(float(mantissa), drop - bits)
