"""A scene: everything needed to build a world, defined once for tests, benchmarks, command line and run files."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from carom import validate
from carom.errors import SceneError
from carom.response import Elastic
from carom.runfile import SceneRecord
from carom.shapes import HalfSpace, Shape
from carom.world.world import World

Array = NDArray[np.float64]

ELASTIC: Mapping[str, Any] = {"kind": "elastic", "restitution": 1.0}

COLUMNS = {
    "shape_index": "shape", "positions": "position", "velocities": "velocity", "accelerations": "acceleration",
    "orientations": "orientation", "spins": "spin", "masses": "mass", "groups": "body_group",
}  # fmt: skip
"""Array of a Scene -> column of its bodies in run files and scene files."""

_MOST_BATCHES = 16


@dataclasses.dataclass(frozen=True, eq=False)
class Scene:
    """Shapes and bodies at time 0, and the response to contacts. Row k of every array is body k of the built world."""

    name: str
    parameters: Mapping[str, Any]
    """Parameters of the scene: numbers and strings only."""
    shapes: tuple[Shape, ...]
    shape_index: NDArray[np.int64]
    """(n,) row of `shapes`."""
    positions: Array
    velocities: Array
    accelerations: Array
    orientations: Array
    """(n, 4) unit quaternions w, x, y, z."""
    spins: Array
    """(n, 3) rad/s in world axes."""
    masses: Array
    """(n,); inf is immovable."""
    groups: NDArray[np.int64]
    names: tuple[str | None, ...]
    response: Mapping[str, Any]
    """{"kind": "none"} or {"kind": "elastic", "restitution": r}."""
    until: float
    """Default end of a run, s."""
    world: Mapping[str, Any] = dataclasses.field(default_factory=dict)
    """Options of World; those given to `build` take precedence."""

    def __len__(self) -> int:
        return len(self.positions)

    @property
    def half_spaces(self) -> int:
        """Number of bodies that are half-spaces: floors and walls."""
        return int(np.array([isinstance(shape, HalfSpace) for shape in self.shapes], np.bool_)[self.shape_index].sum())

    def build(self, **options: Any) -> World:
        """Build a new world at time 0 with body ids 0..n-1; `options` are those of World, `response` included."""
        world = World(**{"response": self._response(), **self.world, **options})
        for rows, shapes in self._batches():
            named = any(name is not None for name in self.names[rows])
            world.add_many(
                shapes,
                self.positions[rows],
                self.velocities[rows],
                accelerations=self.accelerations[rows],
                orientations=self.orientations[rows],
                spins=self.spins[rows] if self.spins[rows].any() else None,
                masses=self.masses[rows],
                groups=self.groups[rows],
                names=[name or str(rows.start + k) for k, name in enumerate(self.names[rows])] if named else None,
            )
        return world

    def restore(self, state: dict[str, NDArray[Any]], **options: Any) -> World:
        """Build the world of a snapshot `state`; it continues bit for bit."""
        shapes = [self.shapes[k] for k in self.shape_index]
        return World.restore(state, shapes, **{"response": self._response(), **self.world, **options})

    def _batches(self) -> Iterator[tuple[slice, Shape | list[Shape]]]:
        """Yield rows that can be added at once: runs of one shape, which are much faster, unless there are many of them."""
        ends = [*(np.flatnonzero(np.diff(self.shape_index)) + 1).tolist(), len(self)]
        if len(ends) > _MOST_BATCHES:
            yield slice(0, len(self)), [self.shapes[k] for k in self.shape_index]
            return
        for first, last in zip([0, *ends[:-1]], ends, strict=True):
            yield slice(first, last), self.shapes[self.shape_index[first]]

    def _response(self) -> Elastic | None:
        return None if self.response["kind"] == "none" else Elastic(restitution=self.response["restitution"])

    def record(self) -> SceneRecord:
        """Return the scene in the form of run files."""
        description = {
            "name": self.name,
            "parameters": dict(self.parameters),
            "response": dict(self.response),
            "until": self.until,
            "world": dict(self.world),
        }
        bodies = {column: getattr(self, name) for name, column in COLUMNS.items()}
        return SceneRecord(description, list(self.shapes), bodies, list(self.names))

    @classmethod
    def from_record(cls, record: SceneRecord) -> Scene:
        """Return the scene of a run file."""
        return cls(
            name=record.description["name"],
            parameters=record.description["parameters"],
            shapes=tuple(record.shapes),
            **arrays_of(record.bodies),
            names=tuple(record.names),
            response=record.description["response"],
            until=record.description["until"],
            world=record.description["world"],
        )


def arrays_of(bodies: Mapping[str, NDArray[Any]]) -> dict[str, Any]:
    """Return the arrays of a Scene from the columns of its bodies."""
    arrays: dict[str, Any] = {name: bodies[column] for name, column in COLUMNS.items()}
    return arrays | {name: arrays[name].astype(np.int64) for name in ("shape_index", "groups")}


def make_scene(
    name: str,
    parameters: Mapping[str, Any],
    shapes: Sequence[Shape],
    *,
    shape_index: ArrayLike,
    positions: Array,
    velocities: Array,
    orientations: Array | None = None,
    masses: ArrayLike = 1.0,
    names: Sequence[str | None] | None = None,
    walls: tuple[ArrayLike, ArrayLike] | None = None,
    wall_axes: str = "xyz",
    response: Mapping[str, Any] = ELASTIC,
    until: float,
) -> Scene:
    """Complete a built-in scene: default arrays, and walls (lower, upper) as immovable half-spaces after the bodies."""
    n = len(positions)
    identity = np.tile([1.0, 0.0, 0.0, 0.0], (n, 1))
    scene = Scene(
        name=name,
        parameters=dict(parameters),
        shapes=tuple(shapes),
        shape_index=np.broadcast_to(np.asarray(shape_index, dtype=np.int64), n).copy(),
        positions=positions,
        velocities=velocities,
        accelerations=np.zeros((n, 3)),
        orientations=identity if orientations is None else orientations,
        spins=np.zeros((n, 3)),
        masses=np.broadcast_to(np.asarray(masses, dtype=np.float64), n).copy(),
        groups=np.zeros(n, dtype=np.int64),
        names=tuple(names) if names is not None else (None,) * n,
        response=response,
        until=until,
    )
    return scene if walls is None else with_walls(scene, walls[0], walls[1], wall_axes)


def with_walls(scene: Scene, lower: ArrayLike, upper: ArrayLike, axes: str = "xyz") -> Scene:
    """Return the scene with immovable half-spaces on either side along `axes`: a box that keeps bodies inside."""
    low, high = validate.vector("lower", lower), validate.vector("upper", upper)
    shapes: list[Shape] = []
    names: list[str] = []
    for k, axis in enumerate("xyz"):
        if axis not in axes:
            continue
        if not low[k] < high[k]:
            raise SceneError(f"walls: lower {axis} is {low[k]} and upper {axis} is {high[k]}; expected lower < upper")
        inward = np.eye(3)[k]
        shapes += [HalfSpace(inward, float(low[k])), HalfSpace(-inward, float(-high[k]))]
        names += [f"wall -{axis}", f"wall +{axis}"]
    return with_fixed(scene, shapes, names)


def with_fixed(scene: Scene, shapes: Sequence[Shape], names: Sequence[str]) -> Scene:
    """Return the scene with immovable bodies at the origin, which come last."""
    n, still = len(shapes), np.zeros((len(shapes), 3))
    added = {
        "shape_index": len(scene.shapes) + np.arange(n), "positions": still, "velocities": still, "accelerations": still,
        "orientations": np.tile([1.0, 0.0, 0.0, 0.0], (n, 1)), "spins": still, "masses": np.full(n, np.inf),
        "groups": np.zeros(n, dtype=np.int64),
    }  # fmt: skip
    arrays: dict[str, Any] = {name: np.concatenate([getattr(scene, name), rows]) for name, rows in added.items()}
    return dataclasses.replace(scene, shapes=(*scene.shapes, *shapes), names=(*scene.names, *names), **arrays)
