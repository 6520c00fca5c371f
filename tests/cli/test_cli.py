"""The command line, called in this process; every error is one line on stderr and exit code 2."""

from __future__ import annotations

import json

import numpy as np
import pytest

from carom.cli.summary import total_energy
from carom.runfile import RunFile
from carom.scenes import scene
from command_line import command, complaint


@pytest.fixture
def carom(monkeypatch, capsys, tmp_path):
    """Run `carom ARGUMENTS` in an empty folder; returns exit code, stdout and stderr."""
    monkeypatch.chdir(tmp_path)
    return command(monkeypatch, capsys)


GAS = ("run", "gas", "--objects", 60, "--packing", 0.2, "--seed", 3)


def log_of(path):
    with RunFile.read(path) as file:
        return file.contacts()


def test_run_writes_the_log_of_the_scene_and_a_summary(carom, tmp_path):
    code, out, err = carom(*GAS, "--until", 2, "--out", "g.duckdb")
    assert (code, err) == (0, "")
    expected = scene("gas", objects=60, packing=0.2, seed=3).build().advance(2.0)
    assert len(expected) > 50
    assert log_of(tmp_path / "g.duckdb").identical(expected)
    for word in ("bodies", "contacts", "swaps", "motion changes", "narrow tests", "CPU", "energy drift", "g.duckdb"):
        assert word in out


def test_run_json_is_complete_and_alone_on_stdout(carom):
    code, out, _ = carom(*GAS, "--until", 2, "--no-log", "--json")
    summary = json.loads(out)
    assert code == 0
    assert summary["contacts"] == summary["stats"]["contacts"] > 50
    expected = {"objects": 60, "packing": 0.2, "periodic": 0, "restitution": 1.0, "seed": 3}
    assert summary["parameters"] == expected
    assert abs(summary["energy"]["relative_drift"]) < 1e-12
    assert summary["file"] is None


@pytest.mark.parametrize(
    "options", [("--hz", 100), ("--broad", "all-pairs"), ("--queue", "heap4"), ("--broad", "swept")]
)
def test_run_options_change_no_contact(carom, options):
    assert carom(*GAS, "--until", 2, "--out", "a.duckdb")[0] == 0
    assert carom(*GAS, "--until", 2, "--out", "b.duckdb", *options)[0] == 0
    assert log_of("a.duckdb").identical(log_of("b.duckdb"))


def test_run_names_its_file_after_the_scene_and_never_overwrites(carom, tmp_path):
    for _ in range(2):
        assert carom(*GAS, "--until", 0.1)[0] == 0
    assert sorted(p.name for p in tmp_path.iterdir()) == ["gas-2.duckdb", "gas.duckdb"]


def test_run_resume_continues_to_the_identical_log(carom):
    assert carom(*GAS, "--until", 2, "--out", "whole.duckdb")[0] == 0
    assert carom(*GAS, "--until", 0.7, "--out", "parts.duckdb", "--checkpoint-every", 0.25)[0] == 0
    code, out, err = carom(*GAS, "--until", 2, "--out", "parts.duckdb", "--resume")
    assert (code, err) == (0, "")
    assert "contacts in the file" in out
    assert log_of("parts.duckdb").identical(log_of("whole.duckdb"))
    with RunFile.read("parts.duckdb") as file:
        assert [saved.time for saved in file.checkpoints()] == [0.0, 0.25, 0.5, 0.7, 0.75, 1.0, 1.25, 1.5, 1.75, 2.0]


def test_run_resume_of_a_finished_run_changes_nothing(carom):
    assert carom(*GAS, "--until", 1, "--out", "g.duckdb")[0] == 0
    before = log_of("g.duckdb")
    code, out, _ = carom("run", "gas", "--out", "g.duckdb", "--resume", "--json")
    assert code == 0
    assert json.loads(out)["contacts"] == 0
    assert log_of("g.duckdb").identical(before)


def test_run_resume_past_until_says_that_nothing_was_done(carom):
    assert carom(*GAS, "--until", 0.2, "--out", "g.duckdb")[0] == 0
    assert carom(*GAS, "--until", 0.1, "--out", "g.duckdb", "--resume") == (
        0, "gas is already at 0.2 s: nothing was done\nrun file: g.duckdb\n", ""
    )  # fmt: skip


def test_run_of_a_scene_file(carom, tmp_path):
    (tmp_path / "two.toml").write_text(
        'until = 3\n[response]\nkind = "elastic"\n[shapes.b]\nkind = "sphere"\nradius = 1\n'
        '[[bodies]]\nshape = "b"\nvelocity = [1, 0, 0]\n[[bodies]]\nshape = "b"\nposition = [4, 0, 0]\nname = "still"\n'
    )
    code, out, _ = carom("run", "two.toml", "--json")
    assert code == 0
    assert json.loads(out)["contacts"] == 1
    assert log_of("two.duckdb").times.tolist() == [2.0]
    code, _, err = carom("run", "two.toml", "--out", "two.duckdb", "--resume")
    assert (code, err) == (0, "")


def test_run_of_a_scene_whose_name_looks_like_markup_shows_it_as_it_is(carom, tmp_path):
    (tmp_path / "one.toml").write_text(
        'name = "[/x] $\\\\frac$ :cat:"\nuntil = 0.5\n[shapes.b]\nkind = "sphere"\nradius = 1\n'
        '[[bodies]]\nshape = "b"\nname = "\\u7403 [bold]"\n'
    )
    for arguments, said in (
        (("run", "one.toml"), ", 0 to 0.5 s"),
        (("run", "one.toml", "--out", "one.duckdb", "--resume"), " is already at 0.5 s"),
        (("plot", "one.duckdb"), ", 0 to 0.5 s"),
    ):
        code, out, err = carom(*arguments)
        assert (code, err) == (0, ""), arguments
        assert out.startswith(rf"[/x] $\frac$ :cat:{said}"), arguments


ERRORS = {
    "unknown scene": (("run", "ring"), "no scene is called 'ring'; expected rings, models"),
    "animation": (("run", "swirl"), "swirl is an animation of deforming meshes: `carom check swirl` finds its contacts"),
    "no scene file": (("run", "no.toml"), "no.toml: no such scene file"),
    "bad parameter": (("run", "gas", "--objects", 0), "objects is 0; expected a whole number from 1 to 10,000,000"),
    "foreign parameter": (("run", "gas", "--density", 0.1), "no parameter 'density'"),
    "bad until": (("run", "gas", "--until", "nan"), "--until is nan; expected a finite number above 0"),
    "endless": (("run", "gas", "--until", "inf"), "--until is inf; expected a finite number above 0"),
    "bad hz": (("run", "gas", "--hz", 0), "--hz is 0.0; expected a finite number above 0"),
    "bad interval": (("run", "gas", "--checkpoint-every", -1), "--checkpoint-every is -1.0"),
    "polls without an end": (("run", "gas", "--hz", 1e20), "--hz is 1e+20, which makes 1e+21 steps to 10 s; expected"),
    "checkpoints without an end": (("run", "gas", "--checkpoint-every", 1e-300), "--checkpoint-every is 1e-300, which"),
    "run without an end": (("run", "gas", "--until", 1e20), "--until is 1e+20; expected at most 1e+09"),
    "frames without an end": (("play", "ships", "--frames", 10**12), "--frames is 1000000000000; expected 0 to 1,000,000"),
    "drones without an end": (("play", "ships", "--frames", 1, "--drones", 10**12), "drones is 1000000000000; expected a"),
    "negative seed of a game": (("play", "ships", "--frames", 1, "--seed", -1), "seed is -1; expected a whole number from 0"),
    "plot of nothing": (("plot", ""), "cannot be read: not a regular file"),
    "view of a folder": (("view", "."), "cannot be read: not a regular file"),
    "bad broad": (("run", "gas", "--broad", "magic"), "broad is 'magic'; expected one of"),
    "bad queue": (("run", "gas", "--queue", "magic"), "magic"),
    "resume without file": (("run", "gas", "--resume"), "say which with --out FILE"),
    "resume missing file": (("run", "gas", "--resume", "--out", "no.duckdb"), "no.duckdb: no such run file"),
    "contradiction": (("run", "gas", "--no-log", "--out", "x.duckdb"), "--no-log writes no run file"),
    "export nothing": (("export", "x.duckdb"), "--parquet FOLDER or --csv FOLDER"),
    "export missing": (("export", "x.duckdb", "--csv", "out"), "x.duckdb: no such run file"),
    "unknown bench": (("bench", "magic"), "magic"),
}  # fmt: skip


@pytest.mark.parametrize("case", ERRORS)
def test_errors_are_one_message_and_exit_code_2(carom, tmp_path, case):
    arguments, message = ERRORS[case]
    code, out, err = carom(*arguments)
    assert code == 2
    assert out == ""
    assert message in complaint(err)
    assert not list(tmp_path.glob("*.duckdb*"))


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("run", "rings"), "holds a run of gas, not of rings"),
        (("run", "gas", "--objects", 61), "was run with objects = 60, not 61"),
        (("run", "gas", "--broad", "swept"), "was run with --broad auto, not swept"),
        (("run", "gas.toml"), "holds a run of gas, not of gas.toml"),
    ],
)
def test_run_resume_of_another_run_is_refused(carom, tmp_path, options, message):
    assert carom(*GAS, "--until", 0.1, "--out", "g.duckdb")[0] == 0
    before = (tmp_path / "g.duckdb").read_bytes()
    code, _, err = carom(*options, "--out", "g.duckdb", "--resume")
    assert code == 2
    assert message in err
    assert (tmp_path / "g.duckdb").read_bytes() == before


def test_run_into_an_existing_file_is_refused_before_anything_is_computed(carom, tmp_path):
    (tmp_path / "mine.txt").write_text("mine")
    code, _, err = carom("run", "gas", "--out", "mine.txt")
    assert code == 2
    assert "already exists; continue it with --resume, or choose another name" in err
    assert (tmp_path / "mine.txt").read_text() == "mine"


def test_scenes_lists_every_scene_with_its_parameters(carom):
    code, out, _ = carom("scenes", "--json")
    listed = json.loads(out)
    assert code == 0
    assert set(listed) == {"rings", "models", "gas", "billiards", "tablecloth", "swirl", "walker"}
    assert {name for name, entry in listed.items() if entry["command"] == "check"} == {"tablecloth", "swirl", "walker"}
    assert listed["gas"]["parameters"]["packing"]["default"] == 0.1
    assert "--packing" in carom("scenes")[1]


def test_scenes_schema_is_a_json_schema(carom):
    schema = json.loads(carom("scenes", "--schema")[1])
    assert schema["title"] == "SceneFile"
    assert "swarms" in schema["properties"]


def test_export_writes_parquet_and_csv(carom, tmp_path):
    carom(*GAS, "--until", 0.5, "--out", "g.duckdb")
    code, out, _ = carom("export", "g.duckdb", "--parquet", "p", "--csv", "c")
    assert code == 0
    assert len(out.splitlines()) == 8
    assert (tmp_path / "p" / "contacts.parquet").stat().st_size > 0
    assert (tmp_path / "c" / "contacts.csv").read_text().startswith("contact,time,a,b,")


def test_run_picture_is_a_png(carom, tmp_path):
    pytest.importorskip("matplotlib")
    code, out, _ = carom("run", "billiards", "--until", 1, "--picture", "shot.png")
    assert code == 0
    assert "shot.png" in out
    assert (tmp_path / "shot.png").read_bytes().startswith(b"\x89PNG")


def test_version_is_shown(carom):
    code, out, _ = carom("--version")
    assert code == 0
    assert out.startswith("carom 0.")


def test_total_energy_counts_motion_spin_and_fall_of_finite_masses_only():
    mass = np.array([2.0, np.inf])
    position = np.array([[0.0, 0.0, 3.0], [9.0, 9.0, 9.0]])
    velocity = np.array([[1.0, 2.0, 2.0], [5.0, 5.0, 5.0]])
    acceleration = np.array([[0.0, 0.0, -10.0], [0.0, 0.0, 0.0]])
    inertia, spin = np.array([4.0, np.inf]), np.array([[0.0, 3.0, 0.0], [7.0, 7.0, 7.0]])
    assert total_energy(mass, position, velocity, acceleration, inertia, spin) == 9.0 + 60.0 + 18.0
