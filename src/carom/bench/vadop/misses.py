"""Collisions that tests at frame instants miss, beside all pairs and velocity-aligned polytopes."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from carom.bench.progress import Bar
from carom.bench.report import Cell, Table
from carom.bench.vadop.spheres import FRAME, fast_spheres
from carom.errors import AuditError
from carom.scenes.scene import Scene
from carom.types import ContactLog

COLUMNS = ("speed, radii / frame", "contacts", "seen at frame instants", "missed, %", "frames", "methods compared")
SPEEDS = (0.1, 0.3, 1.0, 3.0, 10.0, 30.0, 100.0)
_WAY = 30.0  # Least distance that a sphere moves in a run, radii
_DENSITY = 0.01
WAYS = ({"broad": "vadop"}, {"broad": "vadop", "pool": 65}, {"broad": "vadop", "pool": 0}, {"broad": "kinetic-vadop"})


def seen_at_instants(scene: Scene, log: ContactLog) -> NDArray[np.bool_]:
    """Return, for each contact of spheres that pass through each other, whether they overlap at the end of a frame."""
    apart = scene.positions[log.b] - scene.positions[log.a]
    closing = scene.velocities[log.b] - scene.velocities[log.a]
    square, mixed = np.sum(closing**2, axis=1), np.sum(apart * closing, axis=1)
    root = np.sqrt(np.maximum(mixed**2 - square * (np.sum(apart**2, axis=1) - 4.0), 0.0))
    leaving = (-mixed + root) / square
    return np.ceil(log.times / FRAME) * FRAME <= leaving


def measure_misses(quick: bool, bar: Bar) -> Table:
    """One row per speed; AuditError where a broad phase reports other contacts than all pairs, in any bit."""
    n, speeds = (60, (1.0, 30.0)) if quick else (1000, SPEEDS)
    rows: list[tuple[Cell, ...]] = []
    for speed in bar.track(speeds, "contacts missed at frame instants"):
        frames = max(1, math.ceil(_WAY / speed))
        scene = fast_spheres(n, speed, _DENSITY, walls=False)
        log = scene.build(broad="all-pairs").advance(frames * FRAME)
        for options in WAYS:
            found = scene.build(frame=FRAME, **options).advance(frames * FRAME)
            if not found.identical(log):
                raise AuditError(f"speed {speed}: {options} finds {len(found)} contacts, all pairs {len(log)}")
        seen = int(seen_at_instants(scene, log).sum())
        missed = 100.0 * (1.0 - seen / len(log)) if len(log) else 0.0
        rows.append((speed, len(log), seen, missed, frames, 1 + len(WAYS)))
    title = f"Contacts of {n:,} spheres that pass through each other, density {_DENSITY:g}; all exact methods report the same"
    return Table("vadop_misses", title, COLUMNS, rows)
