"""Run as a module: check the walker with all its self-contacts and print the peak memory as JSON."""

from __future__ import annotations

import json
import sys
import time

from carom.bench.ksp.memory_probe import peak_megabytes
from carom.deform import check
from carom.scenes.animated.animations import animation


def probe(faces: int, keys: int) -> dict[str, float]:
    """Peak resident megabytes before and after, seconds and contacts, with the defaults of `check`."""
    check(animation("walker", faces=4000, keys=4))
    before, begin = peak_megabytes(), time.perf_counter()
    bodies = animation("walker", faces=faces, keys=keys)
    found = check(bodies)
    seconds = time.perf_counter() - begin
    triangles = sum(len(body.faces) for body in bodies)
    return {
        "peak": peak_megabytes(), "before": before, "seconds": seconds, "contacts": len(found), "triangles": triangles,
    }  # fmt: skip


if __name__ == "__main__":
    sys.stdout.write(json.dumps(probe(int(sys.argv[1]), int(sys.argv[2]))))
