"""The contents of a replay: bodies, pieces of their motions, deforming surfaces and contacts."""

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

_STATUS_NAMES = ("exact", "already overlapping", "found by polling", "by advancement")  # Names of ContactLog.status


@dataclasses.dataclass(frozen=True, eq=False)
class Contacts:
    """Contacts in time order, one row each; a and b are rows of the replay's bodies; faces are -1 if there is none."""

    times: Floats
    a: Ints
    b: Ints
    points: Floats
    normals: Floats
    speeds: Floats
    faces_a: Ints
    faces_b: Ints
    kinds: Ints
    """Rows of `words`: how the contact was found, or the features that touch."""
    words: tuple[str, ...]

    def __len__(self) -> int:
        return len(self.times)

    @staticmethod
    def of_log(log: ContactLog, bodies: Ints) -> Contacts:
        """Return the contacts of a world; `bodies` are the ids, ascending, of the replay's bodies."""
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
        """Return the contacts of an animation."""
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
        """Return the contacts from `begin` to `end`, s."""
        first, last = np.searchsorted(self.times, begin, "left"), np.searchsorted(self.times, end, "right")
        rows = {
            field.name: getattr(self, field.name)[first:last]
            for field in dataclasses.fields(self)
            if field.name != "words"
        }
        return dataclasses.replace(self, **rows)


@dataclasses.dataclass(frozen=True, eq=False)
class Pieces:
    """Consecutive motions: those of body k are rows first[k] to first[k + 1] - 1, each valid from its start on."""

    first: Ints  # (n + 1,)
    since: Floats  # (m,) s: start of the piece
    motions: Motions  # m motions, each with its own epoch


@dataclasses.dataclass(frozen=True, eq=False)
class Replay:
    """All moving bodies from `begin` to `end`, s, and every contact."""

    title: str
    begin: float
    end: float
    names: Sequence[str]  # Names of n bodies
    shapes: Sequence[Shape]
    shape_index: Ints  # (n,) row of `shapes`; -1 for a deforming body
    pieces: Pieces
    surfaces: Mapping[int, Deforming]  # Deforming bodies by row
    contacts: Contacts
    periods: Floats  # (3,) lengths after which space repeats, 0 where it does not
    sphere_levels: Mapping[int, Sequence[Floats]] = dataclasses.field(default_factory=dict)
    """Sphere-trees that are shown: row of `shapes` -> spheres (k, 4) of each level, centre and radius in the frame of the
    shape, the coarsest level first. Shapes may share one sequence."""
    sphere_scales: Mapping[int, float] = dataclasses.field(default_factory=dict)
    """Row of `shapes` -> scale of its spheres, if it is not 1."""

    def __len__(self) -> int:
        return len(self.names)
