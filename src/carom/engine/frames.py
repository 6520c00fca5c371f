"""Frames [k*dt, (k+1)*dt] of the broad phases that sweep boxes: where the clock stands among them."""

from __future__ import annotations

import math

from carom._jit import inner_kernel
from carom.engine.state import FRAME, FRAME_END, FRAME_LENGTH, NOW
from carom.engine.tables import Tables
from carom.engine.timers import clock_to


def enter_frame(tables: Tables) -> None:
    """Enter the frame that holds the current time."""
    length = float(tables.param[FRAME_LENGTH])
    tables.count[FRAME] = math.floor(float(tables.param[NOW]) / length)
    tables.param[FRAME_END] = (tables.count[FRAME] + 1) * length


@inner_kernel
def next_frame(run):
    """Move the clock to the frame that begins where the last one ended; returns that time."""
    start = run.param[FRAME_END]
    run.count[FRAME] += 1
    run.param[FRAME_END] = (run.count[FRAME] + 1) * run.param[FRAME_LENGTH]
    clock_to(run, start)
    return start
