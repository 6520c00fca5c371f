"""Robust roots of polynomials in time, the public face of quadratic.py and quartic.py.

A gap g(s) is *entered* at the smallest s >= s_min where g(s) <= 0 and g decreases right after s. So overlapping and
approaching is now; overlapping and parting is entered only when the gap next turns round (at a peak <= 0, or at the
next root on the way down); touching and parting (a double root with g >= 0 around it) is not a contact.

All arguments are finite float64, coefficients from the constant up (g0 + g1 s + g2 s^2, no factor 1/2), s in seconds; a
constant term of inf is allowed and never entered. inf means never; the answer is never NaN. A root of degree 1 or 2 is
within 4 units in the last place (ulps) of the true one, also next to a double root; of degree 3 or 4 it is the true one
where a double can hold it and else the double just before it, up to 4 ulps more where extreme coefficients are scaled.
"""

from carom.maths.quadratic import earliest_root_linear, earliest_root_quadratic, enter_linear, enter_quadratic
from carom.maths.quartic import earliest_root_cubic, earliest_root_quartic, enter_quartic

__all__ = [
    "earliest_root_cubic",
    "earliest_root_linear",
    "earliest_root_quadratic",
    "earliest_root_quartic",
    "enter_linear",
    "enter_quadratic",
    "enter_quartic",
]
