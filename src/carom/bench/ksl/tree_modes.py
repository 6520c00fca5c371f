"""The kinetic tree alone, in both of its ways past a key: certificates made anew there, or searched ahead (Algorithm 2)."""

from __future__ import annotations

import time
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from carom.bench.ksl.runs import no_garbage
from carom.bench.ksl.scenes import bodies_of, deforming_faces, sizes
from carom.bench.progress import Bar
from carom.bench.report import Cell, Table
from carom.deform import KineticTree
from carom.errors import AuditError
from carom.motion import Deforming

ANEW, AHEAD = "anew", "ahead"
MODES = (ANEW, AHEAD)
COLUMNS = (
    "scene",
    "triangles",
    *(f"events, {mode}" for mode in MODES),
    *(f"certificates, {mode}" for mode in MODES),
    *(f"{mode}, ms" for mode in MODES),
    *(f"{mode}, ms with boxes" for mode in MODES),
    "anew / ahead",
    *(f"start {mode}, ms" for mode in MODES),
)
_SAME_BOX = 1e-12
"""Metres. Boxes of both modes differ by rounding alone."""


@dataclass(frozen=True, eq=False)
class _Run:
    """CPU seconds of the start, and (intervals,) of the update and of one look at all boxes at the end of each; counts of an
    interval; box of everything at the keys, (intervals, 6)."""

    start: float
    updates: NDArray[np.float64]
    looks: NDArray[np.float64]
    events: float
    certificates: float
    boxes: NDArray[np.float64]


def measure_tree_modes(quick: bool, bar: Bar) -> Table:
    """Counts and ms of an interval, of each interval the fastest run; AuditError where the modes have other boxes."""
    rows: list[tuple[Cell, ...]] = []
    for scene in bar.track(["tablecloth", "swirl"], "ways of the kinetic tree"):
        bodies = bodies_of(scene, 450 if quick else 16_384, sizes(quick)[scene].keys)
        moving = next(body for body in bodies if not body.is_still)
        for mode in MODES:
            _run(moving, mode)  # compiles, and warms up
        runs = {mode: [_run(moving, mode)] for mode in MODES}
        for _ in range(0 if quick else 4):
            for mode in MODES:
                runs[mode].append(_run(moving, mode))
        apart = float(np.abs(runs[ANEW][0].boxes - runs[AHEAD][0].boxes).max())
        if not apart <= _SAME_BOX:
            raise AuditError(f"{scene}: boxes of the kinetic tree by searching ahead are {apart} m off those made anew")
        updates = [1e3 * float(np.min([run.updates for run in runs[mode]], axis=0).mean()) for mode in MODES]
        looks = [1e3 * float(np.min([run.looks for run in runs[mode]], axis=0).mean()) for mode in MODES]
        rows.append(
            (
                scene,
                deforming_faces((moving,)),
                *(runs[mode][0].events for mode in MODES),
                *(runs[mode][0].certificates for mode in MODES),
                *updates,
                *(update + look for update, look in zip(updates, looks, strict=True)),
                updates[0] / updates[1],
                *(1e3 * min(run.start for run in runs[mode]) for mode in MODES),
            )
        )
    return Table(
        "ksl_tree", "The kinetic tree between two keys: certificates made anew or searched ahead", COLUMNS, rows
    )


def _run(motion: Deforming, mode: str) -> _Run:
    updates, looks, boxes = [], [], []
    with no_garbage():
        begin = time.process_time()
        tree = KineticTree.following(motion, search_ahead=mode == AHEAD)
        start = time.process_time() - begin
        made = tree.stats.certificates
        for key in motion.times[1:].tolist():
            ticks = [time.process_time()]
            tree.advance(key)
            ticks.append(time.process_time())
            lower, upper = tree.boxes()
            ticks.append(time.process_time())
            updates.append(ticks[1] - ticks[0])
            looks.append(ticks[2] - ticks[1])
            boxes.append(np.concatenate([lower[tree.root], upper[tree.root]]))
    stats, n = tree.stats, len(updates)
    events = (stats.leaf_events + stats.tree_events) / n
    return _Run(start, np.array(updates), np.array(looks), events, (stats.certificates - made) / n, np.array(boxes))
