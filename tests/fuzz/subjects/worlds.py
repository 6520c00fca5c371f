"""Worlds: all shapes, motions, responses and options; adds, removes, jumps, budgets, deferral, snapshots.

Each story is run with all pairs and in two other ways, whose logs must be the same, bit for bit; and the log must be true.
"""

from __future__ import annotations

from typing import Any

import numpy as np

import carom
from fuzz.cases.calls import Call
from fuzz.cases.generate import WORLD_SHAPES, keyframes, motion, one_ulp_apart, pick, scale_of, shape, vector
from fuzz.cases.stories import Story, Way, difference, interrupt, plain_way, program, run
from fuzz.failure import check_case
from fuzz.oracle.worlds import Overlaps, passing_fault

_KINDS = (
    ("Sphere",), ("Sphere", "Box"), ("Box", "Convex", "Mesh"), ("Mesh", "Sphere"),
    WORLD_SHAPES,
)  # fmt: skip
_QUEUES = ("tournament", "pairing", "heap4", "fibonacci", "reference")
_LOOKS = 24


def cases(seed: int) -> None:
    """Run one random case."""
    check_case(seed, random_case, _fault, script)


def random_case(rng: np.random.Generator) -> dict[str, Any]:
    story = random_story(rng)
    return {**story, "ways": [random_way(rng, story) for _ in range(2)]}


def script(case: dict[str, Any]) -> str:
    return program(case, plain_way(broad="all-pairs"), *case["ways"])


def random_story(rng: np.random.Generator) -> Story:
    """Two to eight bodies of one world, and what happens to them."""
    scale, grid = scale_of(rng), rng.random() < 0.2
    room = scale * pick(rng, (2.0, 3.0, 5.0))
    far = np.zeros(3) if rng.random() < 0.85 else rng.normal(size=3) * scale * 1e4
    start = 0.0 if rng.random() < 0.7 else pick(rng, (-5.0, 100.0, 7e4))
    response = pick(rng, (None, None, None, Call("Elastic"), Call("Elastic", restitution=0.6), "bounce", "watch"))
    story: Story = {
        "start": start, "until": start + pick(rng, (1.0, 2.0, 3.0)), "response": response, "bodies": [], "acts": [],
    }  # fmt: skip
    passing = response in (None, "watch")
    push = pick(rng, ("none", "fall", "random"))
    spinning, keyed = rng.random() < 0.4 and not grid, rng.random() < 0.3 and passing
    places: list[np.ndarray] = []
    radius = 0.3 * scale
    kinds = pick(rng, _KINDS)
    for _ in range(int(rng.integers(2, 9))):
        place = _free_place(rng, places, room, 1.3 * scale, passing, grid, scale)
        if place is None:
            continue
        places.append(place)
        body = _body(rng, pick(rng, kinds), (far + place).tolist(), scale, start, spinning, keyed, push, grid)
        if body["shape"].name == "Sphere" and rng.random() < 0.5:
            body["shape"].arguments["radius"] = one_ulp_apart(rng, radius)
        story["bodies"].append(body)
    for normal, gap in (([0.0, 0.0, 1.0], room + 1.2 * scale), (vector(rng, 1.0), 3.0 * room)):
        if rng.random() < 0.4:
            plane = Call(
                "Motion", position=(far - gap * np.array(normal) / np.linalg.norm(normal)).tolist(), start=start
            )
            floor = {"shape": Call("HalfSpace", normal=normal, offset=0.0), "motion": plane, "mass": np.inf}
            story["bodies"].append(floor)
    _add_acts(rng, story, far, room, scale, passing, push)
    return story


def _free_place(
    rng: np.random.Generator, places: Any, room: float, gap: float, passing: bool, grid: bool, scale: float
) -> np.ndarray | None:
    for _ in range(40):
        place = rng.uniform(-room, room, 3)
        if grid:
            place = np.round(place / scale) * scale
        if all(np.linalg.norm(place - other) > gap for other in places) or (passing and rng.random() < 0.1):
            return place
    return None


def _body(
    rng: np.random.Generator, kind: str, place: list[float], scale: float, start: float, spinning: bool, keyed: bool,
    push: str, grid: bool,
) -> dict[str, Any]:  # fmt: skip
    spins = spinning and rng.random() < 0.6
    if keyed and rng.random() < 0.4:
        way = keyframes(rng, place, scale, turns=spins, start=start, grid=grid)
    else:
        earlier = start if rng.random() < 0.9 else start - float(rng.uniform(0.0, 1.0))
        pushed = push == "random" and rng.random() < 0.6
        way = motion(rng, place, scale, spins=spins, pushed=pushed, start=earlier, grid=grid)
        if push == "fall":
            way.arguments["acceleration"] = [0.0, 0.0, -3.0 * scale]
    body = {"shape": shape(rng, kind, 0.6 * scale, grid), "motion": way}
    if rng.random() < 0.6:
        body["mass"] = np.inf if rng.random() < 0.25 else float(rng.uniform(0.3, 3.0))
    if rng.random() < 0.3:
        body["group"] = int(rng.integers(0, 3))
    return body


def _add_acts(
    rng: np.random.Generator, story: Story, far: np.ndarray, room: float, scale: float, passing: bool, push: str
) -> None:
    """Up to four things that happen. Bodies that bounce only change their velocity: a jump would be an overlap of ours."""
    if rng.random() < 0.5 or len(story["bodies"]) < 2:
        return
    movable = [k for k, body in enumerate(story["bodies"]) if body["motion"].name == "Motion" and "mass" not in body]
    if rng.random() < 0.3 and passing:
        story["acts"].append((story["start"], "set_filter", 0, 1, False))
    for time in np.sort(story["start"] + rng.uniform(0.05, 2.5, int(rng.integers(1, 5)))).tolist():
        verb = pick(rng, ("set_motion", "jump", "remove", "add", "set_filter")) if passing else "steer"
        place = (far + rng.uniform(-room, room, 3)).tolist()
        way = motion(rng, place, scale, spins=False, pushed=push == "random", start=time)
        if verb == "add":
            story["acts"].append((time, "add", {"shape": shape(rng, "Sphere", 0.5 * scale), "motion": way}))
        elif verb == "set_filter":
            story["acts"].append((time, verb, 0, int(rng.integers(0, 3)), bool(rng.random() < 0.5)))
        elif movable:
            body = pick(rng, movable)
            if verb == "remove":
                movable.remove(body)
                story["acts"].append((time, verb, body))
            elif verb == "steer":
                story["acts"].append((time, verb, body, vector(rng, scale)))
            else:
                story["acts"].append((time, "set_motion", body, way))


def random_way(rng: np.random.Generator, story: Story) -> Way:
    """Another way to run a story."""
    way = plain_way(broad=pick(rng, carom.world.BROAD_PHASES))
    options, span = way["options"], (story["start"], story["until"])
    broad = options["broad"]
    if rng.random() < 0.3:
        options["queue"] = pick(rng, _QUEUES)
    if rng.random() < 0.2:
        options["narrow"] = "eager"
    if broad == "kinetic" and rng.random() < 0.3:
        options["overlap"] = "matrix"
    if broad in ("kinetic", "swept") and rng.random() < 0.2:
        options["axes"] = rng.normal(size=(int(rng.integers(3, 6)), 3)).tolist()
    if broad == "hash-grid" and rng.random() < 0.3:
        options["grid"] = "1d"
    if broad not in ("kinetic", "kinetic-grid", "all-pairs", "auto") and rng.random() < 0.4:
        options["frame"] = float(pick(rng, (1.0, 1.0 / 30.0, 0.001)))
    if broad == "vadop" and rng.random() < 0.5:
        options["slow"] = float(pick(rng, (0.0, 1.0, 30.0)))
    if broad in ("vadop", "kinetic-vadop") and rng.random() < 0.5:
        options["pool"] = int(pick(rng, (0, 3, 20)))
        if options["pool"]:
            options["zone"] = float(pick(rng, (0.02, 0.3)))
    kind = pick(rng, ("whole", "few", "many", "restore", "copy", "budget", "defer"))
    interrupt(rng, way, kind, span, many=61, copies=1)
    if kind == "budget":
        way["budget"] = pick(rng, (0.0, 1e-6, 1e-3))
    elif kind == "defer" and story["response"] is None and not story["acts"]:
        way["defers"] = [k for k in range(len(story["bodies"])) if rng.random() < 0.5]
        way["budget"] = pick(rng, (None, 1e-5))
    return way


def _fault(case: dict[str, Any]) -> str | None:
    reference = run(case, plain_way(broad="all-pairs"))
    for way in case["ways"]:
        log = run(case, way)
        if way["defers"]:
            log, first = _sorted(log), _sorted(reference)
        else:
            first = reference
        if not first.identical(log):
            case["ways"] = [way]
            return f"differs: {way['options']['broad']}: {difference(first, log)}"
    case["ways"] = []
    if case["response"] in (None, "watch"):
        return passing_fault(case, reference)
    if isinstance(case["response"], Call) and not any(act[1] != "steer" for act in case["acts"]):
        watch, way = Overlaps(case), plain_way()
        way["looks"] = np.linspace(case["start"], case["until"], _LOOKS).tolist()
        run(case, way, watch.look)
        return watch.fault
    return None


def _sorted(log: carom.ContactLog) -> carom.ContactLog:
    """The log in the order of time and ids: deferred contacts are told later than others."""
    order = np.lexsort((log.b, log.a, log.times))
    names = ("times", "a", "b", "points", "normals", "speeds", "features_a", "features_b", "status")
    return carom.ContactLog(*(getattr(log, name)[order] for name in names))
