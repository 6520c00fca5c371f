"""The report of all benches: nothing is lost on disk, every exhibit says its claim, pages need nothing else."""

from __future__ import annotations

import re

import pytest

from carom.bench import BENCHES, Report, load_reports, registry, run, run_all, write_report
from carom.bench.papers import PAPERS, PEERS
from carom.errors import AuditError, InvalidInputError
from report_samples import PIXEL, ksp_report


@pytest.fixture
def folder(tmp_path):
    ksp_report(tmp_path).save(tmp_path)
    return tmp_path


def test_report_saved_and_loaded_is_the_same(folder):
    loaded = Report.load(folder / "ksp.json")
    original = ksp_report(folder)
    assert repr(loaded) == repr(original)


def test_report_load_refuses_other_files(tmp_path):
    (tmp_path / "a.json").write_text('{"name": "x"}')
    with pytest.raises(InvalidInputError, match=r"a.json: not the report of a bench"):
        Report.load(tmp_path / "a.json")


def test_load_reports_of_an_empty_folder_says_what_to_do(tmp_path):
    with pytest.raises(InvalidInputError, match="run one with --out"):
        load_reports(tmp_path)


def test_whole_report_puts_the_paper_beside_the_measurement(folder):
    page, text = (path.read_text() for path in write_report(load_reports(folder), folder))
    for exhibit in [*PEERS, *(exhibit for paper in PAPERS for exhibit in paper.exhibits)]:
        assert f"### {exhibit.title}" in text
        assert f"{exhibit.says}" in text
    said = text.index("nearly twice as many bodies")
    assert said < text.index("5.75 x | at least 1.5 x | yes") < text.index("Figure 8: frequency")
    assert said < text.index("![Figure 7: number of bodies](ksp_figures_7_8.png)") < text.index("### Figure 8")
    assert text.count("ksp_figures_7_8.png") == 1
    assert "`carom bench vadop` measures it" in text
    assert "left out of this run of `carom bench ksp`" in text
    for words in (text, page):
        assert "something of its own" in words
        assert "carom 9.9" in words
        assert "quick, 1.5 min" in words
        assert "Not shown" not in words


def test_whole_report_page_needs_nothing_else_and_is_escaped(folder):
    page = write_report(load_reports(folder), folder)[0].read_text()
    assert 'src="data:image/png;base64,' in page
    assert not re.search(r'(src|href)="(?!data:)|<script|url\(', page)
    assert "how it was &lt;measured&gt;" in page
    assert "a | b &lt;i&gt;" in page


def test_whole_report_text_has_whole_tables(folder):
    text = write_report(load_reports(folder), folder)[1].read_text()
    assert "| a \\| b <i> | inf |" in text
    assert "| 1,000 |  |" in text


def test_write_report_takes_its_pictures_along(folder):
    files = write_report(load_reports(folder), folder / "docs")
    assert [path.name for path in files] == ["report.html", "report.md"]
    assert (folder / "docs" / "ksp_figures_7_8.png").read_bytes() == PIXEL


def test_run_keeps_what_the_report_is_made_of(tmp_path, monkeypatch):
    monkeypatch.setattr(registry, "BENCHES", {"ksp": lambda out, quick, bar: ksp_report(out)})
    run("ksp", tmp_path, quick=True)
    kept = load_reports(tmp_path)["ksp"]
    assert kept.quick
    assert re.fullmatch(r"\d{4}-\d\d-\d\d", kept.made)
    assert (tmp_path / "ksp_claims.csv").exists()


def test_run_all_reports_what_could_be_measured_and_names_what_failed(tmp_path, monkeypatch, capsys):
    def fail(out, quick, bar):
        raise AuditError("logs differ")

    monkeypatch.setattr(registry, "BENCHES", {"broken": fail, "ksp": lambda out, quick, bar: ksp_report(out)})
    files, failed = run_all(tmp_path)
    assert failed == {"broken": "logs differ"}
    assert all(path.exists() for path in files)
    assert "broken failed: logs differ" in capsys.readouterr().out


def test_papers_name_benches_that_exist_or_are_to_come():
    named = {exhibit.bench for paper in PAPERS for exhibit in paper.exhibits} | {exhibit.bench for exhibit in PEERS}
    assert set(BENCHES) <= named
    assert len(PAPERS) == 5
