"""The compiler of kernels: no machine code for what only kernels call, no new kernels for constants."""

from __future__ import annotations

import numpy as np
import pytest
from numba import types
from numba.core.caching import NullCache

from carom._compile import compiler
from carom._compile.jit import inner_kernel, kernel

pytestmark = pytest.mark.compiled


@pytest.fixture
def inner():
    """The compiled inner kernel of an outer one that passes it two constants; both are compiled anew."""

    @inner_kernel
    def shifted(x, by):
        return x + by

    @kernel
    def twice_shifted(x):
        return shifted(x, 1) + shifted(x, 2)

    shifted._cache = twice_shifted._cache = NullCache()
    assert twice_shifted(3.0) == 9.0
    return shifted


def test_compiler_compiles_once_for_all_constants(inner):
    assert list(inner.overloads) == [(types.float64, types.int64)]


def test_compiler_links_inner_kernels_without_machine_code(inner):
    (compiled,) = inner.overloads.values()
    assert isinstance(compiled.library, compiler.LinkedLibrary)
    assert compiled.library.get_pointer_to_function(compiled.fndesc.llvm_func_name) == 0


def test_compiler_rebuilds_linked_kernels(inner):
    (compiled,) = inner.overloads.values()
    again = compiler.rebuilt(compiled.target_context, compiled._reduce())
    assert again.signature == compiled.signature
    assert again.library._get_module_for_linking().get_function(compiled.fndesc.llvm_func_name) is not None


def test_compiler_remembers_operators():
    @kernel
    def halves(values, out):
        for k in range(len(values)):
            out[k] = values[k] ** 2 * 0.5 if values[k] > 0.0 else -values[k]

    halves._cache = NullCache()
    out = np.zeros(2)
    halves(np.array([3.0, -4.0]), out)
    assert list(out) == [4.5, 4.0]
    assert any(kind._known for context in compiler._contexts.values() for kind in context._operators.values())
