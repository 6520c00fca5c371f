"""Tables of arrays that kernels find by address: what lies where follows from the fields of the tables."""

from __future__ import annotations

import inspect
import re

import numpy as np
import pytest

import carom
from carom._compile.jit import inline_kernel, lean_kernel
from carom.engine.addresses import OWN, address_table, unpacker
from carom.engine.framed.aabb_tree import Tree
from carom.engine.framed.cell_spans import Spans
from carom.engine.framed.cell_update import Entered
from carom.engine.framed.hash_cells import Cells
from carom.engine.framed.loop import Places
from carom.engine.framed.tree_engine import Leaves
from carom.engine.kinetic_grid.cells import Grid
from carom.engine.space_time import Stretch
from carom.engine.sweep.axis_lists import AxisLists
from carom.engine.sweep.kinetic_lists import Swaps
from carom.errors import CaromError
from carom.tables.arrays import fields_of
from carom.tables.run_columns import Bodies, Pairs, Run

TABLES = [
    Bodies, Pairs, Run, Grid, Swaps, AxisLists, Places, Spans, Cells, Entered, Tree, Leaves, Stretch,
]  # fmt: skip


@pytest.mark.compiled
@pytest.mark.parametrize("table", TABLES, ids=lambda table: table.__name__)
def test_unpacked_table_has_every_array_in_its_field(table):
    rng = np.random.default_rng(1)
    arrays = table(
        *(rng.integers(0, 99, rng.integers(1, 5, field.axes)).astype(field.item) for field in fields_of(table))
    )
    unpacked = unpacker(table, 0, inline_kernel)

    find = {field.name: compiled_getter(unpacked, field.name) for field in fields_of(table)}
    for field, array in zip(fields_of(table), arrays, strict=True):
        assert find[field.name](address_table([arrays])) == (array.sum(), array.size)


def compiled_getter(unpacked, name):
    """A kernel that adds up one array of a table."""
    scope = {"unpacked": unpacked}
    exec(
        f"def total(addresses):\n    found = unpacked(addresses)\n    return found.{name}.sum(), found.{name}.size",
        scope,
    )
    return lean_kernel(scope["total"])


@pytest.mark.parametrize("table", TABLES, ids=lambda table: table.__name__)
def test_array_of_another_type_than_its_field_never_reaches_a_kernel(table):
    good = table(*(np.zeros((4,) * field.axes, field.item) for field in fields_of(table)))
    address_table([good])
    for field, array in zip(fields_of(table), good, strict=True):
        others = [array.astype("float32"), array[None], array[..., ::2]]
        if field.axes == 2:
            others.append(np.zeros((2, 2, 2), field.item)[:, :, 0])
        for other in others:
            with pytest.raises(CaromError, match=rf"{table.__name__}\.{field.name} is .*; expected {field.item} with"):
                address_table([good._replace(**{field.name: other})])


def test_every_field_says_in_its_docstring_what_its_annotation_says():
    for table in TABLES:
        text = "".join(line.strip() + "\n" for line in inspect.getsource(table).splitlines())
        for field in fields_of(table):
            documented = re.search(rf'^{field.name}: \w+\n"""(\w+) \(([^)]*)\)', text, re.MULTILINE)
            if documented:
                axes = [part for part in documented[2].split(",") if part.strip()]
                assert (documented[1], len(axes)) == (field.item, field.axes), f"{table.__name__}.{field.name}"


def test_common_tables_come_first():
    assert len(Bodies._fields) + len(Pairs._fields) + len(Run._fields) == OWN
    world = carom.World("all-pairs")
    assert len(world._engine._table) == OWN
