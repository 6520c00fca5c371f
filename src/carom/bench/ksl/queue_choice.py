"""The default event queue and the paper's Fibonacci heap inside the separation list."""

from __future__ import annotations

from functools import partial

from carom.bench.ksl.runs import Case, run_list, take_turns
from carom.bench.ksl.scenes import bodies_of, deforming_faces
from carom.bench.progress import Bar
from carom.bench.report import Cell, Table

QUEUES = ("tournament", "fibonacci")
"""The default, and the paper's."""
COLUMNS = ("scene", "triangles", *(f"{queue}, ms per key" for queue in QUEUES), "fibonacci / tournament")


def measure_queues(quick: bool, bar: Bar) -> Table:
    """Measure cloths of 8k triangles; the contacts are the same, bit for bit."""
    rows: list[tuple[Cell, ...]] = []
    for scene in bar.track(["tablecloth", "swirl"], "queues of the separation list"):
        bodies = bodies_of(scene, 200 if quick else 8192, 12 if quick else 16)
        cases = {
            queue: Case(partial(run_list, bodies, full_passes=False, queue=queue), 1 if quick else 3)
            for queue in QUEUES
        }
        best = take_turns(cases, f"queues, {scene}")
        ms = [best[queue].milliseconds for queue in QUEUES]
        rows.append((scene, deforming_faces(bodies), *ms, ms[1] / ms[0]))
    return Table("ksl_queues", "Event queues in the separation list, by events", COLUMNS, rows)
