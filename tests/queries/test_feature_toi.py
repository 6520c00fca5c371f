"""vertex_face_toi and edge_edge_toi: known cases, symmetries, separations, bad input, and public queries with exact truth."""

from __future__ import annotations

from math import inf

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

import carom
from carom.bench.ksl import degenerate_queries
from carom.errors import InvalidInputError
from geometry.feature_samples import generic, touching

FACE = [(-1.0, -1.0, 0.0), (1.0, -1.0, 0.0), (0.0, 1.0, 0.0)]
EDGE = [(-1.0, 0.0, 0.0), (1.0, 0.0, 0.0)]
QUERIES = {False: carom.vertex_face_toi, True: carom.edge_edge_toi}


def falling(query, height, end):
    """A vertex over the face, or an edge over the edge, that moves from one height to another."""
    if query is carom.vertex_face_toi:
        return np.array([(0.0, 0.0, height), *FACE]), np.array([(0.0, 0.0, end), *FACE])
    return (
        np.array([*EDGE, (0.0, -1.0, height), (0.0, 1.0, height)]),
        np.array([*EDGE, (0.0, -1.0, end), (0.0, 1.0, end)]),
    )


@pytest.mark.parametrize("query", QUERIES.values())
@pytest.mark.parametrize(
    ("height", "end", "time"), [(1.0, -1.0, 0.5), (1.0, 0.0, 1.0), (0.0, 1.0, 0.0), (3.0, 1.0, inf)]
)
def test_feature_toi_of_a_fall(query, height, end, time):
    start, stop = falling(query, height, end)
    found = query(start, stop)
    assert isinstance(found, float)
    assert found == time if time in (0.0, inf) else time - 1e-9 <= found <= time
    assert query(start, stop, tight=True) == time


@pytest.mark.parametrize("query", QUERIES.values())
def test_feature_toi_of_a_batch_is_that_of_its_rows_on_any_number_of_threads(query):
    points, _ = touching(np.random.default_rng(31), 300)
    start, end = points[:, :4], points[:, 4:]
    alone = [query(a, b) for a, b in zip(start, end, strict=True)]
    np.testing.assert_array_equal(query(start, end, threads=1), alone)
    np.testing.assert_array_equal(query(start, end, threads=3), alone)
    assert query(np.empty((0, 4, 3)), np.empty((0, 4, 3))).shape == (0,)


@pytest.mark.parametrize("query", QUERIES.values())
def test_feature_toi_takes_lists_integers_and_views_and_leaves_them_alone(query):
    points = np.random.default_rng(32).integers(-3, 4, (50, 8, 3))
    whole = points.astype(float)
    kept = whole.copy()
    expected = query(whole[:, :4].copy(), whole[:, 4:].copy())
    np.testing.assert_array_equal(query(points[:, :4].tolist(), points[:, 4:]), expected)
    np.testing.assert_array_equal(query(whole[:, :4], whole[:, 4:]), expected)
    frozen = whole[:, :4].copy()
    frozen.flags.writeable = False
    np.testing.assert_array_equal(query(frozen, whole[:, 4:]), expected)
    np.testing.assert_array_equal(whole, kept)


@pytest.mark.parametrize("query", QUERIES.values())
@pytest.mark.parametrize(
    ("start", "end", "options", "message"),
    [
        (np.zeros((2, 3, 3)), np.zeros((2, 3, 3)), {}, r"start has shape \(2, 3, 3\); expected \(n, 4, 3\)"),
        (np.zeros((2, 4, 3)), np.zeros((3, 4, 3)), {}, r"end has shape \(3, 4, 3\)"),
        (np.zeros((4, 3)), np.zeros((1, 4, 3)), {}, r"end has shape \(1, 4, 3\)"),
        (np.zeros((4, 2)), np.zeros((4, 2)), {}, r"start has shape \(4, 2\); expected \(4, 3\)"),
        (np.zeros((1, 4, 3)), np.full((1, 4, 3), np.nan), {}, r"end\[0, 0, 0\] is nan"),
        (np.full((4, 3), np.inf), np.zeros((4, 3)), {}, r"start\[0, 0\] is inf"),
        ([[1.0], [2.0, 3.0]], np.zeros((4, 3)), {}, "start cannot be read as numbers"),
        ("points", np.zeros((4, 3)), {}, "start cannot be read as numbers"),
        (np.zeros((4, 3)), np.zeros((4, 3)), {"separation": -1.0}, "separation is -1.0"),
        (np.zeros((4, 3)), np.zeros((4, 3)), {"separation": np.nan}, "separation is nan"),
        (np.zeros((4, 3)), np.zeros((4, 3)), {"separation": np.inf}, "separation is inf"),
    ],
)
def test_feature_toi_refuses_bad_input(query, start, end, options, message):
    with pytest.raises(InvalidInputError, match=message):
        query(start, end, **options)


def test_feature_toi_takes_the_largest_doubles():
    # Their sum overflows, and so do their differences.
    start = np.full((1, 4, 3), 1.7e308)
    start[0, 0] = -1.7e308
    assert carom.vertex_face_toi(start, -start)[0] <= 0.5


POSITIONS = arrays(
    np.float64,
    (8, 3),
    elements=st.one_of(st.integers(-3, 3).map(float), st.floats(-1e3, 1e3, allow_subnormal=False)),
)


@given(points=POSITIONS, edges=st.booleans(), data=st.data())
def test_feature_toi_is_the_same_whatever_the_order_of_points_axes_and_signs(points, edges, data):
    query = QUERIES[edges]
    time = query(points[:4], points[4:], tight=True)
    order = data.draw(
        st.sampled_from(
            [(1, 0, 2, 3), (0, 1, 3, 2), (2, 3, 0, 1), (3, 2, 1, 0)]
            if edges
            else [(0, 2, 3, 1), (0, 3, 1, 2), (0, 2, 1, 3)]
        )
    )
    axes = data.draw(st.permutations(range(3)))
    signs = data.draw(st.tuples(*[st.sampled_from([-1.0, 1.0])] * 3))
    scale = 2.0 ** data.draw(st.integers(-300, 300))
    moved = points.reshape(2, 4, 3)[:, order][:, :, axes] * np.array(signs) * scale
    if (moved / scale == points.reshape(2, 4, 3)[:, order][:, :, axes] * np.array(signs)).all():  # nothing underflowed
        assert query(*moved, tight=True) == time
    back = query(points[4:], points[:4], tight=True)
    assert (back < inf) == (time < inf)


@pytest.mark.skipif(degenerate_queries.folder() is None, reason="the public queries are not kept here")
@pytest.mark.parametrize(("kind", "edges"), [("vertex-face", False), ("edge-edge", True)])
def test_feature_toi_is_right_on_every_public_query(kind, edges):
    points, truth = degenerate_queries.load(kind, degenerate_queries.folder())
    assert len(points) > 2000
    times = QUERIES[edges](points[:, :4], points[:, 4:])
    assert ((times < inf) & ~truth).sum() == 0
    assert ((times == inf) & truth).sum() == 0


def distance(start, end, edges, t):
    """Distance of the features at t, in floating point: the nearest of the normal's foot and all sides."""
    p = (1.0 - t) * start + t * end
    if edges:
        u, v, corners = p[1] - p[0], p[3] - p[2], np.array([p[2] - p[0], p[3] - p[0], p[2] - p[1], p[3] - p[1]])
        sides = [(0, 1), (2, 3), (0, 2), (1, 3)]
    else:
        u, v, corners = p[2] - p[1], p[3] - p[1], p[1:] - p[0]
        sides = [(0, 1), (1, 2), (2, 0)]
    best = inf
    for a, b in sides:
        along = corners[b] - corners[a]
        s = np.clip(-(corners[a] @ along) / max(along @ along, 1e-300), 0.0, 1.0)
        best = min(best, float(np.linalg.norm(corners[a] + s * along)))
    normal = np.cross(u, v)
    area = normal @ normal
    if area > 1e-18 * (u @ u) * (v @ v):  # else the sides cover the hull
        r = corners[0] if edges else -corners[0]
        f = np.cross(r, v) @ normal / area
        g = (np.cross(r, u) if edges else np.cross(u, r)) @ normal / area
        inside = (0.0 <= f <= 1.0 and 0.0 <= g <= 1.0) if edges else (f >= 0.0 and g >= 0.0 and f + g <= 1.0)
        if inside:
            best = min(best, abs(float(corners[0] @ normal)) / np.sqrt(area))
    return best


@pytest.mark.parametrize("query", QUERIES.values())
def test_feature_toi_with_separation_of_a_fall(query):
    start, end = falling(query, 2.0, 1.0)
    assert query(start, end, separation=0.5) == inf
    assert query(start, end, separation=1.25) == pytest.approx(0.75, abs=2e-6)
    assert query(start, end, separation=1.25) <= 0.75
    assert query(start, end, separation=2.0) == 0.0
    assert query(start, start, separation=3.0) == 0.0


@pytest.mark.parametrize("scale", [1.0, 1e-200, 1e200])
@pytest.mark.parametrize("edges", [False, True])
def test_feature_toi_with_separation_is_never_late_and_ends_at_it(edges, scale):
    rng = np.random.default_rng(33)
    points = np.concatenate([generic(rng, 150)[0], touching(rng, 60)[0]])
    start, end = points[:, :4].copy(), points[:, 4:].copy()
    apart = 0.2
    times = QUERIES[edges](start * scale, end * scale, separation=apart * scale)
    contacts = QUERIES[edges](start, end, tight=True)
    assert (times <= contacts).all()
    assert (times == inf).any()
    assert ((times > 0.0) & (times < 1.0)).any()
    for a, b, time in zip(start, end, times, strict=True):
        size = max(np.abs(a).max(), np.abs(b).max())
        if time < inf:
            assert distance(a, b, edges, time) <= apart * (1.0 + 1.001e-6) + 1e-13 * size
        for t in np.linspace(0.0, 1.0, 60):
            assert t >= time or distance(a, b, edges, t) > apart * (1.0 - 1e-9) - 1e-13 * size


def test_feature_toi_with_a_tiny_separation_still_finds_every_contact():
    points, _ = touching(np.random.default_rng(34), 2000)
    for query in QUERIES.values():
        exact = query(points[:, :4], points[:, 4:], tight=True)
        near = query(points[:, :4], points[:, 4:], separation=1e-300)
        assert (near <= exact).all()


@pytest.mark.parametrize("call", QUERIES.values())
def test_feature_toi_takes_masked_arrays_as_other_queries_do(call):
    start, end = np.random.default_rng(3).uniform(-1.0, 1.0, (2, 5, 4, 3))
    assert np.array_equal(call(np.ma.array(start), end), call(start, end))
    missing = np.ma.array(start, mask=np.zeros(start.shape, bool))
    missing[0, 0, 0] = np.ma.masked
    with pytest.raises(InvalidInputError, match="start"):
        call(missing, end)
