"""Peak memory of checking the largest walker, measured in a process of its own."""

from __future__ import annotations

import json
import subprocess
import sys

from carom.bench.progress import Bar
from carom.bench.report import Cell, Table
from carom.errors import CaromError

COLUMNS = ("triangles", "keys", "peak, MB", "before the scene, MB", "seconds", "contacts")


def measure_memory(quick: bool, bar: Bar) -> Table | None:
    """Peak resident size with self-contacts; None where the system does not tell it (Windows)."""
    if sys.platform == "win32":
        bar.say("memory: skipped, the system does not report a peak resident size")
        return None
    faces, keys = (4000, 4) if quick else (90_000, 30)
    rows: list[tuple[Cell, ...]] = []
    for _ in bar.track([0], "memory of the walker"):
        command = [sys.executable, "-m", "carom.bench.ksl.memory_probe", str(faces), str(keys)]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode:
            raise CaromError(f"the memory probe failed: {done.stderr.strip()[-2000:]}")
        found = json.loads(done.stdout)
        rows.append((found["triangles"], keys, *(found[k] for k in ("peak", "before", "seconds", "contacts"))))
    return Table("ksl_memory", "Memory of checking the walker with its self-contacts", COLUMNS, rows)
