"""Rigid poses as 4x4 matrices, one or a batch, and the pose of one body in the frame of another."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from carom import validate
from carom._compile.jit import compiling, kernel
from carom.errors import InvalidInputError
from carom.maths.fixed_order import dot
from carom.maths.rotations import composed
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
        """Return the poses as matrices (n, 4, 4)."""
        out = np.zeros((len(self), 4, 4))
        out[:, :3, :3] = self.rotations
        out[:, :3, 3] = self.positions
        out[:, 3, 3] = 1.0
        return out


def poses(name: str, value: ArrayLike | None) -> Poses:
    """Return poses from None (identity), a 4x4 matrix or (n, 4, 4).

    A rotation with errors up to RIGID_POSE (few decimals, or single precision) is replaced by the nearest rotation; one with
    rounding errors only is used bit for bit. Matrices that are not finite, mirrored, scaled or sheared raise InvalidInputError.
    """
    if value is None:
        return Poses(np.eye(3)[None], np.zeros((1, 3)), True)
    given = validate.array(name, value, (4, 4), (None, 4, 4))
    single = given.ndim == 2
    matrices = given[None] if single else given
    rotations, positions = np.empty((len(matrices), 3, 3)), np.empty((len(matrices), 3))
    with compiling("poses"):
        rigid = _split_into(matrices, rotations, positions)
    if not rigid:
        _settle(name, single, matrices, rotations)
    return Poses(rotations, positions, single)


@kernel
def _split_into(matrices, rotations, positions):
    """Copy rotations and positions of matrices (n, 4, 4); returns True if all are rigid up to rounding."""
    rigid = True
    for k in range(len(matrices)):
        row = matrices[k]
        for i in range(3):
            positions[k, i] = row[i, 3]
            for j in range(3):
                rotations[k, i, j] = row[i, j]
                off = row[i, 0] * row[j, 0] + row[i, 1] * row[j, 1] + row[i, 2] * row[j, 2]
                if i == j:
                    off -= 1.0
                if not abs(off) <= EXACT_ROTATION:
                    rigid = False
        x = row[1, 1] * row[2, 2] - row[1, 2] * row[2, 1]
        y = row[1, 2] * row[2, 0] - row[1, 0] * row[2, 2]
        z = row[1, 0] * row[2, 1] - row[1, 1] * row[2, 0]
        if not row[0, 0] * x + row[0, 1] * y + row[0, 2] * z > 0.0:
            rigid = False
        if row[3, 0] != 0.0 or row[3, 1] != 0.0 or row[3, 2] != 0.0 or row[3, 3] != 1.0:
            rigid = False
    return rigid


def _settle(name: str, single: bool, matrices: Floats, rotations: Floats) -> None:
    """Replace rotations with more than rounding errors by the nearest ones; raise for matrices that are not rigid."""
    bad = np.flatnonzero((matrices[:, 3] != (0.0, 0.0, 0.0, 1.0)).any(axis=1))
    if len(bad):
        row = matrices[bad[0], 3].tolist()
        raise InvalidInputError(f"{_row(name, single, bad[0])}[3] is {row}; expected [0, 0, 0, 1]")
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


def _nearest_rotations(name: str, single: bool, rows: Ints, matrices: Floats) -> Floats:
    """Return the orthogonal matrices nearest to `matrices` (n, 3, 3), which are the given `rows` of an argument.

    This is the polar factor: U V with R = U S V. A matrix farther from it than RIGID_POSE raises InvalidInputError.
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
    # Newton's iteration for the polar factor: a singular value decomposition rounds differently on different machines.
    # Each step squares the deviation: 1e-3 becomes 1e-48 after four.
    for _ in range(5):
        rows_of = matrices[:, 0], matrices[:, 1], matrices[:, 2]
        cofactors = np.stack([np.cross(rows_of[(k + 1) % 3], rows_of[(k + 2) % 3]) for k in range(3)], axis=1)
        matrices = 0.5 * (matrices + cofactors / dot(rows_of[0], cofactors[:, 0])[:, None, None])
    return matrices


def together(a: Poses, b: Poses) -> int:
    """Return the length of the batch of two sets of poses: of equal lengths, or one of them single."""
    if len(a) != len(b) and not (a.single or b.single):
        raise InvalidInputError(f"pose_a has {len(a)} poses and pose_b {len(b)}; expected as many, or a single one")
    return max(len(a), len(b)) if len(a) and len(b) else 0


def relative(a: Poses, b: Poses) -> tuple[Floats, Floats]:
    """Return the poses of b in the frame of a: rotations (n, 9) row by row, and shifts (n, 3), x_a = R x_b + t."""
    n = together(a, b)
    if n == 0:
        return np.empty((0, 9)), np.empty((0, 3))
    rots, shifts = np.empty((n, 9)), np.empty((n, 3))
    with compiling("poses"):
        _relative_into(a.rotations, a.positions, b.rotations, b.positions, rots, shifts)
    return rots, shifts


@kernel
def _relative_into(rots_a, places_a, rots_b, places_b, rots, shifts):
    for k in range(len(rots)):
        a, b = k if len(rots_a) > 1 else 0, k if len(rots_b) > 1 else 0
        ra, rb = rots_a[a], rots_b[b]
        x, y, z = places_b[b, 0] - places_a[a, 0], places_b[b, 1] - places_a[a, 1], places_b[b, 2] - places_a[a, 2]
        for i in range(3):
            shifts[k, i] = ra[0, i] * x + ra[1, i] * y + ra[2, i] * z
            for j in range(3):
                rots[k, 3 * i + j] = ra[0, i] * rb[0, j] + ra[1, i] * rb[1, j] + ra[2, i] * rb[2, j]


def _row(name: str, single: bool, row: int) -> str:
    return name if single else f"{name}[{row}]"
