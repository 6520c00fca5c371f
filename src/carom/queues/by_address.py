"""The event queues other than the default, behind one C function, which engines call by address without compiling them."""

from __future__ import annotations

import functools

import numba

from carom._compile.address_call import as_float64, as_int32, as_int64
from carom._compile.jit import c_callback, compiling
from carom.queues.fibonacci import FIBONACCI, fibonacci_set, fibonacci_top
from carom.queues.heap4 import HEAP4, heap4_set, heap4_top
from carom.queues.order import LINK_METHOD, NO_SLOT
from carom.queues.pairing import PAIRING, pairing_set, pairing_top
from carom.queues.reference import reference_set, reference_top


@functools.cache
def other_queues_address() -> int:
    """Address of f(keys, n_keys, ties, n_ties, links, n_links, slot, time, tie): sets `slot`; -1 returns the top."""

    with compiling("the other event queues"):

        @c_callback("int64(int64, int64, int64, int64, int64, int64, int64, float64, int64)")
        def other_queues(keys_at, n_keys, ties_at, n_ties, links_at, n_links, slot, time, tie):
            keys = numba.carray(as_float64(keys_at), n_keys)
            ties = numba.carray(as_int64(ties_at), n_ties)
            links = numba.carray(as_int32(links_at), n_links)
            method = links[LINK_METHOD]
            if slot == NO_SLOT:
                if method == PAIRING:
                    return pairing_top(keys, ties, links)
                if method == HEAP4:
                    return heap4_top(keys, ties, links)
                if method == FIBONACCI:
                    return fibonacci_top(keys, ties, links)
                return reference_top(keys, ties, links)
            if method == PAIRING:
                pairing_set(keys, ties, links, slot, time, tie)
            elif method == HEAP4:
                heap4_set(keys, ties, links, slot, time, tie)
            elif method == FIBONACCI:
                fibonacci_set(keys, ties, links, slot, time, tie)
            else:
                reference_set(keys, ties, links, slot, time, tie)
            return NO_SLOT

        return int(other_queues.address)
