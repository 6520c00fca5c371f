"""What a replay shows: bodies, the pieces of their motions, deforming surfaces and contacts, complete and exact."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from carom.deform.model.contact_log import KIND_NAMES, DeformContacts
from carom.motion import Deforming, Motions
from carom.shapes import Shape
from carom.types import ContactLog

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

_STATUS_NAMES = ("exact", "already overlapping", "found by polling", "by advancement")  # Words for ContactLog.status


@dataclasses.dataclass(frozen=True, eq=False)
class Contacts:
    """Contacts in time order, one row each; a and b are rows of the replay's bodies, faces -1 where there is none."""

    times: Floats
    a: Ints
    b: Ints
    points: Floats
    normals: Floats
    speeds: Floats
    faces_a: Ints
    faces_b: Ints
    kinds: Ints
    """Rows of `words`: how the contact was found, or what touches."""
    words: tuple[str, ...]

    def __len__(self) -> int:
        return len(self.times)

    @staticmethod
    def of_log(log: ContactLog, bodies: Ints) -> Contacts:
        """The contacts of a world; `bodies` are the ids, ascending, of the replay's bodies."""
        return Contacts(
            log.times,
            np.searchsorted(bodies, log.a),
            np.searchsorted(bodies, log.b),
            log.points,
            log.normals,
            log.speeds,
            log.features_a,
            log.features_b,
            log.status,
            _STATUS_NAMES,
        )

    @staticmethod
    def of_check(found: DeformContacts) -> Contacts:
        """The contacts of an animation."""
        return Contacts(
            found.times,
            found.body_a,
            found.body_b,
            found.points,
            found.normals,
            found.speeds,
            found.face_a,
            found.face_b,
            found.kinds,
            KIND_NAMES,
        )

    def within(self, begin: float, end: float) -> Contacts:
        """Only those from `begin` to `end`, s."""
        first, last = np.searchsorted(self.times, begin, "left"), np.searchsorted(self.times, end, "right")
        rows = {
            field.name: getattr(self, field.name)[first:last]
            for field in dataclasses.fields(self)
            if field.name != "words"
        }
        return dataclasses.replace(self, **rows)


@dataclasses.dataclass(frozen=True, eq=False)
class Pieces:
    """Motions one after another: those of body k are rows first[k] to first[k + 1] - 1, each from its start on."""

    first: Ints  # (n + 1,)
    since: Floats  # (m,) s: when the piece takes over from the one before
    motions: Motions  # m motions, each with its own epoch


@dataclasses.dataclass(frozen=True, eq=False)
class Replay:
    """Everything that moves from `begin` to `end`, s, and every contact on the way."""

    title: str
    begin: float
    end: float
    names: Sequence[str]  # What each of n bodies is called
    shapes: Sequence[Shape]
    shape_index: Ints  # (n,) row of `shapes`; -1 for a deforming body
    pieces: Pieces
    surfaces: Mapping[int, Deforming]  # Deforming bodies by row
    contacts: Contacts
    periods: Floats  # (3,) lengths after which space repeats, 0 where it does not
    sphere_levels: Mapping[int, Sequence[Floats]] = dataclasses.field(default_factory=dict)
    """Sphere-trees to show over the bodies: row of `shapes` -> for each level spheres (k, 4), centre and radius in the
    shape's frame, the coarsest level first. Shapes may share one sequence."""
    sphere_scales: Mapping[int, float] = dataclasses.field(default_factory=dict)
    """Row of `shapes` -> how many times as large its spheres are, where that is not once."""

    def __len__(self) -> int:
        return len(self.names)
