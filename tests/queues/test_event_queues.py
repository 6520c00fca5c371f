"""All event queues give one order: each is driven beside the plain scan and checks itself after every operation."""

from __future__ import annotations

from math import inf, nan

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from carom._compile.jit import lean_kernel
from carom.errors import InvalidInputError
from carom.queues import METHODS, EventQueue
from carom.queues.in_kernels import queue_set, queue_top, queue_top_time
from carom.queues.order import LINK_METHOD, LINK_SLOTS

SIZES = (1, 2, 7, 8, 9, 64, 65, 100)
"""Around the tournament's node size and its powers."""


def assert_same_top(queue, reference):
    assert queue.top() == reference.top()
    assert queue.top_time() == reference.top_time()
    assert queue.check()


def random_time(rng):
    """Few different values, so that most operations meet equal times; a third are no event."""
    return float(rng.choice([inf, inf, 0.0, 1.0, 1.5, 2.0, -3.0, rng.random()]))


@pytest.mark.parametrize("with_ties", [False, True])
@pytest.mark.parametrize("method", METHODS)
def test_queue_follows_the_reference_through_random_operations(method, with_ties):
    rng = np.random.default_rng(7)
    for n in SIZES:
        queue, reference = EventQueue(n, method, with_ties), EventQueue(n, "reference", with_ties)
        for _ in range(150):
            slot, time, tie = int(rng.integers(n)), random_time(rng), int(rng.integers(-2, 3))
            queue.set(slot, time, tie)
            reference.set(slot, time, tie)
            assert queue.time(slot) == time
            assert_same_top(queue, reference)


@pytest.mark.parametrize("with_ties", [False, True])
@pytest.mark.parametrize("method", METHODS)
def test_queue_empties_in_the_order_of_time_and_tie(method, with_ties):
    rng = np.random.default_rng(8)
    n = 200
    times, ties = rng.integers(0, 6, n).astype(float), rng.integers(0, 4, n)
    queue = EventQueue(n, method, with_ties)
    for slot in rng.permutation(n).tolist():
        queue.set(slot, times[slot], int(ties[slot]))
    order = []
    while (slot := queue.top()) >= 0:
        order.append(slot)
        queue.set(slot, inf)
        assert queue.check()
    expected = np.lexsort((np.arange(n), ties if with_ties else np.zeros(n), times))
    assert order == expected.tolist()
    assert queue.top_time() == inf


@pytest.mark.parametrize("method", METHODS)
def test_queue_survives_the_hold_pattern_of_an_engine(method):
    """Take the earliest, put it and its neighbours later: the path every event takes."""
    rng = np.random.default_rng(9)
    n = 90
    queue, reference = EventQueue(n, method), EventQueue(n, "reference")
    for slot, time in enumerate(rng.exponential(size=n)):
        queue.set(slot, time)
        reference.set(slot, time)
    for _ in range(300):
        slot, now = queue.top(), queue.top_time()
        for changed in (slot, (slot + 1) % n, (slot - 1) % n):
            time = now + float(rng.choice([0.0, 0.5, inf, rng.exponential()]))
            queue.set(changed, time)
            reference.set(changed, time)
        assert_same_top(queue, reference)


@lean_kernel
def drive(keys, ties, links, slot, time, tie, top, top_time):
    """Apply operations inside a kernel, as engines do, and record slot and time of the top after each."""
    for k in range(slot.shape[0]):
        queue_set(keys, ties, links, slot[k], time[k], tie[k])
        top[k] = queue_top(keys, ties, links)
        top_time[k] = queue_top_time(keys, ties, links)


@pytest.mark.parametrize("with_ties", [False, True])
def test_queue_in_kernels_gives_the_same_tops_for_all_methods(with_ties):
    rng = np.random.default_rng(12)
    n, count = 75, 3000
    slot, tie = rng.integers(0, n, count), rng.integers(-2, 3, count)
    time = np.array([random_time(rng) for _ in range(count)])
    found = {}
    for method in METHODS:
        queue = EventQueue(n, method, with_ties)
        top, top_time = np.empty(count, np.int64), np.empty(count)
        drive(queue.keys, queue.ties, queue.links, slot, time, tie, top, top_time)
        assert queue.check()
        found[method] = (top, top_time)
    for method in METHODS:
        np.testing.assert_array_equal(found[method][0], found["reference"][0])
        np.testing.assert_array_equal(found[method][1], found["reference"][1])


@pytest.mark.parametrize("with_ties", [False, True])
@pytest.mark.parametrize("method", METHODS)
def test_queue_build_accepts_times_written_in_bulk(method, with_ties):
    rng = np.random.default_rng(10)
    for n in (0, *SIZES, 600):
        queue = EventQueue(n, method, with_ties)
        for _ in range(2):
            queue.keys[:n] = [random_time(rng) for _ in range(n)]
            queue.ties[:] = rng.integers(0, 3, len(queue.ties))
            queue.build()
            assert queue.check()
            if not np.isfinite(queue.keys[:n]).any():
                assert queue.top() == -1
                continue
            ties = queue.ties if with_ties else np.zeros(n)
            assert queue.top() == np.lexsort((np.arange(n), ties, queue.keys[:n]))[0]
            assert queue.top_time() == queue.time(queue.top())
            queue.set(queue.top(), inf)
            assert queue.check()


@pytest.mark.parametrize("with_ties", [False, True])
@pytest.mark.parametrize("method", METHODS)
def test_queue_grow_keeps_all_events(method, with_ties):
    rng = np.random.default_rng(11)
    queue, reference = EventQueue(0, method, with_ties), EventQueue(0, "reference", with_ties)
    for n in (0, 1, 5, 8, 9, 70, 70):
        queue.grow(n)
        reference.grow(n)
        assert len(queue) == n
        assert_same_top(queue, reference)
        for _ in range(2 * n):
            slot, time, tie = int(rng.integers(n)), random_time(rng), int(rng.integers(3))
            queue.set(slot, time, tie)
            reference.set(slot, time, tie)
        assert_same_top(queue, reference)
    np.testing.assert_array_equal(queue.keys[:70], reference.keys[:70])


@pytest.mark.parametrize("method", METHODS)
def test_queue_without_slots_or_events_has_no_top(method):
    for n in (0, 1, 20):
        queue = EventQueue(n, method)
        assert queue.top() == -1
        assert queue.top_time() == inf
        assert queue.check()


@pytest.mark.parametrize("method", METHODS)
def test_queue_of_equal_times_gives_the_smallest_slot_or_tie(method):
    n = 73
    queue, tied = EventQueue(n, method), EventQueue(n, method, with_ties=True)
    for slot in range(n):
        queue.set(slot, 1.0)
        tied.set(slot, 1.0, n - slot)
    assert queue.top() == 0
    assert tied.top() == n - 1
    tied.set(n - 1, 1.0, n + 1)
    assert tied.top() == n - 2
    assert tied.check()


@pytest.mark.parametrize("method", METHODS)
def test_queue_check_sees_a_time_changed_behind_its_back(method):
    queue = EventQueue(20, method)
    for slot in range(20):
        queue.set(slot, float(slot))
    queue.keys[13] = nan if method == "reference" else -1.0
    assert not queue.check()


def test_queue_layout_is_as_documented():
    for method in METHODS:
        queue = EventQueue(12, method, with_ties=True)
        assert queue.keys.ctypes.data % 64 == 0
        assert (queue.keys.dtype, queue.ties.dtype, queue.links.dtype) == (np.float64, np.int64, np.int32)
        assert len(queue.ties) == 12
        assert queue.links[LINK_SLOTS] == 12
        assert np.isinf(queue.keys).all()
    assert len({int(EventQueue(1, method).links[LINK_METHOD]) for method in METHODS}) == len(METHODS)


def test_queue_refuses_bad_input():
    with pytest.raises(InvalidInputError, match=r"'calendar'.*tournament"):
        EventQueue(3, "calendar")
    with pytest.raises(InvalidInputError, match="-1"):
        EventQueue(-1)
    queue = EventQueue(3)
    with pytest.raises(InvalidInputError, match="slot is 3"):
        queue.set(3, 1.0)
    with pytest.raises(InvalidInputError, match="nan"):
        queue.set(1, nan)
    with pytest.raises(InvalidInputError, match="at least 3"):
        queue.grow(2)
    assert queue.top() == -1


@settings(deadline=None, derandomize=True, max_examples=60)
@given(
    st.integers(1, 70),
    st.lists(st.tuples(st.integers(0, 69), st.floats(allow_nan=False), st.integers(-(2**62), 2**62)), max_size=80),
)
def test_queues_agree_on_any_operations(n, operations):
    queues = [EventQueue(n, method, with_ties=True) for method in METHODS]
    for slot, time, tie in operations:
        for queue in queues:
            queue.set(slot % n, time, tie)
            assert queue.check()
        assert len({queue.top() for queue in queues}) == 1
        assert len({queue.top_time() for queue in queues}) == 1
