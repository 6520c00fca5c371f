"""Pairs left after the broad phase, by volume: all pairs of one frame of spheres on straight paths."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from carom.bench.progress import Bar
from carom.bench.report import Cell, Table
from carom.bench.vadop.spheres import Floats, flights, zone
from carom.bounds.axis_pool import axis_pool
from carom.bounds.volumes.kdop import DIRECTIONS

Close = NDArray[np.bool_]

SPEEDS = (0.1, 0.3, 1.0, 3.0, 10.0, 30.0, 100.0)
POOLS = (16, 32, 65, 130)
WIDTHS = (1.0, 1.5, 2.0, 3.0)
"""Zones over the covering angle."""
KDOPS = {6: [*range(3)], 14: [0, 1, 2, 9, 10, 11, 12], 18: [*range(9)], 26: [*range(13)]}
"""Directions of each k-DOP among carom.bounds.volumes.kdop.DIRECTIONS."""
_SPEED = "speed, radii / frame"
SHARED = "{}/{:g} xyz shared"
ALONE = "{}/{:g} alone"
"""Columns: a pool of so many axes / a zone of so many covering angles, with and without x, y and z for all."""


def axes_of_kdop(k: int) -> Floats:
    """Directions (k / 2, 3) of length 1."""
    axes = DIRECTIONS[KDOPS[k]]
    return np.asarray(axes / np.linalg.norm(axes, axis=1)[:, None])


def close_on(positions: Floats, ways: Floats, axes: Floats, users: NDArray[np.bool_] | None = None) -> Close:
    """Return (n, n) whether the swept intervals of unit spheres overlap on every axis that both use.

    ways (n, 3): displacements; users (n, m): the axes that each sphere uses, None for all.
    """
    n = len(positions)
    close = np.ones((n, n), np.bool_)
    for d, axis in enumerate(axes):
        begin = positions @ axis
        end = begin + ways @ axis
        rows = np.arange(n) if users is None else np.flatnonzero(users[:, d])
        low, high = np.minimum(begin, end)[rows] - 1.0, np.maximum(begin, end)[rows] + 1.0
        meet = (low[:, None] <= high) & (low <= high[:, None])
        close[np.ix_(rows, rows)] &= meet
    return close


def in_zone(ways: Floats, axes: Floats, angle: float) -> NDArray[np.bool_]:
    """Return (n, m) whether axis m is within `angle` of the plane perpendicular to the displacement of sphere n."""
    length = np.linalg.norm(ways, axis=1)
    return np.asarray(np.abs(ways @ axes.T) <= math.sin(angle) * length[:, None])


def moving_boxes(positions: Floats, ways: Floats) -> Close:
    """Return (n, n) whether the boxes that move with unit spheres overlap at any time of the frame."""
    n = len(positions)
    first, last = np.zeros((n, n)), np.ones((n, n))
    with np.errstate(divide="ignore", invalid="ignore"):
        for d in range(3):
            apart = positions[:, d][:, None] - positions[:, d]
            speed = ways[:, d][:, None] - ways[:, d]
            one, other = (-2.0 - apart) / speed, (2.0 - apart) / speed
            first = np.fmax(first, np.fmin(one, other))
            last = np.fmin(last, np.fmax(one, other))
    return np.asarray(first <= last)


def touching(positions: Floats, ways: Floats) -> Close:
    """Return (n, n) whether the spheres touch within the frame."""
    apart = positions[:, None] - positions
    speed = ways[:, None] - ways
    square = np.sum(speed**2, axis=-1)
    when = np.clip(-np.sum(apart * speed, axis=-1) / np.where(square > 0.0, square, 1.0), 0.0, 1.0)
    return np.asarray(np.sum((apart + when[..., None] * speed) ** 2, axis=-1) <= 4.0)


def left(close: Close) -> int:
    """Return the number of pairs."""
    return (int(close.sum()) - len(close)) // 2


def count_left(n: int, speed: float, pools: tuple[int, ...], widths: tuple[float, ...]) -> dict[str, int]:
    """Return the number of pairs of n spheres that each volume leaves."""
    positions, ways = flights(n, speed)
    found = {"touch": left(touching(positions, ways)), "moving boxes": left(moving_boxes(positions, ways))}
    boxes = close_on(positions, ways, axes_of_kdop(6))
    for k in KDOPS:
        found[f"{k}-DOP"] = left(close_on(positions, ways, axes_of_kdop(k)))
    for m in pools:
        pool = axis_pool(m)
        for width in widths:
            alone = close_on(positions, ways, pool.axes, in_zone(ways, pool.axes, zone(pool.covering, width)))
            found[ALONE.format(m, width)] = left(alone)
            found[SHARED.format(m, width)] = left(alone & boxes)
    return found


def measure_pruning(quick: bool, bar: Bar) -> Table:
    """One row per speed: pairs left by boxes, k-DOPs and velocity-aligned polytopes, with and without shared axes."""
    n, speeds, pools = (80, (1.0, 30.0), (16,)) if quick else (2000, SPEEDS, POOLS)
    widths = (2.0,) if quick else WIDTHS
    found = [count_left(n, speed, pools, widths) for speed in bar.track(speeds, "pairs left after the broad phase")]
    columns = list(found[0])
    rows: list[tuple[Cell, ...]] = [(speed, *each.values()) for speed, each in zip(speeds, found, strict=True)]
    title = (
        f"Pairs left of {n * (n - 1) // 2:,}, one frame of {n:,} spheres, density 0.001; 65/2: vadop with a pool of 65 axes "
        "and a zone of 2 rho"
    )
    return Table("vadop_pruning", title, (_SPEED, *columns), rows, shown=False)


def short_table(pruning: Table) -> Table:
    """Return the columns that are printed."""
    shown = [_SPEED, "touch", "moving boxes", "6-DOP", "14-DOP", "26-DOP"]
    shown += [name.format(m, width) for m, width in ((16, 2.0), (65, 1.0), (65, 2.0)) for name in (ALONE, SHARED)]
    shown = [name for name in shown if name in pruning.columns]
    rows: list[tuple[Cell, ...]] = list(zip(*map(pruning.column, shown), strict=True))
    return Table("vadop_pruning_shown", pruning.title, tuple(shown), rows)


def measure_projections(quick: bool) -> Table:
    """Equation 2: the sum over a body's axes of |cos theta|, the fraction of its speed in each projection."""
    n = 200 if quick else 5000
    _, ways = flights(n, 1.0)
    directions = ways / np.linalg.norm(ways, axis=1)[:, None]
    rows: list[tuple[Cell, ...]] = []
    for name, axes in (("xyz", np.eye(3)), *((f"{k}-DOP", axes_of_kdop(k)) for k in (14, 18, 26))):
        seen = np.abs(directions @ axes.T)
        rows.append((name, len(axes), float(len(axes)), float(seen.sum(axis=1).mean()), float(seen.mean()), ""))
    for m in (16, 65) if quick else POOLS:
        pool = axis_pool(m)
        for width in (1.0, 2.0):
            users = in_zone(ways, pool.axes, zone(pool.covering, width))
            seen = np.where(users, np.abs(directions @ pool.axes.T), 0.0)
            shares = users.astype(np.float64)
            alone = float((shares @ shares.T == 0.0).mean())
            name = f"vadop {m}, {width:g} rho"
            rows.append((name, m, float(users.sum(axis=1).mean()), float(seen.sum(axis=1).mean()),
                         float(seen.sum() / users.sum()), f"{100.0 * alone:.3g} %"))  # fmt: skip
    columns = (
        "axes of",
        "in the pool",
        "axes per body",
        "sum of |cos theta|",
        "mean |cos theta|",
        "pairs that share none",
    )
    title = "Equation 2: the part of a body's speed in its projections (sum over three perpendicular axes: 1 to 1.73)"
    return Table("vadop_projections", title, columns, rows)
