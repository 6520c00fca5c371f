"""Guided bodies: told where they are now and then, straight in between, in one world with others; limits kept and broken."""

from __future__ import annotations

from typing import Any

import numpy as np

import carom
from fuzz.calls import Call, made, source
from fuzz.failure import check_case
from fuzz.generate import motion, pick, scale_of, shape
from fuzz.oracle.worlds import passing_fault
from fuzz.stories import difference

_BROADS = (
    "auto",
    "kinetic",
    "kinetic-grid",
    "swept",
    "uniform-grid",
    "hash-grid",
    "aabb-tree",
    "space-time",
    "vadop",
    "kinetic-vadop",
)
_KINDS = ("Sphere", "Box", "Capsule", "Convex", "Mesh")
_ANYWHERE = 1e3
"""Limit on the acceleration, in sizes per s^2, that no way breaks."""


def cases(seed: int) -> None:
    """Run one random case."""
    check_case(seed, random_case, _fault, script)


def random_case(rng: np.random.Generator) -> dict[str, Any]:
    scale = scale_of(rng)
    others = []
    for _ in range(int(rng.integers(1, 5))):
        way = motion(
            rng, (rng.normal(size=3) * 2.0 * scale).tolist(), scale, spins=False, pushed=rng.random() < 0.2, start=0.0
        )
        others.append({"shape": shape(rng, pick(rng, _KINDS), 0.6 * scale), "motion": way})
    times = np.cumsum(rng.uniform(0.02, 0.5, int(rng.integers(2, 12))))
    hands = []
    for _ in range(int(rng.integers(1, 3))):
        steps = rng.normal(size=(len(times) + 1, 3)) * pick(rng, (0.0, 0.2, 0.6)) * scale
        steps[rng.random(len(steps)) < 0.1] *= 10.0
        places = rng.normal(size=3) * scale + np.cumsum(steps, axis=0)
        hands.append(
            {
                "shape": shape(rng, pick(rng, _KINDS), 0.5 * scale),
                "places": places.tolist(),
                "push": pick(rng, (0.0, 1.0, _ANYWHERE)) * scale,
                "lasts": pick(rng, (0.02, 0.7, 5.0)),
            }
        )
    return {
        "others": others,
        "hands": hands,
        "times": times.tolist(),
        "broad": pick(rng, _BROADS),
        "audits": bool(rng.random() < 0.5),
    }


def script(case: dict[str, Any]) -> str:
    return (
        "import carom\n\n"
        + "".join(f"{name} = {source(case[name])}\n" for name in ("others", "hands", "times"))
        + "\n\ndef told(hand, place, start):\n"
        "    return carom.Guided(place, (0, 0, 0), hand['push'], start + hand['lasts'], start=start)\n\n\n"
        f"for broad in ('all-pairs', {case['broad']!r}):\n"
        "    world = carom.World(broad=broad)\n"
        "    for body in others:\n        world.add(**body)\n"
        "    ids = [world.add(hand['shape'], told(hand, hand['places'][0], 0.0)) for hand in hands]\n"
        "    for k, t in enumerate(times):\n"
        "        for body, hand in zip(ids, hands):\n"
        "            world.set_motion(body, told(hand, hand['places'][k + 1], t))\n"
        "        for c in world.advance(t):\n            print(broad, repr(c.time), c.a, c.b, c.point, c.status)\n"
    )


def _log(case: dict[str, Any], broad: str, audits: bool) -> carom.ContactLog:
    world = carom.World(broad=broad)
    for body in case["others"]:
        world.add(**made(body))

    def told(hand: dict[str, Any], place: Any, start: float) -> carom.Guided:
        return carom.Guided(place, (0.0, 0.0, 0.0), hand["push"], start + hand["lasts"], start=start)

    ids = [world.add(made(hand["shape"]), told(hand, hand["places"][0], 0.0)) for hand in case["hands"]]
    logs = []
    for k, time in enumerate(case["times"]):
        for body, hand in zip(ids, case["hands"], strict=True):
            world.set_motion(body, told(hand, hand["places"][k + 1], time))
        logs.append(world.advance(time))
        if audits:
            world.audit()
    return carom.ContactLog.concatenate(logs)


def _fault(case: dict[str, Any]) -> str | None:
    if not case["times"] or any(len(hand["places"]) <= len(case["times"]) for hand in case["hands"]):
        return None
    reference, log = _log(case, "all-pairs", False), _log(case, case["broad"], case["audits"])
    if not reference.identical(log):
        return f"differs: {case['broad']}: {difference(reference, log)}"
    keys = [0.0, *case["times"]]
    led = [
        {"shape": hand["shape"], "motion": Call("Keyframes", times=keys, positions=hand["places"][: len(keys)])}
        for hand in case["hands"]
    ]
    story = {"start": 0.0, "until": keys[-1], "bodies": [*case["others"], *led], "acts": []}
    return passing_fault(story, reference, once=True)
