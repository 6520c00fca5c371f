"""The compiler of kernels: no machine code for what only kernels call, no new kernels for constants."""

from __future__ import annotations

import numpy as np
import pytest
from numba import types

from carom._compile import compiler
from carom._compile.jit import inner_kernel, kernel

pytestmark = pytest.mark.compiled


@inner_kernel
def _shifted(x, by):
    return x + by


@kernel
def _twice_shifted(x):
    return _shifted(x, 1) + _shifted(x, 2)


@kernel
def _halves(values, out):
    for k in range(len(values)):
        out[k] = values[k] ** 2 * 0.5 if values[k] > 0.0 else -values[k]


def test_compiler_compiles_once_for_all_constants():
    assert _twice_shifted(3.0) == 9.0
    assert list(_shifted.overloads) == [(types.float64, types.int64)]


def test_compiler_links_inner_kernels_without_machine_code():
    _twice_shifted(3.0)
    (inner,) = _shifted.overloads.values()
    assert isinstance(inner.library, compiler.LinkedLibrary)
    assert inner.library.get_pointer_to_function(inner.fndesc.llvm_func_name) == 0


def test_compiler_rebuilds_linked_kernels_from_the_cache():
    _twice_shifted(3.0)
    (inner,) = _shifted.overloads.values()
    again = compiler.rebuilt(inner.target_context, inner._reduce())
    assert again.signature == inner.signature
    assert again.library._get_module_for_linking().get_function(inner.fndesc.llvm_func_name) is not None


def test_compiler_remembers_operators_and_their_failures():
    out = np.zeros(2)
    _halves(np.array([3.0, -4.0]), out)
    assert list(out) == [4.5, 4.0]
    kept = [kind._known for context in compiler._contexts.values() for kind in context._operators.values()]
    assert any(kept)
