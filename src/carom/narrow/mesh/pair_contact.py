"""Point, normal and depth of pairs of intersecting triangles."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from carom._compile.jit import compiling, kernel
from carom.narrow.mesh.triangle_overlap import CONTACT_SPACE, contact_point_into, penetration_into

Floats = NDArray[np.float64]


@kernel
def _contacts_into(tris_a, tris_b, pairs, rots, shifts, point, normal, depth):
    placed = np.empty(9)
    space = np.empty(CONTACT_SPACE)
    for k in range(pairs.shape[0]):
        rot, shift, tri = rots[k], shifts[k], tris_b[pairs[k, 1]]
        for c in range(0, 9, 3):
            for d in range(3):
                placed[c + d] = (
                    rot[3 * d] * tri[c] + rot[3 * d + 1] * tri[c + 1] + rot[3 * d + 2] * tri[c + 2] + shift[d]
                )
        contact_point_into(tris_a[pairs[k, 0]], placed, space, point[k])
        depth[k] = max(penetration_into(tris_a[pairs[k, 0]], placed, normal[k]), 0.0)


def triangle_contacts(
    tris_a: Floats, tris_b: Floats, pairs: NDArray[np.int64], rots: Floats, shifts: Floats
) -> tuple[Floats, Floats, Floats]:
    """Points (m, 3), normals (m, 3) from a to b and depths (m,) of pairs (m, 2) of rows of tris, b placed by its pose."""
    m = len(pairs)
    point, normal, depth = np.empty((m, 3)), np.empty((m, 3)), np.empty(m)
    with compiling("contacts of triangles"):
        _contacts_into(tris_a, tris_b, pairs, rots, shifts, point, normal, depth)
    return point, normal, depth
