"""The contents of a scene file: pydantic models, from which the JSON schema is made."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, Any, Literal, Union

from pydantic import BaseModel, ConfigDict, Discriminator, Field, Tag, create_model

from carom.shapes import Shape
from carom.shapes.parts.parameters import REQUIRED, Value
from carom.shapes.registry import BY_WORD

Finite = Annotated[float, Field(allow_inf_nan=False)]
Positive = Annotated[float, Field(gt=0.0, allow_inf_nan=False)]
Mass = Annotated[float, Field(gt=0.0, allow_inf_nan=True)]
Group = Annotated[int, Field(ge=0, le=63)]
Vector = Annotated[list[Finite], Field(min_length=3, max_length=3)]
Quaternion = Annotated[list[Finite], Field(min_length=4, max_length=4)]
FaceIndices = Annotated[list[Annotated[int, Field(ge=0)]], Field(min_length=3, max_length=3)]

_KIND = "says which kind it is"
_QUATERNION = "w, x, y, z; normalised on reading"
_MASS = "inf makes a body immovable, as a floor must be"
_GROUP = "0 to 63, for rules about which groups meet"


class _Strict(BaseModel):
    """No unknown keys, no numbers in quotes."""

    model_config = ConfigDict(extra="forbid", strict=True)


class ArrayFile(_Strict):
    """An array in a .npz file; the path is relative to the scene file."""

    file: Annotated[str, Field(min_length=1, description="the .npz file")]
    array: Annotated[str, Field(min_length=1, description="the array's name in it")]


def _form(value: Any) -> str:
    """Distinguish the forms of a value, so that an error is about the intended one."""
    if isinstance(value, dict | ArrayFile):
        return "(file)"
    return "(list)" if isinstance(value, list) else "(one)"


def _list_or_file(what: str) -> Discriminator:
    wanted = f"Input should be a list of {what}, or {{ file, array }}"
    return Discriminator(_form, custom_error_type="array_form", custom_error_message=wanted)


_File = Annotated[ArrayFile, Tag("(file)")]
Vectors = Annotated[Annotated[list[Vector], Tag("(list)")] | _File, _list_or_file("vectors")]
Quaternions = Annotated[Annotated[list[Quaternion], Tag("(list)")] | _File, _list_or_file("quaternions")]
Triangles = Annotated[Annotated[list[FaceIndices], Tag("(list)")] | _File, _list_or_file("index triples")]
Masses = Annotated[Annotated[Mass, Tag("(one)")] | Annotated[list[Mass], Tag("(list)")] | _File, Discriminator(_form)]
ShapeNames = Annotated[
    Annotated[str, Tag("(one)")] | Annotated[list[str], Tag("(list)")],
    Discriminator(_form, custom_error_type="names_form", custom_error_message="Input should be the name of a shape"),
]


_VALUES: dict[Value, Any] = {
    Value.SIZE: Positive,
    Value.SIZES: Annotated[list[Positive], Field(min_length=3, max_length=3)],
    Value.NUMBER: Finite,
    Value.VECTOR: Vector,
    Value.POINTS: Vectors,
    Value.TRIANGLES: Triangles,
    Value.MESH_FILE: Annotated[str, Field(min_length=1)],
}


def _shape_model(word: str, shape: type[Shape]) -> type[BaseModel]:
    """The table of a shape: its kind and its parameters."""
    fields: dict[str, Any] = {"kind": (Literal[word], Field(description=_KIND))}
    for each in shape.parameters:
        default = {} if each.default is REQUIRED else {"default": each.default}
        form = _VALUES[each.value]
        fields[each.name] = (
            form | None if each.default is None else form,
            Field(description=each.meaning, **default),
        )
    summary = (shape.__doc__ or "").partition("\n")[0]
    return create_model(f"{shape.__name__}Shape", __base__=_Strict, __doc__=summary, **fields)


_SHAPES = {word: _shape_model(word, shape) for word, shape in BY_WORD.items()}
if TYPE_CHECKING:
    ShapeModel = BaseModel
else:
    ShapeModel = Annotated[Union[tuple(_SHAPES.values())], Field(discriminator="kind")]  # noqa: UP007


class Body(_Strict):
    """One body at time 0."""

    shape: str = Field(description="name of a table in [shapes]")
    position: Vector = Field(default=[0.0, 0.0, 0.0], description="m")
    velocity: Vector = Field(default=[0.0, 0.0, 0.0], description="m/s")
    acceleration: Vector | None = Field(
        default=None, description="m/s²; default: the scene's gravity, 0 for infinite mass"
    )
    orientation: Quaternion = Field(default=[1.0, 0.0, 0.0, 0.0], description=_QUATERNION)
    spin: Vector = Field(default=[0.0, 0.0, 0.0], description="rad/s in world axes")
    mass: Mass = Field(default=1.0, description=_MASS)
    group: Group = Field(default=0, description=_GROUP)
    name: str | None = Field(default=None, description="shown in place of the body's number")


class Swarm(_Strict):
    """Many bodies at once, one per position; large arrays come from .npz files."""

    shape: ShapeNames = Field(description="one for all, or one each")
    positions: Vectors = Field(description="m")
    velocities: Vectors | None = Field(default=None, description="m/s; default: 0")
    accelerations: Vectors | None = Field(
        default=None, description="m/s²; default: the scene's gravity, 0 for infinite mass"
    )
    orientations: Quaternions | None = Field(default=None, description=f"{_QUATERNION}; default: not turned")
    spins: Vectors | None = Field(default=None, description="rad/s in world axes; default: 0")
    masses: Masses = Field(default=1.0, description=f"one for all, or one each; {_MASS}")
    group: Group = Field(default=0, description=_GROUP)


class Walls(_Strict):
    """Six immovable half-spaces that keep bodies inside a box."""

    lower: Vector = Field(description="corner of the box with the least x, y and z, m")
    upper: Vector = Field(description="the opposite corner, m")


class NoResponse(_Strict):
    """Contacts are reported; bodies pass through each other."""

    kind: Literal["none"] = Field(description=_KIND)


class ElasticResponse(_Strict):
    """Bodies bounce."""

    kind: Literal["elastic"] = Field(description=_KIND)
    restitution: Annotated[float, Field(ge=0.0, le=1.0)] = Field(
        default=1.0, description="share of the speed along the normal that is kept, 0 to 1"
    )


class WorldOptions(_Strict):
    """How contacts are found; the contacts do not depend on it."""

    broad: str | None = Field(default=None, description="broad phase, as `carom run --broad`; default: auto")
    queue: str | None = Field(default=None, description="event queue, as `carom run --queue`; default: tournament")


class SceneFile(_Strict):
    """A carom scene."""

    name: Annotated[str, Field(min_length=1)] | None = Field(default=None, description="default: the file's name")
    until: Positive = Field(default=1.0, description="default end of a run, s")
    gravity: Vector = Field(default=[0.0, 0.0, 0.0], description="acceleration of every body of finite mass, m/s²")
    response: Annotated[NoResponse | ElasticResponse, Field(discriminator="kind")] = Field(
        default=NoResponse(kind="none"), description="what happens at a contact; default: nothing"
    )
    world: WorldOptions = Field(default=WorldOptions(), description="how contacts are found")
    walls: Walls | None = Field(default=None, description="a box that keeps bodies inside; default: none")
    shapes: dict[str, ShapeModel] = Field(default={}, description="the shapes that bodies have, by name")
    bodies: list[Body] = Field(default=[], description="bodies one by one")
    swarms: list[Swarm] = Field(default=[], description="many bodies at once")


def scene_schema() -> dict[str, Any]:
    """Return the JSON schema of a scene file."""
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", **SceneFile.model_json_schema()}


def table_keys(place: Sequence[str | int], kind: Any) -> list[str]:
    """Return the keys that the table at `place` of a scene file may have; kind: of tables that differ by kind."""
    match [part for part in place if isinstance(part, str)]:
        case []:
            return list(SceneFile.model_fields)
        case ["shapes", _]:
            return list(_SHAPES[kind].model_fields)
        case ["response"]:
            return list((ElasticResponse if kind == "elastic" else NoResponse).model_fields)
        case [table]:
            tables: dict[str, type[BaseModel]] = {
                "bodies": Body,
                "swarms": Swarm,
                "walls": Walls,
                "world": WorldOptions,
            }
            return list(tables[table].model_fields)
    return list(ArrayFile.model_fields)
