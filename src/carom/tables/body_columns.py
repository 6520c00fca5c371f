"""Columns of the tables that kernels share. One row per body; rows are recycled, body ids are not.

BODY float64 (capacity, 16): the state at the body's own epoch T_REF; x(t) = X + VX*dt + AX*dt*dt/2 with dt = t - T_REF.
LINK int32 (capacity, 8): what the row refers to.
QUAT float64 (capacity, 4): orientation w, x, y, z at T_REF.
SPIN float64 (capacity, 4): spin in world axes, rad/s, and INV_INERTIA. All zero for a body that never turns.
DEPARTURE float64 (capacity, 18): the motion as it began, for bodies on whose way the time origin moved; else all zero.
"""

from __future__ import annotations

# BODY columns
X = 0
VX = 3
AX = 6
T_REF = 9
RADIUS = 10
"""Bounding-sphere radius; for a half-space its offset along the normal."""
CX = 11
"""Bounding-sphere centre minus position, world axes; for a half-space its unit normal, world axes."""
INV_MASS = 14
"""1/mass; 0 for what nothing can move (infinite mass, keyframes)."""
LAST_HIT = 15
"""Time of the body's last contact, -inf before the first."""
BODY_COLUMNS = 16

# SPIN columns
INV_INERTIA = 3
"""1/moment of inertia, the same about every axis; 0 for a body that contacts do not turn."""
SPIN_COLUMNS = 4

# DEPARTURE columns
FROM_X = 0
FROM_VX = 3
FROM_AX = 6
FROM_QUAT = 9
FROM_SPIN = 13
FROM_T = 16
"""The epoch of these, in the time that was local then."""
ELAPSED = 17
"""By how much the time origin has moved since, s."""
DEPARTURE_COLUMNS = 18

# LINK columns
SHAPE = 0
KIND = 1
GROUP = 2
FLAGS = 3
ID = 4
HEAD = 5
"""First node of the body's list of pairs, NO_ID when empty."""
DEGREE = 6
"""Length of that list."""
TRACK = 7
"""Row of the keyframe track or of the user-given bounds, NO_ID for a plain motion."""
LINK_COLUMNS = 8

# FLAGS values
FREE_ROW = 0
PLAIN = 1
KEYED = 2
GIVEN_BOUNDS = 3

NO_ID = -1
