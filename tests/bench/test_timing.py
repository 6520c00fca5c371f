"""Timed runs: polling does not change the contacts, and a wrong fast answer cannot pass."""

import dataclasses
from functools import partial

import numpy as np
import pytest

from carom.bench.timing import METHODS, best_of, run_scene
from carom.errors import AuditError
from carom.scenes.gas import gas

SCENE = gas(objects=30, packing=0.1, seed=4)


def test_run_scene_contacts_do_not_depend_on_method_or_rate():
    reference = run_scene(SCENE, 0.0, 1.0)
    assert len(reference.log) > 5
    assert np.all(np.diff(reference.log.times) >= 0.0)
    for method in METHODS:
        assert reference.log.identical(run_scene(SCENE, 50.0, 1.0, method).log)


def test_best_of_keeps_the_fastest():
    run = run_scene(SCENE, 0.0, 0.2)
    costs = iter([3.0, 1.0, 2.0])
    best = best_of({"only": lambda: dataclasses.replace(run, seconds=next(costs))}, 3, "test")
    assert best["only"].seconds == 1.0


def test_best_of_refuses_a_different_answer():
    run = run_scene(SCENE, 0.0, 0.5)
    late = dataclasses.replace(run.log, times=np.nextafter(run.log.times, np.inf))
    wrong = dataclasses.replace(run, seconds=0.0, log=late)
    with pytest.raises(AuditError, match="wrong"):
        best_of({"right": partial(run_scene, SCENE, 0.0, 0.5), "wrong": lambda: wrong}, 1, "test")
