"""Deforming meshes: with themselves, with each other, and with rigid bodies in a world, against samples of certified depth."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

import carom
from fuzz.cases.calls import Call, made, source
from fuzz.cases.generate import WORLD_SHAPES, gridded, motion, pick, scale_of, shape
from fuzz.cases.stories import difference
from fuzz.failure import check_case
from fuzz.oracle.convex import bounds
from fuzz.oracle.flight import placed, stretches
from fuzz.oracle.pieces import Pieces, pieces_of, reach, triangles

_SAMPLES = 80
_RIGID = (*WORLD_SHAPES, "HalfSpace")
_BROADS = (
    "auto",
    "kinetic",
    "kinetic-grid",
    "swept",
    "uniform-grid",
    "hash-grid",
    "aabb-tree",
    "vadop",
    "kinetic-vadop",
)


def cases(seed: int) -> None:
    """Run one random case."""
    check_case(seed, random_case, _fault, script)


def random_case(rng: np.random.Generator) -> dict[str, Any]:
    scale, grid = scale_of(rng), rng.random() < 0.25
    cloths = [_deforming(rng, scale, grid) for _ in range(int(rng.integers(1, 3)))]
    rigid = []
    for _ in range(int(rng.integers(0, 3))):
        kind = pick(rng, _RIGID)
        place = rng.normal(size=3) * 2.0 * scale
        if grid:
            place = np.array(gridded(place, scale))
        spins = kind != "HalfSpace" and rng.random() < 0.2 and not grid
        way = motion(rng, place.tolist(), scale, spins=spins, pushed=rng.random() < 0.2, start=0.0, grid=grid)
        if kind == "HalfSpace":
            way.arguments.pop("orientation", None)
        rigid.append({"shape": shape(rng, kind, 0.6 * scale, grid), "motion": way})
    looks = np.sort(rng.uniform(0.0, 3.0, int(pick(rng, (0, 0, 3, 20))))).tolist()
    return {"cloths": cloths, "rigid": rigid, "broad": pick(rng, _BROADS), "looks": looks}


def _deforming(rng: np.random.Generator, scale: float, grid: bool) -> Call:
    """A few triangles, some of them sharing corners, that move over some keys; some keys are equal, some bodies keep still."""
    n, keys = int(rng.integers(3, 9)), int(rng.integers(2, 5))
    faces = [rng.choice(n, 3, replace=False).tolist() for _ in range(int(rng.integers(1, 7)))]
    first = rng.normal(size=(n, 3)) * 0.6 * scale + rng.normal(size=3) * scale
    steps = rng.normal(size=(keys, 1, 3)) * pick(rng, (0.0, 1.0)) + rng.normal(size=(keys, n, 3)) * pick(
        rng, (0.0, 0.3, 1.0)
    )
    steps[0] = 0.0
    steps[rng.random(keys) < 0.3] = 0.0
    vertices = first + np.cumsum(steps, axis=0) * 0.7 * scale
    times = np.cumsum(rng.uniform(0.2, 1.2, keys)) - pick(rng, (0.0, 0.2, 1.0))
    if grid:
        times = np.arange(keys) * 0.5
    return Call(
        "Deforming", faces=faces, times=times.tolist(), vertices=gridded(vertices, scale) if grid else vertices.tolist()
    )  # fmt: skip


def script(case: dict[str, Any]) -> str:
    lines = ["import carom\n", f"cloths = {source(case['cloths'])}", f"rigid = {source(case['rigid'])}"]
    lines += ["for cloth in cloths:", "    print('self', carom.self_contacts(cloth).times)"]
    lines += ["if len(cloths) == 2:", "    print('pair', carom.contacts(*cloths).times)"]
    lines += [f"for broad in ('all-pairs', {case['broad']!r}):", "    world = carom.World(broad=broad)"]
    lines += ["    for cloth in cloths:", "        world.add(cloth)"]
    lines += ["    for body in rigid:", "        world.add(**body)"]
    looks = [*case["looks"], 3.0]
    lines += [f"    for t in {looks}:", "        log = world.advance(t)"]
    lines += [
        "        for c in log:",
        "            print(broad, repr(c.time), c.a, c.b, c.feature_a, c.feature_b, c.status)",
    ]
    return "\n".join(lines) + "\n"


def _fault(case: dict[str, Any]) -> str | None:
    cloths, rigid = made(case["cloths"]), made(case["rigid"])
    if not cloths:
        return None
    for cloth in cloths:
        wrong = _wrong_pairs(cloth, cloth, carom.self_contacts(cloth))
        if wrong is not None:
            return f"self {wrong}"
    if len(cloths) == 2:
        wrong = _wrong_pairs(*cloths, carom.contacts(*cloths))
        if wrong is not None:
            return f"between {wrong}"
    reference = _log("all-pairs", cloths, rigid, [])
    log = _log(case["broad"], cloths, rigid, case["looks"])
    if not reference.identical(log):
        return f"differs: {case['broad']}: {difference(reference, log)}"
    return _wrong_world(cloths, rigid, reference)


def _log(broad: str, cloths: list[Any], rigid: list[Any], looks: list[float]) -> carom.ContactLog:
    world = carom.World(broad=broad)
    for cloth in cloths:
        world.add(cloth)
    for body in rigid:
        world.add(**body)
    logs = []
    for time in (*looks, 3.0):
        logs.append(world.advance(time))
        if looks:
            world.audit()
    return carom.ContactLog.concatenate(logs)


def vertices_at(cloth: Any, time: float) -> np.ndarray:
    """Vertices (n, 3) at a time, straight from key to key."""
    return np.stack(
        [
            np.interp(time, cloth.times, cloth.vertices[:, k, d])
            for k in range(cloth.vertices.shape[1])
            for d in range(3)
        ]
    ).reshape(-1, 3)


def _at_rest(one: Pieces, other: Pieces) -> Any:
    still, upright = np.zeros(3), np.eye(3)
    return bounds(one, upright, still, other, upright, still)


def _times(*cloths: Any) -> np.ndarray:
    begin, end = min(c.times[0] for c in cloths), max(c.times[-1] for c in cloths)
    return np.unique(np.concatenate([np.linspace(begin, end, _SAMPLES), *(c.times for c in cloths)]))


def _size(*cloths: Any) -> float:
    return max(float(np.abs(c.vertices).max()) for c in cloths)


def _wrong_pairs(one: Any, other: Any, found: Any) -> str | None:
    """First contacts of triangles: none late, none missed, none that is none."""
    slack = 1e-9 * _size(one, other)
    first: dict[tuple[int, int], float] = {}
    for time, i, j in zip(found.times, found.face_a, found.face_b, strict=True):
        first.setdefault((int(i), int(j)), float(time))
        a, b = (triangles(vertices_at(c, time), c.faces[[k]]) for c, k in ((one, i), (other, j)))
        if _at_rest(a, b)[0] > slack:
            return f"false: triangles {i} and {j} are apart at {time!r}"
    seen = set()
    for time in _times(one, other):
        where, there = vertices_at(one, time), vertices_at(other, time)
        for i, face in enumerate(one.faces):
            for j, facing in enumerate(other.faces):
                if (one is other and (i >= j or set(face) & set(facing))) or (i, j) in seen:
                    continue
                depth = _at_rest(triangles(where, [face]), triangles(there, [facing]))[2]
                if depth > 10.0 * slack:
                    seen.add((i, j))
                    if first.get((i, j), math.inf) > time:
                        began = time == _times(one, other)[0]
                        word = "start" if began else "late" if (i, j) in first else "missed"
                        when = f"at {float(time)!r}, first {first.get((i, j))}"
                        return f"{word}: triangles {i} and {j} overlap by {depth:.3g} {when}"
    return None


def _wrong_world(cloths: list[Any], rigid: list[Any], log: carom.ContactLog) -> str | None:
    """First contacts of cloths and rigid bodies: none late or missed, all true."""
    for k, body in enumerate(rigid):
        pieces, row = pieces_of(body["shape"]), stretches(body["motion"])[0].row
        b = k + len(cloths)
        for a, cloth in enumerate(cloths):
            slack = 1e-9 * max(_size(cloth), reach(pieces), float(np.abs(row[:9]).max()))
            rows = (log.a == a) & (log.b == b)
            for time in log.times[rows]:
                lower = against(cloth, pieces, row, time)[0]
                if lower > 4.0 * slack:
                    return f"false: bodies {a} and {b} are {lower:.3g} apart at {float(time)!r}"
            first = float(log.times[rows][0]) if rows.any() else math.inf
            for time in np.linspace(0.0, 3.0, _SAMPLES):
                if time >= first:
                    break
                depth = against(cloth, pieces, row, time)[2]
                if depth > 100.0 * slack:
                    word = "start" if time == 0.0 else "missed" if math.isinf(first) else "late"
                    return f"{word}: bodies {a} and {b} overlap by {depth:.3g} at {float(time)!r}, first {first!r}"
    return None


def against(cloth: Any, pieces: Pieces, row: np.ndarray, time: float) -> Any:
    """Bounds of the oracle for a deforming body and a rigid one at a time: least and most distance, depth."""
    rotation, position = placed(row, time)
    surface = triangles(vertices_at(cloth, time), cloth.faces)
    return bounds(surface, np.eye(3), np.zeros(3), pieces, rotation, position)
