"""A deforming body's row in the tables: the mean of its vertices as position, its chord box as kinetic bounds."""

from __future__ import annotations

from math import inf

import numpy as np

from carom.engine.tables import Tables
from carom.maths.fixed_order import dot, length, product
from carom.shapes.kind import POLLED
from carom.tables.body_columns import (
    AX,
    CX,
    FLAGS,
    GIVEN_BOUNDS,
    INV_MASS,
    KIND,
    NO_ID,
    RADIUS,
    SHAPE,
    T_REF,
    TRACK,
    VX,
    X,
)
from carom.tolerances import BOUND_PAD, BOUND_PAD_ULPS, EPSILON
from carom.world.deforming.flightplans import Piece


def write_surface(tables: Tables, row: int) -> None:
    """Write what does not depend on the motion: nothing moves such a body, and its pairs are asked about in Python."""
    tables.link[row, KIND] = POLLED
    tables.link[row, SHAPE] = NO_ID
    tables.link[row, FLAGS] = GIVEN_BOUNDS
    tables.link[row, TRACK] = tables.add_given()
    tables.given[-1, 0] = inf
    _write_unbounded(tables, row)


def restore_surface(tables: Tables, row: int) -> None:
    """Write the same for a row that has its bounds already."""
    tables.link[row, SHAPE] = NO_ID
    tables.given[tables.link[row, TRACK], 0] = inf
    _write_unbounded(tables, row)


def _write_unbounded(tables: Tables, row: int) -> None:
    tables.body[row, INV_MASS] = 0.0
    tables.body[row, RADIUS] = inf
    tables.body[row, CX : CX + 3] = 0.0
    tables.extent[row] = 0.0
    tables.quat[row] = (1.0, 0.0, 0.0, 0.0)


def write_piece(tables: Tables, row: int, piece: Piece) -> None:
    """Write position and bounds of a row on this piece.

    Along any axis the farthest of points that move straight is a convex function of time: the chord from the extent at
    the start to that at the end bounds it.
    """
    span = piece.end - piece.begin
    here, there = piece.start.mean(axis=0), piece.goal.mean(axis=0)
    body = tables.body[row]
    body[X : X + 3] = here
    body[VX : VX + 3] = (there - here) / span if span < inf else 0.0
    body[AX : AX + 3] = 0.0
    body[T_REF] = piece.begin
    axes = tables.axes
    first, last = product(piece.start, axes.T), product(piece.goal, axes.T)
    size = float(length(np.maximum(np.ptp(piece.start, axis=0), np.ptp(piece.goal, axis=0))))
    farthest = float(max(np.abs(piece.start).max(), np.abs(piece.goal).max()))
    pad = BOUND_PAD * size + BOUND_PAD_ULPS * EPSILON * farthest
    number = int(tables.link[row, TRACK])
    given = tables.given[number]
    given[1], given[2] = piece.begin, piece.end
    coefficients = tables.given_sides(number)
    for side, extreme, sign in ((0, np.min, -1.0), (1, np.max, 1.0)):
        begin, end = extreme(first, axis=0), extreme(last, axis=0)
        coefficients[:, side, 0] = begin - dot(axes, here) + sign * pad
        coefficients[:, side, 1] = ((end - begin) / span if span < inf else 0.0) - dot(axes, body[VX : VX + 3])
        coefficients[:, side, 2] = 0.0
