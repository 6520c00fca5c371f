"""Events of pairs in a separation list that come at awkward moments."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

import carom

WAYS = [
    {"boxes": boxes, "prune": prune, "full_passes": full_passes}
    for boxes, prune, full_passes in itertools.product(("chord", "kinetic"), ("keys", "events"), (True, False))
]


@pytest.mark.parametrize("options", WAYS, ids=lambda options: "-".join(map(str, options.values())))
@pytest.mark.parametrize("gap", [1e-15, 1e-12, 1e-10, 1e-9, 1e-6, 1e-3])
def test_pair_events_let_leaves_touch_while_their_parting_is_put_off(gap, options):
    # A triangle comes down onto two others, onto the lower one with the end of the interval.
    flat = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0]], float)
    start = np.concatenate([flat + (0, 0, 0.5), flat - (0.3, 0.1, 0), flat + (0.1, 0.1, gap)])
    end = start.copy()
    end[:3, 2] = 0.0
    motion = carom.Deforming(np.arange(9).reshape(3, 3), [0, 1], [start, end])
    expected = carom.self_contacts(motion)
    assert len(expected) == 2
    assert expected.times[-1] > 1.0 - 1e-12
    found = carom.deform.SeparationList(motion, **options).advance(1.0)
    np.testing.assert_array_equal(found.times, expected.times)
    np.testing.assert_array_equal(found.faces, np.stack([expected.face_a, expected.face_b], axis=1))
