"""Where bodies are, and whether a new motion lets one jump."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from carom.engine.body_queries import orientations_at
from carom.engine.tables import Tables
from carom.shapes.kind import SPHERE
from carom.tables.body_columns import AX, KIND, RADIUS, T_REF, VX, X
from carom.tables.run_columns import NOW
from carom.tolerances import EPSILON


class Place(NamedTuple):
    """Position (3) and orientation (4) of a body; how far it moves and turns by the rounding of public times.

    Motions are told in public times, which are coarser than local ones.
    """

    position: list[float]
    orientation: list[float]
    moved: float
    turned: float


def place_of(tables: Tables, row: int, time: float) -> Place:
    """Where a row is now. time: now as users know it."""
    body = tables.body[row].tolist()
    h = float(tables.param[NOW]) - body[T_REF]
    position = [body[X + d] + h * (body[VX + d] + 0.5 * h * body[AX + d]) for d in range(3)]
    rounding = 4.0 * math.ulp(time)
    moved = rounding * sum(abs(body[VX + d] + h * body[AX + d]) for d in range(3))
    spin = tables.spin[row, :3]
    if tables.link[row, KIND] == SPHERE or not spin.any():
        return Place(position, tables.quat[row].tolist(), moved, 0.0)
    turned = orientations_at(tables, np.array([row]), float(tables.param[NOW]))[0].tolist()
    return Place(position, turned, moved, rounding * sum(map(abs, spin.tolist())))


def has_jumped(tables: Tables, row: int, before: Place) -> bool:
    """Is a row elsewhere now than it was, by more than rounding?"""
    after = place_of(tables, row, 0.0)
    size = abs(float(tables.body[row, RADIUS]))
    slack = 64.0 * EPSILON * (sum(map(abs, before.position)) + (size if size < math.inf else 0.0)) + before.moved
    if max(abs(a - b) for a, b in zip(before.position, after.position, strict=True)) > slack:
        return True
    if tables.link[row, KIND] == SPHERE:
        return False
    turns = list(zip(before.orientation, after.orientation, strict=True))
    return min(max(abs(a - b) for a, b in turns), max(abs(a + b) for a, b in turns)) > 1e-12 + before.turned
