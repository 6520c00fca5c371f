"""What users are told while kernels compile, and how long the garbage collector holds still."""

from __future__ import annotations

import gc

import pytest

from carom._compile import notice as _compile_notice
from carom._compile.notice import cache_missed, compiling, say


@pytest.fixture(autouse=True)
def fresh(monkeypatch):
    """As in a first start: nothing said, not told to be quiet."""
    monkeypatch.setattr(_compile_notice, "_ready", set())
    monkeypatch.setattr(_compile_notice, "_said", set())
    monkeypatch.delenv("CAROM_QUIET", raising=False)


def test_compiling_says_what_and_how_long_once(capsys):
    for _ in range(2):
        with compiling("paper boats"):
            cache_missed()
            cache_missed()
    said = capsys.readouterr().err
    assert said.startswith("carom: compiling paper boats (first use only) ...")
    assert said.endswith(" s\n")
    assert said.count("\n") == 1


def test_compiling_is_silent_where_the_cache_holds_it(capsys):
    with compiling("paper boats"):
        pass
    assert capsys.readouterr().err == ""


def test_compiling_inside_another_is_part_of_it(capsys):
    with compiling("paper boats"), compiling("their sails"):
        cache_missed()
    said = capsys.readouterr().err
    assert "paper boats" in said
    assert "sails" not in said


def test_compiling_is_silent_on_request(capsys, monkeypatch):
    monkeypatch.setenv("CAROM_QUIET", "1")
    with compiling("paper boats"):
        cache_missed()
    assert capsys.readouterr().err == ""


def test_compiling_that_stops_says_so_and_is_announced_again(capsys):
    def interrupted():
        with compiling("paper boats"):
            cache_missed()
            raise KeyboardInterrupt

    for _ in range(2):
        with pytest.raises(KeyboardInterrupt):
            interrupted()
        assert capsys.readouterr().err.endswith("... stopped\n")


def test_compiling_is_told_apart_from_what_is_wrong_with_the_cache(capsys):
    with compiling("paper boats"):
        cache_missed()
        say("the harbour is full: pier 1")
        say("the harbour is full: pier 2")
    lines = capsys.readouterr().err.splitlines()
    assert lines == ["carom: compiling paper boats (first use only) ... ", "carom: the harbour is full: pier 1"]


def test_compiling_leaves_the_garbage_collector_as_it_was():
    before, seen = gc.get_threshold(), []

    def interrupted():
        with compiling("paper boats"):
            with compiling("their sails"):
                pass
            seen.append(gc.get_threshold())
            raise KeyboardInterrupt

    gc.set_threshold(701, 11, 12)
    try:
        with pytest.raises(KeyboardInterrupt):
            interrupted()
        assert gc.get_threshold() == (701, 11, 12)
        assert seen[0][0] > 100_000
    finally:
        gc.set_threshold(*before)
