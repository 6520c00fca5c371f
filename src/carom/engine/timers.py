"""Timers of single bodies: the next keyframe, or the expiry of user-given bounds (paper KSP, 5.2)."""

from __future__ import annotations

import math

from carom._jit import inner_kernel, lean_kernel
from carom.engine.state import ASK_BOUNDS, CHANGED, CHANGED_I, CHANGED_J, SLOT, TIMERS
from carom.layout import FLAGS, KEYED, NO_ID, T_REF, TRACK, VX, X
from carom.queues.in_kernels import queue_set


@lean_kernel
def enter_piece(bodies, run, row):
    """Put a keyframed body on the piece of its track that ends at the next key; at rest before the first and after the last."""
    track = bodies.track[bodies.link[row, TRACK]]
    k = track[0]
    body = bodies.body
    at = track[2] if k == track[2] else k - 1
    for d in range(3):
        body[row, X + d] = bodies.key_pos[at, d]
        body[row, VX + d] = 0.0
    for d in range(4):
        bodies.quat[row, d] = bodies.key_turn[at, d]
    for d in range(3):
        bodies.spin[row, d] = 0.0
    if k < track[1]:
        if k > track[2]:
            span = bodies.key_time[k] - bodies.key_time[k - 1]
            for d in range(3):
                body[row, VX + d] = (bodies.key_pos[k, d] - bodies.key_pos[k - 1, d]) / span
                bodies.spin[row, d] = bodies.key_turn[at, 4 + d]
            body[row, T_REF] = bodies.key_time[k - 1]
        queue_set(bodies.timer_keys, run.none, bodies.timer_links, row, bodies.key_time[k], 0)
    else:
        body[row, T_REF] = bodies.key_time[k - 1]
        queue_set(bodies.timer_keys, run.none, bodies.timer_links, row, math.inf, 0)


@inner_kernel
def fire_timer(bodies, run, row):
    """Process the timer of `row`: CHANGED for a keyframe, ASK_BOUNDS for expired bounds."""
    if bodies.link[row, FLAGS] != KEYED:
        run.count[SLOT] = row
        return ASK_BOUNDS
    run.count[TIMERS] += 1
    bodies.track[bodies.link[row, TRACK], 0] += 1
    enter_piece(bodies, run, row)
    run.count[CHANGED_I] = row
    run.count[CHANGED_J] = NO_ID
    return CHANGED
