"""Exponentials, logarithms and cube roots against the library's functions, which are right to a unit in the last place."""

from __future__ import annotations

import numpy as np

from carom.maths.powers import cube_root, exponentials, logarithms


def test_exponentials_are_right_to_three_places():
    x = np.concatenate([np.linspace(-700.0, 700.0, 4001), np.linspace(-1.0, 1.0, 1001)])
    true = np.exp(x)
    assert (np.abs(exponentials(x) - true) <= 3.0 * np.spacing(true)).all()
    assert exponentials(0.0) == 1.0


def test_logarithms_are_right_to_three_places():
    x = np.concatenate([10.0 ** np.linspace(-300.0, 300.0, 2001), np.linspace(0.5, 2.0, 1001)])
    true = np.log(x)
    assert (np.abs(logarithms(x) - true) <= 3.0 * np.spacing(np.abs(true)) + 1e-16).all()
    assert logarithms(1.0) == 0.0


def test_cube_root_is_right_to_two_places():
    x = np.concatenate([10.0 ** np.linspace(-300.0, 300.0, 2001), np.arange(30.0)])
    got = np.array([cube_root(float(value)) for value in x])
    assert (np.abs(got - np.cbrt(x)) <= 2.0 * np.spacing(np.cbrt(x))).all()
    assert got[-30 + 27] == 3.0
