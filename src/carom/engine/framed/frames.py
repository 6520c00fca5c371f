"""Frames [k*dt, (k+1)*dt] of the broad phases that sweep boxes: where the clock stands among them."""

from __future__ import annotations

import math

import numpy as np

from carom._compile.jit import inline_kernel, inner_kernel
from carom.engine.loop import clock_to, finish
from carom.engine.tables import Tables
from carom.tables.run_columns import FRAME, FRAME_END, FRAME_LENGTH, FRAMES_LEFT, NOW, PATIENCE

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


@inner_kernel
def next_frame(run):
    """Move the clock to the frame that begins where the last one ended; returns that time."""
    start = run.param[FRAME_END]
    run.count[FRAME] += 1
    run.count[FRAMES_LEFT] -= 1
    run.param[FRAME_END] = (run.count[FRAME] + 1) * run.param[FRAME_LENGTH]
    clock_to(run, start)
    return start


@inline_kernel
def frame_is_over(run, until, t_next):
    """Is the frame to be left, because nothing is due in it any more and the loop goes on beyond it?"""
    return min(t_next, until) > run.param[FRAME_END]


@inline_kernel
def is_quiet(run):
    """Have there been many frames without an event of a pair or a timer? To be asked when a frame has been entered."""
    return run.count[FRAMES_LEFT] <= 0


@inline_kernel
def finish_in_frame(run, until, t_next):
    """The loop's result at its end: whoever wants to go beyond the frame has to enter the next one."""
    return finish(run, until, min(t_next, np.nextafter(run.param[FRAME_END], math.inf)))
