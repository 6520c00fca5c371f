"""First contacts of many flights of one pair of shapes without spin: the exact test of the event engine, in a loop."""

from __future__ import annotations

from math import inf

import numpy as np
from numpy.typing import NDArray

from carom._compile.chunks import in_chunks
from carom._compile.jit import compiling, kernel
from carom.narrow.mesh.bvh8.straight_toi import wide_contacts_into
from carom.narrow.mesh.bvh8.tree_pair import wide_arrays
from carom.narrow.toi.pair_answer import OUT_SIZE
from carom.narrow.toi.shape_table import ShapeTable
from carom.narrow.toi.translating import toi_general
from carom.shapes import Mesh, Shape
from carom.tables.body_columns import AX, BODY_COLUMNS, ID, KIND, LINK_COLUMNS, SHAPE, VX, X
from carom.trees.obb.bvh8 import wide_tree_of
from carom.trees.obb.tree import tree_of

Floats = NDArray[np.float64]


@kernel
def _contacts_into(body, quat, link, floats, ints, times, out):
    for k in range(times.shape[0]):
        times[k] = toi_general(body[2 * k : 2 * k + 2], quat[2 * k : 2 * k + 2], link, floats, ints, 0, 1, 0.0, out[k])


def straight_impacts(
    a: Shape, b: Shape, quats: Floats, offsets: Floats, velocities: Floats, accelerations: Floats, untils: Floats,
    threads: int | None,
) -> tuple[Floats, Floats]:  # fmt: skip
    """Times (n,), inf without contact until untils (n,), and answers (n, OUT_SIZE) of toi_general, a's origin at rest at 0.

    quats (2n, 4): orientations of a and b in turn; offsets, velocities, accelerations (n, 3) of b relative to a.
    """
    table = ShapeTable()
    n = len(offsets)
    body = np.zeros((2 * n, BODY_COLUMNS))
    body[1::2, X : X + 3] = offsets
    body[1::2, VX : VX + 3] = velocities
    body[1::2, AX : AX + 3] = accelerations
    link = np.zeros((2, LINK_COLUMNS), np.int32)
    for row, shape in enumerate((a, b)):
        link[row, SHAPE], link[row, KIND], link[row, ID] = table.add(shape), shape.kind, row
    times, out = np.empty(n), np.zeros((n, OUT_SIZE))
    rows = (link, table.floats, table.ints)
    if isinstance(a, Mesh) and isinstance(b, Mesh):
        trees = wide_arrays(wide_tree_of(tree_of(a))), wide_arrays(wide_tree_of(tree_of(b)))
        with compiling("time of impact of meshes"):
            in_chunks(
                lambda cut: wide_contacts_into(
                    *trees, body[_both(cut)], quats[_both(cut)], *rows, untils[cut], times[cut], out[cut]
                ),
                n,
                threads,
            )
    else:
        with compiling("time of impact without spin"):
            in_chunks(
                lambda cut: _contacts_into(body[_both(cut)], quats[_both(cut)], *rows, times[cut], out[cut]), n, threads
            )
    times[times > untils] = inf
    return times, out


def _both(cut: slice) -> slice:
    """Rows of the two bodies of each flight in `cut`."""
    return slice(2 * cut.start, 2 * cut.stop)
