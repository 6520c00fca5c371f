"""Peak memory of a world of a million slow spheres, measured in a process of its own."""

from __future__ import annotations

import json
import subprocess
import sys

from carom.bench.progress import Bar
from carom.bench.report import Cell, Table
from carom.errors import CaromError

COLUMNS = ("spheres", "peak, MB", "before the world, MB", "bytes / sphere", "seconds to build", "contacts")


def measure_memory(quick: bool, bar: Bar) -> Table | None:
    """Build, advance a little, report the peak resident size; None where the system does not tell it (Windows)."""
    if sys.platform == "win32":
        bar.say("memory: skipped, the system does not report a peak resident size")
        return None
    n = 2_000 if quick else 1_000_000
    rows: list[tuple[Cell, ...]] = []
    for _ in bar.track([0], "memory of a million spheres"):
        command = [sys.executable, "-m", "carom.bench.ksp.memory_probe", str(n)]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode:
            raise CaromError(f"the memory probe failed: {done.stderr.strip()[-2000:]}")
        found = json.loads(done.stdout)
        per_sphere = 1e6 * (found["peak"] - found["before"]) / n
        rows.append((n, found["peak"], found["before"], per_sphere, found["seconds"], found["contacts"]))
    return Table("ksp_memory", "Memory of slow spheres, kinetic sweep", COLUMNS, rows)
