"""Named objects for collision queries: the interface of trimesh.collision.CollisionManager, and times of impact.

A trimesh user changes only the import. As in trimesh, convex meshes become solids and other meshes stay surfaces.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from carom import validate
from carom._copies import Copyable
from carom.boxes.still_boxes import find_pairs
from carom.errors import InvalidInputError
from carom.maths.fixed_order import dot, length
from carom.motion import Keyframes, Motion
from carom.pose import poses
from carom.queries.moving import time_of_impact
from carom.queries.results import Collision, Distance, Impact
from carom.queries.still import collide, distance, penetration
from carom.queries.toi_dispatch import quaternions_of
from carom.shapes import Convex, Mesh, Shape

Floats = NDArray[np.float64]
Name = Hashable

EXTERNAL = "__external"
"""Name, in results, of the object that is not in the manager."""


@dataclass(frozen=True, eq=False)
class ContactData:
    """One contact of two objects: point (3,), m, unit normal (3,) from the first of `order` to the second, and depth, m."""

    names: frozenset[Name]
    order: tuple[Name, Name]
    point: Floats
    normal: Floats
    depth: float
    _features: dict[Name, int]

    def index(self, name: Name) -> int:
        """Return the touching face of the object; -1 if it has none."""
        return self._features[name]


@dataclass(frozen=True, eq=False)
class DistanceData:
    """The nearest points of two objects. `distance`, m, is minus the depth if the objects overlap."""

    names: frozenset[Name]
    distance: float
    _points: dict[Name, Floats]
    _features: dict[Name, int]

    def point(self, name: Name) -> Floats:
        """Return the nearest point (3,) of the object, world axes, m."""
        return self._points[name]

    def index(self, name: Name) -> int:
        """Return the nearest face of the object; -1 if it has none."""
        return self._features[name]


@dataclass(frozen=True, eq=False)
class ImpactData:
    """The first contact of two moving objects."""

    names: frozenset[Name]
    order: tuple[Name, Name]
    impact: Impact


@dataclass
class _Object:
    shape: Shape
    pose: Floats
    motion: Motion | Keyframes | None = None

    def moving(self) -> Motion | Keyframes:
        """Its motion, or rest at its pose."""
        if self.motion is not None:
            return self.motion
        quat = quaternions_of(self.pose[:3, :3].reshape(1, 9))[0]
        return Motion(self.pose[:3, 3], orientation=quat)

    def box(self) -> tuple[Floats, Floats]:
        """Corners (3,), (3,) of a box around it."""
        quat = quaternions_of(self.pose[:3, :3].reshape(1, 9))[0]
        low, high = self.shape.extents_along(np.eye(3), quat)
        pad = 1e-9 * np.where(np.isfinite(high - low), high - low, 0.0)
        return low + self.pose[:3, 3] - pad, high + self.pose[:3, 3] + pad


class CollisionManager(Copyable):
    """A collection of named objects, with queries for contacts, distances and times of impact.

    An object is a carom shape or a trimesh.Trimesh, with a transform (4, 4). Unknown names raise ValueError, as in
    trimesh. Other malformed arguments raise InvalidInputError. Results are tuples in the order of trimesh: the answer,
    then names and data if requested.
    """

    def __init__(self) -> None:
        self._objects: dict[Name, _Object] = {}

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
        self._objects[name] = _Object(shape, pose)
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
        alone: dict[Name, _Object] = {EXTERNAL: _Object(shape_of(mesh), _pose(transform))}
        found = self._contacts(_across(self._objects, alone), return_names, return_data)
        return _answer(found, {pair[0] for pair, _ in found}, return_names, return_data)

    def in_collision_internal(self, return_names: bool = False, return_data: bool = False) -> Any:
        """Test all pairs of objects of the manager.

        return_names adds the set of pairs that touch, as sorted tuples of names; return_data adds a list of
        ContactData.
        """
        found = self._contacts(_within(self._objects), return_names, return_data)
        return _answer(found, {_sorted(*pair) for pair, _ in found}, return_names, return_data)

    def in_collision_other(
        self, other_manager: CollisionManager, return_names: bool = False, return_data: bool = False
    ) -> Any:
        """Test all objects against all objects of another manager.

        return_names adds the set of pairs that touch, as tuples (name here, name there); return_data adds a list of
        ContactData.
        """
        found = self._contacts(_across(self._objects, _objects_of(other_manager)), return_names, return_data)
        return _answer(found, {pair for pair, _ in found}, return_names, return_data)

    # ---- distances

    def min_distance_single(
        self, mesh: Any, transform: ArrayLike | None = None, return_name: bool = False, return_data: bool = False
    ) -> Any:
        """Compute the distance from an object to the nearest object of the manager, m.

        The distance is minus the largest depth if objects overlap, and inf if the manager is empty.

        Parameters
        ----------
        mesh : Shape or trimesh.Trimesh
            The object.
        transform : array_like of shape (4, 4), optional
            Rigid transform, m. Default: the identity.
        return_name : bool
            Also return the name of the nearest object.
        return_data : bool
            Also return a DistanceData.
        """
        alone: dict[Name, _Object] = {EXTERNAL: _Object(shape_of(mesh), _pose(transform))}
        nearest, pair, data = _nearest(_across(self._objects, alone, boxes=False))
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
            nearest, pair, data = _nearest(_across(one, rest, boxes=False))
        else:
            nearest, pair, data = _nearest(_within(self._objects, boxes=False))
        return _listed(nearest, _sorted(*pair) if pair else None, data, return_names, return_data)

    def min_distance_other(
        self, other_manager: CollisionManager, return_names: bool = False, return_data: bool = False
    ) -> Any:
        """Compute the minimum distance between an object and an object of another manager, m.

        return_names adds the pair of names (here, there); return_data adds a DistanceData.
        """
        nearest, pair, data = _nearest(_across(self._objects, _objects_of(other_manager), boxes=False))
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
        alone: dict[Name, _Object] = {EXTERNAL: _Object(shape_of(mesh), np.eye(4), _motion(motion))}
        first, pair, data = _first(_across(self._objects, alone, boxes=False), until)
        return _listed(first, pair[0] if pair else None, data, return_name, return_data)

    def time_of_impact_internal(self, until: float, return_names: bool = False, return_data: bool = False) -> Any:
        """Compute when two objects of the manager first touch, s; inf if none touch up to `until`, s.

        return_names adds the sorted pair of names; return_data adds an ImpactData.
        """
        first, pair, data = _first(_within(self._objects, boxes=False), until)
        return _listed(first, _sorted(*pair) if pair else None, data, return_names, return_data)

    def time_of_impact_other(
        self, other_manager: CollisionManager, until: float, return_names: bool = False, return_data: bool = False
    ) -> Any:
        """Compute when an object first touches an object of another manager, s; inf if none touch up to `until`, s.

        return_names adds the pair of names (here, there); return_data adds an ImpactData.
        """
        first, pair, data = _first(_across(self._objects, _objects_of(other_manager), boxes=False), until)
        return _listed(first, pair, data, return_names, return_data)

    # ---- inside

    def _known(self, name: Name) -> _Object:
        _hashable(name)
        if name not in self._objects:
            raise ValueError(f"{name if isinstance(name, str) else validate.shown(name)} not in collision manager!")
        return self._objects[name]

    def _contacts(
        self, pairs: Iterator[_Two], all_pairs: bool, contacts: bool
    ) -> list[tuple[tuple[Name, Name], Collision]]:
        """Pairs that touch; one is enough where neither names nor contacts are asked for."""
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


_Two = tuple[tuple[Name, _Object], tuple[Name, _Object]]


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


def _overlapping(objects: list[_Object]) -> NDArray[np.int32]:
    boxes = [each.box() for each in objects]
    return find_pairs(np.array([low for low, _ in boxes]), np.array([high for _, high in boxes]))


def _within(objects: dict[Name, _Object], boxes: bool = True) -> Iterator[_Two]:
    """Pairs of objects, those whose boxes overlap or all."""
    items = list(objects.items())
    if boxes:
        for i, j in _overlapping([each for _, each in items]) if len(items) > 1 else ():
            yield items[i], items[j]
        return
    for i in range(len(items)):
        for j in range(i + 1, len(items)):
            yield items[i], items[j]


def _across(first: dict[Name, _Object], second: dict[Name, _Object], boxes: bool = True) -> Iterator[_Two]:
    """Pairs of an object of the first and one of the second, those whose boxes overlap or all."""
    here, there = list(first.items()), list(second.items())
    if not here or not there:
        return
    if boxes:
        for i, j in _overlapping([each for _, each in (*here, *there)]):
            if i < len(here) <= j:
                yield here[i], there[j - len(here)]
        return
    for one in here:
        for other in there:
            yield one, other


def _least_distance(one: _Object, other: _Object) -> float:
    """No more than the distance of two objects, or minus the depth where they overlap: that of their bounding spheres."""
    (centre_a, radius_a), (centre_b, radius_b) = one.shape.bounding_sphere(), other.shape.bounding_sphere()
    if not np.isfinite(radius_a + radius_b):
        return -np.inf
    here = dot(one.pose[:3, :3], centre_a) + one.pose[:3, 3]
    there = dot(other.pose[:3, :3], centre_b) + other.pose[:3, 3]
    return float(length(there - here)) * (1.0 - 1e-12) - (radius_a + radius_b) * (1.0 + 1e-9)


def _nearest(pairs: Iterator[_Two]) -> tuple[float, tuple[Name, Name] | None, DistanceData | None]:
    """The nearest pair, of those that overlap the deepest: in the order of their bounds, until no other can be nearer."""
    best, chosen, data = np.inf, None, None
    queue = sorted(
        ((_least_distance(x[1], y[1]), k, x, y) for k, (x, y) in enumerate(pairs)), key=lambda entry: entry[:2]
    )
    for bound, _, (name, one), (other_name, other) in queue:
        if bound >= best:
            break
        found = distance(one.shape, other.shape, one.pose, other.pose, within=max(best, 0.0), threads=1)
        value = float(found.distance)
        if value == 0.0:
            found, value = _overlap(one, other, found)
        if value < best:
            best, chosen = value, (name, other_name)
            data = DistanceData(
                frozenset(chosen),
                value,
                {name: found.point_a, other_name: found.point_b},
                {name: int(found.feature_a), other_name: int(found.feature_b)},
            )
    return best, chosen, data


def _overlap(one: _Object, other: _Object, touching: Distance) -> tuple[Distance, float]:
    """The answer for a pair that touches: minus the depth, and the deepest points where there is a depth."""
    deep = penetration(one.shape, other.shape, one.pose, other.pose, threads=1)
    if not deep.depth > 0.0:
        return touching, 0.0
    found = Distance(
        touching.distance, deep.point_a, deep.point_b, deep.normal, touching.feature_a, touching.feature_b,
        touching.volume_tests, touching.primitive_tests,
    )  # fmt: skip
    return found, -float(deep.depth)


def _first(pairs: Iterator[_Two], until: float) -> tuple[float, tuple[Name, Name] | None, ImpactData | None]:
    best, chosen, data = np.inf, None, None
    end = validate.number("until", until)
    for (name, one), (other_name, other) in pairs:
        motions = one.moving(), other.moving()
        if min(end, best) < _begin(*motions) <= end:  # a pair that starts later than another has met
            continue
        impact = time_of_impact(one.shape, other.shape, *motions, min(end, best))
        if impact is not None and impact.time < best:
            best, chosen = float(impact.time), (name, other_name)
            data = ImpactData(frozenset(chosen), chosen, impact)
    return best, chosen, data


def _begin(one: Motion | Keyframes, other: Motion | Keyframes) -> float:
    """The time from which a pair is searched."""
    starts = [m.start for m in (one, other) if isinstance(m, Motion)]
    return max(starts) if starts else min(float(m.times[0]) for m in (one, other) if isinstance(m, Keyframes))


def _hashable(name: Name) -> None:
    try:
        hash(name)
    except TypeError:
        raise InvalidInputError(
            f"name is {validate.shown(name)}; expected a string, a number or another hashable"
        ) from None


def _objects_of(manager: CollisionManager) -> dict[Name, _Object]:
    if not isinstance(manager, CollisionManager):
        raise InvalidInputError(f"other_manager is {validate.shown(manager)}; expected a carom.CollisionManager")
    return manager._objects


def _sorted(a: Name, b: Name) -> tuple[Name, Name]:
    try:
        return (a, b) if a <= b else (b, a)  # type: ignore[operator]
    except TypeError:
        return (a, b)


def _data(found: list[tuple[tuple[Name, Name], Collision]]) -> list[ContactData]:
    out = []
    for (a, b), hit in found:
        contacts = hit.contacts
        assert contacts is not None
        for k in range(len(contacts)):
            features = {a: int(contacts.features_a[k]), b: int(contacts.features_b[k])}
            depth = float(contacts.depths[k])
            out.append(ContactData(frozenset((a, b)), (a, b), contacts.points[k], contacts.normals[k], depth, features))
    return out


def _answer(found: list[Any], names: set[Any], return_names: bool, return_data: bool) -> Any:
    with_names, with_data = _wanted(return_names, return_data)
    extra = ([names] if with_names else []) + ([_data(found)] if with_data else [])
    return (bool(found), *extra) if extra else bool(found)


def _wanted(names: object, data: object) -> tuple[bool, bool]:
    return validate.truth("return_names", names), validate.truth("return_data", data)


def _listed(value: float, names: Any, data: Any, return_names: bool, return_data: bool) -> Any:
    with_names, with_data = _wanted(return_names, return_data)
    extra = ([names] if with_names else []) + ([data] if with_data else [])
    return (value, *extra) if extra else value
