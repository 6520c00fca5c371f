"""`carom check`, called in this process: what it finds, what it prints, its files, its exit codes."""

from __future__ import annotations

import io
import json

import numpy as np
import pytest
from rich.console import Console

import carom as library
from carom.cli.check import CheckRequest, execute
from carom.runfile import CheckFile
from command_line import command, complaint
from scenarios.animation_samples import falling, grid, same, still


@pytest.fixture
def carom(monkeypatch, capsys, tmp_path):
    """Run `carom ARGUMENTS` in an empty folder; returns exit code, stdout and stderr."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "160")
    return command(monkeypatch, capsys)


@pytest.fixture
def leaf(tmp_path):
    """A triangle that falls through another one after half a second."""
    library.save_animation(tmp_path / "leaf.npz", [falling(), still()])
    return "leaf.npz"


def test_check_says_when_where_and_between_what(carom, leaf):
    code, out, err = carom("check", leaf)
    assert (code, err) == (1, "")
    for words in ("leaf, floor: ", "0.500000000", "leaf 0", "floor 0", "1 contact"):
        assert words in out
    assert "between what" in out


def test_check_says_which_bodies_it_read_before_the_result(carom, leaf):
    lines = carom("check", leaf)[1].splitlines()
    assert lines[:2] == ["leaf: 1 triangle, 2 keys, 0 to 1 s", "floor: 1 triangle, still"]
    assert lines[2].startswith("leaf, floor: 1 contact")


def test_check_describes_twenty_bodies_and_counts_the_rest(carom, tmp_path):
    bodies = [still(f"floor {k}[b]") for k in range(21)] + [falling()]
    library.save_animation(tmp_path / "many.npz", bodies)
    lines = carom("check", "many.npz", "--no-self")[1].splitlines()
    assert (lines[19], lines[20]) == ("floor 19[b]: 1 triangle, still", "and 2 more bodies")
    assert lines[21].startswith("floor 0[b], floor 1[b], floor 2[b] and 19 more: ")


@pytest.mark.parametrize("width", [60, 80, 120])
def test_check_tables_keep_the_names_at_any_width(tmp_path, width):
    long = [falling(name="a cloth with a long name"), still("the table under the cloth")]
    library.save_animation(tmp_path / "long.npz", long)
    findings = execute(CheckRequest([str(tmp_path / "long.npz")]), Console(file=io.StringIO()))
    terminal = Console(file=io.StringIO(), width=width)
    findings.show(terminal)
    lines = terminal.file.getvalue().splitlines()
    tables = lines[3:-1]
    assert max(map(len, tables)) <= width
    said = " ".join(" ".join(tables).split())
    assert "a cloth" in said
    assert "the table" in said
    assert ("0.500000000" in said, "0.500000" in said) == (width > 60, True)
    assert ("m/s" in said, "point, m" in said) == (width == 120, width == 120)


def test_check_says_which_frames_are_missing(carom, tmp_path):
    files = library.save_animation(tmp_path / "c.obj", grid(2, 4, 0))
    files[1].unlink()
    _, out, err = carom("check", "c_*.obj", "--fps", 2, "--json")
    assert err == "carom: c: frame 1 is missing; vertices move straight from the frame before to the one after\n"
    assert json.loads(out)["bodies"][0]["last_time"] == 1.5


def test_check_shows_no_minus_at_time_zero(carom, tmp_path):
    for k, file in enumerate(library.save_animation(tmp_path / "leaf.obj", falling())):
        file.rename(tmp_path / f"leaf_{2 * k - 1}.obj")
    library.save_animation(tmp_path / "floor.npz", still())
    _, out, _ = carom("check", "leaf_-1.obj", "leaf_1.obj", "floor.npz")
    assert " 0.000000000" in out
    assert "-0.000000000" not in out


def test_check_shows_a_bar_on_a_terminal(tmp_path):
    library.save_animation(tmp_path / "leaf.npz", [falling(), still()])
    terminal = Console(file=io.StringIO(), force_terminal=True, width=100)
    execute(CheckRequest([str(tmp_path / "leaf.npz")]), terminal)
    assert "1 / 1 intervals" in terminal.file.getvalue()


def test_check_exit_code_is_0_when_nothing_touches(carom, leaf):
    code, out, _ = carom("check", leaf, "--until", 0.4)
    assert code == 0
    assert "nothing touches" in out


def test_check_json_is_complete_and_alone_on_stdout(carom, leaf):
    code, out, _ = carom("check", leaf, "--json")
    found = json.loads(out)
    assert code == 1
    assert found["touches"] is True
    assert found["contacts"] == 1
    assert found["first_time"] == pytest.approx(0.5, abs=1e-9)
    assert [body["name"] for body in found["bodies"]] == ["leaf", "floor"]
    assert [(body["still"], body["keys"]) for body in found["bodies"]] == [(False, 2), (True, 1)]
    assert found["pairs"] == [{"a": "leaf", "b": "floor", "contacts": 1, "first_time": found["first_time"]}]
    (contact,) = found["listed"]
    assert (contact["name_a"], contact["name_b"]) == ("leaf", "floor")
    assert contact["point"][2] == pytest.approx(0.0, abs=1e-9)
    assert found["stats"]["intervals"] == 1


def test_check_json_of_nothing_has_no_first_time(carom, leaf):
    found = json.loads(carom("check", leaf, "--until", 0.4, "--json")[1])
    assert (found["touches"], found["first_time"], found["pairs"], found["listed"]) == (False, None, [], [])


def test_check_of_a_sequence_and_a_still_mesh_at_a_frame_rate(carom, tmp_path):
    library.save_animation(tmp_path / "leaf.obj", falling())
    library.save_animation(tmp_path / "floor.mdd", still())
    (tmp_path / "floor.mdd").unlink()
    code, out, _ = carom("check", "leaf_0000.obj", "leaf_0001.obj", "floor.obj", "--fps", 4, "--json")
    assert code == 1
    assert json.loads(out)["first_time"] == pytest.approx(0.125, abs=1e-9)


def test_check_of_a_point_cache_with_its_mesh(carom, tmp_path):
    library.save_animation(tmp_path / "leaf.mdd", falling())
    (tmp_path / "leaf.obj").rename(tmp_path / "mesh.obj")
    assert carom("check", "leaf.mdd", "--mesh", "mesh.obj")[0] == 0
    assert carom("check", "leaf.mdd")[0] == 2


def test_check_no_self_leaves_out_contacts_of_a_body_with_itself(carom, tmp_path):
    leaves = [falling(), still()]
    faces = np.concatenate([leaves[0].faces, leaves[1].faces + 3])
    vertices = np.concatenate([body.vertices for body in leaves], axis=1)
    library.save_animation(tmp_path / "both.npz", library.Deforming(faces, [0.0, 1.0], vertices))
    assert carom("check", "both.npz")[0] == 1
    assert carom("check", "both.npz", "--no-self")[0] == 0


def test_check_lists_the_first_ones_only(carom, tmp_path):
    library.save_animation(tmp_path / "wild.npz", grid(6, 3, 0, spread=0.7))
    wild = json.loads(carom("check", "wild.npz", "--first", 3, "--json")[1])
    assert wild["contacts"] > 3
    assert len(wild["listed"]) == 3
    assert json.loads(carom("check", "wild.npz", "--first", 0, "--json")[1])["listed"] == []
    assert "the first 3 contacts" in carom("check", "wild.npz", "--first", 3)[1]
    every = json.loads(carom("check", "wild.npz", "--every", "--json")[1])
    assert every["contacts"] >= wild["contacts"]


def test_check_file_holds_bodies_contacts_and_what_was_asked(carom, tmp_path):
    body = grid(6, 3, 0, spread=0.7)
    library.save_animation(tmp_path / "wild.npz", body)
    code, out, _ = carom("check", "wild.npz", "--out", "wild.duckdb")
    assert code == 1
    assert "wild.duckdb" in out
    expected = library.self_contacts(library.load_animation("wild.npz")[0])
    with CheckFile.read("wild.duckdb") as file:
        assert file.source() == {
            "files": ["wild.npz"], "mesh": None, "fps": None, "until": None, "self_contact": True, "every": False
        }  # fmt: skip
        assert same(file.bodies()[0], library.load_animation("wild.npz")[0])
        found = file.contacts()
    assert len(found) == len(expected) > 3
    for field in ("times", "face_a", "face_b", "kinds", "points", "normals", "keys", "barycentric_a", "speeds"):
        assert np.array_equal(getattr(found, field), getattr(expected, field), equal_nan=True)


def test_check_file_is_exported_as_tables(carom, tmp_path, leaf):
    carom("check", leaf, "--out", "leaf.duckdb")
    code, out, _ = carom("export", "leaf.duckdb", "--csv", "tables", "--parquet", "parquet")
    assert code == 0
    assert len(out.splitlines()) == 6
    bodies = (tmp_path / "tables" / "bodies.csv").read_text().splitlines()
    assert bodies == [
        "body,name,vertices,faces,keys,first_time,last_time",
        "0,leaf,3,1,2,0.0,1.0",
        "1,floor,3,1,1,0.0,1.0",
    ]
    assert (tmp_path / "tables" / "contacts.csv").read_text().startswith("contact,time,a,b,face_a,face_b,kind,")
    assert json.loads((tmp_path / "tables" / "check.json").read_text())["files"] == ["leaf.npz"]


def test_check_of_a_built_in_animation_needs_no_file(carom, tmp_path):
    code, out, _ = carom("check", "tablecloth", "--faces", 400, "--keys", 4, "--json", "--out", "t.duckdb")
    found = json.loads(out)
    assert code == int(found["contacts"] > 0)
    assert [body["name"] for body in found["bodies"]] == ["cloth", "table"]
    with CheckFile.read("t.duckdb") as file:
        assert file.source()["parameters"] == {"faces": 400, "keys": 4, "seed": 0}


def test_check_picture_is_a_png_with_and_without_a_contact(carom, tmp_path, leaf):
    pytest.importorskip("matplotlib")
    assert carom("check", leaf, "--picture", "a.png")[0] == 1
    assert carom("check", leaf, "--picture", "b.png", "--until", 0.3)[0] == 0
    for name in ("a.png", "b.png"):
        assert (tmp_path / name).read_bytes().startswith(b"\x89PNG")


def test_check_file_is_no_run_and_a_run_no_check(carom, leaf):
    carom("check", leaf, "--out", "leaf.duckdb")
    code, _, err = carom("run", "gas", "--out", "leaf.duckdb", "--resume")
    assert code == 2
    assert "carom check, but not a carom run; left untouched" in err


ERRORS = {
    "no file": (("check", "none.npz"), "none.npz: no such file"),
    "no scene": (("check", "tablecoth"), "tablecoth: no such file, and no animation is called 'tablecoth'; expected"),
    "unknown ending": (("check", "x.stl"), "unknown ending '.stl'"),
    "cut off": (("check", "x.npz"), "x.npz: cannot be read as a NumPy archive"),
    "bad until": (("check", "leaf.npz", "--until", 0), "until is 0"),
    "nan until": (("check", "leaf.npz", "--until", "nan"), "until is nan"),
    "bad first": (("check", "leaf.npz", "--first", -1), "--first is -1; expected 0 or more"),
    "bad fps": (("check", "leaf.npz", "--fps", 0), "fps is 0"),
    "faces of a file": (("check", "leaf.npz", "--faces", 300), "--faces is for built-in animations"),
    "fps of a scene": (("check", "swirl", "--fps", 30), "--mesh and --fps are for files"),
    "few faces": (("check", "swirl", "--faces", 3), "faces is 3; expected"),
    "out exists": (("check", "leaf.npz", "--out", "x.npz"), "x.npz: already exists; choose another name"),
    "folder": (("check", "."), ".: is a folder; expected files, or a pattern such as *.obj"),
    "picture is a folder": (("check", "leaf.npz", "--picture", "folder"), "folder: is a folder; expected a file name"),
    "page is a folder": (("check", "leaf.npz", "--html", "folder"), "folder: is a folder; expected a file name"),
    "mesh of nothing": (("check", "leaf.npz", "--mesh", "x.stl"), "mesh (--mesh) is x.stl, but no file is a point cache"),
    "still": (("check", "still.obj"), "nothing moves"),
    "no folder": (("check", "leaf.npz", "--out", "none/x.duckdb"), "there is no folder none"),
}  # fmt: skip


@pytest.mark.parametrize("case", ERRORS)
def test_check_errors_are_one_message_and_exit_code_2(carom, tmp_path, leaf, case):
    (tmp_path / "x.stl").write_text("x")
    (tmp_path / "x.npz").write_text("x")
    (tmp_path / "folder").mkdir()
    (tmp_path / "still.obj").write_text("v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n")
    arguments, message = ERRORS[case]
    code, out, err = carom(*arguments)
    assert (code, out) == (2, "")
    assert message in complaint(err)


def test_check_file_that_lost_a_contact_or_changed_a_mesh_is_refused(carom, tmp_path, leaf):
    duckdb = pytest.importorskip("duckdb")
    for name, statement, message in (
        ("a.duckdb", "DELETE FROM contacts", "contacts and meta disagree"),
        ("b.duckdb", "UPDATE meta SET format_version = 9", "check format 9; this carom reads up to 1"),
        ("c.duckdb", "DROP TABLE meshes", "table meshes is missing"),
    ):
        carom("check", leaf, "--out", name)
        with duckdb.connect(name) as connection:
            connection.execute(statement)
        code, _, err = carom("export", name, "--csv", "out")
        assert code == 2
        assert message in err
    carom("check", leaf, "--out", "d.duckdb")
    with duckdb.connect("d.duckdb") as connection:
        connection.execute("UPDATE meshes SET sha256 = 'other'")
    with (
        CheckFile.read("d.duckdb") as file,
        pytest.raises(library.errors.RunFileError, match="the mesh of leaf has changed"),
    ):
        file.bodies()


def test_check_shows_names_that_would_move_the_cursor_as_text(carom, tmp_path):
    library.save_animation(tmp_path / "two.npz", [falling(name="\x1b[2Jleaf [bold]"), still()])
    code, out, err = carom("check", "two.npz", "--out", "two.duckdb")
    assert (code, err) == (1, "")
    assert "\x1b" not in out
    assert r"\x1b[2Jleaf [bold]: 1 triangle" in out
    assert r"\x1b[2Jleaf [bold] 0" in out
