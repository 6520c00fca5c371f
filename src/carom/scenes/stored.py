"""Scenes and worlds out of run files, which may come from anywhere: what does not fit together is one RunFileError."""

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

_OPTIONS = frozenset(inspect.signature(World).parameters) - {"response"}  # Options of World that a run file may hold


def stored_scene(file: RunFile) -> Scene:
    """The scene that was run; RunFileError where the file does not hold a whole one."""
    record = file.scene_record()
    with _reading(file, "its scene"):
        _check_description(record.description)
        _check_options(file.world_options)
        return Scene.from_record(record)


def stored_world(file: RunFile, scene: Scene, number: int | None = None, **options: Any) -> World:
    """The world of the scene at a checkpoint, by default the last; options: of World, before those that the file holds.

    RunFileError where the checkpoint does not fit the scene.
    """
    saved = file.checkpoints()[-1 if number is None else number]
    with _reading(file, f"the state of checkpoint {saved.number}"):
        world = scene.restore(file.state(saved.number), **{**file.world_options, **options})
    _check_time(file, saved, world.time)
    return world


def check_end(file: RunFile) -> None:
    """RunFileError unless the state of the last checkpoint is of the time at which the file says that the run has ended."""
    last = file.checkpoints()[-1]
    state = file.state(last.number)
    with _reading(file, f"the state of checkpoint {last.number}"):
        time = time_of(state)
    _check_time(file, last, time)


def _check_time(file: RunFile, saved: Checkpoint, time: float) -> None:
    if time != saved.time:
        raise RunFileError(f"{file.path}: the run file is damaged: checkpoint {saved.number} is of another time")


def stored_counts(file: RunFile, number: int) -> dict[str, int]:
    """What the world had done at a checkpoint, by the names of Stats; RunFileError where the file does not say so."""
    state = file.state(number)
    with _reading(file, f"the state of checkpoint {number}"):
        return counts_of(state)


@contextmanager
def _reading(file: RunFile, what: str) -> Iterator[None]:
    """RunFileError for whatever constructors refuse, or stumble over, inside the block."""
    try:
        yield
    except RunFileError:
        raise
    except (CaromError, ArithmeticError, AttributeError, LookupError, TypeError, ValueError) as error:
        raise RunFileError(f"{file.path}: the run file is damaged: {what}: {error}") from error


def _check_description(description: Mapping[str, Any]) -> None:
    """ValueError, TypeError or KeyError unless the description has all its parts, each of its type."""
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
    """ValueError for options that World does not have."""
    if unknown := sorted(set(options) - _OPTIONS):
        raise ValueError(f"no option of a world is called {unknown[0]!r}")
