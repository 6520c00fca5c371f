"""`carom bench broad`: the cost of every broad phase, by number of bodies and kind of scene, with targets."""

from __future__ import annotations

import math
from pathlib import Path

from carom.bench.broad.boxes import NOTE, measure_boxes
from carom.bench.broad.collision_rate import measure_collision_rate
from carom.bench.broad.fluid import measure_fluid
from carom.bench.broad.hierarchy import measure_hierarchy
from carom.bench.broad.identity import measure_identity
from carom.bench.broad.methods import GRID, SWEEP, SWEPT, methods
from carom.bench.broad.plots import draw_auto, draw_sweep
from carom.bench.broad.polled import measure_polled
from carom.bench.broad.sweep import Sweep, auto_table, measure_sweep, points_table, scene_tables
from carom.bench.progress import Bar
from carom.bench.report import Claim, Report, Table

_OVER_SWEEP = {1_000: 50.0, 10_000: 250.0, 100_000: 1000.0}
_OVER_SWEPT = {"gas 0.01": 150.0, "gas 0.1": 50.0, "gas 0.3": 20.0}
_OVER_ONE_SIZE = 6.0
_COLLISIONS = 450_000.0
_AUTO = 1.2
_BOXES = {("coal", 1_000_000): 3.0, ("ipctk LBVH", 1_000_000): 3.0, ("warp Bvh", 100_000): 2.0}
_OFF = {"mean free time": 1.0, "diffusion": 6.0}

_NOTES = [
    "Every broad phase is exact and runs in the same engine with the same narrow phase and elastic response. Those with "
    "frames sweep boxes over a frame of 1/30 or 1/1000 s and are exact within it; 'x only' sorts along one axis.",
    "CPU time of an interval of simulated time, in one call of advance, without building the world, the first sort or plans, "
    "and compilation. Slow methods get shorter intervals (see broad_points.csv); those close to the fastest, and auto, take "
    "turns, best of 5 to 12; the others are run up to five times, the slowest once. Auto's evaluations of the bodies, after "
    "1000 motion changes and at each doubling, are included.",
    "Skipped: predicted, from smaller sizes, to take more than a few seconds for a few frames, or too much memory (all pairs).",
    "Checked in every run: the contacts are those of the other methods, bit for bit, over the common time.",
    "Exponent: slope of the cost by number of bodies, in logarithms, over all sizes.",
    "Gas: spheres of radius 1, Maxwell speeds at temperature 1, walls. Mixed: the same volume in every doubling of the size, "
    "masses by volume. Stream: speed 10 along a channel, random velocities of 0.5, packing 0.2. Pile, dice: dropped from 6 to "
    "14 onto a table under gravity 10, from the first bounces on, restitution 0.6 (elastic within 10 ms of the last contact). "
    "Rings: 64 triangles each.",
]


def bench_broad(out: Path, quick: bool, bar: Bar) -> Report:
    """Run all measurements, draw two pictures and compare with the targets."""
    compared = methods()
    identity = measure_identity(compared, True, bar)  # compiles everything too
    if not quick:
        identity = measure_identity(compared, False, bar)
    hierarchy, polled = measure_hierarchy(quick, bar), measure_polled(quick, bar)
    collisions, fluid = measure_collision_rate(quick, bar), measure_fluid(quick, bar)
    found = measure_sweep(compared, quick, bar)
    auto, boxes = auto_table(found), measure_boxes(quick, bar)
    tables = [points_table(found), *scene_tables(found), auto, hierarchy, polled, collisions, fluid, boxes, identity]
    claims = [*_claims(found, auto, hierarchy, collisions, fluid), *_box_claims(boxes)]
    report = Report("broad", [*_NOTES, NOTE], tables, claims)
    report.pictures.append(draw_sweep(found, compared, out / "broad_sweep.png"))
    report.pictures.append(draw_auto(auto, out / "broad_auto.png"))
    return report


def _claims(found: Sweep, auto: Table, hierarchy: Table, collisions: Table, fluid: Table) -> list[Claim]:
    """The project's targets, for the sizes that were measured."""
    claims: list[Claim] = []
    for n, target in _OVER_SWEEP.items():
        ratio = found.cost("gas 0.01", n, SWEEP) / found.cost("gas 0.01", n, GRID)
        if math.isfinite(ratio):
            what = f"kinetic grid over kinetic sweep, packing 0.01, N = {n:,}"
            claims.append(Claim(what, ratio, "at least", target, "x"))
    for scene, target in _OVER_SWEPT.items():
        ratio = found.cost(scene, 10_000, f"{SWEPT}, 1000 Hz") / found.cost(scene, 10_000, GRID)
        if math.isfinite(ratio):
            what = f"kinetic grid over boxes swept at 1000 Hz, {scene}, N = 10,000"
            claims.append(Claim(what, ratio, "at least", target, "x"))
    for row in hierarchy.rows:
        if row[0] == "mixed 16:1" and row[1] == 10_000:
            what = "cells of several sizes over one size, sizes 16:1, N = 10,000"
            claims.append(Claim(what, float(row[4]), "at least", _OVER_ONE_SIZE, "x"))
    for row in collisions.rows:
        if (row[0], row[1]) == ("walls", 0.3):
            what = f"collisions per second of one core, packing 0.3, N = {row[2]:,}"
            claims.append(Claim(what, float(row[3]), "at least", _COLLISIONS, "1/s"))
    worst = max(auto.rows, key=lambda row: float(row[5]))
    what = f"auto over the best single choice, worst of {len(auto.rows)} ({worst[0]}, N = {worst[1]:,})"
    claims.append(Claim(what, float(worst[5]), "below", _AUTO, "x"))
    for row in fluid.rows:
        claims.append(Claim(f"published {row[0]}, off by", float(row[3]), "below", _OFF[str(row[0])], "%"))
    return claims


def _box_claims(boxes: Table) -> list[Claim]:
    """Compare pairs of boxes with other libraries."""
    claims = []
    for n, library, _, slower, _ in boxes.rows:
        for (name, count), target in _BOXES.items():
            if str(library).startswith(name) and n == count:
                claims.append(Claim(f"box_pairs over {library}, {n:,} boxes", float(slower), "at least", target, "x"))
    return claims
