"""The cubic whose roots are the times at which four points are coplanar, in Bernstein form."""

from __future__ import annotations

from carom._compile.jit import inline_kernel, inner_kernel
from carom.maths.vector import cross
from carom.narrow.features.differences import STURM_END, STURM_START
from carom.narrow.features.rounding import CUBIC, UNDERFLOW


@inline_kernel
def _edge(points, tail, head):
    return points[head, 0] - points[tail, 0], points[head, 1] - points[tail, 1], points[head, 2] - points[tail, 2]


@inner_kernel
def coplanarity_cubic(points, edges, work, bounds):
    """Bernstein coefficients over the step of det(A, B, C), and a bound of the errors of their blossoms (rounding.py, CUBIC).

    Vertex and face: A, B edges of the face from its first corner, C = D_0. Edges: A, B the edges, C = D_0. A and B are taken
    from the points, not from the differences in `work`: one rounding instead of three.
    """
    if edges:
        tail_a, head_a, tail_b, head_b = 0, 1, 2, 3
    else:
        tail_a, head_a, tail_b, head_b = 1, 2, 1, 3
    ax, ay, az = _edge(points, tail_a, head_a)
    bx, by, bz = _edge(points, tail_b, head_b)
    tail_a, head_a, tail_b, head_b = tail_a + 4, head_a + 4, tail_b + 4, head_b + 4
    px, py, pz = _edge(points, tail_a, head_a)
    qx, qy, qz = _edge(points, tail_b, head_b)
    cx, cy, cz = work[STURM_START], work[STURM_START + 1], work[STURM_START + 2]
    rx, ry, rz = work[STURM_END], work[STURM_END + 1], work[STURM_END + 2]

    mx, my, mz = max(abs(ax), abs(px)), max(abs(ay), abs(py)), max(abs(az), abs(pz))
    nx, ny, nz = max(abs(bx), abs(qx)), max(abs(by), abs(qy)), max(abs(bz), abs(qz))
    permanent = (
        (my * nz + mz * ny) * max(abs(cx), abs(rx))
        + (mz * nx + mx * nz) * max(abs(cy), abs(ry))
        + (mx * ny + my * nx) * max(abs(cz), abs(rz))
    )
    error = bounds[CUBIC] * permanent + bounds[UNDERFLOW]

    first_x, first_y, first_z = cross(ax, ay, az, bx, by, bz)
    last_x, last_y, last_z = cross(px, py, pz, qx, qy, qz)
    cross_x = (ay * qz - az * qy) + (py * bz - pz * by)
    cross_y = (az * qx - ax * qz) + (pz * bx - px * bz)
    cross_z = (ax * qy - ay * qx) + (px * by - py * bx)
    b0 = first_x * cx + first_y * cy + first_z * cz
    b1 = ((first_x * rx + first_y * ry + first_z * rz) + (cross_x * cx + cross_y * cy + cross_z * cz)) / 3.0
    b2 = ((cross_x * rx + cross_y * ry + cross_z * rz) + (last_x * cx + last_y * cy + last_z * cz)) / 3.0
    b3 = last_x * rx + last_y * ry + last_z * rz
    return b0, b1, b2, b3, error


@inner_kernel
def blossom(b0, b1, b2, b3, r, s, t):
    """Blossom of a cubic in Bernstein form: its value where r = s = t, its coefficients over [l, h] from l and h.

    r, s and t in [0, 1]. The error is in rounding.py, CUBIC.
    """
    rest = 1.0 - r
    p, q, v = rest * b0 + r * b1, rest * b1 + r * b2, rest * b2 + r * b3
    rest = 1.0 - s
    p, q = rest * p + s * q, rest * q + s * v
    return (1.0 - t) * p + t * q


@inner_kernel
def coefficients_within(b0, b1, b2, b3, low, high):
    """Bernstein coefficients over [low, high] of a cubic in Bernstein form: four blossoms that share their steps."""
    rest_low, rest_high = 1.0 - low, 1.0 - high
    p, q, r = rest_low * b0 + low * b1, rest_low * b1 + low * b2, rest_low * b2 + low * b3
    from_low, then_low = rest_low * p + low * q, rest_low * q + low * r
    mixed, mixed_on = rest_high * p + high * q, rest_high * q + high * r
    c0, c1 = rest_low * from_low + low * then_low, rest_high * from_low + high * then_low
    c2 = rest_high * mixed + high * mixed_on
    p, q, r = rest_high * b0 + high * b1, rest_high * b1 + high * b2, rest_high * b2 + high * b3
    p, q = rest_high * p + high * q, rest_high * q + high * r
    return c0, c1, c2, rest_high * p + high * q


@inner_kernel
def root_of_cubic(c0, c1, c2, c3, close):
    """A rough root in (0, 1) of a cubic in Bernstein form with signs of c0 and c3 that differ: Halley within a bracket.

    Ends when the value is at most `close`, or after 40 steps (bisection halves the bracket where Halley leaves it).
    """
    low, high = 0.0, 1.0
    d0, d1, d2 = c1 - c0, c2 - c1, c3 - c2
    s = c0 / (c0 - c3)
    for _ in range(40):
        r = 1.0 - s
        value = r * r * (r * c0 + 3.0 * s * c1) + s * s * (3.0 * r * c2 + s * c3)
        if abs(value) <= close:
            break
        if (value > 0.0) == (c0 > 0.0):
            low = s
        else:
            high = s
        # A third of the slope, a sixth of its change.
        p, q = r * d0 + s * d1, r * d1 + s * d2
        slope, bend = r * p + s * q, q - p
        s -= value * slope / (3.0 * (slope * slope) - value * bend)
        if not low < s < high:
            s = 0.5 * (low + high)
    return s
