"""Vector code written through carom._compile.formula, against plain arithmetic."""

from __future__ import annotations

import numpy as np
import pytest
from llvmlite import ir
from numba import types
from numba.extending import intrinsic

from carom._compile.formula import Vectors
from carom._compile.fused import fused
from carom._compile.jit import lean_kernel


def _formula(code, a, b):
    """max(|a| * b - 2, sqrt(|b|)) / (1 + a . a), negated where a > b."""
    two, one = code.constant(2.0), code.constant(1.0)
    most = code.larger(code.above(-two, -abs(a), b), code.root(abs(b)))
    value = most / (one + code.dot([a, a], [a, code.constant(0.0)]))
    return code.choose(a.is_above(b), -value, value)


def _expected(a, b):
    value = np.maximum(np.abs(a) * b - 2.0, np.sqrt(np.abs(b))) / (1.0 + a * a)
    return np.where(a > b, -value, value)


def _in_lanes(element):
    @intrinsic
    def formula(typingctx, a, b, out):
        def generate(context, builder, signature, args):
            code = Vectors(builder, element, 8)
            places = [builder.inttoptr(arg, element.as_pointer()) for arg in args]
            first, second = code.load(places[0], 0), code.load(places[1], 0)
            code.store(_formula(code, first, second), places[2])
            return code.mask_bits(first.is_above(second))

        return types.int64(types.int64, types.int64, types.int64), generate

    @lean_kernel
    def run(a, b, out):
        return formula(a.ctypes.data, b.ctypes.data, out.ctypes.data)

    return run


@pytest.mark.compiled
@pytest.mark.parametrize(
    ("element", "number", "tolerance"), [(ir.FloatType(), np.float32, 1e-5), (ir.DoubleType(), np.float64, 1e-14)]
)
def test_lanes_compute_what_scalars_do(element, number, tolerance):
    run = _in_lanes(element)
    rng = np.random.default_rng(1)
    a, b = rng.normal(size=(2, 8)).astype(number)
    out = np.zeros(8, number)
    mask = run(a, b, out)
    np.testing.assert_allclose(out, _expected(a, b), rtol=tolerance)
    assert mask == sum(1 << k for k in range(8) if a[k] > b[k])


@lean_kernel
def _fused(a, b, c):
    return fused(a, b, c)


def test_fused_multiplies_and_adds():
    assert _fused(3.0, 4.0, 5.0) == 17.0
    assert _fused(np.inf, 1.0, 2.0) == np.inf
