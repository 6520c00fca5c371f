"""Time of impact of two meshes, with and without spin, in carom and as shape casts of rapier3d."""

from __future__ import annotations

from functools import partial

import numpy as np
from numpy.typing import NDArray

from carom.bench.progress import Bar
from carom.bench.queries.models import Flights, crossing_flights, models
from carom.bench.queries.rapier_casts import RapierCasts
from carom.bench.report import Cell, Table
from carom.bench.turns import take_turns
from carom.errors import AuditError
from carom.motion import Motion
from carom.queries import collide, distance, time_of_impact
from carom.shapes import Mesh

Floats = NDArray[np.float64]

COLUMNS = (
    "model", "motion", "carom, 1/s", "rapier3d, 1/s", "ratio", "flights", "early, s", "gap then, m", "late, s", "missed",
    "invented",
)  # fmt: skip
"""Ratio: time of rapier3d over carom's. Early to invented: contacts of rapier3d relative to carom's."""
SPIN = 2.0
"""Rotation over the flight, rad."""
_BATCH = 1000  # Flights per timed call: those that the other library completed, repeated if they were fewer
_SAMPLES = 40  # Instants before the reported contact at which the surfaces must be apart
_TOUCH = 1e-6  # Radii: surfaces closer than this at the reported time touch; spinning bodies promise 1e-9
_NOISE = 1e-6  # s: smaller differences are rounding of single precision
_BEFORE = (
    1.0 - 1e-7
)  # Fraction of the time of impact up to which there must be no contact; the rest is rounding of poses


def measure_moving(quick: bool, with_peer: bool, bar: Bar) -> Table:
    """Measure flights per second; AuditError if carom reports a contact late, or a wrong one."""
    n, repeats = (20, 1) if quick else (2000, 3)
    cases = [(name, mesh, spin) for name, mesh in models(quick).items() for spin in (0.0, SPIN)]
    rows: list[tuple[Cell, ...]] = []
    for name, mesh, spin in bar.track(cases, "time of impact"):
        flights = crossing_flights(mesh, n, spin, seed=2)
        ours = _impacts(mesh, flights)
        _require_first_contacts(f"{name}, spin {spin:g}", mesh, flights, ours)
        peer_rate, compared, theirs = np.nan, n, np.empty(0)
        if with_peer:
            budget = 0.1 if quick else (8.0 if spin else 2.0)
            theirs, seconds = RapierCasts(mesh, flights).cast(budget)
            compared, peer_rate = len(theirs), len(theirs) / seconds
        at = np.resize(np.arange(compared), max(compared, min(_BATCH, n)))
        batch = flights.rows(at)
        run = take_turns({"carom": partial(_impacts, mesh, batch)}, repeats, partial(_require_same, ours[at], name))[
            "carom"
        ]
        rate = len(at) / run.seconds
        rows.append(
            (name, "with spin" if spin else "straight", rate, peer_rate, rate / peer_rate, compared)
            + _differences(name, mesh, flights.rows(np.arange(len(theirs))), theirs, ours[: len(theirs)])
        )
    title = (
        "Two equal meshes, flights right across, half of them pass by: one thread, carom in one call for all flights"
    )
    return Table("queries_moving", title, COLUMNS, rows)


def _impacts(mesh: Mesh, flights: Flights) -> Floats:
    found = time_of_impact(mesh, mesh, Motion(), flights.motions, 1.0, threads=1)
    assert found is not None
    return np.asarray(found.time)


def _require_same(expected: Floats, model: str, who: str, found: Floats) -> None:
    """Require equality to rounding: selected rows are normalised again."""
    if not np.allclose(found, expected, rtol=0.0, atol=1e-12):
        raise AuditError(f"time of impact, {model}: {who} answers differently when asked again")


def _require_first_contacts(what: str, mesh: Mesh, flights: Flights, times: Floats) -> None:
    """Require separate surfaces at instants before each contact, or during a miss, and contact at the reported time."""
    hit = np.isfinite(times)
    ends = np.where(hit, _BEFORE * times, 1.0)
    for share in np.linspace(0.0, 1.0, _SAMPLES):
        early = np.asarray(collide(mesh, mesh, None, flights.poses_at(share * ends), contacts="none").hit)
        if early.any():
            k = int(early.argmax())
            raise AuditError(f"time of impact, {what}: flight {k} touches at {share * ends[k]} s; reported {times[k]}")
    touching = np.flatnonzero(hit)
    gaps = np.asarray(distance(mesh, mesh, None, flights.rows(touching).poses_at(times[touching])).distance)
    if (gaps > _TOUCH).any():
        k = int(gaps.argmax())
        raise AuditError(
            f"time of impact, {what}: flight {touching[k]} is still {gaps[k]} m apart at {times[touching[k]]} s"
        )


def _differences(what: str, mesh: Mesh, flights: Flights, theirs: Floats, ours: Floats) -> tuple[Cell, ...]:
    """Return how early the other library is, the distance of the surfaces then, how late it is, and contacts that only
    carom or only the other reports. AuditError if the surfaces touch when it is early: carom would then be late."""
    both = np.isfinite(theirs) & np.isfinite(ours)
    late = theirs[both] - ours[both]
    missed = int((np.isinf(theirs) & np.isfinite(ours)).sum())
    invented = int((np.isfinite(theirs) & np.isinf(ours)).sum())
    early = np.flatnonzero(theirs < ours - _NOISE)
    gaps = np.asarray(distance(mesh, mesh, None, flights.rows(early).poses_at(theirs[early])).distance)
    if (gaps == 0.0).any():
        k = early[int(gaps.argmin())]
        raise AuditError(f"time of impact, {what}: flight {k} touches at {theirs[k]} s; reported {ours[k]}")
    return (
        max(0.0, -float(late.min(initial=0.0))), float(gaps.max(initial=0.0)), float(late.max(initial=0.0)), missed, invented,
    )  # fmt: skip
