"""Shapes packed for kernels, and the exact test called through its C address."""

from __future__ import annotations

import ctypes

import numpy as np
import pytest

from carom.errors import UnsupportedPairError
from carom.narrow import ShapeTable, general_toi_address, toi_general
from carom.narrow.toi.pair_answer import OUT_SIZE
from carom.narrow.toi.shape_table import H_KIND, H_N_HULL, H_N_PLANES, H_PARAM, HEADER
from carom.shapes import Box, Convex, HalfSpace, Mesh, Sphere
from carom.tables.body_columns import BODY_COLUMNS, ID, KIND, LINK_COLUMNS, SHAPE, T_REF
from oracles.naive_narrow import Cloud


def test_table_holds_each_shape_once():
    table = ShapeTable()
    ball, box = Sphere(1.0), Box((1.0, 2.0, 3.0))
    assert [table.add(shape) for shape in (ball, box, ball, Sphere(1.0), box)] == [0, 1, 0, 2, 1]
    assert len(table) == 3
    assert table.shapes[:2] == [ball, box]


def test_table_packs_what_kernels_need():
    table = ShapeTable()
    cube = Box((2.0, 4.0, 6.0))
    shapes = [
        Sphere(3.0),
        cube,
        Convex(cube.vertices),
        Mesh(cube.vertices, cube.faces),
        HalfSpace((0.0, 0.0, 2.0), 8.0),
    ]
    for shape in shapes:
        table.add(shape)
    heads = table.ints.reshape(-1, HEADER)
    assert heads[:, H_KIND].tolist() == [0, 1, 2, 3, 4]
    assert heads[:, H_N_PLANES].tolist() == [0, 6, 6, 0, 0]
    assert heads[:, H_N_HULL].tolist() == [0, 8, 8, 8, 0]
    assert table.floats[heads[0, H_PARAM]] == 3.0
    assert table.floats[heads[1, H_PARAM] :][:3].tolist() == [1.0, 2.0, 3.0]
    assert table.floats[heads[4, H_PARAM] :][:4].tolist() == [0.0, 0.0, 1.0, 4.0]


def test_table_grows_and_keeps_what_it_held():
    table = ShapeTable()
    shapes = [Box((1.0 + k, 1.0, 1.0)) for k in range(50)]
    for shape in shapes:
        table.add(shape)
    for k in range(50):
        assert table.floats[table.ints[HEADER * k + H_PARAM]] == 0.5 * (1.0 + k)


def test_table_refuses_a_shape_without_a_test():
    table = ShapeTable()
    with pytest.raises(UnsupportedPairError, match="Cloud"):
        table.add(Cloud())
    assert len(table) == 0


def scene(n_bodies: int):
    """Tables of `n_bodies` random bodies of every kind, with different epochs."""
    rng = np.random.default_rng(17)
    table = ShapeTable()
    soup = Mesh(rng.normal(size=(12, 3)), np.arange(12).reshape(4, 3))
    shapes = [
        Sphere(0.8),
        Box((1.0, 2.0, 1.5)),
        Convex(rng.normal(size=(12, 3))),
        soup,
        HalfSpace((0.0, 0.0, 1.0), -9.0),
    ]
    body = np.zeros((n_bodies, BODY_COLUMNS))
    quat = rng.normal(size=(n_bodies, 4))
    quat /= np.linalg.norm(quat, axis=1)[:, None]
    link = np.zeros((n_bodies, LINK_COLUMNS), dtype=np.int32)
    body[:, 0:3] = rng.normal(size=(n_bodies, 3)) * 6.0
    body[:, 3:6] = -0.5 * body[:, 0:3] + rng.normal(size=(n_bodies, 3))
    body[::3, 6:9] = rng.normal(size=(len(body[::3]), 3))
    body[:, T_REF] = rng.uniform(0.0, 0.5, size=n_bodies)
    for row in range(n_bodies):
        shape = shapes[row % len(shapes)]
        link[row, SHAPE], link[row, KIND], link[row, ID] = table.add(shape), shape.kind, 1000 - row
    return table, body, quat, link


def test_c_entry_equals_the_kernel_and_order_does_not_matter():
    table, body, quat, link = scene(25)
    floats, ints = table.floats, table.ints
    integers = [ctypes.c_int64] * 10
    entry = ctypes.CFUNCTYPE(ctypes.c_double, *integers, ctypes.c_double, ctypes.c_int64)(general_toi_address())
    tables = (
        body.ctypes.data,
        quat.ctypes.data,
        link.ctypes.data,
        len(body),
        floats.ctypes.data,
        len(floats),
        ints.ctypes.data,
        len(ints),
    )
    out, back, out_c = np.zeros(OUT_SIZE), np.zeros(OUT_SIZE), np.zeros(OUT_SIZE)
    n_hits = 0
    for i in range(25):
        for j in range(i + 1, 25):
            t_from = max(body[i, T_REF], body[j, T_REF])
            t = toi_general(body, quat, link, floats, ints, i, j, t_from, out)
            assert not np.isnan(t)
            assert np.isfinite(out).all()
            assert entry(*tables, i, j, t_from, out_c.ctypes.data) == t
            np.testing.assert_array_equal(out_c, out)
            assert toi_general(body, quat, link, floats, ints, j, i, t_from, back) == t
            if np.isfinite(t):
                n_hits += 1
                assert t >= t_from
                np.testing.assert_array_equal(back[0:3], out[0:3])
                np.testing.assert_array_equal(back[3:6], -out[3:6])
                np.testing.assert_array_equal(back[6:8], out[[7, 6]])
    assert n_hits > 50


def test_kernel_starts_from_the_later_epoch():
    # The same two motions, told at different epochs, give the same contact.
    table, body, quat, link = scene(10)
    floats, ints = table.floats, table.ints
    out = np.zeros(OUT_SIZE)
    n_hits = 0
    for i in range(10):
        for j in range(i + 1, 10):
            t_from = 0.6
            t = toi_general(body, quat, link, floats, ints, i, j, t_from, out)
            moved = body.copy()
            dt = t_from - moved[:, T_REF : T_REF + 1]
            moved[:, 0:3] += dt * (moved[:, 3:6] + 0.5 * dt * moved[:, 6:9])
            moved[:, 3:6] += dt * moved[:, 6:9]
            moved[:, T_REF] = t_from
            again = toi_general(moved, quat, link, floats, ints, i, j, t_from, out)
            assert np.isinf(t) == np.isinf(again)
            if np.isfinite(t):
                n_hits += 1
                assert again == pytest.approx(t, abs=1e-9)
    assert n_hits > 5
