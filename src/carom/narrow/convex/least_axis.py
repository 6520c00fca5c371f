"""Penetration depth of two polyhedral cores by all axes along which their surfaces can separate first.

The difference A - B has three kinds of sides: sides of A, sides of B, and pairs of an edge of A with an edge of B whose
arcs of normals cross. The depth is the least extent of A - B along their normals: no search, no start, no tolerance.
Every extent is measured by the support functions, so that an axis tried in vain does no harm.
"""

from __future__ import annotations

from math import inf, sqrt

from carom._compile.jit import inner_kernel
from carom.narrow.convex.gjk import ROW, difference_support
from carom.shapes.parts.core_layout import FEATURES, FIRST_POINT, KIND, POINTS
from carom.shapes.parts.cores import EDGE_ROW, SIDE_ROW
from carom.tolerances import ARC_SLACK, EPSILON, PARALLEL_BOXES


@inner_kernel
def extent_along(core_a, core_b, rot, shift, x, y, z, scratch):
    """Extent of A - B along the unit vector (x, y, z): how far b must move along it to part from a. scratch (ROW,)."""
    difference_support(core_a, core_b, rot, shift, x, y, z, scratch, 0)
    return scratch[0] * x + scratch[1] * y + scratch[2] * z


@inner_kernel
def _try(core_a, core_b, rot, shift, x, y, z, best, scratch):
    """Write (x, y, z) and its extent to `best` (4,) where that is the least so far."""
    extent = extent_along(core_a, core_b, rot, shift, x, y, z, scratch)
    if extent < best[3]:
        best[0], best[1], best[2], best[3] = x, y, z, extent


@inner_kernel
def _turn_edges(core, rot, shift, edges):
    """Write the edge rows of b to `edges` (n, 12), turned into the frame of a: as in the core, with the point's place."""
    table = int(core[FEATURES])
    first = table + 2 + SIDE_ROW * int(core[table])
    count = int(core[table + 1])
    for k in range(count):
        row = first + EDGE_ROW * k
        for c in range(0, 9, 3):
            x, y, z = core[row + c], core[row + c + 1], core[row + c + 2]
            edges[k, c] = rot[0] * x + rot[1] * y + rot[2] * z
            edges[k, c + 1] = rot[3] * x + rot[4] * y + rot[5] * z
            edges[k, c + 2] = rot[6] * x + rot[7] * y + rot[8] * z
        if core[KIND] == POINTS:
            p = FIRST_POINT + 3 * int(core[row + 9])
            x, y, z = core[p], core[p + 1], core[p + 2]
            edges[k, 9] = rot[0] * x + rot[1] * y + rot[2] * z + shift[0]
            edges[k, 10] = rot[3] * x + rot[4] * y + rot[5] * z + shift[1]
            edges[k, 11] = rot[6] * x + rot[7] * y + rot[8] * z + shift[2]
    return count


@inner_kernel
def _try_edges(core_a, core_b, rot, shift, edges, best, scratch):
    """Try the normals of all pairs of edges that touch in some direction."""
    count = _turn_edges(core_b, rot, shift, edges)
    table = int(core_a[FEATURES])
    first = table + 2 + SIDE_ROW * int(core_a[table])
    both_points = core_a[KIND] == POINTS and core_b[KIND] == POINTS
    for i in range(int(core_a[table + 1])):
        row = first + EDGE_ROW * i
        ex, ey, ez = core_a[row], core_a[row + 1], core_a[row + 2]
        mx, my, mz = core_a[row + 3], core_a[row + 4], core_a[row + 5]
        kx, ky, kz = core_a[row + 6], core_a[row + 7], core_a[row + 8]
        p = FIRST_POINT + 3 * int(core_a[row + 9])
        for j in range(count):
            x = ey * edges[j, 2] - ez * edges[j, 1]
            y = ez * edges[j, 0] - ex * edges[j, 2]
            z = ex * edges[j, 1] - ey * edges[j, 0]
            in_m, in_k = mx * x + my * y + mz * z, kx * x + ky * y + kz * z
            # Either sign of (x, y, z) may be the normal of a; b has the opposite one.
            if in_m * in_k < 0.0 and abs(in_m) > ARC_SLACK and abs(in_k) > ARC_SLACK:
                continue
            size = sqrt(x * x + y * y + z * z)
            if size <= PARALLEL_BOXES:
                continue
            slack = ARC_SLACK * size + 8.0 * EPSILON
            out_m = edges[j, 3] * x + edges[j, 4] * y + edges[j, 5] * z
            out_k = edges[j, 6] * x + edges[j, 7] * y + edges[j, 8] * z
            for turn in range(2):
                sign = 1.0 - 2.0 * turn
                if sign * in_m > slack or sign * in_k > slack or -sign * out_m > slack or -sign * out_k > slack:
                    continue
                nx, ny, nz = sign * x / size, sign * y / size, sign * z / size
                if both_points:
                    # The extent is no less than that of the two edges themselves.
                    reach = (
                        (core_a[p] - edges[j, 9]) * nx
                        + (core_a[p + 1] - edges[j, 10]) * ny
                        + (core_a[p + 2] - edges[j, 11]) * nz
                    )
                    if reach >= best[3]:
                        continue
                _try(core_a, core_b, rot, shift, nx, ny, nz, best, scratch)


@inner_kernel
def least_axis(core_a, core_b, rot, shift, edges, best, scratch):
    """Write the unit axis 3 from a to b along which the cores overlap least, and that depth twice, to `best`; returns it.

    Both cores need a table of features. edges (n, 12): room for the edges of b; scratch (ROW,). The depth is inf where no
    axis exists (parallel segments, points), and negative where an axis separates the cores. As it is no bound but the
    depth itself, it stands in both places that bounds have in `carom.narrow.convex.epa`.
    """
    best[0], best[1], best[2], best[3] = 0.0, 0.0, 0.0, inf
    scratch[ROW - 2] = scratch[ROW - 1] = -1.0
    table = int(core_a[FEATURES])
    for k in range(int(core_a[table])):
        row = table + 2 + SIDE_ROW * k
        _try(core_a, core_b, rot, shift, core_a[row], core_a[row + 1], core_a[row + 2], best, scratch)
    table = int(core_b[FEATURES])
    for k in range(int(core_b[table])):
        row = table + 2 + SIDE_ROW * k
        x, y, z = core_b[row], core_b[row + 1], core_b[row + 2]
        _try(
            core_a,
            core_b,
            rot,
            shift,
            -(rot[0] * x + rot[1] * y + rot[2] * z),
            -(rot[3] * x + rot[4] * y + rot[5] * z),
            -(rot[6] * x + rot[7] * y + rot[8] * z),
            best,
            scratch,
        )
    _try_edges(core_a, core_b, rot, shift, edges, best, scratch)
    best[4] = best[3]
    return best[3]
