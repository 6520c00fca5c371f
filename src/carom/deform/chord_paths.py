"""Chord boxes as paths: tight at both ends of what is left of an interval, straight in between, and never an event.

The farthest of straight paths is convex in time, so the chord between its two ends bounds it. Chords are looser than kinetic
boxes but need no certificates: lists on them pay when few flightplans change within an interval.
"""

from __future__ import annotations

from carom._jit import inner_kernel, lean_kernel
from carom.deform.kinetic_faces import FACE, FACES, LEFT, RIGHT, reach_of

_SHARE_OF_PAD = 1.0 / 16.0
"""The pad is 128 units in the last place of the largest coordinate, a path is off by some of them."""


@inner_kernel
def _ends(tree, node, face, now):
    """(farthest reach now, farthest reach at the end) of a leaf's corners, or of the chords of two children."""
    first = tree.node[node, LEFT]
    if first < 0:
        triangle = tree.node[node, FACE]
        at, rate, _ = reach_of(tree, tree.faces[triangle, 0], face)
        here = at + rate * now
        there = at + rate
        for k in range(1, 3):
            at, rate, _ = reach_of(tree, tree.faces[triangle, k], face)
            here = max(here, at + rate * now)
            there = max(there, at + rate)
        return here, there
    line = tree.line
    second = tree.node[node, RIGHT]
    here = max(line[first, face, 0] + line[first, face, 1] * now, line[second, face, 0] + line[second, face, 1] * now)
    there = max(line[first, face, 0] + line[first, face, 1], line[second, face, 0] + line[second, face, 1])
    return here, there


@lean_kernel
def fit_chords(tree, order):
    """Chords of all nodes over the whole interval; order: rows of nodes, children before parents."""
    for node in order:
        for face in range(FACES):
            here, there = _ends(tree, node, face, 0.0)
            tree.line[node, face, 0] = here
            tree.line[node, face, 1] = there - here


@inner_kernel
def refit_chord(tree, node, now, pad):
    """Chords of one node after something below it changed; returns a mask of the faces whose path changed.

    A face that is still far enough out stays as it is, and nothing that relies on it is looked at. At leaves, whose corners'
    paths are rounded anew, by a share of `pad` (see box_witness), which those above do not add to.
    """
    changed = 0
    leaf = tree.node[node, LEFT] < 0
    slack = _SHARE_OF_PAD * pad if leaf else 0.0
    for face in range(FACES):
        here, there = _ends(tree, node, face, now)
        old_here = tree.line[node, face, 0] + tree.line[node, face, 1] * now
        old_there = tree.line[node, face, 0] + tree.line[node, face, 1]
        if here <= old_here + slack and there <= old_there + slack:
            continue
        if not leaf:
            here = max(here, old_here)
            there = max(there, old_there)
        rate = (there - here) / (1.0 - now)
        tree.line[node, face, 0] = there - rate
        tree.line[node, face, 1] = rate
        changed |= 1 << face
    return changed
