"""A world: bodies, one clock, one log. Add bodies, advance, read contacts."""

from __future__ import annotations

import copy
import math
from collections.abc import Callable, Iterable, Sequence
from typing import Any, Literal, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from carom import validate
from carom._copies import Copyable, check_picklable
from carom.engine import body_queries as reading
from carom.engine.audit import audit_predictions, overlapping_bounds
from carom.engine.base import Engine
from carom.engine.broad_phase_choice import BROAD_PHASES, Selection
from carom.engine.periodic import period_lengths
from carom.engine.space_time.earliest import EarliestIntersection
from carom.engine.tables import Tables
from carom.errors import CaromError, InvalidInputError
from carom.motion import Deforming, Guided, Keyframes, Motion, Motions
from carom.response import Elastic
from carom.shapes import Shape
from carom.tables.run_columns import CALLABLE, ELASTIC, MOTION_CHANGES, PASS_THROUGH, TIMERS, code_of
from carom.types import Contact, ContactLog, Stats
from carom.world.arguments import frame_length, id_list, pool_size, slow_way, unit_axes, zone_angle
from carom.world.bodies import Bodies
from carom.world.broad_phase import sync
from carom.world.clock import local_time, pass_stretches, set_origin
from carom.world.copying import restore_state, saved_state
from carom.world.deferral import Deferral, Undeferred, defer
from carom.world.deforming.bodies import DeformingBodies
from carom.world.deforming.inhabited import (
    add_deforming,
    audit_deforming,
    plans_of,
    set_deforming,
    set_flightplan,
    surface_now,
)
from carom.world.free_flight import FreeFlight
from carom.world.guided.bodies import BrokenBound
from carom.world.guided.steering import GuidedBodies
from carom.world.polling import Touching, check_not_asking
from carom.world.running import (
    NOTHING,
    advance_checked,
    advance_from_start,
    advance_specially,
    finish,
    look_at_starts,
    resume,
)
from carom.world.saved.snapshot import restore_world, saved_response, take_snapshot
from carom.world.starts import Starts

Response = Elastic | Callable[["World", Contact], None] | None
Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Follows = Motion | Keyframes | Deforming | Guided


class World(Copyable):
    """Bodies in one event-driven world.

    A bad argument of any method raises InvalidInputError, which names it, and an id that is not there UnknownBodyError; then
    nothing has changed. All units are SI: m, s, kg, rad.

    - `broad`: "auto" (the one that suits best, looked at again as the world goes on; `explain` says which and why),
      "kinetic-grid" (hierarchical hash grid, cell crossings are events), "kinetic" (kinetic sweep and prune), "all-pairs", or
      boxes swept per frame in sorted lists ("swept"), a grid ("uniform-grid"), grids of several resolutions ("hash-grid") or
      a tree ("aabb-tree"), or polytopes aligned with each velocity ("vadop"); "kinetic-vadop" is the kinetic sweep over their
      axes; or space-time bounds ("space-time": nothing is done until two of them meet). The log is the same.
    - `response`: None (report and pass through), Elastic, or a function (world, contact) that may change motions.
    - `queue`: "tournament", "pairing", "heap4", "fibonacci" or "reference".
    - `axes`: (k, 3) directions, 1 to 100, none zero, that bounds are projected on; None: x, y, z.
    - `overlap`: "rank" (O(n) memory) or "matrix" (the paper's O(n^2) table).
    - `narrow`: "lazy" (exact tests wait until bounding spheres touch) or "eager".
    - `frame`: length, s, 1e-9 to 1e9, of a frame where boxes are swept, and the shortest stretch of "space-time".
    - `grid`: "3d", or "1d" for a "hash-grid" that is one grid for each axis.
    - `pool`: for the two vadops, how many directions bodies choose from beside `axes`: 0, or 3 to 1000.
    - `zone`: for the two vadops, by how many rad, up to pi/2, a chosen direction may miss the right angle to the velocity.
      None, of both: what suits the speeds.
    - `slow`: for "vadop", radii a frame below which a body chooses none, since boxes bound it as well; None: 3.
    - `profile`: measure stats.seconds_*.
    - `start`: the time, s, at which the world begins.
    - `periodic`: three lengths, m, after which space repeats, None where it does not; positions go on counting beyond them.
    """

    _bodies: Bodies
    _deforming: DeformingBodies
    _guided: GuidedBodies
    _deferral: Deferral | None
    """What follows the pairs of deferred bodies, where there are some."""
    _overdue: list[ContactLog]
    """Contacts of bodies that are no longer deferred, for the next log."""
    _engine: Engine
    _origin: float
    _changed_at: float
    """Time at which bodies last came, went or got another motion."""
    _common_until: float
    """Up to this time, local and public times are the same."""
    _idle: bool
    """Is there something to do before the event loop runs?"""
    _asking: bool
    """Does a function of a polled body run?"""
    _flight: FreeFlight | None
    """While no two bodies can touch, what is left of the broad phase; a world that has one is idle."""

    def __init__(
        self,
        broad: str = "auto",
        response: Response = None,
        *,
        queue: str = "tournament",
        axes: ArrayLike | None = None,
        overlap: str = "rank",
        narrow: str = "lazy",
        frame: float = 1.0 / 60.0,
        grid: str = "3d",
        pool: int | None = None,
        zone: float | None = None,
        slow: float | None = None,
        profile: bool = False,
        start: float = 0.0,
        periodic: Sequence[float | None] | None = None,
    ) -> None:
        validate.one_of("broad", broad, BROAD_PHASES)
        validate.one_of("overlap", overlap, ("rank", "matrix"))
        validate.one_of("narrow", narrow, ("lazy", "eager"))
        validate.one_of("grid", grid, ("3d", "1d"))
        directions = unit_axes(axes)
        if isinstance(response, type) or not (response is None or isinstance(response, Elastic) or callable(response)):
            raise InvalidInputError(
                f"response is {validate.shown(response)}; expected None, carom.Elastic() or a function"
            )
        self.broad = broad
        self.response = response
        self._options: dict[str, Any] = {
            "broad": broad, "queue": queue, "axes": copy.deepcopy(axes), "overlap": overlap, "narrow": narrow, "frame": frame,
            "grid": grid, "pool": pool, "zone": zone, "slow": slow,
        }  # fmt: skip
        periods = period_lengths(periodic)
        self._selection = Selection(
            broad, queue, overlap == "matrix", axes is not None, bool(periods.any()), grid == "1d", pool_size(pool),
            zone_angle(zone), slow_way(slow),
        )  # fmt: skip
        self._tables = Tables(directions, queue, periods)
        self._tables.set_options(
            PASS_THROUGH if response is None else ELASTIC if isinstance(response, Elastic) else CALLABLE,
            response.restitution if isinstance(response, Elastic) else 1.0,
            response.collapse_time if isinstance(response, Elastic) and response.restitution < 1.0 else 0.0,
            narrow == "lazy",
            frame_length(frame),
            validate.truth("profile", profile),
        )
        self._begin(validate.moment("start", start))

    def _begin(self, start: float) -> None:
        """Be a world without bodies."""
        set_origin(self, start)
        self._time = self._changed_at = self._asked = start
        self._next = self._deadline = math.inf
        self._bodies, self._deforming, self._guided = Bodies(), DeformingBodies(), GuidedBodies()
        self._starts = Starts()
        self._touching: Touching = {}
        self._deferral, self._overdue = None, []
        self._logs: list[ContactLog] = []
        self._advancing = self._asking = self._idle = False
        self._flight = None
        self._rebuilds = 0
        self._engine = self._selection.engine(self._tables)

    # ---- bodies

    def add(
        self,
        shape: Shape | Deforming,
        motion: Motion | Keyframes | Guided | None = None,
        mass: float = 1.0,
        name: str | None = None,
        group: int = 0,
        inertia: float | None = None,
        self_collision: bool = False,
    ) -> int:
        """Add a body at the current time; returns its id.

        - `shape`: a shape, or a Deforming, which is shape and motion in one: nothing moves it, whatever its mass. Before its
          first key it rests, and after its last. Its contacts are of single triangles: without a response each pair of them is
          reported when it first touches, and again after it was apart at a key, or when one of its motions was changed.
          Triangles in another body at the start are reported then, with status OVERLAPPING, coming closer or not.
        - `motion`: where it is and how it moves; None: at rest at the origin, or of a Deforming. A Guided is a body that its
          user steers, who says again and again with `set_motion` where it is; nothing else moves it. Its limits bound where it
          can be until they expire.
        - `mass`: kg, above 0; inf: nothing can move it.
        - `name`: text; None: its id.
        - `group`: 0 to 63; `set_filter` says which groups collide.
        - `inertia`: moment of inertia, kg m^2, the same about every axis, with which contacts turn the body. None: that of a
          ball of the body's reach where its motion spins, and none (contacts do not turn it) where it does not, is guided or
          deforms.
        - `self_collision`: report where a Deforming touches itself, too.
        """
        with Undeferred(self):
            if isinstance(motion, Guided):
                return self._guided.add(self, shape, motion, mass, name, group, inertia)
            touches_itself = validate.truth("self_collision", self_collision)
            if isinstance(shape, Deforming):
                return add_deforming(self, shape, motion, mass, name, group, inertia, touches_itself)
            if touches_itself:
                raise InvalidInputError(f"self_collision is for deforming bodies; shape is {validate.shown(shape)}")
            return self._bodies.add(self, shape, motion, mass, name, group, inertia)

    def add_many(
        self,
        shapes: Shape | Sequence[Shape],
        positions: ArrayLike,
        velocities: ArrayLike | None = None,
        accelerations: ArrayLike | None = None,
        orientations: ArrayLike | None = None,
        masses: ArrayLike = 1.0,
        groups: ArrayLike = 0,
        names: Sequence[str] | None = None,
        spins: ArrayLike | None = None,
    ) -> Ints:
        """Add n rigid bodies at the current time; returns their ids (n,).

        - `shapes`: one for all, or n; none of them polled.
        - `positions`: (n, 3), m.
        - `velocities`: (n, 3), m/s; None: 0.
        - `accelerations`: (n, 3), m/s^2; None: 0.
        - `orientations`: (n, 4) unit quaternions w, x, y, z; None: not turned.
        - `masses`: kg, one number or (n,), above 0; inf: nothing can move it.
        - `groups`: one whole number or (n,), 0 to 63.
        - `names`: n texts; None: their ids.
        - `spins`: (n, 3), rad/s in world axes; None: 0.
        """
        with Undeferred(self):
            return self._bodies.add_many(
                self, shapes, positions, velocities, accelerations, orientations, masses, groups, names, spins
            )

    def set_motion(self, body: int | Iterable[int], motion: Follows | Sequence[Follows]) -> None:
        """Give one body, or several, a new motion from the current time on; it may jump. Only their events change.

        - `body`: an id, or several.
        - `motion`: one for all, or one for each. A deforming body takes a Deforming, one body at a time; faces and number of
          vertices may be others than before. A polled body takes a Motion.

        A Guided says where a body is at its `start`. If that is later than the current time, the body goes there straight and
        uniformly, turning uniformly to the orientation told, so that `advance(start)` finds every contact on the way; else it
        is there now. From `start` on it goes on at the velocity told until it is told otherwise. If the state breaks the limits
        told before, their bounds end early: `take_broken_bounds` says so. A contact of a guided body is reported once, and
        again only after the two have been apart, by more than 1e-6 of the smaller one, when the motion of one of them was told.
        """
        check_not_asking(self)
        bodies = id_list(body)
        told: Any = motion
        if not isinstance(motion, Follows):
            told = validate.several("motion", motion, "a motion, or one for each body")
        # Whoever knows the motion or the body takes it; guided bodies of which no Guided is told are rigid ones from then on.
        if not self._guided.set_motion(self, bodies, told) and not set_deforming(self, bodies, told):
            self._bodies.set_motion(self, bodies, told)
        if self._deferral is not None:
            self._deferral.tell(self._time, bodies, told)

    def set_flightplan(self, body: int, velocities: ArrayLike, vertices: ArrayLike | None = None) -> None:
        """From now on vertices of a deforming body move straight, until they are told otherwise; keys no longer count for them.

        All other vertices go on as before. Only the events of this body change.

        - `body`: the id of a deforming body.
        - `velocities`: (3,) for all, or (k, 3), m/s.
        - `vertices`: rows (k,) of the vertices; None: all of them.
        """
        set_flightplan(self, body, velocities, vertices)

    def remove(self, body: int | Iterable[int]) -> None:
        """Take one body, or several, out of the world. Their ids are never given out again.

        - `body`: an id, or several.
        """
        with Undeferred(self):
            bodies = list(dict.fromkeys(id_list(body)))
            self._bodies.remove(self, bodies)
            for leaving in bodies:
                self._deforming.forget(leaving)
                self._guided.forget(leaving)

    def set_filter(self, group_a: int, group_b: int, collide: bool) -> None:
        """Say whether bodies of two groups collide. All do until told otherwise.

        - `group_a`, `group_b`: 0 to 63; they may be the same.
        - `collide`: True or False.
        """
        with Undeferred(self):
            self._bodies.set_filter(self, group_a, group_b, collide)

    def defer(self, bodies: int | Iterable[int]) -> None:
        """From now on contacts of these bodies may be told later than others; an empty list ends it.

        Under a budget `advance` first looks at the pairs of all other bodies. What is left of the budget goes to those of
        deferred ones; in the log `deferred` names these bodies where it did not suffice, and `deferred_reached` says up to when
        their contacts are complete. The rest come in later logs, with their true times. Without a budget nothing is put off.

        For worlds without a response, where pairs do not depend on each other; not for periodic worlds and deforming bodies.
        Calling it again, adding or removing bodies and other filters first look at all that was put off.

        - `bodies`: an id, or several. CaromError in a periodic world, or where a body deforms.
        """
        defer(self, bodies)

    # ---- reading

    @property
    def time(self) -> float:
        """The current time, s."""
        return self._time

    @property
    def periodic(self) -> Floats:
        """Lengths (3,) after which space repeats, 0 where it does not. Positions are not folded: they go on counting."""
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
        """The body's name, or its id as text.

        - `body`: its id.
        """
        self._bodies.row(body)
        return self._bodies.registry.names.get(int(body), str(int(body)))

    def shape(self, body: int) -> Shape:
        """The body's shape; of a deforming one its surface as it is now, about its position.

        - `body`: its id.
        """
        row = self._bodies.row(body)
        if int(body) in self._deforming:
            return surface_now(self, int(body), row)
        return self._bodies.shape_of(self._tables, row)

    def positions(self, t: float | None = None) -> Floats:
        """Positions (n, 3) of all bodies, m, in the order of `bodies`, under their present motions.

        The position of a deforming body is the mean of its vertices.

        - `t`: the time, s; None: now.
        """
        return reading.positions_at(self._tables, self._bodies.registry.present(), local_time(self, t))

    def velocities(self, t: float | None = None) -> Floats:
        """Velocities (n, 3) of all bodies, m/s, in the order of `bodies`, under their present motions.

        - `t`: the time, s; None: now.
        """
        return reading.velocities_at(self._tables, self._bodies.registry.present(), local_time(self, t))

    def orientations(self, t: float | None = None) -> Floats:
        """Orientations (n, 4) w, x, y, z of all bodies, in the order of `bodies`, under their present motions.

        - `t`: the time, s; None: now.
        """
        return reading.orientations_at(self._tables, self._bodies.registry.present(), local_time(self, t))

    @property
    def spins(self) -> Floats:
        """Spins (n, 3) of all bodies now, rad/s in world axes, in the order of `bodies`."""
        return reading.spins_of(self._tables, self._bodies.registry.present())

    @property
    def inertias(self) -> Floats:
        """Moments of inertia (n,) of all bodies, kg m^2, in the order of `bodies`; inf for what contacts do not turn."""
        return reading.inertias_of(self._tables, self._bodies.registry.present())

    @property
    def masses(self) -> Floats:
        """Masses (n,) of all bodies, kg, in the order of `bodies`; inf for what nothing can move."""
        return reading.masses_of(self._tables, self._bodies.registry.present())

    def motion(self, body: int) -> Motion:
        """The motion that the body follows now, with its own epoch; of a deforming one that of the mean of its vertices.

        - `body`: its id.
        """
        pass_stretches(self)
        return reading.motion_of(self._tables, self._bodies.row(body), self._origin)

    def keyframes(self, body: int) -> Keyframes | None:
        """The keyframes that the body follows, past ones included; None for a body that follows none.

        - `body`: its id.
        """
        pass_stretches(self)
        return reading.keyframes_of(self._tables, self._bodies.row(body), self._origin)

    def motions(self) -> Motions:
        """The motions that all bodies follow now, in the order of `bodies`; see `motion`."""
        pass_stretches(self)
        return reading.motions_of(self._tables, self._bodies.registry.present(), self._origin)

    @property
    def motion_count(self) -> int:
        """Grows whenever a motion changes: at a contact, at a key, or because the user said so."""
        return int(self._tables.count[MOTION_CHANGES] + self._tables.count[TIMERS])

    def is_deforming(self, body: int) -> bool:
        """Is the body a deforming one?

        - `body`: its id.
        """
        self._bodies.row(body)
        return int(body) in self._deforming

    def deforming(self, body: int) -> Deforming:
        """The motion that a deforming body follows from its present piece on, as keys.

        - `body`: its id.
        """
        return plans_of(self, body).remaining()

    def vertices(self, body: int, t: float | None = None) -> Floats:
        """Vertices (n, 3) of a deforming body, m, under its present motion.

        - `body`: its id.
        - `t`: the time, s; None: now.
        """
        return np.array(plans_of(self, body).at(local_time(self, t)))

    def is_guided(self, body: int) -> bool:
        """Is the body one that its user steers?

        - `body`: its id.
        """
        self._bodies.row(body)
        return int(body) in self._guided

    def guided(self, body: int) -> Guided:
        """What was told last about a guided body.

        - `body`: its id.
        """
        return self._guided.told(self, body)

    def take_broken_bounds(self) -> list[BrokenBound]:
        """Guided bodies that were told to be where their limits did not allow it, since this was last asked."""
        return self._guided.take_broken()

    def earliest_possible_contact(self, within: float = 1.0) -> EarliestIntersection:
        """No contact is possible before `time`, s, whatever users do within their limits; then a and b may touch first.

        When nothing can touch, time is the end of what was looked at, a and b are -1. A guided body whose limits have expired
        may be anywhere: time is now, and b is -1. Groups that do not collide count, too.

        - `within`: seconds from now that are looked at, above 0; fewer where the limits of a guided body expire, a key comes,
          or a body is still on its way before.
        """
        return self._guided.earliest_possible_contact(self, within)

    def overlaps(self) -> Ints:
        """Pairs (m, 2) of ids, sorted, whose kinetic bounds overlap now and whose groups collide."""
        sync(self)
        return overlapping_bounds(self._tables)

    @property
    def stats(self) -> Stats:
        """What this world has done so far."""
        return reading.stats_of(self._tables, self._rebuilds, len(self._engine.pair_rows()[0]))

    @property
    def broad_phase(self) -> str:
        """Name of the broad phase that runs, one of `carom.world.BROAD_PHASES`: the choice of "auto", or what was asked for."""
        return self._selection.running

    def explain(self) -> str:
        """In words: which broad phase runs, what the others would cost, and why."""
        sync(self)
        return self._selection.words(self._tables)

    def audit(self) -> None:
        """Prove the whole state: order of lists and queues, every overlapping pair known, every prediction right.

        Of deforming bodies: all vertices are within their bounds, no pair is asked about after its next contact, and no
        triangle comes to be in a rigid body, by now or by some instants before the next key, without a contact.
        Raises AuditError naming what does not hold.
        """
        check_not_asking(self)
        sync(self)
        self._engine.check(tolerance=1e-9)
        audit_predictions(self._tables, self._engine, just_changed=self._changed_at == self._time)
        audit_deforming(self)
        if self._deferral is not None:
            self._deferral.twin.audit()

    # ---- time

    def next_event_time(self) -> float:
        """Time, s, of the next event of any kind, early by a few last places at most: no contact comes before it.

        inf when nothing will ever happen.
        """
        if self._next == -math.inf and self._starts:
            look_at_starts(self)
        return max(self._next, self._time)

    def advance(self, until: float, budget: float | None = None) -> ContactLog:
        """Move the clock and return every contact on the way, in time order.

        - `until`: the time, s, to move to. Before the current time, NaN or infinity raise InvalidInputError; so does a time
          more than 4e9 s ahead where a body deforms or is polled.
        - `budget`: seconds on the wall clock after which to stop, wherever the world is then; None: none. The result is a
          BudgetedLog, which says in `reached` how far it came. The next call goes on from there: no contact is lost, and none
          comes twice. Every call handles at least one event, also with a budget of 0. Between two looks at the clock there may
          be up to some thousand events, and a compilation: by so much a budget may be exceeded.
        """
        if budget is not None or self._deferral is not None or self._overdue:
            return advance_specially(self, until, budget)
        if type(until) is float and self._time <= until <= self._common_until and not self._advancing:
            # the common poll, as short as Python allows
            if until < self._next:
                self._time = until
                self._idle = True
                return NOTHING
            if self._idle:
                resume(self)
                if self._idle:
                    return advance_from_start(self, until)
            following = self._engine.step(until)
            if following >= 0.0:
                self._time = until
                self._next = following
                return NOTHING
            code = code_of(following)
            return finish(self, self._engine.advance(until) if self._engine.serve(code) else code, until)
        return advance_checked(self, until)

    # ---- saving

    def snapshot(self) -> dict[str, NDArray[Any]]:
        """The complete state as arrays; `World.restore` continues from it to the bit-identical log.

        Shapes of rigid bodies, the functions of polled ones and a response that is a function are not in it: `restore` is
        given them. It is numbers and words only, which `numpy.savez` keeps. CaromError in a world with deferred bodies, and
        inside a response.
        """
        if self._deferral is not None or self._overdue:
            raise CaromError("bodies are deferred; such a world cannot be saved: call defer([]) and advance first")
        check_not_asking(self)
        if self._advancing:
            raise CaromError("snapshot was called from inside a response; take it when advance has returned")
        sync(self)
        return take_snapshot(self)

    @classmethod
    def restore(
        cls,
        snapshot: dict[str, NDArray[Any]],
        shapes: Sequence[Shape | None],
        response: Response | Literal["saved"] = "saved",
        **options: Any,
    ) -> World:
        """A world that continues from a snapshot. InvalidInputError where that is none, or does not fit the rest.

        - `snapshot`: what `snapshot` gave.
        - `shapes`: those of the bodies, in the order of `bodies`. Of deforming bodies, which the snapshot holds, no shape is
          needed: None, or what `World.shape` gives.
        - `response`: as of World. "saved": that of the saved world; where it was a function, it must be given, or None.
        - `options`: those of World; broad phase and queue may differ from the original's.
        """
        given = saved_response(snapshot) if isinstance(response, str) and response == "saved" else response
        world = cls(response=given, **options)
        restore_world(world, snapshot, shapes)
        return world

    def __getstate__(self) -> dict[str, Any]:
        """For pickle. CaromError where `snapshot` raises it, and for functions that pickle cannot find by name."""
        if callable(self.response):
            check_picklable("response", self.response)
        return saved_state(self)

    def __setstate__(self, state: dict[str, Any]) -> None:
        World.__init__(self, response=state["attributes"]["response"], **state["options"])
        restore_state(self, state)

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        memo[id(self)] = other = type(self).__new__(type(self))
        other.__setstate__(copy.deepcopy(saved_state(self), memo))
        return other
