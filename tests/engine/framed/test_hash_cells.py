"""The hash table of cells holds exactly the members it was given."""

from __future__ import annotations

import numpy as np
import pytest

from carom._compile.jit import lean_kernel
from carom.engine.framed.hash_cells import (
    AFTER,
    MEMBER,
    OWN_NEXT,
    PLACE,
    UNUSED,
    USED_CELLS,
    USED_NODES,
    Cells,
    cells_lack_room,
    empty_cells,
    find_cell,
    join_cell,
    leave_all_cells,
    leave_cell,
    members_consistent,
    more_room,
    open_cell,
)

Key = tuple[int, int, int, int]


@lean_kernel
def join(cells, tag, x, y, z, which, row):
    """Make `row` a member of a list of a cell; False when there is no room."""
    if cells_lack_room(cells, 1):
        return False
    join_cell(cells, 2 * np.int64(open_cell(cells, tag, x, y, z)) + which, row)
    return True


@lean_kernel
def leave(cells, tag, x, y, z, which, row):
    """Take `row` out of a list of a cell."""
    place = 2 * np.int64(find_cell(cells, tag, x, y, z)) + which
    before, k = np.int64(-1), np.int64(cells.own[row])
    while cells.node[k, PLACE] != place:
        before, k = k, np.int64(cells.node[k, OWN_NEXT])
    after = leave_cell(cells, k)
    if before == -1:
        cells.own[row] = after
    else:
        cells.node[before, OWN_NEXT] = after


@lean_kernel
def leave_all(cells, row):
    """Take `row` out of every cell."""
    leave_all_cells(cells, np.int64(row))


@lean_kernel
def slot_of(cells, tag, x, y, z):
    """Slot of a cell."""
    return np.int64(find_cell(cells, tag, x, y, z))


def members(cells: Cells, key: Key, which: int) -> set[int]:
    slot = slot_of(cells, *key)
    if cells.key[slot, 0] == UNUSED:
        return set()
    found, k = set(), cells.head[slot, which]
    while k != -1:
        found.add(int(cells.node[k, MEMBER]))
        k = cells.node[k, AFTER]
    return found


@pytest.mark.parametrize("seed", range(4))
def test_cells_hold_what_a_dictionary_of_sets_holds(seed: int) -> None:
    rng = np.random.default_rng(seed)
    cells = empty_cells(16, 4, 30)
    model: dict[tuple[Key, int], set[int]] = {}
    for step in range(1500):
        x, y, z = (int(c) for c in rng.integers(-2, 3, 3) * (1 << 48 if seed % 2 else 1))
        key, which, row = (int(rng.integers(3)), x, y, z), int(rng.integers(2)), int(rng.integers(30))
        here = model.setdefault((key, which), set())
        if step % 50 == 49:
            leave_all(cells, row)
            for rows in model.values():
                rows.discard(row)
        elif row in here:
            leave(cells, *key, which, row)
            here.remove(row)
        else:
            while not join(cells, *key, which, row):
                cells = more_room(cells, 1)
                assert members_consistent(cells)
            here.add(row)
        if step % 100 == 0:
            assert members_consistent(cells)
            assert cells.tally[USED_NODES] == sum(map(len, model.values()))
    for (key, which), rows in model.items():
        assert members(cells, key, which) == rows


def test_cells_that_all_have_left_are_forgotten_when_the_table_is_made_anew() -> None:
    cells = empty_cells(64, 8, 2)
    for x in range(20):
        assert join(cells, 0, x, 0, 0, 0, 0)
        leave_all(cells, 0)
    assert join(cells, 0, 5, 0, 0, 1, 1)
    assert cells.tally[USED_CELLS] == 20
    anew = more_room(cells, 1)
    assert anew.tally[USED_CELLS] == 1
    assert members(anew, (0, 5, 0, 0), 1) == {1}
    assert members_consistent(anew)


def test_members_consistent_sees_a_broken_list() -> None:
    cells = empty_cells(64, 8, 3)
    for row in range(3):
        join(cells, 0, 1, 2, 3, 0, row)
    assert members_consistent(cells)
    cells.head[slot_of(cells, 0, 1, 2, 3), 0] = -1
    assert not members_consistent(cells)
