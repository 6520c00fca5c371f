"""Velocity-aligned discrete oriented polytopes (paper VADOP): each body is bounded along axes of a pool that suit its velocity.

A body's projection on an axis at the angle theta to its velocity moves at |v| cos theta. A body takes the axes with
theta >= 90 degrees - phi: those in the zone around the great circle orthogonal to its velocity. Along them its swept extent
is little more than its own size, however fast it is. Its extent is that of its bounding sphere, so that turning changes
nothing.

Slow bodies, and those without an end or with bounds of their own, choose no axis of the pool where shared axes bound them.
Without shared axes a resting body takes the whole pool, since any direction is at right angles to its velocity; one without
an end takes it too and reaches from end to end of every list.
"""

from __future__ import annotations

import math

import numpy as np

from carom._compile.jit import inner_kernel
from carom.bounds.kinetic import bound_end
from carom.shapes.kind import HALF_SPACE, POLLED
from carom.tables.body_columns import AX, CX, KIND, RADIUS, T_REF, VX, X
from carom.tolerances import BOUND_PAD, BOUND_PAD_ULPS, REBASE_AFTER

# Columns of `limit`, float64
ZONE = 0
"""Sine of the zone's half width phi: an axis is taken where |cos theta| is not above it."""
LEAST_WAY = 1
"""Radii a frame. A body that moves less takes no axis: boxes bound it as well."""

_ULPS = BOUND_PAD_ULPS * float(np.finfo(np.float64).eps)


@inner_kernel
def sphere_end(body, axes, row, d, side):
    """Polynomial of one end of a bounding sphere along axis d: c0, c1, c2, epoch; padded as carom.bounds.kinetic.bound_end."""
    e0, e1, e2 = axes[d, 0], axes[d, 1], axes[d, 2]
    x, y, z = body[row, X] + body[row, CX], body[row, X + 1] + body[row, CX + 1], body[row, X + 2] + body[row, CX + 2]
    c0 = e0 * x + e1 * y + e2 * z
    c1 = e0 * body[row, VX] + e1 * body[row, VX + 1] + e2 * body[row, VX + 2]
    c2 = 0.5 * (e0 * body[row, AX] + e1 * body[row, AX + 1] + e2 * body[row, AX + 2])
    radius = (1.0 + BOUND_PAD) * body[row, RADIUS]
    # Oblique axes lose digits where coordinates cancel: what counts is their size, not that of the sum.
    size = abs(x) + abs(y) + abs(z) + radius
    radius += _ULPS * (size + REBASE_AFTER * (abs(body[row, VX]) + abs(body[row, VX + 1]) + abs(body[row, VX + 2])))
    return c0 + (radius if side else -radius), c1, c2, body[row, T_REF]


@inner_kernel
def _has_sphere(bodies, row):
    return bodies.link[row, KIND] != HALF_SPACE and bodies.link[row, KIND] != POLLED


@inner_kernel
def axis_end(bodies, axes, n_shared, row, d, side):
    """Polynomial of one end of a body along axis d: of its own bounds on the shared axes, of its sphere on the others."""
    if d < n_shared:
        return bound_end(bodies, row, d, side)
    if not _has_sphere(bodies, row):
        return math.inf if side else -math.inf, 0.0, 0.0, bodies.body[row, T_REF]
    return sphere_end(bodies.body, axes, row, d, side)


@inner_kernel
def choose_axes(bodies, row, t, frame, axes, first, limit, chosen):
    """Set bits of chosen[row] for the axes before `first`, which are shared, and those that suit the velocity at t.

    frame: seconds. Returns whether any bit changed.
    """
    body = bodies.body
    h = t - body[row, T_REF]
    vx = body[row, VX] + h * body[row, AX]
    vy = body[row, VX + 1] + h * body[row, AX + 1]
    vz = body[row, VX + 2] + h * body[row, AX + 2]
    speed = math.sqrt(vx * vx + vy * vy + vz * vz)
    most = limit[ZONE] * speed
    if not _has_sphere(bodies, row) or speed * frame <= limit[LEAST_WAY] * body[row, RADIUS]:
        most = -1.0 if first > 0 else math.inf
    changed = False
    for w in range(chosen.shape[1]):
        bits = np.int64(0)
        for d in range(64 * w, min(64 * w + 64, axes.shape[0])):
            if d < first or abs(axes[d, 0] * vx + axes[d, 1] * vy + axes[d, 2] * vz) <= most:
                bits |= np.int64(1) << np.int64(d & 63)
        changed |= bits != chosen[row, w]
        chosen[row, w] = bits
    return changed
