"""Normal deviates: NumPy's, with short tails."""

from __future__ import annotations

import numpy as np

from carom.maths.normals import standard_normals


def test_standard_normals_are_those_of_numpy_with_single_precision_in_the_tails():
    plain, got = (
        np.random.default_rng(3).standard_normal((200, 1000)),
        standard_normals(np.random.default_rng(3), 200, 1000),
    )
    tails = np.abs(plain) > 3.6541528853610088
    assert tails.sum() > 20
    np.testing.assert_array_equal(got[tails], plain[tails].astype(np.float32))
    rest = np.abs(plain) <= 3.65
    np.testing.assert_array_equal(got[rest], plain[rest])
