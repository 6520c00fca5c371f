"""What a poll costs when nothing is due."""

from __future__ import annotations

import math
import time

from carom.bench.progress import Bar
from carom.bench.report import Table
from carom.errors import AuditError
from carom.scenes.rings import rings

COLUMNS = ("objects", "polls", "µs / poll")


def measure_idle_poll(quick: bool, bar: Bar) -> Table:
    """Best of several series of polls between now and the next event of a world of rings."""
    n, polls, repeats = (50, 1_000, 3) if quick else (1000, 20_000, 20)
    world = rings(objects=n, density=0.01, seed=3).build()
    best = math.inf
    for _ in bar.track(range(repeats), "idle polls"):
        world.advance(world.next_event_time())
        start, end = world.time, world.next_event_time()
        instants = [start + (end - start) * 0.9 * (k + 1) / polls for k in range(polls)]
        found = 0
        begin = time.perf_counter()
        for instant in instants:
            found += len(world.advance(instant))
        best = min(best, (time.perf_counter() - begin) / polls)
        if found:
            raise AuditError(f"{found} contacts before the next event at {end}")
    return Table("ksp_idle_poll", "A poll with nothing due", COLUMNS, [(n, polls, 1e6 * best)])
