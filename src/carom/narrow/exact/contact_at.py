"""Do two features touch at a root of their coplanarity? Decided by exact signs, whatever is degenerate."""

from __future__ import annotations

from carom._jit import inner_kernel
from carom.narrow.exact.polynomials import cross_into, dot_into
from carom.narrow.exact.root_cell import sign_at_root
from carom.narrow.exact.rows import EDGE_A, EDGE_B, SIGN


@inner_kernel
def side(edges, k):
    """Numbers of the differences at both ends of side k of their hull: three of a face; for edges an end against an edge."""
    if not edges:
        return k, (k + 1) % 3
    if k < 2:
        return 2 * k, 2 * k + 1  # end k of edge a against edge b
    return k - 2, k  # end k - 2 of edge b against edge a


@inner_kernel
def _cross_sign(limbs, size, cell, x, y, axis):
    cross_into(limbs, size, SIGN, x, y, axis)
    return sign_at_root(limbs, size, cell)


@inner_kernel
def _on_side(limbs, size, cell, x, y):
    """Is 0 on the segment between the differences x and y?"""
    for axis in range(3):
        if _cross_sign(limbs, size, cell, x, y, axis) != 0:
            return False
    dot_into(limbs, size, SIGN, x, y)
    return sign_at_root(limbs, size, cell) <= 0


@inner_kernel
def touches(limbs, size, edges, cell):
    """Is 0 in the hull of the differences at the root, given that they and 0 are coplanar there?

    Along an axis on which the common normal is not 0 the plane is a graph, and the projected orientations decide: 0 is on the
    inner side of all sides of the face; or each edge has the ends of the other on different sides of its line (or on it).
    Without a normal the hull is a segment or a point, which its sides cover.
    """
    for axis in range(3):
        normal = _cross_sign(limbs, size, cell, EDGE_A, EDGE_B, axis)
        if normal != 0:
            before = 0
            for k in range(4 if edges else 3):
                x, y = side(edges, k)
                sign = _cross_sign(limbs, size, cell, x, y, axis)
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
        if _on_side(limbs, size, cell, x, y):
            return True
    return False
