"""Distance of two triangles at rest, with their nearest points and features.

A triangle is nine doubles, its corners one after the other; both are in one frame. Segments and points are triangles too.
"""

from __future__ import annotations

from carom._compile.jit import inline_kernel, inner_kernel, lean_kernel
from carom.maths.vector import cross
from carom.narrow.mesh.segment_distance import nearest_on_segments
from carom.narrow.mesh.triangle_overlap import contact_point_into, triangles_overlap
from carom.tolerances import AXIS_SLACK

# Features of a triangle: corner k is k, the edge from corner k to the next is EDGE + k
EDGE = 3
FACE = 6

W_POINT_A = 0
W_POINT_B = 3
W_FEATURE_A = 6
W_FEATURE_B = 7
WITNESS = 8
"""Columns of a witness: nearest point on a and on b (3 each), then the feature of each."""


@inline_kernel
def _plane_gap(nx, ny, nz, a, b):
    """How far triangle b is surely beyond the plane through a[0:3] with normal n (times its length), on one side; or <= 0."""
    x, y, z = a[0], a[1], a[2]
    p0, p1, p2 = b[0] - x, b[1] - y, b[2] - z
    q0, q1, q2 = b[3] - x, b[4] - y, b[5] - z
    r0, r1, r2 = b[6] - x, b[7] - y, b[8] - z
    d0 = p0 * nx + p1 * ny + p2 * nz
    d1 = q0 * nx + q1 * ny + q2 * nz
    d2 = r0 * nx + r1 * ny + r2 * nz
    gap = max(min(d0, min(d1, d2)), -max(d0, max(d1, d2)))
    # The first corner of a stands for all of it: the normal may lean by what rounding did to it.
    u = abs((a[3] - x) * nx + (a[4] - y) * ny + (a[5] - z) * nz)
    v = abs((a[6] - x) * nx + (a[7] - y) * ny + (a[8] - z) * nz)
    reach_x, reach_y, reach_z = abs(p0) + abs(q0) + abs(r0), abs(p1) + abs(q1) + abs(r1), abs(p2) + abs(q2) + abs(r2)
    noise = reach_x * abs(nx) + reach_y * abs(ny) + reach_z * abs(nz)
    return gap - max(u, v) - AXIS_SLACK * noise


@inline_kernel
def _normal(t):
    ux, uy, uz = t[3] - t[0], t[4] - t[1], t[5] - t[2]
    vx, vy, vz = t[6] - t[0], t[7] - t[1], t[8] - t[2]
    return cross(ux, uy, uz, vx, vy, vz)


@inner_kernel
def _corners_over_face(face, other, best, witness, face_point, other_point, face_feature, other_feature):
    """Let the corners of `other` that lie over the inside of `face` improve `best`; returns the squared distance."""
    x, y, z = face[0], face[1], face[2]
    ux, uy, uz = face[3] - x, face[4] - y, face[5] - z
    vx, vy, vz = face[6] - x, face[7] - y, face[8] - z
    nx, ny, nz = cross(ux, uy, uz, vx, vy, vz)
    square = nx * nx + ny * ny + nz * nz
    if not square > 0.0:
        return best
    for k in range(0, 9, 3):
        px, py, pz = other[k] - x, other[k + 1] - y, other[k + 2] - z
        height = px * nx + py * ny + pz * nz
        if not height * height < best * square:
            continue
        g = (uy * pz - uz * py) * nx + (uz * px - ux * pz) * ny + (ux * py - uy * px) * nz
        h = (py * vz - pz * vy) * nx + (pz * vx - px * vz) * ny + (px * vy - py * vx) * nz
        if g < 0.0 or h < 0.0 or g + h > square:
            continue
        # Measured between the two points: those lie on the triangles, however thin, so that it is never too small.
        g, h = g / square, h / square
        dx, dy, dz = px - h * ux - g * vx, py - h * uy - g * vy, pz - h * uz - g * vz
        near = dx * dx + dy * dy + dz * dz
        if near < best:
            best = near
            witness[other_point], witness[other_point + 1], witness[other_point + 2] = (
                other[k],
                other[k + 1],
                other[k + 2],
            )
            witness[face_point] = other[k] - dx
            witness[face_point + 1] = other[k + 1] - dy
            witness[face_point + 2] = other[k + 2] - dz
            witness[face_feature], witness[other_feature] = FACE, k // 3
    return best


@inline_kernel
def _edge_feature(k, s):
    """Feature at fraction s of the edge from corner k (a multiple of 3)."""
    if s <= 0.0:
        return k // 3
    return (k // 3 + 1) % 3 if s >= 1.0 else EDGE + k // 3


@inner_kernel
def _edges_apart(a, b, best, witness):
    """Let the nine pairs of edges improve `best`; returns the squared distance."""
    for i in range(0, 9, 3):
        i_end = (i + 3) % 9
        ux, uy, uz = a[i_end] - a[i], a[i_end + 1] - a[i + 1], a[i_end + 2] - a[i + 2]
        for j in range(0, 9, 3):
            j_end = (j + 3) % 9
            vx, vy, vz = b[j_end] - b[j], b[j_end + 1] - b[j + 1], b[j_end + 2] - b[j + 2]
            rx, ry, rz = a[i] - b[j], a[i + 1] - b[j + 1], a[i + 2] - b[j + 2]
            s, t = nearest_on_segments(ux, uy, uz, vx, vy, vz, rx, ry, rz)
            dx, dy, dz = rx + s * ux - t * vx, ry + s * uy - t * vy, rz + s * uz - t * vz
            near = dx * dx + dy * dy + dz * dz
            if near < best:
                best = near
                witness[0], witness[1], witness[2] = a[i] + s * ux, a[i + 1] + s * uy, a[i + 2] + s * uz
                witness[3], witness[4], witness[5] = b[j] + t * vx, b[j + 1] + t * vy, b[j + 2] + t * vz
                witness[W_FEATURE_A], witness[W_FEATURE_B] = _edge_feature(i, s), _edge_feature(j, t)
    return best


@lean_kernel
def triangle_distance_into(a, b, slack, best, space, witness):
    """Squared distance of triangles a and b (9,) if below `best`, with `witness` (WITNESS,) set; else `best` unchanged.

    0 where they intersect or come within `slack` (a length, see triangles_overlap): the witness is then the middle of what
    they share, on both faces. `space` (CONTACT_SPACE,) is overwritten. Nearest points of disjoint triangles are a corner
    over the inside of a face or lie on two edges, so that these 6 + 9 candidates suffice.
    """
    nx, ny, nz = _normal(a)
    gap_a = _plane_gap(nx, ny, nz, a, b)
    may_touch = gap_a <= slack * (abs(nx) + abs(ny) + abs(nz))
    if gap_a > 0.0 and gap_a * gap_a >= best * (nx * nx + ny * ny + nz * nz):
        return best
    nx, ny, nz = _normal(b)
    gap_b = _plane_gap(nx, ny, nz, b, a)
    if gap_b > 0.0 and gap_b * gap_b >= best * (nx * nx + ny * ny + nz * nz):
        return best
    may_touch = may_touch and gap_b <= slack * (abs(nx) + abs(ny) + abs(nz))
    if may_touch and triangles_overlap(a, b, slack):
        if best > 0.0:
            contact_point_into(a, b, space, witness)
            for d in range(3):
                witness[W_POINT_B + d] = witness[d]
            witness[W_FEATURE_A] = witness[W_FEATURE_B] = FACE
        return 0.0
    best = _corners_over_face(a, b, best, witness, W_POINT_A, W_POINT_B, W_FEATURE_A, W_FEATURE_B)
    best = _corners_over_face(b, a, best, witness, W_POINT_B, W_POINT_A, W_FEATURE_B, W_FEATURE_A)
    return _edges_apart(a, b, best, witness)
