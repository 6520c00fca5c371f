"""Public continuous collision queries with exact truth, kept beside the repository; absent elsewhere."""

from __future__ import annotations

from pathlib import Path

import numpy as np

FOLDER = Path(__file__).resolve().parents[2] / "shared" / "ccd-queries"


def load(kind: str) -> tuple[np.ndarray, np.ndarray]:
    """Points (n, 8, 3) and truth (n,) of all queries of a kind, "vertex-face" or "edge-edge".

    A file has eight lines for a query: x, y and z as numerator and denominator, and whether it is a contact.
    """
    points, truth = [], []
    for path in sorted(FOLDER.glob(f"*/{kind}/*.csv")):
        rows = np.loadtxt(path, delimiter=",", dtype=object, converters=int, encoding="utf-8")
        values = np.array([[int(row[2 * c]) / int(row[2 * c + 1]) for c in range(3)] for row in rows])
        points.append(values.reshape(-1, 8, 3))
        truth.append(rows[::8, 6].astype(int) == 1)
    return np.concatenate(points), np.concatenate(truth)
