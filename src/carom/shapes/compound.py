"""Unions of shapes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike

from carom import validate
from carom.errors import InvalidInputError
from carom.maths.fixed_order import dot, product
from carom.pose import poses
from carom.shapes.kind import ShapeKind
from carom.shapes.shape import Shape, Vectors, freeze, rotation_matrix
from carom.tolerances import BOUNDING_SPHERE_STEPS, EPSILON

_NO_TURN = np.array([1.0, 0.0, 0.0, 0.0])


@dataclass(frozen=True, eq=False, init=False, repr=False)
class Compound(Shape):
    """The union of several shapes, for queries.

    Pieces may overlap. Compounds among the pieces are flattened, so the attribute `pieces` contains none.

    Parameters
    ----------
    pieces : sequence of (shape, pose)
        The shapes and their rigid transforms (4, 4) in the frame of the compound; None for the identity.

    Raises
    ------
    InvalidInputError
        A piece or a pose is malformed, or there is none.
    """

    pieces: tuple[tuple[Shape, Vectors], ...]
    """(shape, pose) each; poses (4, 4) are read-only."""
    kind = ShapeKind.COMPOUND
    code = 9

    def __init__(self, pieces: Sequence[tuple[Shape, ArrayLike | None]]) -> None:
        flat: list[tuple[Shape, Vectors]] = []
        for row, piece in enumerate(_listed(pieces)):
            shape, pose = _checked_piece(row, piece)
            if isinstance(shape, Compound):
                flat += [(inner, product(pose, inner_pose)) for inner, inner_pose in shape.pieces]
            else:
                flat.append((shape, pose))
        if not flat:
            raise InvalidInputError("pieces is empty; expected at least one (shape, pose)")
        for _, pose in flat:
            freeze(pose)
        object.__setattr__(self, "pieces", tuple(flat))

    def __repr__(self) -> str:
        return f"Compound({len(self.pieces)} pieces)"

    @cached_property
    def _sphere(self) -> tuple[Vectors, float]:
        return _sphere_around(*_balls(self.pieces))

    def bounding_sphere(self) -> tuple[Vectors, float]:
        """Centre (3,) and radius of a small sphere around all pieces; radius inf with an unbounded piece."""
        return self._sphere

    def extents_along(self, axes: Vectors, quat: Vectors) -> tuple[Vectors, Vectors]:
        """Lower and upper extent (k,) about the position along world `axes` (k, 3), turned by unit `quat` (4,) wxyz."""
        local = product(np.asarray(axes, dtype=np.float64), rotation_matrix(quat))
        ends = []
        for shape, pose in self.pieces:
            lo, hi = shape.extents_along(product(local, pose[:3, :3]), _NO_TURN)
            ends.append((lo + dot(local, pose[:3, 3]), hi + dot(local, pose[:3, 3])))
        return np.min([lo for lo, _ in ends], axis=0), np.max([hi for _, hi in ends], axis=0)

    def triangles(self, detail: int) -> Vectors:
        """Those of all pieces."""
        parts = [product(piece.triangles(detail), pose[:3, :3].T) + pose[:3, 3] for piece, pose in self.pieces]
        return np.concatenate(parts)


def _listed(pieces: object) -> list[object]:
    if isinstance(pieces, Shape) or not isinstance(pieces, Sequence):
        raise InvalidInputError(f"pieces is {validate.shown(pieces)}; expected a list of (shape, pose)")
    return list(pieces)


def _checked_piece(row: int, piece: object) -> tuple[Shape, Vectors]:
    """Shape and pose of one piece, or the error that names its row."""
    if not isinstance(piece, Sequence) or len(piece) != 2:
        raise InvalidInputError(
            f"pieces[{row}] is {validate.shown(piece)}; expected (shape, pose), the pose a 4x4 matrix or None"
        )
    shape, pose = piece
    if not isinstance(shape, Shape):
        raise InvalidInputError(f"pieces[{row}][0] is {validate.shown(shape)}; expected a carom shape")
    if shape.kind == ShapeKind.POLLED:
        raise InvalidInputError(f"pieces[{row}][0] is polled; a body of moving bounds cannot be part of a compound")
    return shape, poses(f"pieces[{row}][1]", pose).matrices()[0]


def _balls(pieces: Sequence[tuple[Shape, Vectors]]) -> tuple[Vectors, Vectors]:
    """Balls whose smallest common sphere holds every piece: centres (n, 3) and radii (n,).

    Exact for surfaces, spheres and capsules; other shapes give the sphere around themselves.
    """
    centres, radii = [], []
    for shape, pose in pieces:
        points, radius = shape.bounding_balls()
        centres.append(product(points, pose[:3, :3].T) + pose[:3, 3])
        radii.append(np.full(len(points), radius))
    return np.concatenate(centres), np.concatenate(radii)


def _sphere_around(centres: Vectors, radii: Vectors) -> tuple[Vectors, float]:
    """Sphere around balls, within a percent of the smallest: Badoiu and Clarkson's walk towards the farthest ball.

    The best centre seen is kept, starting from the middle of the box around the balls.
    """
    if not np.isfinite(radii).all():
        centre = np.zeros(3)
        freeze(centre)
        return centre, np.inf
    centre = 0.5 * ((centres - radii[:, None]).min(axis=0) + (centres + radii[:, None]).max(axis=0))
    best, best_radius = centre, np.inf
    for step in range(BOUNDING_SPHERE_STEPS):
        gap = np.sqrt(((centres - centre) ** 2).sum(axis=1))
        reach = gap + radii
        far = int(reach.argmax())
        if reach[far] < best_radius:
            best, best_radius = centre, float(reach[far])
        # Towards the farthest point of that ball; a ball around the centre itself has none in any one direction.
        away = (centres[far] - centre) * (reach[far] / gap[far]) if gap[far] > 0.0 else np.zeros(3)
        centre = centre + away / (step + 2.0)
    freeze(best)
    return best, float(best_radius + 8.0 * EPSILON * (best_radius + np.abs(centres).max()))
