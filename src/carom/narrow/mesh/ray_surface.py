"""First intersection of a ray with a triangulated surface, by the surface's tree of oriented boxes.

The triangle test is watertight (Woop, Benthin and Wald 2013): a ray through a shared edge or vertex meets at least one of the
triangles there, because neighbours see the same sheared corners.
"""

from __future__ import annotations

from math import inf

import numpy as np

from carom._compile.jit import inner_kernel, kernel
from carom.trees.obb.node import NODE_HALF, node_axis

_DEEPEST = 128
"""Room for the stack: trees that halve have at most 64 levels and leave one entry waiting a level."""


@inner_kernel
def _enter_box(nodes, node, ox, oy, oz, dx, dy, dz, limit):
    """Where the ray enters the box of `node`, or inf when it misses it or enters beyond `limit`."""
    rx, ry, rz = ox - nodes[node, 0], oy - nodes[node, 1], oz - nodes[node, 2]
    enter, leave = 0.0, limit
    for k in range(3):
        ax, ay, az = node_axis(nodes[node], 0, k)
        at = ax * rx + ay * ry + az * rz
        rate = ax * dx + ay * dy + az * dz
        # The box is padded for its triangles; the ray's own rounding grows with its distance from the box.
        half = nodes[node, NODE_HALF + k] + 1e-15 * (abs(rx) + abs(ry) + abs(rz))
        if abs(rate) < 1e-300:
            if abs(at) > half:
                return inf
            continue
        low, high = (-half - at) / rate, (half - at) / rate
        if low > high:
            low, high = high, low
        margin = 4e-16 * (abs(low) + abs(high))
        enter = max(enter, low - margin)
        leave = min(leave, high + margin)
        if enter > leave:
            return inf
    return enter


@inner_kernel
def _cross_triangle(tri, ox, oy, oz, dx, dy, dz, axis):
    """Distance along the ray to the triangle, or inf. `axis`: the direction's largest component."""
    kx, ky = (axis + 1) % 3, (axis + 2) % 3
    d = (dx, dy, dz)
    o = (ox, oy, oz)
    sx, sy, sz = d[kx] / d[axis], d[ky] / d[axis], 1.0 / d[axis]
    az, bz, cz = tri[axis] - o[axis], tri[3 + axis] - o[axis], tri[6 + axis] - o[axis]
    ax, ay = (tri[kx] - o[kx]) - sx * az, (tri[ky] - o[ky]) - sy * az
    bx, by = (tri[3 + kx] - o[kx]) - sx * bz, (tri[3 + ky] - o[ky]) - sy * bz
    cx, cy = (tri[6 + kx] - o[kx]) - sx * cz, (tri[6 + ky] - o[ky]) - sy * cz
    u = cx * by - cy * bx
    v = ax * cy - ay * cx
    w = bx * ay - by * ax
    if (u < 0.0 or v < 0.0 or w < 0.0) and (u > 0.0 or v > 0.0 or w > 0.0):
        return inf
    det = u + v + w
    if det == 0.0:
        return inf
    return (u * az + v * bz + w * cz) * sz / det


@kernel
def cross_surface(nodes, links, tris, origins, directions, limits, out, row):
    """First crossing of each ray (n, 3), (n, 3) unit within limits (n,): distances into out (n,), triangle rows into row."""
    stack = np.empty(_DEEPEST, np.int64)
    enters = np.empty(_DEEPEST)
    for r in range(origins.shape[0]):
        ox, oy, oz = origins[r, 0], origins[r, 1], origins[r, 2]
        dx, dy, dz = directions[r, 0], directions[r, 1], directions[r, 2]
        axis = 0
        if abs(dy) > abs(dx):
            axis = 1
        if abs(dz) > max(abs(dx), abs(dy)):
            axis = 2
        best, at = limits[r], -1
        stack[0] = 0
        enters[0] = _enter_box(nodes, 0, ox, oy, oz, dx, dy, dz, best)
        size = 1
        while size > 0:
            size -= 1
            node = stack[size]
            if enters[size] == inf or enters[size] > best:
                continue
            right = links[node]
            if right < 0:
                s = _cross_triangle(tris[-1 - right], ox, oy, oz, dx, dy, dz, axis)
                if 0.0 <= s <= best and (s < best or at < 0):
                    best, at = s, -1 - right
                continue
            near, far = node + 1, right
            near_at = _enter_box(nodes, near, ox, oy, oz, dx, dy, dz, best)
            far_at = _enter_box(nodes, far, ox, oy, oz, dx, dy, dz, best)
            if far_at < near_at:
                near, far = far, near
                near_at, far_at = far_at, near_at
            if far_at < inf:
                stack[size], enters[size] = far, far_at
                size += 1
            if near_at < inf:
                stack[size], enters[size] = near, near_at
                size += 1
        out[r] = best if at >= 0 else inf
        row[r] = at
