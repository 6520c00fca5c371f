"""What a scene file may say: pydantic models, from which the JSON schema is made."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Discriminator, Field, Tag

Finite = Annotated[float, Field(allow_inf_nan=False)]
Positive = Annotated[float, Field(gt=0.0, allow_inf_nan=False)]
Mass = Annotated[float, Field(gt=0.0, allow_inf_nan=True, description="inf makes the body immovable")]
Group = Annotated[int, Field(ge=0, le=63)]
Vector = Annotated[list[Finite], Field(min_length=3, max_length=3)]
Quaternion = Annotated[list[Finite], Field(min_length=4, max_length=4, description="w, x, y, z; normalised on reading")]
FaceIndices = Annotated[list[Annotated[int, Field(ge=0)]], Field(min_length=3, max_length=3)]


class _Strict(BaseModel):
    """No unknown keys, no numbers in quotes."""

    model_config = ConfigDict(extra="forbid", strict=True)


class ArrayFile(_Strict):
    """An array in a .npz file; the path is relative to the scene file."""

    file: Annotated[str, Field(min_length=1)]
    array: Annotated[str, Field(min_length=1)]


def _form(value: Any) -> str:
    """Tell apart the ways to give a value, so that an error speaks of the one that was meant."""
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
Masses = Annotated[
    Annotated[Mass, Tag("(one)")] | Annotated[list[Mass], Tag("(list)")] | _File,
    Discriminator(_form),
]
ShapeNames = Annotated[
    Annotated[str, Tag("(one)")] | Annotated[list[str], Tag("(list)")],
    Discriminator(_form, custom_error_type="names_form", custom_error_message="Input should be the name of a shape"),
]


class SphereShape(_Strict):
    """A ball about its position."""

    kind: Literal["sphere"]
    radius: Positive


class BoxShape(_Strict):
    """A box about its position; `extents` are full side lengths."""

    kind: Literal["box"]
    extents: Annotated[list[Positive], Field(min_length=3, max_length=3)]


class RoundShape(_Strict):
    """A capsule (height between the centres of its caps), cylinder or cone about its position, along its z axis."""

    kind: Literal["capsule", "cylinder", "cone"]
    radius: Positive
    height: Positive


class HalfSpaceShape(_Strict):
    """Solid where normal · x <= offset."""

    kind: Literal["half-space"]
    normal: Vector
    offset: Finite = 0.0


class ConvexShape(_Strict):
    """The convex hull of points."""

    kind: Literal["convex"]
    points: Vectors


class MeshShape(_Strict):
    """Triangles, written out or read from any mesh file that trimesh reads; the path is relative to the scene file."""

    kind: Literal["mesh"]
    file: Annotated[str, Field(min_length=1)] | None = None
    vertices: Vectors | None = None
    faces: Triangles | None = None
    scale: Positive = 1.0


ShapeModel = Annotated[
    SphereShape | BoxShape | RoundShape | HalfSpaceShape | ConvexShape | MeshShape,
    Field(discriminator="kind"),
]


class Body(_Strict):
    """One body at time 0."""

    shape: str
    position: Vector = [0.0, 0.0, 0.0]
    velocity: Vector = [0.0, 0.0, 0.0]
    acceleration: Vector | None = Field(default=None, description="default: the scene's gravity, 0 for infinite mass")
    orientation: Quaternion = [1.0, 0.0, 0.0, 0.0]
    spin: Vector = Field(default=[0.0, 0.0, 0.0], description="rad/s in world axes")
    mass: Mass = 1.0
    group: Group = 0
    name: str | None = None


class Swarm(_Strict):
    """Many bodies at once, one for each position; large arrays come from .npz files."""

    shape: ShapeNames = Field(description="one for all, or one each")
    positions: Vectors
    velocities: Vectors | None = None
    accelerations: Vectors | None = None
    orientations: Quaternions | None = None
    spins: Vectors | None = None
    masses: Masses = 1.0
    group: Group = 0


class Walls(_Strict):
    """Six immovable half-spaces that keep bodies inside a box."""

    lower: Vector
    upper: Vector


class NoResponse(_Strict):
    """Contacts are reported; bodies pass through each other."""

    kind: Literal["none"]


class ElasticResponse(_Strict):
    """Bodies bounce."""

    kind: Literal["elastic"]
    restitution: Annotated[float, Field(ge=0.0, le=1.0)] = 1.0


class WorldOptions(_Strict):
    """How contacts are found; they are the same whatever is chosen."""

    broad: str | None = None
    queue: str | None = None


class SceneFile(_Strict):
    """A carom scene."""

    name: Annotated[str, Field(min_length=1)] | None = Field(default=None, description="default: the file's name")
    until: Positive = Field(default=1.0, description="seconds to run when nothing else is asked for")
    gravity: Vector = [0.0, 0.0, 0.0]
    response: Annotated[NoResponse | ElasticResponse, Field(discriminator="kind")] = NoResponse(kind="none")
    world: WorldOptions = WorldOptions()
    walls: Walls | None = None
    shapes: dict[str, ShapeModel] = {}
    bodies: list[Body] = []
    swarms: list[Swarm] = []


def scene_schema() -> dict[str, Any]:
    """JSON schema of a scene file."""
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", **SceneFile.model_json_schema()}
