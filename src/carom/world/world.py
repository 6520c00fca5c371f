"""A world: bodies, one clock and one log of contacts."""

from __future__ import annotations

import copy
import math
from collections.abc import Callable, Iterable, Sequence
from typing import Any, Literal, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from carom import validate
from carom._copies import Copyable, check_picklable
from carom.engine.audit import audit_predictions
from carom.engine.broad_phase_choice import Selection
from carom.engine.broad_phases import AUTO, REGISTERED
from carom.engine.contract import Settings
from carom.engine.periodic import period_lengths
from carom.engine.tables import Tables
from carom.errors import CaromError, InvalidInputError
from carom.motion import Deforming, Guided, Keyframes, Motion
from carom.response import Elastic
from carom.shapes import Shape
from carom.tables.run_columns import CALLABLE, ELASTIC, PASS_THROUGH, code_of
from carom.types import Contact, ContactLog
from carom.world import running
from carom.world.arguments import frame_length, id_list, pool_size, slow_way, unit_axes, zone_angle
from carom.world.bodies import Bodies
from carom.world.broad_phase import sync
from carom.world.clock.clock import set_origin
from carom.world.clock.free_flight import FreeFlight
from carom.world.copying import restore_state, saved_state
from carom.world.deferral import Deferral, Undeferred, defer
from carom.world.deforming.bodies import DeformingBodies
from carom.world.deforming.inhabited import add_deforming, audit_deforming, set_deforming, set_flightplan
from carom.world.guided.steering import GuidedBodies
from carom.world.polling import Touching, check_not_asking
from carom.world.running import NOTHING, advance_checked, advance_from_start, finish, resume
from carom.world.saved.snapshot import restore_world, saved_response, take_snapshot
from carom.world.starts.starts import Starts
from carom.world.views import WorldViews

Response = Elastic | Callable[["World", Contact], None] | None
Ints = NDArray[np.int64]
Follows = Motion | Keyframes | Deforming | Guided


class World(WorldViews, Copyable):
    """An event-driven world of bodies. Add bodies, advance the clock, read contacts.

    All units are SI: m, s, kg, rad. A malformed argument of any method raises InvalidInputError, an unknown id
    UnknownBodyError; the world is then unchanged.

    - `broad`: the broad phase. "auto" selects one by estimated cost, again as the world changes (see `explain`).
      "kinetic-grid": hierarchical hash grid whose cell crossings are events. "kinetic": kinetic sweep and prune.
      "all-pairs". Boxes swept per frame in sorted lists ("swept"), a grid ("uniform-grid"), grids of several resolutions
      ("hash-grid") or a tree ("aabb-tree"). "vadop": velocity-aligned polytopes; "kinetic-vadop": the kinetic sweep over
      their axes. "space-time": space-time bounds. All report the same log.
    - `response`: None (report contacts and pass through), Elastic, or a function (world, contact) that may change motions.
    - `queue`: event queue: "tournament", "pairing", "heap4", "fibonacci" or "reference".
    - `axes`: (k, 3) directions, 1 to 100, on which bounds are projected; None: x, y, z.
    - `overlap`: "rank" (O(n) memory) or "matrix" (the paper's O(n^2) table).
    - `narrow`: "lazy" (exact tests wait until bounding spheres touch) or "eager".
    - `frame`: length of a frame of swept boxes, s, 1e-9 to 1e9; the shortest interval of "space-time".
    - `grid`: "3d", or "1d" for a "hash-grid" of one grid per axis.
    - `pool`: number of directions from which bodies choose besides `axes`, for "vadop" and "kinetic-vadop": 0, or 3 to 1000.
      None: selected by the speeds.
    - `zone`: largest angle, rad, up to pi/2, between a chosen direction and the plane perpendicular to the velocity, for
      "vadop" and "kinetic-vadop". None: selected by the speeds.
    - `slow`: bodies slower than this many radii per frame use only `axes` in "vadop", because swept boxes bound them equally
      tightly. None: 3.
    - `profile`: measure stats.seconds_*.
    - `start`: time at which the world begins, s.
    - `periodic`: three lengths, m, after which space repeats, or None per axis; positions are not wrapped.
    """

    _deferral: Deferral | None
    """Follows the pairs of deferred bodies, if there are any."""
    _overdue: list[ContactLog]
    """Contacts of bodies that are no longer deferred, for the next log."""
    _changed_at: float
    """Time at which bodies were last added, removed or given another motion."""
    _common_until: float
    """Up to this time, local and public times are the same."""
    _idle: bool
    """Whether there is work to do before the event loop runs."""
    _asking: bool
    """Whether a function of a polled body is running."""
    _flight: FreeFlight | None
    """What is left of the broad phase while no two bodies can touch; such a world is idle."""

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
        validate.one_of("broad", broad, (AUTO, *REGISTERED))
        validate.one_of("overlap", overlap, ("rank", "matrix"))
        validate.one_of("narrow", narrow, ("lazy", "eager"))
        validate.one_of("grid", grid, ("3d", "1d"))
        directions = unit_axes(axes)
        if isinstance(response, type) or not (response is None or isinstance(response, Elastic) or callable(response)):
            shown = validate.shown(response)
            raise InvalidInputError(f"response is {shown}; expected None, carom.Elastic() or a function")
        self.broad = broad
        self.response = response
        self._options: dict[str, Any] = {
            "broad": broad, "queue": queue, "axes": copy.deepcopy(axes), "overlap": overlap, "narrow": narrow, "frame": frame,
            "grid": grid, "pool": pool, "zone": zone, "slow": slow,
        }  # fmt: skip
        periods = period_lengths(periodic)
        choice_of_axes = pool_size(pool), zone_angle(zone), slow_way(slow)
        settings = Settings(queue, overlap == "matrix", axes is not None, grid == "1d", *choice_of_axes)
        self._selection = Selection(broad, settings, bool(periods.any()))
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
        """Reset to a world without bodies."""
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
        """Add a body at the current time and return its id.

        - `shape`: a shape, or a Deforming, which defines shape and motion and which no contact moves. It rests before its first
          and after its last key. Its contacts are those of single triangles: without a response each pair is reported at its
          first contact, and again after the triangles were apart at a key or a motion of the pair changed. Triangles that are
          inside another body at the start are reported then, with status OVERLAPPING.
        - `motion`: the motion; None: at rest at the origin, or that of a Deforming. A Guided body is steered by its user, who
          reports its state with `set_motion`; its limits bound its positions until they expire.
        - `mass`: kg, above 0; inf: immovable, as a floor must be.
        - `name`: text; None: the id.
        - `group`: 0 to 63; `set_filter` defines which groups collide.
        - `inertia`: moment of inertia, kg m^2, the same about every axis, with which contacts turn the body. None: that of a
          solid sphere of the body's radius if its motion spins; else, and for guided and deforming bodies, contacts do not
          turn it.
        - `self_collision`: also report self-contacts of a Deforming.
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
        """Add n rigid bodies at the current time and return their ids (n,).

        - `shapes`: one for all, or n; not Polled.
        - `positions`: (n, 3), m.
        - `velocities`: (n, 3), m/s; None: 0.
        - `accelerations`: (n, 3), m/s^2; None: 0.
        - `orientations`: (n, 4) unit quaternions w, x, y, z; None: the identity.
        - `masses`: kg, one number or (n,), above 0; inf: immovable.
        - `groups`: one whole number or (n,), 0 to 63.
        - `names`: n texts; None: the ids.
        - `spins`: (n, 3), rad/s in world axes; None: 0.
        """
        with Undeferred(self):
            return self._bodies.add_many(
                self, shapes, positions, velocities, accelerations, orientations, masses, groups, names, spins
            )

    def set_motion(self, body: int | Iterable[int], motion: Follows | Sequence[Follows]) -> None:
        """Give one body, or several, a new motion from the current time on. Positions may jump.

        - `body`: an id, or several.
        - `motion`: one for all, or one per body. A deforming body takes a Deforming, one body at a time, which may have other
          faces than before. A polled body takes a Motion.

        A Guided gives the state of a body at its `start`. If that is later than the current time, the body moves and turns
        there uniformly, so that `advance(start)` finds every contact on the way. From `start` on it continues at the given
        velocity until the next report. If the state violates earlier limits, their bounds end early (see
        `take_broken_bounds`). A contact of a guided body is reported again only after the two were apart, by more than 1e-6
        of the smaller one, when the motion of one of them was reported.
        """
        check_not_asking(self)
        bodies = id_list(body)
        told: Any = motion
        if not isinstance(motion, Follows):
            told = validate.several("motion", motion, "a motion, or one for each body")
        # The first part that knows the motion or the body takes it; a guided body without a Guided becomes a rigid one.
        if not self._guided.set_motion(self, bodies, told) and not set_deforming(self, bodies, told):
            self._bodies.set_motion(self, bodies, told)
        if self._deferral is not None:
            self._deferral.tell(self._time, bodies, told)

    def set_flightplan(self, body: int, velocities: ArrayLike, vertices: ArrayLike | None = None) -> None:
        """Let vertices of a deforming body move uniformly from now on, instead of along its keys.

        All other vertices continue as before. Only the events of this body change.

        - `body`: id of a deforming body.
        - `velocities`: (3,) for all, or (k, 3), m/s.
        - `vertices`: rows (k,) of the vertices; None: all.
        """
        set_flightplan(self, body, velocities, vertices)

    def remove(self, body: int | Iterable[int]) -> None:
        """Remove one body, or several. Ids are not used again.

        - `body`: an id, or several.
        """
        with Undeferred(self):
            bodies = list(dict.fromkeys(id_list(body)))
            self._bodies.remove(self, bodies)
            for leaving in bodies:
                self._deforming.forget(leaving)
                self._guided.forget(leaving)

    def set_filter(self, group_a: int, group_b: int, collide: bool) -> None:
        """Define whether bodies of two groups collide. By default all groups collide.

        - `group_a`, `group_b`: 0 to 63, also the same one.
        - `collide`: True or False.
        """
        with Undeferred(self):
            self._bodies.set_filter(self, group_a, group_b, collide)

    def defer(self, bodies: int | Iterable[int]) -> None:
        """Allow contacts of these bodies to be reported late under a budget; an empty list ends it.

        `advance` with a budget first handles the pairs of all other bodies. The rest of the budget is for deferred bodies. If
        it did not suffice, `deferred` of the log contains these bodies, and their contacts are complete up to
        `deferred_reached`; the others follow in later logs, with their true times. Without a budget nothing is deferred.
        Another call of `defer`, adding or removing bodies and new filters first handle all deferred pairs.

        Only for worlds without a response, because pairs must not depend on each other. CaromError in a periodic world or in
        one with deforming bodies.

        - `bodies`: an id, or several.
        """
        defer(self, bodies)

    def audit(self) -> None:
        """Check the whole state: order of lists and queues, completeness of the overlapping pairs, all predictions.

        For deforming bodies: all vertices are within their bounds, no pair is tested after its next contact, and no triangle
        enters a rigid body without a contact, at the current time or at some times up to the next key. Raises AuditError.
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
        """Return the time of the next event, s, or slightly less: no contact is before it. inf without one."""
        if self._next == -math.inf and self._starts:
            running.look_at_starts(self)
        return max(self._next, self._time)

    def advance(self, until: float, budget: float | None = None) -> ContactLog:
        """Advance the clock and return all contacts up to then, in time order.

        - `until`: time, s. It must be finite and not before the current time, and at most 4e9 s ahead if a body deforms or is
          polled.
        - `budget`: wall-clock seconds after which to stop; None: no limit. The result is a BudgetedLog, whose `reached` is the
          time that the world has reached. The next call continues from there: no contact is lost or repeated. Every call
          handles at least one event. The clock is read every few thousand events, and kernels may have to be compiled, so
          the budget may be exceeded by so much.
        """
        if budget is not None or self._deferral is not None or self._overdue:
            return running.advance_specially(self, until, budget)
        if type(until) is float and self._time <= until <= self._common_until and not self._advancing:
            # The common poll, as short as possible.
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
        """Return the complete state as arrays, from which `World.restore` continues to the bit-identical log.

        The arrays contain numbers and text only, so that `numpy.savez` can store them. Shapes of rigid bodies, functions of
        polled bodies and a response that is a function are not included; `restore` takes them. CaromError if bodies are
        deferred, or inside a response.
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
        """A new world that continues from a snapshot; a world on which this is called stays as it is.

        InvalidInputError where the snapshot is none, or does not fit the rest.

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
        """Return the state for pickle. CaromError as for `snapshot`, and for functions that pickle cannot find by name."""
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
