"""Normals of triangles around a vertex against a direction, all coefficients at once, in vector instructions.

The normal of a triangle whose corners move linearly, (1 - t)^2 n00 + t (1 - t) (n01 + n10) + t^2 n11, is made of four cross
products of its two edges, each at the start or at the end. A row of `normals` (m, 16), single precision, has the x of these
four, then y, then z, and for each a bound on the rounding of any of its three coordinates; it is infinite where there is none.
"""

from __future__ import annotations

from math import inf
from typing import Any

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic

from carom._compile.formula import Lanes, Vectors, data_of, pick

NORMALS = 16
"""Columns of the normals."""

NORMAL_ROUNDING = 16.0 * 2.0**-24
"""Times the sum of the sizes of the two products that a coordinate is the difference of, the largest of three. With u = 2^-24:
an edge is rounded to u of itself, a product to 3 u, their difference adds u: 5 u, and the sizes are low by 4 u of theirs."""
_FARTHEST = 1e10
"""Metres. A triangle with a longer edge has no bound."""
_TINY = 1e-33
"""Below the normal range of single precision a number loses up to 2^-150, times an edge of at most 1e10: bounds not above this
may be smaller than such losses, and nothing is proved by them."""
_PAST_ROUNDING = 2.0 * (1.0 + 2.0**-20)
"""How many bounds, times the sum of the direction's sizes, a product with the direction must exceed: one for the normal, half
of one for three products and three sums."""

_FLOAT = ir.FloatType()
_DOUBLE = ir.DoubleType()
_INT32 = ir.IntType(32)
_INT64 = ir.IntType(64)
_THREE = types.UniTuple(types.float64, 3)


def _corner_lanes(axes: list[int], of_end: list[int]) -> list[int]:
    """Places, among those of an edge at the start and at the end, of its coordinates along `axes`, four each."""
    return [4 * end + axis for axis in [*axes, 3] for end in of_end]


@intrinsic
def put_normal(typingctx: Any, start: Any, end: Any, i: Any, j: Any, k: Any, normals: Any, f: Any) -> Any:
    """put_normal(start, end, i, j, k, normals, f): row f of normals, for the triangle of rows i, j, k of start and end.

    start, end (n, 4) float64: corners at both ends of the interval, x, y, z and 0; normals (m, 16) float32; all in C order.
    """

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        code = Vectors(builder, _DOUBLE, 4)
        single = ir.VectorType(_FLOAT, 4)
        edges = []
        for places in (0, 1):
            data = data_of(context, builder, signature.args[places], args[places])
            corners = [
                code.load(builder.gep(data, [builder.mul(corner, ir.Constant(_INT64, 4))]), 0) for corner in args[2:5]
            ]
            edges.append([builder.fptrunc((other - corners[0]).value, single) for other in corners[1:]])
        ends = list(range(8))
        one, two = (pick(builder, edges[0][k], edges[1][k], ends) for k in (0, 1))
        ahead, back = [1, 2, 0], [2, 0, 1]
        of_one, of_two = [0, 0, 1, 1], [0, 1, 0, 1]  # n00, n01, n10, n11
        wide = Vectors(builder, _FLOAT, NORMALS)

        def spread(edge: Any, axes: list[int], of_end: list[int]) -> Lanes:
            return Lanes(wide, pick(builder, edge, edge, _corner_lanes(axes, of_end)))

        plus = spread(one, ahead, of_one) * spread(two, back, of_two)
        minus = spread(one, back, of_one) * spread(two, ahead, of_two)
        four = Vectors(builder, _FLOAT, 4)
        sizes = (abs(plus) + abs(minus)).value
        quarters = [Lanes(four, pick(builder, sizes, sizes, range(4 * d, 4 * d + 4))) for d in range(3)]
        bound = four.larger(four.larger(quarters[0], quarters[1]), quarters[2]) * four.constant(NORMAL_ROUNDING)
        eight = Vectors(builder, _FLOAT, 8)
        longest = eight.larger(abs(Lanes(eight, one)), abs(Lanes(eight, two)))
        near = eight.constant(_FARTHEST).is_above(longest)
        near = builder.icmp_unsigned("==", builder.bitcast(near, ir.IntType(8)), ir.Constant(ir.IntType(8), -1))
        bound = four.choose(bound.is_above(four.constant(_TINY)), bound, four.constant(inf))
        bound = Lanes(four, builder.select(near, bound.value, four.constant(inf).value))
        bounds = pick(builder, bound.value, bound.value, [0, 1, 2, 3] * 4)
        whole = pick(builder, (plus - minus).value, bounds, [*range(12), *range(NORMALS + 12, NORMALS + 16)])
        data = data_of(context, builder, signature.args[5], args[5])
        wide.store(Lanes(wide, whole), builder.gep(data, [builder.mul(args[6], ir.Constant(_INT64, NORMALS))]))
        return context.get_dummy_value()

    row = types.int64
    return types.void(start, end, row, row, row, normals, row), generate


def _each_row(context: Any, builder: Any, signature: Any, args: Any) -> Any:
    """(loop over rows faces[begin : begin + n], function that loads the row of the loop's index)."""
    normals = data_of(context, builder, signature.args[0], args[0])
    faces = data_of(context, builder, signature.args[1], args[1])
    code = Vectors(builder, _FLOAT, NORMALS)

    def row(index: Any) -> Lanes:
        face = builder.load(builder.gep(faces, [builder.add(args[2], index)]))
        place = builder.mul(builder.sext(face, _INT64), ir.Constant(_INT64, NORMALS))
        return code.load(builder.gep(normals, [place]), 0)

    return cgutils.for_range(builder, args[3], intp=_INT64), code, row


@intrinsic
def mean_normal(typingctx: Any, normals: Any, faces: Any, begin: Any, n: Any) -> Any:
    """mean_normal(normals, faces, begin, n): x, y, z of the direction of the sum of the rows faces[begin : begin + n].

    Single precision numbers, of which the sizes add up to 1 but for rounding; 0, or no numbers, where there is no direction.
    """

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        loop, code, row = _each_row(context, builder, signature, args)
        total = cgutils.alloca_once_value(builder, code.constant(0.0).value)
        with loop as each:
            builder.store((Lanes(code, builder.load(total)) + row(each.index)).value, total)
        lanes = builder.load(total)
        sums = [
            builder.fadd(
                builder.extract_element(lanes, ir.Constant(_INT32, 4 * d)),
                builder.extract_element(lanes, ir.Constant(_INT32, 4 * d + 3)),
            )
            for d in range(3)
        ]
        one = Vectors(builder, _FLOAT, 1)
        sizes = [builder.extract_element(abs(one.spread(s)).value, ir.Constant(_INT32, 0)) for s in sums]
        size = builder.fadd(builder.fadd(sizes[0], sizes[1]), sizes[2])
        return context.make_tuple(builder, _THREE, [builder.fpext(builder.fdiv(s, size), _DOUBLE) for s in sums])

    return _THREE(normals, faces, types.int64, types.int64), generate


@intrinsic
def face_one_way(typingctx: Any, normals: Any, faces: Any, begin: Any, n: Any, x: Any, y: Any, z: Any) -> Any:
    """face_one_way(normals, faces, begin, n, x, y, z): have all coefficients of the rows faces[begin : begin + n] a positive
    product with the direction, beyond rounding? x, y, z: as mean_normal gives them."""

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        loop, code, row = _each_row(context, builder, signature, args)
        direction = [builder.fptrunc(scalar, _FLOAT) for scalar in args[4:7]]
        size = ir.Constant(_FLOAT, 0.0)
        single = Vectors(builder, _FLOAT, 1)
        for scalar in direction:
            size = builder.fadd(size, builder.extract_element(abs(single.spread(scalar)).value, ir.Constant(_INT32, 0)))
        direction.append(builder.fmul(size, ir.Constant(_FLOAT, -_PAST_ROUNDING)))
        four = Vectors(builder, _FLOAT, 4)
        turned = ir.Constant(four.type, [0.0] * 4)
        for place, scalar in enumerate(direction):
            turned = builder.insert_element(turned, scalar, ir.Constant(_INT32, place))
        along = Lanes(code, pick(builder, turned, turned, [place for place in range(4) for _ in range(4)]))
        bits = ir.IntType(4)
        good = cgutils.alloca_once_value(builder, ir.Constant(bits, -1))
        with loop as each:
            products = (row(each.index) * along).value
            x, y, z, slack = (Lanes(four, pick(builder, products, products, range(4 * d, 4 * d + 4))) for d in range(4))
            above = ((x + y) + (z + slack)).is_above(four.constant(0.0))
            builder.store(builder.and_(builder.load(good), builder.bitcast(above, bits)), good)
        return builder.icmp_unsigned("==", builder.load(good), ir.Constant(bits, -1))

    number, count = types.float64, types.int64
    return types.boolean(normals, faces, count, count, number, number, number), generate
