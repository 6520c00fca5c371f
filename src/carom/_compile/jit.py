"""The one place that compiles: it sets Numba's options and puts carom's kernel cache in the place of Numba's own."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import numba
from numba.core import sigutils
from numba.core.ccallback import CFunc
from numba.core.types import unliteral  # type: ignore[attr-defined]

from carom._compile.compiler import KernelCompiler, LinkedCompiler
from carom._compile.kernel_cache import KernelCache
from carom._compile.notice import compiling as compiling

F = TypeVar("F", bound=Callable[..., Any])


def _compiled(function: F, pipeline: type[KernelCompiler] = KernelCompiler, **options: Any) -> F:
    """Compile `function` on first use, cached, with IEEE arithmetic (inf means never, so no fastmath)."""
    compiled: F = numba.njit(error_model="numpy", pipeline_class=pipeline, **options)(function)
    if compiled is not function:  # as it is where the compiler is switched off
        compiled._cache = KernelCache(function, f"{pipeline.__name__} {sorted(options.items())}")  # type: ignore[attr-defined]
        compiled.get_call_template = _of_any_value(compiled.get_call_template)  # type: ignore[attr-defined]
    return compiled


def _of_any_value(call_template: Callable[..., Any]) -> Callable[..., Any]:
    """The types of a call without the values of constants: Numba would compile a kernel anew for each of them."""

    def resolve(args: Any, kws: Any) -> Any:
        return call_template([unliteral(kind) for kind in args], {name: unliteral(kind) for name, kind in kws.items()})

    return resolve


def kernel(function: F) -> F:
    """Compile a function that may allocate arrays; releases the GIL."""
    return _compiled(function, nogil=True, _nrt=True, no_cfunc_wrapper=True)


def lean_kernel(function: F) -> F:
    """Like `kernel` for a function that allocates no array: without reference counting.

    Counting references to the arrays inside named tuples and views cost eight times the work of an event.
    """
    return _compiled(function, nogil=True, _nrt=False, no_cfunc_wrapper=True)


def inner_kernel(function: F) -> F:
    """Like `lean_kernel` for a function that only other kernels call: no Python entry, which halves compile time."""
    return _compiled(function, _nrt=False, no_cpython_wrapper=True, no_cfunc_wrapper=True, pipeline=LinkedCompiler)


def inline_kernel(function: F) -> F:
    """Like `inner_kernel` for a few lines on the hottest path: always merged into the caller."""
    return _compiled(
        function, _nrt=False, no_cpython_wrapper=True, no_cfunc_wrapper=True, forceinline=True, pipeline=LinkedCompiler
    )


def c_callback(signature: str) -> Callable[[Callable[..., Any]], Any]:
    """Compile a function with a C signature at once, cached; its `.address` can be called from other kernels."""

    def decorate(function: Callable[..., Any]) -> Any:
        options = {"nopython": True, "error_model": "numpy"}
        callback = CFunc(
            function, sigutils.normalize_signature(signature), locals={}, options=options, pipeline_class=KernelCompiler
        )
        callback._cache = KernelCache(function, f"C callback {signature}")  # type: ignore[attr-defined]
        callback.compile()
        return callback

    return decorate
