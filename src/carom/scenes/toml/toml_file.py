"""Reading of a scene file: TOML, checked by `schema`, with arrays and meshes from files. Every fault is one SceneError."""

from __future__ import annotations

import difflib
import json
import os
import re
import reprlib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NoReturn

import numpy as np
from numpy.typing import NDArray
from pydantic import ValidationError

from carom import validate
from carom.errors import CaromError, InvalidInputError, SceneError
from carom.files.npz import NpzError, array_names, read_arrays
from carom.io import load
from carom.scenes.scene import Scene, arrays_of, with_walls
from carom.scenes.toml import schema
from carom.scenes.toml.document import beyond_64_bits, read_document
from carom.scenes.toml.fault_words import expected_words
from carom.scenes.toml.lines import line_of
from carom.shapes import HalfSpace, Shape
from carom.shapes.parts.parameters import Value
from carom.shapes.registry import BY_WORD

Array = NDArray[np.float64]
Place = tuple[str | int, ...]

_MOST_FAULTS = 3  # Number of faults that one message describes; the others are counted
_SHORT = reprlib.Repr()
_SHORT.maxstring = _SHORT.maxlong = 60
_BARE_KEY = re.compile("[A-Za-z0-9_-]{1,60}")


def load_scene(path: str | Path) -> Scene:
    """Read the scene file at `path`; SceneError names file, line, place, value and what was expected."""
    return _Reader(Path(path)).scene()


class _Reader:
    """One scene file that is being read, with the information for error messages and relative paths."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.text, self.document = read_document(path)
        for place in beyond_64_bits(self.document):
            self._fail(place, "has more digits than 64 bits hold; expected a smaller number, or one with a point")
        try:
            self.file = schema.SceneFile.model_validate(self.document)
        except ValidationError as error:
            self._refuse(error)

    def scene(self) -> Scene:
        """Resolve references and join all bodies; walls come last."""
        shapes = {name: self._shape(("shapes", name), model) for name, model in self.file.shapes.items()}
        rows = {name: k for k, name in enumerate(shapes)}
        parts = [self._body(("bodies", k), body, rows) for k, body in enumerate(self.file.bodies)]
        parts += [self._swarm(("swarms", k), swarm, rows) for k, swarm in enumerate(self.file.swarms)]
        if not parts:
            raise SceneError(f"{self.path}: the scene has no bodies; expected at least one [[bodies]] or [[swarms]]")
        joined = {key: np.concatenate([part[key] for part in parts]) for key in parts[0]}
        names = [body.name for body in self.file.bodies] + [None] * (len(joined["mass"]) - len(self.file.bodies))
        scene = Scene(
            name=self._name(),
            parameters={"file": self.path.name},
            shapes=tuple(shapes.values()),
            **arrays_of(joined),
            names=tuple(names),
            response=self.file.response.model_dump(),
            until=self.file.until,
            world=self.file.world.model_dump(exclude_none=True),
        )
        if self.file.walls is None:
            return scene
        try:
            return with_walls(scene, self.file.walls.lower, self.file.walls.upper)
        except SceneError as error:
            self._fail(("walls",), str(error).removeprefix("walls: "))

    def _name(self) -> str:
        """Return the name of the scene, on one line."""
        name = self.file.name or validate.printable(self.path.stem)
        if not name.isprintable():
            self._fail(("name",), f"is {_short(name)}; expected text that can be printed on one line")
        return name

    def _shape(self, place: Place, model: Any) -> Shape:
        form = BY_WORD[model.kind]
        given = {each.name: getattr(model, each.name) for each in form.parameters}
        problem = form.why_not([name for name, value in given.items() if value is not None])
        if problem:
            self._fail(place, problem)
        values = {each.name: self._value((*place, each.name), each.value, given[each.name]) for each in form.parameters}
        try:
            return form.from_scene(values)
        except InvalidInputError as error:
            self._fail(place, f".{error}")

    def _value(self, place: Place, kind: Value, given: Any) -> Any:
        """A parameter of a shape, its file read; None for one that is absent."""
        if given is None or kind not in (Value.POINTS, Value.TRIANGLES, Value.MESH_FILE):
            return given
        if kind is not Value.MESH_FILE:
            return self._numbers(place, given, 3)
        target = self._existing(place, given)
        try:
            return load(target)
        except CaromError as error:
            self._fail(place, str(error))

    def _body(self, place: Place, body: schema.Body, rows: dict[str, int]) -> dict[str, NDArray[Any]]:
        row = self._row((*place, "shape"), body.shape, rows)
        self._refuse_spin((*place, "spin"), body.shape, body.spin)
        still = self.file.gravity if np.isfinite(body.mass) else [0.0, 0.0, 0.0]
        return {
            "shape": np.array([row]),
            "position": np.array([body.position]),
            "velocity": np.array([body.velocity]),
            "acceleration": np.array([still if body.acceleration is None else body.acceleration]),
            "orientation": self._unit((*place, "orientation"), np.array([body.orientation])),
            "spin": np.array([body.spin]),
            "mass": np.array([body.mass]),
            "body_group": np.array([body.group]),
        }

    def _swarm(self, place: Place, swarm: schema.Swarm, rows: dict[str, int]) -> dict[str, NDArray[Any]]:
        position = self._numbers((*place, "positions"), swarm.positions, 3)
        n = len(position)
        mass = self._masses((*place, "masses"), swarm.masses, n)
        gravity = np.where(np.isfinite(mass)[:, None], self.file.gravity, 0.0)
        shape = self._rows((*place, "shape"), swarm.shape, rows, n)
        spin = self._matching((*place, "spins"), swarm.spins, np.zeros((n, 3)))
        names = [swarm.shape] * n if isinstance(swarm.shape, str) else swarm.shape
        for k in np.flatnonzero(spin.any(axis=1)).tolist():
            self._refuse_spin((*place, "spins", k), names[k], spin[k].tolist())
        return {
            "shape": shape,
            "position": position,
            "velocity": self._matching((*place, "velocities"), swarm.velocities, np.zeros((n, 3))),
            "acceleration": self._matching((*place, "accelerations"), swarm.accelerations, gravity),
            "orientation": self._unit(
                (*place, "orientations"),
                self._matching((*place, "orientations"), swarm.orientations, np.tile([1.0, 0.0, 0.0, 0.0], (n, 1))),
            ),
            "spin": spin,
            "mass": mass,
            "body_group": np.full(n, swarm.group),
        }

    def _refuse_spin(self, place: Place, name: str, spin: Sequence[float]) -> None:
        """Half-spaces do not spin in worlds."""
        model: Any = self.file.shapes[name]
        if any(spin) and model.kind == HalfSpace.word:
            self._fail(place, f"is {spin}; a half-space cannot spin in a world, use orientation")

    def _row(self, place: Place, name: str, rows: dict[str, int]) -> int:
        if name not in rows:
            near = difflib.get_close_matches(name, rows, n=1)
            known = f"expected one of {', '.join(rows)}" if rows else f"there are none: describe it in [shapes.{name}]"
            hint = f"did you mean {near[0]!r}?" if near else known
            self._fail(place, f"is {_short(name)}, which is not in [shapes]; {hint}")
        return rows[name]

    def _rows(self, place: Place, names: str | list[str], rows: dict[str, int], n: int) -> NDArray[np.int64]:
        if isinstance(names, str):
            return np.full(n, self._row(place, names, rows))
        if len(names) != n:
            self._fail(
                place, f"has {validate.counted(len(names), 'name')}; expected one, or {n} as there are positions"
            )
        return np.array([self._row((*place, k), name, rows) for k, name in enumerate(names)])

    def _matching(self, place: Place, value: Any, default: Array) -> Array:
        """Return the array, with as many rows as there are positions, or the default."""
        if value is None:
            return default
        result = self._numbers(place, value, default.shape[1])
        if len(result) != len(default):
            self._fail(
                place, f"has {validate.counted(len(result), 'row')}; expected {len(default)} as there are positions"
            )
        return result

    def _masses(self, place: Place, value: Any, n: int) -> Array:
        if isinstance(value, float | int):
            return np.full(n, float(value))
        raw = self._raw(place, value)
        try:
            mass = np.asarray(raw, dtype=np.float64)
        except (TypeError, ValueError):
            self._fail(place, "cannot be read as numbers")
        if mass.shape != (n,):
            self._fail(place, f"has shape {mass.shape}; expected ({n},) as there are positions")
        if not (mass > 0.0).all():
            row = int(np.argmin(mass > 0.0))
            self._fail((*place, row), f"is {mass[row]}; expected a number above 0, or inf for an immovable body")
        return mass

    def _numbers(self, place: Place, value: Any, columns: int) -> Array:
        """Return a finite array (n, columns) with n > 0."""
        try:
            result = validate.array("", self._raw(place, value), (None, columns))
        except InvalidInputError as error:
            self._fail(place, str(error).lstrip())
        if len(result) == 0:
            self._fail(place, "is empty")
        return result

    def _unit(self, place: Place, quat: Array) -> Array:
        zero = np.flatnonzero(~quat.any(axis=1))
        if len(zero):
            self._fail(place, f"has length 0 in row {int(zero[0])}; expected a quaternion w, x, y, z")
        return validate.unit_rows(quat)

    def _raw(self, place: Place, value: Any) -> Any:
        """Return an inline list, or the array that a reference names."""
        if not isinstance(value, schema.ArrayFile):
            return value
        target = self._existing(place, value.file)
        try:
            found = read_arrays(target, (value.array,))
            if found:
                return found[value.array]
            held = ", ".join(array_names(target)) or "none"
        except (OSError, NpzError) as error:
            self._fail(place, f"names {value.file}, which cannot be read as .npz: {error}")
        except InvalidInputError as error:
            self._fail(place, str(error))
        self._fail(place, f"names the array {value.array!r} of {value.file}, which holds only: {held}")

    def _existing(self, place: Place, name: str) -> Path:
        target = self.path.parent / name
        if not os.path.isfile(target):
            self._fail(place, f"names {_cut(name)}, but there is no file {_cut(str(target))}")
        return target

    def _refuse(self, error: ValidationError) -> NoReturn:
        """Convert pydantic's faults into one message about the first of them."""
        faults = error.errors(include_url=False, include_context=True)
        said = [self._said(*self._fault(fault)) for fault in faults[:_MOST_FAULTS]]
        more = f" (and {len(faults) - len(said)} more)" if len(faults) > len(said) else ""
        self._raise("; also ".join(said) + more)

    def _fault(self, fault: Mapping[str, Any]) -> tuple[Place, str]:
        """Return the place of one of pydantic's faults, and what is wrong there."""
        place = self._place(fault["loc"])
        match fault["type"]:
            case "missing":
                return place, "is missing"
            case "extra_forbidden":
                return place, f"is not a known key; {self._known_keys(place)}"
            case "union_tag_not_found":
                return (*place, "kind"), "is missing"
            case "union_tag_invalid":
                tags = fault["ctx"]["expected_tags"]
                return (*place, "kind"), f"is {_short(fault['ctx']['tag'])}; expected one of {tags}"
        return place, f"is {_short(fault['input'])}; expected {expected_words(fault)}"

    def _known_keys(self, place: Place) -> str:
        """Return the known keys of a table in place of an unknown one: the most similar, or all."""
        node: Any = self.document
        for part in place[:-1]:
            node = node[part]
        keys = schema.table_keys(place[:-1], node.get("kind"))
        near = difflib.get_close_matches(str(place[-1]), keys, n=1)
        return f"did you mean {near[0]!r}?" if near else f"expected {', '.join(keys)}"

    def _place(self, loc: tuple[str | int, ...]) -> Place:
        """Return pydantic's location without the tags of its unions, which are not in the file."""
        place: list[str | int] = []
        node: Any = self.document
        tag = None
        for part in loc:
            if isinstance(part, str) and (part.startswith("(") or part == tag):
                tag = None
                continue
            place.append(part)
            try:
                node = node[part]
            except (KeyError, IndexError, TypeError):
                node = None
            tag = node.get("kind") if isinstance(node, dict) else None
        return tuple(place)

    def _fail(self, place: Place, problem: str) -> NoReturn:
        self._raise(self._said(place, problem))

    def _raise(self, said: str) -> NoReturn:
        raise SceneError(validate.printable(f"{self.path}{', ' if said.startswith('line ') else ': '}{said}"))

    def _said(self, place: Place, problem: str) -> str:
        """Return line, place and problem; without the line if the place is not in the file."""
        line = line_of(self.text, place)
        shown = "".join(f"[{part}]" if isinstance(part, int) else f".{_key(part)}" for part in place).lstrip(".")
        joint = "" if problem.startswith((".", "[")) else " "
        return f"{f'line {line}: ' if line else ''}{shown}{joint}{problem}"


def _short(value: Any) -> str:
    """Return a value, shortened in the middle if it is long."""
    return _SHORT.repr(value)


def _cut(name: str) -> str:
    return name if len(name) <= 500 else f"{name[:200]}...{name[-50:]}"


def _key(part: str) -> str:
    """Return a key as it is written in TOML, on one line."""
    return part if _BARE_KEY.fullmatch(part) else json.dumps(part if len(part) <= 60 else part[:57] + "...")
