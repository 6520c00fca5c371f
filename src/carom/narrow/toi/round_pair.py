"""First contact of a pair that contains a shape of kind ROUND, moving and possibly rotating: the test of worlds."""

from __future__ import annotations

import functools
from math import inf, sqrt

import numpy as np

from carom._compile.jit import inner_kernel, kernel
from carom.narrow.convex.gjk import GJK_STATE
from carom.narrow.toi.advancement.convex_convex import advance_cores
from carom.narrow.toi.advancement.convex_half_space import advance_plane
from carom.narrow.toi.advancement.convex_surface import SURFACE_OUT, SURFACE_TRIANGLE, advance_surface, surface_scratch
from carom.narrow.toi.advancement.core_space import (
    CORE_INSIDE,
    CORE_NORMAL,
    CORE_POINT,
    CORE_SPACE,
    CORE_STATUS,
    CORE_STEPS,
    CORE_TIME,
    LOCAL_A,
    LOCAL_B,
)
from carom.narrow.toi.advancement.scratch import F_ROT_B
from carom.narrow.toi.pair_answer import (
    OUT_FEATURE_I,
    OUT_FEATURE_J,
    OUT_NORMAL,
    OUT_POINT,
    OUT_STATUS,
    advanced_toi_address,
    clear_answer_into,
)
from carom.narrow.toi.relative_motion import flight_into, position_at
from carom.narrow.toi.shape_table import H_CENTRE, H_CORE, H_FACES, H_LINKS, H_NODES, H_PARAM, H_TRIS, HEADER
from carom.narrow.toi.status import NOT_YET
from carom.shapes.kind import HALF_SPACE, MESH, SPHERE
from carom.tables.body_columns import KIND, SHAPE, T_REF
from carom.trees.obb.node import NODE_COLUMNS


@inner_kernel
def _place_cores_into(space):
    """Put both cores at their bodies' origins, without a direction for the case that they overlap."""
    for k in range(3):
        space[CORE_INSIDE + k] = 0.0
    for local in (LOCAL_A, LOCAL_B):
        for k in range(12):
            space[local + k] = 1.0 if k == 0 or k == 4 or k == 8 else 0.0


@inner_kernel
def _reach(floats, ints, shape, kind):
    """How far a shape extends from its origin."""
    if kind == SPHERE:
        return floats[ints[HEADER * shape + H_PARAM]]
    at = ints[HEADER * shape + H_CENTRE]
    return floats[at + 3] + sqrt(floats[at] ** 2 + floats[at + 1] ** 2 + floats[at + 2] ** 2)


@kernel
def toi_round(body, quat, spin, link, floats, ints, i, j, t_from, until, gap, out):
    """Absolute time of the first contact in [t_from, until] of rows i, j; inf if never. Fills `out` (OUT_SIZE,).

    As carom.narrow.toi.spinning.toi_spinning. At least one of the two is of kind ROUND.
    """
    a, b = (j, i) if link[i, KIND] == MESH or link[i, KIND] == HALF_SPACE else (i, j)
    kind_b = link[b, KIND]
    shape_a, shape_b = np.int64(link[a, SHAPE]), np.int64(link[b, SHAPE])
    t0 = max(body[a, T_REF], body[b, T_REF])
    start, end = t_from - t0, until - t0
    space, state, answer = np.empty(CORE_SPACE), np.zeros(GJK_STATE), np.zeros(SURFACE_OUT)
    flight_into(body, quat, spin, a, b, t0, space)
    _place_cores_into(space)
    core_a = floats[ints[HEADER * shape_a + H_CORE] :]
    reach_a = _reach(floats, ints, shape_a, link[a, KIND])
    answer[SURFACE_TRIANGLE] = -1.0
    if kind_b == HALF_SPACE:
        at = ints[HEADER * shape_b + H_PARAM]
        rot = F_ROT_B
        x, y, z = floats[at], floats[at + 1], floats[at + 2]
        nx = space[rot] * x + space[rot + 1] * y + space[rot + 2] * z
        ny = space[rot + 3] * x + space[rot + 4] * y + space[rot + 5] * z
        nz = space[rot + 6] * x + space[rot + 7] * y + space[rot + 8] * z
        advance_plane(core_a, reach_a, nx, ny, nz, floats[at + 3], start, end, gap * reach_a, space, answer)
    else:
        reach_b = _reach(floats, ints, shape_b, kind_b)
        absolute = gap * min(reach_a, reach_b)
        if kind_b == MESH:
            nodes_at, links_at = ints[HEADER * shape_b + H_NODES], ints[HEADER * shape_b + H_LINKS]
            n = (links_at - nodes_at) // NODE_COLUMNS
            tris_at = ints[HEADER * shape_b + H_TRIS]
            nodes = floats[nodes_at:links_at].reshape((n, NODE_COLUMNS))
            tris = floats[tris_at : tris_at + 9 * ((n + 1) // 2)].reshape(((n + 1) // 2, 9))
            links = floats[links_at : links_at + n]
            scratch = surface_scratch()
            advance_surface(core_a, reach_a, nodes, links, tris, start, end, absolute, space, state, scratch, answer)
        else:
            core_b = floats[ints[HEADER * shape_b + H_CORE] :]
            advance_cores(core_a, core_b, reach_a, reach_b, start, end, absolute, False, space, state, answer)
    return _told(body, floats, ints, link, i, a, b, t0, t_from, until, answer, out)


@inner_kernel
def _told(body, floats, ints, link, i, a, b, t0, t_from, until, answer, out):
    """Write the answer as worlds read it; returns its time on the clock."""
    clear_answer_into(out, answer[CORE_STEPS])
    s = answer[CORE_TIME]
    out[OUT_STATUS] = answer[CORE_STATUS]
    if s == inf:
        out[OUT_STATUS] = NOT_YET
        return until
    t = max(t0 + s, t_from)
    if answer[CORE_STATUS] == NOT_YET:
        return min(t, until)
    sign = 1.0 if a == i else -1.0
    for k in range(3):
        out[OUT_POINT + k] = position_at(body, a, k, t) + answer[CORE_POINT + k]
        out[OUT_NORMAL + k] = sign * answer[CORE_NORMAL + k]
    if answer[SURFACE_TRIANGLE] >= 0.0:
        face = floats[ints[HEADER * np.int64(link[b, SHAPE]) + H_FACES] + int(answer[SURFACE_TRIANGLE])]
        out[OUT_FEATURE_J if a == i else OUT_FEATURE_I] = face
    return t


@functools.cache
def round_toi_address() -> int:
    """Address of toi_round as a C function: see carom.narrow.toi.pair_answer.advanced_toi_address. Compiles on first use."""
    return advanced_toi_address(toi_round, "the pair test for round shapes")
