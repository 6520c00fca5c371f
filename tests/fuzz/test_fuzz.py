"""A few seeds of every fuzzer in each run of the tests, and many in the long ones."""

import importlib

import pytest

from fuzz.run import subjects

_SHORT = {
    "bounces": 30,
    "boxes": 30,
    "deforming": 10,
    "guided": 20,
    "impacts": 60,
    "periodic": 30,
    "polled": 10,
    "queries": 50,
    "types": 400,
    "worlds": 40,
}
"""Seeds of each subject. Files and scenes have a test beside this one, touched bodies one in tests/world/deforming."""
_MANY = 300
"""Seeds of every subject in the long tests."""


@pytest.mark.parametrize("subject", _SHORT)
def test_fuzz_finds_nothing_in_a_few_cases(subject):
    cases = importlib.import_module(f"fuzz.subjects.{subject}").cases
    for seed in range(_SHORT[subject]):
        cases(seed)


@pytest.mark.long
@pytest.mark.parametrize("subject", subjects())
def test_fuzz_finds_nothing_in_many_cases(subject):
    cases = importlib.import_module(f"fuzz.subjects.{subject}").cases
    for seed in range(1000, 1000 + _MANY):
        cases(seed)
