"""Linear and quadratic polynomials of time: when a gap is entered, and the earliest root in an interval."""

from __future__ import annotations

from math import frexp, inf, ldexp, sqrt

from carom._compile.jit import inner_kernel, kernel
from carom.maths.exact import product_error
from carom.maths.polynomial import LARGEST, sure_value
from carom.tolerances import ROOT_TOUCH

_SURE_SHARE = 0.125
"""A discriminant above this share of its terms lost at most three bits to cancellation; below, it is compensated."""
_TINY_TERM = 1e-250
_HUGE_TERM = 1e250
"""Terms of a discriminant outside [_TINY_TERM, _HUGE_TERM] are scaled first, so that nothing over- or underflows."""


@kernel
def enter_linear(g0: float, g1: float, s_min: float) -> float:
    """Smallest s >= s_min at which g0 + g1 s is <= 0 and decreases; inf if never."""
    if g1 >= 0.0:
        return inf
    return max(g0 / -g1, s_min)


@kernel
def enter_quadratic(g0: float, g1: float, g2: float, s_min: float) -> float:
    """Smallest s >= s_min at which g0 + g1 s + g2 s^2 is <= 0 and decreases; inf if never."""
    if g2 == 0.0:
        return enter_linear(g0, g1, s_min)
    half = 0.5 * g1
    square = half * half
    product = g2 * g0
    disc = square - product
    terms = square + abs(product)
    if not (abs(disc) > _SURE_SHARE * terms and _TINY_TERM < terms < _HUGE_TERM):
        return _enter_quadratic_carefully(g0, half, g2, s_min)
    if disc < 0.0:
        return max(-half / g2, s_min) if g2 < 0.0 else inf
    return _enter_at_falling_root(g0, half, g2, sqrt(disc), s_min)


@inner_kernel
def _enter_quadratic_carefully(g0: float, half: float, g2: float, s_min: float) -> float:
    """enter_quadratic for g0 + 2 half s + g2 s^2 where the discriminant cancels, overflows or underflows."""
    if g0 == inf:
        return inf
    g0, half, g2 = scale_quadratic(g0, half, g2)
    if g2 == 0.0:
        return enter_linear(g0, 2.0 * half, s_min)
    disc = discriminant(g0, half, g2)
    if disc > 0.0:
        return _enter_at_falling_root(g0, half, g2, sqrt(disc), s_min)
    return max(-half / g2, s_min) if g2 < 0.0 else inf


@inner_kernel
def _enter_at_falling_root(g0: float, half: float, g2: float, root: float, s_min: float) -> float:
    """The entering time of g0 + 2 half s + g2 s^2 with two real roots; `root` is the square root of its discriminant.

    The gap falls through zero at (-half - root) / g2, whatever the sign of g2; both forms below add terms of one sign.
    """
    s = g0 / (root - half) if half < 0.0 else -(half + root) / g2
    if s >= s_min:
        return s
    if g2 < 0.0:
        return s_min
    # Convex: it falls until it turns.
    return inf if _turned(half, g2, s_min) else s_min


@inner_kernel
def discriminant(c0: float, half: float, c2: float) -> float:
    """half^2 - c0 c2 within two ulps (Kahan), for coefficients scaled by scale_quadratic."""
    square = half * half
    product = c2 * c0
    return (square - product) + (product_error(half, half) - product_error(c2, c0))


@inner_kernel
def scale_quadratic(c0: float, half: float, c2: float) -> tuple[float, float, float]:
    """The coefficients of c0 + 2 half s + c2 s^2 times one power of two that makes half^2 and c0 c2 at most about 1.

    The roots stay; a coefficient that becomes zero was too small to matter at any time a double can hold.
    """
    e0 = frexp(c0)[1]
    e2 = frexp(c2)[1]
    shift = max(e0, e2) - 900
    if half != 0.0:
        shift = max(shift, frexp(half)[1])
    if c0 != 0.0 and c2 != 0.0:
        shift = max(shift, (e0 + e2) // 2)
    return ldexp(c0, -shift), ldexp(half, -shift), ldexp(c2, -shift)


@inner_kernel
def quadratic_roots(c0: float, half: float, c2: float) -> tuple[float, float]:
    """Both roots of c0 + 2 half s + c2 s^2, ascending, each within a few ulps; inf in place of a missing one."""
    c0, half, c2 = scale_quadratic(c0, half, c2)
    if c2 == 0.0:
        return (-0.5 * c0 / half if half != 0.0 else inf), inf
    disc = discriminant(c0, half, c2)
    if disc < 0.0:
        return inf, inf
    root = sqrt(disc)
    if half < 0.0:
        a = c0 / (root - half)
        b = (root - half) / c2
    elif half > 0.0 or root > 0.0:
        a = -(half + root) / c2
        b = -c0 / (half + root)
    else:
        return 0.0, 0.0
    return min(a, b), max(a, b)


@kernel
def earliest_root_linear(c0: float, c1: float, s0: float, s1: float) -> float:
    """Smallest s in [s0, s1] with c0 + c1 s = 0; inf if none."""
    if c1 == 0.0:
        return s0 if c0 == 0.0 and s0 <= s1 else inf
    s = -c0 / c1
    return s if s0 <= s <= s1 else inf


@kernel
def earliest_root_quadratic(c0: float, c1: float, c2: float, s0: float, s1: float) -> float:
    """Smallest s in [s0, s1] with c0 + c1 s + c2 s^2 = 0, double roots (up to ROOT_TOUCH) included; inf if none.

    Signs at the ends and at the turning point decide which root it is, so that rounding a root never loses it.
    """
    if c2 == 0.0:
        return earliest_root_linear(c0, c1, s0, s1)
    if not s0 <= s1:
        return inf
    c0, half, c2 = scale_quadratic(c0, 0.5 * c1, c2)
    if c2 == 0.0:
        return earliest_root_linear(c0, 2.0 * half, s0, s1)
    disc = discriminant(c0, half, c2)
    if disc < 0.0:
        turn = -half / c2
        touches = -disc <= ROOT_TOUCH * (3.0 * half * half + abs(c0 * c2))
        return turn if touches and s0 <= turn <= s1 else inf
    first, second = quadratic_roots(c0, half, c2)
    at_start = sure_value(c0, 2.0 * half, c2, 0.0, 0.0, 0.0, s0)
    if at_start == 0.0:
        return s0
    at_end = sure_value(c0, 2.0 * half, c2, 0.0, 0.0, 0.0, min(s1, LARGEST))
    differs = (at_start < 0.0) != (at_end < 0.0) or at_end == 0.0
    if (at_start < 0.0) != (c2 < 0.0):
        return min(max(second, s0), s1) if differs else inf
    if _turned(half, c2, s0) or not (differs or _turned(half, c2, s1)):
        return inf
    return min(max(first, s0), s1)


@kernel
def _turned(half: float, c2: float, s: float) -> bool:
    """Whether s is at or after the turning point of c0 + 2 half s + c2 s^2."""
    # Rounding is monotone, so the sign is unsure only where the rounded product meets -half exactly.
    slope = half + c2 * s
    if slope == 0.0:
        slope = product_error(c2, s)
    return slope >= 0.0 if c2 > 0.0 else slope <= 0.0
