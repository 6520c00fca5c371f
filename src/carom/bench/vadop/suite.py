"""`carom bench vadop`: velocity-aligned polytopes, claim by claim, with the project's own targets beside them."""

from __future__ import annotations

import math
from pathlib import Path

from carom.bench.progress import Bar
from carom.bench.report import Claim, Report, Table
from carom.bench.vadop.cost import FEW, MANY, NARROW, XYZ, break_even, measure_cost, measure_worst
from carom.bench.vadop.kinetic import measure_kinetic_cost, measure_law
from carom.bench.vadop.memory import exponent, measure_memory
from carom.bench.vadop.misses import measure_misses
from carom.bench.vadop.plots import draw_costs, draw_pruning
from carom.bench.vadop.pools import measure_pools
from carom.bench.vadop.pruning import ALONE, SHARED, measure_projections, measure_pruning, short_table

_NOTES = [
    "Velocity-aligned polytopes (Coming and Staadt): each body is bounded along those axes of a common pool that are within a "
    "zone of the plane at right angles to its velocity, however far it flies in a frame. Here every body also uses x, y and z "
    "(shared axes), so that two bodies that have no axis in common are told apart too.",
    "rho: covering angle of the pool, the largest angle between any direction and the nearest axis. A zone below rho leaves "
    "pairs that share no axis; from rho on every pair shares one. Speeds are in radii a frame, at 30 frames a second.",
    "All worlds are exact, whatever their broad phase, and checked to report the same contacts, bit for bit, in every timed "
    "run; 'vadop, xyz only' is the same code without a pool. Pseudo-dynamic: boxes, then spheres, compared at frame instants "
    "only, on the paths of the exact simulation; it misses contacts, and is what the paper compares its run time with.",
    "Pairs left are counted over all pairs of one frame, without any structure. Moving boxes: boxes that move with the body, "
    "compared at every instant of the frame, instead of anything swept.",
    "A body that moves less than 3 of its radii a frame chooses no axis of the pool, since boxes bound it as well; 'slow too': "
    "such bodies choose axes like all others, as in the paper (`World(slow=0)`).",
    "CPU time, best of several runs that take turns; building worlds and compilation are outside the clock.",
]


def bench_vadop(out: Path, quick: bool, bar: Bar) -> Report:
    """Measure everything, draw two pictures, compare with the targets."""
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
    """The project's targets, as far as the measured sizes allow."""
    claims: list[Claim] = []
    left = {float(row[0]): dict(zip(pruning.columns, row, strict=True)) for row in pruning.rows}
    best, alone = SHARED.format(65, 2.0), ALONE.format(65, 2.0)
    worst = max(
        float(row[name]) / max(1.0, float(row["6-DOP"])) for row in left.values() for name in row if "shared" in name
    )
    claims.append(Claim("pairs left with xyz shared over swept boxes, worst of all", worst, "below", 1.0 + 1e-12, "x"))
    for speed, target in ((30.0, 0.9), (100.0, 0.55)):
        if speed in left and best in left[speed]:
            ratio = float(left[speed][best]) / float(left[speed]["26-DOP"])
            claims.append(
                Claim(f"pairs left, 65 axes, 2 rho, over 26-DOPs at {speed:g} radii a frame", ratio, "below", target)
            )
    for row in cost.rows:
        if row[1] == 1.0 and row[2] in (MANY, NARROW, FEW) and row[0] in (2000, 10_000):
            claims.append(Claim(f"{row[2]} over {XYZ}, speed 1, N = {row[0]:,}", float(row[4]), "below", 2.5, "x"))
    off = max(abs(float(row[6])) for row in law.rows)
    claims.append(Claim("swaps off the law m sin^3(zone) / 3, worst", off, "below", 10.0, "%"))
    ms = {(row[0], row[1], str(row[2])): float(row[3]) for row in kinetic.rows}
    points = list(dict.fromkeys((row[0], row[1]) for row in kinetic.rows))
    for other in ("kinetic", "kinetic-grid"):
        gain = max(ms[*point, other] / ms[*point, "kinetic-vadop"] for point in points)
        claims.append(Claim(f"{other} over kinetic-vadop, best of all scenes", gain, "at least", 1.0, "x"))
    claims.append(Claim("exponent of memory against bodies", exponent(memory), "below", 1.1))
    if alone in left.get(30.0, {}):
        share = float(left[30.0][alone]) / float(left[30.0]["6-DOP"])
        claims.append(
            Claim("without shared axes: pairs left over swept boxes at 30 radii a frame", share, "below", 1.0)
        )
    return [claim for claim in claims if math.isfinite(claim.measured)]
