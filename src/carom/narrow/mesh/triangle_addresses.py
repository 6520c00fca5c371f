"""Tests of two triangles as C functions, called by address, so that each is compiled once for all searches."""

from __future__ import annotations

import functools

import numba

from carom._compile.address_call import as_float64
from carom._compile.jit import c_callback, compiling
from carom.narrow.mesh.triangle_distance import WITNESS, triangle_distance_into
from carom.narrow.mesh.triangle_overlap import CONTACT_SPACE, triangles_overlap


@functools.cache
def overlap_address() -> int:
    """Address of f(a, b, slack, margin, space): 1 if the triangles at addresses a and b touch, else 0; margin is not used."""
    with compiling("the triangle overlap test"):

        @c_callback("int64(int64, int64, float64, float64, int64)")
        def overlap(a_at, b_at, slack, margin, space_at):
            a, b = numba.carray(as_float64(a_at), 9), numba.carray(as_float64(b_at), 9)
            return 1 if triangles_overlap(a, b, slack) else 0

        return int(overlap.address)


@functools.cache
def nearer_address() -> int:
    """Address of f(a, b, slack, margin, space): 1 if the triangles come nearer than `margin`, else 0.

    `space` is the address of CONTACT_SPACE + WITNESS doubles of scratch.
    """
    with compiling("the triangle distance"):

        @c_callback("int64(int64, int64, float64, float64, int64)")
        def nearer(a_at, b_at, slack, margin, space_at):
            a, b = numba.carray(as_float64(a_at), 9), numba.carray(as_float64(b_at), 9)
            space = numba.carray(as_float64(space_at), CONTACT_SPACE + WITNESS)
            cut = margin * margin
            found = triangle_distance_into(a, b, slack, cut, space[:CONTACT_SPACE], space[CONTACT_SPACE:])
            return 1 if found < cut else 0

        return int(nearer.address)


@functools.cache
def distance_address() -> int:
    """Address of f(a, b, slack, best, space): triangle_distance_into; the witness is at the end of `space`, as above."""
    with compiling("the triangle distance"):

        @c_callback("float64(int64, int64, float64, float64, int64)")
        def distance(a_at, b_at, slack, best, space_at):
            a, b = numba.carray(as_float64(a_at), 9), numba.carray(as_float64(b_at), 9)
            space = numba.carray(as_float64(space_at), CONTACT_SPACE + WITNESS)
            return triangle_distance_into(a, b, slack, best, space[:CONTACT_SPACE], space[CONTACT_SPACE:])

        return int(distance.address)
