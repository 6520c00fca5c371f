"""Public vertex-face and edge-edge queries with exact answers (Erleben's degenerate cases and unit tests), if available."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

VARIABLE = "CAROM_CCD_QUERIES"
"""Environment variable with the folder."""
KINDS = ("vertex-face", "edge-edge")


def folder() -> Path | None:
    """Return the folder in CAROM_CCD_QUERIES, or shared/ccd-queries beside the repository; None if there is none."""
    chosen = os.environ.get(VARIABLE)
    path = Path(chosen) if chosen else Path(__file__).resolve().parents[5] / "shared" / "ccd-queries"
    return path if path.is_dir() else None


def load(kind: str, source: Path) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
    """Return points (n, 8, 3) and truth (n,) of all queries of a kind in a folder.

    A file has eight lines per query: x, y and z as numerator and denominator, and whether it is a contact.
    """
    points, truth = [np.empty((0, 8, 3))], [np.empty(0, bool)]
    for path in sorted(source.glob(f"*/{kind}/*.csv")):
        rows = np.loadtxt(path, delimiter=",", dtype=object, converters=int, encoding="utf-8", ndmin=2)
        values = np.array([[int(row[2 * c]) / int(row[2 * c + 1]) for c in range(3)] for row in rows])
        points.append(values.reshape(-1, 8, 3))
        truth.append(rows[::8, 6].astype(int) == 1)
    return np.concatenate(points), np.concatenate(truth)
