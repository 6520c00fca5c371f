"""`carom play ships` without a terminal: scripted, repeatable, and clear where it cannot be done."""

from __future__ import annotations

import json

import pytest

from carom._compile.kernel_cache import Place
from carom.play.ship_shape import ship_tree
from command_line import command


@pytest.fixture
def play(monkeypatch, capsys):
    # Two levels take less time to build than four; the command itself is the same.
    monkeypatch.setattr("carom.cli.play.ship_tree", lambda: ship_tree(2))
    return command(monkeypatch, capsys, "play")


def test_play_runs_a_script_and_repeats_it_exactly(play, tmp_path):
    script = tmp_path / "script.txt"
    script.write_text("40 thrust\n30 thrust left\n30\n")
    answers = []
    for _ in range(2):
        code, out, _ = play("ships", "--script", script, "--level", 2, "--json")
        assert code == 0
        answers.append(json.loads(out))
    timing = answers[0].pop("timing")
    assert len(timing["detection_ms"]) == answers[0]["frames"] == 100
    answers[1].pop("timing")
    assert answers[0] == answers[1]


def test_play_frames_shows_a_picture_and_a_table(play):
    code, out, _ = play("ships", "--frames", 5, "--last-frame")
    assert code == 0
    assert "5 frames; collisions: 0" in out
    assert "detection, ms" in out
    assert any("⠀" < character <= "⣿" for character in out)


def test_play_grid_bsp_runs_too(play):
    code, out, _ = play("ships", "--frames", 3, "--method", "grid-bsp", "--json")
    assert code == 0
    assert json.loads(out)["method"] == "grid-bsp"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("ships",), "there is no terminal here"),
        (("chess", "--frames", 1), "no game is called 'chess'; expected ships"),
        (("ships", "--frames", -1), "--frames is -1"),
        (("ships", "--frames", 1, "--level", 9), "level is 9"),
        (("ships", "--frames", 1, "--target", 0), "target"),
        (("ships", "--script", "none.txt"), "none.txt: cannot be read"),
    ],
)
def test_play_says_what_is_wrong(play, arguments, message):
    code, _, err = play(*arguments)
    assert code == 2
    assert message in err


def test_ship_tree_is_built_once(monkeypatch, tmp_path):
    monkeypatch.setattr("carom.play.ship_shape.place", lambda: Place(tmp_path))
    built = ship_tree(1)
    monkeypatch.setattr("carom.trees.SphereTree.build", None)
    assert (ship_tree(1).spheres == built.spheres).all()
