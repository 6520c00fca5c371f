"""Exact tests start only where they fit, and one that was held up is forgotten."""

from __future__ import annotations

from carom.narrow.progressive.exact_cost import ExactCost


def test_exact_cost_tries_the_first_test_unless_there_is_no_time():
    cost = ExactCost()
    assert cost.fits(1e-9)
    assert not cost.fits(0.0)
    assert not cost.fits(-1.0)


def test_exact_cost_refuses_what_takes_too_long():
    cost = ExactCost()
    for _ in range(10):
        cost.took(1e-4)
    assert cost.fits(2.1e-4)
    assert not cost.fits(1.9e-4)


def test_exact_cost_forgets_a_test_that_was_held_up():
    cost = ExactCost()
    cost.took(1e-4)
    cost.took(1.0)
    refused = 0
    while not cost.fits(2e-3):
        refused += 1
    assert 1 <= refused < 40
