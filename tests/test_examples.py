"""The examples run, in small form, and each ends in a picture; notebooks say what they said when they were saved."""

from __future__ import annotations

import base64
import contextlib
import io
import json
import runpy
import sys
from pathlib import Path

import pytest

matplotlib = pytest.importorskip("matplotlib")
matplotlib.use("Agg")

EXAMPLES = Path(__file__).parent.parent / "examples"
SMALL = {
    "cloth_contacts": ["--faces", "200", "--keys", "6"],
    "equation_of_state": ["--spheres", "108", "--contacts", "2000"],
    "granular_gas": ["--spheres", "108", "--until", "5"],
    "kinetic_bounds": [],
    "robot_path": ["--keys", "101"],
    "trajectory_audit": ["--drones", "20", "--seconds", "10"],
}
NOTEBOOKS = sorted(EXAMPLES.glob("*.ipynb"))
PNG = b"\x89PNG\r\n\x1a\n"


def test_examples_all_have_a_small_form():
    assert {path.stem for path in EXAMPLES.glob("*.py")} == set(SMALL)
    assert len(NOTEBOOKS) == 3


@pytest.mark.parametrize("name", SMALL)
def test_examples_script_ends_in_a_picture(name, tmp_path, monkeypatch, capsys):
    picture = tmp_path / f"{name}.png"
    monkeypatch.setattr(sys, "argv", [name, *SMALL[name], "--picture", str(picture)])
    runpy.run_path(str(EXAMPLES / f"{name}.py"), run_name="__main__")
    assert picture.read_bytes().startswith(PNG)
    assert f"picture: {picture}" in capsys.readouterr().out


@pytest.mark.parametrize("notebook", NOTEBOOKS, ids=lambda path: path.stem)
def test_examples_notebook_runs_as_it_was_saved(notebook, tmp_path, monkeypatch):
    from matplotlib import pyplot

    monkeypatch.chdir(tmp_path)
    shown = []
    monkeypatch.setattr(pyplot, "show", lambda: shown.append(pyplot.gcf().savefig("shown.png")))
    cells = [cell for cell in json.loads(notebook.read_text(encoding="utf-8"))["cells"] if cell["cell_type"] == "code"]
    space: dict[str, object] = {"__name__": "__main__"}
    for cell in cells:
        out = io.StringIO()
        with contextlib.redirect_stdout(out):
            exec(compile("".join(cell["source"]), str(notebook), "exec"), space)
        saved = ["".join(each["text"]) for each in cell["outputs"] if each["output_type"] == "stream"]
        assert out.getvalue() == "".join(saved)
    pyplot.close("all")
    assert len(shown) == 1, "the last cell shows a picture"
    pictures = [each["data"]["image/png"] for each in cells[-1]["outputs"] if "data" in each]
    assert len(pictures) == 1
    assert base64.b64decode(pictures[0]).startswith(PNG)
