"""Whether two features touch at a root of their coplanarity, decided by exact signs, including degenerate cases."""

from __future__ import annotations

from carom._compile.jit import inner_kernel
from carom.narrow.features.integers.root_cell import product_sign
from carom.narrow.features.integers.rows import AXIS, DOT, EDGE_A, EDGE_B


@inner_kernel
def side(edges, k):
    """Numbers of the differences at both ends of side k of their hull: three of a face; for edges an end against an edge."""
    if not edges:
        return k, (k + 1) % 3
    if k < 2:
        return 2 * k, 2 * k + 1  # end k of edge a against edge b
    return k - 2, k  # end k - 2 of edge b against edge a


@inner_kernel
def touches(limbs, size, edges, cell):
    """Is 0 in the hull of the differences at the root, given that they and 0 are coplanar there?

    Along an axis on which the common normal is not 0 the plane is a graph, and the projected orientations decide: 0 is on the
    inner side of all sides of the face; or each edge has the ends of the other on different sides of its line (or on it).
    Without a normal the hull is a segment or a point, which its sides cover.
    """
    for turn in range(3):
        axis = (cell[AXIS] + turn) % 3
        normal = product_sign(limbs, size, cell, EDGE_A, EDGE_B, axis)
        if normal != 0:
            before = 0
            for k in range(4 if edges else 3):
                x, y = side(edges, k)
                sign = product_sign(limbs, size, cell, x, y, axis)
                if not edges:
                    if sign * normal < 0:
                        return False
                elif k % 2 == 0:
                    before = sign
                elif sign * before > 0:
                    return False
            return True
    for k in range(4 if edges else 3):
        x, y = side(edges, k)
        # 0 is on the segment from x to y: they are parallel and not on the same side of it.
        for axis in range(DOT + 1):
            sign = product_sign(limbs, size, cell, x, y, axis)
            if axis == DOT:
                if sign <= 0:
                    return True
            elif sign != 0:
                break
    return False
