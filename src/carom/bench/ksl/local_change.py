"""Other flightplans for a patch of the cloth: the separation list's local update against a full pass."""

from __future__ import annotations

import copy
import time
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from carom.bench.ksl.runs import Bodies, run_check
from carom.bench.ksl.scenes import bodies_of
from carom.bench.progress import Bar
from carom.bench.report import Cell, Table
from carom.deform import check
from carom.deform.contact_log import OVERLAPPING
from carom.deform.separation_list import SeparationContacts, SeparationList
from carom.errors import AuditError
from carom.motion import Deforming

SHARES = (0.002, 0.01, 0.05, 0.14, 0.3)
COLUMNS = (
    "scene", "triangles", "changed, %", "vertices", "change, ms", "its events, ms", "full pass, ms", "full pass / update",
    "first, ms",
)  # fmt: skip
_PUSH = 0.2
"""Metres a second that the patch gains."""
_SAME_TIME = 1e-9
"""Seconds. The list and the search see the moment of the push at slightly different fractions of an interval."""
_PASSES = 4
"""Intervals, up to the one with the push, whose full passes are averaged."""


@dataclass(frozen=True)
class _Update:
    """CPU seconds of the change itself and of the rest of the interval, and the contacts in that."""

    change: float
    rest: float
    found: SeparationContacts
    end: NDArray[np.float64]
    """vertices at the end of the interval"""


def measure_local(quick: bool, bar: Bar) -> Table:
    """Pushes halfway between two keys. Its events: what the rest of the interval costs beyond a rest without the push. First:
    the first change ever to a list, of one vertex, which links its pairs, once; the others come later."""
    rows: list[tuple[Cell, ...]] = []
    size, key, repeats = (450, 3, 1) if quick else (16_384, 10, 9)
    for scene in bar.track(["tablecloth", "swirl"], "local changes"):
        bodies = bodies_of(scene, size, key + 2)
        # The mean of some intervals: a front laid anew costs more than one that is kept.
        full = float(np.min([run_check(bodies).seconds[-_PASSES:] for _ in range(repeats)], axis=0).mean())
        times = bodies[0].times
        halfway = SeparationList(*bodies, selves=True, boxes="chord", full_passes=False)
        halfway.advance(0.5 * float(times[key] + times[key + 1]))
        first = _first_change(halfway)
        patches = [patch(bodies[0].faces, halfway.positions(), share) for share in SHARES]
        nothing = np.empty(0, np.int64)
        calm, *updates = _updated(halfway, [nothing, *(changed for changed, _ in patches)], repeats)
        for (rows_changed, faces), update in zip(patches, updates, strict=True):
            _require_same(scene, bodies, halfway, rows_changed, update)
            events = max(0.0, update.rest - calm.rest)
            rows.append(
                (
                    scene, len(bodies[0].faces), 100.0 * faces / len(bodies[0].faces), len(rows_changed),
                    1e3 * update.change, 1e3 * events, 1e3 * full, full / (update.change + events),
                    1e3 * first,
                )
            )  # fmt: skip
    title = "Flightplans of a patch change: update of the list on chord boxes, and a full pass by the chord front"
    return Table("ksl_local", title, COLUMNS, rows)


def _first_change(halfway: SeparationList) -> float:
    """CPU seconds of the first change: one vertex goes on as before."""
    seconds = 0.0
    for each in (copy.deepcopy(halfway), halfway):  # the copy compiles what is needed
        velocity = each.velocities()[:1]
        begin = time.process_time()
        each.change_flightplans([0], velocity)
        seconds = time.process_time() - begin
    return seconds


def patch(faces: NDArray[np.int32], vertices: NDArray[np.float64], share: float) -> tuple[NDArray[np.int64], int]:
    """Vertices round one of them such that about this share of the triangles has one of these; and how many have."""
    away = np.linalg.norm(vertices - vertices[faces[len(faces) // 3, 0]], axis=1)
    nearest = away[faces].min(axis=1)
    reach = np.sort(nearest)[max(1, round(share * len(faces))) - 1]
    inside = away <= reach
    inside[np.setdiff1d(np.arange(len(vertices)), faces)] = False
    return np.flatnonzero(inside), int((nearest <= reach).sum())


def _updated(halfway: SeparationList, patches: list[NDArray[np.int64]], repeats: int) -> list[_Update]:
    """The fastest of several for each patch, in turns; the list itself is left as it is."""
    best: list[_Update | None] = [None] * len(patches)
    for _ in range(repeats):
        for k, rows in enumerate(patches):
            update, before = _update(copy.deepcopy(halfway), rows), best[k]
            if before is not None:
                update = replace(update, change=min(update.change, before.change), rest=min(update.rest, before.rest))
            best[k] = update
    return [update for update in best if update is not None]


def _update(changed: SeparationList, rows: NDArray[np.int64]) -> _Update:
    """Push the vertices and go to the end of the interval."""
    velocities = changed.velocities()[rows] + (0.0, 0.0, _PUSH)
    ticks = [time.process_time()]
    if len(rows):
        changed.change_flightplans(rows, velocities)
    ticks.append(time.process_time())
    found = changed.advance(changed.last_time)
    ticks.append(time.process_time())
    return _Update(ticks[1] - ticks[0], ticks[2] - ticks[1], found, changed.positions())


def _require_same(
    scene: str, bodies: Bodies, halfway: SeparationList, rows: NDArray[np.int64], update: _Update
) -> None:
    """AuditError unless the pushed triangles have the contacts that a search from the push on finds."""
    start, first, parts = halfway.positions(), 0, []
    for body in bodies:
        part = slice(first, first + body.vertices.shape[1])
        parts.append(
            Deforming(body.faces, (halfway.time, bodies[0].times[-1]), np.stack([start[part], update.end[part]]))
        )
        first = part.stop
    expected = check(parts, every=True, threads=1)
    pushed = np.asarray(np.isin(bodies[0].faces, rows).any(axis=1))

    def touches_pushed(body: NDArray[np.int64], face: NDArray[np.int64]) -> NDArray[np.bool_]:
        return np.asarray((body == 0) & pushed[np.where(body == 0, face, 0)])

    named = touches_pushed(expected.body_a, expected.face_a) | touches_pushed(expected.body_b, expected.face_b)
    named &= expected.kinds != OVERLAPPING
    found = update.found
    own = touches_pushed(found.bodies[:, 0], found.faces[:, 0]) | touches_pushed(found.bodies[:, 1], found.faces[:, 1])
    wanted = np.stack([c[named] for c in (expected.body_a, expected.face_a, expected.body_b, expected.face_b)], axis=1)
    pairs = np.stack([found.bodies[own, 0], found.faces[own, 0], found.bodies[own, 1], found.faces[own, 1]], axis=1)
    order, own_order = np.lexsort(wanted.T), np.lexsort(pairs.T)
    if not np.array_equal(wanted[order], pairs[own_order]):
        raise AuditError(
            f"{scene}, {len(rows)} vertices pushed: other pairs, {len(pairs)}, than by search, {len(wanted)}"
        )
    late = np.abs(expected.times[named][order] - found.times[own][own_order]).max(initial=0.0)
    if late > _SAME_TIME:
        raise AuditError(f"{scene}, {len(rows)} vertices pushed: a time differs from that of a search by {late} s")
