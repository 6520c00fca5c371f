"""Integers of any size in kernels, against Python's."""

from __future__ import annotations

import math
import random

import numpy as np
import pytest

from carom._compile.jit import kernel
from carom.narrow.features.integers.limbs import (
    add_into,
    bit_length,
    floor_double,
    halve,
    multiply_into,
    set_integer,
    shift_into,
)
from carom.narrow.features.integers.rows import N_ROWS, OVERFLOW

ADD, SUBTRACT, MULTIPLY, SHIFT, HALVE, BITS, SET = range(7)


@kernel
def calculate(limbs, size, operation, out, a, b):
    if operation == ADD:
        add_into(limbs, size, out, a, b, 1)
    elif operation == SUBTRACT:
        add_into(limbs, size, out, a, b, -1)
    elif operation == MULTIPLY:
        multiply_into(limbs, size, out, a, b)
    elif operation == SHIFT:
        shift_into(limbs, size, out, a, b)
    elif operation == HALVE:
        halve(limbs, size, a)
    elif operation == SET:
        set_integer(limbs, size, out, a)
    else:
        return bit_length(limbs, size, a)
    return 0


@kernel
def rounded_down(limbs, size, row, bits):
    return floor_double(limbs, size, row, bits)


def pool(capacity=40):
    # Rubbish in the limbs: rows must not depend on what was there before.
    return np.full((N_ROWS, capacity), 0xDEADBEEF, np.uint64), np.zeros(N_ROWS, np.int64)


def store(limbs, size, row, value):
    n = 0
    rest = abs(value)
    while rest:
        limbs[row, n] = rest & 0xFFFFFFFF
        rest >>= 32
        n += 1
    size[row] = n if value > 0 else -n


def load(limbs, size, row):
    n = abs(int(size[row]))
    assert n == 0 or limbs[row, n - 1] != 0
    assert all(int(limb) < 2**32 for limb in limbs[row, :n])
    value = sum(int(limbs[row, i]) << (32 * i) for i in range(n))
    return value if size[row] > 0 else -value


def integers(rng):
    """Pairs that carry, borrow, cancel, and differ in length."""
    for _ in range(400):
        a = rng.choice([0, 1, 2**32 - 1, 2**64, rng.getrandbits(rng.randint(1, 600))]) * rng.choice([-1, 1])
        b = rng.choice([0, a, -a, a + 1, 2**32, rng.getrandbits(rng.randint(1, 600))]) * rng.choice([-1, 1])
        yield a, b


@pytest.mark.parametrize("out", [0, 1, 2])
def test_limbs_sums_match_python(out):
    limbs, size = pool()
    for a, b in integers(random.Random(1)):
        for operation, expected in ((ADD, a + b), (SUBTRACT, a - b)):
            store(limbs, size, 0, a)
            store(limbs, size, 1, b)
            calculate(limbs, size, operation, out, 0, 1)
            assert load(limbs, size, out) == expected
    assert size[OVERFLOW] == 0


def test_limbs_products_and_shifts_match_python():
    limbs, size = pool()
    rng = random.Random(2)
    for a, b in integers(rng):
        bits = rng.randint(0, 200)
        for operation, argument, expected in ((MULTIPLY, 1, a * b), (SHIFT, bits, a << bits)):
            store(limbs, size, 0, a)
            store(limbs, size, 1, b)
            calculate(limbs, size, operation, 2, 0, argument)
            assert load(limbs, size, 2) == expected
        calculate(limbs, size, SHIFT, 0, 0, bits)
        assert load(limbs, size, 0) == a << bits
        store(limbs, size, 3, 2 * abs(a))
        calculate(limbs, size, HALVE, 0, 3, 0)
        assert load(limbs, size, 3) == abs(a)
        assert calculate(limbs, size, BITS, 0, 3, 0) == abs(a).bit_length()
    assert size[OVERFLOW] == 0


@pytest.mark.parametrize("value", [0, 1, -1, 2**53, -(2**53), 2**62 + 1])
def test_limbs_are_set_from_machine_integers(value):
    limbs, size = pool()
    calculate(limbs, size, SET, 0, value, 0)
    assert load(limbs, size, 0) == value


@pytest.mark.parametrize(("operation", "argument"), [(ADD, 1), (MULTIPLY, 1), (SHIFT, 40)])
def test_limbs_that_do_not_fit_raise_the_flag(operation, argument):
    limbs, size = pool(capacity=4)
    store(limbs, size, 0, 2**128 - 1)
    store(limbs, size, 1, 2**128 - 1)
    calculate(limbs, size, operation, 2, 0, argument)
    assert size[OVERFLOW] == 1


def test_floor_double_is_the_largest_double_not_above():
    limbs, size = pool()
    rng = random.Random(3)
    for _ in range(500):
        value, bits = rng.getrandbits(rng.randint(1, 200)), rng.choice([0, 53, 200, 1074, 1130, 1200])
        store(limbs, size, 0, value)
        found = rounded_down(limbs, size, 0, bits)
        numerator, denominator = found.as_integer_ratio()
        assert numerator << bits <= value * denominator
        numerator, denominator = math.nextafter(found, math.inf).as_integer_ratio()
        assert numerator << bits > value * denominator
