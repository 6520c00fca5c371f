"""What a separation list reports: contacts, and counts of its events."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from carom.deform.model.contact_log import KIND_NAMES, told

Floats = NDArray[np.float64]
Rows = NDArray[np.int64]


@dataclass(frozen=True)
class SeparationContact:
    """First touch of two triangles: time, s; body and triangle on both sides; kind: see carom.deform.model.contact_log."""

    time: float
    body_a: int
    face_a: int
    body_b: int
    face_b: int
    kind: str


@dataclass(frozen=True, eq=False, repr=False)
class SeparationContacts:
    """Contacts in the order of (time, body a, face a, body b, face b): times (n,), s, never late; bodies, faces (n, 2); kinds
    (n,) numbers of carom.deform.model.contact_log.KIND_NAMES."""

    times: Floats
    bodies: Rows
    faces: Rows
    kinds: Rows

    def __len__(self) -> int:
        return len(self.times)

    def __repr__(self) -> str:
        return f"SeparationContacts({told(self.times)})"

    def __iter__(self) -> Iterator[SeparationContact]:
        return (self[k] for k in range(len(self)))

    def __getitem__(self, k: int) -> SeparationContact:
        (body_a, body_b), (face_a, face_b) = self.bodies[k].tolist(), self.faces[k].tolist()
        return SeparationContact(float(self.times[k]), body_a, face_a, body_b, face_b, KIND_NAMES[int(self.kinds[k])])


@dataclass(frozen=True)
class SeparationStats:
    """Counts so far. The five events of the paper: bv_overlaps; fathers_parted and leaves_parted, at keys where pruning is
    by keys; contacts (polygons collide); bv_changes, of which recomputed pairs follow. leaf_events, tree_events: of the
    trees. witnesses_changed: pairs that stay apart along another face. pairs_opened, pair_tests: work; keys: intervals."""

    bv_overlaps: int
    fathers_parted: int
    leaves_parted: int
    contacts: int
    bv_changes: int
    recomputed: int
    leaf_events: int
    tree_events: int
    witnesses_changed: int
    pairs_opened: int
    pair_tests: int
    keys: int
