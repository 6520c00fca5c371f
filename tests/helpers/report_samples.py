"""A small report of a bench, with everything that one may hold."""

from __future__ import annotations

import base64
import math

from carom.bench import Claim, Report, Table

PIXEL = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
)


def ksp_report(folder) -> Report:
    picture = folder / "ksp_figures_7_8.png"
    picture.write_bytes(PIXEL)
    tables = [
        Table("ksp_figure7", "Figure 7: bodies", ("objects", "swept / kinetic"), [(100, 5.7), (1000, math.nan)]),
        Table("ksp_other", "Something else", ("name", "cost"), [("a | b <i>", math.inf)]),
        Table("ksp_hidden", "Not shown", ("n",), [(1,)], shown=False),
    ]
    claims = [
        Claim("swept over kinetic, rings, 1000 Hz, n = 1,000", 5.75, "at least", 1.5, "x"),
        Claim("something of its own", 3.0, "below", 2.0, "MB"),
    ]
    return Report(
        "ksp", ["how it was <measured>"], tables, claims, [picture], {"carom": "9.9"}, True, "2026-01-02", 90.0
    )
