"""Times of impact of two shapes: every pairing, motion and scale; far from the origin, touching or overlapping at the start."""

from __future__ import annotations

import itertools
import math
from typing import Any

import numpy as np

import carom
from fuzz.cases.calls import made, source
from fuzz.cases.generate import keyframes, motion, pick, scale_of, shape, two_kinds
from fuzz.failure import check_case
from fuzz.oracle.flight import bounds_at, first_fault, stretches
from fuzz.oracle.pieces import Pieces, hull, pieces_of, reach


def cases(seed: int) -> None:
    """Run one random case."""
    check_case(seed, random_case, _fault, script)


_UNTIL = 5.0


def random_case(rng: np.random.Generator) -> dict[str, Any]:
    scale, grid = scale_of(rng), rng.random() < 0.25
    kinds = two_kinds(rng)
    start = pick(rng, (0.0, 0.0, 0.0, -5.0, 100.0))
    far = np.zeros(3) if rng.random() < 0.8 else rng.normal(size=3) * scale * 1e4
    case: dict[str, Any] = {}
    keyed = rng.random() < 0.15
    apart = rng.normal(size=3)
    apart *= pick(rng, (0.0, 0.5, 2.0, 5.0)) * scale / max(float(np.linalg.norm(apart)), 1e-9)
    for name, kind, place in (("a", kinds[0], far), ("b", kinds[1], far + apart)):
        at = (np.round(place / scale * 4.0) / 4.0 * scale if grid else place).tolist()
        case[name] = shape(rng, kind, scale * pick(rng, (0.1, 1.0, 1.0, 1.0)), grid)
        spins = kind != "HalfSpace" and rng.random() < 0.4 and not grid
        if keyed and rng.random() < 0.7:
            way = keyframes(rng, at, scale, turns=spins, start=start, grid=grid)
        else:
            way = motion(rng, at, scale, spins=spins, pushed=rng.random() < 0.3, start=start, grid=grid)
        case[f"motion_{name}"] = way
    if apart.any() and rng.random() < 0.7 and case["motion_b"].name == "Motion":  # towards each other
        case["motion_b"].arguments["velocity"] = (
            -apart * rng.uniform(0.3, 1.5) + rng.normal(size=3) * 0.2 * scale
        ).tolist()
    case["until"] = start + _UNTIL
    return case


def script(case: dict[str, Any]) -> str:
    return (
        "import carom\n\n"
        + "".join(f"{name} = {source(case[name])}\n" for name in ("a", "b", "motion_a", "motion_b"))
        + f"print(carom.time_of_impact(a, b, motion_a, motion_b, until={case['until']!r}))\n"
    )


def _fault(case: dict[str, Any]) -> str | None:
    a, b, motion_a, motion_b = (made(case[name]) for name in ("a", "b", "motion_a", "motion_b"))
    try:
        hit = carom.time_of_impact(a, b, motion_a, motion_b, case["until"])
    except carom.errors.SearchLimitError:  # bodies that roll within the tolerance of each other for long: documented
        return None
    first, second = pieces_of(a), pieces_of(b)
    found = math.inf if hit is None else hit.time
    ways = stretches(motion_a), stretches(motion_b)
    wrong = _first_wrong(first, second, ways, _begin(motion_a, motion_b), case["until"], found)
    if wrong is None and hit is not None:
        wrong = _wrong_contact(hit, first, second, ways, case)
    if wrong is None:
        back = carom.time_of_impact(b, a, motion_b, motion_a, case["until"])
        met = math.inf if back is None else back.time
        wrong = _first_wrong(second, first, ways[::-1], _begin(motion_a, motion_b), case["until"], met)
        return None if wrong is None else f"{wrong} (b and a exchanged)"
    return wrong


def _begin(motion_a: Any, motion_b: Any) -> float:
    """From when on a pair is looked at: the later start of motions, or the earliest key."""
    given = [m.start for m in (motion_a, motion_b) if isinstance(m, carom.Motion)]
    return max(given) if given else min(m.times[0] for m in (motion_a, motion_b))


def smaller_size(first: Pieces, second: Pieces) -> float:
    """Reach of the smaller body that is not a half-space."""
    return min(size for size in (reach(first), reach(second)) if size > 0.0)


def slack_of(first: Pieces, second: Pieces, ways: Any, end: float) -> float:
    """Length by which rounding may deceive: positions, and speeds times the clock's last digit."""
    rows = [s.row for way in ways for s in way]
    place = max(float(np.abs(row[0:3]).max()) for row in rows)
    dt = max(abs(end - row[16]) for row in rows)
    speed = max(float(np.linalg.norm(r[3:6]) + dt * np.linalg.norm(r[6:9]) + np.linalg.norm(r[13:16]) * 2.0 *
                      max(reach(first), reach(second))) for r in rows)  # fmt: skip
    clock = abs(end) + max(abs(row[16]) for row in rows)
    extent = (
        place
        + speed * dt
        + reach(first)
        + reach(second)
        + float(np.abs(np.r_[first.size.ravel(), second.size.ravel()]).max())
    )
    return 1e-10 * smaller_size(first, second) + 1e-13 * extent + 4e-16 * speed * clock


def _first_wrong(first: Pieces, second: Pieces, ways: Any, begin: float, end: float, found: float) -> str | None:
    size, slack = smaller_size(first, second), slack_of(first, second, ways, end)
    cuts = sorted({begin, end, *(s.start for way in ways for s in way if begin < s.start < end)})
    for start, stop in itertools.pairwise(cuts):
        row_a, row_b = ([s.row for s in way if s.start <= start][-1] for way in ways)
        wrong = first_fault(
            first, row_a, reach(first), second, row_b, reach(second), start, stop, found, slack, 2e-9 * size
        )
        if wrong is not None or found <= stop:
            return wrong
    return None


def _rows_at(ways: Any, time: float) -> list[np.ndarray]:
    return [[s.row for s in way if s.start <= time][-1] for way in ways]


def _wrong_contact(hit: Any, first: Pieces, second: Pieces, ways: Any, case: dict[str, Any]) -> str | None:
    """Point on both bodies, a unit normal, and a status that is documented."""
    if hit.status not in (0, 1, 3):
        return f"status: {hit.status} is not documented"
    if abs(float(np.linalg.norm(hit.normal)) - 1.0) > 1e-9:
        return f"normal: {hit.normal} is no unit vector"
    rows = _rows_at(ways, hit.time)
    tolerance = 1e-6 * smaller_size(first, second) + 1e3 * slack_of(first, second, ways, case["until"])
    point = hull(np.zeros(3))
    here = np.concatenate([hit.point, np.zeros(6), (1.0, 0.0, 0.0, 0.0), np.zeros(4)])
    for name, body, row in zip("ab", (first, second), rows, strict=True):
        lower, *_ = bounds_at(body, row, point, here, hit.time)
        if lower > tolerance and hit.status != 1:
            return f"point: {hit.point} is {lower:.3g} off body {name}"
    return None
