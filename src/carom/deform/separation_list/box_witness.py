"""Pairs of boxes whose faces move linearly: the face that separates them, and the time until which it does.

Along a face of a, the sum of its reach and of the opposite face's reach of b is minus the gap. Boxes count as apart only by
more than `pad`, which covers the rounding of paths and of event times, so that a pair of boxes is never called apart when a
corner in one meets a corner in the other. Overlapping pairs count as apart again only from 2 pad on, so that no pair goes
back and forth.
"""

from __future__ import annotations

from math import inf

from carom._compile.jit import inline_kernel, inner_kernel
from carom.deform.kinetic_tree.faces import TREE_FACES
from carom.deform.separation_list.pair_pool import opposite
from carom.deform.triangles.triangle_pairs import QUANTUM

EARLY = 4.0 * QUANTUM
"""Contact times are rounded down to a quantum: overlaps are announced this much before, so that they come first."""
NO_WITNESS = -1


@inner_kernel
def witness_fails(line, a, b, face, now, pad):
    """When the boxes are no longer apart along `face` of a, as far as the present paths tell; now if they are not."""
    other = opposite(face)
    at = line[a, face, 0] + line[b, other, 0] + pad
    rate = line[a, face, 1] + line[b, other, 1]
    if rate <= 0.0:
        return inf if at + rate * now < 0.0 else now
    if at + rate * (1.0 + EARLY) < 0.0:
        return inf
    time = -at / rate - EARLY
    return time if time > now else now


@inner_kernel
def best_witness(line, a, b, now, pad):
    """(face, time): a face of a along which the boxes are apart longest, and until when; (NO_WITNESS, now) if none is."""
    best = NO_WITNESS
    last = now
    for face in range(TREE_FACES):
        time = witness_fails(line, a, b, face, now, pad)
        if time > last:
            best = face
            last = time
            if time == inf:
                break
    return best, last


@inner_kernel
def parting_time(line, a, b, now, pad):
    """First time at which the present paths part overlapping boxes (by 3 pad) along some face; inf if none does by 1.

    Faces only ever reach farther than the path of the vertex that marks them now. So boxes cannot part earlier, and who
    looks again at this time is never late, whatever happened to the boxes in between.
    """
    first = inf
    for face in range(TREE_FACES):
        other = opposite(face)
        at = line[a, face, 0] + line[b, other, 0] + 3.0 * pad
        rate = line[a, face, 1] + line[b, other, 1]
        if at + rate * now < 0.0:
            return now
        if rate < 0.0:
            first = min(first, max(-at / rate, now))
    return first if first <= 1.0 else inf


@inline_kernel
def have_parted(line, a, b, now, pad):
    """Are boxes that overlapped apart by 2 pad?"""
    parted = False
    for face in range(TREE_FACES):
        other = opposite(face)
        at = line[a, face, 0] + line[b, other, 0] + 2.0 * pad
        if at + (line[a, face, 1] + line[b, other, 1]) * now < 0.0:
            parted = True
    return parted
