"""Guided bodies of every shape that keep their limits exactly, with slack, or break them, in one world with all other bodies.

They are told where they are late, ahead of time, several times at one instant, or not until their limits have expired; saved,
copied and looked at on the way. Two broad phases must give one log, and the log must be true of the way they took.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from fuzz.cases.calls import Call
from fuzz.cases.generate import WORLD_SHAPES, keyframes, motion, pick, quaternion, scale_of, shape, vector
from fuzz.cases.stories import Story, Way, difference, interrupt, plain_way, program, run
from fuzz.failure import check_case
from fuzz.oracle.worlds import passing_fault

_BROADS = (
    "auto", "kinetic", "kinetic-grid", "swept", "uniform-grid", "hash-grid", "aabb-tree", "space-time", "vadop",
    "kinetic-vadop",
)  # fmt: skip
_ENDLESS = 1e3
"""Limit on the acceleration, in sizes per s^2, that no way breaks."""


def cases(seed: int) -> None:
    """Run one random case."""
    check_case(seed, random_case, _fault, script)


def random_case(rng: np.random.Generator) -> dict[str, Any]:
    scale = scale_of(rng)
    start = 0.0 if rng.random() < 0.8 else pick(rng, (-5.0, 100.0, 7e4))
    room = scale * pick(rng, (1.0, 2.0))
    story: Story = {"start": start, "until": start, "response": None, "bodies": [], "acts": []}
    for _ in range(int(rng.integers(0, 5))):
        story["bodies"].append(_other(rng, room, scale, start))
    for _ in range(int(rng.integers(1, 4))):
        _add_hands(rng, story, room, scale)
    story["acts"].sort(key=lambda act: act[0])
    story["until"] = max([act[0] for act in story["acts"]], default=start) + pick(rng, (0.01, 1.0, 3.0, 500.0))
    return {**story, "ways": [_way(rng, story)]}


def script(case: dict[str, Any]) -> str:
    return program(case, plain_way(broad="all-pairs"), *case["ways"])


def _other(rng: np.random.Generator, room: float, scale: float, start: float) -> dict[str, Any]:
    """A body that nobody steers: straight, accelerated, spinning, keyframed, or a half-space."""
    place = (rng.normal(size=3) * 1.5 * room).tolist()
    kind = pick(rng, (*WORLD_SHAPES, "HalfSpace"))
    if kind == "HalfSpace":
        way = motion(rng, place, 0.3 * scale, spins=False, pushed=False, start=start)
        way.arguments.pop("orientation")
    elif rng.random() < 0.3:
        way = keyframes(rng, place, scale, turns=rng.random() < 0.5, start=start)
    else:
        way = motion(rng, place, scale, spins=rng.random() < 0.3, pushed=rng.random() < 0.3, start=start)
    body = {"shape": shape(rng, kind, 0.6 * scale), "motion": way}
    if kind == "HalfSpace":
        body["mass"] = np.inf
    return body


def _add_hands(rng: np.random.Generator, story: Story, room: float, scale: float) -> None:
    """One guided body, or several that are the pieces of one, and when they are told what."""
    pieces = 1 if rng.random() < 0.75 else int(rng.integers(2, 4))
    offsets = rng.normal(size=(pieces, 3)) * 0.3 * scale * (pieces > 1)
    group = len(story["bodies"]) + 1 if pieces > 1 else 0
    shapes = [shape(rng, pick(rng, WORLD_SHAPES), 0.5 * scale) for _ in range(pieces)]
    ids = range(len(story["bodies"]), len(story["bodies"]) + pieces)
    if group:
        story["acts"].append((story["start"], "set_filter", group, group, False))
    told = list(_told(rng, rng.normal(size=3) * 1.5 * room, scale, story["start"]))
    for offset, form in zip(offsets, shapes, strict=True):
        first = _moved(told[0][1], offset)
        first.arguments["start"] = min(first["start"], story["start"])
        story["bodies"].append({"shape": form, "motion": first, "group": group})
    for now, state in told[1:]:
        story["acts"] += [
            (now, "set_motion", body, _moved(state, offset)) for body, offset in zip(ids, offsets, strict=True)
        ]
    if pieces == 1 and rng.random() < 0.1:
        now = float(told[-1][0] + rng.uniform(0.0, 0.5))
        plain = motion(rng, vector(rng, room), scale, spins=rng.random() < 0.5, pushed=False, start=now)
        story["acts"].append((now, "set_motion", ids[0], plain))


def _moved(state: Call, offset: np.ndarray) -> Call:
    where = (np.asarray(state["position"]) + offset).tolist()
    return Call("Guided", **{**state.arguments, "position": where})


def _told(rng: np.random.Generator, place: np.ndarray, scale: float, start: float) -> Any:
    """What a user says, and when: pairs (now, Guided). The first is said at the start.

    The way is one of constant acceleration from state to state; limits are those that it keeps exactly, larger or smaller ones.
    """
    push, speed = pick(rng, (0.0, 0.5, 4.0)) * scale, pick(rng, (0.0, 0.3, 1.0, 3.0)) * scale
    velocity = rng.normal(size=3) * speed
    steady, turn = _unit(rng), quaternion(rng)
    kept = pick(rng, ("exactly", "exactly", "with slack", "broken", "endless", "speed"))
    limit = {"exactly": push, "with slack": 10.0 * push + scale, "broken": 0.1 * push, "endless": _ENDLESS * scale}
    straight, jumps = rng.random() < 0.3, rng.random() < 0.15
    lasts = pick(rng, (0.0, 1e-3, 0.1, 0.7, 5.0, 1e4))
    ahead = pick(rng, ("step", "now", "mixed", "mixed"))
    time, now = start, start
    for k in range(int(rng.integers(1, 14))):
        if k:
            span = float(pick(rng, (1e-3, 0.02, 0.1, 0.1, 0.5, 0.5, 2.0)) * rng.uniform(0.2, 1.0))
            if rng.random() < 0.04:
                span = float(pick(rng, (1e3, 9e4)) * rng.uniform(0.2, 1.0))
                push = 0.0
                velocity = velocity * min(1.0, 1e-2 * scale / max(float(np.linalg.norm(velocity)), 1e-300))
            direction = np.zeros(3) if rng.random() < 0.1 else steady if rng.random() < 0.6 else _unit(rng)
            if kept == "speed":
                place = place + direction * speed * span
                velocity = direction * speed
            else:
                place = place + velocity * span + 0.5 * push * span**2 * direction
                velocity = velocity + push * span * direction
            if jumps and rng.random() < 0.3:
                place = place + rng.normal(size=3) * scale
            now = _when(rng, ahead, now, time, time + span)
            time += span
        if rng.random() < 0.2:
            turn = quaternion(rng)
        arguments: dict[str, Any] = {
            "position": place.tolist(),
            "velocity": (velocity if not straight else np.zeros(3)).tolist(),
            "expires": time + lasts,
            "start": time,
            "orientation": turn,
        }
        if kept == "speed":
            arguments |= {"max_acceleration": np.inf, "max_speed": speed * (1.0 + 1e-12)}
            arguments["velocity"] = [0.0, 0.0, 0.0]
        else:
            arguments["max_acceleration"] = limit[kept]
            if rng.random() < 0.2:
                arguments["direction"] = (-steady).tolist()
        yield now, Call("Guided", **arguments)
        if rng.random() < 0.08:  # says it again, or something else at the same instant
            other = place + rng.normal(size=3) * pick(rng, (0.0, 1e-3, 1.0)) * scale
            if k:
                yield now, Call("Guided", **{**arguments, "position": other.tolist()})
                place = other


def _when(rng: np.random.Generator, ahead: str, now: float, before: float, time: float) -> float:
    """When a user says where a body is at `time`: when it was where it was said to be before, later, at that time, or after."""
    way = ahead if ahead != "mixed" else pick(rng, ("step", "step", "now", "half", "late"))
    said = {
        "step": before,
        "now": time,
        "half": before + float(rng.uniform(0.0, 1.0)) * (time - before),
        "late": time + float(rng.uniform(0.0, 0.3)),
    }
    return max(now, said[way])


def _unit(rng: np.random.Generator) -> np.ndarray:
    v = rng.normal(size=3)
    return v / np.linalg.norm(v)


def _way(rng: np.random.Generator, story: Story) -> Way:
    """Another way to run the story."""
    way = plain_way(broad=pick(rng, _BROADS))
    span = (story["start"], story["until"])
    if rng.random() < 0.2:
        way["options"]["narrow"] = "eager"
    if rng.random() < 0.2:
        way["options"]["frame"] = float(pick(rng, (1.0, 1.0 / 30.0, 0.001)))
    kind = pick(rng, ("whole", "few", "many", "restore", "copy", "budget"))
    interrupt(rng, way, kind, span, many=41, copies=2)
    if kind == "budget":
        # Without one a call handles a single event: too many calls where nobody says anything for long.
        way["budget"] = pick(rng, (0.0, 1e-6, 1e-3) if span[1] - span[0] < 50.0 else (1e-3,))
    return way


def _fault(case: dict[str, Any]) -> str | None:
    reference = run(case, plain_way(broad="all-pairs"))
    for way in case["ways"]:
        log = run(case, way)
        if not reference.identical(log):
            return f"differs: {way['options']['broad']}: {difference(reference, log)}"
    return passing_fault(case, reference, once=True)
