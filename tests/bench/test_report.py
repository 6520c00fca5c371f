"""Tables, claims and their files."""

import csv
import io
import json
import math

import pytest
from rich.console import Console

from carom.bench import BENCHES, Claim, Report, Table, plotting, run
from carom.errors import CaromError, InvalidInputError


def sample_report() -> Report:
    table = Table("speeds", "Speeds", ("name", "n", "cost"), [("a", 1000, 0.12345), ("b", 2, math.inf)])
    claims = [Claim("fast", 3.0, "at least", 2.0, "x"), Claim("small", 3.0, "below", 2.0, "MB")]
    return Report("sample", ["what was compared"], [table], claims)


def test_claim_met_follows_its_sense():
    assert [claim.met for claim in sample_report().claims] == [True, False]
    assert Claim("edge", 2.0, "at least", 2.0).met
    assert not Claim("edge", 2.0, "below", 2.0).met


def test_report_csv_holds_full_precision(tmp_path):
    paths = sample_report().write_csv(tmp_path)
    assert [path.name for path in paths] == ["speeds.csv", "sample_claims.csv"]
    with paths[0].open(newline="") as file:
        assert list(csv.reader(file)) == [["name", "n", "cost"], ["a", "1000", "0.12345"], ["b", "2", "inf"]]


def test_report_as_dict_is_strict_json():
    text = json.dumps(sample_report().as_dict(), allow_nan=False)
    found = json.loads(text)
    assert found["tables"]["speeds"][1]["cost"] is None
    assert found["claims"][0]["met"] is True
    assert {"carom", "numba", "cores"} <= set(found["machine"])


def test_report_show_names_machine_notes_and_missed_targets():
    console = Console(file=io.StringIO(), width=200)
    sample_report().show(console)
    shown = console.file.getvalue()
    assert all(word in shown for word in ("numba", "what was compared", "Speeds", "NO", "at least 2 x"))


def test_run_unknown_bench_names_the_known_ones(tmp_path):
    with pytest.raises(InvalidInputError, match="ksp"):
        run("nothing", tmp_path / "out")
    assert not (tmp_path / "out").exists()
    assert set(BENCHES) == {"broad", "hubbard", "ksl", "ksp", "peers-rings", "queries", "vadop"}


def test_run_without_matplotlib_names_the_extra(tmp_path, monkeypatch):
    monkeypatch.setattr(plotting.importlib.util, "find_spec", lambda name: None)
    with pytest.raises(CaromError, match=r"carom\[plot\]"):
        run("ksp", tmp_path / "out")
    assert not (tmp_path / "out").exists()
