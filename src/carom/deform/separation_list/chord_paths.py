"""Chord boxes as paths: tight at both ends of the rest of an interval, linear in between, and without events.

The farthest of straight paths is convex in time, so the chord between its two ends bounds it. Chords are looser than kinetic
boxes but need no certificates: lists on them pay when few flightplans change within an interval.
"""

from __future__ import annotations

from carom._compile.jit import inline_kernel, inner_kernel, lean_kernel
from carom.deform.kinetic_tree.faces import TREE_FACE, TREE_FACES, TREE_LEFT, TREE_RIGHT, reach_of
from carom.maths.vector import least_of, most_of

_SHARE_OF_PAD = 1.0 / 16.0
"""The pad is 128 units in the last place of the largest coordinate, a path is off by some of them."""


@inner_kernel
def _ends(tree, node, face, now):
    """(farthest reach now, farthest reach at the end) of a leaf's corners, or of the chords of two children."""
    first = tree.node[node, TREE_LEFT]
    if first < 0:
        triangle = tree.node[node, TREE_FACE]
        at, rate, _ = reach_of(tree, tree.faces[triangle, 0], face)
        here = at + rate * now
        there = at + rate
        for k in range(1, 3):
            at, rate, _ = reach_of(tree, tree.faces[triangle, k], face)
            here = max(here, at + rate * now)
            there = max(there, at + rate)
        return here, there
    line = tree.line
    second = tree.node[node, TREE_RIGHT]
    here = max(line[first, face, 0] + line[first, face, 1] * now, line[second, face, 0] + line[second, face, 1] * now)
    there = max(line[first, face, 0] + line[first, face, 1], line[second, face, 0] + line[second, face, 1])
    return here, there


@lean_kernel
def fit_chords(tree, order):
    """Chords of all nodes over the whole interval; order: rows of nodes, children before parents."""
    for node in order:
        for face in range(TREE_FACES):
            here, there = _ends(tree, node, face, 0.0)
            tree.line[node, face, 0] = here
            tree.line[node, face, 1] = there - here


@inline_kernel
def _reach_out(tree, node, face, here, there, now, slack):
    """Let the chord of a face reach `here` now and `there` at the end; returns whether it did not before, but for `slack`."""
    line = tree.line[node, face]
    if here <= line[0] + line[1] * now + slack and there <= line[0] + line[1] + slack:
        return False
    rate = (there - here) / (1.0 - now)
    line[0] = there - rate
    line[1] = rate
    return True


@inner_kernel
def refit_leaf_chord(tree, leaf, triangle, now, pad):
    """Chords of the leaf of a triangle after flights of its corners changed; returns a mask of the faces that grew.

    A face that is still far enough out stays as it is, and nothing that relies on it is looked at. The corners' paths are
    rounded anew, by a share of `pad` (see box_witness), which those above do not add to.
    """
    i, j, k = tree.faces[triangle]
    flight = tree.flight
    slack = _SHARE_OF_PAD * pad
    grown = 0
    for axis in range(3):
        a, b, c = flight[i, axis], flight[j, axis], flight[k, axis]
        p, q, r = flight[i, 3 + axis], flight[j, 3 + axis], flight[k, 3 + axis]
        at, bt, ct = a + p, b + q, c + r
        a, b, c = a + p * now, b + q * now, c + r * now
        if _reach_out(tree, leaf, axis, -least_of(a, b, c), -least_of(at, bt, ct), now, slack):
            grown |= 1 << axis
        if _reach_out(tree, leaf, 3 + axis, most_of(a, b, c), most_of(at, bt, ct), now, slack):
            grown |= 8 << axis
    return grown


@inner_kernel
def grow_chord(tree, node, child, faces, now):
    """Let the chords of a node hold those of a child that grew along `faces`, a mask; returns a mask of its own that grew."""
    grown = 0
    for face in range(TREE_FACES):
        if (faces >> face) & 1:
            inner, line = tree.line[child, face], tree.line[node, face]
            here, there = inner[0] + inner[1] * now, inner[0] + inner[1]
            here, there = max(here, line[0] + line[1] * now), max(there, line[0] + line[1])
            if _reach_out(tree, node, face, here, there, now, 0.0):
                grown |= 1 << face
    return grown
