import numpy as np
import pytest

from carom._aligned import aligned_zeros


@pytest.mark.parametrize("kind", [np.int16, np.float32, np.float64])
@pytest.mark.parametrize("shape", [(1,), (5,), (3, 64), (1001, 16)])
def test_aligned_zeros_begin_with_a_line_of_the_cache_and_can_be_written_to(shape, kind):
    rows = aligned_zeros(shape, kind)
    assert (rows.shape, rows.dtype) == (shape, kind)
    assert rows.flags.c_contiguous
    assert rows.ctypes.data % 128 == 0
    assert not rows.any()
    rows[...] = 1
    assert rows.sum() == rows.size
