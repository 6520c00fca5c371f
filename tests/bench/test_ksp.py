"""The quick reproduction runs from end to end and leaves its files; what the figures are is not tested."""

import csv
import io

import pytest
from rich.console import Console

from carom.bench import run
from carom.bench.memory import probe

PNG = b"\x89PNG\r\n\x1a\n"


@pytest.fixture(scope="module")
def ksp(tmp_path_factory):
    out = tmp_path_factory.mktemp("bench") / "made" / "here"
    console = Console(file=io.StringIO(), width=180)
    return run("ksp", out, quick=True, console=console), out, console.file.getvalue()


def test_ksp_quick_writes_every_table(ksp):
    report, out, shown = ksp
    expected = {
        "ksp_figure7": {"objects", "collisions", "kinetic", "swept", "all-pairs"},
        "ksp_figure8": {"frequency, Hz", "method", "update", "sort", "narrow", "whole"},
        "ksp_tests": {"frequency, Hz", "kinetic tests", "swept tests", "more tests, %"},
        "ksp_figure6": {"triangles", "frames / CPU s", "collisions"},
        "ksp_swaps": {"scene", "objects", "swaps / simulated s", "fitted exponent"},
        "ksp_queues": {"objects", "queue", "ns / swap", "pairing heap / this"},
        "ksp_spheres": {"objects", "collisions", "kinetic", "swept"},
        "ksp_idle_poll": {"µs / poll"},
    }
    for name, columns in expected.items():
        with (out / f"{name}.csv").open(newline="", encoding="utf-8") as file:
            rows = list(csv.DictReader(file))
        assert len(rows) == len(report.table(name).rows) > 0
        assert columns <= set(rows[0])
        assert report.table(name).title.split(":")[0] in shown


def test_ksp_quick_draws_pictures(ksp):
    report, out, _ = ksp
    assert {path.name for path in report.pictures} == {"ksp_figures_7_8.png", "ksp_counts.png"}
    assert all((out / path.name).read_bytes().startswith(PNG) for path in report.pictures)


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
