import numpy as np
import pytest

from carom._compile.aligned import aligned_copy, aligned_zeros


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


@pytest.mark.parametrize("rows", [np.arange(7), np.arange(12.0).reshape(3, 4).T, np.empty((0, 5), np.int32)])
def test_aligned_copy_is_equal_and_its_own(rows):
    made = aligned_copy(rows)
    assert made.dtype == rows.dtype
    assert np.array_equal(made, rows)
    assert made.flags.c_contiguous
    assert made.size == 0 or made.ctypes.data % 128 == 0
    assert not np.shares_memory(made, rows)
