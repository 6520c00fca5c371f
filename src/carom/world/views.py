"""The read-only part of a world: its bodies and their state under the current motions."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

import numpy as np
from numpy.typing import NDArray

from carom.bounds.meetings.earliest import EarliestIntersection
from carom.engine import body_queries
from carom.engine.audit import overlapping_bounds
from carom.engine.broad_phase_choice import Selection
from carom.engine.contract import Engine
from carom.engine.tables import Tables
from carom.motion import Deforming, Guided, Keyframes, Motion, Motions
from carom.shapes import Shape
from carom.tables.run_columns import MOTION_CHANGES, TIMERS
from carom.types import Stats
from carom.world.bodies import Bodies
from carom.world.broad_phase import sync
from carom.world.clock.clock import local_time, pass_stretches
from carom.world.deforming.bodies import DeformingBodies
from carom.world.deforming.inhabited import plans_of, surface_now
from carom.world.guided.bodies import BrokenBound
from carom.world.guided.steering import GuidedBodies

if TYPE_CHECKING:
    from carom.world.world import World

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


class WorldViews:
    """Base class of World: properties and methods that report the state of bodies. Arrays are in the order of `bodies`."""

    _bodies: Bodies
    _deforming: DeformingBodies
    _guided: GuidedBodies
    _engine: Engine
    _selection: Selection
    _tables: Tables
    _time: float
    _origin: float
    _rebuilds: int

    @property
    def _world(self) -> World:
        """This object, with the type that the functions of a world's parts take."""
        return cast("World", self)

    @property
    def time(self) -> float:
        """Current time, s."""
        return self._time

    @property
    def periodic(self) -> Floats:
        """Lengths (3,) after which space repeats, m, 0 where it does not. Positions are not wrapped."""
        return self._tables.periods.copy()

    @property
    def bodies(self) -> Ints:
        """Ids of all bodies, ascending."""
        return self._bodies.registry.ids()

    def __len__(self) -> int:
        return len(self._bodies)

    def __repr__(self) -> str:
        n = len(self)
        return f"World({n} {'body' if n == 1 else 'bodies'}, time {self._time:g} s, broad={self.broad_phase!r})"

    def name(self, body: int) -> str:
        """Return the name of a body, or its id as text.

        - `body`: its id.
        """
        self._bodies.row(body)
        return self._bodies.registry.names.get(int(body), str(int(body)))

    def shape(self, body: int) -> Shape:
        """Return the shape of a body; for a deforming body its current surface, relative to its position.

        - `body`: its id.
        """
        row = self._bodies.row(body)
        if int(body) in self._deforming:
            return surface_now(self._world, int(body), row)
        return self._bodies.shape_of(self._tables, row)

    def positions(self, t: float | None = None) -> Floats:
        """Return the positions (n, 3) of all bodies, m; for a deforming body the mean of its vertices.

        - `t`: time, s; None: now.
        """
        return body_queries.positions_at(self._tables, self._bodies.registry.present(), local_time(self._world, t))

    def velocities(self, t: float | None = None) -> Floats:
        """Return the velocities (n, 3) of all bodies, m/s.

        - `t`: time, s; None: now.
        """
        return body_queries.velocities_at(self._tables, self._bodies.registry.present(), local_time(self._world, t))

    def orientations(self, t: float | None = None) -> Floats:
        """Return the orientations (n, 4) of all bodies, w, x, y, z.

        - `t`: time, s; None: now.
        """
        return body_queries.orientations_at(self._tables, self._bodies.registry.present(), local_time(self._world, t))

    @property
    def spins(self) -> Floats:
        """Current angular velocities (n, 3) of all bodies, rad/s in world axes."""
        return body_queries.spins_of(self._tables, self._bodies.registry.present())

    @property
    def inertias(self) -> Floats:
        """Moments of inertia (n,) of all bodies, kg m^2; inf for bodies that contacts do not turn."""
        return body_queries.inertias_of(self._tables, self._bodies.registry.present())

    @property
    def masses(self) -> Floats:
        """Masses (n,) of all bodies, kg; inf for immovable ones."""
        return body_queries.masses_of(self._tables, self._bodies.registry.present())

    def motion(self, body: int) -> Motion:
        """Return the current motion of a body, with its own epoch; for a deforming body that of the mean of its vertices.

        - `body`: its id.
        """
        pass_stretches(self._world)
        return body_queries.motion_of(self._tables, self._bodies.row(body), self._origin)

    def keyframes(self, body: int) -> Keyframes | None:
        """Return the keyframes that a body follows, including past ones; None if it follows none.

        - `body`: its id.
        """
        pass_stretches(self._world)
        return body_queries.keyframes_of(self._tables, self._bodies.row(body), self._origin)

    def motions(self) -> Motions:
        """Return the current motions of all bodies; see `motion`."""
        pass_stretches(self._world)
        return body_queries.motions_of(self._tables, self._bodies.registry.present(), self._origin)

    @property
    def motion_count(self) -> int:
        """A counter that grows whenever a motion changes: at a contact, at a key, or through `set_motion`."""
        return int(self._tables.count[MOTION_CHANGES] + self._tables.count[TIMERS])

    def is_deforming(self, body: int) -> bool:
        """Return whether a body is deforming.

        - `body`: its id.
        """
        self._bodies.row(body)
        return int(body) in self._deforming

    def deforming(self, body: int) -> Deforming:
        """Return the motion of a deforming body as keys, from its current interval on.

        - `body`: its id.
        """
        return plans_of(self._world, body).remaining()

    def vertices(self, body: int, t: float | None = None) -> Floats:
        """Return the vertices (n, 3) of a deforming body, m.

        - `body`: its id.
        - `t`: time, s; None: now.
        """
        return np.array(plans_of(self._world, body).at(local_time(self._world, t)))

    def is_guided(self, body: int) -> bool:
        """Return whether a body is guided, that is steered by its user.

        - `body`: its id.
        """
        self._bodies.row(body)
        return int(body) in self._guided

    def guided(self, body: int) -> Guided:
        """Return the last reported state of a guided body.

        - `body`: its id.
        """
        return self._guided.told(self._world, body)

    def take_broken_bounds(self) -> list[BrokenBound]:
        """Return the reports, since the last call, of guided bodies at states that violate their limits."""
        return self._guided.take_broken()

    def earliest_possible_contact(self, within: float = 1.0) -> EarliestIntersection:
        """Return a time before which no contact is possible, whatever users do within their limits, and the pair a, b.

        If nothing can touch, the time is the end of the search and a and b are -1. A guided body with expired limits may be
        anywhere: the time is then the current one and b is -1. Groups that do not collide are included.

        - `within`: length of the search, s, above 0. It ends earlier if the limits of a guided body expire, at a key, or when
          a guided body arrives at its reported state.
        """
        return self._guided.earliest_possible_contact(self._world, within)

    def overlaps(self) -> Ints:
        """Return the pairs of ids (m, 2), sorted, whose kinetic bounds overlap now and whose groups collide."""
        sync(self._world)
        return overlapping_bounds(self._tables)

    @property
    def stats(self) -> Stats:
        """Counters of the work done so far."""
        return body_queries.stats_of(self._tables, self._rebuilds, len(self._engine.pair_rows()[0]))

    @property
    def broad_phase(self) -> str:
        """Name of the broad phase that runs, one of `carom.world.BROAD_PHASES`: as requested, or selected by "auto"."""
        return self._selection.running

    def explain(self) -> str:
        """Return a text: which broad phase runs, why, and the estimated cost of the others."""
        sync(self._world)
        return self._selection.words(self._tables)
