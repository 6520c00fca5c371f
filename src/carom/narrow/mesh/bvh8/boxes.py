"""One oriented box against the eight boxes of a wide node, by vector instructions in single precision.

The bounds are those of carom.narrow.mesh.obb_distance, in all lanes at once and without early exits; every gap loses a
slack that exceeds the rounding of single precision, so that they stay lower bounds.
"""

from __future__ import annotations

import functools
from typing import Any, NamedTuple

from llvmlite import ir
from numba import types
from numba.extending import intrinsic

from carom._compile.formula import Lanes, Vectors
from carom._compile.jit import c_callback, compiling
from carom.trees.obb.bvh8 import WIDTH

_DOUBLE = ir.DoubleType()
_INT64 = ir.IntType(64)

POSE = 12
"""Doubles of a pose: rotation by rows (9), shift (3)."""


def _positive(code: Vectors, values: list[Lanes]) -> list[Lanes]:
    zero = code.constant(0.0)
    return [code.larger(value, zero) for value in values]


def _largest(code: Vectors, values: list[Lanes]) -> Lanes:
    most = values[0]
    for value in values[1:]:
        most = code.larger(most, value)
    return most


class _Fixed(NamedTuple):
    """What depends on the fixed box alone, in every lane: pose of the other tree in its axes, half sizes and radius."""

    turn: list[list[Lanes]]
    shift: list[Lanes]
    half: list[Lanes]
    radius: Lanes


def _fix(code: Vectors, lanes: Any, pose: Any) -> _Fixed:
    """The box whose columns start at `lanes`, under the pose there; composed in double precision."""
    builder = code.builder
    rows = Vectors(builder, _DOUBLE, 4)
    box = [code.scalar(lanes, WIDTH * k) for k in range(16)]
    wide = [builder.fpext(value, _DOUBLE) for value in box[:12]]
    # Four numbers from the start of each row: the last is not used, and behind the rotation lies the shift.
    rot = [rows.load(pose, 3 * r) for r in range(3)]
    offset = [builder.fsub(rows.scalar(pose, 9 + r), wide[r]) for r in range(3)]
    turn, shift = [], []
    for r in range(3):
        axis = wide[3 + 3 * r : 6 + 3 * r]
        row = rows.dot([rows.spread(x) for x in axis], rot)
        single = builder.fptrunc(row.value, ir.VectorType(code.element, 4))
        turn.append([code.spread(builder.extract_element(single, ir.Constant(_INT64, c))) for c in range(3)])
        along = builder.fmul(axis[0], offset[0])
        for c in (1, 2):
            along = builder.fadd(along, builder.fmul(axis[c], offset[c]))
        shift.append(code.spread(builder.fptrunc(along, code.element)))
    return _Fixed(turn, shift, [code.spread(value) for value in box[12:15]], code.spread(box[15]))


def _seen_from(
    code: Vectors, fixed: _Fixed, lanes: Any
) -> tuple[list[Lanes], list[list[Lanes]], list[list[Lanes]], list[Lanes]]:
    """Of each lane's box, in the axes of the fixed one: centre, axes in columns, their absolute values; and half sizes."""
    columns = [code.load(lanes, WIDTH * k) for k in range(3)]
    d = [code.dot([*fixed.turn[r], fixed.shift[r]], [*columns, code.constant(1.0)]) for r in range(3)]
    axes = [[code.load(lanes, WIDTH * (3 + 3 * k + c)) for c in range(3)] for k in range(3)]
    c = [[code.dot(fixed.turn[r], axes[k]) for k in range(3)] for r in range(3)]
    a = [[abs(c[r][k]) for k in range(3)] for r in range(3)]
    return d, c, a, [code.load(lanes, WIDTH * (12 + k)) for k in range(3)]


def _transposed(rows: list[list[Lanes]]) -> list[list[Lanes]]:
    return [list(column) for column in zip(*rows, strict=True)]


def _bound(code: Vectors, fixed: _Fixed, slack: Lanes, lanes: Any, *, far: bool) -> Lanes:
    """Lower bound of the distance in each lane, or minus the overlap; with `far` tight for boxes apart too."""
    f, radius = fixed.half, fixed.radius
    d, c, a, e = _seen_from(code, fixed, lanes)
    c_across, a_across = _transposed(c), _transposed(a)
    ours = [abs(d[r]) - (f[r] + slack) - code.dot(a[r], e) for r in range(3)]
    along = [abs(code.dot(c_across[k], d)) for k in range(3)]
    theirs = [along[k] - (e[k] + slack) - code.dot(a_across[k], f) for k in range(3)]
    square = code.dot(d, d)
    length = code.root(square)
    apart = length - (radius + code.load(lanes, WIDTH * 15) + slack)
    signed = [*ours, *theirs, apart]
    crossed = []
    for r in range(3):
        r1, r2 = (r + 1) % 3, (r + 2) % 3
        for k in range(3):
            k1, k2 = (k + 1) % 3, (k + 2) % 3
            over = abs(d[r2] * c[r1][k] - d[r1] * c[r2][k])
            reach = code.dot([f[r1], f[r2], e[k1], e[k2]], [a[r2][k], a[r1][k], a[r][k2], a[r][k1]])
            crossed.append(over - reach)
    # Cross products are not longer than 1: a gap along one is a bound, an overlap along one says nothing.
    crossing = _largest(code, crossed) - slack
    bound = _largest(code, signed)
    bound = code.choose(crossing.is_above(code.constant(0.0)), code.larger(bound, crossing), bound)
    if not far:
        return bound
    p, q = _positive(code, ours), _positive(code, theirs)
    tiny = code.constant(1e-30)
    p_length = code.root(code.dot(p, p))
    between = code.dot(d, d) - code.dot([abs(x) for x in d], f) - code.dot(along, e)
    centres = between / (length + tiny) - slack
    zero = code.constant(0.0)
    signs = [code.choose(zero.is_above(d[r]), -p[r], p[r]) for r in range(3)]
    across = code.dot(d, signs) - code.dot(p, f) - code.dot([abs(code.dot(c_across[k], signs)) for k in range(3)], e)
    bridge = across / (p_length + tiny) - slack
    beyond = _largest(code, [p_length, code.root(code.dot(q, q)), centres, bridge])
    return code.choose(beyond.is_above(zero), code.larger(bound, beyond), bound)


def _windows(code: Vectors, fixed: _Fixed, rate: list[Lanes], slack: Lanes, lanes: Any) -> tuple[Lanes, Lanes]:
    """When each lane's box, moving at `rate` in the fixed box's axes, may overlap the fixed box: [begin, end] of its path.

    Along every axis |d + u s| <= r holds on an interval; r is larger by `slack`, which exceeds the rounding of d and, over
    the path, of u. What the division adds is a few units in the last place of s.
    """
    f = fixed.half
    d, c, a, e = _seen_from(code, fixed, lanes)
    c_across, a_across = _transposed(c), _transposed(a)
    begin, end = code.constant(-1e30), code.constant(1e30)

    def clip(offset: Lanes, speed: Lanes, radius: Lanes, begin: Lanes, end: Lanes) -> tuple[Lanes, Lanes]:
        # At no speed the ends are infinite or NaN, which no comparison below takes for a reason to drop.
        pace = code.constant(1.0) / speed
        middle, half = -offset * pace, radius * abs(pace)
        low, high = middle - half, middle + half
        return code.larger(begin, low), code.choose(end.is_above(high), high, end)

    for r in range(3):
        begin, end = clip(d[r], rate[r], f[r] + slack + code.dot(a[r], e), begin, end)
    for k in range(3):
        offset, speed = code.dot(c_across[k], d), code.dot(c_across[k], rate)
        begin, end = clip(offset, speed, e[k] + slack + code.dot(a_across[k], f), begin, end)
    for r in range(3):
        r1, r2 = (r + 1) % 3, (r + 2) % 3
        for k in range(3):
            k1, k2 = (k + 1) % 3, (k + 2) % 3
            offset = d[r2] * c[r1][k] - d[r1] * c[r2][k]
            speed = rate[r2] * c[r1][k] - rate[r1] * c[r2][k]
            reach = code.dot([f[r1], f[r2], e[k1], e[k2]], [a[r2][k], a[r1][k], a[r][k2], a[r][k1]])
            begin, end = clip(offset, speed, reach + slack, begin, end)
    spread = code.constant(2e-6)
    return begin - abs(begin) * spread, end + abs(end) * spread


def _eight_windows() -> Any:
    def typed(typingctx: Any, fixed: Any, pose: Any, rate: Any, slack: Any, cut: Any, lanes: Any, keys: Any) -> Any:
        def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            code = Vectors(builder, ir.FloatType(), WIDTH)
            fixed, lanes, keys = (builder.inttoptr(args[k], code.element.as_pointer()) for k in (0, 5, 6))
            pose, rate = (builder.inttoptr(args[k], _DOUBLE.as_pointer()) for k in (1, 2))
            slack, cut = (code.spread(builder.fptrunc(args[k], code.element)) for k in (3, 4))
            box = [builder.fpext(code.scalar(fixed, WIDTH * k), _DOUBLE) for k in range(3, 12)]
            moves = [builder.load(builder.gep(rate, [ir.Constant(_INT64, r)])) for r in range(3)]
            speeds = []
            for r in range(3):
                along = builder.fmul(box[3 * r], moves[0])
                for c in (1, 2):
                    along = builder.fadd(along, builder.fmul(box[3 * r + c], moves[c]))
                speeds.append(code.spread(builder.fptrunc(along, code.element)))
            begin, end = _windows(code, _fix(code, fixed, pose), speeds, slack, lanes)
            code.store(begin, keys)
            late = builder.or_(begin.is_above(cut), begin.is_above(end))
            gone = builder.or_(late, code.constant(0.0).is_above(end))
            return code.mask_bits(builder.not_(gone))

        index, number = types.int64, types.float64
        return index(index, index, index, number, number, index, index), generate

    return intrinsic(typed)


eight_windows = _eight_windows()
"""eight_windows(fixed, pose, rate, slack, cut, lanes, keys): mask of the eight boxes that may meet the fixed one on their path.

At addresses, as for the bounds below, and `rate` (3 float64): unit velocity of the eight boxes in the frame of the fixed box's
tree. A box may be met if its window begins before `cut` and does not end before 0; keys (8 float32) gets the beginnings.
"""


def _eight_bounds(far: bool) -> Any:
    def typed(typingctx: Any, fixed: Any, pose: Any, slack: Any, cut: Any, lanes: Any, keys: Any) -> Any:
        def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            code = Vectors(builder, ir.FloatType(), WIDTH)
            fixed, lanes, keys = (builder.inttoptr(args[k], code.element.as_pointer()) for k in (0, 4, 5))
            pose = builder.inttoptr(args[1], _DOUBLE.as_pointer())
            slack, cut = (code.spread(builder.fptrunc(args[k], code.element)) for k in (2, 3))
            bound = _bound(code, _fix(code, fixed, pose), slack, lanes, far=far)
            code.store(bound, keys)
            return code.mask_bits(builder.not_(bound.is_above(cut)))

        index, number = types.int64, types.float64
        return index(index, index, number, number, index, index), generate

    return intrinsic(typed)


_overlaps = _eight_bounds(far=False)
_distances = _eight_bounds(far=True)


@functools.cache
def eight_overlaps_address() -> int:
    """Address of f(fixed, pose, slack, cut, lanes, keys): mask of the eight boxes that may come within `cut` of the fixed one.

    At addresses: the first column of the fixed box (float32, WIDTH apart); the pose (POSE float64, with one more number behind)
    that places the other tree in the frame of the fixed box; the first column of the eight boxes (float32). A box may be near
    if its bound, less `slack`, is not above `cut`; keys (8 float32) gets these bounds, negative where boxes overlap. The lanes
    that a node does not fill are part of the mask.
    """
    with compiling("the box overlap test"):

        @c_callback("int64(int64, int64, float64, float64, int64, int64)")
        def overlaps(fixed, pose, slack, cut, lanes, keys):
            return _overlaps(fixed, pose, slack, cut, lanes, keys)

        return int(overlaps.address)


@functools.cache
def eight_distances_address() -> int:
    """The same with bounds that are tighter for boxes apart."""
    with compiling("the box distance"):

        @c_callback("int64(int64, int64, float64, float64, int64, int64)")
        def distances(fixed, pose, slack, cut, lanes, keys):
            return _distances(fixed, pose, slack, cut, lanes, keys)

        return int(distances.address)
