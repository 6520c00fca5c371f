"""Replays of run files: a run is repeated from its checkpoint, a checked animation is read."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from carom.deform.model.contact_log import DeformContacts
from carom.errors import InvalidInputError, RunFileError
from carom.motion import Deforming, Motions
from carom.runfile import CHECK, CheckFile, RunFile, holds
from carom.scenes import check_end, stored_scene, stored_world
from carom.types import ContactLog
from carom.view.film import WATCH_SECONDS, Film
from carom.view.replay import Contacts, Pieces, Replay
from carom.view.sphere_trees import check_sphere_trees, with_sphere_trees


def replay_file(
    path: str | Path, since: float | None = None, until: float | None = None, sphere_trees: int | None = None
) -> Replay:
    """Return the replay of a run file of `carom run` or `carom check`, from `since` to `until`, s; default: all of it.

    sphere_trees: number of levels of the sphere-trees of its meshes to show, 1 to 6, which are built. RunFileError if the file
    cannot be read, or if repeating the run gives other contacts (it was made by another version). InvalidInputError for times
    that are invalid or outside the run, and for sphere-trees without a rigid mesh.
    """
    path = Path(path)
    if not holds(path, CHECK):
        return _replay_run(path, since, until, sphere_trees)
    replay = _replay_check_file(path, since, until)
    return replay if sphere_trees is None else with_sphere_trees(replay, sphere_trees)


def replay_check(
    title: str, bodies: list[Deforming], found: DeformContacts, since: float | None = None, until: float | None = None
) -> Replay:
    """Return the replay of a checked animation, from `since` to `until`, s; default: from its first key to its last."""
    first, last = min(float(body.times[0]) for body in bodies), max(float(body.times[-1]) for body in bodies)
    begin, end = _window(since, until, first, last)
    n = len(bodies)
    return Replay(
        title=title,
        begin=begin,
        end=end,
        names=[body.name or f"body {k}" for k, body in enumerate(bodies)],
        shapes=(),
        shape_index=np.full(n, -1),
        pieces=Pieces(np.arange(n + 1), np.full(n, begin), Motions(np.zeros((n, 3)))),
        surfaces={k: _between(body, begin, end) for k, body in enumerate(bodies)},
        contacts=Contacts.of_check(found).within(begin, end),
        periods=np.zeros(3),
    )


def _replay_run(path: Path, since: float | None, until: float | None, sphere_trees: int | None) -> Replay:
    with RunFile.read(path) as file:
        scene = stored_scene(file)
        if sphere_trees is not None:
            check_sphere_trees(scene.name, scene.shapes, sphere_trees)
        saved = file.checkpoints()
        begin, end = _window(since, until, 0.0, saved[-1].time)
        before = [checkpoint for checkpoint in saved if checkpoint.time <= begin][-1]
        world = stored_world(file, scene, before.number)
        check_end(file)
        contacts = Contacts.of_log(file.contacts(), world.bodies)
    repeats = _Comparison(path, contacts.within(np.nextafter(world.time, math.inf), end), world.bodies)
    while world.time < begin:
        repeats.compare(world.advance(begin, budget=WATCH_SECONDS))
    film = Film(world)
    expected = contacts.within(np.nextafter(begin, math.inf), end)
    film.advance(end, np.unique(expected.times), repeats.compare)
    repeats.end()
    return film.replay(scene.name, sphere_trees)


class _Comparison:
    """Compares the contacts of a repeated run with those of its file, and stops at the first difference.

    A file may claim that a run with few contacts ended years later, while its scene has infinitely many.
    """

    def __init__(self, path: Path, expected: Contacts, bodies: NDArray[np.int64]) -> None:
        self._path, self._expected, self._bodies, self._seen = path, expected, bodies, 0

    def compare(self, log: ContactLog) -> None:
        """Compare the next contacts; RunFileError if they differ from those of the file."""
        found, rows = Contacts.of_log(log, self._bodies), slice(self._seen, self._seen + len(log))
        for field in ("times", "a", "b"):
            if not np.array_equal(getattr(found, field), getattr(self._expected, field)[rows]):
                raise self._differs()
        self._seen += len(log)

    def end(self) -> None:
        """Raise RunFileError if the file holds more contacts."""
        if self._seen < len(self._expected):
            raise self._differs()

    def _differs(self) -> RunFileError:
        return RunFileError(
            f"{self._path}: repeating the run gives other contacts than the file holds: run the scene again"
        )


def _replay_check_file(path: Path, since: float | None, until: float | None) -> Replay:
    with CheckFile.read(path) as file:
        source, title, bodies, contacts = file.source(), file.title(), file.bodies(), file.contacts()
    return replay_check(title, bodies, contacts, since, source.get("until") if until is None else until)


def _window(since: float | None, until: float | None, first: float, last: float) -> tuple[float, float]:
    """Return the interval to show; InvalidInputError if it is invalid or outside the run."""
    begin, end = first if since is None else since, last if until is None else until
    if since is not None and not first <= begin < last:
        raise InvalidInputError(f"since is {since}; expected a time from {first:g} to before {last:g}")
    if until is not None and not begin < end:
        raise InvalidInputError(f"until is {until}; expected a time after {begin:g}")
    if not begin < end:
        raise RunFileError("the run has no length: nothing to show")
    return begin, min(end, last)


def _between(body: Deforming, begin: float, end: float) -> Deforming:
    """Return the keys from `begin` to `end`, with one before and one after."""
    first = max(int(np.searchsorted(body.times, begin, "right")) - 1, 0)
    last = min(int(np.searchsorted(body.times, end, "left")) + 1, len(body.times))
    first = min(first, len(body.times) - 2)
    last = max(last, first + 2)
    return Deforming(body.faces, body.times[first:last], body.vertices[first:last], name=body.name)
