"""Mesh distance along smooth paths, with and without starting each search from the last answer."""

from __future__ import annotations

from functools import partial

import numpy as np
from numpy.typing import NDArray
from scipy.spatial.transform import Rotation

from carom.bench.progress import Bar
from carom.bench.queries.models import directions, matrices, models, near_contact
from carom.bench.report import Cell, Table
from carom.bench.turns import take_turns
from carom.errors import AuditError
from carom.queries import Distance, distance
from carom.shapes import Mesh

Floats = NDArray[np.float64]

COLUMNS = (
    "model", "motion / frame, degrees", "fresh, µs", "coherent, µs", "fresh / coherent", "volume tests",
    "volume tests, coherent", "triangle tests", "triangle tests, coherent",
)  # fmt: skip
_CLEARANCE = 0.05  # Distance of paths from contact, radii


def measure_coherence(quick: bool, bar: Bar) -> Table:
    """Measure many paths side by side; AuditError if a start from the last answer changes a distance."""
    n_paths, n_frames, repeats = (10, 3, 1) if quick else (250, 12, 2)
    cases = [(name, mesh, degrees) for name, mesh in models(quick).items() for degrees in (0.1, 1.0)]
    rows: list[tuple[Cell, ...]] = []
    for name, mesh, degrees in bar.track(cases, "coherence of mesh distance"):
        frames = _frames(mesh, n_paths, n_frames, degrees)
        expected = _distances(_along(mesh, frames, False))
        runs = take_turns(
            {how: partial(_along, mesh, frames, how == "coherent") for how in ("fresh", "coherent")},
            repeats,
            partial(_require_same, expected),
        )
        per_query = [1e6 * run.seconds / (n_paths * n_frames) for run in runs.values()]
        tests = [
            float(np.mean([getattr(found, kind) for found in run.result[1:]]))
            for kind in ("volume_tests", "primitive_tests")
            for run in runs.values()
        ]
        rows.append((name, degrees, *per_query, per_query[0] / per_query[1], *tests))
    return Table("queries_coherence", "Mesh distance with and without the last frame's answer", COLUMNS, rows)


def _frames(mesh: Mesh, n_paths: int, n_frames: int, degrees: float) -> list[Floats]:
    """Return poses (n_paths, 4, 4) for each frame: from near contact, each path turns about its own axis through b and moves
    around a.
    """
    rng = np.random.default_rng(7)
    start = near_contact(mesh, n_paths, seed=8)
    start[:, :3, 3] *= 1.0 + _CLEARANCE
    spin, orbit = directions(n_paths, rng), directions(n_paths, rng)
    frames = []
    for k in range(n_frames):
        angle = k * np.radians(degrees)
        turned = Rotation.from_rotvec(angle * spin) * Rotation.from_matrix(start[:, :3, :3])
        way = Rotation.from_rotvec(angle / 3.0 * orbit).apply(start[:, :3, 3])
        frames.append(matrices(turned.as_quat(scalar_first=True), way))
    return frames


def _along(mesh: Mesh, frames: list[Floats], coherent: bool) -> list[Distance]:
    answers: list[Distance] = []
    for poses in frames:
        last = answers[-1] if coherent and answers else None
        answers.append(distance(mesh, mesh, None, poses, last=last, threads=1))
    return answers


def _distances(answers: list[Distance]) -> Floats:
    return np.array([found.distance for found in answers])


def _require_same(expected: Floats, who: str, answers: list[Distance]) -> None:
    if np.abs(_distances(answers) - expected).max() > 1e-12:
        raise AuditError(f"mesh distance: the {who} search along a path gives another distance")
