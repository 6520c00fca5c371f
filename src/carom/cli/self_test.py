"""A self-test of ten seconds: small problems with known answers, one per part of carom."""

from __future__ import annotations

import dataclasses
import math
import tempfile
import time
from collections.abc import Callable, Mapping
from pathlib import Path

import numpy as np

from carom.deform import check
from carom.motion import Deforming, Motion
from carom.queries import distance, penetration, time_of_impact, vertex_face_toi
from carom.response import Elastic
from carom.runfile import Recorder, RunFile
from carom.scenes import scene
from carom.shapes import Box, Mesh, Sphere
from carom.warming import AUTO_CHOICES
from carom.world.world import World


@dataclasses.dataclass(frozen=True)
class Verdict:
    """The result of one trial."""

    name: str
    passed: bool
    seen: str  # What was found, or what went wrong
    seconds: float


def self_test(on_trial: Callable[[str], None] | None = None) -> list[Verdict]:
    """Run all trials; an exception of any kind in one of them does not stop the others."""
    verdicts = []
    for name, trial in TRIALS.items():
        if on_trial is not None:
            on_trial(name)
        begin = time.perf_counter()
        try:
            passed, seen = True, trial()
        except Exception as error:
            passed, seen = False, f"{type(error).__name__}: {error}".splitlines()[0]
        verdicts.append(Verdict(name, passed, seen, time.perf_counter() - begin))
    return verdicts


def _expect(what: str, found: float, wanted: float, within: float = 1e-9) -> None:
    if not abs(found - wanted) <= within:
        raise AssertionError(f"{what} is {found!r}; expected {wanted!r}")


def _world() -> str:
    """Two spheres that fall towards each other meet at the root of a quadratic."""
    world = World(response=Elastic())
    world.add(Sphere(0.5), Motion((0.0, 0.0, 10.0), acceleration=(0.0, 0.0, -10.0)))
    world.add(Sphere(0.5), Motion((0.0, 0.0, 0.0), velocity=(0.0, 0.0, 1.0)))
    log = world.advance(2.0)
    wanted = (math.sqrt(1.0 + 4.0 * 5.0 * 9.0) - 1.0) / 10.0
    _expect("the first contact", float(log.times[0]), wanted)
    world.audit()
    return f"contact at {log.times[0]:.9f} s, as the quadratic says"


def _broad_phases() -> str:
    """The broad phases from which `auto` selects report the same log."""
    made = scene("gas", objects=60, packing=0.2, seed=3)
    logs = {broad: made.build(broad=broad).advance(0.5) for broad in AUTO_CHOICES}
    first = logs[AUTO_CHOICES[0]]
    for broad, log in logs.items():
        if not log.identical(first):
            raise AssertionError(f"{broad} reports other contacts than {AUTO_CHOICES[0]}")
    return f"{len(first)} contacts, the same bits from {len(logs)} broad phases"


def _queries() -> str:
    """Distance, depth and time of impact of boxes with known answers."""
    box, pose = Box((1.0, 1.0, 1.0)), np.eye(4)
    pose[0, 3] = 3.0
    _expect("the distance", float(distance(box, box, pose_b=pose)), 2.0)
    pose[0, 3] = 0.75
    _expect("the depth", float(penetration(box, box, pose_b=pose)), 0.25)
    hit = time_of_impact(box, box, Motion(), Motion((3.0, 0.0, 0.0), (-1.0, 0.0, 0.0)), 9.0)
    _expect("the time of impact", math.inf if hit is None else float(hit.time), 2.0)
    return "distance, depth and time of impact as known by hand"


def _meshes() -> str:
    """Two cubes of triangles, edge against edge."""
    cube, pose = _cube(), np.eye(4)
    pose[:3, 3] = (2.0, 2.0, 0.0)
    _expect("the distance", float(distance(cube, cube, pose_b=pose)), math.sqrt(2.0))
    return "distance of two cubes of triangles"


def _cube() -> Mesh:
    corners = np.array([(x, y, z) for x in (-0.5, 0.5) for y in (-0.5, 0.5) for z in (-0.5, 0.5)])
    quads = ((0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3))
    return Mesh(corners, np.array([(a, b, c) for a, b, c, _ in quads] + [(a, c, d) for a, _, c, d in quads]))


def _features() -> str:
    """A vertex that passes through a triangle, and one that just misses it, decided exactly."""
    face = np.array([(0.0, 0.0, 0.0), (1.0, 0.0, 0.0), (0.0, 1.0, 0.0)])
    start = np.stack([np.vstack([[x, 0.25, 1.0], face]) for x in (0.25, 0.75, 0.7500000000000001)])
    end = start.copy()
    end[:, 0, 2] = -1.0
    times = np.asarray(vertex_face_toi(start, end))
    _expect("the time of the vertex", float(times[0]), 0.5)
    _expect("the time at the edge", float(times[1]), 0.5)
    if math.isfinite(times[2]):
        raise AssertionError(f"a vertex that misses by one bit is said to touch at {times[2]}")
    return "a hit, a touch and a miss by one bit"


def _deforming() -> str:
    """A sheet that falls on another touches it halfway."""
    corners = np.array([(-1.0, -1.0, 0.0), (1.0, -1.0, 0.0), (1.0, 1.0, 0.0), (-1.0, 1.0, 0.0)])
    faces = np.array([(0, 1, 2), (0, 2, 3)])
    up, down = corners * 0.5 + (0.0, 0.0, 1.0), corners * 0.5 - (0.0, 0.0, 1.0)
    found = check(
        [Deforming(faces, [0.0, 1.0], np.stack([up, down])), Deforming(faces, [0.0, 1.0], np.stack([corners] * 2))]
    )
    _expect("the first contact", float(found.times[0]), 0.5)
    return f"{len(found)} contacts of two sheets, the first at 0.5 s"


def _run_file() -> str:
    """A run file is read as it was written, and cannot access other files."""
    made = scene("billiards")
    with tempfile.TemporaryDirectory() as folder:
        world, path = made.build(), Path(folder) / "test.duckdb"
        with RunFile.create(path, made.record(), interval=1.0, world={}, state=world.snapshot(), version="") as file:
            Recorder(world, file).run(0.5, 0.25)
        with RunFile.read(path) as file:
            kept = file.contacts()
            reached = file.connection.execute("SELECT current_setting('enable_external_access')").fetchone()
    if reached != (False,):
        raise AssertionError("the connection of a run file reaches other files")
    if not kept.identical(made.build().advance(0.5)):
        raise AssertionError("a run file gives other contacts than the world that wrote it")
    return f"{len(kept)} contacts written and read"


TRIALS: Mapping[str, Callable[[], str]] = {
    "worlds": _world,
    "broad phases": _broad_phases,
    "queries": _queries,
    "meshes": _meshes,
    "features": _features,
    "deforming meshes": _deforming,
    "run files": _run_file,
}
"""The trials by the name that is shown; each returns what it found, or raises."""
