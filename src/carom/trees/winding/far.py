"""Winding numbers by a tree, with dipoles for distant parts (Barill, Dickson, Schmidt, Levin and Jacobson 2018)."""

from __future__ import annotations

from math import pi, sqrt

import numpy as np
from numpy.typing import NDArray

from carom._compile.jit import compiling, lean_kernel
from carom._compile.threads import Workers
from carom.maths.trigonometry import arc_tangent
from carom.trees.obb.node import NODE_RADIUS
from carom.trees.obb.tree import ObbTree
from carom.trees.winding.winding_number import solid_angle_parts, winding_numbers

Floats = NDArray[np.float64]

_FAR = 2.5
"""Radii of a node from which on it counts as a dipole: errors are then some hundredths."""
_DOUBTFUL = 0.2
"""How far from a whole number the sum may be; beyond, it is made anew without dipoles."""
_DEPTH = 128
"""Rows of the stack: a tree that halves is at most 64 deep, and a step adds one."""
_FEWEST = 256
"""Points from which on threads share the work."""


def wound_round(tree: ObbTree, points: Floats) -> NDArray[np.bool_]:
    """Which of the points (n, 3) a closed surface winds round, either way; some microseconds a point, whatever its size.

    Winding numbers of a closed surface are whole, so that a sum near one is trusted. That is no proof: winding_numbers is.
    """
    out = np.empty(len(points))
    with compiling("winding numbers through trees"), Workers(len(points), None, _FEWEST) as workers:
        dipoles = np.empty((len(tree.nodes), 7))
        _dipoles_into(tree.links, tree.tris, dipoles)
        cuts = workers.cuts(len(points), 4)

        def part(k: int) -> None:
            stack = np.empty(_DEPTH, np.int64)
            _winding_into(tree.nodes, tree.links, tree.tris, dipoles, points, *cuts[k], stack, out)

        workers.run(part, len(cuts))
    doubtful = np.flatnonzero(np.abs(out - np.round(out)) > _DOUBTFUL)
    out[doubtful] = winding_numbers(tree.tris, np.ascontiguousarray(points[doubtful]))
    return np.abs(out) > 0.5


@lean_kernel
def _dipoles_into(links, tris, dipoles):
    """Of every node the sum of area vectors (3), the mean place (3) by area, and the area. Children come after their parent."""
    for node in range(len(links) - 1, -1, -1):
        d = dipoles[node]
        if links[node] < 0:
            t = tris[-1 - links[node]]
            ux, uy, uz = t[3] - t[0], t[4] - t[1], t[5] - t[2]
            vx, vy, vz = t[6] - t[0], t[7] - t[1], t[8] - t[2]
            d[0], d[1], d[2] = 0.5 * (uy * vz - uz * vy), 0.5 * (uz * vx - ux * vz), 0.5 * (ux * vy - uy * vx)
            for k in range(3):
                d[3 + k] = (t[k] + t[3 + k] + t[6 + k]) / 3.0
            d[6] = sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2])
            continue
        left, right = dipoles[node + 1], dipoles[links[node]]
        d[6] = left[6] + right[6]
        share = left[6] / d[6] if d[6] > 0.0 else 0.5
        for k in range(3):
            d[k] = left[k] + right[k]
            d[3 + k] = share * left[3 + k] + (1.0 - share) * right[3 + k]


@lean_kernel
def _winding_into(nodes, links, tris, dipoles, points, first, last, stack, out):
    """Depth first; every step leaves a node, so that it ends."""
    for k in range(first, last):
        x, y, z = points[k, 0], points[k, 1], points[k, 2]
        total = 0.0
        stack[0] = 0
        size = 1
        while size > 0:
            size -= 1
            node = stack[size]
            dx, dy, dz = nodes[node, 0] - x, nodes[node, 1] - y, nodes[node, 2] - z
            reach = _FAR * nodes[node, NODE_RADIUS]
            if dx * dx + dy * dy + dz * dz > reach * reach:
                d = dipoles[node]
                dx, dy, dz = d[3] - x, d[4] - y, d[5] - z
                square = dx * dx + dy * dy + dz * dz
                total += (d[0] * dx + d[1] * dy + d[2] * dz) / (square * sqrt(square))
            elif links[node] < 0:
                u, v = solid_angle_parts(tris[-1 - links[node]], x, y, z)
                total += 2.0 * arc_tangent(v, u)
            else:
                stack[size], stack[size + 1] = links[node], node + 1
                size += 2
        out[k] = total / (4.0 * pi)
