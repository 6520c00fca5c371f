"""The arrays behind a world, and how they grow. Kernels never grow anything: they return a code and Python regrows."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from carom.bounds.space_time import PLANE_COLUMNS
from carom.maths.ball_address import ball_address
from carom.narrow.toi.shape_table import ShapeTable
from carom.queues.event_queue import EventQueue
from carom.shapes.kind import HALF_SPACE, POLLED, SPHERE
from carom.tables import run_columns as col
from carom.tables.body_columns import (
    AX,
    BODY_COLUMNS,
    DEGREE,
    DEPARTURE_COLUMNS,
    FLAGS,
    FREE_ROW,
    HEAD,
    ID,
    KIND,
    LAST_HIT,
    LINK_COLUMNS,
    NO_ID,
    SPIN_COLUMNS,
    TRACK,
)
from carom.tables.run_columns import CALLABLE, COUNT_COLUMNS, GIVEN_HEAD, LOG_COLUMNS, PARAM_COLUMNS, Bodies, Run

_LOG_ROWS = 4096
_SAME_TIME_BASE = 100_000
"""Contacts within SAME_INSTANT before a world is called stuck, and 100 more per body."""

_SAME_TIME_CALLED = 1_000
"""The same where a response in Python is called for each of them, which takes up to a millisecond; and one more per pair."""


class Tables:
    """Bodies, keyframe tracks, user-given bounds, shapes, log and counters of one world."""

    def __init__(self, axes: NDArray[np.float64], method: str, periods: NDArray[np.float64] | None = None) -> None:
        n_axes = len(axes)
        self.axes = axes
        self.periods = np.zeros(3) if periods is None else periods
        self.body = np.zeros((0, BODY_COLUMNS))
        self.link = np.zeros((0, LINK_COLUMNS), np.int32)
        self.quat = np.zeros((0, 4))
        self.spin = np.zeros((0, SPIN_COLUMNS))
        self.departure = np.zeros((0, DEPARTURE_COLUMNS))
        self.extent = np.zeros((0, 2 * n_axes))
        self.given = np.zeros((0, GIVEN_HEAD + 6 * n_axes + PLANE_COLUMNS))
        self.key_time = np.zeros(0)
        self.key_pos = np.zeros((0, 3))
        self.key_turn = np.zeros((0, 7))
        self.track = np.zeros((0, 3), np.int64)
        self.masks = np.full(64, np.iinfo(np.uint64).max, np.uint64)
        self.timers = EventQueue(0, method)
        self.log = np.zeros((_LOG_ROWS, LOG_COLUMNS))
        self.weights: dict[int, NDArray[np.float64]] = {}
        """Weights (6,) of the corners of both triangles, by row of the log, for contacts of deforming bodies"""
        self.count = np.zeros(COUNT_COLUMNS, np.int64)
        self.param = np.zeros(PARAM_COLUMNS)
        self.none = np.zeros(0, np.int64)
        self.turning = False
        """Does any body but balls turn, or may contacts turn one?"""
        self.shapes = ShapeTable()
        self.count[col.FREE_PAIR] = NO_ID
        self.param[col.SAME_AT] = -math.inf

    @property
    def capacity(self) -> int:
        """Rows for bodies."""
        return len(self.body)

    def set_options(
        self, response: int, restitution: float, collapse: float, lazy: bool, frame: float, profile: bool
    ) -> None:
        """Write the world's options where kernels read them."""
        self.count[col.RESPONSE] = response
        self.count[col.LAZY] = lazy
        self.count[col.PROFILE] = profile
        self.param[col.RESTITUTION] = restitution
        self.param[col.COLLAPSE] = collapse
        self.param[col.FRAME_LENGTH] = frame
        self._limit_contacts()

    def grow(self, capacity: int) -> None:
        """Make room for `capacity` bodies."""
        old = self.capacity
        for name in ("body", "link", "quat", "spin", "departure", "extent"):
            array = getattr(self, name)
            bigger = np.zeros((capacity, array.shape[1]), array.dtype)
            bigger[:old] = array
            setattr(self, name, bigger)
        self.link[old:] = NO_ID
        self.link[old:, FLAGS] = FREE_ROW
        self.body[old:, LAST_HIT] = -math.inf
        self.timers.grow(capacity)
        self._limit_contacts()
        self.write_addresses()

    def _limit_contacts(self) -> None:
        """Set how many contacts at one instant mean that they do not come to an end."""
        n, limit = self.capacity, _SAME_TIME_BASE
        if self.count[col.RESPONSE] == CALLABLE:
            limit = min(limit, _SAME_TIME_CALLED + n * (n - 1) // 2)
        self.count[col.SAME_TIME_LIMIT] = limit + 100 * n

    def clear_rows(self, rows: int | NDArray[np.int32]) -> None:
        """Make rows ready for new bodies."""
        self.body[rows] = 0.0
        self.body[rows, LAST_HIT] = -math.inf
        self.quat[rows] = 0.0
        self.spin[rows] = 0.0
        self.departure[rows] = 0.0
        self.link[rows] = 0
        for column in (HEAD, TRACK, ID):
            self.link[rows, column] = NO_ID

    def write_addresses(self) -> None:
        """Tell kernels where the tables of the exact test are; to be called whenever one of them moved."""
        floats, ints = self.shapes.floats, self.shapes.ints
        self.count[col.BODY_ADDRESS] = self.body.ctypes.data
        self.count[col.QUAT_ADDRESS] = self.quat.ctypes.data
        self.count[col.SPIN_TABLE_ADDRESS] = self.spin.ctypes.data
        self.count[col.LINK_ADDRESS] = self.link.ctypes.data
        self.count[col.N_ROWS] = self.capacity
        self.count[col.FLOATS_ADDRESS] = floats.ctypes.data
        self.count[col.N_FLOATS] = len(floats)
        self.count[col.INTS_ADDRESS] = ints.ctypes.data
        self.count[col.N_INTS] = len(ints)

    def allow_acceleration(self) -> None:
        """Make the search for the contact of two balls on curved paths available to kernels."""
        self.count[col.BALL_ADDRESS] = ball_address()

    def prepare(self, rows: NDArray[np.int32]) -> None:
        """Make every test available to kernels that new bodies in `rows` need. Compiles on first use."""
        if self.body[rows, AX : AX + 3].any():
            self.allow_acceleration()
        if not np.isin(self.link[rows, KIND], (SPHERE, HALF_SPACE, POLLED)).all():
            from carom.narrow.toi.translating import general_toi_address

            self.count[col.NARROW_ADDRESS] = general_toi_address()
        if self.turning:
            self.allow_spin()
        if self.shapes.round:
            self.allow_round()
        self.write_addresses()

    def allow_spin(self) -> None:
        """Make the pair test for turning bodies available to kernels. Compiles on first use."""
        from carom.narrow.toi.spinning import spinning_toi_address

        self.count[col.SPINNING_ADDRESS] = spinning_toi_address()

    def allow_round(self) -> None:
        """Make the pair test for round shapes available to kernels. Compiles on first use."""
        from carom.narrow.toi.round_pair import round_toi_address

        self.count[col.ROUND_ADDRESS] = round_toi_address()

    def speed_between_keys(self) -> float:
        """Greatest speed between neighbouring keys of all tracks, as a sum over the axes, m/s; 0 without keyframes."""
        spans = np.diff(self.key_time)
        ways = np.abs(np.diff(self.key_pos, axis=0)).sum(axis=1)
        return float(np.divide(ways, spans, out=np.zeros(len(spans)), where=spans > 0.0).max(initial=0.0))

    def add_track(self, times: NDArray[np.float64], positions: NDArray[np.float64], turns: NDArray[np.float64]) -> int:
        """Append a keyframe track; returns its row. turns (n, 7): orientations and the spins that lead to the next."""
        first = len(self.key_time)
        self.key_time = np.concatenate((self.key_time, times))
        self.key_pos = np.concatenate((self.key_pos, positions))
        self.key_turn = np.concatenate((self.key_turn, turns))
        row = np.array([[first, first + len(times), first]], np.int64)
        self.track = np.concatenate((self.track, row))
        return len(self.track) - 1

    def add_given(self) -> int:
        """Append an empty row of user-given bounds; returns its number."""
        self.given = np.concatenate((self.given, np.zeros((1, self.given.shape[1]))))
        return len(self.given) - 1

    def given_sides(self, number: int) -> NDArray[np.float64]:
        """Coefficients (k, 2, 3) of the lower and the upper end along each axis in a row of user-given bounds, to write to."""
        return self.given[number, GIVEN_HEAD:-PLANE_COLUMNS].reshape(len(self.axes), 2, 3)

    def given_plane(self, number: int) -> NDArray[np.float64]:
        """The cutting plane (5,) in a row of user-given bounds, to write to."""
        return self.given[number, -PLANE_COLUMNS:]

    def forget_pairs(self) -> None:
        """Empty the bodies' lists of pairs, before a new engine fills them."""
        self.link[:, HEAD] = NO_ID
        self.link[:, DEGREE] = 0
        self.count[col.FREE_PAIR] = NO_ID
        self.count[col.N_PAIRS] = 0
        self.count[col.SORTING] = 0

    def bodies(self) -> Bodies:
        """The bodies as kernels see them."""
        return Bodies(
            self.body,
            self.link,
            self.extent,
            self.axes,
            self.given,
            self.key_time,
            self.key_pos,
            self.track,
            self.masks,
            self.timers.keys,
            self.timers.links,
            self.quat,
            self.spin,
            self.key_turn,
        )

    def run(self) -> Run:
        """Log, counters and parameters as kernels see them."""
        return Run(self.log, self.count, self.param, self.none)
