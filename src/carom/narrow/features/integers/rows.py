"""Rows of the pool of integers, and the state of a root. A polynomial takes four rows, from the constant coefficient up.

All are np.int64 and not int: Numba would compile every function anew for each int constant that it is called with.
"""

from __future__ import annotations

import numpy as np

ROW_VECTORS = np.int64(0)
"""Six vectors linear in t, three components of two coefficients: the differences (three or four), then two edges."""
FIRST, EDGE_A, EDGE_B = np.int64(0), np.int64(4), np.int64(5)
"""Numbers of vectors: the first difference, and those whose cross product is the common normal."""
ROOTS = np.int64(36)
"""Polynomial whose roots are looked for."""
SIGN = np.int64(40)
"""Polynomial whose sign at a root is asked for."""
ROW_LEFT, ROW_RIGHT, SPARE = np.int64(44), np.int64(48), np.int64(52)
"""Polynomials of a remainder sequence, or parts of a product."""
LOCAL = np.int64(56)
"""Polynomial shifted to a cell of time."""
BERNSTEIN = np.int64(60)
"""Its Bernstein coefficients over the cell, up to positive factors."""
CELL = np.int64(64)
"""n of the cell from n / 2^k to (n + 1) / 2^k."""
HERE = np.int64(65)
"""The cell at which a search goes on."""
TERM, TOTAL, ONE = np.int64(66), np.int64(67), np.int64(68)
"""A product, a sum, and the number one."""
DOT = np.int64(3)
"""In place of an axis: the dot product, not a component of the cross product."""
ROW_POINTS = np.int64(69)
"""The 24 coordinates as integers."""
OVERFLOW = np.int64(93)
"""size[OVERFLOW] is not 0 where a row was too short: no answer."""
N_ROWS = np.int64(94)

ROW_DEPTH = np.int64(0)
"""Place in `cell`: k."""
ROW_EXACT = np.int64(1)
"""Place in `cell`: 1 if the root is n / 2^k itself, 0 if it is the only root in the open cell."""
AXIS = np.int64(2)
"""Place in `cell`: the axis to project along first."""
CELL_SIZE = np.int64(3)

PLUS, MINUS = np.int64(1), np.int64(-1)
"""Signs of a term of a sum."""
LINEAR, QUADRATIC = np.int64(2), np.int64(3)
"""Coefficients of a factor."""
