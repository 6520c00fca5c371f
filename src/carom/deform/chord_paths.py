"""Chord boxes as paths: tight at both ends of what is left of an interval, straight in between, and never an event.

The farthest of straight paths is convex in time, so the chord between its two ends bounds it. Chords are looser than kinetic
boxes but need no certificates: lists on them pay when few flightplans change within an interval.
"""

from __future__ import annotations

from carom._jit import inner_kernel, lean_kernel
from carom.deform.kinetic_faces import FACE, FACES, LEFT, RIGHT, reach_of


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
def refit_chord(tree, node, now):
    """Chords of one node after something below it changed; returns a mask of the faces whose path changed.

    A box above the leaves only grows: one that is still large enough stays as it is, and nothing above it is looked at.
    """
    changed = 0
    for face in range(FACES):
        here, there = _ends(tree, node, face, now)
        old_here = tree.line[node, face, 0] + tree.line[node, face, 1] * now
        old_there = tree.line[node, face, 0] + tree.line[node, face, 1]
        if tree.node[node, LEFT] >= 0:
            if here <= old_here and there <= old_there:
                continue
            here = max(here, old_here)
            there = max(there, old_there)
        rate = (there - here) / (1.0 - now)
        tree.line[node, face, 0] = there - rate
        tree.line[node, face, 1] = rate
        changed |= 1 << face
    return changed
