"""What a world can be asked: its bodies, their motions, its counters, and the proof that all is well."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from carom import validate
from carom.bounds.polled import Polled
from carom.engine.audit import audit_predictions, overlapping_bounds
from carom.engine.base import Engine
from carom.engine.body_queries import (
    inertias_of,
    keyframes_of,
    masses_of,
    motion_of,
    motions_of,
    orientations_at,
    positions_at,
    spins_of,
    stats_of,
    velocities_at,
)
from carom.engine.tables import Tables
from carom.motion import Keyframes, Motion, Motions
from carom.shapes import Shape
from carom.shapes.kind import POLLED
from carom.tables.body_columns import ID, KIND, SHAPE
from carom.tables.run_columns import MOTION_CHANGES, NOW, TIMERS
from carom.tolerances import REBASE_AFTER
from carom.types import Stats
from carom.world.free_flight import FreeFlight
from carom.world.registry import Registry
from carom.world.starts import Starts
from carom.world.time_origin import move_origin, passed_stretches


class Observed:
    """The state of a world and everything that only reads it."""

    _tables: Tables
    _engine: Engine
    _registry: Registry
    _polled: dict[int, Polled]
    _origin: float
    _time: float
    _changed_at: float
    """Time at which bodies last came, went or got another motion."""
    _common_until: float
    """Up to this time, local and public times are the same."""
    _idle: bool
    """Is there something to do before the event loop runs?"""
    _starts: Starts
    _flight: FreeFlight | None
    """While no two bodies can touch, what is left of the broad phase; a world that has one is idle."""
    _rebuilds: int

    @property
    def periodic(self) -> NDArray[np.float64]:
        """Lengths (3,) after which space repeats, 0 where it does not. Positions are not folded: they go on counting."""
        return self._tables.periods.copy()

    @property
    def bodies(self) -> NDArray[np.int64]:
        """Ids of all bodies, ascending."""
        return self._registry.ids()

    def __len__(self) -> int:
        return len(self._registry.present())

    def name(self, body: int) -> str:
        """The body's name, or its id as text."""
        self._registry.rows([body])
        return self._registry.names.get(int(body), str(int(body)))

    def shape(self, body: int) -> Shape:
        """The body's shape; of a deforming one its surface as it is now, about its position."""
        return self._shape_of(int(self._registry.rows([body])[0]))

    def positions(self, t: float | None = None) -> NDArray[np.float64]:
        """Positions (n, 3) of all bodies, in the order of `bodies`, at time t (default now) under their present motions.

        The position of a deforming body is the mean of its vertices.
        """
        return positions_at(self._tables, self._registry.present(), self._local(t))

    def velocities(self, t: float | None = None) -> NDArray[np.float64]:
        """Velocities (n, 3) of all bodies, in the order of `bodies`, at time t (default now) under their present motions."""
        return velocities_at(self._tables, self._registry.present(), self._local(t))

    def orientations(self, t: float | None = None) -> NDArray[np.float64]:
        """Orientations (n, 4) w, x, y, z of all bodies, in the order of `bodies`, at time t under their present motions."""
        return orientations_at(self._tables, self._registry.present(), self._local(t))

    @property
    def spins(self) -> NDArray[np.float64]:
        """Spins (n, 3) of all bodies now, rad/s in world axes, in the order of `bodies`."""
        return spins_of(self._tables, self._registry.present())

    @property
    def inertias(self) -> NDArray[np.float64]:
        """Moments of inertia (n,) of all bodies, in the order of `bodies`; inf for what contacts do not turn."""
        return inertias_of(self._tables, self._registry.present())

    @property
    def masses(self) -> NDArray[np.float64]:
        """Masses (n,) of all bodies, in the order of `bodies`; inf for what nothing can move."""
        return masses_of(self._tables, self._registry.present())

    def motion(self, body: int) -> Motion:
        """The motion that the body follows now, with its own epoch; of a deforming one that of the mean of its vertices."""
        self._pass_stretches()
        return motion_of(self._tables, int(self._registry.rows([body])[0]), self._origin)

    def keyframes(self, body: int) -> Keyframes | None:
        """The keyframes that the body follows, past ones included; None for a body that follows none."""
        self._pass_stretches()
        return keyframes_of(self._tables, int(self._registry.rows([body])[0]), self._origin)

    def motions(self) -> Motions:
        """The motions that all bodies follow now, in the order of `bodies`; see `motion`."""
        self._pass_stretches()
        return motions_of(self._tables, self._registry.present(), self._origin)

    @property
    def motion_count(self) -> int:
        """Grows whenever a motion changes: at a contact, at a key, or because the user said so."""
        return int(self._tables.count[MOTION_CHANGES] + self._tables.count[TIMERS])

    def overlaps(self) -> NDArray[np.int64]:
        """Pairs (m, 2) of ids, sorted, whose kinetic bounds overlap now and whose groups collide."""
        self._sync()
        return overlapping_bounds(self._tables)

    @property
    def stats(self) -> Stats:
        """What this world has done so far."""
        return stats_of(self._tables, self._rebuilds, len(self._engine.pair_rows()[0]))

    def audit(self) -> None:
        """Prove the whole state: order of lists and queues, every overlapping pair known, every prediction right.

        Raises AuditError naming what does not hold.
        """
        self._sync()
        self._engine.check(tolerance=1e-9)
        audit_predictions(self._tables, self._engine, just_changed=self._changed_at == self._time)

    def _sync(self) -> None:
        """Tell the tables the current time: polls with nothing due only move the public clock.

        The world stays idle where bodies were put somewhere and have not been looked at since.
        """
        if self._idle:
            self._idle = bool(self._starts)
            param = self._tables.param
            param[NOW] = max(float(param[NOW]), self._time - self._origin)
            if self._flight is not None:
                self._land()

    def _land(self) -> None:
        """Start the broad phase again that a free flight has left behind."""
        raise NotImplementedError

    def _pass_stretches(self) -> None:
        """In a free flight: move the time origin as often as it would have moved without one."""
        if self._flight is None:
            return
        origin, times = passed_stretches(self._origin, self._time)
        if times:
            self._tables.param[NOW] = self._time - self._origin
            move_origin(self._tables, self._flight.since, times)
            self._set_origin(origin)
            self._tables.param[NOW] = self._time - origin

    def _set_origin(self, origin: float) -> None:
        """Local times count from `origin`, s."""
        self._origin = origin
        self._common_until = REBASE_AFTER if origin == 0.0 else -math.inf

    def _local(self, t: float | None) -> float:
        """A time the user gave, or now, since the time origin."""
        self._pass_stretches()
        return (self._time if t is None else validate.moment("t", t)) - self._origin

    def _shape_of(self, row: int) -> Shape:
        if self._tables.link[row, KIND] == POLLED:
            return self._polled[int(self._tables.link[row, ID])]
        return self._tables.shapes.shapes[int(self._tables.link[row, SHAPE])]
