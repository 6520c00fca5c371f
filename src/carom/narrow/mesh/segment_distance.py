"""Nearest points of two segments."""

from __future__ import annotations

from carom._compile.jit import inner_kernel
from carom.maths.vector import cross
from carom.tolerances import PARALLEL_SEGMENTS, STEEP_EDGES


@inner_kernel
def nearest_on_segments(ux, uy, uz, vx, vy, vz, rx, ry, rz):
    """Fractions (s, t) in [0, 1] at which p + s u and q + t v are nearest, r = p - q. Segments may be points.

    The nearest points of the lines, then each clamped for the other: a convex quadratic over the unit square. Near parallel
    lines u x v keeps the sine to a unit in the last place where uu vv - uv^2 would lose its square.
    """
    uu, vv, uv = ux * ux + uy * uy + uz * uz, vx * vx + vy * vy + vz * vz, ux * vx + uy * vy + uz * vz
    ur, vr = ux * rx + uy * ry + uz * rz, vx * rx + vy * ry + vz * rz
    scale = uu * vv
    sine = scale - uv * uv
    s = 0.0
    if sine > STEEP_EDGES * scale:
        s = (uv * vr - vv * ur) / sine
    else:
        nx, ny, nz = cross(ux, uy, uz, vx, vy, vz)
        sine = nx * nx + ny * ny + nz * nz
        if sine > PARALLEL_SEGMENTS * scale:
            s = (nx * (vy * rz - vz * ry) + ny * (vz * rx - vx * rz) + nz * (vx * ry - vy * rx)) / sine
    s = min(max(s, 0.0), 1.0)
    t = min(max((uv * s + vr) / vv, 0.0), 1.0) if vv > 0.0 else 0.0
    if uu > 0.0:
        s = min(max((uv * t - ur) / uu, 0.0), 1.0)
    return s, t
