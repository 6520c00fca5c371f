"""What a field of a table holds: the type of the items and the number of axes, written once, as the field's annotation.

Kernels get tables by address (carom.engine.addresses), where nothing but these annotations says what lies there.
"""

from __future__ import annotations

from functools import cache
from typing import Annotated, Any, NamedTuple, get_type_hints

Doubles = Annotated[Any, "float64", 1]
DoubleRows = Annotated[Any, "float64", 2]
DoubleBlocks = Annotated[Any, "float64", 3]
Bytes = Annotated[Any, "int8", 1]
UnsignedByteRows = Annotated[Any, "uint8", 2]
ShortRows = Annotated[Any, "int16", 2]
Ints = Annotated[Any, "int32", 1]
IntRows = Annotated[Any, "int32", 2]
Longs = Annotated[Any, "int64", 1]
LongRows = Annotated[Any, "int64", 2]
Masks = Annotated[Any, "uint64", 1]


class Field(NamedTuple):
    """One array of a table."""

    name: str
    item: str
    axes: int


@cache
def fields_of(table: type) -> tuple[Field, ...]:
    """The arrays of a table, a named tuple, in order."""
    hints = get_type_hints(table, include_extras=True)
    return tuple(Field(name, *hints[name].__metadata__) for name in table._fields)  # type: ignore[attr-defined]
