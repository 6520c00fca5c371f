"""A body steered from outside: where it will be is not known, but how hard it can be pushed is."""

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
_SHORTEST = 1e-100
"""Directions between this and its inverse have squares that doubles hold with all their digits."""


@dataclass(frozen=True, eq=False)
class Guided(Immutable):
    """What is known of a body that a user steers: where it is at `start`, and what it can do until `expires`.

    position, velocity: (3,) m, m/s, at the time `start`, s. max_acceleration: |a(t)| never exceeds it, m/s^2; inf for a body
    that may jerk, whose speed or region is limited instead. direction: (3,) or None; a(t) . direction is never above 0.
    max_speed: |v(t)| never exceeds it, m/s. region: (lower (3,), upper (3,)) that the position never leaves, or None.
    All of it holds from `start` to `expires`, s. orientation: quaternion (w, x, y, z) at `start`; it may turn freely.

    The body then stays in a horn: within M/2 * dt^2 of the point position + velocity * dt, on one side of a plane through it.
    Anything not finite (but for limits that are not there), a negative limit, a direction of length 0, a speed or place beyond
    its own limit, or expires before start raise InvalidInputError. The arrays are read-only copies.
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
        """A ship whose engine pushes it forward along its main axis.

        axis: (3,) main axis now. acceleration: what the engine gives now, m/s^2; the share `slack` more is allowed for, so that
        more thrust does not break the bound at once. turn_rate: rad/s, how fast the axis can turn. The push stays in the
        half-space of the axis until the ship has turned by a quarter, when the bound expires, or after `longest` seconds.
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
        """A vehicle that cannot turn on a smaller radius than `turning_radius`, m, and does not speed up.

        Turning takes an acceleration of at most |velocity|^2 / turning_radius; `brakes`, m/s^2, slow it down besides. towards:
        (3,) from the vehicle to the centre of its turn while it turns without braking, None while it may turn either way; that
        holds until it has turned by a quarter.
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
        """An object dragged by a cursor through a spring, so that even a cursor that jumps moves it smoothly.

        stiffness, N/m; mass, kg; longest_stretch, m: the spring gives no more force beyond it. damping, N s/m, takes at most
        damping * max_speed more, so it needs a finite max_speed, m/s.
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
        """A body of which only a speed limit is known, m/s: a tracked hand, a cursor that is slow enough."""
        return cls(position, velocity, math.inf, expires, None, start, max_speed=max_speed)

    @classmethod
    def within(
        cls, position: ArrayLike, lower: ArrayLike, upper: ArrayLike, expires: float, *, start: float = 0.0
    ) -> Guided:
        """A body of which only a region is known that it never leaves: corners (3,), m."""
        region = validate.vector("lower", lower), validate.vector("upper", upper)
        return cls(position, (0.0, 0.0, 0.0), math.inf, expires, None, start, region=region)

    # ---- what it says about a time

    def position_at(self, t: float) -> Vector:
        """The point (3,) that the body reaches at time t if nobody steers."""
        return np.asarray(self.position + self.velocity * (validate.number("t", t) - self.start))

    def radius_at(self, t: float) -> float:
        """How far from `position_at` the body may be at time t, m; t from start to expires."""
        dt = validate.number("t", t) - self.start
        if dt <= 0.0:
            return 0.0
        return min(0.5 * self.max_acceleration * dt * dt, (self.max_speed + float(vector_length(self.velocity))) * dt)

    def broken_by(self, position: ArrayLike, velocity: ArrayLike | None, t: float) -> str | None:
        """Which limit a state at time t breaks, in words; None where it keeps them all, as it does after they expired."""
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
