"""Checks of the arguments of a world: each returns clean values or raises InvalidInputError before anything changes."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from carom import validate
from carom.errors import InvalidInputError


def one_of(name: str, value: str, allowed: Sequence[str]) -> None:
    """`value` is one of the allowed words."""
    if value not in allowed:
        raise InvalidInputError(f"{name} is {value!r}; expected one of {', '.join(repr(a) for a in allowed)}")


def id_list(body: Any) -> list[Any]:
    """One id or several as a list; whether they are ids is checked against the world."""
    return list(body) if isinstance(body, Iterable) and not isinstance(body, str) else [body]


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


def group_number(name: str, value: Any) -> int:
    """A group: a whole number from 0 to 63."""
    if not isinstance(value, int | np.integer) or not 0 <= int(value) < 64:
        raise InvalidInputError(f"{name} is {value!r}; expected a whole number from 0 to 63")
    return int(value)


def group_numbers(value: ArrayLike, n: int) -> NDArray[np.int64]:
    """Groups (n,) of n bodies from one number or n."""
    groups = np.asarray(value)
    if groups.dtype.kind not in "iu" or groups.shape not in ((), (n,)):
        raise InvalidInputError(
            f"groups has shape {groups.shape} and type {groups.dtype}; expected ({n},) whole numbers"
        )
    if ((groups < 0) | (groups > 63)).any():
        raise InvalidInputError("groups has a number outside 0 to 63")
    return np.broadcast_to(groups, (n,)).astype(np.int64)


def inverse_masses(masses: ArrayLike, n: int) -> NDArray[np.float64]:
    """1/mass (n,) of n bodies from one mass or n; 0 for infinite mass."""
    values = np.asarray(masses, np.float64)
    if values.shape not in ((), (n,)):
        raise InvalidInputError(f"masses has shape {values.shape}; expected one number or ({n},)")
    values = np.broadcast_to(values, (n,))
    bad = np.flatnonzero(~(values > 0.0))
    if len(bad):
        raise InvalidInputError(f"masses[{int(bad[0])}] is {values[bad[0]]}; expected a number above 0, or inf")
    return 1.0 / values


def quaternions(orientations: ArrayLike | None, n: int) -> NDArray[np.float64]:
    """Unit quaternions (n, 4) w, x, y, z; no rotation when None."""
    if orientations is None:
        return np.broadcast_to((1.0, 0.0, 0.0, 0.0), (n, 4))
    quats = validate.array("orientations", orientations, (n, 4))
    length = np.linalg.norm(quats, axis=1)
    if n and (length == 0.0).any():
        raise InvalidInputError(
            f"orientations[{int(np.argmin(length))}] has length 0; expected a quaternion w, x, y, z"
        )
    return quats / length[:, None]
