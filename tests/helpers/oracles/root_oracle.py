"""Exact oracle for roots and entering times: rational arithmetic and Sturm chains, slow and sure.

A polynomial is a list of Fractions from the constant term up, without trailing zeros.
"""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from itertools import pairwise
from math import gcd, inf, isinf, nextafter

Poly = list[Fraction]


def polynomial(coefficients: Iterable[float]) -> Poly:
    """Exact polynomial of double coefficients."""
    return _trim([Fraction(c) for c in coefficients])


def from_roots(roots: Iterable[float]) -> list[float]:
    """Coefficients, rounded to doubles, of the monic polynomial with these roots."""
    p = [Fraction(1)]
    for root in roots:
        p = _times(p, [-Fraction(root), Fraction(1)])
    return [float(c) for c in p]


def value(p: Poly, s: Fraction) -> Fraction:
    """p(s)."""
    result = Fraction(0)
    for c in reversed(p):
        result = result * s + c
    return result


def derivative(p: Poly) -> Poly:
    """First derivative."""
    return [k * c for k, c in enumerate(p)][1:]


def terms(p: Poly, s: Fraction) -> Fraction:
    """Sum of the absolute terms at s."""
    return value([abs(c) for c in p], abs(s))


def entering_time(p: Poly, s_min: float) -> Fraction | float:
    """Start of the first interval after s_min in which p is negative and falls, to 2^-80 relative, or inf."""
    slope = derivative(p)
    if not slope:
        return inf
    start = Fraction(s_min)
    isolated = _isolate(_times(p, slope), start)
    starts: list[tuple[Fraction, Fraction]] = [(start, start), *isolated.intervals]
    for k, (low, high) in enumerate(starts):
        sample = (high + starts[k + 1][0]) / 2 if k + 1 < len(starts) else high + 1
        if value(p, sample) < 0 and value(slope, sample) < 0:
            return isolated.refine(low, high)
    return inf


def earliest_root(p: Poly, s0: float, s1: float) -> Fraction | float:
    """Smallest root in [s0, s1] to 2^-80 relative, rounded up; or inf."""
    if not p:
        return Fraction(s0)
    if value(p, Fraction(s0)) == 0:
        return Fraction(s0)
    isolated = _isolate(p, Fraction(s0))
    for low, high in isolated.intervals[:1]:
        root = isolated.refine(low, high, keep=Fraction(s1))
        return root if root <= Fraction(s1) else inf
    return inf


def ulps(s: float, count: int) -> Fraction:
    """Size of `count` units in the last place of s."""
    return count * Fraction(nextafter(abs(s), inf) - abs(s)) if not isinf(s) else Fraction(0)


class _Isolated:
    """Intervals (low, high], strictly apart, or single points, with one root each of a square-free polynomial."""

    def __init__(self, square_free: list[int], intervals: list[tuple[Fraction, Fraction]]) -> None:
        self.square_free = square_free
        self.intervals = intervals

    def refine(self, low: Fraction, high: Fraction, keep: Fraction | None = None) -> Fraction:
        """Upper end of the interval after bisection to 2^-80 relative, and until `keep` is not inside."""
        if low < 0 <= high and _sign(self.square_free, Fraction(0)) == 0:
            return Fraction(0)
        while high - low > max(abs(low), abs(high)) / 2**80 or (keep is not None and low < keep < high):
            low, high = self.halve(low, high)
            if keep is not None and low < keep < high and _sign(self.square_free, keep) == 0:
                return keep
        return high

    def halve(self, low: Fraction, high: Fraction) -> tuple[Fraction, Fraction]:
        """The half of (low, high] with the root, or just the root if it is the middle; low is no root before."""
        middle = (low + high) / 2
        at_middle = _sign(self.square_free, middle)
        if at_middle == 0:
            return middle, middle
        return (middle, high) if at_middle == _sign(self.square_free, low) else (low, middle)


def _isolate(p: Poly, start: Fraction) -> _Isolated:
    """Isolate all roots of p in (start, infinity)."""
    whole = _primitive(p)
    square_free = _quotient(whole, _common_divisor(whole, _slope(whole)))
    while _sign(square_free, start) == 0:
        square_free = _quotient(square_free, _primitive([-start, Fraction(1)]))
    chain = [square_free, _slope(square_free)]
    while len(chain[-1]) > 1:
        chain.append([-c for c in _remainder(chain[-2], chain[-1])])
    if not chain[-1]:
        chain.pop()
    isolated = _Isolated(square_free, [])
    leading = abs(square_free[-1])
    bound = 1 + Fraction(max((abs(c) for c in square_free[:-1]), default=0), leading)
    todo = [(start, max(bound, start + 1))] if len(square_free) > 1 else []
    while todo:
        low, high = todo.pop()
        count = _variations(chain, low) - _variations(chain, high)
        if count == 1:
            isolated.intervals.append((low, high))
        elif count > 1:
            middle = (low + high) / 2
            if low >= 0 and high > 2**64 * max(low, 1):
                middle = high / 2**64  # the root bound is loose by many powers of ten
            while _sign(square_free, middle) == 0:
                middle = (middle + high) / 2
            todo += [(middle, high), (low, middle)]
    for k, (low, high) in enumerate(isolated.intervals):
        before = isolated.intervals[k - 1][1] if k else start
        while low <= before:
            low, high = isolated.halve(low, high)
        isolated.intervals[k] = (low, high)
    return isolated


def _trim(p: Poly) -> Poly:
    while p and p[-1] == 0:
        p.pop()
    return p


def _times(a: Poly, b: Poly) -> Poly:
    result = [Fraction(0)] * (len(a) + len(b) - 1)
    for i, x in enumerate(a):
        for j, y in enumerate(b):
            result[i + j] += x * y
    return result


def _primitive(p: Poly) -> list[int]:
    """The positive multiple of p with coprime integer coefficients."""
    common = 1
    for c in p:
        common = common * c.denominator // gcd(common, c.denominator)
    return _reduced([int(c * common) for c in p])


def _reduced(p: list[int]) -> list[int]:
    divisor = gcd(*p) if p else 1
    return [c // divisor for c in p] if divisor else []


def _slope(p: list[int]) -> list[int]:
    return _reduced([k * c for k, c in enumerate(p)][1:])


def _remainder(a: list[int], b: list[int]) -> list[int]:
    """A positive multiple of the remainder of a over b."""
    a = list(a)
    while len(a) >= len(b):
        factor, shift = a[-1], len(a) - len(b)
        scale = abs(b[-1])
        a = [c * scale for c in a]
        for k, c in enumerate(b):
            a[k + shift] -= c * factor * (1 if b[-1] > 0 else -1)
        while a and a[-1] == 0:
            a.pop()
    return _reduced(a)


def _quotient(a: list[int], b: list[int]) -> list[int]:
    """A positive multiple of a / b, which must leave no remainder."""
    rest = [Fraction(c) for c in a]
    result = [Fraction(0)] * (len(a) - len(b) + 1)
    for shift in range(len(result) - 1, -1, -1):
        factor = rest[shift + len(b) - 1] / b[-1]
        result[shift] = factor
        for k, c in enumerate(b):
            rest[shift + k] -= factor * c
    assert not any(rest)
    return _primitive(result)


def _common_divisor(a: list[int], b: list[int]) -> list[int]:
    while b:
        a, b = b, _remainder(a, b)
    return a if a[-1] > 0 else [-c for c in a]


def _sign(p: list[int], s: Fraction) -> int:
    """Sign of p(s), in integers: p(n/d) d^k."""
    result, power = 0, 1
    for c in reversed(p):
        result = result * s.numerator + c * power
        power *= s.denominator
    return (result > 0) - (result < 0)


def _variations(chain: list[list[int]], s: Fraction) -> int:
    signs = [sign for sign in (_sign(p, s) for p in chain) if sign]
    return sum(a != b for a, b in pairwise(signs))
