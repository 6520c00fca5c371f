"""Scenes and worlds from run files, which are not trusted: inconsistencies are one RunFileError."""

from __future__ import annotations

import inspect
import math
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from carom.errors import CaromError, RunFileError
from carom.runfile import Checkpoint, RunFile
from carom.scenes.scene import Scene
from carom.world.saved.snapshot import counts_of, time_of
from carom.world.world import World

_OPTIONS = frozenset(inspect.signature(World).parameters) - {"response"}  # Options of World that a run file may contain


def stored_scene(file: RunFile) -> Scene:
    """Return the scene of the run; RunFileError if the file does not contain a complete one."""
    record = file.scene_record()
    with _reading(file, "its scene"):
        _check_description(record.description)
        _check_options(file.world_options)
        return Scene.from_record(record)


def stored_world(file: RunFile, scene: Scene, number: int | None = None, **options: Any) -> World:
    """Return the world at a checkpoint, by default the last; options: of World, which take precedence over those in the file.

    RunFileError if the checkpoint does not fit the scene.
    """
    saved = file.checkpoints()[-1 if number is None else number]
    with _reading(file, f"the state of checkpoint {saved.number}"):
        world = scene.restore(file.state(saved.number), **{**file.world_options, **options})
    _check_time(file, saved, world.time)
    return world


def check_end(file: RunFile) -> None:
    """Raise RunFileError unless the state of the last checkpoint is of the time at which the file says that the run ended."""
    last = file.checkpoints()[-1]
    state = file.state(last.number)
    with _reading(file, f"the state of checkpoint {last.number}"):
        time = time_of(state)
    _check_time(file, last, time)


def _check_time(file: RunFile, saved: Checkpoint, time: float) -> None:
    if time != saved.time:
        raise RunFileError(f"{file.path}: the run file is damaged: checkpoint {saved.number} is of another time")


def stored_counts(file: RunFile, number: int) -> dict[str, int]:
    """Return the counters at a checkpoint, by the names of Stats; RunFileError if the file lacks them."""
    state = file.state(number)
    with _reading(file, f"the state of checkpoint {number}"):
        return counts_of(state)


@contextmanager
def _reading(file: RunFile, what: str) -> Iterator[None]:
    """Convert all errors of constructors inside the block into RunFileError."""
    try:
        yield
    except RunFileError:
        raise
    except (CaromError, ArithmeticError, AttributeError, LookupError, TypeError, ValueError) as error:
        raise RunFileError(f"{file.path}: the run file is damaged: {what}: {error}") from error


def _check_description(description: Mapping[str, Any]) -> None:
    """Raise ValueError, TypeError or KeyError unless the description has all its parts with their types."""
    for key, kind in (("name", str), ("parameters", dict), ("response", dict), ("world", dict)):
        if not isinstance(description[key], kind):
            raise TypeError(f"{key} is {description[key]!r}")
    if not description["name"].isprintable():
        raise ValueError(f"name is {description['name']!r}")
    for key, value in description["parameters"].items():
        if not isinstance(value, int | float | str):
            raise TypeError(f"parameter {key} is {value!r}")
    until = description["until"]
    if not isinstance(until, int | float) or not 0.0 < until < math.inf:
        raise ValueError(f"until is {until!r}")
    if description["response"]["kind"] not in ("none", "elastic"):
        raise ValueError(f"response is {description['response']['kind']!r}")
    _check_options(description["world"])


def _check_options(options: Mapping[str, Any]) -> None:
    """Raise ValueError for unknown options of World."""
    if unknown := sorted(set(options) - _OPTIONS):
        raise ValueError(f"no option of a world is called {unknown[0]!r}")
