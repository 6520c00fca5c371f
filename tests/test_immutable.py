"""What was checked once stays as it was checked: objects that worlds and queries are given hand out read-only arrays alone."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import carom
from geometry.sphere_tree_samples import tree as sphere_tree

BOX = carom.Box((1, 1, 1))
SHIP = carom.Guided((0, 0, 0), (1, 0, 0), 1.0, 9.0, direction=(0, 0, 1), region=((-9, -9, -9), (9, 9, 9)))
VALUES: dict[str, Any] = {
    "Motion": carom.Motion((1, 2, 3)),
    "Keyframes": carom.Keyframes([0.0, 1.0], [(0, 0, 0), (1, 0, 0)]),
    "Motions": carom.Motions([(0, 0, 0), (1, 0, 0)]),
    "Motions.of": carom.Motions.of([carom.Motion(), carom.Motion()]),
    "Guided": SHIP,
    "Deforming": carom.Deforming([(0, 1, 2)], [0.0, 1.0], np.zeros((2, 3, 3))),
    "KineticBounds": carom.KineticBounds(-np.eye(3), np.eye(3)),
    "SpaceTimeBounds": carom.time_critical.space_time_bounds([SHIP, SHIP], 1.0, until=1.0),
    "Box": BOX,
    "Convex": carom.Convex(BOX.vertices),
    "Mesh": carom.Mesh(BOX.vertices, BOX.faces),
    "HalfSpace": carom.HalfSpace((0, 0, 1), 0.0),
    "Compound": carom.Compound([(BOX, None)]),
    "SphereTree": sphere_tree("box"),
}


def arrays_of(value: Any) -> Iterator[tuple[str, np.ndarray]]:
    """Public arrays of an object, those inside tuples included."""
    for name in dir(value):
        held = None if name.startswith("_") else getattr(value, name)
        for part in held if isinstance(held, tuple) else (held,):
            if isinstance(part, np.ndarray):
                yield name, part


@pytest.mark.parametrize("how", ["made", "copied", "pickled"])
@pytest.mark.parametrize("name", VALUES)
def test_arrays_of_checked_objects_cannot_be_written_to(name: str, how: str) -> None:
    made = VALUES[name]
    value = {"made": made, "copied": copy.deepcopy(made), "pickled": pickle.loads(pickle.dumps(made))}[how]
    found = list(arrays_of(value))
    assert found or name == "Compound"
    assert [field for field, array in found if array.flags.writeable] == []


def test_motions_keep_none_of_the_arrays_that_they_are_given() -> None:
    place, keys = np.zeros(3), np.array([0.0, 1.0])
    motion, path = carom.Motion(place), carom.Keyframes(keys, np.zeros((2, 3)))
    place[0], keys[0] = np.nan, 7.0
    assert motion.position[0] == 0.0
    assert path.times[0] == 0.0


def bounds(**changed: Any) -> carom.time_critical.SpaceTimeBounds:
    good = {"sides": np.zeros((2, 12)), "planes": np.zeros((2, 5)), "owners": np.arange(2), "start": 0.0, "until": 1.0}
    return carom.time_critical.SpaceTimeBounds(**{**good, **changed})


@pytest.mark.parametrize(
    "changed",
    [
        {"sides": np.zeros((2, 11))}, {"sides": np.full((2, 12), np.nan)}, {"sides": [[0.0] * 12] * 2},
        {"sides": np.zeros((2, 12), np.float32)}, {"planes": np.zeros((1, 5))}, {"owners": np.arange(3)},
        {"owners": np.zeros(2)}, {"start": np.inf}, {"until": -1.0},
    ],
)  # fmt: skip
def test_space_time_bounds_refuse_arrays_that_do_not_fit_each_other(changed: dict[str, Any]) -> None:
    with pytest.raises(carom.InvalidInputError, match=next(iter(changed))):
        bounds(**changed)


def test_space_time_bounds_of_your_own_are_searched() -> None:
    sides = np.tile([0.0, 0.0, 1.0, 0.0], (2, 3))
    sides[1, 0], sides[1, 2], sides[1, 1], sides[1, 3] = 2.0, 3.0, -2.0, -2.0
    assert carom.time_critical.earliest_intersection(bounds(sides=sides)) == (0.5, 0, 1)
