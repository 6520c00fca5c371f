"""The command line, called in the tests' own process."""

from __future__ import annotations

import sys

from carom.cli import main


def command(monkeypatch, capsys, *leading):
    """A function that runs `carom LEADING ARGUMENTS` and returns exit code, stdout and stderr."""

    def call(*arguments):
        monkeypatch.setattr(sys, "argv", ["carom", *leading, *map(str, arguments)])
        try:
            main()
            code = 0
        except SystemExit as stop:
            code = stop.code or 0
        out, err = capsys.readouterr()
        return code, out, err

    return call


def complaint(err):
    """The one message on stderr as one line; it has to begin with the program's name and to fit 100 columns."""
    assert err.startswith("carom: ")
    assert err.endswith("\n")
    first, *rest = err.splitlines()
    assert all(line.startswith("  ") for line in rest)
    assert max(map(len, (first, *rest))) <= 100
    return " ".join([first, *map(str.strip, rest)])
