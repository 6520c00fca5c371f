"""Scripts and keys say what a ship does."""

from __future__ import annotations

import pytest

from carom.errors import InvalidInputError
from carom.play import Controls, read_script


def test_controls_of_words_add_up():
    assert Controls.of(["thrust", "left", "up"]) == Controls(1.0, (0.0, 1.0, 1.0))
    assert Controls.of(["left", "right", "roll-left"]) == Controls(0.0, (-1.0, 0.0, 0.0))
    assert Controls.of([]) == Controls()


def test_script_repeats_lines_for_their_frames(tmp_path):
    path = tmp_path / "script.txt"
    path.write_text("# a turn\n2 thrust left  # and push\n\n1\n")
    assert read_script(path) == [Controls.of(["thrust", "left"])] * 2 + [Controls()]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("3 thrust\nx left\n", "line 2: 'x' is no number of frames"),
        ("0 thrust\n", "line 1: '0' is no number"),
        ("5 jump\n", "line 1: 'jump' is nothing that a ship can do"),
    ],
)
def test_script_names_the_line_that_is_wrong(tmp_path, text, message):
    path = tmp_path / "script.txt"
    path.write_text(text)
    with pytest.raises(InvalidInputError, match=message):
        read_script(path)


def test_script_that_is_missing_is_said_to_be(tmp_path):
    with pytest.raises(InvalidInputError, match="cannot be read"):
        read_script(tmp_path / "none.txt")
