"""Layout of the scratch array of a search for contacts of rotating bodies.

It begins with the scratch array of carom.narrow.toi.workspace, of which it shares triangles, contact record and stack. All is
in world axes about the origin of A, which moves without turning; s is in seconds since the pair's epoch. B's origin is
then at d + s (v + s a / 2), and both bodies turn about their origins.
"""

from __future__ import annotations

from math import nan

from carom._compile.jit import inner_kernel
from carom.maths.turning_orientation import T_RATE, TURN_SIZE, prepare_turn_into, turned_into
from carom.narrow.toi.workspace import WORK_SIZE

# A flight: what a search is given. Offsets inside a row of FLIGHT_COLUMNS.
F_ROT_A = 0
"""Rotation (9, rows) of A at s = 0: takes its axes to world axes."""
F_ROT_B = 9
F_SPIN_A = 18
"""rad/s, world axes."""
F_SPIN_B = 21
F_D = 24
F_V = 27
F_ACC = 30
FLIGHT_COLUMNS = 33

FLIGHT = WORK_SIZE
ROT_A, ROT_B, SPIN_A, SPIN_B = FLIGHT + F_ROT_A, FLIGHT + F_ROT_B, FLIGHT + F_SPIN_A, FLIGHT + F_SPIN_B
D, V, ACC = FLIGHT + F_D, FLIGHT + F_V, FLIGHT + F_ACC

TURN_OF_A = FLIGHT + FLIGHT_COLUMNS
TURN_OF_B = TURN_OF_A + TURN_SIZE
RATE_A, RATE_B = TURN_OF_A + T_RATE, TURN_OF_B + T_RATE
OWN_SPIN_A = TURN_OF_B + TURN_SIZE
"""A's spin in A's own axes (3), which does not change."""
OWN_SPIN_B = OWN_SPIN_A + 3

NOW = OWN_SPIN_B + 3
"""The time of the pose that follows: rotations now (9 each), offset and velocity of B's origin now."""
NOW_A = NOW + 1
NOW_B = NOW_A + 9
NOW_D = NOW_B + 9
NOW_V = NOW_D + 3

FIXED = NOW_V + 3
"""The box that both children are tested against, everything in its axes."""
X_TURN = FIXED
"""Rotation (9, rows) from the axes of the other body."""
X_D = X_TURN + 9
"""Origin of the other body from the centre of the box."""
X_HALF = X_D + 3
X_V = X_HALF + 3
"""Velocity of the other body's origin less that of the centre of the box."""
X_ACC = X_V + 3
X_SPIN = X_ACC + 3
"""Spin of the other body, then that of the box."""
X_OWN_SPIN = X_SPIN + 3
X_RADIUS = X_OWN_SPIN + 3
X_REACH = X_RADIUS + 1
"""Rate of the own spin times the largest distance of the box from its axis: the greatest speed of a point of the box."""
X_RATE = X_REACH + 1
"""Rates of the spins: the other body's, the own."""
X_CROSS = X_RATE + 2
"""|axis x spin| of the other body for the three axes of the box, then of the own body."""

CORNERS_V = X_CROSS + 6
"""Velocities of the corners of TRI_A and TRI_B (18)."""
EDGES = CORNERS_V + 18
"""Edges of TRI_A (9), of TRI_B (9), from each corner to the next."""
NORMALS = EDGES + 18
"""Cross products of the first two edges, of A and of B: normals of any length, 0 of a triangle without area."""
PACE = NORMALS + 6
"""Greatest speed of a corner of A about A's origin, of B about B's."""
SPAN = PACE + 2
"""Sum of the longest sides of the two triangles."""
FLAT = SPAN + 1
"""1 where TRI_A, where TRI_B has no area but what rounding gives it: it is a segment or a point, without a normal."""
LEVELS = FLAT + 2
"""Corners of A, of B along an axis (6), and how fast these numbers change (6)."""
NEAREST = LEVELS + 12
"""Nearest points of the triangles, on A (3) and on B (3)."""
NEAREST_AXIS = NEAREST + 6
"""An axis (3) between the nearest points where it is none of the separating axes, and what it turns with."""

GAP = NEAREST_AXIS + 4
"""Triangles as near as this touch."""
LEVEL = GAP + 1
"""Steps end where a gap may have closed to this: between 0 and GAP, so that rounding cannot make a step too long."""
SINK = LEVEL + 1
"""By so much a touching gap may close without being called closing."""
NOISE = SINK + 1
"""Rates of approach below this are rounding, m/s."""
STEPS = NOISE + 1
"""Steps of advancement so far."""
TRIANGLE_TESTS = STEPS + 1
LATER = TRIANGLE_TESTS + 1
"""After a search of a slice without contact: there is none before this time either; not before the end of the slice."""
SCORE = LATER + 1
"""How good the normal of a touch is: see carom.narrow.toi.advancement.touching_triangles."""
CLOSES = SCORE + 1
"""1 where the point of a touch comes closer, 0 where it keeps its distance or recedes."""
REACH_A = CLOSES + 1
"""Radius of a sphere about A's origin that holds A."""
REACH_B = REACH_A + 1
BALL = REACH_B + 1
"""Centre of a ball A in the axes of B (3), and the time of that; its velocity and its acceleration seen from there."""
BALL_V = BALL + 4
BALL_ACC = BALL_V + 3
SPACE_SIZE = BALL_ACC + 3


@inner_kernel
def prepare_flight(space):
    """Fill what is derived from the FLIGHT alone."""
    prepare_turn_into(space, ROT_A, SPIN_A, TURN_OF_A)
    prepare_turn_into(space, ROT_B, SPIN_B, TURN_OF_B)
    for c in range(3):
        for rot, spin, own in ((ROT_A, SPIN_A, OWN_SPIN_A), (ROT_B, SPIN_B, OWN_SPIN_B)):
            space[own + c] = (
                space[rot + c] * space[spin]
                + space[rot + 3 + c] * space[spin + 1]
                + space[rot + 6 + c] * space[spin + 2]
            )
    for k in range(9):
        space[NOW_A + k], space[NOW_B + k] = space[ROT_A + k], space[ROT_B + k]
    space[NOW] = space[BALL + 3] = nan


@inner_kernel
def pose_at(space, s):
    """Make s the time of the pose."""
    if space[NOW] == s:
        return
    space[NOW] = s
    if space[RATE_A] > 0.0:
        turned_into(space, ROT_A, TURN_OF_A, s, NOW_A)
    if space[RATE_B] > 0.0:
        turned_into(space, ROT_B, TURN_OF_B, s, NOW_B)
    for k in range(3):
        v, end = space[V + k], space[V + k] + space[ACC + k] * s
        space[NOW_D + k] = space[D + k] + 0.5 * (v + end) * s
        space[NOW_V + k] = end
