"""Space-time bounds: where a user-steered body may be, as a box whose faces move linearly, cut by a plane.

At every instant of its time span a bound is an axis-aligned box, each of whose six faces moves at its own constant
speed (Hubbard's hypertrapezoid; four-dimensional, with time as the fourth dimension), minus the region ahead of a
moving plane (his cutting plane). All of it is linear in time, so two bounds first intersect at a root of linear
inequalities.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from carom import validate
from carom._copies import Immutable, settle
from carom.bounds.kinetic import KineticBounds
from carom.errors import InvalidInputError
from carom.maths.fixed_order import dot, length
from carom.motion import Guided, Motion
from carom.tolerances import BOUND_PAD, BOUND_PAD_ULPS, EPSILON, GUIDED_SLACK, REBASE_AFTER

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

# Columns of `sides`, four an axis
LOWER, LOWER_SPEED, UPPER, UPPER_SPEED = range(4)
SIDE_COLUMNS = 12
# Columns of `planes`
PLANE_OFFSET = 3
PLANE_SPEED = 4
PLANE_COLUMNS = 5


@dataclass(frozen=True, eq=False)
class SpaceTimeBounds(Immutable):
    """Space-time bounds of n horns over one time span.

    The arrays are read-only copies. Arrays that do not fit each other raise InvalidInputError.

    Attributes
    ----------
    start, until : float
        The time span, s. Times in the arrays count from `start`.
    sides : ndarray of shape (n, 12)
        Per axis, the lower side at the start and its speed, then the upper side and its speed, m and m/s.
    planes : ndarray of shape (n, 5)
        Cutting planes: normal d, offset b, speed c. The bound lies where d . x <= b + c * t. Zero for a horn without a
        plane.
    owners : ndarray of shape (n,)
        The body of each horn. Horns of one body are not compared.
    """

    sides: Floats
    planes: Floats
    owners: Ints
    start: float
    until: float

    def __post_init__(self) -> None:
        sides = _table("sides", self.sides, np.float64, (None, SIDE_COLUMNS))
        n = len(sides)
        settle(
            self,
            sides=sides,
            planes=_table("planes", self.planes, np.float64, (n, PLANE_COLUMNS)),
            owners=_table("owners", self.owners, np.int64, (n,)),
            start=validate.number("start", self.start, validate.EVERY_DOUBLE),
            until=validate.number("until", self.until, validate.EVERY_DOUBLE),
        )
        if self.until < self.start:
            raise InvalidInputError(f"until is {self.until}; expected a time not before start = {self.start}")

    def __len__(self) -> int:
        return len(self.sides)

    @cached_property
    def cut(self) -> bool:
        """Does any horn have a cutting plane?"""
        return bool(self.planes[:, :PLANE_OFFSET].any())

    @cached_property
    def table(self) -> tuple[Floats, Floats, Ints, bool, float]:
        """What searches take: sides, planes, owners, cut, span."""
        return self.sides, self.planes, self.owners, self.cut, self.span

    @property
    def span(self) -> float:
        """Seconds from start to until."""
        return self.until - self.start

    def boxes_at(self, t: float) -> tuple[Floats, Floats]:
        """Return the lower and upper corners (n, 3) of the boxes at time t, without the cutting planes."""
        s = validate.number("t", t) - self.start
        sides = self.sides.reshape(-1, 3, 4)
        return sides[:, :, LOWER] + s * sides[:, :, LOWER_SPEED], sides[:, :, UPPER] + s * sides[:, :, UPPER_SPEED]


def _table(name: str, value: object, dtype: type[np.generic], shape: tuple[int | None, ...]) -> NDArray[Any]:
    """A copy of an array as kernels take it: of this type and shape, None for any length, without NaN."""
    table = validate.placed(name, value, dtype, shape).copy()
    if np.isnan(table).any():
        raise InvalidInputError(f"{name} holds NaN; expected numbers")
    return table


@dataclass(frozen=True)
class Horn(Immutable):
    """A part of a body that is bounded separately: a sphere about a point that is fixed in the body.

    Attributes
    ----------
    offset : ndarray of shape (3,)
        Vector from the position of the body to the centre, m, in world axes at the start of the bound. It turns with
        the body.
    radius : float
        Radius, m.
    turn_rate : float
        Maximum angular speed of the body, rad/s.
    """

    offset: tuple[float, float, float]
    radius: float
    turn_rate: float = 0.0

    def __post_init__(self) -> None:
        settle(
            self,
            offset=tuple(validate.vector("offset", self.offset).tolist()),
            radius=validate.limit("radius", validate.number("radius", self.radius)),
            turn_rate=validate.limit("turn_rate", self.turn_rate),
        )


def space_time_bounds(
    motions: Sequence[Guided | Motion],
    radii: ArrayLike | Sequence[Sequence[Horn]],
    *,
    start: float | None = None,
    until: float | None = None,
    cubes: bool = False,
) -> SpaceTimeBounds:
    """Build space-time bounds of n bodies.

    Parameters
    ----------
    motions : sequence of Guided or Motion
        What is known of each body. A Motion is known forever.
    radii : array_like of shape (n,), float, or sequence of sequences of Horn
        Radii of spheres about the positions, m, in which the bodies may rotate. With `cubes`, half the side lengths of
        axis-aligned cubes, which do not rotate. Or a list of horns per body, for long bodies.
    start : float, optional
        Start of the bounds, s. Default: the latest start of a motion.
    until : float, optional
        End of the bounds, s. Default, and at most: the first expiry of a motion.
    cubes : bool
        Interpret `radii` as half side lengths of cubes. Default: False.

    Returns
    -------
    SpaceTimeBounds
        The bounds.

    Raises
    ------
    InvalidInputError
        An argument is malformed.
    """
    moved = validate.several("motions", motions, "a sequence of carom.Guided or carom.Motion")
    for k, motion in enumerate(moved):
        if not isinstance(motion, Guided | Motion):
            raise InvalidInputError(
                f"motions[{k}] is {validate.shown(motion)}; expected a carom.Guided or carom.Motion"
            )
    cubes = validate.truth("cubes", cubes)
    begin = max((m.start for m in moved), default=0.0) if start is None else validate.moment("start", start)
    for k, motion in enumerate(moved):
        if isinstance(motion, Guided) and motion.start > begin:
            raise InvalidInputError(f"start is {begin}; expected a time not before motions[{k}].start = {motion.start}")
    end = min((m.expires for m in moved if isinstance(m, Guided)), default=math.inf)
    if until is not None:
        end = min(end, validate.moment("until", until))
    if not math.isfinite(end):
        raise InvalidInputError("until is None; expected a time, since no motion expires")
    if end < begin:
        raise InvalidInputError(f"until is {end}, or bounds expired then; expected a time not before start = {begin}")
    horns = _horns(radii, len(moved))
    owners = np.repeat(np.arange(len(moved)), [len(own) for own in horns])
    sides, planes = np.zeros((len(owners), SIDE_COLUMNS)), np.zeros((len(owners), PLANE_COLUMNS))
    row = 0
    for motion, own in zip(moved, horns, strict=True):
        low, high, plane = _course(motion, begin, end - begin)
        for horn in own:
            _write(sides[row], planes[row], low, high, plane, horn, cubes, end - begin)
            row += 1
    return SpaceTimeBounds(sides, planes, owners, begin, end)


def kinetic_bounds(motion: Guided, radius: float) -> KineticBounds:
    """Kinetic bounds of a guided body of that radius about the point it reaches if nobody steers, until they expire.

    The box grows straight from the ball at the start to the box around all places possible at the end: a path that is straight
    between two possible places is then inside, too. A region counts only where nothing else is known, widened as far as the
    point reached if nobody steers leaves it. States that break no limit by no more than `Guided.broken_by` forgives are inside.
    """
    limited = math.isfinite(min(motion.max_acceleration, motion.max_speed))
    span = motion.expires - motion.start
    low, high, _ = _course(motion, motion.start, span, within_region=not limited)
    if not limited:
        end = motion.position_at(motion.expires)
        low[:, 1], high[:, 1] = (np.minimum(end - low[:, 0], 0.0) / span, np.maximum(end - high[:, 0], 0.0) / span)
    wide = validate.limit("radius", radius) * (1.0 + BOUND_PAD) + _forgiven(motion)
    lower, upper = np.zeros((3, 3)), np.zeros((3, 3))
    lower[:, 0], upper[:, 0] = low[:, 0] - motion.position - wide, high[:, 0] - motion.position + wide
    lower[:, 1], upper[:, 1] = low[:, 1] - motion.velocity, high[:, 1] - motion.velocity
    return KineticBounds(lower, upper, motion.start, motion.expires)


def cutting_plane(motion: Guided, radius: float) -> Floats:
    """The plane (5,) that a guided body of that radius about its position stays behind, however it turns, until it expires.

    Normal d, offset b, speed c: everything is where d . x <= b + c*s, s seconds after motion.start; all zero where nothing is
    cut off. A straight way between two places behind it stays behind it, and so do states that `Guided.broken_by` forgives.
    """
    plane = _plane(motion.direction, motion.position, motion.velocity)
    if motion.direction is None:
        return plane
    wide = validate.limit("radius", radius) * (1.0 + BOUND_PAD) + _forgiven(motion)
    # As the ends of kinetic bounds: event times are rounded to what local time resolves.
    travel = max(REBASE_AFTER, motion.expires - motion.start) * float(np.abs(motion.velocity).max())
    farthest = float(np.abs(motion.position).max()) + travel + wide
    # Rounding may leave a direction that was very short as given a little longer than 1.
    longer = max(1.0, float(length(motion.direction)))
    plane[PLANE_OFFSET] += longer * (wide + 2.0 * BOUND_PAD_ULPS * EPSILON * farthest)
    return plane


def _forgiven(motion: Guided) -> float:
    """How far beyond its limits `Guided.broken_by` lets a body be without breaking them, m."""
    reach = motion.radius_at(motion.expires)
    if math.isfinite(reach):
        farthest = max(float(np.abs(motion.position_at(t)).max()) for t in (motion.start, motion.expires)) + reach
    else:
        reach, farthest = 0.0, float(np.abs(motion.region).max()) if motion.region is not None else 0.0
    # Twice: what is forgiven is itself relative to where the body is.
    return 2.0 * GUIDED_SLACK * (reach + farthest + float(np.abs(motion.position).max()))


def _horns(radii: ArrayLike | Sequence[Sequence[Horn]], n: int) -> list[Sequence[Horn]]:
    """The horns of each body."""
    if isinstance(radii, Sequence) and len(radii) and not np.isscalar(radii[0]):
        if len(radii) != n:
            raise InvalidInputError(f"radii has {len(radii)} entries; expected {n}, as many as motions")
        for k, own in enumerate(radii):
            if not isinstance(own, Sequence) or not own or not all(isinstance(horn, Horn) for horn in own):
                raise InvalidInputError(
                    f"radii[{k}] is {validate.shown(own)}; expected a radius, or at least one carom.time_critical.Horn"
                )
        return list(radii)
    given = validate.real_numbers("radii", radii, (n,))  # type: ignore[arg-type]
    sizes = np.full(n, validate.number("radii", radii)) if given.ndim == 0 else validate.array("radii", given, (n,))
    if (sizes < 0.0).any():
        row = int(np.argmin(sizes))
        raise InvalidInputError(f"radii[{row}] is {sizes[row]}; expected 0 or more")
    return [(_ball(float(size)),) for size in sizes]


def _ball(radius: float) -> Horn:
    """A ball about the position, of a radius that was checked."""
    horn = object.__new__(Horn)
    settle(horn, offset=(0.0, 0.0, 0.0), radius=radius, turn_rate=0.0)
    return horn


def _course(
    motion: Guided | Motion, begin: float, span: float, within_region: bool = True
) -> tuple[Floats, Floats, Floats]:
    """Bounds of the position over `span` seconds from `begin`: sides (3, 2), place and speed, and the plane (5,)."""
    if isinstance(motion, Motion):
        where, moving = motion.position_at(begin), motion.velocity_at(begin)
        bend = 0.5 * motion.acceleration * span
        low = np.stack((where, moving + np.minimum(bend, 0.0)), axis=1)
        high = np.stack((where, moving + np.maximum(bend, 0.0)), axis=1)
        strength = float(length(motion.acceleration))
        direction = -motion.acceleration / strength if strength > 0.0 else None
        return low, high, _plane(direction, where, moving)
    # M/2 s^2 is convex: over [late, late + span] it stays below its chord.
    late = begin - motion.start
    where, moving = motion.position_at(begin), motion.velocity
    low, high = np.tile((-math.inf, 0.0), (3, 1)), np.tile((math.inf, 0.0), (3, 1))
    if math.isfinite(motion.max_acceleration):
        half = 0.5 * motion.max_acceleration
        low = np.stack((where - half * late * late, moving - half * (2.0 * late + span)), axis=1)
        high = np.stack((where + half * late * late, moving + half * (2.0 * late + span)), axis=1)
    if math.isfinite(motion.max_speed):
        reach, speed = motion.max_speed * late, np.full(3, motion.max_speed)
        low = _better(low, np.stack((motion.position - reach, -speed), axis=1), span, -1.0)
        high = _better(high, np.stack((motion.position + reach, speed), axis=1), span, 1.0)
    if motion.region is not None and within_region:
        still = np.zeros(3)
        low = _better(low, np.stack((motion.region[0], still), axis=1), span, -1.0)
        high = _better(high, np.stack((motion.region[1], still), axis=1), span, 1.0)
    return low, high, _plane(motion.direction, where, moving)


def _better(one: Floats, other: Floats, span: float, outward: float) -> Floats:
    """For each axis that of two valid sides (3, 2) which is further in at half the span."""
    halfway = 0.5 * span
    first, second = outward * (one[:, 0] + halfway * one[:, 1]), outward * (other[:, 0] + halfway * other[:, 1])
    return np.where((first <= second)[:, None], one, other)


def _plane(direction: Floats | None, where: Floats, moving: Floats) -> Floats:
    plane = np.zeros(PLANE_COLUMNS)
    if direction is not None:
        plane[:3] = direction
        plane[PLANE_OFFSET], plane[PLANE_SPEED] = dot(direction, where), dot(direction, moving)
    return plane


def _write(
    sides: Floats, planes: Floats, low: Floats, high: Floats, plane: Floats, horn: Horn, cubes: bool, span: float
) -> None:
    """Widen the bounds of a position to those of a horn about it, and by what rounding may take."""
    offset = np.asarray(horn.offset, dtype=np.float64)
    away = float(length(offset))
    # An offset that turns is aside by turn_rate * away * t at most, and by 2 * away however long it turns.
    soon = horn.turn_rate * span < 4.0
    growth, radius = (horn.turn_rate * away, horn.radius) if soon else (0.0, horn.radius + 2.0 * away)
    farthest = float(np.abs(np.concatenate((low, high))).max() * max(1.0, span)) + away + radius
    pad = BOUND_PAD * radius + BOUND_PAD_ULPS * EPSILON * farthest
    shown = sides.reshape(3, 4)
    shown[:, LOWER], shown[:, LOWER_SPEED] = low[:, 0] + offset - radius - pad, low[:, 1] - growth
    shown[:, UPPER], shown[:, UPPER_SPEED] = high[:, 0] + offset + radius + pad, high[:, 1] + growth
    if plane[:3].any():
        planes[:] = plane
        # A cube reaches further along d than a ball of half its side.
        widest = float(np.abs(plane[:3]).sum()) if cubes else 1.0
        planes[PLANE_OFFSET] += float(dot(plane[:3], offset)) + radius * widest + 2.0 * pad
        planes[PLANE_SPEED] += growth
