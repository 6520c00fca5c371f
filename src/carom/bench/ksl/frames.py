"""Figure 10, right: cost of an interpolated frame, by the number of frames between two keys."""

from __future__ import annotations

from functools import partial

from carom.bench.ksl.runs import CHORD_FRONT, LIST, Case, run_check, run_list, take_turns
from carom.bench.ksl.scenes import bodies_of, deforming_faces
from carom.bench.progress import Bar
from carom.bench.report import Cell, Table

SWEPT = "swept"
METHODS = (CHORD_FRONT, LIST, SWEPT)
COLUMNS = (
    "frames per key",
    *(f"{method}, ms per frame" for method in METHODS),
    *(f"{method}, ms per key" for method in METHODS),
)


def measure_frames(quick: bool, bar: Bar) -> Table:
    """Measure the walker over a few intervals. The list is polled at every frame; the chord front searches once per key."""
    bodies = bodies_of("walker", 4000 if quick else 49_000, 4 if quick else 12)
    what = "frames of the walker"
    repeats = 1 if quick else 2
    front = Case(partial(run_check, bodies), repeats)
    rows: list[tuple[Cell, ...]] = []
    for frames in bar.track([1, 10] if quick else [1, 2, 5, 10, 20, 50], what):
        cases = {
            CHORD_FRONT: front,
            LIST: Case(partial(run_list, bodies, frames), repeats),
            SWEPT: Case(partial(run_check, bodies, "swept", frames), 1 if frames > 10 else repeats),
        }
        best = take_turns(cases, what)
        keys = [best[method].milliseconds for method in METHODS]
        rows.append((frames, *(ms / frames for ms in keys), *keys))
    size = f"{deforming_faces(bodies):,} triangles"
    title = f"Update and all contacts of the walker, {size}, by interpolated frames (figure 10, right)"
    return Table("ksl_frames", title, COLUMNS, rows)
