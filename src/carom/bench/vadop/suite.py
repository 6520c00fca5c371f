"""`carom bench vadop`: velocity-aligned polytopes, claim by claim, with the project's own targets."""

from __future__ import annotations

import math
from pathlib import Path

from carom.bench.progress import Bar
from carom.bench.report import Claim, Report, Table, at_least, below
from carom.bench.vadop.cost import FEW, MANY, NARROW, XYZ, break_even, measure_cost, measure_worst
from carom.bench.vadop.kinetic import measure_kinetic_cost, measure_law
from carom.bench.vadop.memory import exponent, measure_memory
from carom.bench.vadop.misses import measure_misses
from carom.bench.vadop.plots import draw_costs, draw_pruning
from carom.bench.vadop.pools import measure_pools
from carom.bench.vadop.pruning import ALONE, SHARED, measure_projections, measure_pruning, short_table

_NOTES = [
    "Velocity-aligned polytopes (Coming and Staadt): each body is bounded along those axes of a common pool that lie within a "
    "zone of the plane perpendicular to its velocity, however far it moves in a frame. Here every body also uses x, y and z "
    "(shared axes), so that bodies without a common axis of the pool are separated too.",
    "rho: covering angle of the pool, the largest angle between any direction and the nearest axis. With a zone below rho some "
    "pairs share no axis; from rho on every pair shares one. Speeds are in radii per frame, at 30 frames per second.",
    "All worlds are exact with any broad phase, and every timed run is checked to report the same contacts, bit for bit; "
    "'vadop, xyz only' is the same code without a pool. Pseudo-dynamic: boxes, then spheres, are compared only at frame "
    "instants, on the paths of the exact simulation; it misses contacts. The paper compares its run time with this method.",
    "Pairs left are counted over all pairs of one frame, without a data structure. Moving boxes: boxes that move with a body, "
    "compared at all times of the frame, instead of swept volumes.",
    "A body that moves less than 3 of its radii per frame uses no axis of the pool, because boxes bound it equally tightly; "
    "'slow too': such bodies use axes like all others, as in the paper (`World(slow=0)`).",
    "CPU time, best of several runs that take turns, without building worlds and compilation.",
]


def bench_vadop(out: Path, quick: bool, bar: Bar) -> Report:
    """Run all measurements, draw two pictures and compare with the targets."""
    misses = measure_misses(quick, bar)  # compiles the worlds too
    pools, projections, pruning = measure_pools(quick), measure_projections(quick), measure_pruning(quick, bar)
    cost, law = measure_cost(quick, bar), measure_law(quick, bar)
    kinetic, memory, worst = measure_kinetic_cost(quick, bar), measure_memory(quick), measure_worst(quick, bar)
    tables = [
        pools,
        misses,
        pruning,
        short_table(pruning),
        projections,
        cost,
        break_even(cost),
        memory,
        law,
        kinetic,
        worst,
    ]
    report = Report("vadop", list(_NOTES), tables, _claims(pruning, cost, law, kinetic, memory))
    report.pictures.append(draw_pruning(misses, pruning, pools, out / "vadop_pruning.png"))
    report.pictures.append(draw_costs(cost, law, kinetic, out / "vadop_costs.png"))
    return report


def _claims(pruning: Table, cost: Table, law: Table, kinetic: Table, memory: Table) -> list[Claim]:
    """The project's targets, for the sizes that were measured."""
    claims: list[Claim] = []
    pairs = {float(row[0]): dict(zip(pruning.columns, map(float, row), strict=True)) for row in pruning.rows}
    best, alone = SHARED.format(65, 2.0), ALONE.format(65, 2.0)
    worst = max(row[name] / max(1.0, row["6-DOP"]) for row in pairs.values() for name in row if "shared" in name)
    claims.append(below("pairs left with xyz shared over swept boxes, worst of all", worst, 1.0 + 1e-12, "x"))
    for speed, target in ((30.0, 0.9), (100.0, 0.55)):
        if best in pairs.get(speed, {}):
            ratio = pairs[speed][best] / pairs[speed]["26-DOP"]
            claims.append(
                below(f"pairs left, 65 axes, 2 rho, over 26-DOPs at {speed:g} radii per frame", ratio, target)
            )
    for row in cost.rows:
        if row[1] == 1.0 and row[2] in (MANY, NARROW, FEW) and row[0] in (2000, 10_000):
            claims.append(below(f"{row[2]} over {XYZ}, speed 1, N = {row[0]:,}", row[4], 2.5, "x"))
    off = max(map(abs, law.numbers("off by, %")))
    claims.append(below("swaps off the law m sin^3(zone) / 3, worst", off, 10.0, "%"))
    ms = {(row[0], row[1], str(row[2])): float(row[3]) for row in kinetic.rows}
    points = list(dict.fromkeys((row[0], row[1]) for row in kinetic.rows))
    for other in ("kinetic", "kinetic-grid"):
        gain = max(ms[*point, other] / ms[*point, "kinetic-vadop"] for point in points)
        claims.append(at_least(f"{other} over kinetic-vadop, best of all scenes", gain, 1.0))
    claims.append(below("exponent of memory against bodies", exponent(memory), 1.1))
    if alone in pairs.get(30.0, {}):
        share = pairs[30.0][alone] / pairs[30.0]["6-DOP"]
        claims.append(below("without shared axes: pairs left over swept boxes at 30 radii per frame", share, 1.0))
    return [claim for claim in claims if math.isfinite(claim.measured)]
