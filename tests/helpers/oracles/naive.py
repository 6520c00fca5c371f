"""Slow oracles for the engine: plain Python, no code shared with carom."""

from __future__ import annotations

import itertools
import math
from fractions import Fraction

import numpy as np


def _pair_time(p: np.ndarray, q: np.ndarray, u: np.ndarray, v: np.ndarray, reach: float) -> float:
    """Seconds until two spheres moving straight touch; inf if never or parting."""
    d, w = q - p, v - u
    b = float(d @ w)
    if b >= 0.0:
        return math.inf
    c = float(d @ d) - reach * reach
    disc = b * b - float(w @ w) * c
    if disc <= 0.0:
        return math.inf
    return max(0.0, c / (math.sqrt(disc) - b))


def simulate_spheres(
    positions: np.ndarray, velocities: np.ndarray, masses: np.ndarray, radius: float, until: float
) -> list[tuple[float, int, int]]:
    """Elastic spheres in free space: (time, i, j) of every contact. Every body is moved at every event."""
    p, v = positions.copy(), velocities.copy()
    now, log = 0.0, []
    while True:
        best = (math.inf, -1, -1)
        for i in range(len(p)):
            for j in range(i + 1, len(p)):
                best = min(best, (_pair_time(p[i], p[j], v[i], v[j], 2.0 * radius), i, j))
        wait, i, j = best
        if now + wait > until:
            return log
        now += wait
        p += v * wait
        normal = (p[j] - p[i]) / np.linalg.norm(p[j] - p[i])
        impulse = 2.0 * float((v[i] - v[j]) @ normal) / (1.0 / masses[i] + 1.0 / masses[j])
        v[i] -= impulse / masses[i] * normal
        v[j] += impulse / masses[j] * normal
        log.append((now, i, j))


def first_sphere_contact(
    offset: np.ndarray, velocity: np.ndarray, acceleration: np.ndarray, reach: float, until: float
) -> float:
    """First s in [0, until] with |offset + velocity s + acceleration s^2/2| = reach, starting outside; inf if none.

    Exact rational arithmetic: Sturm's theorem counts the roots in an interval, bisection finds the first.
    """
    d, v, a = ([Fraction(float(x)) for x in vector] for vector in (offset, velocity, acceleration))
    polynomial = [
        sum(x * x for x in d) - Fraction(reach) ** 2,
        2 * sum(x * y for x, y in zip(d, v, strict=True)),
        sum(x * x for x in v) + sum(x * y for x, y in zip(d, a, strict=True)),
        sum(x * y for x, y in zip(v, a, strict=True)),
        sum(x * x for x in a) / 4,
    ]
    chain = _sturm_chain(polynomial)
    low, high = Fraction(0), Fraction(until)
    if _roots_between(chain, low, high) == 0:
        return math.inf
    while high - low > Fraction(1, 10**13):
        middle = (low + high) / 2
        if _roots_between(chain, low, middle):
            high = middle
        else:
            low = middle
    return float(low)


def _value(polynomial: list[Fraction], s: Fraction) -> Fraction:
    result = Fraction(0)
    for c in reversed(polynomial):
        result = result * s + c
    return result


def _remainder(a: list[Fraction], b: list[Fraction]) -> list[Fraction]:
    rest = list(a)
    while len(rest) >= len(b) and any(rest):
        factor = rest[-1] / b[-1]
        shift = len(rest) - len(b)
        for k, c in enumerate(b):
            rest[shift + k] -= factor * c
        rest.pop()
    return _trimmed(rest)


def _trimmed(polynomial: list[Fraction]) -> list[Fraction]:
    while polynomial and polynomial[-1] == 0:
        polynomial = polynomial[:-1]
    return polynomial


def _sturm_chain(polynomial: list[Fraction]) -> list[list[Fraction]]:
    first = _trimmed(polynomial)
    chain = [first, _trimmed([k * c for k, c in enumerate(first)][1:])]
    while chain[-1]:
        chain.append([-c for c in _remainder(chain[-2], chain[-1])])
    return chain[:-1]


def _roots_between(chain: list[list[Fraction]], low: Fraction, high: Fraction) -> int:
    def changes(s: Fraction) -> int:
        signs = [value > 0 for polynomial in chain if (value := _value(polynomial, s)) != 0]
        return sum(a != b for a, b in itertools.pairwise(signs))

    return changes(low) - changes(high)
