"""Layout of the scratch array and of the answer of a search for contacts of convex cores, and where the cores are at a time."""

from __future__ import annotations

from math import sqrt

from carom._compile.jit import inner_kernel
from carom.maths.turning_orientation import TURN_SIZE, turned_into
from carom.narrow.toi.advancement.scratch import F_ACC, F_D, F_ROT_A, F_ROT_B, F_SPIN_A, F_SPIN_B, F_V, FLIGHT_COLUMNS
from carom.narrow.toi.status import NOT_YET, OVERLAPPING
from carom.tolerances import SEARCH_WORK

# Scratch of one search: the flight, then
LOCAL_A = FLIGHT_COLUMNS
LOCAL_B = LOCAL_A + 12
"""Pose of each core in its body: rotation by rows (9), shift (3). Bodies turn about their own origin."""
CORE_INSIDE = LOCAL_B + 12
"""Direction (3) from a to b, world axes, that counts while the cores overlap; zero: the line of their origins."""
LOCAL_END = CORE_INSIDE + 3
CORE_TURN_A = LOCAL_END
CORE_TURN_B = CORE_TURN_A + TURN_SIZE
_BODY = CORE_TURN_B + TURN_SIZE
"""Rotation of a body now (9, rows): in passing."""
CORE_NOW_A = _BODY + 9
CORE_NOW_B = CORE_NOW_A + 12
"""Pose of each core now from its body's origin: rotation to world axes by rows (9), shift (3)."""
B_ROT = CORE_NOW_B + 12
B_SHIFT = B_ROT + 9
"""Pose of core b in the frame of core a now."""
AT = B_SHIFT + 3
"""Offset and velocity of b's origin from a's now (3 + 3), world axes."""
RATE = AT + 3
POINTS_AT = RATE + 3
"""Nearest points of a and of b now (3 + 3) from a's origin, in its frame, then in world axes."""
CORE_SPACE = POINTS_AT + 6

# What an answer holds
CORE_TIME = 0
CORE_POINT = 1
"""From a's origin at that time, world axes (3)."""
CORE_NORMAL = 4
CORE_STATUS = 7
CORE_STEPS = 8
CORE_OUT_SIZE = 9


@inner_kernel
def load_flight(flight, locals_ab, space):
    """Put a flight (FLIGHT_COLUMNS,) and the poses of both cores in their bodies (24,) into `space`."""
    for c in range(FLIGHT_COLUMNS):
        space[c] = flight[c]
    for c in range(24):
        space[LOCAL_A + c] = locals_ab[c]
    for c in range(3):
        space[CORE_INSIDE + c] = 0.0


@inner_kernel
def _place(space, rot, turn, s, local, now):
    """Pose of a core at time s from its body's origin."""
    turned_into(space, rot, turn, s, _BODY)
    for r in range(3):
        x, y, z = space[_BODY + 3 * r], space[_BODY + 3 * r + 1], space[_BODY + 3 * r + 2]
        for c in range(3):
            space[now + 3 * r + c] = x * space[local + c] + y * space[local + 3 + c] + z * space[local + 6 + c]
        space[now + 9 + r] = x * space[local + 9] + y * space[local + 10] + z * space[local + 11]


@inner_kernel
def pose_at(space, s):
    """Bring poses, offset and velocity to time s."""
    _place(space, F_ROT_A, CORE_TURN_A, s, LOCAL_A, CORE_NOW_A)
    _place(space, F_ROT_B, CORE_TURN_B, s, LOCAL_B, CORE_NOW_B)
    for d in range(3):
        space[AT + d] = space[F_D + d] + s * (space[F_V + d] + 0.5 * s * space[F_ACC + d])
        space[RATE + d] = space[F_V + d] + s * space[F_ACC + d]
    for r in range(3):
        for c in range(3):
            total = 0.0
            for k in range(3):
                total += space[CORE_NOW_A + 3 * k + r] * space[CORE_NOW_B + 3 * k + c]
            space[B_ROT + 3 * r + c] = total
        total = 0.0
        for k in range(3):
            total += space[CORE_NOW_A + 3 * k + r] * (
                space[AT + k] + space[CORE_NOW_B + 9 + k] - space[CORE_NOW_A + 9 + k]
            )
        space[B_SHIFT + r] = total


@inner_kernel
def path_length(space, s):
    """An upper bound of how far b's origin has been from a's, and come, by time s: what rounds the offset at s."""
    far = 0.0
    for d in range(3):
        far += abs(space[F_D + d]) + abs(s) * (abs(space[F_V + d]) + abs(s * space[F_ACC + d]))
    return far


@inner_kernel
def to_world(space, at):
    """Take the point at `at` from the frame of core a to world axes about a's origin."""
    x, y, z = space[at], space[at + 1], space[at + 2]
    for d in range(3):
        row = CORE_NOW_A + 3 * d
        space[at + d] = space[row] * x + space[row + 1] * y + space[row + 2] * z + space[CORE_NOW_A + 9 + d]


@inner_kernel
def direction_inside(space):
    """A unit direction from a to b, world axes, for cores that overlap: the given one, or between their origins."""
    x, y, z = space[CORE_INSIDE], space[CORE_INSIDE + 1], space[CORE_INSIDE + 2]
    if x == 0.0 and y == 0.0 and z == 0.0:
        x = space[AT] + space[CORE_NOW_B + 9] - space[CORE_NOW_A + 9]
        y = space[AT + 1] + space[CORE_NOW_B + 10] - space[CORE_NOW_A + 10]
        z = space[AT + 2] + space[CORE_NOW_B + 11] - space[CORE_NOW_A + 11]
    length = sqrt(x * x + y * y + z * z)
    if length == 0.0:
        return 1.0, 0.0, 0.0
    return x / length, y / length, z / length


@inner_kernel
def meet_halfway(space, margin_a, margin_b, x, y, z):
    """The point halfway between the nearest points at POINTS_AT, world axes, along (x, y, z), from a to b: where they touch."""
    k = POINTS_AT
    return (
        0.5 * ((space[k] + margin_a * x) + (space[k + 3] - margin_b * x)),
        0.5 * ((space[k + 1] + margin_a * y) + (space[k + 4] - margin_b * y)),
        0.5 * ((space[k + 2] + margin_a * z) + (space[k + 5] - margin_b * z)),
    )


@inner_kernel
def approach(space, px, py, pz, x, y, z):
    """Speed at which the bodies come closer along (x, y, z), from a to b, at the point (px, py, pz) from a's origin.

    One point for both: nearest points are known to some 1e-6 only along the surfaces, so that each body taken at its own
    could seem to close where a response, which knows the point of contact, finds them parting.
    """
    bx, by, bz = px - space[AT], py - space[AT + 1], pz - space[AT + 2]
    p, q = F_SPIN_A, F_SPIN_B
    vx = space[RATE] + (space[q + 1] * bz - space[q + 2] * by) - (space[p + 1] * pz - space[p + 2] * py)
    vy = space[RATE + 1] + (space[q + 2] * bx - space[q] * bz) - (space[p + 2] * px - space[p] * pz)
    vz = space[RATE + 2] + (space[q] * by - space[q + 1] * bx) - (space[p] * py - space[p + 1] * px)
    return -(x * vx + y * vy + z * vz)


@inner_kernel
def search_on(out, before, until, steps):
    """After a search, its answer in `out`: (time reached, steps of all searches, is it worth searching on from there?)."""
    steps += out[CORE_STEPS]
    out[CORE_STEPS] = steps
    return (
        out[CORE_TIME],
        steps,
        out[CORE_STATUS] == NOT_YET and before < out[CORE_TIME] < until and steps < SEARCH_WORK,
    )


@inner_kernel
def touch_into(out, s, deep, x, y, z, px, py, pz):
    """Fill the answer for a contact at s: deep, with the normal (x, y, z) and at the point (px, py, pz)."""
    out[CORE_TIME] = s
    if deep:
        out[CORE_STATUS] = OVERLAPPING
    out[CORE_NORMAL], out[CORE_NORMAL + 1], out[CORE_NORMAL + 2] = x, y, z
    out[CORE_POINT], out[CORE_POINT + 1], out[CORE_POINT + 2] = px, py, pz
