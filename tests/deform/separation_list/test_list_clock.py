"""The clock of a separation list: what is due, what comes up to a time, and what a change at a key leaves alone."""

from __future__ import annotations

from math import inf

import numpy as np
import pytest

import carom
from carom import Deforming
from carom.deform import SeparationList
from scenarios.deform_samples import triangle_soup

WAYS = [
    {},
    {"full_passes": False},
    {"full_passes": False, "boxes": "kinetic"},
    {"full_passes": False, "prune": "events"},
]
NAMES = ["as it comes", "by events", "kinetic", "pruned"]

FLOOR = np.array([[-3, -3, 0], [3, -3, 0], [0, 4, 0]], float)
CORNER = np.array([[0, 0, 0], [0.5, 0, 0.5], [0, 0.5, 0.5]])


def soup(seed, first):
    motion = triangle_soup(np.random.default_rng(seed), 8, keys=3)
    return Deforming(motion.faces, first + np.arange(3.0), motion.vertices)


@pytest.mark.parametrize("options", WAYS, ids=NAMES)
@pytest.mark.parametrize("first", [0.0, 1.0, 100.0, 1e6])
def test_list_clock_comes_to_an_end_from_event_to_event(first, options):
    for seed in range(6):
        motion = soup(seed, first)
        stepped, times = SeparationList(motion, **options), []
        while (due := stepped.next_event_time()) < inf:
            before = stepped.time, stepped.next_event_time(), stepped.stats
            assert due >= stepped.time
            times += stepped.advance(due).times.tolist()
            assert (stepped.time, stepped.next_event_time(), stepped.stats) != before
        whole = SeparationList(motion, **options).advance(first + 2.0)
        assert times == whole.times.tolist()


@pytest.mark.parametrize("options", WAYS, ids=NAMES)
@pytest.mark.parametrize("first", [0.0, 0.1, 1e6])
def test_list_clock_counts_a_contact_at_the_time_asked_for(first, options):
    for seed in range(6):
        motion = soup(seed, first)
        whole = SeparationList(motion, **options).advance(first + 2.0)
        asked, found = SeparationList(motion, **options), []
        for time in np.unique(whole.times[(whole.times > first) & (whole.times % 1.0 != first % 1.0)]):
            found += asked.advance(float(time)).times.tolist()
            assert found == whole.times[whole.times <= time].tolist()


@pytest.mark.parametrize("options", [*WAYS, {"boxes": "kinetic"}, {"prune": "events"}])
@pytest.mark.parametrize("height", [0.0, 1e-12, 1e-10, 3e-10])
@pytest.mark.parametrize("change", ["flightplans", "vertices", "faces"])
def test_list_clock_keeps_contacts_at_a_key_when_something_else_changes_there(change, height, options):
    far = np.concatenate([0.1 * FLOOR + (50 + 3 * k, 0, 0) for k in range(60)])
    turn = np.linalg.qr(np.random.default_rng(3).normal(size=(3, 3)))[0]
    keys = [
        np.concatenate([FLOOR, CORNER + (0, 0, z), far + (0, 0, 0.01 * z)]) @ turn for z in (1.0, height, -1.0, -1.0)
    ]
    motion = Deforming(np.arange(186).reshape(62, 3), np.arange(4.0), keys)
    plain = SeparationList(motion, **options)
    expected = [*plain.advance(1.0).times, *plain.advance(2.0).times]
    assert expected
    changed = SeparationList(motion, **options)
    times = changed.advance(1.0).times.tolist()
    if change == "flightplans":
        changed.change_flightplans([100], [[0, 0, 1.0]])
    elif change == "vertices":
        changed.add_vertices([[9.0, 9.0, 9.0]])
    else:
        changed.remove_faces([50])
    changed.check()
    assert times + changed.advance(2.0).times.tolist() == expected


def test_check_up_to_a_key_has_contacts_that_begin_there():
    # A corner rests on the floor from one key to the next: with every=True it touches in both intervals.
    keys = [np.concatenate([FLOOR, CORNER + (0, 0, z)]) for z in (1.0, 0.0, 0.0, -1.0)]
    motion = Deforming([[0, 1, 2], [3, 4, 5]], np.arange(4.0), keys)
    whole = carom.self_contacts(motion, every=True)
    for until in (1.0, 1.5, 2.0):
        found = carom.self_contacts(motion, until=until, every=True)
        assert found.times.tolist() == whole.times[whole.times <= until].tolist()
