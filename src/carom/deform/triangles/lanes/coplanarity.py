"""Times at which the four points of each of fifteen feature pairs are coplanar, all at once, by vector instructions.

A feature touches only where its four points are coplanar: where det(A, B, C), a cubic in time, is 0. A and B are the two edges
(vertex and face: two edges of the face), C goes from one part to the other. Lane k is feature k; lane 15 repeats feature 14.

Why _CUBIC covers rounding (notation of narrow/features/rounding.py): a corner in `moved` has 4 roundings on at most `reach` R
(a difference, two weights, their sum). A, B and C are differences of two corners: off by 2 g(4) R and one rounding of at most
2 R, less than 6 u of 2 R. So each factor of a term a b c of the determinant counts as 6 roundings of a number of at most 2 R.
Longest chain: factors 18, product 1, difference 1, sum of the two crosses 1, product 1, dot product 2, sum of two dots 1, a
third 2 (the constant is rounded as well): 27, and 9 more for a blossom. A coefficient has six terms, or a third of eighteen,
of at most 8 X Y Z: all are off by less than 48 g(36) X Y Z, about 1728 u X Y Z. X Y Z as computed is low by 5 roundings at
most: 2048 u is taken. UNDERFLOW and REACH: as there, with fewer products; beyond REACH no feature is left out.
"""

from __future__ import annotations

from itertools import pairwise
from math import inf
from typing import Any

from llvmlite import ir
from numba import types
from numba.extending import intrinsic

from carom._compile.formula import Lanes, Vectors, data_of, pick
from carom.deform.triangles.features import FEATURES, FIRST_EDGE, PLACES
from carom.deform.triangles.lanes.corners import NEXT_CORNER, chosen, corner_columns, cross, dot
from carom.narrow.features.rounding import BOUNDS, REACH, UNDERFLOW, UNIT

LANES = 16
CUBIC_ROWS = 5
"""Rows of `cubics` (5, 16): four Bernstein coefficients over the window, and a guess of the first root, as part of it."""
_GUESS = 4

_CUBIC = 2048.0 * UNIT
_NO_GUESS = 2.0
"""Guess where both ends have the same sign: there are two roots or, mostly, none."""

_DOUBLE = ir.DoubleType()
_INT32 = ir.IntType(32)
_INT64 = ir.IntType(64)


def _lane_places() -> tuple[list[int], list[int], list[int], list[int]]:
    """For each lane: edges A and B (number of the corner where they begin), and the corners from and to which C goes."""
    edges_a, edges_b, tails, heads = [], [], [], []
    for code in [*range(FEATURES), FEATURES - 1]:
        p, q, r, _ = (int(place) for place in PLACES[code])
        if code >= FIRST_EDGE:
            edges_a.append(p)
            edges_b.append(r)
            tails.append(p)
            heads.append(r)
        else:  # the face is q, q + 1, q + 2: its edge from q, and that back to q
            edges_a.append(q)
            edges_b.append(q + 2)
            tails.append(p)
            heads.append(q)
    return edges_a, edges_b, tails, heads


def _factors(columns: list[Lanes]) -> tuple[list[Lanes], list[Lanes], list[Lanes]]:
    """A, B and C of all features: lists of x, y and z."""
    edges_a, edges_b, tails, heads = _lane_places()
    a, b, c = [], [], []
    for column in columns:
        edges = chosen(column, NEXT_CORNER) - column
        a.append(chosen(edges, edges_a))
        b.append(chosen(edges, edges_b))
        c.append(chosen(column, heads) - chosen(column, tails))
    return a, b, c


def _error(code: Vectors, reach: Any) -> Lanes:
    """Bound of the errors of all coefficients; inf where numbers are out of range."""
    builder = code.builder
    sides = [code.scalar(reach, d) for d in range(3)]
    product = builder.fmul(builder.fmul(sides[0], sides[1]), sides[2])
    scaled = builder.fmul(product, ir.Constant(_DOUBLE, _CUBIC))
    bound = builder.fadd(scaled, ir.Constant(_DOUBLE, BOUNDS[UNDERFLOW]))
    for side in sides:
        is_in_range = builder.fcmp_ordered("<=", side, ir.Constant(_DOUBLE, BOUNDS[REACH]))
        bound = builder.select(is_in_range, bound, ir.Constant(_DOUBLE, inf))
    return code.spread(bound)


def _may_vanish(code: Vectors, coefficients: list[Lanes], error: Lanes) -> Any:
    """Mask of the features whose coefficients are not all beyond the error on one side."""
    builder = code.builder
    above = below = None
    for c in coefficients:
        is_above, is_below = c.is_above(error), (-c).is_above(error)
        above = is_above if above is None else builder.and_(above, is_above)
        below = is_below if below is None else builder.and_(below, is_below)
    all_features = ir.Constant(_INT64, (1 << FEATURES) - 1)
    return builder.and_(builder.not_(code.mask_bits(builder.or_(above, below))), all_features)


def _guess(code: Vectors, c0: Lanes, c1: Lanes, c2: Lanes, c3: Lanes) -> Lanes:
    """About where the cubic is 0, where its ends have different signs: the root of the chord, one step of Newton. Never NaN."""
    zero, one, three = code.constant(0.0), code.constant(1.0), code.constant(3.0)
    s = c0 / (c0 - c3)
    r = one - s
    value = r * r * (r * c0 + three * s * c1) + s * s * (three * r * c2 + s * c3)
    slope = three * (r * r * (c1 - c0) + (r + r) * s * (c2 - c1) + s * s * (c3 - c2))
    s = s - value / slope
    s = code.choose(s.is_above(zero), s, zero)
    s = code.choose(one.is_above(s), s, one)
    return code.choose(zero.is_above(c0 * c3), s, code.constant(_NO_GUESS))


@intrinsic
def coplanar_features(typingctx: Any, moved: Any, reach: Any, cubics: Any) -> Any:
    """coplanar_features(moved, reach, cubics): mask of the features whose points may lie in one plane within the window.

    moved, reach: as pair_lanes.place_corners wrote them for the window. cubics (5, 16): see CUBIC_ROWS.
    """

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        code = Vectors(builder, _DOUBLE, LANES)
        moved, reach, cubics = (data_of(context, builder, signature.args[k], args[k]) for k in range(3))
        a, b, c = _factors(corner_columns(builder, moved, 0))
        p, q, r = _factors(corner_columns(builder, moved, 6))
        first, last = cross(a, b), cross(p, q)
        mixed = [one + other for one, other in zip(cross(a, q), cross(p, b), strict=True)]
        third = code.constant(1.0 / 3.0)
        c0, c3 = dot(first, c), dot(last, r)
        c1 = (dot(first, r) + dot(mixed, c)) * third
        c2 = (dot(mixed, r) + dot(last, c)) * third
        for row, lanes in enumerate((c0, c1, c2, c3, _guess(code, c0, c1, c2, c3))):
            code.store(lanes, builder.gep(cubics, [ir.Constant(_INT64, LANES * row)]))
        return _may_vanish(code, [c0, c1, c2, c3], _error(code, reach))

    return types.int64(moved, reach, cubics), generate


@intrinsic
def coplanar_before(typingctx: Any, cubics: Any, reach: Any, share: Any) -> Any:
    """coplanar_before(cubics, reach, share): mask as coplanar_features, within the first `share` (0 to 1) of its window."""

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        code = Vectors(builder, _DOUBLE, LANES)
        cubics, reach = (data_of(context, builder, signature.args[k], args[k]) for k in range(2))
        after = code.spread(args[2])
        before = code.constant(1.0) - after
        row = [code.load(cubics, LANES * k) for k in range(4)]
        coefficients = [row[0]]
        while len(row) > 1:
            row = [before * p + after * q for p, q in pairwise(row)]
            coefficients.append(row[0])
        return _may_vanish(code, coefficients, _error(code, reach))

    return types.int64(cubics, reach, types.float64), generate


@intrinsic
def earliest_feature(typingctx: Any, cubics: Any, mask: Any) -> Any:
    """earliest_feature(cubics, mask): code of the feature, of those in a mask that is not 0, whose guessed root is first."""

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        code = Vectors(builder, _DOUBLE, LANES)
        cubics = data_of(context, builder, signature.args[0], args[0])
        asked = builder.bitcast(builder.trunc(args[1], ir.IntType(LANES)), ir.VectorType(ir.IntType(1), LANES))
        guesses = code.choose(asked, code.load(cubics, LANES * _GUESS), code.constant(inf))
        least, n = guesses.value, LANES
        while n > 1:
            n //= 2
            low, high = (pick(builder, least, least, range(at, at + n)) for at in (0, n))
            least = builder.select(builder.fcmp_ordered("<", low, high), low, high)
        least = builder.extract_element(least, ir.Constant(_INT32, 0))
        is_first = builder.fcmp_ordered("<=", guesses.value, code.spread(least).value)
        return builder.cttz(code.mask_bits(is_first), ir.Constant(ir.IntType(1), 1))

    return types.int64(cubics, types.int64), generate
