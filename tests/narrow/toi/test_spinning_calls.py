"""How the search for spinning bodies is called: by address, with any numbers, with bad ones."""

from __future__ import annotations

import ctypes

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from carom.errors import InvalidInputError
from carom.motion.motion import Motion
from carom.narrow import (
    Flights,
    ShapeTable,
    Status,
    first_contact_turning,
    first_contacts_turning,
    spinning_toi_address,
    toi_spinning,
)
from carom.narrow.toi.pair_answer import OUT_SIZE
from carom.shapes import HalfSpace
from carom.tables.body_columns import BODY_COLUMNS, ID, KIND, LINK_COLUMNS, SHAPE, SPIN_COLUMNS, T_REF, VX, X
from carom.tolerances import ADVANCE_GAP
from geometry.turning_samples import CUBE, REST, SHAPES


def test_address_gives_the_answer_of_the_kernel():
    table = ShapeTable()
    body, quat, spin = np.zeros((2, BODY_COLUMNS)), np.zeros((2, 4)), np.zeros((2, SPIN_COLUMNS))
    link = np.zeros((2, LINK_COLUMNS), dtype=np.int32)
    quat[:, 0] = 1.0
    body[1, X : X + 3], body[1, VX : VX + 3], body[1, T_REF] = (5.0, 0.3, 0.1), (-1.0, 0.0, 0.0), 2.0
    spin[1, :3] = (1.0, 2.0, -0.5)
    for row in range(2):
        link[row, SHAPE], link[row, KIND], link[row, ID] = table.add(CUBE), CUBE.kind, row
    call = ctypes.CFUNCTYPE(
        ctypes.c_double, *[ctypes.c_int64] * 11, *[ctypes.c_double] * 3, ctypes.c_int64
    )(spinning_toi_address())  # fmt: skip
    out, other = np.zeros(OUT_SIZE), np.zeros(OUT_SIZE)
    tables = (body, quat, spin, link)
    floats, ints = table.floats, table.ints
    time = call(
        *(t.ctypes.data for t in tables), 2, floats.ctypes.data, len(floats), ints.ctypes.data, len(ints),
        0, 1, 2.0, 9.0, ADVANCE_GAP, out.ctypes.data,
    )  # fmt: skip
    assert time == toi_spinning(*tables, floats, ints, 0, 1, 2.0, 9.0, ADVANCE_GAP, other)
    np.testing.assert_array_equal(out, other)
    assert 2.0 < time < 9.0
    # Not by then: the search says so, and where it ended.
    assert toi_spinning(*tables, floats, ints, 0, 1, 2.0, 4.5, ADVANCE_GAP, out) == 4.5
    assert out[8] == Status.NOT_YET


NUMBER = st.floats(-20.0, 20.0)
VECTOR = st.tuples(NUMBER, NUMBER, NUMBER)


@settings(max_examples=150)
@given(st.integers(0, 4), st.integers(0, 4), VECTOR, VECTOR, VECTOR, VECTOR, VECTOR, st.integers(0, 3))
def test_spinning_answer_is_never_nan(i, j, place, velocity, pull, spin_a, spin_b, snap):
    shapes = [*SHAPES.values(), HalfSpace((0.0, 0.0, 1.0), -1.0)]
    place, velocity, spin_a, spin_b = (
        np.round(np.asarray(v) / 2.0**snap) if snap else np.asarray(v) for v in (place, velocity, spin_a, spin_b)
    )
    hit = first_contact_turning(
        shapes[i], shapes[j], Motion(spin=spin_a), Motion(place, velocity, pull, spin=spin_b), until=2.0
    )
    if hit is not None:
        assert 0.0 <= hit.time <= 2.0
        assert np.isfinite(hit.point).all()
        assert np.isfinite(hit.normal).all()
        if hit.status is not Status.NOT_YET:
            assert np.linalg.norm(hit.normal) == pytest.approx(1.0)


def test_spinning_refuses_bad_input():
    late = Motion(start=3.0)
    with pytest.raises(InvalidInputError, match="start is 1"):
        first_contact_turning(CUBE, CUBE, REST, late, until=9.0, start=1.0)
    with pytest.raises(InvalidInputError, match="until is 2"):
        first_contact_turning(CUBE, CUBE, REST, late, until=2.0)
    with pytest.raises(InvalidInputError, match="gap"):
        first_contact_turning(CUBE, CUBE, REST, REST, until=2.0, gap=0.0)
    zeros = np.zeros((2, 3))
    good = Flights(np.tile(np.eye(3).ravel(), (2, 1)), zeros, zeros, zeros, zeros)
    with pytest.raises(InvalidInputError, match=r"flights_b\.spin"):
        first_contacts_turning(CUBE, CUBE, good, good._replace(spin=np.full((2, 3), np.nan)), until=1.0)
    with pytest.raises(InvalidInputError, match="rows"):
        first_contacts_turning(CUBE, CUBE, good, Flights(*(part[:1] for part in good)), until=1.0)
