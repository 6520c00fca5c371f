"""Pairs of triangles in a separation list that share vertices in odd ways."""

from __future__ import annotations

import numpy as np
import pytest

import carom


@pytest.mark.parametrize("options", [{}, {"full_passes": False}, {"full_passes": False, "boxes": "kinetic"}])
@pytest.mark.parametrize("faces", [[[0, 0, 1], [0, 2, 3]], [[0, 1, 0], [0, 2, 3]], [[2, 0, 3], [0, 0, 1]]])
def test_leaf_contact_of_a_triangle_that_has_a_shared_corner_twice_is_none(faces, options):
    here = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [-1, 0, 1]], float)
    there = here + (0, 0, 0.5)
    there[3, 0] -= 0.5
    motion = carom.Deforming(faces, [0, 1, 2], [here, there, here])
    assert len(carom.self_contacts(motion, every=True)) == 0
    assert len(carom.SeparationList(motion, **options).advance(2.0)) == 0
