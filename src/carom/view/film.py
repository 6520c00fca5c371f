"""Recording of a world: every motion of every body from the start of the film on."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

import numpy as np
from numpy.typing import NDArray

from carom import validate
from carom.errors import CaromError, InvalidInputError
from carom.motion import Deforming, Motions
from carom.shapes import Shape
from carom.types import ContactLog
from carom.view.replay import Contacts, Pieces, Replay
from carom.view.sphere_trees import with_sphere_trees
from carom.world.clock.clock import past_next_event
from carom.world.world import World

WATCH_SECONDS = 0.2
"""Wall-clock interval at which contacts are passed to `watch`."""
_FIELDS = ("positions", "velocities", "accelerations", "orientations", "spins", "start")


class Film:
    """Advances a world and records what a replay needs.

    Call `advance` instead of the method of the world; between two calls motions may be changed. Adding or removing a
    body during the film raises CaromError, and so does a change of the faces of a deforming body.
    """

    def __init__(self, world: World) -> None:
        self.world = world
        self._begin = world.time
        self._ids = world.bodies
        self._rigid = np.array([not world.is_deforming(int(k)) for k in self._ids], dtype=bool)
        self._surfaces = {int(k): world.deforming(int(self._ids[k])) for k in np.flatnonzero(~self._rigid)}
        self._logs: list[ContactLog] = []
        self._rows: list[NDArray[np.int64]] = []
        self._since: list[NDArray[np.float64]] = []
        self._values: dict[str, list[NDArray[np.float64]]] = {field: [] for field in _FIELDS}
        self._known = world.motions()
        self._keep(np.arange(len(self._ids)))
        self._counted = world.motion_count

    def advance(
        self, until: float, stops: Iterable[float] | None = None, watch: Callable[[ContactLog], None] | None = None
    ) -> ContactLog:
        """Advance the world to `until` as `World.advance` does and return its contacts.

        Parameters
        ----------
        until : float
            Time, s.
        stops : iterable of float, optional
            Ascending times at which motions may change, if they are known in advance. Default: the world is stopped at
            each of its events.
        watch : callable, optional
            Called with all contacts in order, in several parts, every few tenths of a second. It may raise an exception
            to end a film that takes too long.
        """
        target = validate.moment("until", until)
        if target < self.world.time:
            raise InvalidInputError(f"until is {target}; expected a time not before the current time {self.world.time}")
        self._look()
        logs: list[ContactLog] = []
        for stop in self._events(target) if stops is None else stops:
            logs += self._steps(float(stop), watch)
        logs += self._steps(target, watch)
        found = ContactLog.concatenate([log for log in logs if len(log)])
        self._logs.append(found)
        return found

    def replay(self, title: str, sphere_trees: int | None = None) -> Replay:
        """Return the film so far as a replay.

        Parameters
        ----------
        title : str
            Title of the page.
        sphere_trees : int, optional
            Number of levels of the sphere-trees of meshes to show, 1 to 6; InvalidInputError if there is no mesh.
        """
        self._look()
        world, bodies = self.world, self._ids
        shapes: list[Shape] = []
        row_of: dict[int, int] = {}
        shape_index = np.full(len(bodies), -1)
        for k in np.flatnonzero(self._rigid):
            shape = world.shape(int(bodies[k]))
            if id(shape) not in row_of:
                row_of[id(shape)] = len(shapes)
                shapes.append(shape)
            shape_index[k] = row_of[id(shape)]
        names = [world.name(int(k)) for k in bodies]
        replay = Replay(
            title=title,
            begin=self._begin,
            end=world.time,
            names=[f"body {k}" if name == str(k) else name for k, name in zip(bodies, names, strict=True)],
            shapes=shapes,
            shape_index=shape_index,
            pieces=self._pieces(),
            surfaces=dict(self._surfaces),
            contacts=Contacts.of_log(ContactLog.concatenate(self._logs), bodies),
            periods=world.periodic,
        )
        return replay if sphere_trees is None else with_sphere_trees(replay, sphere_trees)

    def _events(self, target: float) -> Iterable[float]:
        world = self.world
        while (due := world.next_event_time()) < target:
            # An event may come a few last places after the time that the world tells.
            yield due if due > world.time else min(past_next_event(world), target)

    def _steps(self, stop: float, watch: Callable[[ContactLog], None] | None) -> Iterator[ContactLog]:
        while True:
            log = self.world.advance(stop, budget=None if watch is None else WATCH_SECONDS)
            if self.world.motion_count != self._counted:
                self._look()
            yield log
            if watch is None:
                return
            watch(log)
            if self.world.time >= stop:
                return

    def _look(self) -> None:
        """Record the motions that are new."""
        self._counted = self.world.motion_count
        if not np.array_equal(self.world.bodies, self._ids):
            raise CaromError("bodies came or went while the world was filmed; begin a new film after such a change")
        motions, known = self.world.motions(), self._known
        new = np.zeros(len(self._ids), dtype=bool)
        for field in _FIELDS:
            differs = getattr(motions, field) != getattr(known, field)
            new |= differs.any(axis=1) if differs.ndim == 2 else differs
        self._known = motions
        self._keep(np.flatnonzero(new & self._rigid))
        for k in self._surfaces:
            self._surfaces[k] = _spliced(self._surfaces[k], self.world.deforming(int(self._ids[k])))

    def _keep(self, rows: NDArray[np.int64]) -> None:
        if len(rows) == 0:
            return
        self._rows.append(rows)
        self._since.append(np.full(len(rows), self.world.time))
        for field, values in self._values.items():
            values.append(getattr(self._known, field)[rows])

    def _pieces(self) -> Pieces:
        rows, since = np.concatenate(self._rows), np.concatenate(self._since)
        # Of pieces that begin at the same time only the last is visible; the sort is stable.
        order = np.lexsort((np.arange(len(rows)), since, rows))
        last = np.ones(len(order), dtype=bool)
        last[:-1] = (rows[order][1:] != rows[order][:-1]) | (since[order][1:] != since[order][:-1])
        kept = order[last]
        first = np.searchsorted(rows[kept], np.arange(len(self._ids) + 1))
        return Pieces(first, since[kept], Motions(**{f: np.concatenate(v)[kept] for f, v in self._values.items()}))


def _spliced(known: Deforming, ahead: Deforming) -> Deforming:
    """Return the passed keys followed by those ahead, or `known` itself if nothing has changed."""
    if not np.array_equal(known.faces, ahead.faces):
        raise CaromError("a deforming body got other faces while the world was filmed; begin a new film after that")
    begin = float(ahead.times[0])
    later = known.times > begin
    same_times = np.array_equal(known.times[later], ahead.times[1:])
    if same_times and np.array_equal(known.vertices[later], ahead.vertices[1:]):
        return known
    if not later.any() and all(np.array_equal(key, known.vertices[-1]) for key in ahead.vertices):
        return known  # at rest after its last key
    before = known.times < begin
    times, vertices = [known.times[before]], [known.vertices[before]]
    here = known.vertices_at(begin)
    if before.any() and not np.allclose(here, ahead.vertices[0], rtol=0.0, atol=1e-12 * np.abs(here).max()):
        times.append(np.array([np.nextafter(begin, -np.inf)]))  # a jump
        vertices.append(here[None])
    return Deforming(
        known.faces, np.concatenate([*times, ahead.times]), np.concatenate([*vertices, ahead.vertices]), name=known.name
    )
