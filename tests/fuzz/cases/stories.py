"""Worlds as data: bodies, what happens to them when, and how the run is cut; to be run, printed, and made smaller.

A story has start, until, response, bodies, acts [(time, verb, ...)] and ways. A way says how the same story is run: options of
the world, times at which it is advanced, saved or audited, a budget, bodies that are deferred. All ways give one log.
"""

from __future__ import annotations

import copy
import inspect
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

import carom
from fuzz.cases import responses
from fuzz.cases.calls import made, source
from fuzz.cases.refused import Refused

MOST_CONTACTS = 4000
"""Contacts after which a run is broken off: hops on a floor, which show nothing new."""
ENDLESS = "do not come to an end: the response lets them approach again"
"""The error of a world whose response lets bodies touch for ever at one instant, which is the fault of the response."""
_MOST_LOOKS = 20_000
"""Calls of advance within a budget, each of which must get on."""

Story = dict[str, Any]
Way = dict[str, Any]
Step = tuple[Any, ...]


class TooMany(Refused):
    """More contacts than a case may have."""


class NoProgress(AssertionError):
    """advance(until, budget) does not reach `until`."""


def plain_way(**options: Any) -> Way:
    """One call of advance between acts."""
    return {
        "options": options,
        "looks": [],
        "restores": [],
        "copies": [],
        "audits": False,
        "budget": None,
        "defers": [],
    }


def interrupt(rng: np.random.Generator, way: Way, kind: str, span: tuple[float, float], many: int, copies: int) -> None:
    """Divide the story at few or many times, or save and restore or copy the world on the way; audit some worlds."""
    way["audits"] = bool(rng.random() < 0.5)
    if kind == "few":
        way["looks"] = rng.uniform(*span, 3).tolist()
    elif kind == "many":
        way["looks"] = np.linspace(*span, many)[1:].tolist()
    elif kind == "restore":
        way["restores"] = rng.uniform(*span, 2).tolist()
    elif kind == "copy":
        way["copies"] = rng.uniform(*span, copies).tolist()


def steps(story: Story, way: Way) -> Iterator[Step]:
    """What is done with the world, in order."""
    for body in story["bodies"]:
        yield ("add", body)
    if way["defers"]:
        yield ("defer", way["defers"])
    times = {story["until"], *way["looks"], *way["restores"], *way["copies"], *(act[0] for act in story["acts"])}
    for time in sorted(t for t in times if story["start"] <= t <= story["until"]):
        yield ("advance", time, way["budget"])
        for act in story["acts"]:
            if act[0] == time:
                yield act[1:]
        if time in way["restores"]:
            yield ("restore", way["options"])
        if time in way["copies"]:
            yield ("copy",)
        if way["audits"]:
            yield ("audit",)


def run(story: Story, way: Way, look: Callable[[carom.World], None] | None = None) -> carom.ContactLog:
    """The whole log. look: called after every advance."""
    response = _response(story["response"])
    world = carom.World(response=response, start=story["start"], **made(way["options"]))
    logs: list[carom.ContactLog] = []
    for step in steps(story, way):
        match step:
            case ("add", body):
                _add(world, body)
            case ("advance", time, budget):
                try:
                    logs += _advanced(world, time, budget)
                except carom.CaromError as error:
                    if ENDLESS not in str(error):
                        raise
                    raise TooMany from None
                if sum(map(len, logs)) > MOST_CONTACTS:
                    raise TooMany
                if look is not None:
                    look(world)
            case ("set_motion", body, motion):
                world.set_motion(body, motion.make())
            case ("steer", body, velocity):
                motion = world.motion(body)
                place, turn = motion.position_at(world.time), motion.orientation_at(world.time)
                world.set_motion(
                    body, carom.Motion(place, velocity, motion.acceleration, turn, motion.spin, world.time)
                )  # fmt: skip
            case ("remove", body):
                world.remove(body)
            case ("set_filter", group, other, collide):
                world.set_filter(group, other, collide)
            case ("defer", bodies):
                world.defer(bodies)
            case ("restore", options):
                shapes = [world.shape(k) for k in world.bodies]
                world = carom.World.restore(world.snapshot(), shapes, response, **made(options))
            case ("copy",):
                world = copy.deepcopy(world)
            case ("audit",):
                world.audit()
    return carom.ContactLog.concatenate(logs)


def _add(world: carom.World, body: dict[str, Any]) -> None:
    try:
        world.add(**{key: made(value) for key, value in body.items()})
    except carom.InvalidInputError as error:
        if "too large" not in str(error):  # for periodic space, which takes no larger ones
            raise
        raise Refused(str(error)) from None


def _response(response: Any) -> Any:
    if not isinstance(response, str):
        return made(response)
    respond, left = getattr(responses, response), iter(range(MOST_CONTACTS))

    def limited(world: carom.World, contact: carom.Contact) -> None:
        if next(left, None) is None:
            raise TooMany
        respond(world, contact)

    return limited


def _advanced(world: carom.World, time: float, budget: float | None) -> list[carom.ContactLog]:
    if budget is None:
        return [world.advance(time)]
    logs = []
    for _ in range(_MOST_LOOKS):
        log = world.advance(time, budget=budget)
        logs.append(log)
        if log.reached >= time and not len(log.deferred):
            return logs
    raise NoProgress(f"advance({time!r}, budget={budget!r}) stands at {world.time!r} after {_MOST_LOOKS} calls")


def program(story: Story, *ways: Way) -> str:
    """A script that runs the story in each way and prints the logs."""
    text = ["import copy\n\nimport carom\n\n"]
    if isinstance(story["response"], str):
        text.append(f"\n{inspect.getsource(getattr(responses, story['response']))}\n\nresponse = {story['response']}\n")
    else:
        text.append(f"response = {source(story['response'])}\n")
    for k, way in enumerate(ways):
        text.append(f"\n\ndef run_{k}():\n    options = {source(way['options'])}\n")
        text.append(f"    world = carom.World(response=response, start={story['start']!r}, **options)\n    logs = []\n")
        text += [f"    {line}\n" for step in steps(story, way) for line in _lines(step)]
        text.append("    return carom.ContactLog.concatenate(logs)\n")
    text.append("\n\n" + "".join(f"log_{k} = run_{k}()\n" for k in range(len(ways))))
    text.append("for log in (" + "".join(f"log_{k}, " for k in range(len(ways))) + "):\n")
    text.append(
        '    print(log)\n    for c in log:\n        print(f"{c.time!r} {c.a} {c.b} {c.point} {c.speed!r} {c.status}")\n'
    )
    text += [f'print("identical:", log_0.identical(log_{k}))\n' for k in range(1, len(ways))]
    return "".join(text)


def _lines(step: Step) -> list[str]:
    match step:
        case ("add", body):
            return [f"world.add({', '.join(f'{key}={source(value)}' for key, value in body.items())})"]
        case ("advance", time, None):
            return [f"logs.append(world.advance({time!r}))"]
        case ("advance", time, budget):
            again = f"while logs[-1].reached < {time!r} or len(logs[-1].deferred):"
            call = f"logs.append(world.advance({time!r}, budget={budget!r}))"
            return [call, again, f"    {call}"]
        case ("steer", body, velocity):
            return [
                f"m = world.motion({body})",
                "at, turn = m.position_at(world.time), m.orientation_at(world.time)",
                f"world.set_motion({body}, carom.Motion(at, {source(velocity)}, m.acceleration, turn, m.spin, world.time))",
            ]
        case ("restore", options):
            return [
                "shapes = [world.shape(k) for k in world.bodies]",
                f"world = carom.World.restore(world.snapshot(), shapes, response, **{source(options)})",
            ]
        case ("copy",):
            return ["world = copy.deepcopy(world)"]
        case (verb, *arguments):
            return [f"world.{verb}({', '.join(map(source, arguments))})"]
    raise ValueError(step)


def difference(one: carom.ContactLog, other: carom.ContactLog) -> str:
    """The first thing in which two logs differ."""
    for k in range(min(len(one), len(other))):
        for name in ("times", "a", "b", "points", "normals", "speeds", "features_a", "features_b", "status"):
            x, y = getattr(one, name)[k], getattr(other, name)[k]
            if (x != y).any() if name in ("points", "normals") else x != y:
                return f"row {k}: {name} {x!r} against {y!r}, pair {one.a[k]}, {one.b[k]} at {float(one.times[k])!r}"
    return f"{len(one)} rows against {len(other)}"
