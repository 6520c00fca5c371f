"""Pairs of guided bodies whose contact was reported: silent until the two have been apart."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from carom._jit import lean_kernel
from carom.engine.base import Engine
from carom.engine.placed_pair import PlacedPair
from carom.engine.predict import parting_time, relative_state, same_acceleration
from carom.engine.state import NOW
from carom.engine.tables import Tables
from carom.layout import CX, KIND, RADIUS
from carom.shapes.kind import HALF_SPACE, POLLED, SPHERE
from carom.tolerances import LAZY_TEST_LEAD


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


def keep_silent(tables: Tables, engine: Engine, first: NDArray[np.int32], second: NDArray[np.int32]) -> None:
    """Let those of the pairs of rows whose shapes touch now be silent until they have parted."""
    if not len(first):
        return
    since = np.empty(len(first))
    _armed_again(tables.bodies(), tables.run(), first, second, since)
    together = since > -math.inf
    for k in np.flatnonzero(together).tolist():
        pair = PlacedPair(tables, int(first[k]), int(second[k]))
        together[k] = (pair.kinds == SPHERE).all() or not pair.are_apart()
    engine.remember(first[together], second[together], since[together])
