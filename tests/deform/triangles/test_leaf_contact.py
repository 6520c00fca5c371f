"""Pairs of triangles in a separation list that share vertices in odd ways."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

import carom
from carom._compile.jit import lean_kernel
from carom.deform.triangles.leaf_contact import overlap_window
from carom.deform.triangles.pair_address import LEAF_END, LEAF_N_FLOATS, LEAF_START, LEAF_WIDTH


@pytest.mark.parametrize("options", [{}, {"full_passes": False}, {"full_passes": False, "boxes": "kinetic"}])
@pytest.mark.parametrize("faces", [[[0, 0, 1], [0, 2, 3]], [[0, 1, 0], [0, 2, 3]], [[2, 0, 3], [0, 0, 1]]])
def test_leaf_contact_of_a_triangle_that_has_a_shared_corner_twice_is_none(faces, options):
    here = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [-1, 0, 1]], float)
    there = here + (0, 0, 0.5)
    there[3, 0] -= 0.5
    motion = carom.Deforming(faces, [0, 1, 2], [here, there, here])
    assert len(carom.self_contacts(motion, every=True)) == 0
    assert len(carom.deform.SeparationList(motion, **options).advance(2.0)) == 0


@lean_kernel
def _window_into(floats, window):
    window[0], window[1] = overlap_window(floats)


def test_overlap_window_holds_every_time_at_which_the_boxes_meet():
    rng = np.random.default_rng(5)
    tight = 0
    for _ in range(2000):
        floats, window = np.zeros(LEAF_N_FLOATS), np.empty(2)
        places = rng.normal(size=(2, 6, 3)) + rng.normal(size=(2, 2, 1, 3)).repeat(3, axis=2).reshape(2, 6, 3)
        for at, corners in zip((LEAF_START, LEAF_END), places, strict=True):
            floats[at : at + 6 * LEAF_WIDTH].reshape(6, LEAF_WIDTH)[:, :3] = corners
        _window_into(floats, window)
        here, there = ([[Fraction(x) for x in corner] for corner in corners] for corners in places.tolist())
        first, last = Fraction(0), Fraction(1)
        for d in range(3):
            for sign in (1, -1):

                def gap(corners, d=d, sign=sign):
                    reach = [sign * corner[d] for corner in corners]
                    return max(reach[:3]) - min(reach[3:])

                begin, end = gap(here), gap(there)
                if begin < 0 <= end:
                    first = max(first, begin / (begin - end))
                elif end < 0 <= begin:
                    last = min(last, begin / (begin - end))
                elif begin < 0:
                    first, last = Fraction(2), Fraction(-1)
        if first <= last:
            assert window[0] <= first
            assert last <= window[1]
            tight += first > 0 and window[0] > first - Fraction(1, 10**14)
    assert tight > 50
