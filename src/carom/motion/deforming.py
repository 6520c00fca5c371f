"""A triangle mesh whose vertices move linearly between keys."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike, NDArray

from carom import validate
from carom._copies import Immutable, settle
from carom.errors import InvalidInputError

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False, init=False, repr=False)
class Deforming(Immutable):
    """A triangle mesh whose vertices move linearly between keys.

    Every vertex moves uniformly from one key to the next, and rests before the first and after the last key. All keys
    have the same faces. The arrays are read-only copies.

    Parameters
    ----------
    faces : array_like of int, shape (m, 3)
        Triangles, as rows of vertices.
    times : array_like of shape (k,)
        Times of the keys, s, strictly increasing; at least two.
    vertices : array_like of shape (k, n, 3)
        Positions of the n vertices at every key, m.
    name : str, optional
        Name for printing and files. Default: None.

    Raises
    ------
    InvalidInputError
        A value is not finite, a face refers to a vertex that does not exist, or the lengths differ.
    """

    faces: NDArray[np.int32]
    times: Floats
    vertices: Floats
    name: str | None

    def __init__(self, faces: ArrayLike, times: ArrayLike, vertices: ArrayLike, *, name: str | None = None) -> None:
        if not (name is None or isinstance(name, str)):
            raise InvalidInputError(f"name is {validate.shown(name)}; expected a string, or None")
        when = validate.moments("times", times, (None,))
        if len(when) < 2:
            raise InvalidInputError(f"times has {validate.counted(len(when), 'key')}; expected at least 2")
        steps = np.flatnonzero(np.diff(when) <= 0.0)
        if len(steps):
            k = int(steps[0]) + 1
            raise InvalidInputError(f"times[{k}] is {when[k]}; expected a time after times[{k - 1}] = {when[k - 1]}")
        # The checks are exact in any unit; worlds refuse values beyond their range.
        shape, why = (len(when), None, 3), f"times has {len(when)} keys"
        where = validate.array("vertices", vertices, shape, because=why, largest=validate.EVERY_DOUBLE)
        rows = validate.face_rows("faces", faces, where.shape[1]).astype(np.int32)
        settle(self, faces=rows, times=when, vertices=where, name=name)

    def __repr__(self) -> str:
        label = f"{validate.shown(self.name)}, " if self.name is not None else ""
        return f"Deforming({label}{len(self.faces)} faces, {self.vertices.shape[1]} vertices, {len(self.times)} keys)"

    @cached_property
    def is_still(self) -> bool:
        """Whether all keys are equal."""
        return all(np.array_equal(key, self.vertices[0]) for key in self.vertices[1:])

    def vertices_at(self, t: float) -> Floats:
        """Return the vertices (n, 3), m, at time t, s; before the first and after the last key, those of that key."""
        at = validate.number("t", t)
        if at <= self.times[0]:
            return self.vertices[0].copy()
        if at >= self.times[-1]:
            return self.vertices[-1].copy()
        k = int(np.searchsorted(self.times, at, side="right")) - 1
        share = (at - self.times[k]) / (self.times[k + 1] - self.times[k])
        return (1.0 - share) * self.vertices[k] + share * self.vertices[k + 1]


def span_of(bodies: Sequence[Deforming]) -> tuple[float, float]:
    """Return (first, last): the earliest first key and the latest last key of bodies, s. A body rests outside of its keys."""
    return min(float(body.times[0]) for body in bodies), max(float(body.times[-1]) for body in bodies)
