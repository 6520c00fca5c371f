"""`carom query`, called in this process: answers, exit status, JSON, and errors in one line."""

from __future__ import annotations

import json

import pytest
import trimesh

from command_line import command, complaint


@pytest.fixture
def query(monkeypatch, capsys, tmp_path):
    """Run `carom query ARGUMENTS` in an empty folder; returns exit code, stdout and stderr."""
    monkeypatch.chdir(tmp_path)
    return command(monkeypatch, capsys, "query")


def test_query_collide_exits_1_and_describes_the_contact(query):
    code, out, err = query("collide", "sphere:1", "box:2,2,2", "--pose-b", "1.5,0,0")
    assert (code, err) == (1, "")
    for words in ("they touch", "sphere:1", "box:2,2,2", "side -x", "depth, m", "normal, a to b"):
        assert words in out


def test_query_collide_exits_0_when_apart(query):
    code, out, _ = query("collide", "sphere:1", "sphere:1", "--pose-b", "2.5,0,0")
    assert code == 0
    assert "they do not touch" in out


def test_query_touching_counts_as_a_hit(query):
    assert query("collide", "sphere:1", "sphere:1", "--pose-b", "2,0,0")[0] == 1


@pytest.mark.parametrize(("size", "code", "words"), [(0.4, 0, "there is a gap"), (0.6, 1, "there is no gap")])
def test_query_gap_exits_1_when_there_is_none(query, size, code, words):
    found, out, _ = query("gap", "sphere:1", "sphere:1", "--pose-b", "2.5,0,0", "--size", size)
    assert found == code
    assert words in out


def test_query_distance_json_holds_points_and_normal(query):
    code, out, _ = query(
        "distance", "box:1,1,1", "capsule:0.25,1", "--pose-a", "0,0,0,1,0,0,0", "--pose-b", "2,0,0", "--json"
    )
    found = json.loads(out)
    assert code == 0
    assert found["operation"] == "distance"
    assert (found["a"], found["b"], found["touches"]) == ("box:1,1,1", "capsule:0.25,1", False)
    assert found["distance"] == pytest.approx(1.25, rel=1e-12)
    assert found["normal"] == pytest.approx([1.0, 0.0, 0.0], abs=1e-12)
    assert found["point_a"][0] == pytest.approx(0.5)
    assert found["feature_a"] == 1


def test_query_distance_of_overlap_is_0_and_has_no_normal(query):
    code, out, _ = query("distance", "sphere:1", "sphere:1", "--pose-b", "1,0,0", "--json")
    assert code == 0
    assert json.loads(out)["distance"] == 0.0
    assert json.loads(out)["normal"] == [None, None, None]


def test_query_penetration_tells_depth_and_trust(query):
    code, out, _ = query("penetration", "box:2,2,2", "cylinder:1,2", "--pose-b", "1.75,0,0", "--json")
    found = json.loads(out)
    assert code == 0
    assert found["depth"] == pytest.approx(0.25, rel=1e-6)
    assert found["exact"] is True
    assert "the least possible" in query("penetration", "box:2,2,2", "box:2,2,2", "--pose-b", "1.5,0,0")[1]
    assert "they do not overlap" in query("penetration", "sphere:1", "sphere:1", "--pose-b", "3,0,0")[1]


def test_query_toi_of_a_straight_flight_is_exact(query):
    arguments = (
        "toi",
        "sphere:1",
        "box:2,2,2",
        "--pose-a",
        "-5,0,0",
        "--velocity-a",
        "1,0,0",
        "--velocity-b",
        "-1,0,0",
    )
    code, out, _ = query(*arguments, "--until", 10, "--json")
    found = json.loads(out)
    assert code == 1
    assert found["time"] == pytest.approx(1.5, rel=1e-12)
    assert found["status"] == "exact"
    assert found["point"] == pytest.approx([-2.5, 0.0, 0.0])
    assert found["feature_b"] == 0
    assert "exact to rounding" in query(*arguments, "--until", 10)[1]


def test_query_toi_exits_0_when_nothing_touches_in_time(query):
    code, out, _ = query("toi", "sphere:1", "sphere:1", "--pose-b", "5,0,0", "--velocity-b", "-1,0,0", "--until", 2)
    assert code == 0
    assert "they do not touch up to 2 s" in out


def test_query_toi_says_how_far_to_trust_it(query):
    moving = ("--pose-b", "5,0,0", "--velocity-b", "-1,0,0", "--until", 9)
    assert "exact to rounding" in query("toi", "sphere:1", "sphere:1", *moving)[1]
    early = "never late, early by what closes a gap of 1e-09 of the smaller one"
    assert early in query("toi", "sphere:1", "cone:1,1", *moving)[1]


def test_query_toi_with_spin_is_never_late(query):
    code, out, _ = query(
        "toi", "box:4,0.2,0.2", "sphere:0.5", "--pose-b", "0,1.5,0", "--spin-a", "0,0,1", "--until", 3, "--json"
    )
    found = json.loads(out)
    assert code == 1
    assert found["status"] == "conservative"
    # The sphere is met by the flat side of the bar: sin(angle between) = (0.5 + 0.1) / 1.5.
    expected = 1.5707963267948966 - 0.41151684606748806
    assert expected - 1e-6 <= found["time"] <= expected


def test_query_reads_mesh_files(query, tmp_path):
    trimesh.creation.box((2.0, 2.0, 2.0)).export(tmp_path / "crate.obj")
    code, out, _ = query("distance", "crate.obj", "sphere:1", "--pose-b", "0,0,4", "--json")
    assert code == 0
    assert json.loads(out)["distance"] == pytest.approx(2.0)
    shown = query("distance", "crate.obj", "sphere:1", "--pose-b", "0,0,4")[1]
    assert "crate.obj (12 triangles)" in shown
    assert "face " in shown


ERRORS = {
    "unknown operation": (("touch", "sphere:1", "sphere:1"), "no query is called 'touch'; expected collide, gap"),
    "unknown shape": (("collide", "spere:1", "sphere:1"), "built-in shapes are sphere:RADIUS"),
    "half-space": (("collide", "sphere:1", "half-space:0,0,1,0"), "a half-space is not available here; built-in shapes are"),
    "no file": (("collide", "sphere:1", "no.obj"), "B: path 'no.obj' is not a file"),
    "too few sizes": (("collide", "box:1,2", "sphere:1"), "A is 'box:1,2'; expected box:X,Y,Z"),
    "words for sizes": (("collide", "sphere:big", "sphere:1"), "A is 'sphere:big'; expected sphere:RADIUS"),
    "negative size": (("collide", "sphere:-1", "sphere:1"), "A is 'sphere:-1': radius is -1.0"),
    "bad pose": (("collide", "sphere:1", "sphere:1", "--pose-a", "1,2"), "--pose-a is '1,2'; expected x,y,z"),
    "no rotation": (("collide", "sphere:1", "sphere:1", "--pose-a", "0,0,0,0,0,0,0"), "quaternion"),
    "not finite": (("collide", "sphere:1", "sphere:1", "--pose-b", "nan,0,0"), "--pose-b is 'nan,0,0'"),
    "motion at an instant": (("collide", "sphere:1", "sphere:1", "--velocity-a", "1,0,0"), "--velocity-a is for toi"),
    "size elsewhere": (("collide", "sphere:1", "sphere:1", "--size", 1), "--size is for gap"),
    "no size": (("gap", "sphere:1", "sphere:1"), "--size METRES"),
    "negative gap": (("gap", "sphere:1", "sphere:1", "--size", -1), "size is -1.0; expected 0 or more"),
    "no until": (("toi", "sphere:1", "sphere:1"), "--until SECONDS"),
    "until before": (("toi", "sphere:1", "sphere:1", "--until", -1), "until is -1.0"),
}  # fmt: skip


@pytest.mark.parametrize("case", ERRORS)
def test_query_errors_are_one_message_and_exit_code_2(query, case):
    arguments, message = ERRORS[case]
    code, out, err = query(*arguments)
    assert code == 2
    assert out == ""
    assert message in complaint(err)
