"""Periodic worlds: bodies of all shapes in a box that repeats, against all images of each pair, one by one."""

from __future__ import annotations

import math
from itertools import combinations, product
from typing import Any

import numpy as np

from fuzz.cases.calls import Call
from fuzz.cases.generate import WORLD_SHAPES, motion, pick, scale_of, shape
from fuzz.cases.stories import difference, plain_way, program, run
from fuzz.failure import check_case
from fuzz.oracle.flight import bounds_at, first_fault
from fuzz.oracle.worlds import Body, bodies_of, slack_of

_UNTIL = 2.0


def cases(seed: int) -> None:
    """Run one random case."""
    check_case(seed, random_case, _fault, script)


def random_case(rng: np.random.Generator) -> dict[str, Any]:
    scale = scale_of(rng)
    periods = [None if rng.random() < 0.3 else float(scale * rng.uniform(5.0, 8.0)) for _ in range(3)]
    if not any(periods):
        periods[0] = 6.0 * scale
    bodies = []
    spinning = rng.random() < 0.3
    for _ in range(int(rng.integers(2, 7))):
        place = (rng.uniform(-1.0, 2.0, 3) * 5.0 * scale).tolist()
        way = motion(rng, place, scale, spins=spinning and rng.random() < 0.5, pushed=False, start=0.0)
        bodies.append({"shape": shape(rng, pick(rng, WORLD_SHAPES), 0.35 * scale), "motion": way})
    story = {
        "start": 0.0,
        "until": _UNTIL,
        "bodies": bodies,
        "acts": [],
        "response": pick(rng, (None, None, Call("Elastic"))),
    }
    way = plain_way(periodic=tuple(periods), queue=pick(rng, ("tournament", "heap4", "fibonacci")))
    match pick(rng, ("whole", "many", "restore")):
        case "many":
            way["looks"] = np.linspace(0.0, _UNTIL, 41)[1:].tolist()
        case "restore":
            way["restores"] = rng.uniform(0.0, _UNTIL, 2).tolist()
    way["audits"] = bool(rng.random() < 0.5)
    return {**story, "ways": [way]}


def script(case: dict[str, Any]) -> str:
    """The case as a program."""
    return program(case, _whole(case), *case["ways"])


def _whole(case: dict[str, Any]) -> dict[str, Any]:
    return plain_way(periodic=case["ways"][0]["options"]["periodic"])


def _fault(case: dict[str, Any]) -> str | None:
    if not case["ways"] or "periodic" not in case["ways"][0]["options"]:
        return None
    reference, log = run(case, _whole(case)), run(case, case["ways"][0])
    if not reference.identical(log):
        return f"differs: {difference(reference, log)}"
    if case["response"] is not None:
        return None
    periods = [length or 0.0 for length in case["ways"][0]["options"]["periodic"]]
    bodies = bodies_of(case)
    for i, j in combinations(range(len(bodies)), 2):
        times = reference.times[(reference.a == i) & (reference.b == j)]
        wrong = _pair_fault(bodies[i], bodies[j], periods, times)
        if wrong is not None:
            kind, _, rest = wrong.partition(":")
            return f"{kind}: bodies {i} and {j},{rest}"
    return None


def _images(a: Body, b: Body, periods: list[float]) -> list[np.ndarray]:
    """Motion rows of the images of b that come near a at all."""
    row_a, row_b = a.rows[0][1], b.rows[0][1]
    offset, velocity = row_b[:3] - row_a[:3], row_b[3:6] - row_a[3:6]
    middle = offset + 0.5 * _UNTIL * velocity
    room = 0.5 * _UNTIL * np.abs(velocity) + a.reach + b.reach
    ranges = [
        range(math.ceil((-m - r) / p), math.floor((r - m) / p) + 1) if p else range(1)
        for m, r, p in zip(middle, room, periods, strict=True)
    ]
    images = []
    for counts in product(*ranges):
        image = row_b.copy()
        image[:3] += np.array(counts) * periods
        images.append(image)
    return images


def _pair_fault(a: Body, b: Body, periods: list[float], times: np.ndarray) -> str | None:
    """What is wrong with the first contact of two bodies, or of any contact that is none."""
    row_a, images = a.rows[0][1], _images(a, b, periods)
    if not images:
        return f"false: no image comes near, but {len(times)} contacts" if len(times) else None
    size, slack = slack_of(a, b, row_a, images[0], _UNTIL)
    for time in times:
        lower = min(bounds_at(a.pieces, row_a, b.pieces, image, time)[0] for image in images)
        if lower > 2e-9 * size + 4.0 * slack:
            return f"false: {lower:.3g} apart at {float(time)!r}"
    for image in images:
        # A first contact with another image is as good; a later time than this image's own is not.
        begin = bounds_at(a.pieces, row_a, b.pieces, image, 0.0)
        if begin[2] > 1e-6 * size and not (times == 0.0).any():
            return f"start: overlapping by {begin[2]:.3g} and nothing says so"
        if begin[0] > 4.0 * slack + 4e-9 * size:
            first = float(times[0]) if len(times) else math.inf
            end = min(_UNTIL, first)
            wrong = first_fault(
                a.pieces, row_a, a.reach, b.pieces, image, b.reach, 0.0, end, math.inf, slack, 2e-9 * size
            )
            if wrong is not None and first > 0.0 and not (math.isfinite(first) and _touches(wrong, first)):
                return wrong.replace("reported at inf", f"reported at {first!r}")
    return None


def _touches(wrong: str, first: float) -> bool:
    """Is the overlap found only at the reported time itself, to which the search goes?"""
    return f" at {first!r}," in wrong
