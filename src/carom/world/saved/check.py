"""Is this the snapshot of a world? Every array is checked before the tables take it over."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from carom.bounds.kinetic import least_width
from carom.bounds.space_time import PLANE_COLUMNS
from carom.shapes.kind import HALF_SPACE, POLLED, ShapeKind
from carom.shapes.registry import SHAPES
from carom.tables.body_columns import (
    AX,
    BODY_COLUMNS,
    DEPARTURE_COLUMNS,
    FLAGS,
    FREE_ROW,
    GIVEN_BOUNDS,
    GROUP,
    ID,
    INV_INERTIA,
    INV_MASS,
    KEYED,
    KIND,
    LAST_HIT,
    LINK_COLUMNS,
    NO_ID,
    PLAIN,
    SPIN_COLUMNS,
    T_REF,
    TRACK,
    VX,
    X,
)
from carom.tables.run_columns import GIVEN_HEAD
from carom.tolerances import REBASE_AFTER
from carom.world.saved.fields import LARGEST, Fields

_MOST_COUNTED = 2**62
_CODES = [POLLED, *(shape.code for shape in SHAPES if shape.kind != ShapeKind.COMPOUND)]
"""What saved rows may hold as the kind of a body: the code of its shape."""
_GROUPS = 64
_OFF_UNIT = 1e-9  # How far from 1 the length of a saved quaternion may be
_CROSSED = 1e-9
"""Share of their distance from the origin by which a lower and an upper bound may have passed each other by rounding."""
_CLOCKS_APART = 1e-9  # Share of the time by which the public clock may differ from the local one and its origin


class Clock(NamedTuple):
    """The time origin; since then, the present and the last contact; the public time. s."""

    origin: float
    now: float
    same_at: float
    time: float


class Registered(NamedTuple):
    """row_of_id (n,); ids (m,) and rows (m,) of the bodies that are there; free_rows; names by id."""

    row_of_id: NDArray[np.int32]
    ids: NDArray[np.int64]
    rows: NDArray[np.int64]
    free_rows: NDArray[np.int64]
    names: dict[int, str]


def checked_clock(saved: Fields) -> Clock:
    """The clock."""
    clock = saved.times("clock", (4,))
    saved.require(
        "clock", clock, np.isfinite(clock) | (np.array([False, False, True, False]) & (clock < 0.0)), "a time"
    )
    found = Clock(*clock.tolist())
    if found.now < 0.0 or found.same_at > found.now:
        raise saved.wrong("clock", f" is {clock.tolist()}; expected a last contact and an origin before the present")
    apart = abs(found.time - (found.origin + found.now))
    if apart > _CLOCKS_APART * max(1.0, abs(found.time), abs(found.origin)):
        raise saved.wrong("clock", f" is {clock.tolist()}; expected the time to be the origin and the present together")
    return found


def checked_registry(saved: Fields, capacity: int) -> Registered:
    """Which row holds which body: every row is either free or that of one body."""
    row_of_id = saved.whole("row_of_id", np.int32, (None,), NO_ID, capacity - 1)
    free = saved.whole("free_rows", np.int64, (None,), 0, capacity - 1)
    ids = np.flatnonzero(row_of_id != NO_ID)
    rows = row_of_id[ids].astype(np.int64)
    if not np.array_equal(np.sort(np.concatenate((rows, free))), np.arange(capacity)):
        raise saved.wrong("row_of_id", f" and free_rows do not hold each of the {capacity} rows once")
    name_ids, names = saved.array("name_ids", np.int64, (None,)), saved.array("names", np.str_, (None,))
    if len(names) != len(name_ids):
        raise saved.wrong("names", f" has {len(names)} entries; expected {len(name_ids)}, as many as name_ids")
    saved.require("name_ids", name_ids, np.isin(name_ids, ids), "the id of a body")
    saved.each_once("name_ids", name_ids)
    return Registered(row_of_id, ids, rows, free, dict(zip(name_ids.tolist(), map(str, names), strict=True)))


def checked_tables(saved: Fields, n_axes: int, clock: Clock) -> tuple[dict[str, NDArray[Any]], Registered]:
    """The tables by name, and the registry they belong to. Free rows are as new ones."""
    body = saved.array("body", np.float64, (None, BODY_COLUMNS))
    capacity = len(body)
    known = checked_registry(saved, capacity)
    link = saved.array("link", np.int32, (capacity, LINK_COLUMNS))
    present, free = np.zeros(capacity, np.bool_), known.free_rows
    present[known.rows] = True
    _check_links(saved, link, known)
    tables = {
        "body": body,
        "link": link,
        "quat": saved.array("quat", np.float64, (capacity, 4)),
        "spin": saved.array("spin", np.float64, (capacity, SPIN_COLUMNS)),
        "departure": _checked_departures(saved, capacity),
        "given": _checked_given(saved, link, known.rows, n_axes, clock.now),
        "masks": saved.array("masks", np.uint64, (_GROUPS,)),
        "timers": saved.times("timers", (capacity,)),
        **_checked_tracks(saved, link, known.rows),
    }
    for name in ("body", "quat", "spin", "departure"):
        tables[name][free] = 0.0
    body[free, LAST_HIT] = -np.inf
    link[free] = NO_ID
    link[free, FLAGS] = FREE_ROW
    tables["timers"][free] = np.inf
    _check_states(saved, tables, known.rows, clock.now)
    _check_timers(saved, tables, known.rows)
    return tables, known


def _checked_departures(saved: Fields, capacity: int) -> NDArray[np.float64]:
    """Motions as they began. Snapshots of earlier versions have none; one that the present motion is not of is not used."""
    if "departure" not in saved:
        return np.zeros((capacity, DEPARTURE_COLUMNS))
    return saved.numbers("departure", (capacity, DEPARTURE_COLUMNS))


def _check_links(saved: Fields, link: NDArray[np.int32], known: Registered) -> None:
    """Of every body: kind, group and what it follows are numbers that there are, and the row is its own."""
    rows = known.rows
    right = np.ones(link.shape, np.bool_)
    right[rows, KIND] = np.isin(link[rows, KIND], _CODES)
    right[rows, GROUP] = (link[rows, GROUP] >= 0) & (link[rows, GROUP] < _GROUPS)
    right[rows, FLAGS] = np.isin(link[rows, FLAGS], (PLAIN, KEYED, GIVEN_BOUNDS))
    right[rows, ID] = link[rows, ID] == known.ids
    right[rows, FLAGS] &= (link[rows, KIND] != POLLED) | (link[rows, FLAGS] == GIVEN_BOUNDS)
    saved.require("link", link, right, "what the row of this body holds")
    right[known.free_rows, FLAGS] = link[known.free_rows, FLAGS] == FREE_ROW
    saved.require("link", link, right, f"{FREE_ROW}, since the row is free")


def _checked_given(
    saved: Fields, link: NDArray[np.int32], rows: NDArray[np.int64], n_axes: int, now: float
) -> NDArray[np.float64]:
    """User-given bounds. Snapshots of earlier versions have no cutting planes."""
    width = GIVEN_HEAD + 6 * n_axes + PLANE_COLUMNS
    found = saved.array("given", np.float64, (None, None))
    if found.shape[1] not in (width, width - PLANE_COLUMNS):
        raise saved.wrong("given", f" has shape {found.shape}; expected (n, {width})")
    given = np.zeros((len(found), width))
    given[:, : found.shape[1]] = found
    own = rows[link[rows, FLAGS] == GIVEN_BOUNDS]
    used = _own_rows(saved, link, own, len(given))
    right = np.ones(given.shape, np.bool_)
    right[used] = np.abs(given[used]) <= LARGEST
    right[used, 0] = given[used, 0] > 0.0
    right[used, 2] = given[used, 2] >= given[used, 1]
    saved.require("given", given, right, "a number, and an expiry not before the start")
    for row in used.tolist():
        sides = given[row, GIVEN_HEAD:-PLANE_COLUMNS].reshape(n_axes, 2, 3)
        since = max(now - given[row, 1], 0.0)
        span = min(max(given[row, 2] - given[row, 1] - since, 0.0), REBASE_AFTER)
        with np.errstate(all="ignore"):
            reach = np.abs(sides) @ np.array([1.0, since + span, (since + span) ** 2])
            for (low, high), scale in zip(sides, reach.sum(axis=1), strict=True):
                c0, c1, c2 = (high - low).tolist()
                now_apart = np.array([c0 + since * (c1 + since * c2), c1 + 2.0 * since * c2, c2])
                if not least_width(now_apart, span) >= -_CROSSED * scale:
                    raise saved.wrong("given", f"[{row}] has a lower bound above the upper one")
    return given


def _own_rows(saved: Fields, link: NDArray[np.int32], rows: NDArray[np.int64], n: int) -> NDArray[np.int64]:
    """Rows of another table of n that bodies own: each exists and is that of one body alone."""
    right = np.ones(link.shape, np.bool_)
    owned = link[rows, TRACK].astype(np.int64)
    right[rows, TRACK] = (owned >= 0) & (owned < n)
    saved.require("link", link, right, f"a row from 0 to {n - 1}")
    if len(np.unique(owned)) != len(owned):
        raise saved.wrong("link", " lets two bodies follow one row; expected one for each")
    return owned


def _checked_tracks(saved: Fields, link: NDArray[np.int32], rows: NDArray[np.int64]) -> dict[str, NDArray[Any]]:
    """Keyframes: tracks are ranges of keys whose times grow, and the next key is one of the range, or its end."""
    times = saved.numbers("key_time", (None,))
    n = len(times)
    turns = saved.numbers("key_turn", (n, 7))
    places = saved.numbers("key_pos", (n, 3))
    track = saved.whole("track", np.int64, (None, 3), 0, n)
    following, end, first = track.T
    if ((first >= end) | (following < first) | (following > end)).any():
        raise saved.wrong("track", " holds a next key out of the range of its keys")
    own = _own_rows(saved, link, rows[link[rows, FLAGS] == KEYED], len(track))
    for row in own.tolist():
        if (np.diff(times[first[row] : end[row]]) <= 0.0).any():
            raise saved.wrong("key_time", f" does not grow along track {row}")
    _check_unit(saved, "key_turn", turns[:, :4], np.arange(n))
    return {"key_time": times, "key_pos": places, "key_turn": turns, "track": track}


def _check_unit(saved: Fields, name: str, quats: NDArray[np.float64], rows: NDArray[np.int64]) -> None:
    """Orientations are unit quaternions; all zero stands for no rotation."""
    with np.errstate(all="ignore"):
        squares = (quats[rows] ** 2).sum(axis=1)
    wrong = ~((np.abs(squares - 1.0) <= _OFF_UNIT) | ~quats[rows].any(axis=1))
    if wrong.any():
        row = int(rows[np.argmax(wrong)])
        raise saved.wrong(name, f"[{row}] is {quats[row].tolist()}; expected a quaternion of length 1")


def _check_states(saved: Fields, tables: dict[str, NDArray[Any]], rows: NDArray[np.int64], now: float) -> None:
    """Where bodies are and how they move: finite, and so at the present."""
    body, link, spin = tables["body"], tables["link"], tables["spin"]
    right = np.ones(body.shape, np.bool_)
    right[rows, X : T_REF + 1] = np.abs(body[rows, X : T_REF + 1]) <= LARGEST
    right[rows, INV_MASS] = (body[rows, INV_MASS] >= 0.0) & np.isfinite(body[rows, INV_MASS])
    right[rows, INV_MASS] &= (link[rows, FLAGS] == PLAIN) | (body[rows, INV_MASS] == 0.0) | (link[rows, KIND] == POLLED)
    right[rows, LAST_HIT] = body[rows, LAST_HIT] <= now
    saved.require("body", body, right, f"a number of at most {LARGEST:g}")
    dt = (now - body[rows, T_REF])[:, None]
    with np.errstate(all="ignore"):
        velocity = body[rows, VX : VX + 3] + dt * body[rows, AX : AX + 3]
        place = body[rows, X : X + 3] + dt * (body[rows, VX : VX + 3] + 0.5 * dt * body[rows, AX : AX + 3])
        far = ~((np.abs(place) <= LARGEST) & (np.abs(velocity) <= LARGEST)).all(axis=1)
    if far.any():
        raise saved.wrong("body", f"[{int(rows[np.argmax(far)])}] is beyond {LARGEST:g} m or m/s at the present")
    _check_unit(saved, "quat", tables["quat"], rows)
    right = np.ones(spin.shape, np.bool_)
    right[rows] = np.isfinite(spin[rows]) & (np.abs(spin[rows]) <= LARGEST)
    right[rows, INV_INERTIA] &= spin[rows, INV_INERTIA] >= 0.0
    walls = rows[link[rows, KIND] == HALF_SPACE]
    right[walls] &= spin[walls] == 0.0
    saved.require("spin", spin, right, f"a spin of at most {LARGEST:g} rad/s, and none of a half-space")


def _check_timers(saved: Fields, tables: dict[str, NDArray[Any]], rows: NDArray[np.int64]) -> None:
    """A body without keys or bounds has no timer, and the timer of one with keys is its next key."""
    link, timers, track = tables["link"], tables["timers"], tables["track"]
    expected = np.full(len(timers), np.inf)
    keyed = rows[link[rows, FLAGS] == KEYED]
    following, end, _ = track[link[keyed, TRACK]].T
    before_end = following < end
    expected[keyed[before_end]] = tables["key_time"][following[before_end]]
    given = rows[link[rows, FLAGS] == GIVEN_BOUNDS]
    expected[given] = timers[given]
    right = timers == expected
    right[given] = timers[given] > -np.inf
    saved.require("timers", timers, right, "the time of the body's next key, or inf")


def checked_reported(saved: Fields, known: Registered) -> tuple[NDArray[Any], NDArray[Any], NDArray[Any]]:
    """Pairs of rows whose contact was reported, and the times from which they may touch again."""
    pairs = saved.array("reported_rows", np.int32, (None, 2))
    id_of = np.full(int(known.rows.max(initial=-1)) + 1, NO_ID)
    id_of[known.rows] = known.ids
    saved.require("reported_rows", pairs, np.isin(pairs, known.rows), "the row of a body")
    if (id_of[pairs[:, 0]] >= id_of[pairs[:, 1]]).any():
        raise saved.wrong("reported_rows", " holds a pair whose first body has not the lower id")
    saved.each_once("reported_rows", pairs)
    since = saved.times("reported_since", (len(pairs),))
    return pairs[:, 0].copy(), pairs[:, 1].copy(), since


def checked_counters(saved: Fields, n: int) -> NDArray[np.int64]:
    """What the world had done."""
    return saved.whole("counters", np.int64, (n,), 0, _MOST_COUNTED)
