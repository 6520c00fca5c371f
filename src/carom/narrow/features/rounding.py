"""Rounding bounds of the floating-point filter, with proofs.

Notation: u = 2^-53; a chain of k roundings multiplies by a factor within 1 ± g(k), g(k) = k u / (1 - k u), and a sum of
terms with k roundings each is off by at most g(k) times the sum of their magnitudes. A difference of two doubles is one
rounding of the true difference with the true sign, and exact where it underflows. Only products and quotients lose bits to
underflow: each at most 2^-1075 more, covered by UNDERFLOW (below). Each bound is rounded up to a multiple of 4 u, which
covers the few roundings of the bound itself and g(k) > k u.

The filter knows the differences D_k of the two features (three corners minus the vertex; four differences of edge ends),
linear in time, and `reach` = (X, Y, Z), the largest magnitude of each coordinate over all k and both ends of the step.

CUBIC. f = det(A, B, C), A and B edges, C one D_k, all linear in t; N0 = A0 x B0, N1 = A0 x B1 + A1 x B0, N2 = A1 x B1.
Bernstein coefficients: N0.C0, (N0.C1 + N1.C0) / 3, (N1.C1 + N2.C0) / 3, N2.C1. Roundings of one term a b c of the second
(the longest chain): inputs a and b 2, product 1, difference 1, sum of the two crosses 1, input c 1, product 1, sum of the
dot product 2, sum of two dots 1, division 1: 11. The magnitudes of the terms of each coefficient sum to at most P, the
permanent of the largest magnitudes of A, B and C (three permanents, divided by 3). A coefficient over a part of the step is a
blossom: three rounds of (1 - s) p + s q with 3 roundings each (1 - s, product, sum): 9 more, on weights that sum to 1. So all
coefficients are off by less than g(20) P, over the step or a part of it, and P as computed is low by at most 9 roundings:
24 u is taken.

DIRECTION. For any double vector d, d . D_k(s): input 1, 1 - s 1, product 1, sum 1, product with d 1, sum of three 2: 7
roundings on terms of at most |d_x| X, |d_y| Y, |d_z| Z: 8 u would do, 12 u is taken. d itself may come from anywhere: it is
used as it is.

DRIFT. An orientation x_k y_l - y_k x_l of two differences, all over a bracket of length h, from its value at the middle. Over
the bracket a difference stays within h / 2 |D(1) - D(0)| <= h X of its value at the middle, so an orientation stays within
2 (h X Y + X h Y) = 4 h X Y (second-order terms are counted: both factors are at most their reach). Rounding: each D has 4
roundings (as above), the product 1, the difference 1: 10 on two terms of at most X Y, 20 u X Y. The middle is rounded, which
moves it by up to 2 u and each D by 4 u of its reach, in two products of two factors: 16 u X Y. Together (4 h + 36 u) X Y, at
most 5 max(h, SHORTEST) X Y with SHORTEST = 48 u: 5 is taken.

UNDERFLOW and REACH. With all differences at most REACH = 2^40, edges are at most 2^41, a direction (a cross product of an
edge with a cross product of two edges, each summed over both ends) at most 2^130. A lost product of 2^-1075 is multiplied
later by at most 2^130, and there are fewer than 2^6 of them in any quantity: below 2^-935 together. UNDERFLOW = 2^-900 is
added to each bound. The same limit keeps all products below 2^175, so nothing overflows. No lower limit is needed: where
everything is tiny the bounds dominate and the filter says UNDECIDED.
"""

from __future__ import annotations

UNIT = 2.0**-53
"""u, the largest relative error of one rounding."""

CUBIC, DIRECTION, DRIFT, UNDERFLOW, REACH = range(5)
"""Places in the table of bounds."""

BOUNDS = (24.0 * UNIT, 12.0 * UNIT, 5.0, 2.0**-900, 2.0**40)
"""The bounds that hold. Tests pass others to see wrong answers appear; nothing else may."""

SHORTEST = 48.0 * UNIT
"""Length of a bracket of time below which DRIFT counts it as this long."""
