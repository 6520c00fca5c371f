"""The whole golden record: every scene through every broad phase and queue, and larger batches of every query.

`python -m golden.whole` prints the hashes as JSON; names as arguments choose some. whole.json holds one hash per scene, because
every broad phase, queue and method gives the same log. It takes minutes, so that only `make test-long` compares it;
record.json is the part that `make test` compares.
"""

from __future__ import annotations

import functools
import json
import sys
from collections.abc import Callable
from typing import Any

import numpy as np

import carom
from carom.deform import METHODS, check
from carom.queues import METHODS as QUEUES
from carom.scenes import animation
from golden import answers
from golden.scenes import (
    SCENES,
    built_in,
    cloth_and_bodies,
    digest,
    guided_bodies,
    mixed,
    overlapping_starts,
    polled_body,
)

BROAD = tuple(name for name in carom.world.BROAD_PHASES if name != "auto")

WORLDS: dict[str, Callable[..., Any]] = {
    "rings": built_in("rings", 4.0, objects=60, density=0.05),
    "models": built_in("models", 1.0, objects=4, density=0.1),
    "gas": built_in("gas", 2.0, objects=150, packing=0.25),
    "billiards": built_in("billiards", 1.5),
    "mixed 11": mixed(11, "auto"),
    "mixed 12": mixed(12, "auto", start=70000.0),
    "mixed 13": mixed(13, "auto", gravity=0.0),
    "cloth and bodies": cloth_and_bodies,
    "overlapping starts": overlapping_starts,
    "guided bodies": guided_bodies,
    "polled body": polled_body,
}
"""Scenes that every broad phase takes."""

OPTIONS: dict[str, dict[str, Any]] = {
    "eager": {"narrow": "eager"},
    "matrix": {"broad": "kinetic", "overlap": "matrix"},
    "five axes": {"broad": "kinetic", "axes": [[1, 0, 0], [0, 1, 0], [0, 0, 1], [0.6, 0.8, 0], [0, 0.6, 0.8]]},
    "long frames": {"broad": "swept", "frame": 0.2},
    "1d": {"broad": "hash-grid", "grid": "1d"},
    "pool": {"broad": "vadop", "pool": 40, "zone": 0.1, "slow": 1.0},
    "kinetic pool": {"broad": "kinetic-vadop", "pool": 20, "zone": 0.2},
}
"""Other options of a world, by name."""


def _world(name: str, **options: Any) -> tuple[int, list[Any]]:
    log = WORLDS[name](**options)
    return len(log), [log]


def _batches(offset: int) -> tuple[int, list[Any]]:
    """The answers of record.json with other seeds: the poses, motions and points are drawn from them."""
    found: list[Any] = []
    original = np.random.default_rng
    np.random.default_rng = lambda seed: original(seed + offset)  # type: ignore[assignment, misc]
    try:
        for call in (answers.at_an_instant, answers.volumes, answers.flights, answers.rays, answers.features):
            found += call()
    finally:
        np.random.default_rng = original
    return len(found), found


def _animation(name: str, method: str, **parameters: Any) -> tuple[int, list[Any]]:
    bodies = animation(name, **parameters)
    log = check(bodies, method=method)
    return len(log), [log]


def _features(degenerate: bool) -> tuple[int, list[Any]]:
    """Vertex against face and edge against edge: random points, or points on a coarse grid, most of them degenerate."""
    rng = np.random.default_rng(40)
    start, end = rng.uniform(-1.0, 1.0, (2, 40_000, 4, 3))
    if degenerate:
        start, end = np.round(2.0 * start), np.round(2.0 * end)
    calls = (carom.vertex_face_toi, carom.edge_edge_toi)
    ways: tuple[dict[str, Any], ...] = ({}, {"tight": True}, {"separation": 0.125})
    return len(start), [call(start, end, **how) for call in calls for how in ways]


CASES: dict[str, Callable[[], tuple[int, list[Any]]]] = {
    **{
        f"{name}, {broad}, {queue}": functools.partial(_world, name, broad=broad, queue=queue)
        for name in WORLDS
        for broad in BROAD
        for queue in (QUEUES if name in ("rings", "mixed 11") else QUEUES[:1])
    },
    **{
        f"{name}, {words}": functools.partial(_world, name, **options)
        for name in ("rings", "mixed 11", "mixed 13")
        for words, options in OPTIONS.items()
    },
    "periodic gas": lambda: (0, [SCENES["periodic gas"]()]),
    **{f"batches {offset}": functools.partial(_batches, offset) for offset in (1000, 2000, 3000)},
    **{
        f"{name}, {method}": functools.partial(_animation, name, method, **parameters)
        for name, parameters in (
            ("tablecloth", {"faces": 4000, "keys": 30}),
            ("swirl", {"faces": 2000, "keys": 20}),
            ("walker", {"faces": 6000, "keys": 4}),
        )
        for method in METHODS
    },
    "features": functools.partial(_features, False),
    "degenerate features": functools.partial(_features, True),
}


def hashed(name: str) -> str:
    """How much one case gives, and its hash."""
    count, found = CASES[name]()
    return f"{count} {digest(*found)}"


def scene_of(case: str) -> str:
    """The scene of a case, which names its hash in the record."""
    return case.partition(",")[0]


if __name__ == "__main__":
    record = {}
    for case in sys.argv[1:] or CASES:
        found = hashed(case)
        print(f"{case}: {found}", file=sys.stderr)
        assert record.setdefault(scene_of(case), found) == found, f"{case} differs from the cases before"
    print(json.dumps(record, indent=1))
