"""Layout of the scratch array of a pair test, so that a test allocates once.

Everything is in the axes of body A (the first in kind order), with A at the origin; B is then at d + s (v + s h), s in
seconds since the pair's epoch and h half the relative acceleration. Two blocks of 18 hold this motion seen from A and from B.
"""

from __future__ import annotations

from carom._compile.jit import inner_kernel, kernel

# Offsets inside a motion block
M_TURN = 0
"""Rotation (9), rows: takes the axes of the other body to the axes of this one."""
M_D = 9
M_V = 12
M_H = 15

FROM_A = 0
FROM_B = 18

FIXED = 36
"""The box that both children are tested against: the motion block of the other body in the box's axes, half sizes (3)."""
FIXED_HALF = FIXED + 18
TURNED = FIXED_HALF + 3
"""Axes of two boxes in A's axes, in columns (9 each)."""

TRI_A = TURNED + 18
TRI_B = TRI_A + 9
"""Corners (9) in A's axes; B's as if B were at the origin."""
VECTORS = TRI_B + 9
"""Of both triangles: unit normal of A, of B, edges of A, edges of B (8 vectors)."""

AXES = VECTORS + 24
"""Rows of 8 for each separating axis: unit axis, then d, v, h along it, then min B - max A and min A - max B at d = 0."""
AXIS_ROW = 8
MOST_AXES = 23
A_D = 3
A_V = 4
A_H = 5
A_AHEAD = 6
A_BEHIND = 7

N_AXES = AXES + AXIS_ROW * MOST_AXES
"""Number of rows in use."""
SIDE = N_AXES + 1
"""The side of a contact: 2 k where B lies ahead of A along axis k, 2 k + 1 where it lies behind, -1 where open."""

POLYGON_A = SIDE + 1
POLYGON_B = POLYGON_A + 24
POLYGON_C = POLYGON_B + 24
"""Corners of the two touching features (up to 8 each) and a spare for clipping."""

N_CORNERS = POLYGON_C + 24
"""Numbers of corners of POLYGON_A and POLYGON_B."""

POINT = N_CORNERS + 2
"""Contact point, A's axes, relative to A's position at the contact. From here to STATUS is one record."""
NORMAL = POINT + 3
"""Unit normal from A to B, A's axes."""
FEATURE_A = POINT + 6
FEATURE_B = POINT + 7
STATUS = POINT + 8
_RECORD = 9

_KEPT = POINT + _RECORD
"""The record of the best contact so far, while later ones are tried."""

TURN_A = _KEPT + _RECORD
TURN_B = TURN_A + 9
"""Rotations (9), rows: take the axes of A and of B to world axes. A ball as A borrows the axes of B."""

PAD = TURN_B + 9
"""Coefficients (3) of the padding PAD + s PAD' + s^2 PAD'': the gap that rounding may fake at time s."""
TOUCH = PAD + 3
"""Overlap up to this depth is a touch."""

TESTS = TOUCH + 1
"""Tests of boxes and triangles so far."""
DEEP = TESTS + 1
"""1 when a pair of primitives overlapped by more than a touch at the start."""

STACK = TESTS + 2
STACK_ROWS = 128
"""Nodes still to test: node of A, node of B, time before which they cannot meet. Trees halve at each level and a search
keeps one row a level of either tree, so that this is enough for any tree that fits into memory."""
STACK_ROW = 3
WORK_SIZE = STACK + STACK_ROW * STACK_ROWS


@inner_kernel
def pad_at(work, s):
    """The gap that rounding may fake at time s."""
    return work[PAD] + s * (work[PAD + 1] + s * work[PAD + 2])


@inner_kernel
def keep_contact(work):
    """Remember the record of a contact."""
    for k in range(_RECORD):
        work[_KEPT + k] = work[POINT + k]


@inner_kernel
def recall_contact(work):
    """Bring the remembered record back."""
    for k in range(_RECORD):
        work[POINT + k] = work[_KEPT + k]


@kernel
def push(work, size, a, b, entry):
    """Put a pair of nodes on the stack of `size` rows; returns the new size, -1 if it is full."""
    if size < 0 or size >= STACK_ROWS:
        return -1
    row = STACK + STACK_ROW * size
    work[row], work[row + 1], work[row + 2] = a, b, entry
    return size + 1
