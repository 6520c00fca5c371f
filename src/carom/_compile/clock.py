"""A cycle counter that kernels can read, for the optional split of time into update, sort and narrow phase."""

from __future__ import annotations

import functools
import platform
import time
from typing import Any

from llvmlite import ir
from numba import types
from numba.extending import intrinsic

from carom._compile.jit import lean_kernel

_INTRINSIC = "llvm.readcyclecounter" if platform.machine() in ("x86_64", "AMD64") else "llvm.readsteadycounter"


@intrinsic
def _counter(typingctx: Any) -> Any:
    """The hardware's tick counter (uint64)."""

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        function_type = ir.FunctionType(ir.IntType(64), [])
        return builder.call(builder.module.declare_intrinsic(_INTRINSIC, (), function_type), [])

    return types.int64(), generate


@lean_kernel
def ticks() -> int:
    """Ticks since some fixed instant, int64."""
    return int(_counter())


@functools.cache
def ticks_per_second() -> float:
    """Measured once against the wall clock over 20 ms; inf where the counter does not run (times then read 0)."""
    ticks()
    begin, clock = ticks(), time.perf_counter()
    while time.perf_counter() - clock < 0.02:
        pass
    elapsed = ticks() - begin
    return elapsed / (time.perf_counter() - clock) if elapsed > 0 else float("inf")
