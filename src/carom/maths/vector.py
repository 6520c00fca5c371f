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


@inline_kernel
def rotated(numbers, at, x, y, z):
    """R v for the matrix R by rows at numbers[at]."""
    return (
        numbers[at] * x + numbers[at + 1] * y + numbers[at + 2] * z,
        numbers[at + 3] * x + numbers[at + 4] * y + numbers[at + 5] * z,
        numbers[at + 6] * x + numbers[at + 7] * y + numbers[at + 8] * z,
    )


@inline_kernel
def rotated_back(numbers, at, x, y, z):
    """R^T v, as `rotated`."""
    return (
        numbers[at] * x + numbers[at + 3] * y + numbers[at + 6] * z,
        numbers[at + 1] * x + numbers[at + 4] * y + numbers[at + 7] * z,
        numbers[at + 2] * x + numbers[at + 5] * y + numbers[at + 8] * z,
    )


@inline_kernel
def least_of(x, y, z):
    """The least coordinate."""
    least = x if x < y else y
    return least if least < z else z


@inline_kernel
def most_of(x, y, z):
    """The largest coordinate."""
    most = x if x > y else y
    return most if most > z else z
