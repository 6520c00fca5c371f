"""First contact of any two shapes that move and may spin: never late, and early by at most a stated gap.

Pairs are tested in kind order (then by body id), as in carom.narrow.toi.translating, whose answers are exact and which is the
test for pairs whose spins do not matter: of balls they never do.
"""

from __future__ import annotations

import functools
from math import inf

import numpy as np

from carom._compile.jit import inner_kernel, kernel
from carom.narrow.toi.advancement.half_space import toi_turning_half_space
from carom.narrow.toi.advancement.scratch import (
    FLIGHT,
    NOW_A,
    NOW_B,
    SPACE_SIZE,
    SPIN_A,
    SPIN_B,
    STEPS,
    TRIANGLE_TESTS,
    pose_at,
)
from carom.narrow.toi.advancement.sphere_surface import toi_turning_balls
from carom.narrow.toi.advancement.surface_surface import prepare_search, toi_turning_surfaces
from carom.narrow.toi.pair_answer import (
    OUT_FEATURE_I,
    OUT_FEATURE_J,
    OUT_NORMAL,
    OUT_POINT,
    OUT_STATUS,
    advanced_toi_address,
    clear_answer_into,
    in_kind_order,
)
from carom.narrow.toi.relative_motion import flight_into, position_at
from carom.narrow.toi.shape_table import H_KIND, HEADER
from carom.narrow.toi.status import EXACT, NOT_YET
from carom.narrow.toi.workspace import FEATURE_A, FEATURE_B, NORMAL, POINT, STATUS, TESTS
from carom.shapes.kind import BOX, HALF_SPACE, SPHERE
from carom.tables.body_columns import NO_ID, SHAPE, T_REF
from carom.tolerances import SEARCH_WORK


@inner_kernel
def _box_side(space, of_b):
    """Side 0..5 (-x, +x, -y, +y, -z, +z) of box A or B that faces the other most along NORMAL."""
    turn, sign = (NOW_B, -1.0) if of_b else (NOW_A, 1.0)
    best, side = -inf, 0
    for c in range(3):
        along = sign * (
            space[turn + c] * space[NORMAL]
            + space[turn + 3 + c] * space[NORMAL + 1]
            + space[turn + 6 + c] * space[NORMAL + 2]
        )
        if abs(along) > best:
            best, side = abs(along), 2 * c + (1 if along > 0.0 else 0)
    return side


@inner_kernel
def toi_flight(floats, ints, shape_a, shape_b, space, s_from, until, t_from, gap):
    """First contact in [s_from, until] of the FLIGHT in `space`, shapes in kind order; inf if never. Fills the record.

    STATUS NOT_YET at the returned time: no contact before it, and the search ended there (at `until`, or where a flight
    stays within the tolerance for too many steps). `gap` relative to the smaller body; t_from: s_from on the clock.
    """
    kind_a, kind_b = ints[HEADER * shape_a + H_KIND], ints[HEADER * shape_b + H_KIND]
    for kind, spin in ((kind_a, SPIN_A), (kind_b, SPIN_B)):
        if kind == SPHERE:
            space[spin] = space[spin + 1] = space[spin + 2] = 0.0
    prepare_search(floats, ints, shape_a, shape_b, space, s_from, t_from, gap)
    space[STATUS] = EXACT
    space[FEATURE_A] = space[FEATURE_B] = NO_ID
    for k in range(3):
        space[POINT + k] = space[NORMAL + k] = 0.0
    if kind_b == HALF_SPACE:
        s = toi_turning_half_space(floats, ints, shape_a, shape_b, space, s_from, until)
    elif kind_b == SPHERE:
        s = toi_turning_balls(space, s_from, until)
    else:
        s = toi_turning_surfaces(floats, ints, shape_a, shape_b, space, s_from, until)
    if s < inf and space[STATUS] != NOT_YET:
        pose_at(space, s)
        if kind_a == BOX:
            space[FEATURE_A] = _box_side(space, False)
        if kind_b == BOX:
            space[FEATURE_B] = _box_side(space, True)
    return s


@kernel
def toi_spinning(body, quat, spin, link, floats, ints, i, j, t_from, until, gap, out):
    """Absolute time of the first contact in [t_from, until] of rows i, j; inf if never. Fills `out` (OUT_SIZE,).

    As toi_general, with the spins (rows, 3), rad/s in world axes, and orientations that hold at each body's own epoch.
    Status NOT_YET in OUT_STATUS: no contact before the returned time, ask again from there. `gap`: see ADVANCE_GAP.
    """
    a, b = in_kind_order(link, i, j)
    space = np.empty(SPACE_SIZE)
    t0 = max(body[a, T_REF], body[b, T_REF])
    s_from = t_from - t0
    flight_into(body, quat, spin, a, b, t0, space[FLIGHT:])
    s = toi_flight(
        floats, ints, np.int64(link[a, SHAPE]), np.int64(link[b, SHAPE]), space, s_from, until - t0, t_from, gap
    )
    clear_answer_into(out, space[TESTS] + space[TRIANGLE_TESTS])
    if s == inf:
        return inf
    out[OUT_STATUS] = space[STATUS]
    if space[STATUS] == NOT_YET:
        return min(max(t0 + s, t_from), until)
    t = t_from if s == s_from else max(t0 + s, t_from)
    sign = 1.0 if a == i else -1.0
    for k in range(3):
        out[OUT_POINT + k] = position_at(body, a, k, t) + space[POINT + k]
        out[OUT_NORMAL + k] = sign * space[NORMAL + k]
    out[OUT_FEATURE_I] = space[FEATURE_A] if a == i else space[FEATURE_B]
    out[OUT_FEATURE_J] = space[FEATURE_B] if a == i else space[FEATURE_A]
    return t


@functools.cache
def spinning_toi_address() -> int:
    """Address of toi_spinning as a C function: see carom.narrow.toi.pair_answer.advanced_toi_address. Compiles on first use."""
    return advanced_toi_address(toi_spinning, "the pair test for spinning bodies")


@kernel
def toi_flights_into(
    floats, ints, shape_a, shape_b, flights, until, gap, times, points, normals, faces, status, counts
):
    """toi_flight for every row of `flights` (n, FLIGHT_COLUMNS), from s = 0 to until[k]; shapes in kind order.

    A search that ends undecided goes on from there. It ends, as each time is later than the one before, and as the work is
    limited by SEARCH_WORK: only then is a status NOT_YET. points and normals (n, 3) in world axes, points from A's origin
    then; counts (n, 3): boxes, triangles, steps.
    """
    space = np.empty(SPACE_SIZE)
    for k in range(len(flights)):
        s, work = 0.0, 0.0
        for c in range(3):
            counts[k, c] = 0
        while True:
            for c in range(flights.shape[1]):
                space[FLIGHT + c] = flights[k, c]
            times[k] = toi_flight(floats, ints, shape_a, shape_b, space, s, until[k], s, gap)
            for c, at in ((0, TESTS), (1, TRIANGLE_TESTS), (2, STEPS)):
                counts[k, c] += int(space[at])
                work += space[at]
            if space[STATUS] != NOT_YET or times[k] >= until[k] or not times[k] > s or work > SEARCH_WORK:
                break
            s = times[k]
        status[k] = space[STATUS]
        for c in range(3):
            points[k, c], normals[k, c] = space[POINT + c], space[NORMAL + c]
        faces[k, 0], faces[k, 1] = int(space[FEATURE_A]), int(space[FEATURE_B])
