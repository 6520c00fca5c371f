"""Sphere-trees: a surface covered by spheres that get smaller and more numerous per level (Hubbard 1995, VII and VIII)."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from carom import validate
from carom._copies import Immutable, settle
from carom.errors import AuditError, InvalidInputError
from carom.maths.trigonometry import cosines, sines
from carom.shapes.mesh import Mesh
from carom.tolerances import TREE_PAD
from carom.trees.spheres.annealing import annealed_levels
from carom.trees.spheres.coverage import first_uncovered
from carom.trees.spheres.levels import SphereLevel, parents
from carom.trees.spheres.medial import medial_levels
from carom.trees.spheres.octree import octree_levels
from carom.trees.spheres.signed_depth import Surface
from carom.trees.spheres.surface_patches import cut_patches
from carom.trees.spheres.tree_file import mesh_hash, read_tree, write_tree

Floats = NDArray[np.float64]

METHODS = ("medial", "octree", "annealed")
MOST_LEVELS = 6
_FAN_OUT = 8
_PLACE = "_sphere_tree"
"""Where a mesh keeps its tree: beside what else is worked out once for it, so that both live as long as each other."""


_ARRAYS: dict[str, tuple[type[np.generic], tuple[int | None, ...]]] = {
    "spheres": (np.float64, (None, 4)), "depths": (np.float64, (None,)), "child_start": (np.int32, (None,)),
    "level_start": (np.int64, (None,)),
}  # fmt: skip
"""Type and shape of each array of a tree."""
_MOST_SAMPLES = 10_000
"""Points on each sphere at which looseness is measured."""


@dataclass(frozen=True)
class Looseness:
    """How far the spheres of one level extend beyond the solid (or beyond an open surface), m.

    `bound` is the radius minus the depth of the centre, which no point of a sphere exceeds. `sampled` is the largest
    distance from the solid among sample points on the sphere, a lower bound of the Hausdorff distance. Both are given
    as the mean over the spheres and as the maximum.
    """

    level: int
    spheres: int
    bound_mean: float
    bound_worst: float
    sampled_mean: float
    sampled_worst: float


@dataclass(frozen=True, eq=False, repr=False)
class SphereTree(Immutable):
    """A hierarchy of spheres that covers a mesh: level j has at most 8^j spheres, and every level covers the surface.

    The arrays are read-only. Arrays that do not form a tree raise InvalidInputError.

    Attributes
    ----------
    spheres : ndarray of shape (n, 4)
        Centres and radii in the frame of the mesh, m, level by level.
    child_start : ndarray
        The children of sphere i are rows child_start[i] to child_start[i + 1] - 1; together they cover what it covers.
    level_start : ndarray
        Level j is rows level_start[j] to level_start[j + 1] - 1.
    depths : ndarray of shape (n,)
        Depth of each centre inside the closed mesh, m; negative outside, or if the mesh is open.
    method : str
        The method that built the tree.
    """

    mesh: Mesh
    spheres: Floats
    depths: Floats
    child_start: NDArray[np.int32]
    level_start: NDArray[np.int64]
    method: str
    mesh_hash: str

    def __post_init__(self) -> None:
        if not isinstance(self.mesh, Mesh):
            raise InvalidInputError(f"mesh is {validate.shown(self.mesh)}; expected a carom.Mesh")
        settle(self, **{name: validate.placed(name, getattr(self, name), *how).copy() for name, how in _ARRAYS.items()})
        try:
            self._check_form()
        except AuditError as error:
            raise InvalidInputError(f"spheres, child_start and level_start are no sphere-tree: {error}") from None

    @staticmethod
    def build(mesh: Mesh, levels: int = 4, method: str = "medial", seed: int = 0) -> SphereTree:
        """Build the tree of a mesh. The mesh keeps it for calls with a budget.

        Parameters
        ----------
        mesh : Mesh
            The mesh.
        levels : int
            Number of levels below the single sphere of level 0, 1 to 6. Default: 4.
        method : {"medial", "octree", "annealed"}
            "medial": about the medial axis, the tightest; some seconds for a lamp of 626 triangles. "octree": about
            octants, immediate but loose. "annealed": octants, tightened by simulated annealing. An open mesh has no
            medial axis; its spheres are centred on the surface. Default: "medial".
        seed : int
            Seed of samples and proposals. Default: 0.

        Returns
        -------
        SphereTree
            The tree.
        """
        if not isinstance(mesh, Mesh):
            raise InvalidInputError(f"mesh is {validate.shown(mesh)}; expected a carom.Mesh")
        if validate.whole("levels", levels, 1) > MOST_LEVELS:
            raise InvalidInputError(f"levels is {validate.shown(levels)}; expected 1 to {MOST_LEVELS}")
        validate.one_of("method", method, METHODS)
        seed = validate.whole("seed", seed, 0)
        surface = Surface.of(mesh)
        patches = cut_patches(surface.tree.tris, levels)
        if method == "medial":
            made = medial_levels(patches, surface, levels, seed, mesh.bounding_sphere()[0])
        elif method == "octree":
            made = octree_levels(patches, levels)
        else:
            made = annealed_levels(patches, surface, levels, seed)
        spheres, child_start, level_start = _flat(made)
        tree = SphereTree(
            mesh,
            spheres,
            _depths(surface, spheres),
            child_start,
            level_start,
            method,
            mesh_hash(mesh.vertices, mesh.faces),
        )
        return tree._kept()

    @staticmethod
    def load(path: str | PathLike[str], mesh: Mesh | None = None) -> SphereTree:
        """Read a tree from a file, in milliseconds. Its mesh keeps it.

        Parameters
        ----------
        path : path-like
            A file written by `save`.
        mesh : Mesh, optional
            The mesh for which the tree was built. Default: the mesh saved with the tree.

        Returns
        -------
        SphereTree
            The tree.

        Raises
        ------
        InvalidInputError
            The mesh is another one, or the file is missing, foreign or damaged.
        """
        file = _as_path(path)
        arrays, method, digest = read_tree(file)
        if mesh is None:
            mesh = Mesh(arrays["vertices"], arrays["faces"])
        elif not isinstance(mesh, Mesh):
            raise InvalidInputError(f"mesh is {validate.shown(mesh)}; expected a carom.Mesh")
        elif mesh_hash(mesh.vertices, mesh.faces) != digest:
            raise InvalidInputError(f"{file}: belongs to another mesh; build the tree of this one and save it")
        try:
            tree = SphereTree(
                mesh, arrays["spheres"], arrays["depths"], arrays["child_start"], arrays["level_start"], method, digest
            )
        except InvalidInputError as error:
            raise InvalidInputError(f"{file}: holds no sphere-tree: {error}") from None
        return tree._kept()

    def save(self, path: str | PathLike[str]) -> None:
        """Write the tree and its mesh as one NumPy archive (.npz); InvalidInputError if the file cannot be written."""
        arrays: dict[str, NDArray[Any]] = {
            "spheres": self.spheres, "depths": self.depths, "child_start": self.child_start,
            "level_start": self.level_start, "vertices": self.mesh.vertices, "faces": self.mesh.faces,
        }  # fmt: skip
        write_tree(_as_path(path), arrays, self.method, self.mesh_hash)

    def __repr__(self) -> str:
        return f"SphereTree({self.method}, spheres by level {np.diff(self.level_start).tolist()})"

    @property
    def levels(self) -> int:
        """Levels below the single sphere of level 0."""
        return len(self.level_start) - 2

    def level(self, number: int) -> Floats:
        """Spheres (k, 4) of one level: centres and radii, in the mesh's frame."""
        if validate.whole("number", number, 0) > self.levels:
            raise InvalidInputError(f"number is {validate.shown(number)}; expected a level from 0 to {self.levels}")
        return self.spheres[self.level_start[number] : self.level_start[number + 1]]

    def check(self, mesh: Mesh | None = None) -> None:
        """Verify the tree by an independent method; raises AuditError if it is wrong.

        Every level must cover the mesh (its own, or the given one), children must cover what their parent covers, a
        level must have at most 8^j spheres, and the depths of centres must be right.
        """
        self._check_form()
        if mesh is not None and not isinstance(mesh, Mesh):
            raise InvalidInputError(f"mesh is {validate.shown(mesh)}; expected a carom.Mesh, or None")
        shape = self.mesh if mesh is None else mesh
        tris = np.ascontiguousarray(np.asarray(shape.vertices)[np.asarray(shape.faces)].reshape(-1, 9))
        n_leaves = int(self.level_start[-1] - self.level_start[-2])
        row = first_uncovered(tris, self.spheres, self.child_start, n_leaves)
        if row >= 0:
            raise AuditError(f"triangle {row} is not covered by the spheres of every level")
        deeper = self.depths - Surface.of(shape).depth(self.spheres[:, :3], surely=True)
        if (deeper > 1e-9 * self.spheres[0, 3]).any():
            raise AuditError(f"the centre of sphere {int(np.argmax(deeper))} lies less deep than the tree says")

    def looseness(self, samples: int = 48) -> list[Looseness]:
        """Measure how far the spheres of each level extend beyond the mesh, with `samples` points per sphere."""
        samples = validate.whole("samples", samples, 1)
        if samples > _MOST_SAMPLES:
            raise InvalidInputError(f"samples is {validate.shown(samples)}; expected {_MOST_SAMPLES} at most")
        surface = Surface.of(self.mesh)
        turn = np.pi * (1.0 + np.sqrt(5.0)) * np.arange(samples)
        height = 1.0 - (2.0 * np.arange(samples) + 1.0) / samples
        ring = np.sqrt(1.0 - height**2)
        directions = np.column_stack([ring * cosines(turn), ring * sines(turn), height])
        found = []
        for number in range(self.levels + 1):
            spheres = self.level(number)
            points = spheres[:, None, :3] + spheres[:, None, 3:] * directions
            outside = np.maximum(-surface.depth(points.reshape(-1, 3)), 0.0).reshape(len(spheres), samples).max(axis=1)
            first = self.level_start[number]
            bound = np.maximum(spheres[:, 3] - self.depths[first : first + len(spheres)], 0.0)
            found.append(
                Looseness(
                    number, len(spheres), float(bound.mean()), float(bound.max()), float(outside.mean()),
                    float(outside.max()),
                )
            )  # fmt: skip
        return found

    def _kept(self) -> SphereTree:
        vars(self.mesh)[_PLACE] = self
        return self

    def _check_form(self) -> None:
        """AuditError unless the arrays are a tree: levels in order, every sphere with children but on the last level."""
        n, starts = len(self.spheres), self.level_start
        sound = (
            self.spheres.shape == (n, 4) and len(self.depths) == n and len(self.child_start) == n + 1 and len(starts) >= 3
            and starts[0] == 0 and starts[1] == 1 and starts[-1] == n and (starts[1:] > starts[:-1]).all()
        )  # fmt: skip
        if not sound:
            raise AuditError("the arrays of the tree do not fit each other")
        finite = np.isfinite(self.spheres).all() and np.isfinite(self.depths).all()
        if not finite or (self.spheres[:, 3] < 0.0).any():
            raise AuditError("a sphere has no finite centre or radius")
        inner = self.child_start[: starts[-2] + 1]
        leaves = self.child_start[starts[-2] :]
        if (np.diff(inner) < 1).any() or (np.diff(inner) > _FAN_OUT).any() or (leaves != n).any():
            raise AuditError(f"a sphere has no children, or more than {_FAN_OUT}")
        if (self.child_start[starts[:-1]] != starts[1:]).any():
            raise AuditError("children are not on the next level")


def sphere_tree_of(mesh: Mesh) -> SphereTree | None:
    """The tree that was last built or loaded for this very mesh; None if there is none."""
    return vars(mesh).get(_PLACE)


def _flat(levels: list[SphereLevel]) -> tuple[Floats, NDArray[np.int32], NDArray[np.int64]]:
    """spheres, child_start and level_start of a tree."""
    counts = [len(level.radii) for level in levels]
    level_start = np.concatenate([[0], np.cumsum(counts)]).astype(np.int64)
    spheres = np.concatenate([np.column_stack([level.centres, level.radii]) for level in levels])
    n_children = [np.bincount(parents(above, level), minlength=len(above.radii)) for above, level in pairwise(levels)]
    n_children.append(np.zeros(counts[-1], np.int64))
    child_start = 1 + np.concatenate([[0], np.cumsum(np.concatenate(n_children))])
    return np.ascontiguousarray(spheres), child_start.astype(np.int32), level_start


def _depths(surface: Surface, spheres: Floats) -> Floats:
    """Depths (n,) of the centres, a little less than rounding may have made of them."""
    depths = surface.depth(spheres[:, :3], surely=True)
    return depths - TREE_PAD * (np.abs(depths) + np.abs(spheres[:, :3]).sum(axis=1))


def _as_path(path: object) -> Path:
    """The path of a file."""
    if not isinstance(path, str | PathLike) or not Path(path).name:
        raise InvalidInputError(f"path is {validate.shown(path)}; expected the path of a file")
    return Path(path)
