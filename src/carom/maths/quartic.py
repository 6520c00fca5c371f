"""Cubic and quartic polynomials of time: when a gap is entered, and the earliest root in an interval.

No closed form: the roots of the second derivative split the first derivative into monotone pieces, whose sign changes
split the polynomial into monotone pieces. Each piece has at most one root, shown by the signs at its ends and enclosed
between neighbouring doubles. Signs are exact, so only a dip that fits between two neighbouring doubles goes unseen.
"""

from __future__ import annotations

from math import frexp, inf, ldexp

from carom._compile.jit import inner_kernel, kernel
from carom.maths.exact import product_error
from carom.maths.polynomial import LARGEST, TINY_TERMS, sign_change, sign_change_after, sum_of_terms, sure_value
from carom.maths.quadratic import earliest_root_quadratic, enter_quadratic, quadratic_roots
from carom.tolerances import ROOT_TOUCH

_TAME = 2.0**100
"""Coefficients between 1 / _TAME and _TAME, and times up to _TAME, need no scaling."""
_COARSE = 1e-5
"""Relative width to which an extremum is first enclosed."""
_SURE_GAP = 1e-12
"""A value above this share of its absolute terms is surely positive, rounding of value and slope included."""
_NO_SCALE = -(2**20)
"""In place of a time scale: nothing to scale."""


@kernel
def enter_quartic(c0: float, c1: float, c2: float, c3: float, c4: float, s_min: float) -> float:
    """Smallest s >= s_min at which c0 + c1 s + ... + c4 s^4 is <= 0 and decreases; inf if never."""
    if c3 == 0.0 and c4 == 0.0:
        return enter_quadratic(c0, c1, c2, s_min)
    if c0 == inf:
        return inf
    stretch = _time_scale(c0, c1, c2, c3, c4, s_min)
    if stretch == _NO_SCALE:
        return _enter(c0, c1, c2, c3, c4, s_min)
    c0, c1, c2, c3, c4 = _scaled(c0, c1, c2, c3, c4, stretch)
    s = _enter(c0, c1, c2, c3, c4, min(ldexp(s_min, -stretch), LARGEST))
    return max(ldexp(s, stretch), s_min)


@kernel
def _enter(c0: float, c1: float, c2: float, c3: float, c4: float, s_min: float) -> float:
    """enter_quartic on scaled coefficients: walk the monotone pieces from s_min on.

    Extrema are enclosed coarsely first; most are so far from zero that their exact times do not matter.
    """
    turns = _first_derivative_turns(c2, c3, c4)
    direction = _direction_after(c1, c2, c3, c4, s_min)
    start = s_min
    walked = s_min
    for _ in range(4):
        if direction < 0.0 and sure_value(c0, c1, c2, 0.0, c3, c4, start) <= 0.0:
            return start
        end, past = _next_extremum(c1, c2, c3, c4, turns, walked, direction, _COARSE)
        if end == inf:
            if direction > 0.0:
                return inf
            s = sign_change_after(c0, c1, c2, 0.0, c3, c4, start, 1.0, 0.0)[0]
            return s if s < LARGEST else inf
        if direction > 0.0:
            start = past
            if sure_value(c0, c1, c2, 0.0, c3, c4, past) <= 0.0:
                start, past = _next_extremum(c1, c2, c3, c4, turns, walked, direction, 0.0)
        elif not _stays_positive(c0, c1, c2, c3, c4, end, past):
            if sure_value(c0, c1, c2, 0.0, c3, c4, end) >= 0.0:
                end, past = _next_extremum(c1, c2, c3, c4, turns, walked, direction, 0.0)
            # The true extremum lies between the two: either may show the dip.
            for dip in (end, past):
                if sure_value(c0, c1, c2, 0.0, c3, c4, dip) < 0.0:
                    return sign_change(c0, c1, c2, 0.0, c3, c4, start, dip, 1.0, 0.0)[0]
        walked = past
        direction = -direction
    return inf


@inner_kernel
def _stays_positive(c0: float, c1: float, c2: float, c3: float, c4: float, s: float, past: float) -> bool:
    """Whether the quartic, falling at s ever more slowly and growing at `past`, surely stays above zero in between."""
    slope = ((4.0 * c4 * s + 3.0 * c3) * s + 2.0 * c2) * s + c1
    value = (((c4 * s + c3) * s + c2) * s + c1) * s + c0
    return value + 2.0 * slope * (past - s) > _SURE_GAP * sum_of_terms(c0, c1, c2, c3, c4, s)


@kernel
def earliest_root_cubic(c0: float, c1: float, c2: float, c3: float, s0: float, s1: float) -> float:
    """Smallest s in [s0, s1] with c0 + c1 s + c2 s^2 + c3 s^3 = 0, touches (up to ROOT_TOUCH) included; inf if none."""
    return earliest_root_quartic(c0, c1, c2, c3, 0.0, s0, s1)


@kernel
def earliest_root_quartic(c0: float, c1: float, c2: float, c3: float, c4: float, s0: float, s1: float) -> float:
    """Smallest s in [s0, s1] with c0 + c1 s + ... + c4 s^4 = 0, touches (up to ROOT_TOUCH) included; inf if none."""
    if c3 == 0.0 and c4 == 0.0:
        return earliest_root_quadratic(c0, c1, c2, s0, s1)
    if not s0 <= s1:
        return inf
    stretch = _time_scale(c0, c1, c2, c3, c4, max(abs(s0), abs(s1)))
    if stretch == _NO_SCALE:
        return _earliest_root(c0, c1, c2, c3, c4, s0, s1)
    c0, c1, c2, c3, c4 = _scaled(c0, c1, c2, c3, c4, stretch)
    low = max(ldexp(s0, -stretch), -LARGEST)
    high = min(ldexp(s1, -stretch), LARGEST)
    s = _earliest_root(c0, c1, c2, c3, c4, low, high)
    return min(max(ldexp(s, stretch), s0), s1) if s < inf else inf


@inner_kernel
def _earliest_root(c0: float, c1: float, c2: float, c3: float, c4: float, s0: float, s1: float) -> float:
    """earliest_root_quartic on scaled coefficients: walk the monotone pieces from s0 to s1."""
    value = sure_value(c0, c1, c2, 0.0, c3, c4, s0)
    if value == 0.0:
        return s0
    sign = 1.0 if value > 0.0 else -1.0
    turns = _first_derivative_turns(c2, c3, c4)
    direction = _direction_after(c1, c2, c3, c4, s0)
    start = s0
    walked = s0
    for _ in range(4):
        end, past = _next_extremum(c1, c2, c3, c4, turns, walked, direction, 0.0)
        last = not end < s1
        end = min(end, s1)
        value = sure_value(c0, c1, c2, 0.0, c3, c4, end)
        if value * sign < 0.0:
            return sign_change(c0, c1, c2, 0.0, c3, c4, start, end, sign, 0.0)[0]
        if value == 0.0:
            return end
        if last:
            return inf
        terms = sum_of_terms(c0, c1, c2, c3, c4, end)
        size = abs(value) if terms > TINY_TERMS else abs(value * end) * abs(end)
        if size <= ROOT_TOUCH * terms:
            return end
        start = end
        walked = past
        direction = -direction
    return inf


@inner_kernel
def _first_derivative_turns(c2: float, c3: float, c4: float) -> tuple[float, float]:
    """Where the first derivative of a quartic turns, ascending; inf in place of a missing one."""
    return quadratic_roots(c2, 1.5 * c3, 6.0 * c4)


@inner_kernel
def _direction_after(c1: float, c2: float, c3: float, c4: float, s: float) -> float:
    """1 where the quartic grows right after s, -1 where it falls."""
    slope = sure_value(c1, 2.0 * c2, 3.0 * c3, product_error(3.0, c3), 4.0 * c4, 0.0, s)
    if slope == 0.0:
        slope = sure_value(c2, 3.0 * c3, 6.0 * c4, 0.0, 0.0, 0.0, s)
    if slope == 0.0:
        slope = c3 + 4.0 * c4 * s
    if slope == 0.0:
        slope = c4
    return 1.0 if slope > 0.0 else -1.0


@inner_kernel
def _next_extremum(
    c1: float, c2: float, c3: float, c4: float, turns: tuple[float, float], start: float, direction: float, width: float
) -> tuple[float, float]:
    """Times around the first sign change after `start` of the first derivative, whose sign right after `start` is
    `direction`, closer than `width` relative (neighbours if 0); (inf, inf) if it has none."""
    d0, d1, d2, d2_low, d3 = c1, 2.0 * c2, 3.0 * c3, product_error(3.0, c3), 4.0 * c4
    low = start
    for turn in turns:
        if low < turn < inf:
            value = sure_value(d0, d1, d2, d2_low, d3, 0.0, turn) * direction
            if value < 0.0:
                return sign_change(d0, d1, d2, d2_low, d3, 0.0, low, turn, direction, width)
            if value > 0.0:
                low = turn
    leading = d3 if d3 != 0.0 else d2
    if leading * direction > 0.0:
        return inf, inf
    end, past = sign_change_after(d0, d1, d2, d2_low, d3, 0.0, low, direction, width)
    return (end, past) if end < LARGEST else (inf, inf)


@inner_kernel
def _time_scale(c0: float, c1: float, c2: float, c3: float, c4: float, s: float) -> int:
    """Exponent of the power of two, in seconds, that balances the first and last non-zero term; _NO_SCALE if tame."""
    tame = abs(s) <= _TAME
    first, last = -1, -1
    first_exponent, last_exponent = 0, 0
    for power, c in enumerate((c0, c1, c2, c3, c4)):
        size = abs(c)
        if size > 0.0:
            tame = tame and 1.0 / _TAME <= size <= _TAME
            last, last_exponent = power, frexp(c)[1]
            if first < 0:
                first, first_exponent = last, last_exponent
    if tame or first == last:
        return _NO_SCALE if tame else 0
    return (first_exponent - last_exponent) // (last - first)


@inner_kernel
def _scaled(
    c0: float, c1: float, c2: float, c3: float, c4: float, stretch: int
) -> tuple[float, float, float, float, float]:
    """The coefficients for time in units of 2^stretch, times a power of two that makes the largest about 1."""
    largest = _NO_SCALE
    for power, c in enumerate((c0, c1, c2, c3, c4)):
        if c != 0.0:
            largest = max(largest, frexp(c)[1] + power * stretch)
    return (
        ldexp(c0, -largest),
        ldexp(c1, stretch - largest),
        ldexp(c2, 2 * stretch - largest),
        ldexp(c3, 3 * stretch - largest),
        ldexp(c4, 4 * stretch - largest),
    )
