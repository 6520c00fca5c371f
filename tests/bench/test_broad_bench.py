"""The quick run leaves its files, all broad phases agree bit for bit, and wrong answers have no speed."""

import dataclasses
import math

import numpy as np
import pytest
from scipy.spatial import cKDTree

from carom.bench.broad.hierarchy import one_size_of_cells
from carom.bench.broad.identity import LONG_SCENE, long_pair, require_identical
from carom.bench.broad.methods import GRID, SWEEP, Method, methods
from carom.bench.broad.mixed_sizes import mixed
from carom.bench.broad.runs import Reference, Stretch, pilot, run_for, up_to
from carom.bench.broad.scenes import SCENES, settled
from carom.bench.broad.sweep import Point, Sweep, _predicted, auto_table, scene_tables
from carom.errors import AuditError
from carom.scenes.gas import gas
from quick_benches import check_left, quick_bench

TABLES = {
    "broad_points": {"scene", "objects", "method", "CPU s / simulated s", "simulated s", "contacts", "start, CPU s"},
    "broad_auto": {"scene", "objects", "best single choice", "auto / best", "auto runs"},
    "broad_hierarchy": {"scene", "objects", "one size / several"},
    "broad_polled": {"scene", "objects", "swept / kinetic-grid"},
    "broad_collisions": {"box", "packing", "objects", "collisions / CPU s"},
    "broad_fluid": {"quantity", "measured", "published", "off by, %"},
    "broad_identity": {"scene", "objects", "contacts", "simulated s", "methods compared"},
}


bench = quick_bench("broad")


@pytest.fixture(scope="module")
def stretch():
    return run_for(gas(objects=40, packing=0.1, seed=1), Method(GRID, GRID), 3.0)


def test_broad_quick_leaves_tables_and_pictures(bench):
    check_left(bench, TABLES, {"broad_sweep.png", "broad_auto.png"})


def test_broad_quick_has_a_table_of_methods_for_every_scene(bench):
    report = bench[0]
    for scene in SCENES:
        table = report.table(f"broad_{scene.replace(' ', '_').replace(':', '_to_')}")
        assert table.column("method") == [method.name for method in methods()]


def test_broad_quick_compares_every_scene_in_every_way(bench):
    table = bench[0].table("broad_identity")
    assert set(table.column("scene")) == set(SCENES)
    assert all(contacts >= 60 for contacts in table.column("contacts"))
    assert table.column("methods compared")[0] == len(methods())


@pytest.mark.parametrize("name", SCENES)
def test_broad_phases_agree_bit_for_bit_on_2000_contacts(name):
    usable = [method for method in methods() if method.rate in (0, 30) and "axes" not in method.options]
    contacts, _ = require_identical(SCENES[name].make(1000), usable, 2000)
    assert contacts >= 2000


@pytest.mark.long
def test_broad_phases_agree_bit_for_bit_on_200_000_contacts():
    contacts, _ = require_identical(SCENES[LONG_SCENE].make(10_000), long_pair(methods()), 200_000)
    assert contacts >= 200_000


def test_methods_run_what_has_frames_at_both_rates_and_what_sorts_along_one_axis_too():
    found = {method.name: method for method in methods(("auto", "kinetic", "kinetic-grid", "swept", "aabb-tree"))}
    assert set(found) == {
        *("auto", "kinetic", "kinetic, x only", "kinetic-grid", "aabb-tree, 30 Hz", "aabb-tree, 1000 Hz"),
        *(f"swept, {rate} Hz{axes}" for rate in (30, 1000) for axes in ("", ", x only")),
    }
    assert found["aabb-tree, 1000 Hz"].options == {"frame": 1e-3}
    assert np.shape(found["swept, 30 Hz, x only"].options["axes"]) == (1, 3)


def test_run_for_times_whole_frames_from_the_middle_of_one():
    method = next(method for method in methods() if method.name == "swept, 30 Hz")
    run = run_for(gas(objects=20, packing=0.05), method, 0.31)
    assert run.lead == 0.5 / 30
    assert run.end - run.lead == pytest.approx(9 / 30)


def test_pilot_stops_where_a_stretch_took_long_enough():
    scene = gas(objects=20, packing=0.05)
    short, whole = (pilot(scene, Method(GRID, GRID), 1.0, enough) for enough in (0.0, math.inf))
    assert short.end < whole.end
    assert whole.log.times.max(initial=0.0) <= whole.end


def test_reference_accepts_logs_that_agree_as_far_as_they_go(stretch):
    for order in (1, -1):
        reference = Reference("gas")
        for end in (1.0, 3.0)[::order]:
            reference.check(f"until {end}", up_to(stretch.log, end), end)


def test_reference_refuses_a_log_with_one_bit_changed_or_one_contact_less(stretch):
    times = stretch.log.times.copy()
    times[3] = np.nextafter(times[3], math.inf)
    wrong = dataclasses.replace(stretch.log, times=times)
    for log in (wrong, up_to(stretch.log, float(stretch.log.times[-2]))):
        reference = Reference("gas")
        reference.check("first", stretch.log, stretch.end)
        with pytest.raises(AuditError, match="gas: second reports other contacts than first"):
            reference.check("second", log, stretch.end)


def test_require_identical_refuses_a_method_that_sees_something_else():
    scene = gas(objects=30, packing=0.1, seed=2)
    other = Method("passes through", GRID, options={"response": None})
    with pytest.raises(AuditError, match="passes through"):
        require_identical(scene, [Method(GRID, GRID), other], 20)


def test_mixed_sizes_span_the_ratio_and_share_the_volume_by_size():
    scene = mixed(2000, 16.0, packing=0.1, seed=3)
    radii = np.array([shape.radius for shape in scene.shapes[:2000]])
    assert radii.min() == 1.0
    assert radii.max() == pytest.approx(16.0)
    volume = [np.sum(radii[(radii >= low) & (radii < 2 * low)] ** 3) for low in (1.0, 2.0, 4.0)]
    assert max(volume) < 1.2 * min(volume)
    pairs = cKDTree(scene.positions[:2000]).query_pairs(32.0, output_type="ndarray")
    gaps = np.linalg.norm(scene.positions[pairs[:, 0]] - scene.positions[pairs[:, 1]], axis=1)
    assert (gaps >= radii[pairs[:, 0]] + radii[pairs[:, 1]]).all()


@pytest.mark.parametrize("name", SCENES)
def test_bench_scenes_start_without_overlap(name):
    world = SCENES[name].make(200).build(broad=GRID, response=None)
    first = world.advance(1e-6)
    assert (first.status != 1).all()


def test_settled_scene_continues_where_the_first_one_stands():
    scene = gas(objects=50, packing=0.1, seed=4)
    world = scene.build()
    world.advance(2.0)
    later = settled(scene, 2.0)
    np.testing.assert_array_equal(later.positions, world.positions())
    np.testing.assert_array_equal(later.velocities, world.velocities())
    expected, found = world.advance(2.5), later.build().advance(0.5)
    np.testing.assert_array_equal(found.a, expected.a)
    np.testing.assert_allclose(found.times + 2.0, expected.times, atol=1e-9)


def test_one_size_of_cells_is_one_level_and_sees_the_same():
    scene = mixed(300, 16.0, seed=5)
    with one_size_of_cells():
        one = run_for(scene, Method(GRID, GRID), 5.0)
    several = run_for(scene, Method(GRID, GRID), 5.0)
    assert len(one.log) > 0
    assert one.log.identical(several.log)
    assert one.stats.pair_tests > several.stats.pair_tests


def made(cost: float, stretch: Stretch) -> Stretch:
    return dataclasses.replace(stretch, lead=0.0, end=1.0, seconds=cost, start_seconds=0.0)


def test_sweep_fits_the_exponent_of_a_power(stretch):
    points = [Point("stream", n, GRID, made(1e-6 * n**1.5, stretch)) for n in (100, 300, 1000)]
    found = Sweep([*points, Point("stream", 3000, GRID, None)])
    assert found.exponent("stream", GRID) == pytest.approx(1.5)
    (table,) = scene_tables(found)
    assert table.rows[0][-2] == "skipped"
    assert found.cost("stream", 3000, GRID) == math.inf


def test_sweep_predicts_from_the_last_two_sizes(stretch):
    costs = {100: 1.0, 1000: 100.0}
    found = Sweep([Point("stream", n, SWEEP, made(cost, stretch)) for n, cost in costs.items()])
    method = Method(SWEEP, SWEEP)
    assert _predicted(found, "stream", 10_000, method) == pytest.approx(5 * 0.002 * 10_000.0)
    assert _predicted(found, "pile", 10_000, method) == 0.0


def test_auto_table_names_the_best_single_choice(stretch):
    costs = {"auto": 3.0, GRID: 2.0, SWEEP: 4.0}
    found = Sweep([Point("pile", 100, name, made(cost, stretch)) for name, cost in costs.items()])
    assert auto_table(found).rows == [("pile", 100, GRID, 2.0, 3.0, 1.5, stretch.runs)]
