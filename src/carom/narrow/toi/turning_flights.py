"""First contacts of many flights of one pair of shapes that move and rotate."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from carom._compile.chunks import in_chunks
from carom._compile.jit import compiling
from carom.narrow.toi.shape_table import ShapeTable
from carom.narrow.toi.spinning import toi_flights_into
from carom.shapes import Shape

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


class TurningImpacts(NamedTuple):
    """time (n,), inf without contact; point from a's origin then and normal (n, 3), world axes; faces (n, 2); status (n,);
    counts (n, 3) of boxes, triangles and steps."""

    time: Floats
    point: Floats
    normal: Floats
    faces: Ints
    status: Ints
    counts: Ints


def turning_impacts(
    a: Shape, b: Shape, flights: Floats, untils: Floats, gap: float, threads: int | None
) -> TurningImpacts:
    """Contacts of flights (n, FLIGHT_COLUMNS) of shapes in kind order (a.kind <= b.kind), within untils (n,) seconds."""
    table = ShapeTable()
    shape_a, shape_b = table.add(a), table.add(b)
    n = len(flights)
    time, point, normal = np.empty(n), np.empty((n, 3)), np.empty((n, 3))
    faces, status, counts = np.empty((n, 2), np.int64), np.empty(n, np.int64), np.empty((n, 3), np.int64)
    with compiling("time of impact with spin"):
        in_chunks(
            lambda cut: toi_flights_into(
                table.floats, table.ints, shape_a, shape_b, flights[cut], untils[cut], gap, time[cut], point[cut],
                normal[cut], faces[cut], status[cut], counts[cut],
            ),
            n,
            threads,
        )  # fmt: skip
    return TurningImpacts(time, point, normal, faces, status, counts)
