"""Changed flightplans of a patch of the cloth: the separation list's local update beside a full pass."""

from __future__ import annotations

import copy
import time
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from carom.bench.ksl.runs import Bodies, run_check, run_list, steady
from carom.bench.ksl.scenes import bodies_of
from carom.bench.progress import Bar
from carom.bench.report import Cell, Table
from carom.deform import check
from carom.deform.model.contact_log import OVERLAPPING
from carom.deform.separation_list.contacts import SeparationContacts
from carom.deform.separation_list.separation_list import SeparationList
from carom.errors import AuditError
from carom.motion import Deforming

SHARES = (0.002, 0.01, 0.05, 0.14, 0.3)
COLUMNS = (
    "scene", "triangles", "changed, %", "vertices", "change, ms", "its events, ms", "full pass, ms", "full pass / update",
    "list's pass, ms", "list's pass / update", "first, ms",
)  # fmt: skip
_PUSH = 0.2  # Velocity that the patch gains, m/s
_SAME_TIME = 1e-9
"""Seconds. The list and the search evaluate the push at slightly different fractions of an interval."""
_PATCHES = 6  # Patches, all over the cloth, that are pushed one after the other


@dataclass(frozen=True)
class _Update:
    """CPU seconds of each change and of the rest of the interval, and the contacts in it."""

    change: NDArray[np.float64]
    rest: float
    found: SeparationContacts
    end: NDArray[np.float64]  # vertices at the end of the interval


def measure_local(quick: bool, bar: Bar) -> Table:
    """Measure pushes halfway between two keys; the mean of some patches.

    Full pass: an interval of the chord front, which knows all keys; list's pass: one of the list, which keeps all its
    pairs. Its events: additional cost of the rest of the interval, per push. First: the first change ever of a list, of one
    vertex, which links its pairs once.
    """
    rows: list[tuple[Cell, ...]] = []
    size, key, repeats = (450, 3, 1) if quick else (16_384, 10, 9)
    for scene in bar.track(["tablecloth", "swirl"], "local changes"):
        bodies = bodies_of(scene, size, key + 2)
        full, own = (
            float(np.min([steady(run(bodies).seconds) for _ in range(repeats)], axis=0).mean())
            for run in (run_check, run_list)
        )
        times = bodies[0].times
        halfway = SeparationList(*bodies, selves=True, boxes="chord", full_passes=False)
        halfway.advance(0.5 * float(times[key] + times[key + 1]))
        first = _first_change(halfway)
        groups = [patches(bodies[0].faces, halfway.positions(), share) for share in SHARES]
        calm, *updates = _updated(halfway, [[], *(changed for changed, _ in groups)], repeats)
        for (changed, faces), update in zip(groups, updates, strict=True):
            _require_same(scene, bodies, halfway, np.unique(np.concatenate(changed)), update)
            change = float(update.change.mean())
            events = max(0.0, update.rest - calm.rest) / len(changed)
            rows.append(
                (
                    scene, len(bodies[0].faces), 100.0 * faces / len(bodies[0].faces),
                    round(np.mean([len(each) for each in changed])),
                    1e3 * change, 1e3 * events, 1e3 * full, full / (change + events), 1e3 * own, own / (change + events),
                    1e3 * first,
                )
            )  # fmt: skip
    title = (
        "Flightplans of a patch change: update of the list on chord boxes, and full passes of the front and of the list"
    )
    return Table("ksl_local", title, COLUMNS, rows)


def _first_change(halfway: SeparationList) -> float:
    """Return CPU seconds of the first change: one vertex continues as before."""
    seconds = 0.0
    for each in (copy.deepcopy(halfway), halfway):  # the copy compiles what is needed
        velocity = each.velocities()[:1]
        begin = time.process_time()
        each.change_flightplans([0], velocity)
        seconds = time.process_time() - begin
    return seconds


def patches(
    faces: NDArray[np.int32], vertices: NDArray[np.float64], share: float
) -> tuple[list[NDArray[np.int64]], float]:
    """Return patches around some vertices, and the mean number of triangles with a vertex of one."""
    centres = faces[(np.arange(_PATCHES) * 2 + 1) * len(faces) // (2 * _PATCHES), 0]
    made = [patch(faces, vertices, int(centre), share) for centre in centres]
    return [rows for rows, _ in made], float(np.mean([n for _, n in made]))


def patch(
    faces: NDArray[np.int32], vertices: NDArray[np.float64], centre: int, share: float
) -> tuple[NDArray[np.int64], int]:
    """Return vertices around a centre such that about this fraction of the triangles has one of them; and their number."""
    away = np.linalg.norm(vertices - vertices[centre], axis=1)
    nearest = away[faces].min(axis=1)
    reach = np.sort(nearest)[max(1, round(share * len(faces))) - 1]
    inside = away <= reach
    inside[np.setdiff1d(np.arange(len(vertices)), faces)] = False
    return np.flatnonzero(inside), int((nearest <= reach).sum())


def _updated(halfway: SeparationList, groups: list[list[NDArray[np.int64]]], repeats: int) -> list[_Update]:
    """Return the fastest of several updates for each group of patches, in turns; the list is not changed."""
    best: list[_Update | None] = [None] * len(groups)
    for _ in range(repeats):
        for k, group in enumerate(groups):
            update, before = _update(copy.deepcopy(halfway), group), best[k]
            if before is not None:
                change, rest = np.minimum(update.change, before.change), min(update.rest, before.rest)
                update = replace(update, change=change, rest=rest)
            best[k] = update
    return [update for update in best if update is not None]


def _update(changed: SeparationList, group: list[NDArray[np.int64]]) -> _Update:
    """Push patch after patch and advance to the end of the interval."""
    changes = []
    for rows in group:
        velocities = changed.velocities()[rows] + (0.0, 0.0, _PUSH)
        begin = time.process_time()
        changed.change_flightplans(rows, velocities)
        changes.append(time.process_time() - begin)
    begin = time.process_time()
    found = changed.advance(changed.last_time)
    return _Update(np.array(changes), time.process_time() - begin, found, changed.positions())


def _require_same(
    scene: str, bodies: Bodies, halfway: SeparationList, rows: NDArray[np.int64], update: _Update
) -> None:
    """Raise AuditError unless the pushed triangles have the contacts of a search from the push on."""
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
