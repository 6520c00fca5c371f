"""Figures 11 and 12, right: events of the separation list beside box tests of swept boxes."""

from __future__ import annotations

from carom.bench.ksl.runs import CHORD_FRONT, EVENT_LIST, TIGHT, require_same, run_list, swept_name
from carom.bench.ksl.scenes import bodies_of, sizes
from carom.bench.ksl.total import Totals
from carom.bench.progress import Bar
from carom.bench.report import Cell, Table
from carom.deform.separation_list.contacts import SeparationStats

FRAMES = 10
"""Interpolated frames per key, to which events refer and over which boxes are swept."""
SCENES = ("tablecloth", "swirl")
KINDS = ("overlap", "fathers", "leaves", "contact", "BV change", "witness")
"""The paper's five: boxes begin to overlap, parents or leaves stop overlapping, triangles collide, a box changes; and
carom's own: the separating face of a pair changes."""
COLUMNS = ("scene", "triangles", *KINDS, "events", "chords", "box tests", "tests / event")


def measure_events(totals: Totals, quick: bool, bar: Bar) -> Table:
    """Count events per interpolated frame. The list is the paper's: on tight boxes and pruned by events; 'chords': all
    events of a list on chord boxes, pruned at keys."""
    rows: list[tuple[Cell, ...]] = []
    todo = [(scene, n) for scene in SCENES for n in sizes(quick)[scene].faces]
    for scene, n in bar.track(todo, "events"):
        runs = totals.runs[scene, n]
        run = run_list(bodies_of(scene, n, sizes(quick)[scene].keys), full_passes=False, prune="events", boxes=TIGHT)
        require_same(f"{scene}: pruned by events", run.contacts, CHORD_FRONT, runs[CHORD_FRONT].contacts)
        frames = FRAMES * (len(run.seconds) + 1)
        kinds = [count / frames for count in by_kind(run.stats)]
        on_chords = sum(by_kind(runs[EVENT_LIST].stats)) / frames
        tests = runs[swept_name(FRAMES)].box_tests / frames
        rows.append((scene, totals.faces[scene, n], *kinds, sum(kinds), on_chords, tests, tests / max(1.0, sum(kinds))))
    title = f"Events and box tests for each of {FRAMES} interpolated frames per key (figures 11 and 12, right)"
    return Table("ksl_events", title, COLUMNS, rows)


def by_kind(stats: SeparationStats | None) -> list[int]:
    """Return events in the order of KINDS. A box changes by an event of its leaf or its tree."""
    assert stats is not None
    boxes = stats.leaf_events + stats.tree_events
    pairs = (stats.bv_overlaps, stats.fathers_parted, stats.leaves_parted, stats.contacts)
    return [*pairs, boxes, stats.witnesses_changed]
