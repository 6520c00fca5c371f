"""Sine, cosine and arc tangent from additions and multiplications alone: the same bits on every machine.

The functions of a C library, of NumPy and of a compiler's vector library differ in their last bits from one processor to the
next. These differ by less than 0.8 units in the last place (sine, cosine) and 2 units (arc tangent) from the true value, for
every finite argument, and by nothing at all from themselves.
"""

from __future__ import annotations

import math
from math import floor, frexp, ldexp
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from carom._compile.jit import compiling, inner_kernel, lean_kernel

Floats = NDArray[np.float64]


def _pi_times(power: int) -> int:
    """floor(pi 2**power), by Machin's formula in integers."""
    guard = 32

    def arc_cotangent(x: int) -> int:
        term = (1 << (power + guard)) // x
        total, n, sign = term, 1, 1
        while term:
            term //= x * x
            n, sign = n + 2, -sign
            total += sign * (term // n)
        return total

    return (16 * arc_cotangent(5) - 4 * arc_cotangent(239)) >> guard


def _half_pi_parts() -> tuple[float, float, float, float]:
    """pi / 2 as a sum of three numbers of 33 bits each, whose small multiples are exact, and a double for the rest."""
    left, power, parts = _pi_times(400), 401, []
    for bits in (33, 33, 33, 53):
        drop = left.bit_length() - bits
        parts.append(math.ldexp(left >> drop, drop - power))
        left &= (1 << drop) - 1
    return parts[0], parts[1], parts[2], parts[3]


_LIMB = 26
_MASK = (1 << _LIMB) - 1
_PAD = 2
"""Limbs of zeros before the binary point, so that the places that an argument needs can be cut out without a case."""
_N_LIMBS = 50
_TWO_OVER_PI = (0,) * _PAD + tuple(
    ((1 << (_LIMB * _N_LIMBS + 1401)) // _pi_times(1400)) >> (_LIMB * (_N_LIMBS - 1 - k)) & _MASK
    for k in range(_N_LIMBS)
)
"""2 / pi in limbs of 26 bits, the most significant first: enough places for the largest double."""
_PARTS_USED = 9
"""Limbs that one argument meets: 234 bits, of which at most 115 cancel."""

_HALF_PI_1, _HALF_PI_2, _HALF_PI_3, _HALF_PI_4 = _half_pi_parts()
_HALF_PI, _HALF_PI_REST = math.pi / 2.0, 6.123233995736766e-17
_INVERSE = 2.0 / math.pi
_MEDIUM = 2.0**19
"""Arguments up to here are reduced by parts of pi / 2: the quotient has at most 20 bits, so that its products are exact."""
_SPLIT = 2.0**27 + 1.0

# Taylor coefficients; what is left out is below 2^-60 of the value for |x| <= pi / 4.
_S3, _S5, _S7, _S9 = -1.0 / 6.0, 1.0 / 120.0, -1.0 / 5040.0, 1.0 / 362880.0
_S11, _S13, _S15, _S17 = -1.0 / 39916800.0, 1.0 / 6227020800.0, -1.0 / 1307674368000.0, 1.0 / 355687428096000.0
_C4, _C6, _C8, _C10 = 1.0 / 24.0, -1.0 / 720.0, 1.0 / 40320.0, -1.0 / 3628800.0
_C12, _C14, _C16 = 1.0 / 479001600.0, -1.0 / 87178291200.0, 1.0 / 20922789888000.0


def _sine_cosine(x):
    """(sin x, cos x) of a finite x in rad; NaN of others. Kept as plain Python as well, for single numbers."""
    size = abs(x)
    if not size < math.inf:
        return math.nan, math.nan
    if size <= _MEDIUM:
        # x - n pi / 2 as high + low. The first product and difference are exact; each further one leaves its rounding error.
        n = floor(x * _INVERSE + 0.5)
        high = x - n * _HALF_PI_1
        low = 0.0
        for part in (_HALF_PI_2, _HALF_PI_3):
            taken = n * part
            rest = high - taken
            back = high - rest
            low += (high - (rest + back)) + (back - taken)
            high = rest
        low -= n * _HALF_PI_4
        quadrant = int(n) & 3
    else:
        # |x| 2 / pi modulo 4 in integers: m 2^e with a whole m of 53 bits, times the limbs of 2 / pi that matter.
        fraction, exponent = frexp(size)
        m = int(ldexp(fraction, 53))
        e = exponent - 53
        m0, m1, m2 = m & _MASK, (m >> _LIMB) & _MASK, m >> (2 * _LIMB)
        first = (e - 2) // _LIMB
        base = e - _LIMB * (first + 1)  # weight of the first limb times m0: 2^base, -24 <= base <= 1
        carry = 0
        d0, d1, d2, d3, d4, d5, d6 = 0, 0, 0, 0, 0, 0, 0
        for place in range(_PARTS_USED - 1, -1, -1):
            column = carry + _TWO_OVER_PI[_PAD + first + place] * m0
            column += _TWO_OVER_PI[_PAD + first + place + 1] * m1
            column += _TWO_OVER_PI[_PAD + first + place + 2] * m2
            carry = column >> _LIMB
            d6, d5, d4, d3, d2, d1 = d5, d4, d3, d2, d1, d0
            d0 = column & _MASK
        d0 &= (1 << (2 - base)) - 1
        top = ldexp(float(d0), base) + ldexp(float(d1), base - _LIMB)
        n = floor(top + 0.5)
        upper = top - n
        lower = ldexp(float(d2), base - 2 * _LIMB) + ldexp(float(d3), base - 3 * _LIMB)
        least = ldexp(float(d4), base - 4 * _LIMB) + ldexp(float(d5), base - 5 * _LIMB)
        least += ldexp(float(d6), base - 6 * _LIMB)
        turn = upper + lower
        back = turn - upper
        spare = ((upper - (turn - back)) + (lower - back)) + least
        # (turn + spare) pi / 2 by Dekker's product.
        wide = _SPLIT * turn
        t1 = wide - (wide - turn)
        t2 = turn - t1
        wide = _SPLIT * _HALF_PI
        p1 = wide - (wide - _HALF_PI)
        p2 = _HALF_PI - p1
        high = turn * _HALF_PI
        low = ((t1 * p1 - high) + t1 * p2 + t2 * p1) + t2 * p2
        low += turn * _HALF_PI_REST + spare * _HALF_PI
        quadrant = int(n) & 3
        if x < 0.0:
            high, low, quadrant = -high, -low, -quadrant & 3
    total = high + low
    low = (high - total) + low
    high = total
    z = high * high
    series = _S11 + z * (_S13 + z * (_S15 + z * _S17))
    series = _S5 + z * (_S7 + z * (_S9 + z * series))
    cube = z * high
    sine = high + (cube * (_S3 + z * series) + low * (1.0 - 0.5 * z))
    series = _C10 + z * (_C12 + z * (_C14 + z * _C16))
    series = _C4 + z * (_C6 + z * (_C8 + z * series))
    half = 0.5 * z
    rough = 1.0 - half
    cosine = rough + ((1.0 - rough) - half + (z * z * series - high * low))
    if quadrant == 0:
        return sine, cosine
    if quadrant == 1:
        return cosine, -sine
    if quadrant == 2:
        return -sine, -cosine
    return -cosine, sine


sine_cosine = inner_kernel(_sine_cosine)
"""sine_cosine(x): (sin x, cos x) of x rad, for kernels."""


def _quarter_arc(rise, run):
    """Angle of (run, rise), both at least 0 and not both 0, in [0, pi / 2]: one step from a guess within 0.004 rad."""
    steep = rise > run
    if steep:
        rise, run = run, rise
    ratio = rise / run
    guess = ratio * (0.7853981633974483 + 0.273 * (1.0 - ratio))
    z = guess * guess
    s = _S11 + z * (_S13 + z * (_S15 + z * _S17))
    s = guess + guess * z * (_S3 + z * (_S5 + z * (_S7 + z * (_S9 + z * s))))
    c = _C10 + z * (_C12 + z * (_C14 + z * _C16))
    c = 1.0 + z * (-0.5 + z * (_C4 + z * (_C6 + z * (_C8 + z * c))))
    step = (ratio * c - s) / (c + ratio * s)
    square = step * step
    angle = guess + step * (1.0 - square * (1.0 / 3.0 - square * 0.2))
    return _HALF_PI - angle if steep else angle


_quarter_arc_kernel = inner_kernel(_quarter_arc)


def quarter_arc(rise: float, run: float) -> float:
    """Angle of the direction (run, rise) in [0, pi / 2] for finite numbers of at least 0 that are not both 0, in Python."""
    return float(_quarter_arc(rise, run))


def direction_angle(y: float, x: float) -> float:
    """Angle of the direction (x, y) in [-pi, pi], as atan2 of finite numbers that are not both 0, in Python."""
    angle = quarter_arc(abs(y), abs(x))
    if x < 0.0:
        angle = math.pi - angle
    return -angle if y < 0.0 else angle


@inner_kernel
def arc_tangent(y, x):
    """Angle of the direction (x, y) in [-pi, pi], as atan2 of finite numbers; 0 where both are 0. For kernels."""
    if x == 0.0 and y == 0.0:
        return 0.0
    angle = _quarter_arc_kernel(abs(y), abs(x))
    if x < 0.0:
        angle = math.pi - angle
    return -angle if y < 0.0 else angle


@lean_kernel
def _sines_cosines_into(angles, sines, cosines):
    for k in range(len(angles)):
        sines[k], cosines[k] = sine_cosine(angles[k])


_FEW = 64
"""Angles up to which plain Python is quicker than what it takes to load a kernel."""


def sines_cosines(angles: Floats) -> tuple[Floats, Floats]:
    """Sines and cosines of angles in rad, arrays of the same shape; the bits are those that kernels compute."""
    flat = np.ascontiguousarray(angles, dtype=np.float64).reshape(-1)
    sines, cosines = np.empty(len(flat)), np.empty(len(flat))
    if len(flat) <= _FEW:
        for k, angle in enumerate(flat.tolist()):
            sines[k], cosines[k] = _sine_cosine(angle)
    else:
        with compiling("sines and cosines"):
            _sines_cosines_into(flat, sines, cosines)
    return sines.reshape(np.shape(angles)), cosines.reshape(np.shape(angles))


def sines(angles: ArrayLike) -> Any:
    """Sines of angles in rad, a number or an array."""
    return sines_cosines(np.asarray(angles, dtype=np.float64))[0][()]


def cosines(angles: ArrayLike) -> Any:
    """Cosines of angles in rad, a number or an array."""
    return sines_cosines(np.asarray(angles, dtype=np.float64))[1][()]
