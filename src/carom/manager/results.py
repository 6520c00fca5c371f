"""Results of a collision manager, in the form of trimesh.collision."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from carom.queries.results import Collision, Impact

Floats = NDArray[np.float64]
Name = Hashable


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


def contact_data(found: list[tuple[tuple[Name, Name], Collision]]) -> list[ContactData]:
    """Return the contacts of all pairs that touch."""
    out = []
    for (a, b), hit in found:
        contacts = hit.contacts
        assert contacts is not None
        for k in range(len(contacts)):
            features = {a: int(contacts.features_a[k]), b: int(contacts.features_b[k])}
            depth = float(contacts.depths[k])
            out.append(ContactData(frozenset((a, b)), (a, b), contacts.points[k], contacts.normals[k], depth, features))
    return out
