"""What shapes have in common that a radius and a height along local z describe."""

from __future__ import annotations

from dataclasses import dataclass

from carom import validate
from carom.shapes.kind import ShapeKind
from carom.shapes.shape import Shape


@dataclass(frozen=True, eq=False)
class AlongZ(Shape):
    """A round solid about local z, of a radius and a height."""

    radius: float
    height: float
    kind = ShapeKind.ROUND

    def __post_init__(self) -> None:
        for name in ("radius", "height"):
            object.__setattr__(self, name, validate.size(name, getattr(self, name)))
