"""`carom view`, and `--html` of `carom run` and `carom check`, called in this process."""

from __future__ import annotations

import json
import threading
import urllib.request

import pytest

import carom as library
from carom.cli import view
from command_line import command, complaint
from scenarios.animation_samples import falling, still

GAS = ("run", "gas", "--objects", 30, "--packing", 0.1, "--seed", 2, "--until", 1)


@pytest.fixture
def carom(monkeypatch, capsys, tmp_path):
    """Run `carom ARGUMENTS` in an empty folder; returns exit code, stdout and stderr."""
    monkeypatch.chdir(tmp_path)
    return command(monkeypatch, capsys)


def test_run_html_writes_the_page_that_view_writes(carom, tmp_path):
    code, out, err = carom(*GAS, "--out", "g.duckdb", "--html", "a.html")
    assert (code, err) == (0, "")
    assert "replay: a.html" in out
    code, out, err = carom("view", "g.duckdb", "--html", "b.html", "--json")
    assert (code, err) == (0, "")
    said = json.loads(out)
    page = (tmp_path / "b.html").read_bytes()
    assert said["html"] == "b.html"
    assert said["bytes"] == len(page)
    assert (said["title"], said["bodies"], said["begin"], said["end"]) == ("gas", 36, 0.0, 1.0)
    assert said["contacts"] > 5
    assert (tmp_path / "a.html").read_bytes() == page


def test_run_json_names_the_page(carom):
    out = carom(*GAS, "--html", "a.html", "--json")[1]
    assert json.loads(out)["html"] == "a.html"


def test_check_html_is_the_page_of_its_run_file(carom, tmp_path):
    library.save_animation(tmp_path / "leaf.npz", [falling(), still()])
    code, out, _ = carom("check", "leaf.npz", "--out", "leaf.duckdb", "--html", "a.html")
    assert code == 1
    assert "replay: a.html" in out
    assert carom("view", "leaf.duckdb", "--html", "b.html")[0] == 0
    assert (tmp_path / "a.html").read_bytes() == (tmp_path / "b.html").read_bytes()


def test_view_serves_the_page_until_it_is_stopped(carom, monkeypatch):
    assert carom(*GAS, "--out", "g.duckdb")[0] == 0
    opened, pages, servers = [], [], []

    class Watched(view.PageServer):
        def __init__(self, *arguments):
            super().__init__(*arguments)
            servers.append(self)

        def serve_forever(self):
            thread = threading.Thread(target=super().serve_forever, args=(0.01,), daemon=True)
            thread.start()
            with urllib.request.urlopen(self.url, timeout=10) as answer:
                pages.append(answer.read().decode())
            self.shutdown()
            thread.join()
            raise KeyboardInterrupt

    monkeypatch.setattr(view, "PageServer", Watched)
    monkeypatch.setattr(view.webbrowser, "open", opened.append)
    code, out, err = carom("view", "g.duckdb")
    assert (code, err) == (0, "")
    assert opened == [servers[0].url]
    assert f"replay at {opened[0]}" in out
    assert "gas, 0 to 1 s: 36 bodies" in out
    assert pages[0].startswith("<!doctype html>")
    code, out, _ = carom("view", "g.duckdb", "--no-browser", "--json")
    assert code == 0
    assert json.loads(out)["url"] == servers[1].url
    assert len(opened) == 1


RINGS = ("run", "rings", "--objects", 3, "--density", 0.1, "--until", 0.5)


def test_sphere_trees_come_into_the_replay_of_run_and_of_view(carom, tmp_path):
    code, out, err = carom(*RINGS, "--out", "r.duckdb", "--html", "a.html", "--sphere-trees", 1)
    assert (code, err) == (0, "")
    assert "replay: a.html" in out
    assert carom("view", "r.duckdb", "--html", "b.html", "--sphere-trees", 1)[0] == 0
    assert carom("view", "r.duckdb", "--html", "c.html")[0] == 0
    with_trees, same, without = ((tmp_path / f"{name}.html").read_bytes() for name in "abc")
    assert with_trees == same != without


ERRORS = {
    "no file": (("view", "no.duckdb"), "no.duckdb: no such run file"),
    "bad port": (("view", "g.duckdb", "--port", 70000, "--no-browser"), "port is 70000; expected 0 to 65535"),
    "bad since": (("view", "g.duckdb", "--since", 5, "--html", "x.html"), "since is 5.0; expected a time from 0 to before 1"),
    "bad until": (("view", "g.duckdb", "--until", 0, "--html", "x.html"), "until is 0.0; expected a time after 0"),
    "no folder": (("view", "g.duckdb", "--html", "no/x.html"), "no/x.html: the page cannot be written"),
    "no mesh": ((*GAS, "--html", "x.html", "--sphere-trees", 2), "gas: no body is a rigid mesh, and only those have"),
    "no mesh to view": (("view", "g.duckdb", "--html", "x.html", "--sphere-trees", 2), "gas: no body is a rigid mesh"),
    "levels": (("view", "g.duckdb", "--sphere-trees", 9), "--sphere-trees is '9'; expected 6 or less"),
    "trees of no page": ((*RINGS, "--sphere-trees", 2), "say where to write it with --html FILE"),
    "no log": ((*GAS, "--no-log", "--html", "x.html"), "--no-log writes no run file"),
}  # fmt: skip


@pytest.mark.parametrize("case", ERRORS)
def test_view_errors_are_one_message_and_exit_code_2(carom, tmp_path, case):
    arguments, message = ERRORS[case]
    if "g.duckdb" in arguments:
        assert carom(*GAS, "--out", "g.duckdb")[0] == 0
    code, out, err = carom(*arguments)
    assert (code, out) == (2, "")
    assert message in complaint(err)
    assert not list(tmp_path.glob("*.html"))
