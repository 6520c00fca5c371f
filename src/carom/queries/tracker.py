"""The distance of a pair over a sequence of poses: each answer starts the next search."""

from __future__ import annotations

from dataclasses import fields

import numpy as np
from numpy.typing import ArrayLike, NDArray

from carom import validate
from carom._copies import Copyable
from carom.errors import InvalidInputError
from carom.maths.rotations import turned
from carom.narrow.convex.closest_features import ClosestFeatures, closest_features
from carom.narrow.convex.voronoi_regions import Regions, regions
from carom.pose import Poses, poses, relative, together
from carom.queries.results import Distance, single
from carom.queries.still import distance
from carom.shapes import Polyhedral, Shape
from carom.shapes.parts.polyhedron import polyhedron

Floats = NDArray[np.float64]


class Tracker(Copyable):
    """Distance queries of a pair that moves little between calls.

    Boxes and convex hulls are tracked by their closest features (Lin and Canny): the cost hardly depends on the number
    of features. For other shapes, each search starts from the features of the last answer. Distances are those of
    `carom.distance`.

    Parameters
    ----------
    a, b : Shape
        The two shapes. InvalidInputError if one is not a shape.

    Attributes
    ----------
    steps : int
        Number of feature pairs that the last call visited; 0 for shapes without feature tracking.
    """

    def __init__(self, a: Shape, b: Shape) -> None:
        for name, shape in (("a", a), ("b", b)):
            if not isinstance(shape, Shape):
                raise InvalidInputError(f"{name} is {validate.shown(shape)}; expected a carom shape")
        self.a = a
        self.b = b
        self.steps = 0
        self._walks = isinstance(a, Polyhedral) and isinstance(b, Polyhedral)
        self._regions = (_regions_of(a), _regions_of(b)) if self._walks else None
        self._features: tuple[int, int] | None = None
        self._last: Distance | None = None

    def distance(self, pose_a: ArrayLike | None = None, pose_b: ArrayLike | None = None) -> Distance:
        """Compute the distance at one pose, or along a sequence of poses.

        Parameters
        ----------
        pose_a, pose_b : array_like of shape (4, 4) or (n, 4, 4), optional
            Rigid transforms, m. Each pose of a sequence should be near the one before. Default: the identity.

        Returns
        -------
        Distance
            Fields are numbers and vectors for one pose, and arrays for a sequence.
        """
        where, there = poses("pose_a", pose_a), poses("pose_b", pose_b)
        if self._regions is None:
            if together(where, there) == 0:
                return distance(self.a, self.b, pose_a, pose_b)
            return self._from_last(where, there)
        rots, shifts = relative(where, there)
        found = closest_features(*self._regions, rots, shifts, self._features)
        if len(rots):
            self._features = (int(found.features[-1, 0]), int(found.features[-1, 1]))
        self.steps = int(found.steps.sum())
        result = _in_world(found, where)
        return single(result) if where.single and there.single else result

    def _from_last(self, where: Poses, there: Poses) -> Distance:
        """Search pose after pose, each from the features of the answer before."""
        here, other = where.matrices(), there.matrices()
        answers = []
        for k in range(together(where, there)):
            at_a, at_b = here[k if len(here) > 1 else 0], other[k if len(other) > 1 else 0]
            self._last = distance(self.a, self.b, at_a, at_b, last=self._last, threads=1)
            answers.append(self._last)
        if where.single and there.single:
            return answers[0]
        return Distance(*(np.array([getattr(each, field.name) for each in answers]) for field in fields(Distance)))


def _regions_of(shape: Shape) -> Regions:
    assert isinstance(shape, Polyhedral)
    return regions(polyhedron(np.asarray(shape.vertices), np.asarray(shape.faces)))


def _in_world(found: ClosestFeatures, where: Poses) -> Distance:
    apart = (found.distance > 0.0)[:, None]
    none = np.zeros(len(found.distance), np.int64)
    return Distance(
        found.distance,
        turned(where.rotations, found.point_a) + where.positions,
        turned(where.rotations, found.point_b) + where.positions,
        np.where(apart, turned(where.rotations, found.normal), np.nan),
        found.features[:, 0],
        found.features[:, 1],
        none,
        found.steps,
    )
