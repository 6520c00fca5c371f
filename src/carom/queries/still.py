"""Queries about a pair at one instant: collide, gap, distance, penetration."""

from __future__ import annotations

from dataclasses import replace
from typing import overload

import numpy as np
from numpy.typing import ArrayLike, NDArray

from carom import validate
from carom.errors import InvalidInputError
from carom.maths.rotations import turned
from carom.narrow.progressive.progressive_pair import ProgressiveCollision, ProgressivePair
from carom.pose import Poses, poses, relative
from carom.queries.pairs.choose import pair_of
from carom.queries.pairs.pair import Touches
from carom.queries.results import Collision, Contacts, Distance, Penetration, single
from carom.shapes import Mesh, Shape
from carom.trees.spheres.sphere_tree import SphereTree, sphere_tree_of

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

CONTACTS = ("none", "first", "all")


@overload
def collide(
    a: Shape,
    b: Shape,
    pose_a: ArrayLike | None = None,
    pose_b: ArrayLike | None = None,
    *,
    contacts: str = "first",
    volumes: str = "obb",
    threads: int | None = None,
) -> Collision: ...


@overload
def collide(
    a: Shape, b: Shape, pose_a: ArrayLike | None = None, pose_b: ArrayLike | None = None, *, budget: float
) -> ProgressiveCollision: ...


def collide(
    a: Shape,
    b: Shape,
    pose_a: ArrayLike | None = None,
    pose_b: ArrayLike | None = None,
    *,
    contacts: str = "first",
    volumes: str = "obb",
    threads: int | None = None,
    budget: float | None = None,
) -> Collision | ProgressiveCollision:
    """Test whether two shapes overlap or touch.

    Parameters
    ----------
    a, b : Shape
        The two shapes. A `Mesh` is a surface: a body inside it that does not touch it is no hit. All other shapes are
        solid.
    pose_a, pose_b : array_like of shape (4, 4) or (n, 4, 4), optional
        Rigid transforms, m. A batch of n poses uses all cores. Default: the identity.
    contacts : {"first", "none", "all"}
        "none" only decides whether the shapes touch. "first" describes one contact per pose. "all" fills
        `Collision.contacts` with every pair of touching features.
    volumes : str
        Bounding volumes of two meshes: "obb" (default, the fastest), "sphere", "aabb", "kdop18", "kdop26", "hull",
        "shell", "pss", "lss" or "rss". The answer does not depend on it.
    threads : int, optional
        Number of threads of a batch. Default: all cores.
    budget : float, optional
        Wall-clock time, s, for two meshes at one pose. Both meshes need a sphere-tree, from `SphereTree.build` or
        `SphereTree.load`. Compilation (first call of a process) and the tree of boxes (first call of a mesh) are not
        counted. To test the same pair repeatedly, use a `ProgressivePair`.

    Returns
    -------
    Collision or ProgressiveCollision
        Fields are numbers and vectors for one pose, and arrays for a batch. With a budget, a ProgressiveCollision,
        which is as exact as the time allowed and has a bound on its error.

    Raises
    ------
    InvalidInputError
        An argument is malformed, or `budget` is given and a shape is not a mesh with a sphere-tree.
    UnsupportedPairError
        A shape is `Polled`.
    """
    if budget is not None:
        return ProgressivePair(_tree("a", a), _tree("b", b)).query(pose_a, pose_b, budget=budget)
    validate.one_of("contacts", contacts, CONTACTS)
    validate.threads(threads)
    pair = pair_of(a, b, volumes)
    where = poses("pose_a", pose_a)
    there = poses("pose_b", pose_b)
    rots, shifts = relative(where, there)
    found = pair.touching(rots, shifts, 0.0, threads)
    n = len(rots)
    result = Collision(
        found.hit, np.full((n, 3), np.nan), np.full((n, 3), np.nan), np.zeros(n), np.full(n, -1), np.full(n, -1),
        found.tests[:, 0], found.tests[:, 1],
    )  # fmt: skip
    if contacts != "none":
        hit = np.flatnonzero(found.hit)
        touches = pair.touches(rots[hit], shifts[hit], contacts == "all", threads, found.first[hit])
        result = _described(result, _in_world(touches._replace(pose=hit[touches.pose]), where), contacts == "all")
    return single(result) if where.single and there.single else result


def gap(
    a: Shape,
    b: Shape,
    size: float,
    pose_a: ArrayLike | None = None,
    pose_b: ArrayLike | None = None,
    *,
    threads: int | None = None,
) -> bool | NDArray[np.bool_]:
    """Test whether the gap between two shapes is at least `size`.

    The search stops as soon as the answer is known.

    Parameters
    ----------
    a, b, pose_a, pose_b, threads
        As for `collide`; errors too.
    size : float
        Size of the gap, m, 0 or more.

    Returns
    -------
    bool or ndarray of bool, shape (n,)
        One bool for one pose, an array for a batch.
    """
    validate.threads(threads)
    pair = pair_of(a, b)
    width = validate.limit("size", size)
    where, there = poses("pose_a", pose_a), poses("pose_b", pose_b)
    free = ~pair.touching(*relative(where, there), width, threads).hit
    return bool(free[0]) if where.single and there.single else free


def distance(
    a: Shape,
    b: Shape,
    pose_a: ArrayLike | None = None,
    pose_b: ArrayLike | None = None,
    *,
    within: float = np.inf,
    last: Distance | None = None,
    volumes: str = "obb",
    threads: int | None = None,
) -> Distance:
    """Compute the distance of two shapes and their nearest points.

    The distance is 0 if the shapes touch or overlap.

    Parameters
    ----------
    a, b, pose_a, pose_b, threads
        As for `collide`; errors too.
    within : float
        Largest distance of interest, m. Beyond it the distance is reported as inf, which saves work. Default: inf.
    last : Distance, optional
        The answer of a similar pose, whose features start the search. It never changes the distance.
    volumes : str
        Bounding volumes of two meshes, as for `collide`.

    Returns
    -------
    Distance
        Its fields are numbers and vectors for one pose, and arrays for a batch.
    """
    validate.threads(threads)
    if not (last is None or isinstance(last, Distance)):
        raise InvalidInputError(f"last is {validate.shown(last)}; expected an answer of distance, or None")
    pair = pair_of(a, b, volumes)
    limit = validate.limit("within", within)
    where, there = poses("pose_a", pose_a), poses("pose_b", pose_b)
    rots, shifts = relative(where, there)
    start = None if last is None else _features_of(last, len(rots))
    found = pair.nearest(rots, shifts, limit, start, threads)
    known = np.isfinite(found.distance)[:, None]
    result = Distance(
        found.distance,
        np.where(known, _points(where, found.point_a), np.nan),
        np.where(known, _points(where, found.point_b), np.nan),
        np.where(known & (found.distance > 0.0)[:, None], _vectors(where, found.normal), np.nan),
        found.feature_a,
        found.feature_b,
        found.tests[:, 0],
        found.tests[:, 1],
    )
    return single(result) if where.single and there.single else result


def penetration(
    a: Shape, b: Shape, pose_a: ArrayLike | None = None, pose_b: ArrayLike | None = None, *, threads: int | None = None
) -> Penetration:
    """Compute the penetration depth of two shapes and the direction in which b separates from a.

    The depth is 0 if the shapes do not overlap. It is exact for convex solids and half-spaces. For meshes and compounds
    it is an upper bound (`Penetration.exact` is False): moving b by depth * normal separates the shapes, but a shorter
    translation may exist.

    Parameters
    ----------
    a, b, pose_a, pose_b, threads
        As for `collide`; errors too.

    Returns
    -------
    Penetration
        Its fields are numbers and vectors for one pose, and arrays for a batch.
    """
    validate.threads(threads)
    pair = pair_of(a, b)
    where, there = poses("pose_a", pose_a), poses("pose_b", pose_b)
    rots, shifts = relative(where, there)
    found = pair.deepest(rots, shifts, threads)
    deep = (found.depth > 0.0)[:, None]
    result = Penetration(
        found.depth,
        np.where(deep, _vectors(where, found.normal), np.nan),
        np.where(deep, _points(where, found.point_a), np.nan),
        np.where(deep, _points(where, found.point_b), np.nan),
        found.exact,
    )
    return single(result) if where.single and there.single else result


def _features_of(last: Distance, n: int) -> Ints:
    """Return features (n, 2) or (2,) of an earlier answer, from which a search starts; unknown features are ignored."""
    columns = []
    for name in ("feature_a", "feature_b"):
        given = np.asarray(getattr(last, name))
        if given.dtype.kind not in "iu":
            raise InvalidInputError(f"last.{name} is {validate.shown(getattr(last, name))}; expected whole numbers")
        columns.append(given)
    start = np.stack(np.broadcast_arrays(*columns), axis=-1).astype(np.int64)
    if start.ndim == 2 and len(start) == 1:
        return start[0]
    if start.ndim == 2 and len(start) != n:
        raise InvalidInputError(f"last has {len(start)} answers; expected 1 or {n}, one per pose")
    return start


def _tree(name: str, shape: Shape) -> SphereTree:
    """Return the sphere-tree of a mesh; InvalidInputError if there is none."""
    if not isinstance(shape, Mesh):
        raise InvalidInputError(
            f"{name} is {validate.shown(shape)}; expected a carom.Mesh with a sphere-tree for a call with a budget; a mesh "
            "keeps the tree that was built for it"
        )
    tree = sphere_tree_of(shape)
    if tree is None:
        raise InvalidInputError(
            f"{name} has no sphere-tree; build it first, with carom.time_critical.SphereTree.build({name})"
        )
    return tree


def _vectors(where: Poses, vectors: Floats) -> Floats:
    """Turn vectors (n, 3) of the frame of a into world axes."""
    return turned(where.rotations, vectors)


def _points(where: Poses, points: Floats) -> Floats:
    return _vectors(where, points) + where.positions


def _in_world(touches: Touches, where: Poses) -> Contacts:
    """Return contacts with their points and normals in world axes."""
    at = np.zeros(len(touches.pose), np.int64) if len(where) == 1 else touches.pose
    own = Poses(where.rotations[at], where.positions[at], False)
    return Contacts(
        touches.pose, _points(own, touches.point), _vectors(own, touches.normal), touches.depth, touches.feature_a,
        touches.feature_b,
    )  # fmt: skip


def _described(result: Collision, contacts: Contacts, everything: bool) -> Collision:
    """Return the result with the first contact of each pose, and all of them if requested."""
    pose, first = np.unique(contacts.pose, return_index=True)
    columns = {
        "point": contacts.points, "normal": contacts.normals, "depth": contacts.depths, "feature_a": contacts.features_a,
        "feature_b": contacts.features_b,
    }  # fmt: skip
    for name, values in columns.items():
        getattr(result, name)[pose] = values[first]
    return replace(result, contacts=contacts) if everything else result
