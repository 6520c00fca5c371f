"""`carom plot`, `bench`, `doctor`, `warm-up`, the help, wrong command lines and shell completion, in this process."""

from __future__ import annotations

import json
import os
import subprocess
import sys

import pytest

import carom as library
from carom import warming
from carom._compile import kernel_cache as _kernel_cache
from carom.bench import registry
from carom.cli import doctor, self_test
from command_line import command, complaint
from report_samples import ksp_report

COMMANDS = ("run", "check", "scenes", "play", "view", "plot", "export", "query", "bench", "doctor", "warm-up")


@pytest.fixture
def carom(monkeypatch, capsys, tmp_path):
    """Run `carom ARGUMENTS` in an empty folder; returns exit code, stdout and stderr."""
    monkeypatch.chdir(tmp_path)
    return command(monkeypatch, capsys)


def test_help_lists_every_command_under_a_heading_with_its_whole_summary(carom):
    code, out, err = carom("--help")
    assert (code, err) == (0, "")
    for name in COMMANDS:
        assert f"\n  {name} " in out
    for heading in (
        "Find contacts:",
        "View and export results:",
        "Query two shapes:",
        "Benchmarks:",
        "Maintenance:",
    ):
        assert heading in out
    assert "..." not in out.replace("[ARGS]...", "")
    assert "--install-completion" in out
    assert carom() == (0, out, "")


@pytest.mark.parametrize("name", COMMANDS)
def test_help_of_every_command_offers_json_and_fits_100_columns(carom, name):
    code, out, err = carom(name, "--help")
    assert (code, err) == (0, "")
    assert "--json" in out
    assert max(map(len, out.splitlines())) <= 100


MISTAKES = {
    "no such command": (("frob",), "no command is called 'frob'; `carom --help`", "`carom --help`"),
    "misspelt command": (("veiw",), "no command is called 'veiw'; did you mean view? `carom", "`carom --help`"),
    "scene for command": (("rings",), "no command is called 'rings'", "did you mean `carom run rings`?"),
    "file for command": (("mine.toml",), "no command is called 'mine.toml'", "did you mean `carom run mine.toml`?"),
    "animation for command": (("swirl",), "no command is called 'swirl'", "did you mean `carom check swirl`?"),
    "misspelt option": (
        ("run", "gas", "--objcts", 3),
        "no such option: --objcts; did you mean --objects? `carom",
        "--help`",
    ),
    "no such option": (("run", "gas", "--frob"), "no such option: --frob", "`carom run --help`"),
    "no number": (("run", "gas", "--objects", "x"), "--objects is 'x'; expected a whole number", "`carom run --help`"),
    "missing": (("plot",), "missing argument 'RUN'", "`carom plot --help`"),
    "no run": (("plot", "no.duckdb"), "no.duckdb: no such run file", ""),
    "bad picture": (("run", "gas", "--picture", "no/x.png"), "there is no folder no", ""),
    "bad ending": (("run", "gas", "--picture", "x.xyz"), "no picture ends in .xyz", ""),
    "bad page": (("run", "gas", "--html", "no/x.html"), "no/x.html: the page cannot be written", ""),
    "which bench": (("bench",), "which bench? One of broad", "--list"),
    "no bench": (("bench", "ksq"), "no bench is called 'ksq'", "did you mean ks"),
    "into": (("bench", "ksp", "--into", "x"), "--into is for `carom bench report`", ""),
    "nothing to report": (("bench", "report", "--out", "x"), "no bench has left its results", "`all`"),
}


@pytest.mark.parametrize("case", MISTAKES)
def test_mistakes_are_one_message_that_says_what_to_do(carom, tmp_path, case):
    arguments, message, advice = MISTAKES[case]
    code, out, err = carom(*arguments)
    assert (code, out) == (2, "")
    assert message in complaint(err)
    assert advice in complaint(err)
    assert not list(tmp_path.iterdir())


def test_plot_writes_the_picture_and_the_numbers_behind_it(carom, tmp_path):
    assert carom("run", "gas", "--objects", 40, "--packing", 0.1, "--until", 1, "--out", "g.duckdb")[0] == 0
    code, out, err = carom("plot", "g.duckdb")
    assert (code, err) == (0, "")
    assert "picture: g-plot.png" in out
    assert (tmp_path / "g-plot.png").read_bytes().startswith(b"\x89PNG")
    found = json.loads(carom("plot", "g.duckdb", "--out", "other.svg", "--json")[1])
    assert (found["kind"], found["bodies"], found["picture"]) == ("run", 46, "other.svg")
    assert len(found["events_per_second"]["contacts"]) == 10
    assert (tmp_path / "other.svg").exists()


def test_export_json_names_the_files(carom, tmp_path):
    assert carom("run", "billiards", "--until", 0.5, "--out", "b.duckdb")[0] == 0
    files = json.loads(carom("export", "b.duckdb", "--csv", "tables", "--json")[1])["files"]
    assert [tmp_path / name for name in files] == [tmp_path / "tables" / n for n in (
        "bodies.csv", "contacts.csv", "checkpoints.csv", "scene.json")]  # fmt: skip


@pytest.mark.parametrize(
    "words",
    [
        "scenes",
        "bench --list",
        "doctor --no-test",
        "run billiards --until 0.5",
        "query distance sphere:1 cone:1,1 --pose-b 3,0,0",
        "check swirl --faces 200 --keys 4",
    ],
)
def test_output_to_a_file_fits_100_columns_and_has_no_colours(carom, words):
    code, out, err = carom(*words.split())
    assert code in (0, 1)
    assert err == ""
    assert max(len(line.rstrip()) for line in out.splitlines()) <= 100
    assert "\x1b" not in out


def test_scenes_names_commands_options_and_switches(carom):
    out = carom("scenes")[1]
    assert "carom run gas" in out
    assert "--periodic     off" in out


def test_bench_list_explains_each(carom):
    out = carom("bench", "--list")[1]
    assert all(name in out for name in (*registry.BENCHES, "all", "report"))
    assert set(json.loads(carom("bench", "--list", "--json")[1])) == set(registry.BENCHES)


def test_bench_all_and_report_write_the_same_report(carom, monkeypatch, tmp_path):
    monkeypatch.setattr(registry, "BENCHES", {"ksp": lambda out, quick, bar: ksp_report(out)})
    code, out, _ = carom("bench", "all", "--quick", "--out", "o")
    assert code == 0
    assert "report: o/report.html" in out
    first = (tmp_path / "o" / "report.md").read_text()
    code, out, _ = carom("bench", "report", "--out", "o", "--into", "docs", "--json")
    assert code == 0
    assert json.loads(out)["files"] == ["docs/report.html", "docs/report.md"]
    assert (tmp_path / "docs" / "report.md").read_text() == first


def test_self_test_passes_every_trial():
    verdicts = self_test.self_test()
    assert [verdict.name for verdict in verdicts if not verdict.passed] == []
    assert len(verdicts) == len(self_test.TRIALS) >= 7


def test_doctor_says_where_the_kernels_are_and_that_all_is_well(carom, monkeypatch):
    monkeypatch.setattr(self_test, "TRIALS", {"arithmetic": lambda: "two"})
    code, out, err = carom("doctor")
    assert (code, err) == (0, "")
    said = " ".join(out.split())
    for word in (
        "numba",
        "cores",
        "kernel cache",
        "run files can be written here",
        "test of arithmetic",
        "ok",
        "carom works",
    ):
        assert word in said
    found = json.loads(carom("doctor", "--json", "--no-test")[1])
    assert found["healthy"] is True
    assert found["kernel_cache"]["folder"] == str(_kernel_cache.place().folder)
    assert found["self_test"] == []


def test_doctor_names_a_trial_that_failed_and_a_package_that_is_missing(carom, monkeypatch):
    def wrong():
        raise AssertionError("3 is not 4 [here]")

    monkeypatch.setattr(self_test, "TRIALS", {"arithmetic": wrong, "more": lambda: "fine"})
    code, out, _ = carom("doctor")
    assert code == 1
    assert "FAILED" in out
    assert "3 is not 4 [here]" in out
    assert "carom does not work here: arithmetic failed" in out
    monkeypatch.setattr(doctor, "_NEEDED", ("numpy", "no-such-package"))
    code, out, _ = carom("doctor", "--no-test")
    assert code == 1
    assert "no-such-package missing" in out


def test_doctor_drops_damaged_kernels_and_says_why_the_cache_is_refused(carom, tmp_path, monkeypatch):
    monkeypatch.setattr(_kernel_cache, "place", lambda: _kernel_cache.Place(tmp_path, "the disk is full"))
    monkeypatch.setattr(doctor, "place", _kernel_cache.place)
    monkeypatch.setattr(self_test, "TRIALS", {})
    (tmp_path / "a.kernel").write_bytes(bytes(1234))
    code, out, _ = carom("doctor")
    assert code == 0
    assert "1 damaged kernels were dropped" in out
    assert "the disk is full" in out
    assert list(tmp_path.iterdir()) == []


def test_warm_up_does_every_part_in_order_and_says_so(carom, monkeypatch):
    done = []
    monkeypatch.setattr(warming, "PARTS", {"one": lambda: done.append(1), "two": lambda: done.append(2)})
    monkeypatch.setattr(warming, "RARER_PARTS", {"three": lambda: done.append(3)})
    code, out, err = carom("warm-up")
    assert code == 0
    assert done == [1, 2]
    assert err == "1 of 2: one\n2 of 2: two\n"
    assert "2 parts ready" in out
    found = json.loads(carom("warm-up", "--everything", "--json")[1])
    assert list(found["parts"]) == ["one", "two", "three"]
    assert done == [1, 2, 1, 2, 3]


def test_warm_up_restores_the_notices_even_when_a_part_fails(monkeypatch):
    def fail():
        raise RuntimeError

    monkeypatch.setattr(warming, "PARTS", {"one": fail})
    for before in (None, "0"):
        monkeypatch.delenv("CAROM_QUIET", raising=False)
        if before is not None:
            monkeypatch.setenv("CAROM_QUIET", before)
        with pytest.raises(RuntimeError):
            library.warm_up()
        assert os.environ.get("CAROM_QUIET") == before


@pytest.mark.parametrize(
    ("typed", "expected"),
    [
        ("carom wa", "warm-up"),
        ("carom run gas --broad kinetic-g", "kinetic-grid"),
        ("carom bench peers", "peers-rings"),
        ("carom play sh", "ships"),
    ],
)
def test_completion_in_bash_knows_commands_and_values(typed, expected):
    words = typed.split(" ")
    environment = os.environ | {
        "_CAROM_COMPLETE": "complete_bash", "COMP_WORDS": typed, "COMP_CWORD": str(len(words) - 1),
    }  # fmt: skip
    out = subprocess.run([sys.executable, "-m", "carom"], env=environment, capture_output=True, text=True, timeout=120)
    assert out.stdout.split() == [expected]


def test_python_dash_m_is_the_command():
    out = subprocess.run([sys.executable, "-m", "carom", "--version"], capture_output=True, text=True, timeout=120)
    assert out.stdout.startswith("carom ")
