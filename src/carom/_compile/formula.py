"""Formulas written once in Python that become straight vector code inside kernels.

Numba leaves it to LLVM to turn loops into vector code, which it seldom does without fastmath. An intrinsic built with these
classes says it outright: every lane does the same arithmetic, in the order written, so that a lane gives the same answer as
a scalar would. LLVM splits vectors where a machine has none so wide. `fused` and `above` may round once instead of twice.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from llvmlite import ir
from numba.core import cgutils

_INT32 = ir.IntType(32)


class Lanes:
    """A vector value under construction; arithmetic emits instructions."""

    def __init__(self, code: Vectors, value: Any) -> None:
        self.code = code
        self.value = value

    def __add__(self, other: Lanes) -> Lanes:
        return Lanes(self.code, self.code.builder.fadd(self.value, other.value))

    def __sub__(self, other: Lanes) -> Lanes:
        return Lanes(self.code, self.code.builder.fsub(self.value, other.value))

    def __mul__(self, other: Lanes) -> Lanes:
        return Lanes(self.code, self.code.builder.fmul(self.value, other.value))

    def __truediv__(self, other: Lanes) -> Lanes:
        return Lanes(self.code, self.code.builder.fdiv(self.value, other.value))

    def __neg__(self) -> Lanes:
        return Lanes(self.code, self.code.builder.fneg(self.value))

    def __abs__(self) -> Lanes:
        return self.code.call("llvm.fabs", self)

    def is_above(self, other: Lanes) -> Any:
        """Mask of the lanes that are larger than those of `other`."""
        return self.code.builder.fcmp_ordered(">", self.value, other.value)


class Vectors:
    """Emits code over vectors of `n` numbers of an LLVM type."""

    def __init__(self, builder: Any, element: Any, n: int) -> None:
        self.builder = builder
        self.element = element
        self.n = n
        self.type = ir.VectorType(element, n)
        self.align = 8 if isinstance(element, ir.DoubleType) else 4

    def call(self, name: str, *operands: Lanes) -> Lanes:
        """An LLVM intrinsic on vectors."""
        shape = ir.FunctionType(self.type, [self.type] * len(operands))
        full_name = f"{name}.v{self.n}{self.element.intrinsic_name}"
        function = cgutils.get_or_insert_function(self.builder.module, shape, full_name)
        return Lanes(self, self.builder.call(function, [operand.value for operand in operands]))

    def constant(self, value: float) -> Lanes:
        """The same number in every lane."""
        return Lanes(self, ir.Constant(self.type, [value] * self.n))

    def spread(self, scalar: Any) -> Lanes:
        """A scalar value in every lane."""
        nothing = ir.Constant(self.type, ir.Undefined)
        one = self.builder.insert_element(nothing, scalar, ir.Constant(_INT32, 0))
        everywhere = ir.Constant(ir.VectorType(_INT32, self.n), [0] * self.n)
        return Lanes(self, self.builder.shuffle_vector(one, nothing, everywhere))

    def scalar(self, data: Any, place: int) -> Any:
        """data[place], a scalar value."""
        return self.builder.load(self.builder.gep(data, [ir.Constant(ir.IntType(64), place)]))

    def load(self, data: Any, first: int) -> Lanes:
        """data[first : first + n]."""
        place = self.builder.gep(data, [ir.Constant(ir.IntType(64), first)])
        at = self.builder.bitcast(place, self.type.as_pointer())
        return Lanes(self, self.builder.load(at, align=self.align))

    def store(self, lanes: Lanes, data: Any) -> None:
        """data[0 : n] = lanes."""
        self.builder.store(lanes.value, self.builder.bitcast(data, self.type.as_pointer()), align=self.align)

    def choose(self, mask: Any, yes: Lanes, no: Lanes) -> Lanes:
        """`yes` where the mask is set, else `no`."""
        return Lanes(self, self.builder.select(mask, yes.value, no.value))

    def larger(self, a: Lanes, b: Lanes) -> Lanes:
        """The larger of each pair; b where either is NaN."""
        return self.choose(a.is_above(b), a, b)

    def smaller(self, a: Lanes, b: Lanes) -> Lanes:
        """The smaller of each pair; b where either is NaN."""
        return self.choose(b.is_above(a), a, b)

    def fused(self, a: Lanes, b: Lanes, c: Lanes) -> Lanes:
        """a * b + c, rounded once."""
        return self.call("llvm.fma", a, b, c)

    def above(self, value: Lanes, a: Lanes, b: Lanes) -> Lanes:
        """value - a * b, rounded once."""
        return self.fused(-a, b, value)

    def root(self, a: Lanes) -> Lanes:
        """Square root."""
        return self.call("llvm.sqrt", a)

    def dot(self, a: list[Lanes], b: list[Lanes]) -> Lanes:
        """Sum of products of the entries of two lists of vectors."""
        total = a[-1] * b[-1]
        for x, y in zip(a[-2::-1], b[-2::-1], strict=True):
            total = self.fused(x, y, total)
        return total

    def mask_bits(self, mask: Any) -> Any:
        """A mask as an int64, bit k for lane k."""
        return self.builder.zext(self.builder.bitcast(mask, ir.IntType(self.n)), ir.IntType(64))


def data_of(context: Any, builder: Any, kind: Any, array: Any) -> Any:
    """Pointer to the first item of an array that an intrinsic was given; kind: its type."""
    return context.make_array(kind)(context, builder, array).data


def pick(builder: Any, a: Any, b: Any, places: Sequence[int]) -> Any:
    """A vector of the lanes at `places` of a, those of b counted behind them."""
    return builder.shuffle_vector(a, b, ir.Constant(ir.VectorType(_INT32, len(places)), list(places)))
