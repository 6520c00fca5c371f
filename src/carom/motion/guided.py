"""A user-steered body: its future position is unknown, but its acceleration, speed or region is limited."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from carom import validate
from carom._copies import Immutable, settle
from carom.errors import InvalidInputError
from carom.maths.fixed_order import dot
from carom.maths.fixed_order import length as vector_length
from carom.tolerances import GUIDED_SLACK

Vector = NDArray[np.float64]
_QUARTER_TURN = 0.5 * math.pi
_SHORTEST = 1e-100  # Directions between this and its inverse have squares that doubles represent with full precision


@dataclass(frozen=True, eq=False)
class Guided(Immutable):
    """The known state and limits of a body that a user steers.

    The limits hold from `start` to `expires`. Within them, the body stays in a horn: within max_acceleration / 2 * dt^2
    of the point position + velocity * dt, on one side of a plane through this point if `direction` is given. The arrays
    are read-only copies.

    Parameters
    ----------
    position, velocity : array_like of shape (3,)
        State at the time `start`, m and m/s.
    max_acceleration : float
        Limit of the magnitude of the acceleration, m/s^2. inf for a body that may jump, whose speed or region is
        limited instead.
    expires : float
        Time until which the limits hold, s.
    direction : array_like of shape (3,), optional
        The component of the acceleration along this direction is never positive.
    max_speed : float
        Limit of the speed, m/s. Default: inf.
    region : pair of array_like of shape (3,), optional
        Lower and upper corner of a box that the position never leaves, m.
    start : float
        Time of the state, s. Default: 0.
    orientation : array_like of shape (4,)
        Quaternion (w, x, y, z) at `start`; the body may rotate freely.

    Raises
    ------
    InvalidInputError
        A value is not finite (except limits that are absent), a limit is negative, `direction` has length 0, the speed
        or the position exceeds its own limit, or `expires` is before `start`.
    """

    position: Vector
    velocity: Vector
    max_acceleration: float
    expires: float
    direction: Vector | None
    start: float
    max_speed: float
    region: tuple[Vector, Vector] | None
    orientation: Vector

    def __init__(
        self,
        position: ArrayLike,
        velocity: ArrayLike,
        max_acceleration: float,
        expires: float,
        direction: ArrayLike | None = None,
        start: float = 0.0,
        *,
        max_speed: float = math.inf,
        region: tuple[ArrayLike, ArrayLike] | None = None,
        orientation: ArrayLike = (1.0, 0.0, 0.0, 0.0),
    ) -> None:
        where, moving = validate.vector("position", position), validate.vector("velocity", velocity)
        begin, end = validate.moment("start", start), validate.moment("expires", expires)
        if end < begin:
            raise InvalidInputError(f"expires is {end}; expected a time not before start = {begin}")
        fastest = validate.limit("max_speed", max_speed)
        if float(vector_length(moving)) > fastest * (1.0 + GUIDED_SLACK):
            raise InvalidInputError(f"velocity is {moving.tolist()}; expected at most max_speed = {fastest} m/s")
        values = {
            "position": where,
            "velocity": moving,
            "max_acceleration": validate.limit("max_acceleration", max_acceleration),
            "expires": end,
            "direction": None if direction is None else _unit("direction", direction),
            "start": begin,
            "max_speed": fastest,
            "region": None if region is None else _checked_region(region, where),
            "orientation": validate.unit_quaternion("orientation", orientation),
        }
        if region is None and not math.isfinite(min(fastest, float(max_acceleration))):
            raise InvalidInputError("max_acceleration and max_speed are inf; expected a limit, or a region")
        settle(self, **values)

    # ---- ready-made bounds

    @classmethod
    def thrust(
        cls,
        position: ArrayLike,
        velocity: ArrayLike,
        axis: ArrayLike,
        acceleration: float,
        turn_rate: float,
        *,
        slack: float = 0.25,
        longest: float = 1.0,
        start: float = 0.0,
        orientation: ArrayLike = (1.0, 0.0, 0.0, 0.0),
    ) -> Guided:
        """A ship whose engine accelerates it along its main axis.

        The acceleration stays in the half-space of the axis until the ship has turned by a quarter, when the bound
        expires, or until `longest` seconds have passed.

        Parameters
        ----------
        position, velocity : array_like of shape (3,)
            State at the time `start`, m and m/s.
        axis : array_like of shape (3,)
            Main axis at the time `start`.
        acceleration : float
            Current acceleration by the engine, m/s^2.
        turn_rate : float
            Maximum angular speed of the axis, rad/s.
        slack : float
            Fraction by which the acceleration may increase without violating the bound. Default: 0.25.
        longest : float
            Maximum validity, s. Default: 1.
        start : float
            Time of the state, s. Default: 0.
        orientation : array_like of shape (4,)
            Quaternion (w, x, y, z) at `start`.
        """
        push, rate = validate.limit("acceleration", acceleration), validate.limit("turn_rate", turn_rate)
        reach = validate.positive("longest", longest)
        lasts = min(reach, _QUARTER_TURN / rate) if rate > 0.0 else reach
        most = push * (1.0 + validate.limit("slack", slack))
        begin = validate.moment("start", start)
        backward = -_unit("axis", axis)
        return cls(position, velocity, most, begin + lasts, backward, begin, orientation=orientation)

    @classmethod
    def vehicle(
        cls,
        position: ArrayLike,
        velocity: ArrayLike,
        turning_radius: float,
        *,
        towards: ArrayLike | None = None,
        brakes: float = 0.0,
        longest: float = 1.0,
        start: float = 0.0,
        orientation: ArrayLike = (1.0, 0.0, 0.0, 0.0),
    ) -> Guided:
        """A vehicle with a minimum turning radius that does not speed up.

        Turning takes an acceleration of at most |velocity|^2 / turning_radius.

        Parameters
        ----------
        position, velocity : array_like of shape (3,)
            State at the time `start`, m and m/s.
        turning_radius : float
            Minimum turning radius, m.
        towards : array_like of shape (3,), optional
            Vector from the vehicle to the centre of its turn, for a vehicle that turns without braking; it holds until
            the vehicle has turned by a quarter. None if the vehicle may turn either way.
        brakes : float
            Additional deceleration by the brakes, m/s^2. Default: 0.
        longest, start, orientation
            As for `thrust`.
        """
        moving = validate.vector("velocity", velocity)
        speed = float(vector_length(moving))
        radius = validate.positive("turning_radius", turning_radius)
        sideways = speed * speed / radius
        slowing = validate.limit("brakes", brakes)
        lasts, direction = validate.positive("longest", longest), None
        if towards is not None:
            if slowing > 0.0:
                raise InvalidInputError(f"brakes is {slowing}; expected 0 where `towards` is given")
            direction = -_unit("towards", towards)
            if speed > 0.0:
                lasts = min(lasts, _QUARTER_TURN * radius / speed)
        begin = validate.moment("start", start)
        most = math.sqrt(sideways * sideways + slowing * slowing)
        return cls(
            position, moving, most, begin + lasts, direction, begin, max_speed=speed, orientation=orientation
        )  # fmt: skip

    @classmethod
    def spring(
        cls,
        position: ArrayLike,
        velocity: ArrayLike,
        stiffness: float,
        mass: float,
        longest_stretch: float,
        expires: float,
        *,
        damping: float = 0.0,
        max_speed: float = math.inf,
        start: float = 0.0,
        orientation: ArrayLike = (1.0, 0.0, 0.0, 0.0),
    ) -> Guided:
        """An object that a cursor drags through a spring, so that it moves smoothly even if the cursor jumps.

        Parameters
        ----------
        position, velocity : array_like of shape (3,)
            State at the time `start`, m and m/s.
        stiffness : float
            Stiffness of the spring, N/m.
        mass : float
            Mass of the object, kg.
        longest_stretch : float
            Stretch beyond which the force of the spring does not grow, m.
        expires : float
            Time until which the limits hold, s.
        damping : float
            Damping, N s/m. It adds a force of at most damping * max_speed, so it needs a finite `max_speed`. Default:
            0.
        max_speed : float
            Limit of the speed, m/s. Default: inf.
        start : float
            Time of the state, s. Default: 0.
        orientation : array_like of shape (4,)
            Quaternion (w, x, y, z) at `start`.
        """
        pull = validate.limit("stiffness", stiffness) * validate.limit("longest_stretch", longest_stretch)
        drag = validate.limit("damping", damping)
        fastest = validate.limit("max_speed", max_speed)
        if drag > 0.0:
            if not math.isfinite(fastest):
                raise InvalidInputError(f"max_speed is {max_speed}; expected a finite speed, since there is damping")
            pull += drag * fastest
        most = pull / validate.positive("mass", mass)
        return cls(
            position, velocity, most, expires, None, start, max_speed=fastest, orientation=orientation
        )  # fmt: skip

    @classmethod
    def slower_than(
        cls,
        position: ArrayLike,
        max_speed: float,
        expires: float,
        *,
        start: float = 0.0,
        velocity: ArrayLike = (0, 0, 0),
    ) -> Guided:
        """A body with a known speed limit only, m/s, such as a tracked hand or a slow cursor."""
        return cls(position, velocity, math.inf, expires, None, start, max_speed=max_speed)

    @classmethod
    def within(
        cls, position: ArrayLike, lower: ArrayLike, upper: ArrayLike, expires: float, *, start: float = 0.0
    ) -> Guided:
        """A body of which only a region is known, given by two corners (3,), m, that it never leaves."""
        region = validate.vector("lower", lower), validate.vector("upper", upper)
        return cls(position, (0.0, 0.0, 0.0), math.inf, expires, None, start, region=region)

    # ---- what it says about a time

    def position_at(self, t: float) -> Vector:
        """Return the point (3,) that the body reaches at time t without further acceleration, m."""
        return np.asarray(self.position + self.velocity * (validate.number("t", t) - self.start))

    def radius_at(self, t: float) -> float:
        """Return the maximum distance of the body from `position_at` at time t, m; t from start to expires."""
        dt = validate.number("t", t) - self.start
        if dt <= 0.0:
            return 0.0
        return min(0.5 * self.max_acceleration * dt * dt, (self.max_speed + float(vector_length(self.velocity))) * dt)

    def broken_by(self, position: ArrayLike, velocity: ArrayLike | None, t: float) -> str | None:
        """Return which limit a state at time t violates, in words; None if it keeps all limits or they have expired."""
        where = validate.vector("position", position)
        dt = validate.number("t", t) - self.start
        if dt < 0.0 or t > self.expires:
            return None
        aside = where - self.position_at(t)
        scale = float(np.abs(where).max() + np.abs(self.position).max())
        could_be = self.radius_at(t)
        room = GUIDED_SLACK * ((could_be if math.isfinite(could_be) else 0.0) + scale)
        away = float(vector_length(aside))
        if away > could_be + room:
            return f"{away:.6g} m away from its course, and could be {could_be:.6g} m away"
        gone = float(vector_length(where - self.position))
        if dt > 0.0 and gone > self.max_speed * dt + room:
            return f"{gone:.6g} m from where it was, and could be {self.max_speed * dt:.6g} m from there"
        if self.direction is not None and float(dot(aside, self.direction)) > room:
            return f"{float(dot(aside, self.direction)):.6g} m ahead along a direction in which nothing pushes it"
        if self.region is not None and ((where < self.region[0] - room) | (where > self.region[1] + room)).any():
            return "outside of its region"
        return None if velocity is None else self._broken_speed(validate.vector("velocity", velocity), dt)

    def _broken_speed(self, velocity: Vector, dt: float) -> str | None:
        speed = float(vector_length(velocity))
        change = velocity - self.velocity
        room = GUIDED_SLACK * (speed + float(vector_length(self.velocity)))
        if speed > self.max_speed + room:
            return f"at {speed:.6g} m/s, and could be at {self.max_speed:.6g} m/s"
        gained = float(vector_length(change))
        if dt > 0.0 and dt * self.max_acceleration < gained - room:
            return f"another {gained:.6g} m/s from its velocity, and could be {dt * self.max_acceleration:.6g} m/s"
        if self.direction is not None and float(dot(change, self.direction)) > room:
            return f"{float(dot(change, self.direction)):.6g} m/s faster along a direction in which nothing pushes it"
        return None


def _unit(name: str, value: ArrayLike) -> Vector:
    vector = validate.array(name, value, (3,), largest=validate.EVERY_DOUBLE)
    most = float(np.abs(vector).max())
    if most == 0.0:
        raise InvalidInputError(f"{name} is (0, 0, 0); expected a vector of non-zero length")
    if not _SHORTEST < most < 1.0 / _SHORTEST:
        vector = vector / most
    return np.asarray(vector / float(vector_length(vector)))


def _checked_region(region: tuple[ArrayLike, ArrayLike], position: Vector) -> tuple[Vector, Vector]:
    try:
        lower, upper = region
    except (TypeError, ValueError):
        raise InvalidInputError(f"region is {validate.shown(region)}; expected two corners (lower, upper)") from None
    low, high = validate.vector("region[0]", lower), validate.vector("region[1]", upper)
    if (low > high).any():
        raise InvalidInputError(f"region is {low.tolist()} to {high.tolist()}; expected lower <= upper")
    if (position < low).any() or (position > high).any():
        raise InvalidInputError(f"position is {position.tolist()}; expected it within the region")
    return low, high
