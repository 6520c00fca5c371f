"""The collision manager, and the conversion of trimesh objects."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from carom import validate
from carom._copies import Copyable
from carom.errors import InvalidInputError
from carom.manager.pairs import ManagedObject, Two, across, first_pair, nearest_pair, within
from carom.manager.results import Floats, Name, contact_data
from carom.motion import Keyframes, Motion
from carom.pose import poses
from carom.queries.results import Collision
from carom.queries.still import collide
from carom.shapes import Convex, Mesh, Shape

EXTERNAL = "__external"
"""Name, in results, of an object that is not in the manager."""


class CollisionManager(Copyable):
    """A collection of named objects, with queries for contacts, distances and times of impact.

    An object is a carom shape or a trimesh.Trimesh, with a transform (4, 4). Unknown names raise ValueError, as in
    trimesh. Other malformed arguments raise InvalidInputError. Results are tuples in the order of trimesh: the answer,
    then names and data if requested.
    """

    def __init__(self) -> None:
        self._objects: dict[Name, ManagedObject] = {}

    # ---- objects

    def add_object(self, name: Name, mesh: Any, transform: ArrayLike | None = None) -> Shape:
        """Add an object, or replace the object of that name, and return its shape.

        Parameters
        ----------
        name : hashable
            Name of the object.
        mesh : Shape or trimesh.Trimesh
            A convex and closed mesh becomes a Convex, any other mesh a Mesh.
        transform : array_like of shape (4, 4), optional
            Rigid transform, m. Default: the identity.
        """
        shape, pose = shape_of(mesh), _pose(transform)
        _hashable(name)
        self._objects[name] = ManagedObject(shape, pose)
        return shape

    def remove_object(self, name: Name) -> None:
        """Remove an object."""
        self._known(name)
        del self._objects[name]

    def set_transform(self, name: Name, transform: ArrayLike) -> None:
        """Set the rigid transform (4, 4) of an object."""
        self._known(name).pose = _pose(transform)

    def set_motion(self, name: Name, motion: Motion | Keyframes | None) -> None:
        """Set the motion of an object for times of impact; None leaves it at rest at its transform."""
        self._known(name).motion = None if motion is None else _motion(motion)

    # ---- collisions

    def in_collision_single(
        self, mesh: Any, transform: ArrayLike | None = None, return_names: bool = False, return_data: bool = False
    ) -> Any:
        """Test an object against all objects of the manager.

        Parameters
        ----------
        mesh : Shape or trimesh.Trimesh
            The object.
        transform : array_like of shape (4, 4), optional
            Rigid transform, m. Default: the identity.
        return_names : bool
            Also return the set of names of the objects that it touches.
        return_data : bool
            Also return a list of ContactData.
        """
        alone: dict[Name, ManagedObject] = {EXTERNAL: ManagedObject(shape_of(mesh), _pose(transform))}
        found = self._contacts(across(self._objects, alone), return_names, return_data)
        return _answer(found, {pair[0] for pair, _ in found}, return_names, return_data)

    def in_collision_internal(self, return_names: bool = False, return_data: bool = False) -> Any:
        """Test all pairs of objects of the manager.

        return_names adds the set of pairs that touch, as sorted tuples of names; return_data adds a list of
        ContactData.
        """
        found = self._contacts(within(self._objects), return_names, return_data)
        return _answer(found, {_sorted(*pair) for pair, _ in found}, return_names, return_data)

    def in_collision_other(
        self, other_manager: CollisionManager, return_names: bool = False, return_data: bool = False
    ) -> Any:
        """Test all objects against all objects of another manager.

        return_names adds the set of pairs that touch, as tuples (name here, name there); return_data adds a list of
        ContactData.
        """
        found = self._contacts(across(self._objects, _objects_of(other_manager)), return_names, return_data)
        return _answer(found, {pair for pair, _ in found}, return_names, return_data)

    # ---- distances

    def min_distance_single(
        self, mesh: Any, transform: ArrayLike | None = None, return_name: bool = False, return_data: bool = False
    ) -> Any:
        """Compute the distance from an object to the nearest object of the manager, m.

        The distance is minus the largest depth if objects overlap, and inf if the manager is empty. mesh and transform are
        those of `in_collision_single`; return_name adds the name of the nearest object, return_data a DistanceData.
        """
        alone: dict[Name, ManagedObject] = {EXTERNAL: ManagedObject(shape_of(mesh), _pose(transform))}
        nearest, pair, data = nearest_pair(across(self._objects, alone, boxes=False))
        return _listed(nearest, pair[0] if pair else None, data, return_name, return_data)

    def min_distance_internal(
        self, name: Name | None = None, return_names: bool = False, return_data: bool = False
    ) -> Any:
        """Compute the minimum distance between two objects, m; minus the largest depth if objects overlap.

        With `name`, compute the distance from that object to its nearest instead. return_names adds the sorted pair of
        names; return_data adds a DistanceData.
        """
        if name is not None:
            one = {name: self._known(name)}
            rest = {key: each for key, each in self._objects.items() if key != name}
            nearest, pair, data = nearest_pair(across(one, rest, boxes=False))
        else:
            nearest, pair, data = nearest_pair(within(self._objects, boxes=False))
        return _listed(nearest, _sorted(*pair) if pair else None, data, return_names, return_data)

    def min_distance_other(
        self, other_manager: CollisionManager, return_names: bool = False, return_data: bool = False
    ) -> Any:
        """Compute the minimum distance between an object and an object of another manager, m.

        return_names adds the pair of names (here, there); return_data adds a DistanceData.
        """
        nearest, pair, data = nearest_pair(across(self._objects, _objects_of(other_manager), boxes=False))
        return _listed(nearest, pair, data, return_names, return_data)

    # ---- times of impact

    def time_of_impact_single(
        self, mesh: Any, motion: Motion | Keyframes, until: float, return_name: bool = False, return_data: bool = False
    ) -> Any:
        """Compute when a moving object first touches an object of the manager, s; inf if it touches none up to `until`.

        Parameters
        ----------
        mesh : Shape or trimesh.Trimesh
            The object.
        motion : Motion or Keyframes
            Its motion.
        until : float
            End of the search, s.
        return_name : bool
            Also return the name of the object that is touched.
        return_data : bool
            Also return an ImpactData.
        """
        alone: dict[Name, ManagedObject] = {EXTERNAL: ManagedObject(shape_of(mesh), np.eye(4), _motion(motion))}
        first, pair, data = first_pair(across(self._objects, alone, boxes=False), until)
        return _listed(first, pair[0] if pair else None, data, return_name, return_data)

    def time_of_impact_internal(self, until: float, return_names: bool = False, return_data: bool = False) -> Any:
        """Compute when two objects of the manager first touch, s; inf if none touch up to `until`, s.

        return_names adds the sorted pair of names; return_data adds an ImpactData.
        """
        first, pair, data = first_pair(within(self._objects, boxes=False), until)
        return _listed(first, _sorted(*pair) if pair else None, data, return_names, return_data)

    def time_of_impact_other(
        self, other_manager: CollisionManager, until: float, return_names: bool = False, return_data: bool = False
    ) -> Any:
        """Compute when an object first touches an object of another manager, s; inf if none touch up to `until`, s.

        return_names adds the pair of names (here, there); return_data adds an ImpactData.
        """
        first, pair, data = first_pair(across(self._objects, _objects_of(other_manager), boxes=False), until)
        return _listed(first, pair, data, return_names, return_data)

    def _known(self, name: Name) -> ManagedObject:
        _hashable(name)
        if name not in self._objects:
            raise ValueError(f"{name if isinstance(name, str) else validate.shown(name)} not in collision manager!")
        return self._objects[name]

    def _contacts(
        self, pairs: Iterator[Two], all_pairs: bool, contacts: bool
    ) -> list[tuple[tuple[Name, Name], Collision]]:
        """Return the pairs that touch, or only the first if neither names nor contacts are needed."""
        _wanted(all_pairs, contacts)
        found = []
        for (name, one), (other_name, other) in pairs:
            hit = collide(
                one.shape, other.shape, one.pose, other.pose, contacts="all" if contacts else "none", threads=1
            )
            if hit.hit:
                found.append(((name, other_name), hit))
                if not all_pairs and not contacts:
                    break
        return found


def scene_to_collision(scene: Any) -> tuple[CollisionManager, dict[Name, Shape]]:
    """Convert a trimesh.Scene into a manager of all its meshes, and a dict of the shapes by node name."""
    if not (hasattr(scene, "graph") and hasattr(scene, "geometry")):
        raise InvalidInputError(f"scene is {validate.shown(scene)}; expected a trimesh.Scene")
    manager = CollisionManager()
    shapes = {}
    for node in scene.graph.nodes_geometry:
        transform, geometry = scene.graph[node]
        shapes[node] = manager.add_object(node, scene.geometry[geometry], transform)
    return manager, shapes


def shape_of(mesh: Any) -> Shape:
    """Return a carom shape unchanged; convert a trimesh.Trimesh into a Convex if it is convex and closed, else a Mesh."""
    if isinstance(mesh, Shape):
        return mesh
    if not hasattr(mesh, "vertices") or not hasattr(mesh, "faces"):
        raise InvalidInputError(f"mesh is {validate.shown(mesh)}; expected a carom shape or a trimesh.Trimesh")
    if getattr(mesh, "is_convex", False) and getattr(mesh, "is_watertight", True):
        return Convex(mesh.vertices)
    return Mesh(mesh.vertices, mesh.faces)


def _pose(transform: ArrayLike | None) -> Floats:
    where = poses("transform", transform)
    if not where.single:
        raise InvalidInputError(f"transform has shape {np.shape(transform)}; expected (4, 4)")  # type: ignore[arg-type]
    return where.matrices()[0]


def _motion(motion: Motion | Keyframes) -> Motion | Keyframes:
    if not isinstance(motion, Motion | Keyframes):
        raise InvalidInputError(f"motion is {validate.shown(motion)}; expected a carom.Motion or Keyframes")
    return motion


def _hashable(name: Name) -> None:
    try:
        hash(name)
    except TypeError:
        raise InvalidInputError(
            f"name is {validate.shown(name)}; expected a string, a number or another hashable"
        ) from None


def _objects_of(manager: CollisionManager) -> dict[Name, ManagedObject]:
    if not isinstance(manager, CollisionManager):
        raise InvalidInputError(f"other_manager is {validate.shown(manager)}; expected a carom.CollisionManager")
    return manager._objects


def _sorted(a: Name, b: Name) -> tuple[Name, Name]:
    try:
        return (a, b) if a <= b else (b, a)  # type: ignore[operator]
    except TypeError:
        return (a, b)


def _answer(found: list[Any], names: set[Any], return_names: bool, return_data: bool) -> Any:
    with_names, with_data = _wanted(return_names, return_data)
    extra = ([names] if with_names else []) + ([contact_data(found)] if with_data else [])
    return (bool(found), *extra) if extra else bool(found)


def _wanted(names: object, data: object) -> tuple[bool, bool]:
    return validate.truth("return_names", names), validate.truth("return_data", data)


def _listed(value: float, names: Any, data: Any, return_names: bool, return_data: bool) -> Any:
    with_names, with_data = _wanted(return_names, return_data)
    extra = ([names] if with_names else []) + ([data] if with_data else [])
    return (value, *extra) if extra else value
