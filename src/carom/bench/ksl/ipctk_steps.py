"""ipctk (IPC Toolkit) on the same animations: the fraction of each interval without contacts."""

from __future__ import annotations

import time
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from carom.bench.ksl.runs import Bodies, Contacts
from carom.errors import AuditError

Floats = NDArray[np.float64]

NAME = "ipctk"
HOW = (
    "ipctk: compute_collision_free_stepsize with LBVH and TightInclusionCCD, default options, one thread. It returns only the "
    "earliest time of each interval, never late but up to a fifth and more early; carom reports every contact."
)


def quiet_ipctk() -> None:
    """Silence its warnings: it warns of each query that touches at the start."""
    import ipctk

    ipctk.set_logger_level(ipctk.LoggerLevel.error)


def ipctk_steps(bodies: Bodies, repeats: int) -> tuple[Floats, Floats]:
    """Return CPU seconds of each interval, the fastest of `repeats`, and the fraction of it before any contact."""
    import ipctk

    quiet_ipctk()
    firsts = np.cumsum([0, *(body.vertices.shape[1] for body in bodies)])
    faces = np.concatenate([body.faces + first for body, first in zip(bodies, firsts, strict=False)])
    keys = [np.asfortranarray(np.concatenate([b.vertices[k] for b in bodies])) for k in range(len(bodies[0].times))]
    edges = np.unique(np.sort(faces[:, [[0, 1], [1, 2], [2, 0]]].reshape(-1, 2), axis=1), axis=0)
    mesh = ipctk.CollisionMesh(keys[0], np.asfortranarray(edges), np.asfortranarray(faces))
    boxes, narrow = ipctk.LBVH(), ipctk.TightInclusionCCD()
    seconds = np.full((repeats, len(keys) - 1), np.inf)
    steps = np.empty(len(keys) - 1)
    threads = ipctk.get_num_threads()
    ipctk.set_num_threads(1)
    try:
        for turn in range(repeats):
            for k, (start, end) in enumerate(pairwise(keys)):
                begin = time.process_time()
                steps[k] = ipctk.compute_collision_free_stepsize(mesh, start, end, 0.0, boxes, narrow)
                seconds[turn, k] = time.process_time() - begin
    finally:
        ipctk.set_num_threads(threads)
    return seconds.min(axis=0), steps


def require_never_late(what: str, keys: Floats, steps: Floats, contacts: Contacts) -> None:
    """Raise AuditError if a step is longer than the time to the first contact of its interval."""
    of = np.clip(np.searchsorted(keys, contacts.times, side="right") - 1, 0, len(steps) - 1)
    fractions = (contacts.times - keys[of]) / (keys[of + 1] - keys[of])
    earliest = np.ones(len(steps))
    np.minimum.at(earliest, of, fractions)
    late = np.flatnonzero(steps > earliest + 1e-6)
    if len(late):
        k = late[0]
        raise AuditError(f"{what}: ipctk lets interval {k} go to {steps[k]}, but triangles touch at {earliest[k]}")
