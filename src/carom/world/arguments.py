"""Checks of the arguments of a world: each returns clean values or raises InvalidInputError before anything changes."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from carom import validate
from carom.bounds.axis_pool import LARGEST_POOL
from carom.errors import InvalidInputError
from carom.tolerances import LARGEST_NUMBER, SMALLEST_SIZE

_SHORTEST_FRAME = 1e-9
_LONGEST_FRAME = 1e9  # Seconds of a frame


def id_list(body: Any) -> list[int]:
    """One id or several as a list of whole numbers; whether the world has such bodies is checked there."""
    single = (
        isinstance(body, str | bytes)
        or not isinstance(body, Iterable)
        or (isinstance(body, np.ndarray) and not body.ndim)
    )
    bodies = [body] if single else list(body)
    for each in bodies:
        if not validate.is_whole(each):
            raise InvalidInputError(f"body is {validate.shown(body)}; expected whole numbers, the ids of bodies")
    return [int(each) for each in bodies]


def unit_axes(axes: ArrayLike | None) -> NDArray[np.float64]:
    """Directions (k, 3), normalised; x, y, z when None."""
    if axes is None:
        return np.eye(3)
    given = validate.array("axes", axes, (None, 3))
    if not 1 <= len(given) <= 100:
        raise InvalidInputError(f"axes has {len(given)} rows; expected 1 to 100")
    length = np.linalg.norm(given, axis=1)
    if (length == 0.0).any():
        raise InvalidInputError(f"axes[{int(np.argmin(length))}] is zero; expected a direction")
    return np.ascontiguousarray(given / length[:, None])


def pool_size(pool: Any) -> int | None:
    """A number of axes to choose from: None, 0, or 3 to LARGEST_POOL."""
    if pool is None:
        return None
    if not validate.is_whole(pool) or not (pool == 0 or 3 <= pool <= LARGEST_POOL):
        raise InvalidInputError(
            f"pool is {validate.shown(pool)}; expected None, 0, or a whole number from 3 to {LARGEST_POOL}"
        )
    return int(pool)


def zone_angle(zone: Any) -> float | None:
    """An angle above 0 and up to a right one, rad, or None."""
    if zone is None:
        return None
    angle = validate.positive("zone", zone)
    if angle > 0.5 * math.pi:
        raise InvalidInputError(f"zone is {angle}; expected an angle of at most pi/2")
    return angle


def slow_way(slow: Any) -> float | None:
    """Radii a frame, not below 0, or None."""
    if slow is None:
        return None
    way = validate.number("slow", slow)
    if way < 0.0:
        raise InvalidInputError(f"slow is {way}; expected radii a frame, 0 for none but resting bodies")
    return way


def group_number(name: str, value: Any) -> int:
    """A group: a whole number from 0 to 63."""
    if validate.whole(name, value, 0) > 63:
        raise InvalidInputError(f"{name} is {validate.shown(value)}; expected a whole number from 0 to 63")
    return int(value)


def group_numbers(value: ArrayLike, n: int) -> NDArray[np.int64]:
    """Groups (n,) of n bodies from one number or n."""
    try:
        groups = np.asarray(value)
    except ValueError:
        raise InvalidInputError(f"groups is {validate.shown(value)}; expected ({n},) whole numbers") from None
    if groups.dtype.kind not in "iu" or groups.shape not in ((), (n,)):
        raise InvalidInputError(
            f"groups has shape {groups.shape} and type {groups.dtype}; expected ({n},) whole numbers"
        )
    if ((groups < 0) | (groups > 63)).any():
        raise InvalidInputError("groups has a number outside 0 to 63")
    return np.broadcast_to(groups, (n,)).astype(np.int64)


def frame_length(frame: float) -> float:
    """Seconds of a frame: so many that the frames of REBASE_AFTER seconds can be numbered."""
    length = validate.positive("frame", frame)
    if not _SHORTEST_FRAME <= length <= _LONGEST_FRAME:
        raise InvalidInputError(f"frame is {frame}; expected {_SHORTEST_FRAME} to {_LONGEST_FRAME} s")
    return length


def inverse_masses(masses: ArrayLike, n: int) -> NDArray[np.float64]:
    """1/mass (n,) of n bodies from one mass or n; 0 for infinite mass."""
    values = validate.real_numbers("masses", masses, (n,))
    if values.shape not in ((), (n,)):
        raise InvalidInputError(f"masses has shape {values.shape}; expected one number or ({n},)")
    values = np.broadcast_to(values, (n,))
    bad = np.flatnonzero(~(values > 0.0))
    if len(bad):
        raise InvalidInputError(f"masses[{int(bad[0])}] is {values[bad[0]]}; expected a number above 0, or inf")
    for k in np.flatnonzero((values < SMALLEST_SIZE) | ((values > LARGEST_NUMBER) & (values < np.inf))):
        validate.mass(f"masses[{int(k)}]", values[k])
    return 1.0 / values


def quaternions(orientations: ArrayLike | None, n: int) -> NDArray[np.float64]:
    """Unit quaternions (n, 4) w, x, y, z; no rotation when None."""
    if orientations is None:
        return np.broadcast_to((1.0, 0.0, 0.0, 0.0), (n, 4))
    return validate.unit_quaternions("orientations", orientations, n)
