"""The status of a contact is a number with a name."""

from __future__ import annotations

import json

import numpy as np
import pytest

import carom
from carom.narrow.toi import status as kernels


def test_status_of_a_contact_prints_its_name_and_compares_as_a_number():
    world = carom.World()
    world.add(carom.Sphere(1.0))
    world.add(carom.Sphere(1.0), carom.Motion((3, 0, 0), (-1, 0, 0)))
    log = world.advance(2.0)
    contact = log[0]
    assert contact.status is carom.Status.EXACT
    assert (contact.status == 0, f"{contact.status}", f"{contact.status:2d}", json.dumps(contact.status)) == (
        True, "EXACT", " 0", "0",
    )  # fmt: skip
    assert log.status.dtype == np.int64
    assert repr(contact) == (
        "Contact(time=1.0, a=0, b=1, speed=1, status=EXACT,\n        point=(1, 0, 0), normal=(1, 0, 0))"
    )
    impact = carom.time_of_impact(carom.Sphere(1.0), carom.Sphere(1.0), carom.Motion(), carom.Motion((1, 0, 0)), 1.0)
    assert impact is not None
    assert impact.status is carom.Status.OVERLAPPING


@pytest.mark.parametrize("name", ["EXACT", "OVERLAPPING", "CONSERVATIVE"])
def test_status_has_the_numbers_of_the_kernels(name):
    assert carom.Status[name] == getattr(kernels, name)
