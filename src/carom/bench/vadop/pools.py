"""Covering angles of the pools, and a lower bound for any points."""

from __future__ import annotations

import math

from carom.bench.report import Cell, Table
from carom.bounds.axis_pool import axis_pool

COLUMNS = ("axes", "covering angle, deg", "no points can do better than, deg", "over that bound, %")
SIZES = (3, 4, 6, 8, 13, 16, 25, 32, 46, 65, 100, 130, 200, 256, 300)


def least_covering(points: int) -> float:
    """Return Fejes Toth's bound, rad: with this number of points on the sphere, some direction is at least this far from all.

    Only 4, 6 and 12 points reach it.
    """
    corner = math.pi / 6.0 * points / (points - 2.0)
    return math.acos(1.0 / (math.sqrt(3.0) * math.tan(corner)))


def measure_pools(quick: bool) -> Table:
    """Compute covering angles from the hull of the axes."""
    rows: list[tuple[Cell, ...]] = []
    for m in SIZES[:5] if quick else SIZES:
        covering, least = axis_pool(m).covering, least_covering(2 * m)
        rows.append((m, math.degrees(covering), math.degrees(least), 100.0 * (covering / least - 1.0)))
    return Table(
        "vadop_pools", "Pools of axes: largest angle between any direction and the nearest axis", COLUMNS, rows
    )
