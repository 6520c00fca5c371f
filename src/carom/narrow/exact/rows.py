"""Rows of the pool of integers, and the state of a root. A polynomial takes four rows, from the constant coefficient up."""

from __future__ import annotations

VECTORS = 0
"""Six vectors linear in t, three components of two coefficients: the differences (three or four), then two edges."""
EDGE_A, EDGE_B = 4, 5
"""Numbers of the vectors whose cross product is the common normal."""
ROOTS = 36
"""Polynomial whose roots are looked for."""
SIGN = 40
"""Polynomial whose sign at a root is asked for."""
LEFT, RIGHT, SPARE = 44, 48, 52
"""Polynomials of a remainder sequence, or parts of a product."""
LOCAL = 56
"""Polynomial shifted to a cell of time."""
BERNSTEIN = 60
"""Its Bernstein coefficients over the cell, times 3."""
CELL = 64
"""n of the cell from n / 2^k to (n + 1) / 2^k."""
HERE = 65
"""The cell at which a search goes on."""
TERM, TOTAL, ONE = 66, 67, 68
"""A product, a sum, and the number one."""
POINTS = 69
"""The 24 coordinates as integers."""
OVERFLOW = 93
"""size[OVERFLOW] is not 0 where a row was too short: no answer."""
N_ROWS = 94

DEPTH = 0
"""Place in `cell`: k."""
EXACT = 1
"""Place in `cell`: 1 if the root is n / 2^k itself, 0 if it is the only root in the open cell."""
BEFORE = 2
"""Place in `cell`: sign of the polynomial in the cell before the root."""
CELL_SIZE = 3
