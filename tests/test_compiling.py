"""What users are told while kernels compile, and how long the garbage collector holds still."""

from __future__ import annotations

import gc

import pytest

from carom import _jit


@pytest.fixture(autouse=True)
def fresh(monkeypatch, tmp_path):
    """As in a first start: nothing announced, an empty cache, not told to be quiet."""
    monkeypatch.setattr(_jit, "cache_folder", tmp_path)
    monkeypatch.setattr(_jit, "_announced", set())
    monkeypatch.delenv("CAROM_QUIET", raising=False)


def test_compiling_says_what_and_how_long_once(capsys):
    for _ in range(2):
        with _jit.compiling("paper boats"):
            pass
    said = capsys.readouterr().err
    assert said.startswith("carom: compiling paper boats (first use only) ...")
    assert said.endswith(" s\n")
    assert said.count("\n") == 1


def test_compiling_is_silent_where_the_cache_holds_it(capsys, monkeypatch):
    with _jit.compiling("paper boats"):
        pass
    monkeypatch.setattr(_jit, "_announced", set())  # another process
    capsys.readouterr()
    with _jit.compiling("paper boats"):
        pass
    assert capsys.readouterr().err == ""


def test_compiling_inside_another_is_part_of_it(capsys):
    with _jit.compiling("paper boats"), _jit.compiling("their sails"):
        pass
    assert "sails" not in capsys.readouterr().err


def test_compiling_is_silent_on_request(capsys, monkeypatch):
    monkeypatch.setenv("CAROM_QUIET", "1")
    with _jit.compiling("paper boats"):
        pass
    assert capsys.readouterr().err == ""


def test_compiling_that_stops_says_so_and_is_announced_again(capsys):
    for _ in range(2):
        with pytest.raises(KeyboardInterrupt), _jit.compiling("paper boats"):
            raise KeyboardInterrupt
        assert capsys.readouterr().err.endswith("... stopped\n")


def test_compiling_leaves_the_garbage_collector_as_it_was():
    before, seen = gc.get_threshold(), []

    def interrupted():
        with _jit.compiling("paper boats"):
            with _jit.compiling("their sails"):
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
