"""Fans around vertices whose flightplans changed within an interval: whether they are still free of self-contact."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from carom._compile.jit import inline_kernel
from carom.deform.model.vertex_fans import Fans, fan_is_clear
from carom.deform.triangles.lanes.fans import NORMALS, mean_normal, put_normal
from carom.deform.triangles.leaf_contact import place_vertex


class FanTables(NamedTuple):
    """Fans (see carom.deform.model.vertex_fans) of the triangles `searched` (m, 3), which they number.

    armed (v,): may a pair of this fan have a contact? Work space: normals (m, 16), proved (v,); numbers of the last look at
    vertices, looked_at, of what followed from it, handled_at (v,), and at triangles, turned_at (m,).
    """

    kind: NDArray[np.uint8]
    first: NDArray[np.int64]
    faces: NDArray[np.int32]
    rim: NDArray[np.int32]
    ends: NDArray[np.int32]
    shared: NDArray[np.int32]
    first_pair: NDArray[np.int64]
    held: NDArray[np.int64]
    searched: NDArray[np.int32]
    armed: NDArray[np.uint8]
    normals: NDArray[np.float32]
    proved: NDArray[np.uint8]
    looked_at: NDArray[np.int64]
    handled_at: NDArray[np.int64]
    turned_at: NDArray[np.int64]


def fan_tables(fans: Fans | None, searched: NDArray[np.int32], n_vertices: int) -> FanTables:
    """Tables for these fans; None: no triangle has a neighbour that matters."""
    rows, places = np.empty(0, np.int32), np.zeros(1, np.int64)
    looked_at, handled_at = np.full((2, n_vertices), -1, np.int64)
    return FanTables(
        np.empty(0, np.uint8) if fans is None else fans.kind,
        places if fans is None else fans.first,
        rows if fans is None else fans.faces,
        rows if fans is None else fans.rim,
        rows if fans is None else fans.ends,
        np.empty((0, 2), np.int32) if fans is None else fans.shared,
        places if fans is None else fans.first_pair,
        np.empty(0, np.int64) if fans is None else fans.held,
        searched,
        np.zeros(n_vertices, np.uint8),
        np.zeros((len(searched), NORMALS), np.float32),
        np.zeros(n_vertices, np.uint8),
        looked_at,
        handled_at,
        np.full(len(searched), -1, np.int64),
    )


@inline_kernel
def look_at_fan(fans, motion, v, now, look):
    """proved[v]: is the fan of vertex v clear from now to the end of the interval? A fan without pairs is. To be asked once for
    each number `look`."""
    fans.looked_at[v] = look
    if fans.first_pair[v] == fans.first_pair[v + 1]:
        fans.proved[v] = 1
        return
    for k in range(fans.first[v], fans.first[v + 1]):
        f = fans.faces[k]
        if fans.turned_at[f] != look:
            fans.turned_at[f] = look
            corners = fans.searched[f]
            for corner in range(3):
                place_vertex(motion, corners[corner], now, look)
            put_normal(motion.here, motion.there, corners[0], corners[1], corners[2], fans.normals, f)
    x, y, z = mean_normal(fans.normals, fans.faces, fans.first[v], fans.first[v + 1] - fans.first[v])
    clear = fan_is_clear(
        fans.kind,
        fans.first,
        fans.faces,
        fans.rim,
        fans.ends,
        motion.here,
        motion.there,
        fans.normals,
        False,
        v,
        x,
        y,
        z,
    )
    fans.proved[v] = 1 if clear else 0
