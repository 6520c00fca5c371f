"""Ctrl-C on the command line: exit status 130 and one message, whatever was going on."""

from __future__ import annotations

import os
import signal

import pytest

from carom.cli.terminal.interrupts import Interrupted, Interrupts
from carom.runfile import Recorder, RunFile
from command_line import command, complaint

GAS = ("run", "gas", "--objects", "40", "--packing", "0.1", "--until", "1", "--checkpoint-every", "0.25")


@pytest.fixture
def carom(monkeypatch, capsys, tmp_path):
    """Run `carom ARGUMENTS` in an empty folder; returns exit code, stdout and stderr."""
    monkeypatch.chdir(tmp_path)
    return command(monkeypatch, capsys)


def press(*_):
    """Ctrl-C, as the terminal sends it."""
    os.kill(os.getpid(), signal.SIGINT)


def press_inside_a_query(*_):
    """Ctrl-C as it comes out of DuckDB: an error of its own instead of KeyboardInterrupt."""
    try:
        press()
    except KeyboardInterrupt:
        raise RuntimeError("Query interrupted") from None


@pytest.mark.parametrize("interrupt", [press, press_inside_a_query])
def test_interrupted_run_says_what_is_kept_and_how_to_go_on(carom, monkeypatch, interrupt):
    save = RunFile.checkpoint

    def checkpoint(self, time, state):
        return interrupt() if time == 0.75 else save(self, time, state)

    with monkeypatch.context() as patch:
        patch.setattr(RunFile, "checkpoint", checkpoint)
        code, out, err = carom(*GAS)
    assert (code, out) == (130, "")
    again = "carom run gas --out gas.duckdb --resume"
    assert complaint(err) == (
        f"carom: interrupted; gas.duckdb keeps the run up to 0.5 s, and `{again}` goes on from there"
    )
    assert carom(*again.split()[1:])[0] == 0
    assert carom(*GAS, "--out", "whole.duckdb")[0] == 0
    with RunFile.read("gas.duckdb") as parts, RunFile.read("whole.duckdb") as whole:
        assert parts.contacts().identical(whole.contacts())


def test_interrupt_after_a_commit_leaves_the_file_readable(carom, monkeypatch):
    save = RunFile.checkpoint

    def checkpoint(self, time, state):
        save(self, time, state)
        self._in_transaction = True  # as it is when Ctrl-C comes between the commit and the note of it
        press()

    monkeypatch.setattr(RunFile, "checkpoint", checkpoint)
    code, _, err = carom(*GAS)
    assert code == 130
    assert "gas.duckdb keeps the run up to 0.25 s" in complaint(err)


def test_interrupt_before_there_is_a_file_keeps_nothing(carom, monkeypatch, tmp_path):
    monkeypatch.setattr("carom.runfile.run_file.write_checkpoint", press)
    assert carom(*GAS) == (130, "", "carom: interrupted; nothing is kept\n")
    assert not list(tmp_path.iterdir())


def test_interrupt_without_a_run_file_keeps_nothing(carom, monkeypatch):
    monkeypatch.setattr(Recorder, "run", press)
    assert carom(*GAS, "--no-log") == (130, "", "carom: interrupted; nothing is kept\n")


def test_interrupt_of_any_command_is_one_line(carom, monkeypatch):
    monkeypatch.setattr("carom.cli.scene_list.all_built_in", press)
    assert carom("scenes", "--json") == (130, "", "carom: interrupted\n")


def test_interrupts_let_other_errors_pass_and_restore_the_handler():
    before, interrupts = signal.getsignal(signal.SIGINT), Interrupts()
    with interrupts.watched(), pytest.raises(RuntimeError, match="other"), interrupts.ending_as(lambda: "stop"):
        raise RuntimeError("other")
    inner, outer = (interrupts.ending_as(lambda word=word: word) for word in ("inner", "outer"))
    with interrupts.watched(), pytest.raises(Interrupted, match="inner"), outer, inner:
        press()
    assert signal.getsignal(signal.SIGINT) is before
