"""Polynomials with integer coefficients, of degree 3 at most, in the pool of integers."""

from __future__ import annotations

from carom._compile.jit import inner_kernel
from carom.narrow.features.integers.limbs import add_into, copy_into, multiply_into, shift_into, sign_of
from carom.narrow.features.integers.rows import (
    BERNSTEIN,
    CELL,
    DOT,
    LINEAR,
    LOCAL,
    MINUS,
    PLUS,
    QUADRATIC,
    ROOTS,
    ROW_LEFT,
    ROW_RIGHT,
    ROW_VECTORS,
    SPARE,
    TERM,
    TOTAL,
)


@inner_kernel
def degree_of(size, poly):
    """-1 for zero."""
    degree = 3
    while degree >= 0 and size[poly + degree] == 0:
        degree -= 1
    return degree


@inner_kernel
def clear(size, poly):
    """poly = 0."""
    for i in range(4):
        size[poly + i] = 0


@inner_kernel
def add_product(limbs, size, out, a, n_a, b, n_b, sign):
    """out += sign * a * b, of polynomials with n_a and n_b coefficients."""
    for i in range(n_a):
        for j in range(n_b):
            multiply_into(limbs, size, TERM, a + i, b + j)
            add_into(limbs, size, out + i + j, out + i + j, TERM, sign)


@inner_kernel
def component(vector, axis):
    """Row of a component of a vector: two coefficients."""
    return ROW_VECTORS + 6 * vector + 2 * axis


@inner_kernel
def product_into(limbs, size, out, x, y, axis):
    """out = component `axis` of the cross product of vectors x and y, or with DOT their dot product."""
    clear(size, out)
    for term in range(3 if axis == DOT else 2):
        i, j, sign = term, term, PLUS
        if axis != DOT:
            i, j, sign = (axis + 1 + term) % 3, (axis + 2 - term) % 3, PLUS - 2 * term
        add_product(limbs, size, out, component(x, i), LINEAR, component(y, j), LINEAR, sign)


@inner_kernel
def determinant_into(limbs, size, out, x, y, z):
    """out = det(x, y, z) of vectors."""
    clear(size, out)
    for axis in range(3):
        product_into(limbs, size, SPARE, x, y, axis)
        add_product(limbs, size, out, SPARE, QUADRATIC, component(z, axis), LINEAR, PLUS)


@inner_kernel
def sign_at_point(limbs, size, poly, depth):
    """Sign of poly at n / 2^depth, n in CELL. Horner, times 2^(3 depth)."""
    copy_into(limbs, size, TOTAL, poly + 3)
    for i in range(2, -1, -1):
        multiply_into(limbs, size, TERM, TOTAL, CELL)
        shift_into(limbs, size, TOTAL, poly + i, depth * (3 - i))
        add_into(limbs, size, TOTAL, TOTAL, TERM, PLUS)
    return sign_of(size, TOTAL)


@inner_kernel
def bernstein_into(limbs, size, poly, depth):
    """BERNSTEIN = the coefficients of poly over the cell at CELL, up to positive factors; returns their sign changes.

    As many roots as sign changes lie in the open cell, or fewer by an even number (Descartes; zeros do not count).
    With q the polynomial in s, t = (n + s) / 2^depth, times 2^(3 depth): q0, 3 q0 + q1, 3 q0 + 2 q1 + q2 and the sum of all.
    The middle two are three times the coefficients.
    """
    for i in range(4):
        shift_into(limbs, size, LOCAL + i, poly + i, depth * (3 - i))
    for i in range(3):
        for j in range(2, i - 1, -1):
            multiply_into(limbs, size, TERM, LOCAL + j + 1, CELL)
            add_into(limbs, size, LOCAL + j, LOCAL + j, TERM, PLUS)
    copy_into(limbs, size, BERNSTEIN, LOCAL)
    copy_into(limbs, size, BERNSTEIN + 1, LOCAL + 1)
    for _ in range(3):
        add_into(limbs, size, BERNSTEIN + 1, BERNSTEIN + 1, LOCAL, PLUS)
    add_into(limbs, size, TERM, LOCAL + 1, LOCAL + 2, PLUS)
    add_into(limbs, size, BERNSTEIN + 2, BERNSTEIN + 1, TERM, PLUS)
    add_into(limbs, size, TERM, TERM, LOCAL + 3, PLUS)
    add_into(limbs, size, BERNSTEIN + 3, LOCAL, TERM, PLUS)
    changes, last = 0, 0
    for i in range(4):
        sign = sign_of(size, BERNSTEIN + i)
        if sign != 0:
            if last != 0 and sign != last:
                changes += 1
            last = sign
    return changes


@inner_kernel
def first_sign(size):
    """Sign of the first Bernstein coefficient that is not 0: of the polynomial right after the begin of the cell."""
    for i in range(4):
        if size[BERNSTEIN + i] != 0:
            return sign_of(size, BERNSTEIN + i)
    return 0


@inner_kernel
def common_divisor(limbs, size):
    """Row of a greatest common divisor, up to a factor, of LEFT and ROW_RIGHT (one is not 0), which are lost.

    Euclid with pseudo-remainders: a becomes lead(b) a - lead(a) x^k b until its degree is below that of b.
    """
    a, b, spare = ROW_LEFT, ROW_RIGHT, SPARE
    while True:
        degree_a, degree_b = degree_of(size, a), degree_of(size, b)
        if degree_b < 0:
            return a
        if degree_a < degree_b:
            a, b = b, a
            continue
        shift = degree_a - degree_b
        clear(size, spare)
        for i in range(degree_a):  # the highest coefficient cancels
            multiply_into(limbs, size, spare + i, b + degree_b, a + i)
            if i >= shift:
                multiply_into(limbs, size, TERM, a + degree_a, b + i - shift)
                add_into(limbs, size, spare + i, spare + i, TERM, MINUS)
        a, spare = spare, a


@inner_kernel
def drop_double_roots(limbs, size):
    """Divide ROOTS by its common divisor with its derivative: the same roots, all simple, up to a factor."""
    for i in range(4):
        copy_into(limbs, size, ROW_LEFT + i, ROOTS + i)
    clear(size, ROW_RIGHT)
    for i in range(1, 4):
        for _ in range(i):
            add_into(limbs, size, ROW_RIGHT + i - 1, ROW_RIGHT + i - 1, ROOTS + i, PLUS)
    divisor = common_divisor(limbs, size)
    degree = degree_of(size, divisor)
    if degree < 1:
        return
    # Pseudo-division: with each quotient coefficient everything is multiplied by the divisor's highest coefficient.
    highest = degree_of(size, ROOTS)
    quotient = LOCAL
    clear(size, quotient)
    for shift in range(highest - degree, -1, -1):
        copy_into(limbs, size, BERNSTEIN, ROOTS + shift + degree)
        for i in range(highest + 1):
            multiply_into(limbs, size, TERM, divisor + degree, ROOTS + i)
            copy_into(limbs, size, ROOTS + i, TERM)
            multiply_into(limbs, size, TERM, divisor + degree, quotient + i)
            copy_into(limbs, size, quotient + i, TERM)
        copy_into(limbs, size, quotient + shift, BERNSTEIN)
        for i in range(degree + 1):
            multiply_into(limbs, size, TERM, BERNSTEIN, divisor + i)
            add_into(limbs, size, ROOTS + shift + i, ROOTS + shift + i, TERM, MINUS)
    for i in range(4):
        copy_into(limbs, size, ROOTS + i, quotient + i)
