"""Rigid poses as 4x4 matrices, one or a batch, and the pose of one body as another sees it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from carom import validate
from carom.errors import InvalidInputError
from carom.tolerances import RIGID_POSE

Floats = NDArray[np.float64]


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

    What is not finite, of another shape, mirrored, scaled or sheared raises InvalidInputError. Rotations that rounding
    has left a little off (single precision) are made orthonormal.
    """
    if value is None:
        return Poses(np.eye(3)[None], np.zeros((1, 3)), True)
    single = np.ndim(value) == 2
    given = validate.array(name, value, (4, 4) if single else (None, 4, 4))
    matrices = given[None] if single else given
    bad = np.flatnonzero((matrices[:, 3] != (0.0, 0.0, 0.0, 1.0)).any(axis=1))
    if len(bad):
        row = matrices[bad[0], 3].tolist()
        raise InvalidInputError(f"{_row(name, single, bad[0])}[3] is {row}; expected [0, 0, 0, 1]")
    rotations = np.ascontiguousarray(matrices[:, :3, :3])
    off = np.abs(rotations @ rotations.transpose(0, 2, 1) - np.eye(3)).max(axis=(1, 2), initial=0.0)
    bad = np.flatnonzero((off > RIGID_POSE) | (np.linalg.det(rotations) < 0.0))
    if len(bad):
        raise InvalidInputError(
            f"{_row(name, single, bad[0])} scales, shears or mirrors; expected a rigid 4x4 matrix (rotation and shift)"
        )
    loose = off > 1e-14
    if loose.any():
        u, _, v = np.linalg.svd(rotations[loose])
        rotations[loose] = u @ v
    return Poses(rotations, np.ascontiguousarray(matrices[:, :3, 3]), single)


def together(a: Poses, b: Poses) -> int:
    """Length of the batch that two sets of poses make: equal lengths, or one of them single."""
    if len(a) != len(b) and not (a.single or b.single):
        raise InvalidInputError(f"pose_a has {len(a)} poses and pose_b {len(b)}; expected as many, or a single one")
    return max(len(a), len(b)) if len(a) and len(b) else 0


def relative(a: Poses, b: Poses) -> tuple[Floats, Floats]:
    """Pose of b in the frame of a: rotations (n, 9) row by row, and shifts (n, 3), x_a = R x_b + t."""
    n = together(a, b)
    back = a.rotations.transpose(0, 2, 1)
    rots = np.broadcast_to(back @ b.rotations, (n, 3, 3)).reshape(n, 9)
    shifts = np.broadcast_to((back @ (b.positions - a.positions)[:, :, None])[:, :, 0], (n, 3))
    # Copies, since what NumPy broadcasts cannot be written to, and for such arrays kernels would be compiled once more.
    return rots.copy(), shifts.copy()


def _row(name: str, single: bool, row: int) -> str:
    return name if single else f"{name}[{row}]"
