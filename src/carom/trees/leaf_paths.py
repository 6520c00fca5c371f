"""The ways down a binary tree to its leaves."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from carom.errors import AuditError


def leaf_paths(links: NDArray[np.int32], n_leaves: int, error: str) -> Iterator[tuple[int, list[int]]]:
    """Every leaf with the nodes from the root to it. AuditError in the end unless each of `n_leaves` came once.

    links: right child of each node, whose left child is the next node; -1 - k at leaf k.
    error: its text, to be filled with a leaf and how often it came.
    """
    seen = np.zeros(n_leaves, dtype=np.int64)
    todo: list[tuple[int, list[int]]] = [(0, [])]
    while todo:
        node, above = todo.pop()
        path = [*above, node]
        right = int(links[node])
        if right >= 0:
            todo += [(right, path), (node + 1, path)]
            continue
        seen[-1 - right] += 1
        yield -1 - right, path
    if (seen != 1).any():
        leaf = int(np.argmax(seen != 1))
        raise AuditError(error.format(leaf, seen[leaf]))
