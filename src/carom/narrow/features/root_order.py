"""Whether the first root of the coplanarity cubic is before or after a given time, in double-double arithmetic.

The filter knows the first contact within a bracket that is short but not empty. Where times are rounded to multiples of some
quantum the answer hangs on which side of a multiple within the bracket the contact lies; exact integers, which would tell it
anyway, take some hundred times as long.

A number is the unevaluated sum of two doubles, high + low, |low| at most half a unit of high (Dekker 1971). Differences of two
doubles are so without error, sums and products to less than 2^-102 of the magnitudes that go into them.
"""

from __future__ import annotations

from carom._compile.jit import inner_kernel
from carom.maths.exact import product_error, sum_error

ROOT_BEFORE, ROOT_UNSURE, ROOT_AFTER = -1, 0, 1
ROOT_WORK = 36
"""Three vectors at two times, three coordinates each, high and low."""

_ROUNDING = 2.0**-85
"""Times the product of the largest coordinates of A, B and C along x, y and z. A coordinate at a time is two products and a
sum, 3 * 2^-102; a determinant has 6 terms of 3 coordinates, two products and up to 5 sums more, 16 * 2^-102 each: below
2^-95. A coefficient is the sum of three: below 2^-93."""
_TOO_SMALL = 2.0**-700
"""Bounds below this do not cover what underflows."""


@inner_kernel
def _sum(a, b):
    """a + b without error."""
    return a + b, sum_error(a, b)


@inner_kernel
def _product(a, b):
    """a b without error, below 2^990."""
    return a * b, product_error(a, b)


@inner_kernel
def _add(a, a_low, b, b_low):
    high, low = _sum(a, b)
    return _sum(high, low + (a_low + b_low))


@inner_kernel
def _multiply(a, a_low, b, b_low):
    high, low = _product(a, b)
    return _sum(high, low + (a * b_low + a_low * b))


@inner_kernel
def _difference_into(points, head, tail, time, vectors, at):
    """Point head minus point tail at a time of the step to vectors[at : at + 6]."""
    rest, rest_low = _sum(1.0, -time)
    for d in range(3):
        x, x_low = _sum(points[head, d], -points[tail, d])
        y, y_low = _sum(points[head + 4, d], -points[tail + 4, d])
        x, x_low = _multiply(x, x_low, rest, rest_low)
        y, y_low = _multiply(y, y_low, time, 0.0)
        vectors[at + 2 * d], vectors[at + 2 * d + 1] = _add(x, x_low, y, y_low)


@inner_kernel
def _minor(v, a, b, i, j):
    """a_i b_j - a_j b_i for the vectors at places a and b."""
    x, x_low = _multiply(v[a + 2 * i], v[a + 2 * i + 1], v[b + 2 * j], v[b + 2 * j + 1])
    y, y_low = _multiply(v[a + 2 * j], v[a + 2 * j + 1], v[b + 2 * i], v[b + 2 * i + 1])
    return _add(x, x_low, -y, -y_low)


@inner_kernel
def _determinant(v, a, b, c):
    """det(a, b, c) of the vectors at these places."""
    total, total_low = 0.0, 0.0
    for d in range(3):
        m, m_low = _minor(v, a, b, (d + 1) % 3, (d + 2) % 3)
        m, m_low = _multiply(m, m_low, v[c + 2 * d], v[c + 2 * d + 1])
        total, total_low = _add(total, total_low, m, m_low)
    return total, total_low


@inner_kernel
def root_order(points, edges, begin, time, vectors):
    """Is the first root from `begin` on ROOT_BEFORE `time`, or ROOT_AFTER it? ROOT_UNSURE where neither is proved.

    points (8, 3) and edges: see filter_feature; coordinates differ by at most 2^40. begin < time, within [0, 1], not a root.
    vectors: ROOT_WORK float64.
    """
    tail_a, head_a, tail_b, tail_c, head_c = (0, 1, 2, 0, 2) if edges else (1, 2, 1, 0, 1)
    volume = 1.0
    for d in range(3):
        reach = 0.0
        for first in (0, 4):
            a = points[first + head_a, d] - points[first + tail_a, d]
            b = points[first + 3, d] - points[first + tail_b, d]
            c = points[first + head_c, d] - points[first + tail_c, d]
            reach = max(reach, max(abs(a), max(abs(b), abs(c))))
        volume *= reach
    slack = _ROUNDING * volume
    if not slack > _TOO_SMALL:
        return ROOT_UNSURE
    for late in range(2):
        t = time if late else begin
        _difference_into(points, head_a, tail_a, t, vectors, 18 * late)
        _difference_into(points, 3, tail_b, t, vectors, 18 * late + 6)
        _difference_into(points, head_c, tail_c, t, vectors, 18 * late + 12)
    # Bernstein coefficients over [begin, time], the middle ones three times.
    first, _ = _determinant(vectors, 0, 6, 12)
    last, _ = _determinant(vectors, 18, 24, 30)
    if first * last < 0.0 and abs(first) > slack and abs(last) > slack:
        return ROOT_BEFORE
    sign = 1.0 if first > 0.0 else -1.0
    second = second_low = third = third_low = 0.0
    for late in range(3):
        a, b, c = (18 if late == 0 else 0), (24 if late == 1 else 6), (30 if late == 2 else 12)
        one, one_low = _determinant(vectors, a, b, c)
        two, two_low = _determinant(vectors, 18 - a, 30 - b, 42 - c)
        second, second_low = _add(second, second_low, one, one_low)
        third, third_low = _add(third, third_low, two, two_low)
    if min(min(sign * first, sign * second), min(sign * third, sign * last)) > slack:
        return ROOT_AFTER
    return ROOT_UNSURE
