"""Sphere-trees: a surface covered by more and smaller spheres from level to level (Hubbard 1995, sections VII and VIII)."""

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
    """How far spheres of one level reach beyond the solid (or beyond the surface, where it is open), m.

    bound: radius minus depth of the centre, which no point of a sphere exceeds; sampled: the largest distance from the solid
    among points spread on the sphere: the Hausdorff distance from below. Each as mean over the spheres and worst of them.
    """

    level: int
    spheres: int
    bound_mean: float
    bound_worst: float
    sampled_mean: float
    sampled_worst: float


@dataclass(frozen=True, eq=False, repr=False)
class SphereTree(Immutable):
    """Spheres about a mesh, level after level: level j has at most 8^j of them, and each level covers the surface.

    spheres (n, 4): centre and radius in the mesh's frame, level by level; children of sphere i are rows child_start[i] to
    child_start[i + 1] - 1 of the next level, and together cover what it covers; level j is rows level_start[j] to
    level_start[j + 1] - 1; depths (n,): how deep each centre lies inside the closed mesh, negative outside or where it is
    open; method: how it was built. The arrays are read-only; those that are no tree raise InvalidInputError.
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
        """Build the tree of a mesh, and let the mesh keep it for calls with a budget.

        levels: below the single sphere of level 0, 1 to 6. method: "medial" (about the medial axis: the tightest; a lamp of 626
        triangles takes some seconds), "octree" (about octants: at once, loose) or "annealed" (octants, tightened by
        simulated annealing). A mesh that is open has no medial axis: spheres then sit on its surface. seed: of samples and
        proposals.
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
        """Read a tree, in milliseconds, and let its mesh keep it.

        mesh: the one it was built for, else InvalidInputError; None takes the mesh that was saved with the tree. A file that
        is missing, foreign or damaged raises InvalidInputError too.
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
        """Write tree and mesh as one NumPy archive (.npz); InvalidInputError where the place cannot be written."""
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
        """Raise AuditError unless every level covers the mesh (its own, or another), children cover what their parent
        covers, levels have at most 8^j spheres, and the depths of centres are true of the mesh."""
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
        """How far the spheres of each level reach beyond the mesh; `samples` points on each sphere."""
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
