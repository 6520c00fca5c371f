"""One step down in a search over pairs of nodes: both nodes are opened at once, or the one that is not a leaf.

Opening both keeps the sides at the same depth, so that the pairs met on the way are the same for every search, and with
them the pairs that always overlap because they hold neighbours.
"""

from __future__ import annotations

from carom._compile.jit import inline_kernel

MOST_BELOW = 4
"""Pairs below one pair, at most."""


@inline_kernel
def open_pair(left, right, a, b, stack, depth):
    """Put what is below the pair (a, b), not both leaves, on the stack (n, 2); returns its new depth."""
    first_a = left[a]
    first_b = left[b]
    if first_a < 0:
        stack[depth, 0] = a
        stack[depth, 1] = first_b
        stack[depth + 1, 0] = a
        stack[depth + 1, 1] = right[b]
        return depth + 2
    if first_b < 0:
        stack[depth, 0] = first_a
        stack[depth, 1] = b
        stack[depth + 1, 0] = right[a]
        stack[depth + 1, 1] = b
        return depth + 2
    second_a = right[a]
    second_b = right[b]
    stack[depth, 0] = second_a
    stack[depth, 1] = second_b
    stack[depth + 1, 0] = second_a
    stack[depth + 1, 1] = first_b
    stack[depth + 2, 0] = first_a
    stack[depth + 2, 1] = second_b
    stack[depth + 3, 0] = first_a
    stack[depth + 3, 1] = first_b
    return depth + 4
