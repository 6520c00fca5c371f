"""carom as plain Python: what its kernels compute, run line by line without the compiler.

With NUMBA_DISABLE_JIT=1 Numba leaves functions as they are, but LLVM intrinsics, calls by address and the arithmetic of
compiled code (x / 0 is infinite, square roots of negative numbers are NaN) have no meaning to the interpreter. This package
puts a twin in the place of each before carom is imported. `tests/test_plain_python.py` holds the twins to the originals.
"""

from plain_python.loader import install, is_asked_for

__all__ = ["install", "is_asked_for"]
