"""The plain Python twins of what only the compiler understands, against the originals."""

from __future__ import annotations

import ast
import importlib
import math
import pkgutil
from typing import Annotated, Any, NamedTuple

import numba
import numpy as np
import pytest
from numba.core.extending import _Intrinsic

import carom
from carom._compile import address_call as _call
from carom._compile import clock as _clock
from carom._compile import fused as _fused
from carom._compile import jit as _jit
from carom._compile import lanes as _lanes
from carom._compile import prefetch as _prefetch
from carom.boxes import lanes as box_lanes
from carom.deform.triangles.lanes import box_fit as fit_lanes
from carom.deform.triangles.lanes import chord_boxes as chord_lanes
from carom.deform.triangles.lanes import coplanarity as coplanar_lanes
from carom.deform.triangles.lanes import directions as direction_lanes
from carom.deform.triangles.lanes import separating as parting_lanes
from carom.deform.triangles.lanes import window_pairs as pair_lanes
from carom.engine import addresses as address_table
from carom.narrow.mesh.bvh8 import boxes as wide_boxes
from carom.tables.arrays import Doubles
from plain_python import addresses, arithmetic, lanes, single_lanes, triangle_lanes
from plain_python import coplanar_lanes as coplanar_twins
from plain_python import direction_lanes as direction_twins
from plain_python.loader import _Kernels
from plain_python.time_limit import limited
from plain_python.twins import IN_TABLE, intrinsics

pytestmark = pytest.mark.compiled

EDGES = [math.nan, math.inf, -math.inf, -0.0, 0.0, 5e-324, -5e-324, 1e308, 1.0, 1.0, -1.0]


def compiled(function):
    """Compile without a cache: the generators of intrinsics run each time, not only when sources have changed."""
    return numba.njit(error_model="numpy")(function)  # noqa: TID251


def numbers(rng, shape, dtype=np.float64, edges=0.3):
    """Coarse random numbers with many ties, some of them replaced by edge cases."""
    values = np.round(rng.normal(size=shape), 1)
    return np.where(rng.random(shape) < edges, rng.choice(EDGES, shape), values).astype(dtype)


def same(a, b):
    """Equal bit for bit, but for which NaN it is."""
    a, b = np.atleast_1d(a), np.atleast_1d(b)
    np.testing.assert_array_equal(a, b)
    np.testing.assert_array_equal(np.signbit(a[~np.isnan(a)]), np.signbit(b[~np.isnan(b)]))


@pytest.fixture(autouse=True)
def _quiet():
    with np.errstate(all="ignore"):
        yield


def test_twins_are_complete():
    found = {}
    for module in pkgutil.walk_packages(carom.__path__, "carom."):
        if module.name == "carom.__main__":
            continue
        try:
            names = vars(importlib.import_module(module.name))
        except ModuleNotFoundError as error:  # of carom[peers], which need not be installed
            if error.name is None or error.name.startswith("carom"):
                raise
            continue
        for value in names.values():
            if isinstance(value, _Intrinsic):
                found[id(value)] = value
    known = {
        id(getattr(importlib.import_module(module), name)) for module, names in intrinsics.items() for name in names
    }
    assert known == set(found), [value for key, value in found.items() if key not in known]


def test_lanes_equal_their_twins():
    @compiled
    def run(keys, first, without, box):
        return (
            _lanes.least_of_eight(keys, first),
            _lanes.least_of_seven(keys, first, without),
            _lanes.spheres_touching(keys, first, box[0], box[1], box[2], box[3]),
            box_lanes.meeting(keys, 10, first, box),
            box_lanes.number_below(keys, first, box[0]),
        )

    rng = np.random.default_rng(1)
    for sample in range(300):
        keys, box = numbers(rng, 64, edges=sample % 3 * 0.3), tuple(numbers(rng, 6))
        first, without = int(rng.integers(0, 5)), int(rng.integers(0, 8))
        eight, seven, touching, meets, below = run(keys, first, without, box)
        same(eight, lanes.least_of_eight(keys, first))
        same(seven, lanes.least_of_seven(keys, first, without))
        assert touching == lanes.spheres_touching(keys, first, *box[:4])
        assert meets == lanes.meeting(keys, 10, first, box)
        assert below == lanes.number_below(keys, first, box[0])


def test_number_below_equals_its_twin_on_sorted_keys():
    run = compiled(lambda keys, first, value: box_lanes.number_below(keys, first, value))
    keys = np.array([-math.inf, -1.0, -0.0, 0.0, 0.0, 1.0, 2.0, 3.0, math.inf])
    for value in [*keys, 0.5, 10.0]:
        for first in (0, 1):
            assert run(keys, first, value) == lanes.number_below(keys, first, value)


def test_lowest_place_equals_its_twin_at_every_bit():
    run = compiled(lambda mask: _lanes.lowest_place(mask))
    for bit in range(64):
        for mask in (1 << bit, (1 << 63) | (1 << bit)):
            signed = np.uint64(mask).astype(np.int64)
            assert run(signed) == lanes.lowest_place(signed) == bit


def test_small_intrinsics_equal_their_twins():
    @compiled
    def run(a, b, c, rows):
        _prefetch.prefetch_row(rows, 1)
        _prefetch.prefetch_ends(rows, 2)
        return _fused.fused(a, b, c), _clock._counter()

    rows = np.arange(6.0).reshape(3, 2)
    for a, b, c in [(3.0, 4.0, 5.0), (math.inf, 0.0, 1.0), (-0.0, 1.0, -0.0), (math.nan, 1.0, 1.0), (1e308, 10.0, 1.0)]:
        value, _ = run(a, b, c, rows)
        same(value, lanes.fused(a, b, c))
    assert lanes.prefetch_row(rows, 1) is lanes.prefetch_ends(rows, 2) is None
    assert rows.tolist() == [[0.0, 1.0], [2.0, 3.0], [4.0, 5.0]]
    assert run(1.0, 1.0, 1.0, rows)[1] <= run(1.0, 1.0, 1.0, rows)[1]
    assert lanes.counter() <= lanes.counter()


def test_pair_lanes_equal_their_twins():
    @compiled
    def run(start, end, corners, first, last, moved, reach, directions):
        pair_lanes.place_corners(start, end, corners, first, last, moved, reach)
        return pair_lanes.parting_directions(moved, reach, directions), pair_lanes.meeting_features(moved, reach)

    rng = np.random.default_rng(2)
    parted = met = 0
    for sample in range(300):
        edges = 0.02 * (sample % 3)
        start, end = numbers(rng, (9, 4), edges=edges), numbers(rng, (9, 4), edges=edges)
        start[:, 3] = end[:, 3] = 0.0
        corners = rng.permutation(9)[:6]
        start[corners[3:], :3] += 1.5
        first, last = np.sort(rng.random(2)) if sample % 2 else (0.0, 1.0)
        directions = rng.normal(size=(3, 8))
        ours, theirs = (np.zeros((12, 4)), np.zeros(4)), (np.zeros((12, 4)), np.zeros(4))
        parting, features = run(start, end, corners, first, last, *ours, directions)
        lanes.place_corners(start, end, corners, first, last, *theirs)
        same(ours[0], theirs[0])
        same(ours[1], theirs[1])
        assert parting == lanes.parting_directions(*theirs, directions)
        assert features == lanes.meeting_features(*theirs)
        parted += parting != 0
        met += features != 0
    assert parted > 20
    assert met > 20


def test_direction_lanes_equal_their_twins():
    @compiled
    def run(moved, likely, edge, cross):
        direction_lanes.likely_directions(moved, likely)
        direction_lanes.edge_directions(moved, edge)
        direction_lanes.cross_directions(moved, cross)

    rng = np.random.default_rng(5)
    for sample in range(200):
        moved = numbers(rng, (12, 4), edges=0.03 * (sample % 3))
        ours, theirs = np.zeros((3, 3, 8)), np.zeros((3, 3, 8))
        run(moved, *ours)
        direction_twins.likely_directions(moved, theirs[0])
        direction_twins.edge_directions(moved, theirs[1])
        direction_twins.cross_directions(moved, theirs[2])
        same(ours, theirs)


def test_coplanar_lanes_equal_their_twins():
    @compiled
    def run(moved, reach, share, mask, cubics):
        whole = coplanar_lanes.coplanar_features(moved, reach, cubics)
        return (
            whole,
            coplanar_lanes.coplanar_before(cubics, reach, share),
            coplanar_lanes.earliest_feature(cubics, mask),
        )

    rng = np.random.default_rng(4)
    seen = set()
    for sample in range(300):
        moved = numbers(rng, (12, 4), edges=0.03 * (sample % 3))
        moved[3:6] += 1.5
        reach = np.abs(moved).max(axis=0)
        share, mask = rng.random(), int(rng.integers(1, 1 << 15))
        ours, theirs = np.zeros((5, 16)), np.zeros((5, 16))
        answers = run(moved, reach, share, mask, ours)
        assert answers[0] == coplanar_twins.coplanar_features(moved, reach, theirs)
        same(ours, theirs)
        assert answers[1] == coplanar_twins.coplanar_before(theirs, reach, share)
        assert answers[2] == coplanar_twins.earliest_feature(theirs, mask)
        seen.add(answers)
    assert len(seen) > 200


@pytest.mark.parametrize("kind", [np.float32, np.int16])
def test_chord_lanes_equal_their_twins(kind):
    @compiled
    def run(boxes, wide, a, b, odd):
        return (
            chord_lanes.meeting_intervals(boxes, a, b),
            chord_lanes.meeting_intervals(wide, a, b),
            chord_lanes.meeting_window(wide, 64 * a + 8, 64 * b + 8, odd),
        )

    @compiled
    def run_single(boxes, single, a, b):
        return chord_lanes.sides_apart(boxes, a, b), chord_lanes.boxes_meet(single, a, b)

    rng = np.random.default_rng(3)
    seen = set()
    for sample in range(400):
        wide = numbers(rng, (4, 64), np.float32, edges=0.1 * (sample % 3)) + np.float32(0.6)
        if kind is np.int16:
            wide = np.nan_to_num(1000.0 * wide).clip(-16_000, 16_000).astype(np.int16)
        wide[:, np.arange(64) % 8 > 5] = 0
        boxes, single = np.ascontiguousarray(wide[:, :16]), np.ascontiguousarray(wide[:, :8])
        a, b = (int(k) for k in rng.integers(0, 4, 2))
        odd = sample % 2
        meets, meets_wide, window = run(boxes, wide, a, b, odd)
        assert meets & 0xFF == single_lanes.meeting_intervals(boxes, a, b) & 0xFF
        assert meets_wide == single_lanes.meeting_intervals(wide, a, b) & ((1 << 56) - 1)
        same(window, single_lanes.meeting_window(wide, 64 * a + 8, 64 * b + 8, odd))
        seen.add(meets_wide & 0x80)
        if kind is np.float32:
            apart, meet = run_single(boxes, single, a, b)
            assert apart == single_lanes.sides_apart(boxes, a, b)
            assert meet == single_lanes.boxes_meet(single, a, b)
            assert (apart == 0) == (meets & 0x80 != 0)
    assert seen == {0, 0x80}


def _random_boxes(rng):
    """Columns (16, 8) of eight boxes: centre, three axes, half sizes, radius; single precision."""
    columns = np.zeros((16, 8))
    for lane in range(8):
        columns[:3, lane] = rng.normal(size=3) * 2.0
        columns[3:12, lane] = np.linalg.qr(rng.normal(size=(3, 3)))[0].ravel()
        columns[12:15, lane] = rng.uniform(0.1, 1.0, 3)
        columns[15, lane] = np.linalg.norm(columns[12:15, lane])
    return columns.astype(np.float32)


def _placed_boxes(rng):
    pose = np.zeros(13)
    pose[:9] = np.linalg.qr(rng.normal(size=(3, 3)))[0].ravel()
    pose[9:12] = rng.normal(size=3)
    return _random_boxes(rng), pose, _random_boxes(rng)


@pytest.mark.parametrize(
    ("name", "twin"), [("_overlaps", single_lanes.eight_overlaps), ("_distances", single_lanes.eight_distances)]
)
def test_box_bounds_equal_their_twins_up_to_rounding(name, twin):
    original = getattr(wide_boxes, name)
    run = compiled(lambda f, p, slack, cut, l, keys: original(f, p, slack, cut, l, keys))
    rng = np.random.default_rng(4)
    near = 0
    for _ in range(100):
        fixed, pose, boxes = _placed_boxes(rng)
        slack, cut = 1e-3, float(rng.uniform(0.0, 1.0))
        ours, theirs = np.zeros(8, np.float32), np.zeros(8, np.float32)
        places = fixed.ctypes.data, pose.ctypes.data, slack, cut, boxes.ctypes.data
        mask, expected = run(*places, ours.ctypes.data), twin(*places, theirs.ctypes.data)
        np.testing.assert_allclose(ours, theirs, atol=2e-5)
        doubtful = lanes.bits(np.abs(theirs - cut) < 1e-4)
        assert mask | doubtful == expected | doubtful
        near += mask.bit_count()
    assert 20 < near < 780


def test_box_windows_equal_their_twin_up_to_rounding():
    run = compiled(lambda f, p, rate, slack, cut, l, keys: wide_boxes.eight_windows(f, p, rate, slack, cut, l, keys))
    twin = single_lanes.eight_windows
    rng = np.random.default_rng(5)
    met = 0
    for sample in range(200):
        fixed, pose, boxes = _placed_boxes(rng)
        rate = np.eye(3)[sample % 3] if sample % 2 else rng.normal(size=3)
        rate /= np.linalg.norm(rate)
        cut = float(rng.uniform(0.5, 4.0))
        ours, theirs, unused = np.zeros((3, 8), np.float32)
        before, after = (fixed.ctypes.data, pose.ctypes.data, rate.ctypes.data), (cut, boxes.ctypes.data)
        mask = run(*before, 1e-3, *after, ours.ctypes.data)
        both = mask & twin(*before, 1e-3, *after, theirs.ctypes.data)
        lanes_met = [k for k in range(8) if both >> k & 1]
        np.testing.assert_allclose(ours[lanes_met], theirs[lanes_met], rtol=1e-3, atol=1e-3)
        fewest = twin(*before, 0.0, cut - 1e-2, *after[1:], unused.ctypes.data)
        most = twin(*before, 2e-3, cut + 1e-2, *after[1:], unused.ctypes.data)
        assert fewest & ~mask == 0
        assert mask & ~most == 0
        met += len(lanes_met)
    assert 50 < met < 1500


def _weighed(x, k):
    return x * 10.0 + k


def _counted(x, k):
    return k - 1


@pytest.mark.parametrize(
    ("function", "signature", "name"),
    [(_weighed, "float64(float64, int64)", "call_float"), (_counted, "int64(float64, int64)", "call_int")],
)
def test_calls_by_address_equal_their_twin(function, signature, name):
    original, callback = getattr(_call, name), _jit.c_callback(signature)(function)
    run = compiled(lambda address, x, k: original(address, (x, k)))
    twin = addresses.c_callback(signature)(function)
    for x, k in [(1.5, 2), (-math.inf, -7), (0.0, 2**40)]:
        assert run(callback.address, x, k) == addresses.call(np.int64(twin.address), (x, k)) == function(x, k)


@pytest.mark.parametrize(
    ("name", "dtype"), [("as_float64", np.float64), ("as_int32", np.int32), ("as_int64", np.int64)]
)
def test_pointers_equal_their_twin(name, dtype):
    original, twin = getattr(_call, name), intrinsics["carom._compile.address_call"][name]
    run = compiled(lambda address: numba.carray(original(address), (2, 3)).sum())
    values = np.arange(6, dtype=dtype)
    same(run(values.ctypes.data), numba.carray(twin(values.ctypes.data), (2, 3)).sum())
    numba.carray(twin(np.int64(values.ctypes.data)), (2, 3))[1, 2] = 9
    assert values[5] == 9


@pytest.mark.parametrize("name", IN_TABLE)
def test_arrays_in_tables_equal_their_twins(name):
    original, twin = getattr(address_table, name), intrinsics["carom.engine.addresses"][name]
    dtype, ndim = IN_TABLE[name]
    kind = NamedTuple("Kind", [("before", Doubles), ("array", Annotated[Any, np.dtype(dtype).name, ndim])])  # noqa: UP014
    run = compiled(lambda table: original(table, 1).copy())
    array = np.arange(2 * 3**ndim).reshape((6, 3, 3)[:ndim]).astype(dtype)
    for part in (array, array[:0]):
        table = address_table.address_table([kind(np.zeros(1), part)])
        same(run(table), part)
        same(twin(table, 1), part)
        assert run(table).dtype == twin(table, 1).dtype == dtype
    twin(address_table.address_table([kind(np.zeros(1), array)]), 1)[0] = 7
    assert (array[0] == 7).all()


def test_arithmetic_equals_that_of_kernels():
    quotient, root = compiled(lambda a, b: a / b), compiled(lambda a: math.sqrt(a))
    sine, scaled = compiled(lambda a: math.sin(a)), compiled(lambda a, k: math.ldexp(a, k))
    for a in EDGES:
        same(root(a), arithmetic.plain_math.sqrt(a))
        assert sine(a) == pytest.approx(arithmetic.plain_math.sin(a), nan_ok=True)
        for k in (0, 1, 2000, -2000):
            same(scaled(a, k), arithmetic.plain_math.ldexp(a, k))
        for b in EDGES:
            same(quotient(a, b), arithmetic.divide(a, b))
    assert arithmetic.divide(3, 2) == 1.5


def test_casts_equal_those_of_kernels():
    signed, unsigned = compiled(lambda x: np.int64(x)), compiled(lambda x: np.uint64(x))
    down, up = compiled(lambda x: math.floor(x)), compiled(lambda x: math.ceil(x))
    for x in (0, -3, 2**63 - 1, -(2**63), np.int32(-7), np.uint64(2**64 - 5)):
        assert int(signed(x)) == arithmetic.int64(x)
        assert int(np.uint64(unsigned(x))) == arithmetic.uint64(x)
    for x in (2.5, -2.5, -0.0, 1e15):
        assert signed(x) == arithmetic.int64(x) == arithmetic.integer(x)
        assert down(x) == arithmetic.plain_math.floor(x)
        assert up(x) == arithmetic.plain_math.ceil(x)
    for x in (math.inf, -math.inf, math.nan):
        assert arithmetic.integer(x) == arithmetic.plain_math.floor(x) == -(2**63)


def test_reads_are_as_wide_as_in_kernels():
    total = compiled(lambda a: (a[0] + a[1], a[0] | 2**40))
    for dtype in (np.int8, np.int16, np.int32, np.uint8):
        a = np.full(2, np.iinfo(dtype).max, dtype)
        one, two = (arithmetic.widened(x) for x in a)
        assert total(a) == (one + two, one | 2**40)
    assert arithmetic.widened(np.float32(0.1)) * 3.0 == compiled(lambda a: a[0] * 3.0)(np.full(1, 0.1, np.float32))
    assert arithmetic.widened(a) is a


def test_kernels_call_twins_and_other_functions_do_not():
    source = "@lean_kernel\ndef f(a, b):\n    a[0] /= int(b)\n    return 1.0 / np.uint64(b)\n"
    source += "def g(a, b):\n    return a / int(b)\n"
    tree = _Kernels().visit(ast.parse(source))
    assert ast.unparse(tree) == (
        "@lean_kernel\ndef f(a, b):\n"
        "    a[0] = __arithmetic__.divide(__arithmetic__.widened(a[0]), __arithmetic__.integer(b))\n"
        "    return __arithmetic__.divide(1.0, __arithmetic__.uint64(b))\n\n"
        "def g(a, b):\n    return a / int(b)"
    )
    assert {node.lineno for node in ast.walk(tree) if isinstance(node, ast.Call)} == {3, 4, 6}
    compile(tree, "a test", "exec")


def _forever(test):
    with limited(test):
        while True:
            pass


def test_time_limit_stops_a_test_and_its_later_cases_sooner(monkeypatch):
    monkeypatch.setenv("CAROM_PLAIN_SECONDS", "0.08")
    for limit in (0.08, 0.08, 0.02):
        with pytest.raises(pytest.skip.Exception, match=f"within {limit:g} s"):
            _forever("a test")
    with pytest.raises(pytest.skip.Exception, match=r"within 0\.08 s"):
        _forever("another test")


def test_parting_lanes_equal_their_twins():
    @compiled
    def run(faces, places, first, x, y, z):
        return (
            parting_lanes.parted(faces, places, first, 0, 1, x, y, z),
            parting_lanes.placed_parted(places.reshape(-1), 0, x, y, z),
        )

    rng = np.random.default_rng(7)
    faces = np.arange(6, dtype=np.int32).reshape(2, 3)
    seen = set()
    for sample in range(400):
        edges = sample % 3 * 0.1
        places = numbers(rng, (6, 4), edges=edges)
        places[3:] += rng.choice([-2.0, 0.0, 2.0])
        places[:, 3] = 0.0
        direction = numbers(rng, 3, edges=edges).tolist()
        twins = (
            triangle_lanes.parted(faces - sample % 2, places, sample % 2, 0, 1, *direction),
            triangle_lanes.placed_parted(places.reshape(-1), 0, *direction),
        )
        assert run(faces - np.int32(sample % 2), places, sample % 2, *direction) == twins
        seen.add(twins[0])
    assert seen == {0, 1, 2}


def test_fit_lanes_equal_their_twins():
    @compiled
    def run(low, high, rows, origin, boxes):
        fit_lanes.fit_triangle(low, high, rows[0], rows[1], rows[2], origin, boxes, 0)
        fit_lanes.fit_triangle(high, high, rows[1], rows[1], rows[0], origin, boxes, 16)
        fit_lanes.fit_two(boxes, 0, 16, 24)
        fit_lanes.fit_two_rows(boxes, 0, 16, 128)

    @compiled
    def run_steps(places, rows, origin, steps, boxes):
        fit_lanes.fit_corners(places, rows[0], rows[1], rows[2], origin, steps, boxes, 8)
        fit_lanes.fit_corners(places, rows[0], rows[1], rows[1], origin, steps, boxes, 64)
        fit_lanes.fit_two_rows(boxes, 0, 64, 128)

    rng = np.random.default_rng(8)
    for sample in range(200):
        low = numbers(rng, (5, 4), edges=sample % 3 * 0.1)
        high = low + rng.random((5, 4))
        origin, rows = rng.normal(size=4), rng.integers(0, 5, 3)
        low[:, 3] = high[:, 3] = origin[3] = 0.0
        boxes, twins = np.zeros((2, 3, 64), np.float32)
        run(low, high, rows, origin, boxes)
        triangle_lanes.fit_triangle(low, high, *rows, origin, twins, 0)
        triangle_lanes.fit_triangle(high, high, rows[1], rows[1], rows[0], origin, twins, 16)
        triangle_lanes.fit_two(twins, 0, 16, 24)
        triangle_lanes.fit_two_rows(twins, 0, 16, 128)
        same(boxes, twins)
        places = rng.normal(size=(5, 4)) * (1.0, 1.0, 1.0, 0.0)
        boxes, twins = np.zeros((2, 3, 64), np.int16 if sample % 2 else np.float32)
        run_steps(places, rows, origin, 2000.0, boxes)
        triangle_lanes.fit_corners(places, *rows, origin, 2000.0, twins, 8)
        triangle_lanes.fit_corners(places, rows[0], rows[1], rows[1], origin, 2000.0, twins, 64)
        triangle_lanes.fit_two_rows(twins, 0, 64, 128)
        same(boxes, twins)
