"""Boxes swept from frame to frame: places between keys are rounded, and boxes are widened by as much."""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from carom.deform.chord_front.swept_tree import FRAME_ROUNDING, between_into


def test_swept_tree_places_between_keys_are_off_by_its_bound_at_most():
    rng = np.random.default_rng(4)
    start, end, between = np.zeros((3, 200, 4))
    for frames in (3, 7, 10, 50):
        start[:, :3], end[:, :3] = rng.normal(size=(2, 200, 3)) + 10.0 * rng.normal(size=3)
        bound = Fraction(FRAME_ROUNDING * max(np.abs(start).max(), np.abs(end).max()))
        for frame in range(1, frames):
            between_into(start, end, frame / frames, between)
            share = Fraction(frame / frames)
            for x, y, z in zip(start[:, :3].ravel(), end[:, :3].ravel(), between[:, :3].ravel(), strict=True):
                assert abs((1 - share) * Fraction(float(x)) + share * Fraction(float(y)) - Fraction(float(z))) <= bound
