"""When chord boxes meet, in single precision, against exact rational arithmetic."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from carom._compile.jit import lean_kernel
from carom.deform.chord_front.chord_boxes import KEY, SIDES, TWO_KEYS
from carom.deform.triangles.lanes.chord_boxes import meeting_window

FACING = (3, 4, 5, 0, 1, 2)


@lean_kernel
def _window_into(boxes, odd, window):
    window[0], window[1] = meeting_window(boxes, 0, TWO_KEYS, odd)


@pytest.mark.parametrize("odd", [0, 1])
@pytest.mark.parametrize("kind", [np.float32, np.int16])
def test_meeting_window_holds_every_time_at_which_no_side_is_apart(kind, odd):
    rng = np.random.default_rng(3)
    closest = np.inf
    for _ in range(3000):
        boxes = np.zeros((2, TWO_KEYS), kind)
        for at in (0, KEY):
            sides = rng.normal(size=(2, SIDES)) * 10.0 ** rng.integers(0, 4)
            boxes[:, at : at + SIDES] = sides if kind == np.float32 else np.round(sides).clip(-16000, 16000)
        window = np.empty(2)
        _window_into(boxes, odd, window)
        first, last = Fraction(0), Fraction(1)
        never = False
        for side in range(SIDES):
            begin, end = (
                Fraction(float(boxes[0, at + side])) + Fraction(float(boxes[1, at + FACING[side]]))
                for at in ((KEY, 0) if odd else (0, KEY))
            )
            never = never or (begin < 0 and end < 0)
            if begin < 0 <= end:
                first = max(first, begin / (begin - end))
            elif end < 0 <= begin:
                last = min(last, begin / (begin - end))
        if never or first > last:
            continue
        assert window[0] <= first
        assert last <= window[1]
        closest = min(closest, float(first) - window[0] if first > 0 else np.inf)
    assert closest < 1e-6
