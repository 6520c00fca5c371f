"""Pairs of guided bodies whose contact was reported: silent until the two have been apart."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from carom._compile.jit import lean_kernel
from carom.engine.contract import Engine
from carom.engine.events.rearm import parting_time
from carom.engine.events.row_motion import relative_state, same_acceleration
from carom.engine.tables import Tables
from carom.shapes.kind import HALF_SPACE, POLLED, SPHERE
from carom.tables.body_columns import CX, KIND, RADIUS
from carom.tables.run_columns import NOW
from carom.tolerances import LAZY_TEST_LEAD
from carom.world.starts.placed_pair import PlacedPair

Pairs = tuple[NDArray[np.int32], NDArray[np.int32]]
"""Rows of the first and of the second bodies."""


@lean_kernel
def _armed_again(bodies, run, first, second, since):
    """When pairs that were reported may touch again, into `since`; -inf for those whose bounding spheres are apart now."""
    now = run.param[NOW]
    for k in range(len(first)):
        i = np.int64(first[k])
        j = np.int64(second[k])
        body, link = bodies.body, bodies.link
        since[k] = math.inf
        if link[i, KIND] == POLLED or link[j, KIND] == POLLED:
            since[k] = -math.inf
            continue
        if link[i, KIND] != HALF_SPACE and link[j, KIND] != HALF_SPACE:
            x, y, z, _, _, _, _, _, _ = relative_state(body, i, j, now)
            x += body[j, CX] - body[i, CX]
            y += body[j, CX + 1] - body[i, CX + 1]
            z += body[j, CX + 2] - body[i, CX + 2]
            near = (1.0 + LAZY_TEST_LEAD) * (body[i, RADIUS] + body[j, RADIUS])
            if x * x + y * y + z * z > near * near:
                since[k] = -math.inf
                continue
        if not same_acceleration(body, i, j):
            since[k] = parting_time(body, link, run, i, j, now)


def reported_pairs(engine: Engine, row: int) -> Pairs:
    """The pairs of a row whose contact was reported."""
    first, second, _ = engine.reported()
    own = (first == row) | (second == row)
    return first[own], second[own]


def together_now(tables: Tables, pairs: Pairs) -> Pairs:
    """Those of the pairs whose shapes touch now."""
    if not len(pairs[0]):
        return pairs
    together = _touching(tables, pairs) > -math.inf
    return pairs[0][together], pairs[1][together]


def keep_silent(tables: Tables, engine: Engine, pairs: Pairs) -> None:
    """Let those of the pairs whose shapes touch now be silent until they have parted."""
    if len(pairs[0]):
        since = _touching(tables, pairs)
        together = since > -math.inf
        engine.remember(pairs[0][together], pairs[1][together], since[together])


def _touching(tables: Tables, pairs: Pairs) -> NDArray[np.float64]:
    """When pairs may touch again; -inf for those whose shapes are apart now."""
    first, second = pairs
    since = np.empty(len(first))
    _armed_again(tables.bodies(), tables.run(), first, second, since)
    for k in np.flatnonzero(since > -math.inf).tolist():
        pair = PlacedPair(tables, int(first[k]), int(second[k]))
        if not (pair.kinds == SPHERE).all() and pair.are_apart():
            since[k] = -math.inf
    return since
