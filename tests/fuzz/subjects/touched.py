"""Rigid bodies against deforming ones, triangle by triangle: every shape and motion, pieces at rest, equal keys, keys at the
time of contact, triangles without area, tiny and huge sizes; in every broad phase."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

import carom
from fuzz.cases.calls import Call, made, source
from fuzz.cases.generate import WORLD_SHAPES, gridded, keyframes, motion, pick, scale_of, shape
from fuzz.cases.stories import difference
from fuzz.failure import check_case
from fuzz.oracle.convex import bounds
from fuzz.oracle.flight import placed, stretches
from fuzz.oracle.pieces import Pieces, pieces_of, reach, triangles

_SAMPLES = 60
_UNTIL = 3.0
_KINDS = (*WORLD_SHAPES, "HalfSpace", "HalfSpace", "HalfSpace")
_BROADS = tuple(broad for broad in carom.world.BROAD_PHASES if broad != "all-pairs")


def cases(seed: int) -> None:
    """Run one random case."""
    check_case(seed, random_case, _fault, script)


def random_case(rng: np.random.Generator) -> dict[str, Any]:
    scale, grid = scale_of(rng), rng.random() < 0.4
    rigid = [_rigid(rng, scale, grid) for _ in range(int(rng.integers(1, 3)))]
    looks = np.sort(rng.uniform(0.0, _UNTIL, int(pick(rng, (0, 2, 12))))).tolist()
    options: dict[str, Any] = {"frame": pick(rng, (1.0 / 60.0, 0.5)), "narrow": pick(rng, ("lazy", "eager"))}
    return {
        "cloth": _cloth(rng, scale, grid),
        "rigid": rigid,
        "rigid_first": bool(rng.random() < 0.5),
        "broad": pick(rng, _BROADS),
        "options": options,
        "looks": looks,
    }


def _rigid(rng: np.random.Generator, scale: float, grid: bool) -> dict[str, Any]:
    kind = pick(rng, _KINDS)
    place = rng.normal(size=3) * pick(rng, (0.3, 1.5, 2.5)) * scale
    where = gridded(place, scale) if grid else place.tolist()
    turns = kind != "HalfSpace" and not grid and rng.random() < 0.3
    if rng.random() < 0.35:
        way = keyframes(rng, where, scale, turns=turns, start=0.0, grid=grid)
        if grid:
            way.arguments["times"] = (np.arange(len(way["times"])) * 0.5).tolist()
    else:
        way = motion(rng, where, scale, spins=turns, pushed=rng.random() < 0.25, start=0.0, grid=grid)
        if kind == "HalfSpace":
            way.arguments.pop("orientation", None)
    return {"shape": shape(rng, kind, 0.6 * scale, grid), "motion": way}


def _cloth(rng: np.random.Generator, scale: float, grid: bool) -> Call:
    """A few triangles, some without area, that rest between some keys, or always."""
    n, keys = int(rng.integers(3, 7)), int(rng.integers(2, 6))
    faces = [rng.choice(n, 3, replace=False).tolist() for _ in range(int(rng.integers(1, 4)))]
    first = rng.normal(size=(n, 3)) * pick(rng, (0.1, 0.6, 1.5)) * scale
    if rng.random() < 0.2:
        first[1:] = first[0] + np.outer(rng.normal(size=n - 1), first[1] - first[0])
    if rng.random() < 0.15:
        first[1] = first[0]
    steps = rng.normal(size=(keys, 1, 3)) + rng.normal(size=(keys, n, 3)) * pick(rng, (0.0, 0.3))
    steps *= pick(rng, (0.0, 0.5, 0.5, 1.5))
    steps[0] = 0.0
    steps[rng.random(keys) < 0.5] = 0.0
    vertices = first + np.cumsum(steps, axis=0) * 0.7 * scale
    times = np.cumsum(rng.uniform(0.1, 1.0, keys)) - pick(rng, (0.0, 0.3, 1.5, -0.7))
    if grid:
        vertices, times = (
            gridded(vertices, scale),
            np.arange(keys) * pick(rng, (0.25, 0.5)) + pick(rng, (0.0, 0.5, 1.0)),
        )
    return Call("Deforming", faces=faces, times=times.tolist(), vertices=np.asarray(vertices).tolist())


def script(case: dict[str, Any]) -> str:
    added = ["    cloth = world.add(cloth_shape)"], ["    for body in rigid:", "        world.add(**body)"]
    first, second = added[::-1] if case["rigid_first"] else added
    lines = ["import carom\n", f"cloth_shape = {source(case['cloth'])}", f"rigid = {source(case['rigid'])}"]
    lines += [f"for options in ({{'broad': 'all-pairs'}}, { ({'broad': case['broad']} | case['options'])!r}):"]
    lines += ["    world = carom.World(**options)", *first, *second]
    lines += [f"    for t in {[*case['looks'], _UNTIL]}:", "        for c in world.advance(t):"]
    lines += ["            print(options['broad'], repr(c.time), c.a, c.b, c.feature_a, c.feature_b, c.status)"]
    lines += ["        world.audit()"]
    return "\n".join(lines) + "\n"


def _fault(case: dict[str, Any]) -> str | None:
    if not case["rigid"]:
        return None
    cloth, rigid = made(case["cloth"]), made(case["rigid"])
    reference = _log(cloth, rigid, case["rigid_first"], [], {"broad": "all-pairs"})
    log = _log(cloth, rigid, case["rigid_first"], case["looks"], {"broad": case["broad"], **case["options"]})
    if not reference.identical(log):
        return f"differs: {case['broad']}: {difference(reference, log)}"
    for k, body in enumerate(rigid):
        wrong = _wrong_faces(cloth, body, *_times_of(reference, len(rigid), k, case["rigid_first"]))
        if wrong is not None:
            return wrong
    return None


def _log(
    cloth: Any, rigid: list[Any], rigid_first: bool, looks: list[float], options: dict[str, Any]
) -> carom.ContactLog:
    world = carom.World(**options)
    for one in (*rigid, cloth) if rigid_first else (cloth, *rigid):
        world.add(**one) if isinstance(one, dict) else world.add(one)
    logs = []
    for time in (*looks, _UNTIL):
        logs.append(world.advance(time))
        world.audit()
    return carom.ContactLog.concatenate(logs)


def _times_of(log: carom.ContactLog, n: int, k: int, rigid_first: bool) -> tuple[np.ndarray, np.ndarray]:
    """Times of the contacts of rigid body k, and the cloth's triangle in each."""
    if rigid_first:
        rows = (log.a == k) & (log.b == n)
        return log.times[rows], log.features_b[rows]
    rows = (log.a == 0) & (log.b == k + 1)
    return log.times[rows], log.features_a[rows]


def _wrong_faces(cloth: Any, body: dict[str, Any], times: np.ndarray, faces: np.ndarray) -> str | None:
    """Every contact is one, and every triangle's first is not after the first sample at which it is in the body."""
    pieces, way = pieces_of(body["shape"]), stretches(body["motion"])
    farthest = max(float(np.abs(stretch.row[:6]).max()) for stretch in way)
    slack = 1e-9 * max(float(np.abs(cloth.vertices).max()), reach(pieces), farthest)
    first: dict[int, float] = {}
    for time, face in zip(times.tolist(), faces.tolist(), strict=True):
        first.setdefault(face, time)
        # A contact at a key is reported one unit in the last place before it.
        lower = min(_against(cloth, face, pieces, way, t)[0] for t in (time, math.nextafter(time, math.inf)))
        if lower > 4.0 * slack:
            return f"false: triangle {face} is {lower:.3g} from the body at {time!r}"
    inner = [stretch.start for stretch in way if 0.0 < stretch.start < _UNTIL]
    inner += [t for t in cloth.times.tolist() if 0.0 < t < _UNTIL]
    for time in np.unique([*np.linspace(0.0, _UNTIL, _SAMPLES), *inner]).tolist():
        for face in range(len(cloth.faces)):
            if time >= first.get(face, math.inf):
                continue
            depth = _against(cloth, face, pieces, way, time)[2]
            if depth > 100.0 * slack:
                word = "start" if time == 0.0 else "late" if face in first else "missed"
                return f"{word}: triangle {face} is {depth:.3g} deep in the body at {time!r}, first {first.get(face)}"
    return None


def _against(cloth: Any, face: int, pieces: Pieces, way: list[Any], time: float) -> Any:
    row = [stretch.row for stretch in way if stretch.start <= time][-1]
    rotation, position = placed(row, time)
    corners = [[np.interp(time, cloth.times, cloth.vertices[:, v, d]) for d in range(3)] for v in cloth.faces[face]]
    surface = triangles(np.array(corners) - position, np.array([[0, 1, 2]]))
    return bounds(surface, np.eye(3), np.zeros(3), pieces, rotation, np.zeros(3))
