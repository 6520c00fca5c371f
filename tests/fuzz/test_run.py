"""The runner of the fuzzers: it counts, writes scripts, and outlives crashes and hangs."""

import math

import pytest

from fuzz import bad_cases, run


def test_runner_attributes_crashes_and_hangs_to_their_seeds_and_goes_on(tmp_path, capsys):
    out = tmp_path / "out"
    tally = run.fuzz(["boxes"], math.inf, 0, 1, out, bad_cases.run, case_seconds=3.0, most=7)
    assert tally.kinds["boxes"] == {"late": 1, "crash": 1, "hang": 1}
    assert tally.failures() == 3
    assert tally.cases["boxes"] == 7
    scripts = {path.name: path.read_text() for path in out.iterdir()}
    assert sorted(scripts) == ["boxes-crash-2.py", "boxes-hang-3.py", "boxes-late-1.py"]
    assert scripts["boxes-late-1.py"].endswith("print(1)\n")
    assert "carom.boxes.box_pairs" in scripts["boxes-crash-2.py"]
    for script in scripts.values():
        compile(script, "script", "exec")
    capsys.readouterr()
    table = tally.table(["boxes", "worlds"], 6.0)
    assert "boxes" in table
    assert table.splitlines()[-1].split()[2] == "3"


def test_runner_without_a_failure_says_so():
    tally = run.Tally(None)
    tally.note("boxes", 0, ("ok", None))
    assert tally.failures() == 0
    assert tally.table(["boxes"], 1.0).splitlines()[1].split() == ["boxes", "1", "0"]


def test_runner_refuses_unknown_subjects(capsys):
    with pytest.raises(SystemExit, match="2"):
        run.main(["nonsense"])
    assert "no subject nonsense" in capsys.readouterr().err


def test_runner_finds_all_subjects():
    assert {"boxes", "deforming", "guided", "impacts", "queries", "worlds"} <= set(run.subjects())
