"""A guided body's row in the tables: the path it was told as motion, what it can reach as kinetic bounds."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from carom.bounds.space_time import cutting_plane, kinetic_bounds
from carom.engine.contract import Engine
from carom.engine.tables import Tables
from carom.maths.fixed_order import dot, product
from carom.motion import Guided, Motion
from carom.shapes import Shape
from carom.shapes.kind import SPHERE
from carom.tables.body_columns import FLAGS, GIVEN_BOUNDS, INV_INERTIA, INV_MASS, RADIUS, T_REF, TRACK, VX, X
from carom.tolerances import RIGHT_ANGLED_AXES
from carom.world.body_rows import write_motion, write_orientation, write_shape
from carom.world.guided.silence import Pairs, keep_silent


def make_guided(tables: Tables, row: int) -> None:
    """Let the row have bounds that do not move as it does; nothing but its user moves it."""
    tables.link[row, FLAGS] = GIVEN_BOUNDS
    tables.link[row, TRACK] = tables.add_given()
    tables.given[-1, 0] = math.inf
    tables.body[row, INV_MASS] = 0.0
    tables.spin[row, INV_INERTIA] = 0.0


def make_plain(tables: Tables, row: int, shape: Shape, mass: float) -> None:
    """Undo make_guided."""
    write_shape(tables, row, shape)
    tables.body[row, INV_MASS] = 1.0 / mass


def write_path(tables: Tables, row: int, shape: Shape, motion: Motion, origin: float) -> None:
    """Write a motion; the extents are those of all orientations, so that bounds stay the same however the body turns."""
    tables.turning |= bool(motion.spin.any()) and shape.kind != SPHERE
    write_orientation(tables, row, shape, motion.orientation, True)
    write_motion(tables, row, motion, origin)
    if tables.turning:
        tables.allow_spin()
        tables.write_addresses()


def write_reach(tables: Tables, row: int, bound: Guided | None, origin: float) -> None:
    """Write as kinetic bounds what the body can reach under `bound`, or only the path of the row where that is None.

    The table holds the box relative to the row's position, and the cutting plane where it is.
    """
    number = int(tables.link[row, TRACK])
    given = tables.given[number]
    given[1:] = 0.0
    given[2] = math.inf
    if bound is None:
        return
    reach = kinetic_bounds(bound, 0.0)
    given[1], given[2] = bound.start - origin, bound.expires - origin
    coefficients = tables.given_sides(number)
    coefficients[:, 0], coefficients[:, 1] = reach.along(tables.axes)
    body = tables.body[row]
    place = bound.position - (body[X : X + 3] + (given[1] - body[T_REF]) * body[VX : VX + 3])
    coefficients[:, :, 0] += dot(tables.axes, place)[:, None]
    coefficients[:, :, 1] += dot(tables.axes, bound.velocity - body[VX : VX + 3])[:, None]
    tables.given_plane(number)[:] = _along_axes(cutting_plane(bound, float(body[RADIUS])), tables.axes[:3])


def _along_axes(plane: NDArray[np.float64], axes: NDArray[np.float64]) -> NDArray[np.float64]:
    """The plane (5,) in coordinates along three axes; all zero, so that nothing is cut, where they are not at right angles."""
    if len(axes) < 3 or np.abs(product(axes, axes.T) - np.eye(3)).max() > RIGHT_ANGLED_AXES:
        return np.zeros_like(plane)
    return np.concatenate((dot(axes, plane[:3]), plane[3:]))


def renew(tables: Tables, engine: Engine, row: int, bounds_hold: bool, reported: Pairs) -> None:
    """The path of `row` is new. Pairs whose contact was `reported` and whose shapes touch now stay silent.

    bounds_hold: its kinetic bounds are the same as before, so that only its active pairs are concerned.
    """
    engine.bind()
    if bounds_hold:
        engine.motion_renewed(row)
    else:
        engine.motion_changed(row)
    keep_silent(tables, engine, reported)


def reach_of(tables: Tables, rows: NDArray[np.int32]) -> NDArray[np.float64]:
    """Radii (n,) of balls about the positions of guided rows that hold them however they turn."""
    return tables.body[rows, RADIUS]
