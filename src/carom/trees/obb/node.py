"""The row of numbers that stores one oriented box of a tree.

0-2 centre, 3-5 and 6-8 two unit axes square to each other, 9-11 half sizes along the three axes, 12 radius of a sphere about
the centre. The third axis is their cross product, which saves a fifth of the memory for six products. Every kernel takes it
from here, as does the fit of the half sizes, so that a box holds its triangles along the very axis that is tested.
"""

from __future__ import annotations

from carom._compile.jit import inline_kernel
from carom.maths.vector import cross

NODE_AXES = 3
NODE_HALF = 9
NODE_RADIUS = 12
NODE_COLUMNS = 13


@inline_kernel
def third_axis(ax, ay, az, bx, by, bz):
    """The axis that makes a box right-handed."""
    return cross(ax, ay, az, bx, by, bz)


@inline_kernel
def node_axis(numbers, at, k):
    """Unit axis k of the box whose row starts at numbers[at]."""
    row = at + NODE_AXES
    ax, ay, az = numbers[row], numbers[row + 1], numbers[row + 2]
    if k == 0:
        return ax, ay, az
    bx, by, bz = numbers[row + 3], numbers[row + 4], numbers[row + 5]
    if k == 1:
        return bx, by, bz
    return third_axis(ax, ay, az, bx, by, bz)


@inline_kernel
def turned_axes(numbers, at, m00, m01, m02, m10, m11, m12, m20, m21, m22):
    """The three axes of a box, one after the other, turned by the matrix m."""
    row = at + NODE_AXES
    x, y, z = numbers[row], numbers[row + 1], numbers[row + 2]
    ax, ay, az = m00 * x + m01 * y + m02 * z, m10 * x + m11 * y + m12 * z, m20 * x + m21 * y + m22 * z
    p, q, w = numbers[row + 3], numbers[row + 4], numbers[row + 5]
    bx, by, bz = m00 * p + m01 * q + m02 * w, m10 * p + m11 * q + m12 * w, m20 * p + m21 * q + m22 * w
    x, y, z = third_axis(x, y, z, p, q, w)
    cx, cy, cz = m00 * x + m01 * y + m02 * z, m10 * x + m11 * y + m12 * z, m20 * x + m21 * y + m22 * z
    return ax, ay, az, bx, by, bz, cx, cy, cz
