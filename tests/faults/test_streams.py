"""Output that is closed, not read to its end, or cannot take a name; Ctrl-C while Python imports carom."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time

import pytest

import carom_command
from carom.runfile import RunFile
from command_line import command, complaint

POSIX = pytest.mark.skipif(sys.platform == "win32", reason="POSIX only")


def run(folder, *arguments, **streams):
    """Run the command in a process of its own in that folder."""
    return subprocess.run([sys.executable, "-m", "carom", *arguments], cwd=folder, timeout=300, **streams)


@POSIX
@pytest.mark.parametrize("arguments", [("scenes", "--json"), ("scenes",), ("--help",)])
def test_output_that_nobody_reads_ends_quietly_and_says_no_contact(tmp_path, arguments):
    # Rich would leave with status 1, which means that something touches.
    reading, writing = os.pipe()
    os.close(reading)
    try:
        done = run(tmp_path, *arguments, stdout=writing, stderr=subprocess.PIPE)
    finally:
        os.close(writing)
    assert (done.returncode, done.stderr) == (141, b"")


@POSIX
def test_closed_output_changes_no_run_file(tmp_path):
    line = f"{sys.executable} -m carom run billiards --until 0.2 --out b.duckdb <&- >&- 2>&-"
    assert subprocess.run(["sh", "-c", line], cwd=tmp_path, timeout=300).returncode == 0
    with RunFile.read(tmp_path / "b.duckdb") as file:
        assert file.checkpoints()[-1].time == 0.2


@POSIX
@pytest.mark.skipif(sys.platform == "darwin", reason="names of files are Unicode there")
def test_names_that_are_not_unicode_are_one_line(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    carom = command(monkeypatch, capsys)
    name = os.fsdecode(b"b\xff.duckdb")
    for arguments in (
        ("run", "billiards", "--until", "0.1", "--out", name),
        ("view", name), ("run", f"{name}.toml"), ("check", name),
    ):  # fmt: skip
        code, out, err = carom(*arguments)
        assert (code, out) == (2, ""), arguments
        assert complaint(err)
    assert not list(tmp_path.iterdir())


def test_names_that_are_too_long_are_one_refusal(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    carom, name = command(monkeypatch, capsys), "x" * 300
    for arguments in (
        ("run", "billiards", "--out", name), ("run", "billiards", "--html", name), ("export", name, "--csv", "tables"),
        ("view", name), ("check", "swirl", "--out", name), ("run", f"{name}.toml"), ("play", "ships", "--script", name),
    ):  # fmt: skip
        code, out, err = carom(*arguments)
        assert (code, out) == (2, ""), arguments
        assert err.startswith("carom:")
        assert "name too long" in " ".join(err.split()).lower()
    assert not list(tmp_path.iterdir())


@POSIX
def test_json_is_json_in_every_encoding(tmp_path):
    (tmp_path / "größe.toml").write_text(
        'until = 1\n[shapes.b]\nkind = "sphere"\nradius = 1\n[[bodies]]\nshape = "b"\n', encoding="utf-8"
    )
    encoding = os.environ | {"PYTHONIOENCODING": "ascii", "PYTHONUTF8": "0"}
    done = run(tmp_path, "run", "größe.toml", "--no-log", "--json", capture_output=True, env=encoding)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["scene"] == "größe"


@POSIX
@pytest.mark.parametrize("seconds", [0.0, 0.3])
def test_interrupt_while_carom_is_imported_is_one_line(tmp_path, seconds):
    script = (
        "import sys, builtins\n"
        "import carom_command\n"
        "before = builtins.__import__\n"
        "def seen(name, *rest):\n"
        "    if name == 'carom.cli':\n"
        "        print('importing', flush=True)\n"
        "    return before(name, *rest)\n"
        "builtins.__import__ = seen\n"
        "sys.argv = ['carom', '--version']\n"
        "carom_command.main()\n"
    )
    environment = os.environ | {"PYTHONPATH": os.path.dirname(carom_command.__file__)}
    child = subprocess.Popen(
        [sys.executable, "-c", script], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment
    )
    assert child.stdout is not None
    assert child.stdout.readline() == "importing\n"
    time.sleep(seconds)
    child.send_signal(signal.SIGINT)
    out, err = child.communicate(timeout=300)
    assert (child.returncode, out, err) == (130, "", "carom: interrupted\n")


def test_command_runs_what_the_package_runs(monkeypatch, capsys):
    before = signal.getsignal(signal.SIGINT)
    monkeypatch.setattr(sys, "argv", ["carom", "--version"])
    try:
        with pytest.raises(SystemExit) as left:
            carom_command.main()
    finally:
        signal.signal(signal.SIGINT, before)
    assert not left.value.code
    assert capsys.readouterr().out.startswith("carom ")
