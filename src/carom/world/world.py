"""A world: bodies, one clock, one log. Add bodies, advance, read contacts."""

from __future__ import annotations

import copy
import math
from collections.abc import Callable, Sequence
from typing import Any, Self

from numpy.typing import ArrayLike, NDArray

from carom import validate
from carom._copies import Copyable, check_picklable
from carom.bounds.polled import Polled
from carom.engine.broad_phase_choice import BROAD_PHASES, Selection
from carom.engine.periodic import period_lengths
from carom.engine.tables import Tables
from carom.errors import CaromError, InvalidInputError
from carom.response import Elastic
from carom.shapes import Shape
from carom.tables.run_columns import (
    ASK_BOUNDS,
    ASK_POLL,
    ASK_RESPONSE,
    CALLABLE,
    DONE,
    ELASTIC,
    LOG_FULL,
    NOW,
    PASS_THROUGH,
    PAUSE,
    SAME_TIME,
    SAME_TIME_LIMIT,
    STUCK,
    code_of,
)
from carom.tolerances import REBASE_AFTER
from carom.types import Contact, ContactLog
from carom.world.arguments import frame_length, pool_size, slow_way, unit_axes, zone_angle
from carom.world.budget import advance_within, is_over
from carom.world.copying import restore_state, saved_state
from carom.world.deferral import Deferral, Deferring
from carom.world.deforming.bodies import DeformingBodies
from carom.world.free_flight import check_distance
from carom.world.guided.bodies import BrokenBound, GuidedBody
from carom.world.polling import Touching, check_not_asking, poll_pair, renew_bounds
from carom.world.registry import Registry
from carom.world.saved.snapshot import restore_world, take_snapshot
from carom.world.starts import Starts

Response = Elastic | Callable[["World", Contact], None] | None

_NOTHING = ContactLog.empty()
_PAUSES = (DONE, LOG_FULL, ASK_RESPONSE, ASK_BOUNDS, PAUSE)
"""Requests of an event loop after which the world is in order, so that it may be left there: no event is half done."""


class World(Deferring, Copyable):
    """Bodies in one event-driven world.

    broad: "auto" (the one that suits best, looked at again as the world goes on; `explain` says which and why),
    "kinetic-grid" (hierarchical hash grid, cell crossings are events), "kinetic" (kinetic sweep and prune), "all-pairs", or
    boxes swept per frame in sorted lists ("swept"), a grid ("uniform-grid"), grids of several resolutions ("hash-grid") or
    a tree ("aabb-tree"), or polytopes aligned with each velocity ("vadop"); "kinetic-vadop" is the kinetic sweep over their
    axes; or space-time bounds ("space-time": nothing is done until two of them meet). The log is the same.
    response: None (report and pass through), Elastic, or a function (world, contact) that may change motions.
    queue: "tournament", "pairing", "heap4", "fibonacci" or "reference". axes: (k, 3) directions that bounds are projected on,
    default x, y, z. overlap: "rank" (O(n) memory) or "matrix" (the paper's O(n^2) table). narrow: "lazy" (exact tests wait
    until bounding spheres touch) or "eager". frame: length in seconds of a frame where boxes are swept, and the shortest
    stretch of "space-time". grid: "3d", or "1d" for a "hash-grid" that is one grid for each axis. pool, zone: for the two
    vadops, how many directions bodies choose from beside `axes` (0, or 3 to 1000), and by how many radians a chosen one may
    miss the right angle to the velocity; None: what suits the speeds. slow: for "vadop", radii a frame below which a body
    chooses none, since boxes bound it as well; None: 3. profile: measure stats.seconds_*.
    start: the time at which the world begins. periodic: three lengths after which space repeats, None where it does not;
    positions go on counting beyond them.
    """

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
        if response is not None and not isinstance(response, Elastic) and not callable(response):
            raise InvalidInputError(
                f"response is {validate.shown(response)}; expected None, carom.Elastic or a function"
            )
        self.broad = broad
        self.response = response
        self._options = {
            "broad": broad, "queue": queue, "axes": copy.deepcopy(axes), "overlap": overlap, "narrow": narrow, "frame": frame,
            "grid": grid, "pool": pool, "zone": zone, "slow": slow,
        }  # fmt: skip
        periods = period_lengths(periodic)
        matrix, own_axes = overlap == "matrix", axes is not None
        self._selection = Selection(
            broad,
            queue,
            matrix,
            own_axes,
            bool(periods.any()),
            grid == "1d",
            pool_size(pool),
            zone_angle(zone),
            slow_way(slow),
        )
        self._tables = Tables(directions, queue, periods)
        self._tables.set_options(
            PASS_THROUGH if response is None else ELASTIC if isinstance(response, Elastic) else CALLABLE,
            response.restitution if isinstance(response, Elastic) else 1.0,
            response.collapse_time if isinstance(response, Elastic) and response.restitution < 1.0 else 0.0,
            narrow == "lazy",
            frame_length(frame),
            validate.truth("profile", profile),
        )
        self._set_origin(validate.moment("start", start))
        self._time = self._origin
        self._changed_at = self._time
        self._next = math.inf
        self._registry = Registry()
        self._starts = Starts()
        self._polled: dict[int, Polled] = {}
        self._touching: Touching = {}
        self._deforming = DeformingBodies()
        self._guided: dict[int, GuidedBody] = {}
        self._broken: list[BrokenBound] = []
        self._later: Deferral | None = None
        self._overdue: list[ContactLog] = []
        self._logs: list[ContactLog] = []
        self._advancing = False
        self._asking = False
        self._deadline = math.inf
        self._idle = False
        self._flight = None
        self._asked = self._origin
        self._rebuilds = 0
        self._engine = self._selection.engine(self._tables)

    # ---- time

    def next_event_time(self) -> float:
        """Time of the next event of any kind: no contact comes before it. inf when nothing will ever happen."""
        if self._next == -math.inf and self._starts:
            self._look_at_starts()
        return max(self._next, self._time)

    def advance(self, until: float, budget: float | None = None) -> ContactLog:
        """Move the clock to `until` and return every contact on the way, in time order.

        budget: seconds on the wall clock after which to stop, wherever the world is then; the result is a BudgetedLog, which
        says in `reached` how far it came. The next call goes on from there: no contact is lost, and none comes twice. Every
        call handles at least one event, also with a budget of 0. Between two looks at the clock there may be up to some
        thousand events, and a compilation: by so much a budget may be exceeded.

        `until` before the current time, NaN or infinity raise InvalidInputError; so does a time more than 4e9 s ahead where a
        body deforms or is polled.
        """
        if budget is not None or self._later is not None or self._overdue:
            return self._advance_specially(until, budget)
        if type(until) is float and self._time <= until <= self._common_until and not self._advancing:
            # the common poll, as short as Python allows
            if until < self._next:
                self._time = until
                self._idle = True
                return _NOTHING
            if self._idle:
                self._resume()
                if self._idle:
                    return self._advance_from_start(until)
            following = self._engine.step(until)
            if following >= 0.0:
                self._time = until
                self._next = following
                return _NOTHING
            code = code_of(following)
            return self._finish(self._engine.advance(until) if self._engine.serve(code) else code, until)
        target = self._target(until)
        self._check_not_advancing()
        if self._flight is not None:
            if target < self._flight.end:
                self._time = target
                return _NOTHING
        elif target < self._next and target - self._origin <= REBASE_AFTER:
            self._time = target
            self._idle = True
            return _NOTHING
        self._resume()
        return self._advance_from_start(target)

    def _target(self, until: float) -> float:
        """A time that the clock can be moved to."""
        target = validate.moment("until", until)
        if target < self._time:
            raise InvalidInputError(f"until is {target}; expected a time not before the current time {self._time}")
        check_distance(self._tables, self._time, target)
        return target

    def _check_not_advancing(self) -> None:
        """CaromError where this is called by a function that `advance` waits for."""
        check_not_asking(self)
        if self._advancing:
            raise CaromError("advance was called from inside a response; return from it instead")

    def _resume(self) -> None:
        """Go on after a silence: at its end, where a free flight says when that is."""
        if self._flight is not None:
            self._time = max(self._time, self._flight.end)
        self._sync()

    def _advance_specially(self, until: float, budget: float | None) -> ContactLog:
        """Advance within a budget, or while bodies are deferred."""
        target = self._target(until)
        seconds = None if budget is None else validate.limit("budget", budget)
        self._check_not_advancing()
        if self._later is not None or self._overdue:
            return self._advance_both(target, seconds)
        assert seconds is not None
        return advance_within(self, target, seconds)

    def _advance_from_start(self, target: float) -> ContactLog:
        """Advance to `target`; first see whether bodies that were put somewhere overlap others there."""
        self._look_at_starts()
        self._idle = (
            False  # the event loop has the clock: a response must not move it by the rounding of the public time
        )
        return self._finish(self._engine.advance(self._limit(target)), target)

    def _look_at_starts(self) -> None:
        """Find the overlaps of bodies that were put somewhere since the clock last moved."""
        if self._starts:
            self._sync()
            self._starts.look(self._tables, self._registry, self._engine)
            self._read_next()

    def _report_starts(self) -> None:
        """Report the overlaps at the current time whose contacts the event loop has not reported."""
        self._take_log()
        known = self._starts.reported(self._logs, self._time)
        log = ContactLog.concatenate(
            [*self._logs, self._starts.report(self._tables, self._registry, self._engine, known, self._time)]
        )
        self._logs = [log.ordered_from(self._time) if self.response is None else log]

    def _limit(self, target: float) -> float:
        """Local time up to which the event loop can run on the way to `target`."""
        if self._starts.overlaps:
            return float(self._tables.param[NOW])
        return min(target - self._origin, REBASE_AFTER)

    def _finish(self, code: int, target: float) -> ContactLog:
        """Serve the event loop, which has stopped because of `code`, up to `target`; returns all contacts."""
        reached = target
        if code != DONE or target - self._origin > REBASE_AFTER or self._starts.overlaps:
            self._advancing = True
            try:
                reached = self._serve(code, target)
            finally:
                self._advancing = False
        self._time = reached
        self._take_log()
        if self._flight is not None:
            self._next = self._flight.end
        elif reached < target:
            self._next = reached
        else:
            self._read_next()
            self._select(self._selection.after_changes(self._tables, target))
        logs, self._logs = self._logs, []
        return ContactLog.concatenate(logs) if logs else _NOTHING

    def _serve(self, code: int, target: float) -> float:
        """Do what the event loop asks for, and run it again, until it has reached `target` or the deadline is over.

        Returns the time up to which all contacts have been found.
        """
        begin = self._time
        while True:
            self._time = self._origin + float(self._tables.param[NOW])
            if code == DONE:
                if self._starts.overlaps:
                    self._report_starts()
                elif target - self._origin <= REBASE_AFTER:
                    return target
                elif not self._take_off(2.0 * REBASE_AFTER):
                    self._rebase()
            elif code == LOG_FULL:
                self._take_log()
            elif code == ASK_RESPONSE:
                if self._tables.count[SAME_TIME] > self._tables.count[SAME_TIME_LIMIT]:
                    raise self._stuck()
                self._respond()
            elif code == ASK_POLL:
                if not self._asked_of_deforming():
                    poll_pair(self, self._tables, self._engine, self._polled, self._touching, self._time)
            elif code == ASK_BOUNDS:
                if not self._guided_timer() and not self._deforming_timer():
                    renew_bounds(self, self._tables, self._engine, self._polled, self._origin)
            elif code == STUCK:
                raise self._stuck()
            # A loop that has not paused has seen nothing happen for long.
            elif code == PAUSE or self._take_off(max(self._time - self._asked, 0.0)):
                pass
            else:
                self._asked = self._time
            if self._flight is not None:
                if target < self._flight.end:
                    return target
                self._resume()
                self._asked = self._time
            self._look_at_starts()
            self._idle = False
            pausing = code in _PAUSES and begin < target and not self._starts.overlaps
            if pausing and is_over(self._deadline):
                # The next event, perhaps another at this very time, is still to come.
                self._take_log()
                self._starts.pause(self._logs, self._time)
                return max(begin, math.nextafter(self._time, -math.inf))
            code = self._engine.advance(self._limit(target))

    def explain(self) -> str:
        """In words: which broad phase runs, what the others would cost, and why."""
        self._sync()
        return self._selection.words(self._tables)

    # ---- saving

    def snapshot(self) -> dict[str, NDArray[Any]]:
        """The complete state as arrays; `World.restore` continues from it to the bit-identical log.

        Shapes of rigid bodies, the functions of polled ones and the response are not in it: `restore` is given them. It is
        numbers and words only, which `numpy.savez` keeps. CaromError in a world with deferred bodies, and inside a response.
        """
        if self._later is not None or self._overdue:
            raise CaromError("bodies are deferred; such a world cannot be saved: call defer([]) and advance first")
        check_not_asking(self)
        if self._advancing:
            raise CaromError("snapshot was called from inside a response; take it when advance has returned")
        self._sync()
        return take_snapshot(self)

    @classmethod
    def restore(
        cls,
        snapshot: dict[str, NDArray[Any]],
        shapes: Sequence[Shape | None],
        response: Response = None,
        **options: Any,
    ) -> World:
        """A world that continues from a snapshot. shapes: those of the bodies, in the order of `bodies`.

        Of deforming bodies, which the snapshot holds, no shape is needed: None, or what `World.shape` gives.
        Options are those of World; broad phase and queue may differ from the original's.
        """
        world = cls(response=response, **options)
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
