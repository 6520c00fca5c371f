"""Peak memory of a workload, measured in a process of its own: `python -m carom.bench.memory WORKLOAD NUMBERS`."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np

from carom.bench.progress import Bar
from carom.deform import check
from carom.errors import CaromError
from carom.response import Elastic
from carom.scenes.animated.animations import animation
from carom.shapes import Sphere
from carom.types import ContactLog
from carom.world.world import World

_SPACING = 3.0
_SPEED = 1e-9  # Radii per second: slow, so that the run is short


def peak_memory(workload: str, *sizes: int, bar: Bar) -> dict[str, float] | None:
    """Return the peak before and after a workload, MB, its seconds and contacts; None on Windows, which reports no peak."""
    if sys.platform == "win32":
        bar.say("memory: skipped, the system does not report a peak resident size")
        return None
    command = [sys.executable, "-m", "carom.bench.memory", workload, *map(str, sizes)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise CaromError(f"the memory probe failed: {done.stderr.strip()[-2000:]}")
    found: dict[str, float] = json.loads(done.stdout)
    return found


def peak_megabytes() -> float:
    """Return the largest resident size of this process so far."""
    status = Path("/proc/self/status")
    if status.exists():
        # Linux passes the parent's ru_maxrss on to a child; VmHWM is the process's own.
        line = next(line for line in status.read_text(encoding="ascii").splitlines() if line.startswith("VmHWM"))
        return int(line.split()[1]) * 1024 / 1e6
    import resource

    size = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return size / 1e6 if sys.platform == "darwin" else size * 1024 / 1e6


def spheres(n: int) -> ContactLog:
    """Advance n spheres of radius 1 on a jittered grid of spacing 3 by 1 ms."""
    rng = np.random.default_rng(0)
    side = int(np.ceil(np.cbrt(n)))
    cell = np.arange(n)
    positions = _SPACING * np.column_stack([cell % side, cell // side % side, cell // side**2]).astype(np.float64)
    world = World(response=Elastic())
    world.add_many(Sphere(1.0), positions + rng.uniform(-0.4, 0.4, (n, 3)), rng.uniform(-_SPEED, _SPEED, (n, 3)))
    return world.advance(1e-3)


def walker(faces: int, keys: int) -> object:
    """Check the walker with all its self-contacts."""
    return check(animation("walker", faces=faces, keys=keys))


WORKLOADS: dict[str, tuple[Callable[..., object], tuple[int, ...]]] = {
    "spheres": (spheres, (2,)),
    "walker": (walker, (4000, 4)),
}
"""Name -> the work, and sizes for a first call, which compiles."""


def probe(workload: str, *sizes: int) -> dict[str, float]:
    """Do the work in this process; see `peak_memory`."""
    work, small = WORKLOADS[workload]
    work(*small)
    before, begin = peak_megabytes(), time.perf_counter()
    found = work(*sizes)
    seconds = time.perf_counter() - begin
    return {"peak": peak_megabytes(), "before": before, "seconds": seconds, "contacts": len(found)}  # type: ignore[arg-type]


if __name__ == "__main__":
    sys.stdout.write(json.dumps(probe(sys.argv[1], *map(int, sys.argv[2:]))))
