"""Checks that another library detects the contacts that carom reports, before its speed counts."""

from __future__ import annotations

import math
from dataclasses import dataclass

from carom.bench.peers.replay import Replay, Sighting
from carom.errors import AuditError

_MAY_MISS = 0.2
"""Fraction of contacts that may be missed: grazing ones that begin and end between two frames or within the library's
rounding. More means that the library is used wrongly."""


@dataclass(frozen=True)
class Agreement:
    """A library's sightings and carom's contacts along the same pass-through paths."""

    contacts: int  # pairs that carom reports before the last frames
    seen: int  # of these, pairs that the library reports within its slack of the first frame after the contact
    unfounded: int  # pairs that the library reports without, or before, a contact


def compare(replay: Replay, sightings: list[Sighting], slack: int) -> Agreement:
    """Match first sightings with first contacts, pair by pair."""
    first_seen: dict[tuple[int, int], int] = {}
    for frame, i, j in sightings:
        first_seen[i, j] = min(frame, first_seen.get((i, j), frame))
    first_contact: dict[tuple[int, int], float] = {}
    for t, (i, j) in zip(replay.times.tolist(), replay.pairs.tolist(), strict=True):
        first_contact.setdefault((i, j), t / replay.dt)
    due = {pair: frame for pair, frame in first_contact.items() if frame < replay.n_frames - slack}
    seen = sum(pair in first_seen and first_seen[pair] <= math.ceil(frame) + slack for pair, frame in due.items())
    unfounded = sum(frame < first_contact.get(pair, math.inf) - slack for pair, frame in first_seen.items())
    return Agreement(len(due), seen, unfounded)


def require_agreement(name: str, agreement: Agreement) -> None:
    """Raise AuditError if the library and carom disagree by more than frames explain."""
    missed = agreement.contacts - agreement.seen
    if agreement.unfounded or missed > max(1.0, _MAY_MISS * agreement.contacts):
        raise AuditError(
            f"{name} sees {agreement.seen} of {agreement.contacts} contacts, "
            f"and {agreement.unfounded} pairs that do not touch"
        )


def require_no_overlap(name: str, replay: Replay, sightings: list[Sighting], slack: int) -> None:
    """Raise AuditError if the library reports an overlap along bouncing paths farther than `slack` frames from a contact."""
    touch: dict[tuple[int, int], list[float]] = {}
    for t, (i, j) in zip(replay.times.tolist(), replay.pairs.tolist(), strict=True):
        touch.setdefault((i, j), []).append(t / replay.dt)
    for frame, i, j in sightings:
        if not any(abs(frame - at) <= slack + 1 for at in touch.get((i, j), [])):
            raise AuditError(f"{name} sees bodies {i} and {j} overlap in frame {frame}, where carom keeps them apart")
