"""Timers of single bodies: the next keyframe, or the expiry of user-given bounds (paper KSP, 5.2)."""

from __future__ import annotations

import math

from carom._compile.jit import inner_kernel, lean_kernel
from carom.queues.in_kernels import queue_set
from carom.tables.body_columns import FLAGS, KEYED, NO_ID, T_REF, TRACK, VX, X
from carom.tables.run_columns import (
    ASK_BOUNDS,
    AT_KEY,
    CHANGED,
    CHANGED_I,
    CHANGED_J,
    EVEN_KEY,
    SLOT,
    TIMERS,
    TURNING_KEY,
)
from carom.tolerances import KEY_SLACK


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
def _moves_on(bodies, row, vx, vy, vz, wx, wy, wz):
    """Has the row kept its former velocity and spin at a key, but for rounding?"""
    body, spin = bodies.body, bodies.spin
    span = bodies.timer_keys[row] - body[row, T_REF]
    if span == math.inf:
        span = 0.0  # at rest from now on: only rest is the same
        if vx != 0.0 or vy != 0.0 or vz != 0.0 or wx != 0.0 or wy != 0.0 or wz != 0.0:
            return False
    size = abs(body[row, X]) + abs(body[row, X + 1]) + abs(body[row, X + 2])
    size += span * (abs(vx) + abs(vy) + abs(vz))
    strays = abs(body[row, VX] - vx) + abs(body[row, VX + 1] - vy) + abs(body[row, VX + 2] - vz)
    turns = abs(spin[row, 0] - wx) + abs(spin[row, 1] - wy) + abs(spin[row, 2] - wz)
    return strays * span <= KEY_SLACK * size and turns * span <= KEY_SLACK


@inner_kernel
def fire_timer(bodies, run, row):
    """Process the timer of `row`: CHANGED for a keyframe, ASK_BOUNDS for expired bounds."""
    if bodies.link[row, FLAGS] != KEYED:
        run.count[SLOT] = row
        return ASK_BOUNDS
    run.count[TIMERS] += 1
    bodies.track[bodies.link[row, TRACK], 0] += 1
    vx, vy, vz = bodies.body[row, VX], bodies.body[row, VX + 1], bodies.body[row, VX + 2]
    wx, wy, wz = bodies.spin[row, 0], bodies.spin[row, 1], bodies.spin[row, 2]
    enter_piece(bodies, run, row)
    run.count[AT_KEY] = EVEN_KEY if _moves_on(bodies, row, vx, vy, vz, wx, wy, wz) else TURNING_KEY
    run.count[CHANGED_I] = row
    run.count[CHANGED_J] = NO_ID
    return CHANGED
