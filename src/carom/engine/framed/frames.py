"""Frames [k*dt, (k+1)*dt] of the broad phases that sweep boxes: where the clock stands among them."""

from __future__ import annotations

import math

import numpy as np

from carom._compile.jit import inline_kernel, inner_kernel
from carom.engine.loop import clock_to
from carom.engine.tables import Tables
from carom.tables.run_columns import DONE, FRAME, FRAME_END, FRAME_LENGTH, FRAMES_LEFT, NOW, PATIENCE, QUIET

_PATIENCE = 4096
"""Frames without an event after which it is asked whether anything can happen soon."""


def be_patient(tables: Tables) -> None:
    """Count frames without an event from here on."""
    tables.count[PATIENCE] = tables.count[FRAMES_LEFT] = _PATIENCE


def enter_frame(tables: Tables) -> None:
    """Enter the frame that holds the current time."""
    length = float(tables.param[FRAME_LENGTH])
    tables.count[FRAME] = math.floor(float(tables.param[NOW]) / length)
    tables.param[FRAME_END] = (tables.count[FRAME] + 1) * length
    be_patient(tables)


@inline_kernel
def frame_time(run, own):
    """The first time of the next frame: whatever happens at the end of a frame belongs to it."""
    return np.nextafter(run.param[FRAME_END], math.inf)


@inner_kernel
def next_frame(run):
    """Move the clock to the frame that begins where the last one ended."""
    clock_to(run, run.param[FRAME_END])
    run.count[FRAME] += 1
    run.count[FRAMES_LEFT] -= 1
    run.param[FRAME_END] = (run.count[FRAME] + 1) * run.param[FRAME_LENGTH]


@inline_kernel
def frame_code(run):
    """DONE when a frame has been entered, QUIET when there have been many without an event of a pair or a timer."""
    return np.int64(QUIET) if run.count[FRAMES_LEFT] <= 0 else np.int64(DONE)
