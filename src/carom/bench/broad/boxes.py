"""Overlapping pairs of a cloud of equal cubes, in carom and in other libraries."""

from __future__ import annotations

import time
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from carom.bench.broad.box_peers import PEERS, BoxPeer, Floats
from carom.bench.libraries import installed
from carom.bench.progress import Bar
from carom.bench.report import Cell, Table
from carom.bench.turns import take_turns
from carom.boxes.still_boxes import box_pairs
from carom.errors import AuditError

COLUMNS = ("boxes", "library", "ms", "times slower than carom", "pairs")
OURS = "carom"
ALONE = "carom, one thread"
NOTE = (
    "Boxes: equal cubes around random points of a unit cube, of a size that gives two pairs per box. Wall-clock time from "
    "arrays to all pairs, best of several runs that take turns; carom's pairs are sorted. Checked in every run: each library "
    "finds all pairs, and none that is apart by more than single precision; for coal and python-fcl, which report no more, "
    "the number of pairs is checked."
)
_ROUNDING = 1e-6  # Length by which single precision may enlarge a box in the unit cube


def measure_boxes(quick: bool, bar: Bar) -> Table:
    """Measure times by number of boxes; AuditError where a library finds other pairs."""
    peers = installed(PEERS, "boxes", bar)
    rows: list[tuple[Cell, ...]] = []
    for n in bar.track([300, 1000] if quick else [10_000, 100_000, 1_000_000], "pairs of boxes"):
        centres, size = cloud(n, seed=0)
        lo, hi = centres - 0.5 * size, centres + 0.5 * size
        asked = {peer.name: peer(centres, size) for peer in peers if n <= peer.most}
        cases: dict[str, Any] = {OURS: partial(box_pairs, lo, hi), ALONE: partial(box_pairs, lo, hi, threads=1)}
        cases |= {name: peer.run for name, peer in asked.items()}
        pairs = box_pairs(lo, hi)
        widest = box_pairs(lo - _ROUNDING, hi + _ROUNDING)
        runs = take_turns(
            cases,
            1 if quick else 5,
            partial(_require_pairs, _keys(pairs, n), _keys(widest, n), n, asked),
            time.perf_counter,
        )
        own = runs[OURS].seconds
        rows += [(n, name, 1e3 * run.seconds, run.seconds / own, len(pairs)) for name, run in runs.items()]
    return Table("broad_boxes", "Overlapping pairs of equal cubes, two per box", COLUMNS, rows)


def cloud(n: int, seed: int) -> tuple[Floats, float]:
    """Return centres (n, 3) in the unit cube, and the side of cubes that make 2 n pairs on average."""
    return np.random.default_rng(seed).uniform(0.0, 1.0, (n, 3)), 0.5 * (4.0 / n) ** (1.0 / 3.0)


def _keys(pairs: NDArray[np.int32] | NDArray[np.int64], n: int) -> NDArray[np.int64]:
    """Return one sorted number per pair, independent of the order of its rows."""
    keys = pairs.min(axis=1).astype(np.int64) * n + pairs.max(axis=1)
    keys.sort()
    return keys


def _require_pairs(
    least: NDArray[np.int64], most: NDArray[np.int64], n: int, asked: dict[str, BoxPeer], who: str, answer: Any
) -> None:
    """Require carom's pairs exactly, and of others at most the pairs in addition that rounding explains."""
    if who not in asked:
        if not np.array_equal(_keys(answer, n), least):
            raise AuditError(f"pairs of {n} boxes: {who} gives another answer in a repeated call")
        return
    found = asked[who].read(answer)
    if isinstance(found, int):
        if not len(least) <= found <= len(most):
            raise AuditError(f"pairs of {n} boxes: {who} finds {found}, carom {len(least)}")
        return
    keys = _keys(found, n)
    missed, added = np.setdiff1d(least, keys, assume_unique=True), np.setdiff1d(keys, most)
    if len(missed) or len(added) or len(np.unique(keys)) < len(keys):
        raise AuditError(f"pairs of {n} boxes: {who} misses {len(missed)}, adds {len(added)} or repeats some")
