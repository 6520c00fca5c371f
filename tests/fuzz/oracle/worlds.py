"""What a log must say of bodies that pass through each other, pair by pair; and that bouncing bodies never overlap."""

from __future__ import annotations

import math
from itertools import combinations, pairwise
from typing import Any, NamedTuple

import numpy as np

import carom
from fuzz.cases.calls import made
from fuzz.oracle.convex import HALF_SPACE, bounds
from fuzz.oracle.flight import bounds_at, first_fault, guided_rows, rotation_of, stretches
from fuzz.oracle.pieces import Pieces, hull, pieces_of, reach

_POINT = hull(np.zeros(3))
APART = 1e-6
"""Relative to the sizes: bodies farther apart than this are certainly apart."""


class Body(NamedTuple):
    """What a body is, and its motion rows from given times on; None from when it is gone. told: when its motion was set."""

    pieces: Pieces
    reach: float
    rows: list[tuple[float, Any]]
    group: int
    told: list[float]

    def row_at(self, time: float) -> Any:
        """The motion row that holds from a time on; None where the body is not there."""
        found = None
        for begin, row in self.rows:
            if begin <= time:
                found = row
        return found


def _rows_from(begin: float, motion: Any, before: Any = None) -> list[tuple[float, Any]]:
    """Motion rows of a motion that is set at `begin`; before: the row that a body that is already there has until then."""
    if isinstance(motion, carom.Guided):
        return guided_rows(begin, motion, before)
    ways = stretches(motion)
    now = [s.row for s in ways if s.start <= begin][-1]
    return [(begin, now), *((s.start, s.row) for s in ways if s.start > begin)]


def bodies_of(story: dict[str, Any]) -> list[Body]:
    """All bodies that are ever there, in the order of their ids."""
    bodies = [_body(entry, story["start"]) for entry in story["bodies"]]
    for time, verb, *arguments in sorted(story["acts"], key=lambda act: act[0]):
        if time > story["until"]:
            break
        if verb == "add":
            bodies.append(_body(arguments[0], time))
        elif verb in ("set_motion", "remove"):
            body = bodies[arguments[0]]
            before, rows = body.row_at(time), body.rows
            rows[:] = [entry for entry in rows if entry[0] < time]
            rows += [(time, None)] if verb == "remove" else _rows_from(time, made(arguments[1]), before)
            body.told.append(time)
    return bodies


def _body(entry: dict[str, Any], begin: float) -> Body:
    pieces = pieces_of(made(entry["shape"]))
    return Body(pieces, reach(pieces), _rows_from(begin, made(entry["motion"])), entry.get("group", 0), [begin])


def _filters(story: dict[str, Any]) -> list[tuple[float, tuple[int, int], bool]]:
    return [(act[0], (min(act[2:4]), max(act[2:4])), act[4]) for act in story["acts"] if act[1] == "set_filter"]


def passing_fault(story: dict[str, Any], log: carom.ContactLog, once: bool = False) -> str | None:
    """What is wrong in the log of bodies that pass through each other: missed, late, false, or off the bodies.

    once: new motions do not begin anew, so that a contact is sure to be told only if it is the first one since the motion of
    one of the two was set while they were apart.
    """
    bodies = bodies_of(story)
    acts = {act[0] for act in story["acts"]}
    filters = _filters(story)
    for i, j in combinations(range(len(bodies)), 2):
        a, b = bodies[i], bodies[j]
        if HALF_SPACE in a.pieces.kind and HALF_SPACE in b.pieces.kind:
            continue
        rows = np.flatnonzero((log.a == i) & (log.b == j))
        cuts = {story["start"], story["until"], *acts, *(t for t, _ in (*a.rows, *b.rows))}
        wrong = _pair_fault(
            a, b, sorted(c for c in cuts if story["start"] <= c <= story["until"]), filters, log, rows, once
        )
        if wrong is not None:
            kind, _, rest = wrong.partition(":")
            return f"{kind}: bodies {i} and {j},{rest}"
    return None


def slack_of(a: Body, b: Body, row_a: Any, row_b: Any, end: float) -> tuple[float, float]:
    """Size of the smaller body, and the length by which rounding may deceive."""
    size = min(r for r in (a.reach, b.reach) if r > 0.0)
    extent, clock = a.reach + b.reach, 0.0
    speed = 0.0
    for body, row in ((a, row_a), (b, row_b)):
        dt = abs(end - row[16])
        fast = float(np.linalg.norm(row[3:6]) + dt * np.linalg.norm(row[6:9]) + np.linalg.norm(row[13:16]) * body.reach)
        extent += float(np.abs(row[0:3]).max()) + fast * dt + float(np.abs(body.pieces.size[:, 0]).max())
        speed, clock = speed + fast, max(clock, abs(row[16]), abs(end))
    return size, 1e-10 * size + 1e-13 * extent + 1e-15 * speed * clock


def _pair_fault(
    a: Body, b: Body, cuts: list[float], filters: Any, log: carom.ContactLog, rows: np.ndarray, once: bool
) -> str | None:
    told = False
    times = log.times[rows]
    groups = min(a.group, b.group), max(a.group, b.group)
    for start, end in pairwise(cuts):
        row_a, row_b = a.row_at(start), b.row_at(start)
        apart = [on for time, pair, on in filters if time <= start and pair == groups]
        if row_a is None or row_b is None or (apart and not apart[-1]):
            told = False
            continue
        size, slack = slack_of(a, b, row_a, row_b, end)
        here = times[(times >= start) & (times <= end)]
        # At a cut itself a contact may belong to what was before or to what is now: a body may have jumped.
        wrong = _wrong_rows(a, b, row_a, row_b, log, rows[(times > start) & (times < end)], size, slack)
        if wrong is not None:
            return wrong
        if once and ((times < start) & (times > _armed(a, b, start))).any():
            continue
        lower, _, depth, _ = bounds_at(a.pieces, row_a, b.pieces, row_b, start)
        if lower > 4.0 * slack + 4e-9 * size:
            before = here if end == cuts[-1] else here[here < end]
            found = float(before[0]) if len(before) else math.inf
            wrong = first_fault(
                a.pieces, row_a, a.reach, b.pieces, row_b, b.reach, start, end, found, slack, 2e-9 * size
            )
            if wrong is not None:
                return wrong
            told = len(here) > 0
        elif depth > 1e-6 * size + 100.0 * slack and not told and not (here == start).any():
            return f"start: overlapping by {depth:.3g} at {start!r} and nothing says so"
        told = told or len(here) > 0
    return None


def _armed(a: Body, b: Body, end: float) -> float:
    """The last time up to `end` at which the motion of one of two bodies was set while they were apart; -inf if none."""
    for time in sorted({t for t in (*a.told, *b.told) if t <= end}, reverse=True):
        row_a, row_b = a.row_at(time), b.row_at(time)
        if row_a is not None and row_b is not None:
            lower = bounds_at(a.pieces, row_a, b.pieces, row_b, time)[0]
            if lower > APART * (a.reach + b.reach):
                return time
    return -math.inf


def _wrong_rows(a: Body, b: Body, row_a: Any, row_b: Any, log: Any, rows: Any, size: float, slack: float) -> str | None:
    """Contacts that are none, or whose points are off the bodies."""
    for k in rows:
        time = float(log.times[k])
        lower, _, depth, _ = bounds_at(a.pieces, row_a, b.pieces, row_b, time)
        if lower > 2e-9 * size + 4.0 * slack:
            return f"false: {lower:.3g} apart at {time!r}"
        loose = 1e-6 * size + 1e3 * slack
        still = np.concatenate([log.points[k], np.zeros(6), (1.0, 0.0, 0.0, 0.0), np.zeros(4)])
        for body, row in ((a, row_a), (b, row_b)):
            off = bounds_at(body.pieces, row, _POINT, still, time)[0]
            if off > loose and depth < loose:
                return f"point: {log.points[k]} at {time!r} is {off:.3g} off a body"
    return None


class Overlaps:
    """Watches a world in which bodies bounce: two of them that were apart must never overlap."""

    def __init__(self, story: dict[str, Any]) -> None:
        self._bodies = bodies_of(story)
        self._led = [not np.isfinite(e.get("mass", 1.0)) or e["motion"].name == "Keyframes" for e in story["bodies"]]
        self._from_start: set[tuple[int, int]] | None = None
        self.fault: str | None = None

    def look(self, world: carom.World) -> None:
        """Note the first overlap."""
        places, quats, still = world.positions(), world.orientations(), np.zeros(3)
        turns = [rotation_of(q, still, 0.0) for q in quats]
        seen = set()
        for i, j in combinations(range(len(places)), 2):
            a, b = self._bodies[i], self._bodies[j]
            if self._led[i] and self._led[j]:
                continue
            depth = bounds(a.pieces, turns[i], still, b.pieces, turns[j], places[j] - places[i])[2]
            size = min(r for r in (a.reach, b.reach) if r > 0.0)
            if depth > 1e-7 * size + 1e-11 * float(np.abs(places[[i, j]]).max()):
                seen.add((i, j))
                if self._from_start is not None and (i, j) not in self._from_start and self.fault is None:
                    self.fault = f"overlap: bodies {i} and {j} by {depth:.3g} at {world.time!r}"
        if self._from_start is None:
            self._from_start = seen
