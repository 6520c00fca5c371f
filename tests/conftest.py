"""Settings for all tests, and how they run without the compiler (NUMBA_DISABLE_JIT=1, see plain_python)."""

from __future__ import annotations

import gc
import os

import numpy as np
import pytest
from hypothesis import settings

import plain_python
from plain_python.time_limit import limited

os.environ.setdefault("CAROM_QUIET", "1")
# Garbage is collected seldom: beside what the compiler leaves, looking for it takes a tenth of all tests' time.
gc.set_threshold(200_000, 50, 100)
# Kernels compile inside the first example of a test, so a time limit per example would only measure the compiler.
settings.register_profile("carom", deadline=None, derandomize=True, print_blob=True)
# Plain Python is slow: a few examples visit the same lines.
settings.register_profile("plain", parent=settings.get_profile("carom"), max_examples=5)
settings.load_profile("plain" if plain_python.is_asked_for() else "carom")

if plain_python.is_asked_for():
    plain_python.install()


def pytest_configure(config):
    if plain_python.is_asked_for():
        config.addinivalue_line("filterwarnings", "ignore::RuntimeWarning")


def pytest_collection_modifyitems(items):
    if not plain_python.is_asked_for():
        return
    for item in items:
        if item.get_closest_marker("compiled"):
            item.add_marker(pytest.mark.skip(reason="about compiled code"))


def _plainly(item):
    """Around a phase of a test: without the compiler nothing warns, and nothing takes long."""
    if not plain_python.is_asked_for():
        return (yield)
    with np.errstate(all="ignore"), limited(item.nodeid.partition("[")[0]):
        return (yield)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_setup(item):
    return (yield from _plainly(item))


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item):
    return (yield from _plainly(item))
