"""Slow exact oracle for vertex-face and edge-edge contacts: Python integers, Sturm sequences, no code shared with carom.

Signs at roots come from Tarski queries (signed remainder sequences of P and P'G), unless the number clearly keeps its sign
around the root; the contact itself comes from barycentric coordinates over the squared normal, not from projections.
"""

from __future__ import annotations

import itertools
from fractions import Fraction
from functools import reduce
from math import gcd, inf

import numpy as np

Poly = list[int]

_HALVINGS = 48
"""Of the interval around a root: some more than a double tells, some less than make a number long."""


def _trimmed(p: Poly) -> Poly:
    while p and p[-1] == 0:
        p = p[:-1]
    common = reduce(gcd, p, 0)
    return [c // common for c in p] if common > 1 else p


def _sum(*terms: Poly) -> Poly:
    return [sum(p[i] for p in terms if i < len(p)) for i in range(max(map(len, terms)))]


def _negative(p: Poly) -> Poly:
    return [-c for c in p]


def _product(p: Poly, q: Poly) -> Poly:
    out = [0] * (len(p) + len(q) - 1)
    for i, c in enumerate(p):
        for j, d in enumerate(q):
            out[i + j] += c * d
    return out


def _dot(u: list[Poly], v: list[Poly]) -> Poly:
    return _sum(*(_product(p, q) for p, q in zip(u, v, strict=True)))


def _cross(u: list[Poly], v: list[Poly]) -> list[Poly]:
    return [
        _sum(_product(u[(k + 1) % 3], v[(k + 2) % 3]), _negative(_product(u[(k + 2) % 3], v[(k + 1) % 3])))
        for k in range(3)
    ]


def _minus(u: list[Poly], v: list[Poly]) -> list[Poly]:
    return [_sum(p, _negative(q)) for p, q in zip(u, v, strict=True)]


def _negative_remainder(p: Poly, q: Poly) -> Poly:
    """-rem(p, q) times a positive number."""
    lead = abs(q[-1])
    while len(p) >= len(q):
        factor = p[-1] if q[-1] > 0 else -p[-1]
        shift = len(p) - len(q)
        p = [lead * c for c in p]
        for i, c in enumerate(q):
            p[i + shift] -= factor * c
        assert p[-1] == 0
        p = _trimmed(p[:-1])
        if not p:
            return []
    return _negative(p)


def _value_sign(p: Poly, n: int, d: int) -> int:
    """Sign of p(n / d), d > 0."""
    total, power = 0, 1
    for c in reversed(p):
        total = total * n + c * power
        power *= d
    return (total > 0) - (total < 0)


def _keeps_sign(p: Poly, low: int, high: int, d: int) -> int:
    """Sign of p all over [low / d, high / d] if that is easy to see, else 0."""
    # p(low / d + s (high - low) / d) d^k, by Horner in s: the constant outweighs all the rest.
    width = high - low
    shifted: Poly = []
    power = 1
    for c in reversed(p):
        following = [0] * (len(shifted) + 1)
        for i, s in enumerate(shifted):
            following[i] += low * s
            following[i + 1] += width * s
        following[0] += c * power
        power *= d
        shifted = following
    if abs(shifted[0]) <= sum(map(abs, shifted[1:])):
        return 0
    return 1 if shifted[0] > 0 else -1


def _changes(chain: list[Poly], n: int, d: int) -> int:
    signs = [s for s in (_value_sign(p, n, d) for p in chain) if s]
    return sum(a != b for a, b in itertools.pairwise(signs))


def _chain(p: Poly, g: Poly) -> list[Poly]:
    """Signed remainder sequence of p and p'g."""
    derivative = [i * c for i, c in enumerate(p)][1:]
    second = _trimmed(_product(derivative, g))
    if len(second) >= len(p):
        second = _negative(_negative_remainder(second, p))
    chain = [p]
    while second:
        chain.append(second)
        second = _negative_remainder(chain[-2], chain[-1])
    return chain


class Root:
    """The only root of `poly` between low / whole and high / whole, neither of which is a root."""

    def __init__(self, poly: Poly, low: int, high: int, whole: int) -> None:
        self.poly, self.low, self.high, self.whole = poly, low, high, whole
        self._narrow()

    def _narrow(self) -> None:
        """Halve the interval as often as numbers need that are easy to tell from 0, if the polynomial changes its sign."""
        before = _value_sign(self.poly, self.low, self.whole)
        if before == _value_sign(self.poly, self.high, self.whole):
            return
        for _ in range(_HALVINGS):
            middle, whole = self.low + self.high, 2 * self.whole
            sign = _value_sign(self.poly, middle, whole)
            if sign == 0:
                return
            self.low, self.high, self.whole = 2 * self.low, 2 * self.high, whole
            if sign == before:
                self.low = middle
            else:
                self.high = middle

    def sign(self, g: Poly) -> int:
        """Sign of g at the root: plain to see, or a Tarski query."""
        g = _trimmed(g)
        if not g:
            return 0
        sign = _keeps_sign(g, self.low, self.high, self.whole)
        return sign if sign else self.tarski(g)

    def tarski(self, g: Poly) -> int:
        """Sign of g, which is not 0 everywhere, at the root."""
        chain = _chain(self.poly, g)
        return _changes(chain, self.low, self.whole) - _changes(chain, self.high, self.whole)

    def compare(self, time: float) -> int:
        """Sign of root - time."""
        x = Fraction(time)
        return self.sign([-x.numerator, x.denominator])


class Earliest:
    """The first of several roots, whichever it is."""

    def __init__(self, roots: list[Root]) -> None:
        self.roots = roots

    def compare(self, time: float) -> int:
        """Sign of root - time."""
        return min(root.compare(time) for root in self.roots)


def _roots(p: Poly) -> list[Root]:
    """Roots in [0, 1], in order."""
    p = _trimmed(p)
    if len(p) < 2:
        return []
    chain = _chain(p, [1])
    found = []
    low, high, whole = -7, 28, 21
    while _value_sign(p, low, whole) == 0:
        low -= 3
    while _value_sign(p, high, whole) == 0:
        high += 3
    parts = [(low, high, whole)]
    while parts:
        low, high, whole = parts.pop()
        count = _changes(chain, low, whole) - _changes(chain, high, whole)
        if count == 1:
            found.append(Root(p, low, high, whole))
        if count < 2:
            continue
        part = 2
        while _value_sign(p, low * (part - 1) + high, part * whole) == 0:
            part += 1
        middle = low * (part - 1) + high
        parts += [(middle, part * high, part * whole), (part * low, middle, part * whole)]
    return [root for root in found if root.sign([0, 1]) >= 0 and root.sign([1, -1]) >= 0]


def _paths(points: np.ndarray) -> list[list[Poly]]:
    """The four points as polynomials in t, with a common denominator taken away."""
    values = [Fraction(float(x)) for x in points.reshape(-1)]
    scale = max(x.denominator for x in values)
    whole = [int(x * scale) for x in values]
    return [[[whole[3 * i + c], whole[3 * i + 12 + c] - whole[3 * i + c]] for c in range(3)] for i in range(4)]


def _on_segment(root: Root, x: list[Poly], y: list[Poly]) -> bool:
    normal = _cross(x, y)
    return root.sign(_dot(normal, normal)) == 0 and root.sign(_dot(x, y)) <= 0


def _within(root: Root, value: Poly, whole: Poly) -> bool:
    """0 <= value <= whole?"""
    return root.sign(value) >= 0 and root.sign(_sum(whole, _negative(value))) >= 0


def first_contact(points: np.ndarray, edges: bool) -> Root | Earliest | None:
    """First time in [0, 1] at which the features of points (8, 3) touch, as an exact number; None if never."""
    p = _paths(points)
    if edges:
        u, v, r = _minus(p[1], p[0]), _minus(p[3], p[2]), _minus(p[2], p[0])
        sides = [
            (_minus(p[2], p[0]), _minus(p[3], p[0])),
            (_minus(p[2], p[1]), _minus(p[3], p[1])),
            (_minus(p[0], p[2]), _minus(p[1], p[2])),
            (_minus(p[0], p[3]), _minus(p[1], p[3])),
        ]
    else:
        u, v, r = _minus(p[2], p[1]), _minus(p[3], p[1]), _minus(p[0], p[1])
        corners = [_minus(p[k], p[0]) for k in (1, 2, 3)]
        sides = [(corners[0], corners[1]), (corners[1], corners[2]), (corners[2], corners[0])]
    normal = _cross(u, v)
    area = _dot(normal, normal)
    # r = f u + g v on vertex and face, r = f u - g v on edges, in the plane of u and v.
    f = _dot(_cross(r, v), normal)
    g = _dot(_cross(r, u) if edges else _cross(u, r), normal)

    def touching(root: Root) -> bool:
        if root.sign(area) != 0:
            if edges:
                return _within(root, f, area) and _within(root, g, area)
            return root.sign(f) >= 0 and root.sign(g) >= 0 and root.sign(_sum(area, _negative(f), _negative(g))) >= 0
        return any(_on_segment(root, x, y) for x, y in sides)

    times = _trimmed(_dot(normal, r))
    if times:
        return next((root for root in _roots(times) if touching(root)), None)
    # Always coplanar: at the start, or when something comes onto a side.
    found = _roots([0, 1])
    for x, y in sides:
        cross = _cross(x, y)
        found += _roots(_dot(cross, cross)) or _roots(_dot(x, y))
    found = [root for root in found if touching(root)]
    return Earliest(found) if found else None


def check_time(points: np.ndarray, edges: bool, time: float, tight: bool, gap: float = 1e-9) -> str:
    """Empty if `time` is a right answer for the feature pair, else what is wrong with it."""
    root = first_contact(points, edges)
    if root is None:
        return "" if time == inf else f"a contact at {time!r} that is none"
    if not 0.0 <= time <= 1.0:
        return f"{time!r} for a contact within the step"
    if root.compare(time) < 0:
        return f"{time!r} is late"
    if tight:
        return (
            ""
            if time == 1.0 or root.compare(float(np.nextafter(time, 2.0))) < 0
            else f"{time!r} is not the last double"
        )
    return "" if root.compare(time + gap) <= 0 else f"{time!r} is too early"
