from __future__ import annotations

import numpy as np
import pytest

from carom import Deforming
from carom.errors import InvalidInputError
from scenarios.animation_samples import TRIANGLE

STILL = [TRIANGLE, TRIANGLE]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"name": 3}, "name is 3; expected a string, or None"),
        ({"times": ["a", 1]}, r"times\[0\] is 'a'; expected a number"),
        ({"times": [0.0, 2j]}, r"times\[1\] is 2j; expected a number"),
        ({"times": [0.0, np.complex64(1)]}, r"times\[1\] is \(1\+0j\); expected a number"),
        ({"times": np.array([0.0, 1.0], dtype=complex)}, r"times\[0\] is 0j; expected a number"),
        ({"times": [0.0, [1.0]]}, r"times\[1\] is \[1\.0\]; expected a number"),
        ({"times": "now"}, r"times cannot be read as numbers; expected shape \(n,\)"),
        ({"vertices": np.array(STILL, dtype=complex)}, r"vertices\[0, 0, 0\] is 0j; expected a number"),
        ({"faces": [[0, 1, "two"]]}, r"faces\[0, 2\] is 'two'; expected a number"),
    ],
)
@pytest.mark.filterwarnings("error")
def test_deforming_names_the_entry_that_is_no_number(arguments, message):
    with pytest.raises(InvalidInputError, match=message):
        Deforming(**{"faces": [[0, 1, 2]], "times": [0.0, 1.0], "vertices": STILL, **arguments})
