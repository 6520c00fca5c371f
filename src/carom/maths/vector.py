"""Vectors of three numbers in kernels: each function is merged into its caller, in the order of operations that is written."""

from __future__ import annotations

from math import sqrt

from carom._compile.jit import inline_kernel


@inline_kernel
def cross(ux, uy, uz, vx, vy, vz):
    """u x v"""
    return uy * vz - uz * vy, uz * vx - ux * vz, ux * vy - uy * vx


@inline_kernel
def length(x, y, z):
    """Length of a vector."""
    return sqrt(x * x + y * y + z * z)


@inline_kernel
def cross_length(ux, uy, uz, vx, vy, vz):
    """Length of u x v."""
    x, y, z = cross(ux, uy, uz, vx, vy, vz)
    return length(x, y, z)
