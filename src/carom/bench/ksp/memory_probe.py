"""Run as a module: build a world of slow spheres and print its peak memory as JSON."""

from __future__ import annotations

import json
import resource
import sys
import time
from pathlib import Path

import numpy as np

from carom.response import Elastic
from carom.shapes import Sphere
from carom.world.world import World

_SPACING = 3.0
_SPEED = 1e-9
"""Radii a second: slow, so that memory is measured and not patience."""


def peak_megabytes() -> float:
    """Largest resident size of this process so far."""
    status = Path("/proc/self/status")
    if status.exists():
        # Linux hands a child the parent's ru_maxrss; VmHWM is the process's own.
        line = next(line for line in status.read_text(encoding="ascii").splitlines() if line.startswith("VmHWM"))
        return int(line.split()[1]) * 1024 / 1e6
    size = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return size / 1e6 if sys.platform == "darwin" else size * 1024 / 1e6


def probe(n: int) -> dict[str, float]:
    """Spheres of radius 1 on a jittered grid of spacing 3, advanced by a millisecond of simulated time."""
    warm = World(response=Elastic())
    warm.add_many(Sphere(1.0), np.array([[0.0, 0, 0], [3.0, 0, 0]]), np.zeros((2, 3)))
    warm.advance(1e-3)
    before, begin = peak_megabytes(), time.perf_counter()
    rng = np.random.default_rng(0)
    side = int(np.ceil(np.cbrt(n)))
    cell = np.arange(n)
    positions = _SPACING * np.column_stack([cell % side, cell // side % side, cell // side**2]).astype(np.float64)
    positions += rng.uniform(-0.4, 0.4, (n, 3))
    world = World(response=Elastic())
    world.add_many(Sphere(1.0), positions, rng.uniform(-_SPEED, _SPEED, (n, 3)))
    log = world.advance(1e-3)
    return {"peak": peak_megabytes(), "before": before, "seconds": time.perf_counter() - begin, "contacts": len(log)}


if __name__ == "__main__":
    sys.stdout.write(json.dumps(probe(int(sys.argv[1]))))
