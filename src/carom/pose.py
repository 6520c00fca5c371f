"""Rigid poses as 4x4 matrices, one or a batch, and the pose of one body as another sees it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from carom import validate
from carom._linear import dot
from carom._rotate import composed, turned
from carom.errors import InvalidInputError
from carom.tolerances import EXACT_ROTATION, RIGID_POSE

Floats = NDArray[np.float64]
Ints = NDArray[np.intp]


@dataclass(frozen=True, eq=False)
class Poses:
    """rotations (n, 3, 3) and positions (n, 3), x_world = R x + p; `single` when one 4x4 matrix (or None) was given."""

    rotations: Floats
    positions: Floats
    single: bool

    def __len__(self) -> int:
        return len(self.positions)

    def matrices(self) -> Floats:
        """The same as (n, 4, 4)."""
        out = np.zeros((len(self), 4, 4))
        out[:, :3, :3] = self.rotations
        out[:, :3, 3] = self.positions
        out[:, 3, 3] = 1.0
        return out


def poses(name: str, value: ArrayLike | None) -> Poses:
    """Poses from None (identity), a 4x4 matrix or (n, 4, 4).

    A rotation that is off by up to RIGID_POSE in an entry (written with few decimals, or kept in single precision) is replaced
    by the nearest one; one that is off by rounding only is taken bit for bit. What is not finite, of another shape, mirrored,
    scaled or sheared raises InvalidInputError.
    """
    if value is None:
        return Poses(np.eye(3)[None], np.zeros((1, 3)), True)
    given = validate.array(name, value, (4, 4), (None, 4, 4))
    single = given.ndim == 2
    matrices = given[None] if single else given
    bad = np.flatnonzero((matrices[:, 3] != (0.0, 0.0, 0.0, 1.0)).any(axis=1))
    if len(bad):
        row = matrices[bad[0], 3].tolist()
        raise InvalidInputError(f"{_row(name, single, bad[0])}[3] is {row}; expected [0, 0, 0, 1]")
    rotations = np.ascontiguousarray(matrices[:, :3, :3])
    off = np.abs(composed(rotations, rotations.transpose(0, 2, 1)) - np.eye(3)).max(axis=(1, 2), initial=0.0)
    loose = np.flatnonzero(~(off <= EXACT_ROTATION))
    if len(loose):
        rotations[loose] = _nearest_rotations(name, single, loose, rotations[loose])
    mirrored = np.flatnonzero(np.linalg.det(rotations) < 0.0)
    if len(mirrored):
        raise InvalidInputError(
            f"{_row(name, single, mirrored[0])} scales, shears or mirrors: its matrix has a determinant below 0; "
            "expected a rigid 4x4 matrix (rotation and shift)"
        )
    return Poses(rotations, np.ascontiguousarray(matrices[:, :3, 3]), single)


def _nearest_rotations(name: str, single: bool, rows: Ints, matrices: Floats) -> Floats:
    """The orthogonal matrices nearest to `matrices` (n, 3, 3), which are the given `rows` of an argument.

    The polar factor: with R = U S V the matrix U V. One that is off by more than RIGID_POSE raises.
    """
    u, _, v = np.linalg.svd(matrices)
    off = np.abs(matrices - u @ v).max(axis=(1, 2))
    bad = np.flatnonzero(~(off <= RIGID_POSE))
    if len(bad):
        k = int(bad[0])
        raise InvalidInputError(
            f"{_row(name, single, int(rows[k]))} scales, shears or mirrors: its matrix is off the nearest rotation by "
            f"{off[k]:.3g}, and up to {RIGID_POSE:g} is taken as rounding; expected a rigid 4x4 matrix (rotation and shift): "
            "put scale into the shape, and if this is meant as a rotation R, make it one: u, _, v = numpy.linalg.svd(R); u @ v"
        )
    # Newton's iteration for the polar factor, as a singular value decomposition rounds differently from machine to machine.
    # The deviation is squared by each step: 1e-3 is 1e-48 after four.
    for _ in range(5):
        rows_of = matrices[:, 0], matrices[:, 1], matrices[:, 2]
        cofactors = np.stack([np.cross(rows_of[(k + 1) % 3], rows_of[(k + 2) % 3]) for k in range(3)], axis=1)
        matrices = 0.5 * (matrices + cofactors / dot(rows_of[0], cofactors[:, 0])[:, None, None])
    return matrices


def together(a: Poses, b: Poses) -> int:
    """Length of the batch that two sets of poses make: equal lengths, or one of them single."""
    if len(a) != len(b) and not (a.single or b.single):
        raise InvalidInputError(f"pose_a has {len(a)} poses and pose_b {len(b)}; expected as many, or a single one")
    return max(len(a), len(b)) if len(a) and len(b) else 0


def relative(a: Poses, b: Poses) -> tuple[Floats, Floats]:
    """Pose of b in the frame of a: rotations (n, 9) row by row, and shifts (n, 3), x_a = R x_b + t."""
    n = together(a, b)
    if n == 0:
        return np.empty((0, 9)), np.empty((0, 3))
    back = np.ascontiguousarray(a.rotations.transpose(0, 2, 1))
    return composed(back, b.rotations).reshape(n, 9), turned(back, b.positions - a.positions)


def _row(name: str, single: bool, row: int) -> str:
    return name if single else f"{name}[{row}]"
