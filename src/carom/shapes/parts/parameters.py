"""Parameters of a shape, as scene files, the command line and run files write them."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import Any


class Value(Enum):
    """What a parameter holds."""

    SIZE = "a number above 0"
    SIZES = "three numbers above 0"
    NUMBER = "a number"
    VECTOR = "three numbers"
    POINTS = "rows of three numbers"
    TRIANGLES = "rows of three row numbers"
    MESH_FILE = "the name of a mesh file"


REQUIRED = object()
"""Default of a parameter that has none."""


@dataclass(frozen=True)
class Parameter:
    """One argument of a shape's constructor.

    Parameters
    ----------
    name : str
        Name of the argument, and of the attribute that holds it.
    value : Value
        What it holds.
    meaning : str
        Description in the JSON schema of scene files, with the unit.
    default : object
        Default; REQUIRED for none. None for a parameter that may be absent.
    typed : str
        How the command line shows it, such as "X,Y,Z". Default: the name.
    """

    name: str
    value: Value
    meaning: str
    default: Any = REQUIRED
    typed: str = ""

    @property
    def on_command_line(self) -> str:
        """How the command line shows it."""
        return self.typed or self.name.upper()
