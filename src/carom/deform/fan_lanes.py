"""Normals of triangles around a vertex against a direction, all coefficients at once, in vector instructions.

The normal of a triangle whose corners move linearly is quadratic in time. A row of `normals` (m, 16), single precision, has its
three Bernstein coefficients, each x, y, z and a bound on the rounding of any of these three; the last four are 0.
"""

from __future__ import annotations

from typing import Any

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic

from carom._vector import Lanes, Vectors, data_of, pick

NORMALS = 16
"""Columns of the normals."""

NORMAL_ROUNDING = 16.0 * 2.0**-24
"""Times the product of the largest coordinates of two edges. With u = 2^-24: an edge is rounded to u of itself, a product to
3 u, a difference of two of them, together at most twice the product, adds 2 u: 8 u. The middle coefficient is half the sum of
two such differences: 10 u."""
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


def _within(builder: Any, lanes: Any, places: list[int]) -> Any:
    """Lanes rearranged alike in every group of four."""
    groups = range(0, lanes.type.count, 4)
    return pick(builder, lanes, lanes, [group + place for group in groups for place in places])


def _cross(builder: Any, a: Any, b: Any) -> Any:
    """Cross products in each group of four lanes x, y, z, 0."""
    ahead, back = [1, 2, 0, 3], [2, 0, 1, 3]
    one = builder.fmul(_within(builder, a, ahead), _within(builder, b, back))
    two = builder.fmul(_within(builder, a, back), _within(builder, b, ahead))
    return builder.fsub(one, two)


def _largest(builder: Any, lanes: Any) -> Any:
    """The largest of eight numbers, not below 0."""
    code = Vectors(builder, _FLOAT, 8)
    most = code.larger(abs(Lanes(code, lanes)), code.constant(0.0)).value
    for step in (4, 2, 1):
        other = pick(builder, most, most, [(k + step) % 8 for k in range(8)])
        most = code.larger(Lanes(code, most), Lanes(code, other)).value
    return builder.extract_element(most, ir.Constant(_INT32, 0))


@intrinsic
def put_normal(typingctx: Any, start: Any, end: Any, i: Any, j: Any, k: Any, normals: Any, f: Any) -> Any:
    """put_normal(start, end, i, j, k, normals, f): row f of normals, for the triangle of rows i, j, k of start and end.

    start, end (n, 4) float64: corners at both ends of the interval, x, y, z and 0; normals (m, 16) float32; all in C order.
    A triangle too large for a bound has 0.
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
        both = [0, 1, 2, 3, 4, 5, 6, 7]
        one = pick(builder, edges[0][0], edges[1][0], both)
        two = pick(builder, edges[0][1], edges[1][1], both)
        ends = _cross(builder, one, two)
        mixed = _cross(builder, one, pick(builder, edges[1][1], edges[0][1], both))
        halves = Vectors(builder, _FLOAT, 4)
        middle = Lanes(halves, pick(builder, mixed, mixed, both[:4])) + Lanes(
            halves, pick(builder, mixed, mixed, both[4:])
        )
        middle = middle * halves.constant(0.5)
        longest = [_largest(builder, one), _largest(builder, two)]
        bound = builder.fmul(builder.fmul(*longest), ir.Constant(_FLOAT, NORMAL_ROUNDING))
        for length in longest:
            near = builder.fcmp_ordered("<", length, ir.Constant(_FLOAT, _FARTHEST))
            bound = builder.select(near, bound, ir.Constant(_FLOAT, 0.0))
        nothing = ir.Constant(single, [0.0] * 4)
        first = pick(builder, ends, ends, both[:4])
        last = pick(builder, ends, ends, both[4:])
        rows = [builder.insert_element(row, bound, ir.Constant(_INT32, 3)) for row in (first, middle.value, last)]
        halves_of = [pick(builder, rows[0], rows[1], both), pick(builder, rows[2], nothing, both)]
        whole = pick(builder, halves_of[0], halves_of[1], list(range(NORMALS)))
        data = data_of(context, builder, signature.args[5], args[5])
        out = Vectors(builder, _FLOAT, NORMALS)
        out.store(Lanes(out, whole), builder.gep(data, [builder.mul(args[6], ir.Constant(_INT64, NORMALS))]))
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
                builder.extract_element(lanes, ir.Constant(_INT32, d)),
                builder.extract_element(lanes, ir.Constant(_INT32, 8 + d)),
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
        along = ir.Constant(code.type, [0.0] * NORMALS)
        for place in range(12):
            along = builder.insert_element(along, direction[place % 4], ir.Constant(_INT32, place))
        bits = ir.IntType(NORMALS)
        good = cgutils.alloca_once_value(builder, ir.Constant(bits, -1))
        tiny = code.constant(_TINY)
        with loop as each:
            lanes = row(each.index)
            products = builder.fmul(lanes.value, along)
            products = builder.fadd(products, _within(builder, products, [1, 0, 3, 2]))
            products = builder.fadd(products, _within(builder, products, [2, 3, 0, 1]))
            above = builder.bitcast(builder.fcmp_ordered(">", products, code.constant(0.0).value), bits)
            sound = builder.bitcast(lanes.is_above(tiny), bits)
            # of every four lanes the first tells the sign of the product, the last whether the bound is sound
            both = builder.or_(
                builder.and_(above, ir.Constant(bits, 0x0111)), builder.and_(sound, ir.Constant(bits, 0x0888))
            )
            builder.store(builder.and_(builder.load(good), both), good)
        return builder.icmp_unsigned("==", builder.load(good), ir.Constant(bits, 0x0999))

    number, count = types.float64, types.int64
    return types.boolean(normals, faces, count, count, number, number, number), generate
