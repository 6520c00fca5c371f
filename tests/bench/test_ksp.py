"""The quick reproduction runs from end to end and leaves its files; what the figures are is not tested."""

import pytest

from carom.bench.memory import probe
from quick_benches import check_left, quick_bench

TABLES = {
    "ksp_figure7": {"objects", "collisions", "kinetic", "swept", "all-pairs"},
    "ksp_figure8": {"frequency, Hz", "method", "update", "sort", "narrow", "whole"},
    "ksp_tests": {"frequency, Hz", "kinetic tests", "swept tests", "more tests, %"},
    "ksp_figure6": {"triangles", "frames / CPU s", "collisions"},
    "ksp_swaps": {"scene", "objects", "swaps / simulated s", "fitted exponent"},
    "ksp_queues": {"objects", "queue", "ns / swap", "pairing heap / this"},
    "ksp_spheres": {"objects", "collisions", "kinetic", "swept"},
    "ksp_idle_poll": {"µs / poll"},
}

ksp = quick_bench("ksp")


def test_ksp_quick_leaves_tables_and_pictures(ksp):
    check_left(ksp, TABLES, {"ksp_figures_7_8.png", "ksp_counts.png"})


def test_ksp_swept_boxes_never_save_exact_tests(ksp):
    table = ksp[0].table("ksp_tests")
    assert all(more >= 0.0 for more in table.column("more tests, %"))


def test_ksp_swaps_grow_faster_than_n(ksp):
    assert all(1.2 < exponent < 2.1 for exponent in ksp[0].table("ksp_swaps").column("fitted exponent"))


def test_ksp_claims_name_the_papers_figures(ksp):
    claims = {claim.what.split(",")[0]: claim for claim in ksp[0].claims}
    assert any("figure 6" in what for what in claims)
    assert any("poll" in what for what in claims)


def test_memory_probe_reports_a_peak_above_its_start():
    pytest.importorskip("resource")
    found = probe("spheres", 500)
    assert found["peak"] >= found["before"] > 1.0
    assert found["contacts"] == 0
