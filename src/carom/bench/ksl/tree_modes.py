"""The kinetic tree alone, in both modes: certificates computed at every key, or for all keys ahead (Algorithm 2)."""

from __future__ import annotations

import time
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from carom.bench.ksl.scenes import bodies_of, sizes
from carom.bench.progress import Bar
from carom.bench.report import Cell, Table
from carom.bench.turns import no_garbage
from carom.deform import KineticTree
from carom.errors import AuditError
from carom.motion import Deforming

ANEW, AHEAD = "anew", "ahead"
MODES = (ANEW, AHEAD)
COLUMNS = (
    "scene",
    "triangles",
    "events",
    *(f"certificates, {mode}" for mode in MODES),
    *(f"{mode}, ms per key" for mode in MODES),
    "anew / ahead",
    *(f"start {mode}, ms" for mode in MODES),
)
_SAME_BOX = 1e-12  # Metres. Boxes of both modes differ only by rounding.


@dataclass(frozen=True, eq=False)
class _Run:
    """CPU seconds of the start and of each interval (intervals,); events and certificates per interval; the box of the root
    at the keys, (intervals, 6)."""

    start: float
    seconds: NDArray[np.float64]
    events: float
    certificates: float
    boxes: NDArray[np.float64]


def measure_tree_modes(quick: bool, bar: Bar) -> Table:
    """Measure counts and CPU time from key to key, with all boxes read once; the fastest run of each interval.

    AuditError if the boxes of the modes differ.
    """
    rows: list[tuple[Cell, ...]] = []
    for scene in bar.track(["tablecloth", "swirl"], "ways of the kinetic tree"):
        bodies = bodies_of(scene, 450 if quick else 16_384, sizes(quick)[scene].keys)
        cloth = next(body for body in bodies if not body.is_still)
        runs: dict[str, list[_Run]] = {mode: [] for mode in MODES}
        for _ in range(2 if quick else 6):  # the first one compiles
            for mode in MODES:
                runs[mode].append(_run(cloth, mode))
        anew, ahead = (runs[mode][0] for mode in MODES)
        apart = float(np.abs(anew.boxes - ahead.boxes).max())
        if not apart <= _SAME_BOX:
            raise AuditError(f"{scene}: boxes of the tree that searches ahead are {apart} m off those computed anew")
        ms = [1e3 * float(np.min([run.seconds for run in runs[mode]], axis=0).mean()) for mode in MODES]
        starts = [1e3 * min(run.start for run in runs[mode]) for mode in MODES]
        rows.append(
            (
                scene, len(cloth.faces), ahead.events, anew.certificates, ahead.certificates, *ms, ms[0] / ms[1], *starts,
            )
        )  # fmt: skip
    title = "The kinetic tree from key to key: certificates computed at every key, or for all keys ahead (Algorithm 2)"
    return Table("ksl_tree", title, COLUMNS, rows)


def _run(motion: Deforming, mode: str) -> _Run:
    boxes = []
    with no_garbage():
        begin = time.process_time()
        tree = KineticTree.following(motion, search_ahead=mode == AHEAD)
        ticks = [time.process_time()]
        made = tree.stats.certificates
        for key in motion.times[1:].tolist():
            tree.advance(key)
            lower, upper = tree.boxes()
            ticks.append(time.process_time())
            boxes.append(np.concatenate([lower[tree.root], upper[tree.root]]))
    stats, n = tree.stats, len(boxes)
    events = (stats.leaf_events + stats.tree_events) / n
    return _Run(ticks[0] - begin, np.diff(ticks), events, (stats.certificates - made) / n, np.array(boxes))
