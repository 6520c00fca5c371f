"""The desk lamp: 626 triangles in seven closed parts that do not touch each other."""

from __future__ import annotations

import numpy as np
import pytest
import trimesh

import carom
from carom.scenes.lamp import lamp, lamp_parts


def test_lamp_has_626_triangles_by_default():
    assert len(lamp().faces) == 626
    assert len(lamp_parts()) == 7


@pytest.mark.parametrize("triangles", [626, 3500, 5000])
def test_lamp_parts_are_closed_and_face_outwards(triangles):
    parts = lamp_parts(triangles)
    for part in parts:
        mesh = trimesh.Trimesh(part.vertices, part.faces, process=False)
        assert mesh.is_watertight
        assert mesh.is_winding_consistent
        assert mesh.volume > 0.0
    assert sum(len(part.faces) for part in parts) == pytest.approx(triangles, rel=0.05)


@pytest.mark.parametrize("triangles", [626, 5000])
def test_lamp_parts_keep_a_gap(triangles):
    parts = lamp_parts(triangles)
    gaps = [carom.distance(a, b).distance for k, a in enumerate(parts) for b in parts[:k]]
    assert min(gaps) > 1e-3


def test_lamp_fits_the_unit_ball():
    assert np.linalg.norm(lamp().vertices, axis=1).max() == pytest.approx(1.0, rel=1e-12)


@pytest.mark.parametrize("bad", [100, 2_000_000, np.nan, "many"])
def test_lamp_refuses_bad_counts(bad):
    with pytest.raises(carom.InvalidInputError, match="triangles"):
        lamp(bad)
