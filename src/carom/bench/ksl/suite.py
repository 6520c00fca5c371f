"""`carom bench ksl`: contacts of deforming meshes, figures 10 to 12 of the paper, with the project's own targets."""

from __future__ import annotations

from pathlib import Path

from carom.bench.ksl.events import measure_events
from carom.bench.ksl.features import DEGENERATE, OURS, RELATIVE_BOX, SWEPT_BOXES, measure_features
from carom.bench.ksl.frames import measure_frames
from carom.bench.ksl.ipctk_steps import HOW, NAME
from carom.bench.ksl.local_change import measure_local
from carom.bench.ksl.plots import draw_figures, draw_local
from carom.bench.ksl.queue_choice import measure_queues
from carom.bench.ksl.runs import CHORD_FRONT, LIST, all_cases, swept_name, take_turns
from carom.bench.ksl.scenes import bodies_of
from carom.bench.ksl.total import Totals, measure_total, start_table, total_table
from carom.bench.ksl.tree_modes import measure_tree_modes
from carom.bench.memory import peak_memory
from carom.bench.progress import Bar
from carom.bench.report import Claim, Report, Table, at_least, below

_OVER_SWEPT = {
    ("tablecloth", CHORD_FRONT, 10): 15.0,
    ("tablecloth", CHORD_FRONT, 50): 70.0,
    ("swirl", CHORD_FRONT, 10): 5.0,
    ("tablecloth", CHORD_FRONT, 1): 2.0,
    ("swirl", CHORD_FRONT, 1): 2.0,
    ("tablecloth", LIST, 10): 4.0,
    ("swirl", LIST, 10): 1.5,
}
"""Scene of 16k triangles, method, frames per key -> target of the speedup over swept boxes."""
_OVER_IPCTK = 10.0
_LOCAL_SHARE, _LOCAL = 1.0, 10.0  # Per cent of changed triangles, and target of the speedup over a full pass
_RATES = {DEGENERATE: 500_000.0, SWEPT_BOXES: 5_000_000.0, RELATIVE_BOX: 2_000_000.0}
_WORST = 200.0
_MEMORY = 2000.0

_NOTES = [
    "Every method finds the first contact of every pair of triangles in every interval between two keys, within the body and "
    "with the other one, exactly. Checked in every run: the contacts of all carom methods are identical, to the last bit.",
    "CPU time of an interval on one thread: update and detection, mean over the intervals from the second window of "
    "the chord front on (a window: seven intervals that it searches together), the fastest run of each interval. The "
    "slower a method, the fewer runs: chord front 6, list 4, by events 2, swept 5, 3 and 2 for 1, 10 and 50 frames, "
    "ipctk 2. Trees and the first interval are in ksl_start.csv; compilation is not included.",
    "Swept boxes are the paper's baseline: refit at each interpolated frame, boxes swept from frame to frame. More frames "
    "make them arbitrarily slow; once per key is their best case.",
    HOW,
    "The separation list by default uses chord boxes, which need no events, and handles an interval at its key: one pass over "
    "the list finds all pairs of boxes that will begin or stop to overlap; contacts are reported in time order. 'List, by "
    "events': the same list with every event at its time. The paper's list uses events on boxes that are always tight ('list, "
    "tight boxes') and, where events are counted, is pruned by events.",
    "Local changes: six patches all over the cloth are pushed one after the other halfway between two keys; their contacts "
    "are compared with a search from there on. The update is the change itself plus the mean additional cost of the rest of "
    "the interval; the first change of a list, which links its pairs, costs more, once ('first').",
    "The kinetic tree alone. Anew: certificates hold up to the next key, where all six of every box are recomputed. "
    "Ahead: only events compute certificates, which saves the pass at the key; each event costs slightly more, "
    "because two vertices are compared at later keys too. The start takes longer, and the keys are stored twice.",
    "Features: ipctk is called from Python one query at a time, which costs some µs each; TightInclusion has at most 10,000 "
    "iterations (with its default limit degenerate queries take up to 10 s). Missed and invented contacts are relative to the "
    "published truth, for cloth relative to carom's exact answers.",
]


def bench_ksl(out: Path, quick: bool, bar: Bar) -> Report:
    """Run all measurements, draw two pictures and compare with the targets."""
    for scene in bar.track(["tablecloth", "swirl"], "compiling"):
        take_turns(all_cases(bodies_of(scene, 450, 12), quick=True), f"compiling, {scene}")
    totals = measure_total(quick, bar)
    events, frames = measure_events(totals, quick, bar), measure_frames(quick, bar)
    local, queues = measure_local(quick, bar), measure_queues(quick, bar)
    tree_modes = measure_tree_modes(quick, bar)
    features, memory = measure_features(quick, bar), measure_memory(quick, bar)
    total = total_table(totals)
    tables = [total, start_table(totals), events, frames, local, queues, tree_modes, features]
    tables += [memory] if memory else []
    claims = [*_total_claims(totals), *_local_claims(local), *_feature_claims(features), *_memory_claims(memory)]
    report = Report("ksl", list(_NOTES), tables, claims)
    report.pictures.append(draw_figures(total, events, frames, out / "ksl_figures_10_11_12.png"))
    report.pictures.append(draw_local(local, out / "ksl_local.png"))
    return report


def _total_claims(totals: Totals) -> list[Claim]:
    """Compare with swept boxes and ipctk, for the sizes that were measured."""
    claims = []
    for (scene, method, frames), target in _OVER_SWEPT.items():
        if (scene, 16_384) in totals.runs:
            ratio = totals.over(scene, 16_384, swept_name(frames), method)
            claims.append(
                at_least(f"{method} over swept boxes, {frames} per key, {scene}, 16k triangles", ratio, target)
            )
    for scene, size in totals.peer:
        if size in (8192, 16_384):
            what = f"chord front over ipctk, {scene}, {size // 1024}k triangles"
            claims.append(at_least(what, totals.over(scene, size, NAME, CHORD_FRONT), _OVER_IPCTK))
    return claims


def _local_claims(local: Table) -> list[Claim]:
    claims = []
    for scene in local.distinct("scene"):
        row = min(local.where("scene", scene).rows, key=lambda row: abs(float(row[2]) - _LOCAL_SHARE))
        for column, whose in (("full pass / update", "the front's"), ("list's pass / update", "its own")):
            what = f"update of the list over {whose} full pass, {float(row[2]):.2g} % of the triangles change, {scene}"
            claims.append(at_least(what, row[local.columns.index(column)], _LOCAL))
    return claims


def _feature_claims(features: Table) -> list[Claim]:
    claims = []
    for name, _, _, rate, worst, _, misses, inventions in features.where("library", OURS).rows:
        claims.append(at_least(f"vertex-face and edge-edge, {name}", rate, _RATES[str(name)], "queries/s"))
        if name == DEGENERATE:
            claims.append(below(f"the slowest, {name}", worst, _WORST, "µs"))
            claims.append(below(f"wrong answers, {name}", float(misses) + float(inventions), 1.0))
    return claims


def measure_memory(quick: bool, bar: Bar) -> Table | None:
    """Peak memory of checking the largest walker with its self-contacts."""
    faces, keys = (4000, 4) if quick else (90_000, 30)
    found = peak_memory("walker", faces, keys, bar=bar)
    if found is None:
        return None
    triangles = sum(len(body.faces) for body in bodies_of("walker", faces, 4))
    row = (triangles, keys, *found.values())
    columns = ("triangles", "keys", "peak, MB", "before the scene, MB", "seconds", "contacts")
    return Table("ksl_memory", "Memory of checking the walker with its self-contacts", columns, [row])


def _memory_claims(memory: Table | None) -> list[Claim]:
    return [
        below(f"memory of the walker, {faces:,} triangles, {keys} keys", peak, _MEMORY, "MB")
        for faces, keys, peak, *_ in (memory.rows if memory else [])
    ]
