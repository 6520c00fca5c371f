"""How bodies get into the tables: shapes and motions become rows. Validates everything before it changes anything."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from carom import validate
from carom.bounds.kinetic import KineticBounds
from carom.bounds.polled import Polled
from carom.engine.events.row_motion import advance_row, turn_row
from carom.engine.events.timers import enter_piece
from carom.engine.tables import Tables
from carom.errors import InvalidInputError, UnsupportedMotionError
from carom.maths.fixed_order import dot, length
from carom.motion import Keyframes, Motion
from carom.narrow.toi.shape_table import check_has_test
from carom.shapes import HalfSpace, Shape
from carom.shapes.kind import SPHERE
from carom.shapes.shape import rotation_matrix
from carom.tables.body_columns import (
    AX,
    CX,
    FLAGS,
    GIVEN_BOUNDS,
    GROUP,
    HEAD,
    ID,
    INV_INERTIA,
    INV_MASS,
    KEYED,
    KIND,
    NO_ID,
    PLAIN,
    RADIUS,
    SHAPE,
    T_REF,
    TRACK,
    VX,
    X,
)
from carom.tables.run_columns import NOW
from carom.tolerances import BOUND_PAD

Floats = NDArray[np.float64]

BALL_INERTIA = 0.4
"""Moment of inertia of a solid ball over its mass and squared radius."""


def check_motion(name: str, motion: object) -> Motion | Keyframes:
    """A motion that a world can follow."""
    if isinstance(motion, Motion | Keyframes):
        return motion
    raise InvalidInputError(
        f"{name} is {validate.shown(motion)}; expected a carom.Motion, carom.Keyframes or carom.Guided"
    )


def check_shape(name: str, shape: object) -> Shape:
    """A shape that a world can follow."""
    if not isinstance(shape, Shape):
        raise InvalidInputError(f"{name} is {validate.shown(shape)}; expected a carom shape")
    if not isinstance(shape, Polled):
        check_has_test(shape)
    return shape


def write_shape(tables: Tables, row: int, shape: Shape) -> None:
    """Write what does not depend on the motion."""
    tables.link[row, KIND] = shape.kind
    if isinstance(shape, Polled):
        tables.link[row, SHAPE] = NO_ID
        tables.link[row, FLAGS] = GIVEN_BOUNDS
        tables.link[row, TRACK] = tables.add_given()
        tables.given[-1, 0] = 1.0 / shape.rate
    else:
        tables.link[row, SHAPE] = tables.shapes.add(shape)
        tables.link[row, FLAGS] = PLAIN


def check_turning(name: str, shape: Shape, turning: bool) -> None:
    """UnsupportedMotionError where a half-space turns: it has no end, so bounds of its motion do not exist."""
    if turning and isinstance(shape, HalfSpace):
        raise UnsupportedMotionError(f"{name} spins; a half-space cannot spin in a world, use orientation")


def turning(motion: Motion | Keyframes) -> bool:
    """Does the orientation change?"""
    return motion.turns if isinstance(motion, Keyframes) else bool(motion.spin.any())


def keyed_turns(tables: Tables, row: int) -> bool:
    """Is the row led along keyframes that turn?"""
    if tables.link[row, FLAGS] != KEYED:
        return False
    track = tables.track[tables.link[row, TRACK]]
    return bool(tables.key_turn[track[2] : track[1], 4:].any())


def write_orientation(tables: Tables, row: int, shape: Shape, quat: Floats, turns: bool) -> None:
    """Write bounding sphere and padded extents of a shape turned by `quat`, or of all its orientations where it turns."""
    tables.quat[row] = quat
    body = tables.body[row]
    if turns:
        centre, radius = shape.bounding_sphere()
        body[RADIUS] = reach = radius + float(length(centre))
        body[CX : CX + 3] = 0.0
        pad = BOUND_PAD * reach
        tables.extent[row, 0::2] = -reach - pad
        tables.extent[row, 1::2] = reach + pad
        return
    if isinstance(shape, HalfSpace):
        body[RADIUS] = shape.offset
        body[CX : CX + 3] = dot(rotation_matrix(quat), shape.normal)
    else:
        centre, radius = shape.bounding_sphere()
        body[RADIUS] = radius
        body[CX : CX + 3] = dot(rotation_matrix(quat), centre)
    low, high = shape.extents_along(tables.axes, quat)
    size = body[RADIUS] if math.isfinite(body[RADIUS]) else 0.0
    pad = BOUND_PAD * abs(size)
    tables.extent[row, 0::2] = low - pad
    tables.extent[row, 1::2] = high + pad


def write_motion(tables: Tables, row: int, motion: Motion | Keyframes, origin: float) -> None:
    """Write the motion of a row as it stands at the current time. `origin` is the world's time origin."""
    now = float(tables.param[NOW])
    body = tables.body[row]
    if isinstance(motion, Keyframes):
        tables.link[row, FLAGS] = KEYED
        spins = [piece.spin for piece in motion.pieces()]
        turns = np.column_stack((motion.orientations, spins))
        tables.link[row, TRACK] = track = tables.add_track(motion.times - origin, motion.positions, turns)
        body[INV_MASS] = 0.0
        body[AX : AX + 3] = 0.0
        body[T_REF] = now
        tables.track[track, 0] += np.searchsorted(motion.times - origin, now, side="right")
        enter_piece(tables.bodies(), tables.run(), row)
        if body[T_REF] < now:  # the way from the key before until now is not the body's: it touched nothing there
            turn_row(tables.body, tables.quat, tables.spin, row, now)
            advance_row(tables.body, row, now)
        return
    tables.timers.set(row, math.inf)
    dt = now - (motion.start - origin)
    body[X : X + 3] = motion.position + dt * (motion.velocity + 0.5 * dt * motion.acceleration)
    body[VX : VX + 3] = motion.velocity + dt * motion.acceleration
    body[AX : AX + 3] = motion.acceleration
    body[T_REF] = now
    tables.quat[row] = motion.orientation_at(now + origin) if motion.spin.any() else motion.orientation
    tables.spin[row, :3] = motion.spin
    if motion.acceleration.any():
        tables.allow_acceleration()


def write_spins(tables: Tables, rows: NDArray[np.int32], shapes: Sequence[Shape], quats: Floats, spins: Floats) -> None:
    """Let rows that were just written turn."""
    for row, shape, quat, spin in zip(rows, shapes, quats, spins, strict=True):
        if spin.any():
            tables.spin[row, :3] = spin
            write_orientation(tables, row, shape, quat, True)
            write_inertia(tables, row, shape, True, None)


def write_inertia(tables: Tables, row: int, shape: Shape, turns: bool, inertia: float | None) -> None:
    """Moment of inertia of a row: as given, or that of a ball of its reach where it turns from the start, else none.

    Contacts without friction do not turn a ball.
    """
    inverse_mass = tables.body[row, INV_MASS]
    tables.turning |= turns and shape.kind != SPHERE
    if shape.kind == SPHERE:
        tables.spin[row, INV_INERTIA] = 0.0
    elif inertia is not None:
        tables.spin[row, INV_INERTIA] = 1.0 / inertia if inverse_mass > 0.0 else 0.0
    elif turns and inverse_mass > 0.0:
        centre, radius = shape.bounding_sphere()
        reach = radius + float(length(centre))
        tables.spin[row, INV_INERTIA] = inverse_mass / (BALL_INERTIA * reach * reach)
    else:
        tables.spin[row, INV_INERTIA] = 0.0


def write_given(tables: Tables, row: int, bounds: KineticBounds, origin: float) -> None:
    """Write the bounds of a polled body that hold now, and set the timer to their expiry."""
    low, high = bounds.along(tables.axes)
    number = int(tables.link[row, TRACK])
    given = tables.given[number]
    given[1] = bounds.start - origin
    given[2] = bounds.expires - origin
    coefficients = tables.given_sides(number)
    coefficients[:, 0] = low
    coefficients[:, 1] = high
    tables.timers.set(row, float(given[2]))


def write_many(
    tables: Tables,
    rows: NDArray[np.int32],
    ids: NDArray[np.int64],
    shapes: Sequence[Shape],
    quats: Floats,
    state: Sequence[Floats],
    groups: NDArray[np.int64],
) -> None:
    """Write bodies of any shapes at once; state is position, velocity, acceleration, inverse mass."""
    for row, shape, quat in zip(rows, shapes, quats, strict=True):
        tables.clear_rows(row)
        write_shape(tables, row, shape)
        write_orientation(tables, row, shape, quat, False)
    tables.link[rows, ID] = ids
    tables.link[rows, GROUP] = groups
    _write_states(tables, rows, state)


def _write_states(tables: Tables, rows: NDArray[np.int32], state: Sequence[Floats]) -> None:
    position, velocity, acceleration, inverse_mass = state
    tables.body[rows, X : X + 3] = position
    tables.body[rows, VX : VX + 3] = velocity
    tables.body[rows, AX : AX + 3] = acceleration
    tables.body[rows, T_REF] = tables.param[NOW]
    tables.body[rows, INV_MASS] = inverse_mass


def write_many_spheres(
    tables: Tables,
    rows: NDArray[np.int32],
    ids: NDArray[np.int64],
    shape: Shape,
    state: Sequence[Floats],
    groups: NDArray[np.int64],
) -> None:
    """Write bodies of one round shape at once; state is position, velocity, acceleration, inverse mass.

    Their orientations stay zero, which stands for no rotation: a million of them then take no memory. So rows that no body
    has had yet are not cleared.
    """
    tables.clear_rows(rows[tables.link[rows, ID] != NO_ID])
    _, radius = shape.bounding_sphere()
    tables.link[rows] = 0
    tables.link[rows, SHAPE] = tables.shapes.add(shape)
    tables.link[rows, KIND] = SPHERE
    tables.link[rows, FLAGS] = PLAIN
    tables.link[rows, GROUP] = groups
    tables.link[rows, ID] = ids
    tables.link[rows, HEAD] = NO_ID
    tables.link[rows, TRACK] = NO_ID
    _write_states(tables, rows, state)
    tables.body[rows, RADIUS] = radius
    low, high = shape.extents_along(tables.axes, np.array([1.0, 0.0, 0.0, 0.0]))
    pad = BOUND_PAD * radius
    tables.extent[rows, 0::2] = low - pad
    tables.extent[rows, 1::2] = high + pad
