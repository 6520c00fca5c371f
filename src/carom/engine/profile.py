"""Where the time of an event loop goes, for worlds that ask for it: processor ticks, without those of exact tests."""

from __future__ import annotations

from carom._compile.clock import ticks
from carom._compile.jit import inline_kernel
from carom.tables.run_columns import PROFILE, TICKS_NARROW


@inline_kernel
def started(run):
    """Begin to measure."""
    return ticks() - run.param[TICKS_NARROW] if run.count[PROFILE] else 0.0


@inline_kernel
def spent(run, column, begin):
    """Add what has passed since `started` returned `begin` to a column of Run.param; exact tests have their own."""
    if run.count[PROFILE]:
        run.param[column] += (ticks() - run.param[TICKS_NARROW]) - begin
