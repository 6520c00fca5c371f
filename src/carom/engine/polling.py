"""Bodies without a dynamic test: their pairs are asked about at fixed times, their bounds renewed on expiry (KSP, 5.2)."""

from __future__ import annotations

from typing import Any

import numpy as np

from carom import validate
from carom._linear import length
from carom.bounds.polled import Polled
from carom.engine.base import Engine
from carom.engine.entry import write_given
from carom.engine.reading import positions_at
from carom.engine.state import HIT, MISS, NOW, OUT, PENDING, SLOT, TIMERS
from carom.engine.tables import Tables
from carom.layout import ID, NO_ID

_STATUS_POLLED = 2


def poll_pair(world: Any, tables: Tables, engine: Engine, polled: dict[int, Polled], time: float) -> None:
    """Ask the polled body of the pair in SLOT whether it touches the other at `time`; the answer goes into the tables."""
    slot = int(tables.count[SLOT])
    rows = engine.rows_of(slot)
    ids = [int(tables.link[row, ID]) for row in rows]
    asked = 0 if ids[0] in polled else 1
    answer = polled[ids[asked]].test(world, ids[asked], ids[1 - asked], time)
    out = tables.param[OUT : OUT + 10]
    if isinstance(answer, tuple):
        out[:3] = validate.vector("point", answer[0])
        normal = validate.vector("normal", answer[1])
        out[3:6] = normal / length(normal) * (1.0 if asked == 0 else -1.0)
    elif answer:
        here, there = positions_at(tables, np.array(rows), float(tables.param[NOW]))
        apart = float(length(there - here))
        out[:3] = 0.5 * (here + there)
        out[3:6] = (there - here) / apart if apart > 0.0 else (1.0, 0.0, 0.0)
    out[6:9] = (NO_ID, NO_ID, _STATUS_POLLED)
    tables.count[PENDING] = HIT if answer else MISS


def renew_bounds(tables: Tables, engine: Engine, polled: dict[int, Polled], origin: float) -> None:
    """The bounds of the row in SLOT have expired: ask for new ones."""
    row = int(tables.count[SLOT])
    tables.count[TIMERS] += 1
    write_given(tables, row, polled[int(tables.link[row, ID])], origin)
    bounds_renewed(engine, row)


def bounds_renewed(engine: Engine, row: int) -> None:
    """The bounds of a row are new, its motion is not."""
    first, second, since = engine.reported()
    engine.motion_changed(row)
    kept = (first == row) | (second == row)  # what was reported stays so
    engine.remember(first[kept], second[kept], since[kept])
