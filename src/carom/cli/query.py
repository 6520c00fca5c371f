"""`carom query`: read two shapes and their poses or motions, run one query and print the answer."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Mapping
from typing import Any

import numpy as np
from rich.console import Console

from carom import validate
from carom.cli.terminal.output import facts_table
from carom.errors import InvalidInputError
from carom.io import load
from carom.motion import Motion
from carom.narrow.toi.status import Status
from carom.queries import collide, distance, gap, penetration, time_of_impact
from carom.queries.results import Collision, Distance, Impact, Penetration
from carom.shapes import Mesh, Shape
from carom.shapes.parts.parameters import Value
from carom.shapes.registry import BY_WORD
from carom.tolerances import ADVANCE_GAP

OPERATIONS = ("collide", "gap", "distance", "penetration", "toi")

_MOVING = ("velocity_a", "velocity_b", "spin_a", "spin_b", "until")  # Options that only `toi` takes

_BUILT_IN: dict[str, tuple[str, type[Shape]]] = {
    word: (",".join(each.on_command_line for each in shape.parameters), shape)
    for word, shape in BY_WORD.items()
    if all(each.value in (Value.SIZE, Value.SIZES) for each in shape.parameters)
}
"""Shapes written as name:numbers, metres: those that have nothing but sizes."""
BUILT_IN_SHAPES = ", ".join(f"{word}:{sizes}" for word, (sizes, _) in _BUILT_IN.items())

_STATUS = {
    Status.EXACT: "exact to rounding",
    Status.OVERLAPPING: "overlapping at the start",
    Status.CONSERVATIVE: f"never late, early by what closes a gap of {ADVANCE_GAP:g} of the smaller one",
}

_HEADINGS = {
    "point": "point", "normal": "normal, a to b", "depth": "depth, m", "distance": "distance, m", "time": "time, s",
    "point_a": "point on a", "point_b": "point on b", "volume_tests": "volume tests", "primitive_tests": "primitive tests",
    "steps": "steps of advancement", "exact": "depth is",
}  # fmt: skip


@dataclasses.dataclass(frozen=True)
class QueryRequest:
    """The options of `carom query` as they were typed; None for options that were not given."""

    operation: str
    a: str
    b: str
    pose_a: str | None = None
    pose_b: str | None = None
    velocity_a: str | None = None
    velocity_b: str | None = None
    spin_a: str | None = None
    spin_b: str | None = None
    until: float | None = None
    size: float | None = None

    def __post_init__(self) -> None:
        if self.operation not in OPERATIONS:
            raise InvalidInputError(validate.unknown_name("query", self.operation, OPERATIONS))
        for name in _MOVING:
            if self.operation != "toi" and getattr(self, name) is not None:
                raise InvalidInputError(f"{_option(name)} is for toi, not for {self.operation}")
        if self.operation != "gap" and self.size is not None:
            raise InvalidInputError(f"--size is for gap, not for {self.operation}")
        if self.operation == "toi" and self.until is None:
            raise InvalidInputError("toi needs to know how far ahead to look: give --until SECONDS")
        if self.operation == "gap" and self.size is None:
            raise InvalidInputError("gap needs to know how wide a gap to look for: give --size METRES")


@dataclasses.dataclass(frozen=True)
class Answer:
    """An answer: a sentence, whether the shapes touch, and the numbers by name (empty if there are none)."""

    operation: str
    names: tuple[str, str]  # A and B as they were typed
    shapes: tuple[Shape, Shape]
    verdict: str
    touches: bool
    """True if collide hits, there is no gap, toi finds a contact, the penetration is above 0 or the distance is 0."""
    values: Mapping[str, Any]

    @property
    def exit_code(self) -> int:
        """1 if collide, gap or toi finds a contact; else 0. Distances and depths have no verdict."""
        return int(self.touches and self.operation in ("collide", "gap", "toi"))

    def as_dict(self) -> dict[str, Any]:
        """Return all of it, for JSON, with a status by name."""
        return {
            "operation": self.operation,
            "a": self.names[0],
            "b": self.names[1],
            "touches": self.touches,
            **{name: Status(value).name.lower() if name == "status" else value for name, value in self.values.items()},
        }

    def show(self, console: Console) -> None:
        """Print the verdict and a small table."""
        console.print(self.verdict, style="bold", highlight=False, soft_wrap=True)
        table = facts_table()
        table.add_column()
        for letter, name, shape in zip("ab", self.names, self.shapes, strict=True):
            table.add_row(
                letter,
                f"{name} ({validate.counted(len(shape.faces), 'triangle')})" if isinstance(shape, Mesh) else name,
            )
        for name, value in self.values.items():
            words = self._words(name, value)
            if words:
                table.add_row(_HEADINGS.get(name, name.replace("feature_", "feature of ")), words)
        console.print(table)

    def _words(self, name: str, value: Any) -> str:
        """Format a value for people; an empty string if there is nothing to print."""
        if name.startswith("feature"):
            return _feature(self.shapes[name.endswith("b")], value)
        if name == "status":
            return _STATUS[Status(value)]
        if name == "exact":
            return "the least possible" if value else "an upper bound: moving b so far parts them"
        if isinstance(value, np.ndarray):
            return ", ".join(f"{x + 0.0:.9g}" for x in value) if np.isfinite(value).all() else ""
        return f"{value:.12g}" if math.isfinite(value) else ""


def answer(request: QueryRequest) -> Answer:
    """Run the query; CaromError, with a message of one line, if it cannot be done."""
    a, b = shape_from("A", request.a), shape_from("B", request.b)
    one, other = _motion(request, "a"), _motion(request, "b")
    poses = one.pose_at(0.0), other.pose_at(0.0)
    if request.operation == "collide":
        hit = collide(a, b, *poses)
        verdict = "they touch" if hit else "they do not touch"
        return _answer(request, a, b, verdict, bool(hit), hit if hit else None)
    if request.operation == "gap":
        assert request.size is not None
        free = bool(gap(a, b, request.size, *poses))
        verdict = f"there is {'a' if free else 'no'} gap of {request.size:g} m"
        return _answer(request, a, b, verdict, not free, None)
    if request.operation == "distance":
        found = distance(a, b, *poses)
        apart = float(found) > 0.0
        verdict = f"they are {float(found):.9g} m apart" if apart else "they touch: distance 0"
        return _answer(request, a, b, verdict, not apart, found)
    if request.operation == "penetration":
        deep = penetration(a, b, *poses)
        inside = float(deep) > 0.0
        verdict = f"they overlap by {float(deep):.9g} m" if inside else "they do not overlap"
        return _answer(request, a, b, verdict, inside, deep if inside else None)
    assert request.until is not None
    impact = time_of_impact(a, b, one, other, request.until)
    if impact is None:
        return _answer(request, a, b, f"they do not touch up to {request.until:g} s", False, None)
    return _answer(request, a, b, f"they first touch at {impact.time:.12g} s", True, impact)


def _answer(
    request: QueryRequest,
    a: Shape,
    b: Shape,
    verdict: str,
    touches: bool,
    found: Collision | Distance | Penetration | Impact | None,
) -> Answer:
    names = [field.name for field in dataclasses.fields(found)] if found is not None else []
    values = {name: getattr(found, name) for name in names if name not in ("hit", "contacts")}
    return Answer(request.operation, (request.a, request.b), (a, b), verdict, touches, values)


def shape_from(name: str, text: str) -> Shape:
    """Return the built-in shape or the mesh file that `text` names. name: that of the argument, for the error."""
    kind, colon, numbers = text.partition(":")
    if colon and kind in _BUILT_IN:
        wanted, shape = _BUILT_IN[kind]
        sizes = _numbers(name, numbers, (wanted.count(",") + 1,), f"{kind}:{wanted}", typed=text)
        try:
            return shape.from_record(np.array(sizes), np.empty(0, np.int64))
        except InvalidInputError as error:
            raise InvalidInputError(f"{name} is {text!r}: {error}") from None
    if colon and kind in BY_WORD:
        raise InvalidInputError(
            f"{name} is {text!r}: a {kind} is not available here; built-in shapes are {BUILT_IN_SHAPES}"
        )
    try:
        return load(text)
    except InvalidInputError as error:
        raise InvalidInputError(f"{name}: {error}; built-in shapes are {BUILT_IN_SHAPES}") from None


def _motion(request: QueryRequest, which: str) -> Motion:
    """Return the motion of body `which`, by default at rest at the origin."""
    pose = getattr(request, f"pose_{which}")
    where = _numbers(f"--pose-{which}", pose, (3, 7), "x,y,z or x,y,z,qw,qx,qy,qz") if pose else (0.0, 0.0, 0.0)
    velocity, spin = (_rate(request, f"{rate}_{which}") for rate in ("velocity", "spin"))
    try:
        return Motion(where[:3], velocity, orientation=where[3:] or (1.0, 0.0, 0.0, 0.0), spin=spin)
    except InvalidInputError as error:
        raise InvalidInputError(f"--pose-{which} is {pose!r}: {error}") from None


def _rate(request: QueryRequest, name: str) -> tuple[float, ...]:
    text = getattr(request, name)
    return (0.0, 0.0, 0.0) if text is None else _numbers(_option(name), text, (3,), "x,y,z")


def _numbers(
    name: str, text: str, lengths: tuple[int, ...], expected: str, typed: str | None = None
) -> tuple[float, ...]:
    """Return finite numbers between commas. typed: the whole argument, for the error, if it is longer."""
    try:
        numbers = tuple(float(part) for part in text.split(","))
    except ValueError:
        numbers = ()
    if len(numbers) not in lengths or not all(map(math.isfinite, numbers)):
        raise InvalidInputError(f"{name} is {text if typed is None else typed!r}; expected {expected}")
    return numbers


def _option(name: str) -> str:
    return "--" + name.replace("_", "-")


def _feature(shape: Shape, feature: int) -> str:
    return shape.feature_name(feature) if feature >= 0 else ""
