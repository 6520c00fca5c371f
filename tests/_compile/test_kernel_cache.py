"""The cache of compiled kernels: what it holds is used, what is damaged is compiled again, what is not ours is not read."""

from __future__ import annotations

import collections
import hashlib
import os
import stat
import subprocess
import sys
from pathlib import Path

import numba
import pytest

import carom
from carom._compile import kernel_cache

pytestmark = pytest.mark.compiled

PROGRAM = """
from carom._compile.jit import compiling, kernel
from carom._compile.kernel_cache import place

@kernel
def triple(x):
    return 3 * x

with compiling("paper boats"):
    print(triple(14), place().folder, sep="|")
"""


def python(program, **environment):
    """What a process of its own prints on stdout and stderr."""
    environment = {"PYTHONPATH": str(Path(carom.__file__).parents[1])} | environment
    path = Path(environment["HOME"]) / "program.py"
    path.write_text(program)
    done = subprocess.run([sys.executable, path], env=environment, capture_output=True, text=True, cwd=path.parent)
    assert done.returncode == 0, done.stderr
    return done.stdout, done.stderr


@pytest.fixture
def run(tmp_path):
    """Runs a process that needs one kernel: the cache's folder, and what was said on stderr."""

    def once(**environment):
        where = {} if "XDG_CACHE_HOME" in environment else {"CAROM_CACHE_DIR": str(tmp_path / "cache")}
        out, said = python(PROGRAM, HOME=str(tmp_path), **where, **environment)
        answer, folder = out.strip().split("|")
        assert answer == "42"
        return Path(folder), said

    return once


def entries(folder):
    return sorted(folder.glob("*.kernel"))


def test_kernel_cache_compiles_once(run):
    folder, said = run()
    assert "compiling paper boats" in said
    (entry,) = entries(folder)
    assert run() == (folder, "")
    if hasattr(os, "geteuid"):
        assert stat.S_IMODE(folder.stat().st_mode) == 0o700
        assert stat.S_IMODE(entry.stat().st_mode) == 0o600


def test_kernel_cache_holds_checked_indices_beside_others(run):
    folder, _ = run()
    run(NUMBA_BOUNDSCHECK="1")
    assert len(entries(folder)) == 2


@pytest.mark.parametrize("damage", ["emptied", "halved", "flipped", "headless", "wrong pickle"])
def test_kernel_cache_compiles_again_what_is_damaged(run, damage):
    folder, _ = run()
    (entry,) = entries(folder)
    whole = entry.read_bytes()
    middle = len(whole) // 2
    wrong = b"not a pickle"
    head = len(whole) - len(whole[whole.index(b"\n") + 1 :])
    content = {
        "emptied": b"",
        "halved": whole[:middle],
        "flipped": whole[:middle] + bytes([whole[middle] ^ 1]) + whole[middle + 1 :],
        "headless": whole[40:],
        "wrong pickle": whole[:head] + hashlib.sha256(wrong).digest() + wrong,
    }
    entry.write_bytes(content[damage])
    _, said = run()
    assert said.count("\n") == 2
    assert "dropped and compiled again" in said
    assert "Traceback" not in said
    assert run() == (folder, "")


def test_kernel_cache_goes_on_where_nothing_can_be_written(run, tmp_path):
    (tmp_path / "cache").write_text("a file where the folder belongs")
    folder, said = run()
    assert "Traceback" not in said
    assert not folder.exists(), "a temporary folder is removed at exit"


@pytest.mark.skipif(not hasattr(os, "geteuid"), reason="owners are those of POSIX")
def test_kernel_cache_refuses_what_others_can_write(run):
    folder, _ = run()
    (entry,) = entries(folder)
    entry.chmod(0o666)
    _, said = run()
    assert "can be written by other users" in said
    assert stat.S_IMODE(entries(folder)[0].stat().st_mode) == 0o600
    folder.chmod(0o777)
    elsewhere, said = run()
    assert elsewhere != folder
    assert not elsewhere.exists()
    folder.chmod(0o700)
    moved = folder.rename(folder.with_name("moved"))
    folder.symlink_to(moved)
    assert run()[0] != folder


@pytest.mark.skipif(sys.platform in ("win32", "darwin"), reason="XDG_CACHE_HOME counts elsewhere")
@pytest.mark.parametrize("value", ["", ".", "relative/folder"])
def test_kernel_cache_never_reads_from_the_current_folder(run, tmp_path, value):
    folder, _ = run(XDG_CACHE_HOME=value)
    assert folder == tmp_path / ".cache" / "carom" / "kernels" / "entries"


def test_kernel_cache_drops_the_least_recently_used_and_older_versions(run, tmp_path):
    folder, _ = run()
    (kept,) = entries(folder)
    old = folder / "old.kernel"
    old.write_bytes(bytes(1000))
    os.utime(old, (1.0, 1.0))
    (folder.parent / "0123456789abcdef").mkdir()
    program = f"from carom._compile import kernel_cache as c; c._LIMIT = {kept.stat().st_size + 10}; c._make_room()"
    python(program, HOME=str(tmp_path), CAROM_CACHE_DIR=str(folder.parent))
    assert [*folder.iterdir()] == [kept]
    assert [*folder.parent.iterdir()] == [folder]


def test_kernel_cache_is_not_touched_by_an_import(tmp_path):
    python("import carom", HOME=str(tmp_path), CAROM_CACHE_DIR=str(tmp_path / "cache"))
    assert not (tmp_path / "cache").exists()


def test_kernel_cache_tells_named_tuples_of_two_modules_apart():
    """An entry holds the class by its module: after a move it could not be read."""
    words = []
    for module in ("carom.here", "carom.there"):
        pair = collections.namedtuple("Pair", "a b", module=module)
        words.append(kernel_cache._type_words(numba.typeof(pair(1.0, 2.0))))
    assert words[0] != words[1]


NESTED = """
import numpy as np
from carom._compile.jit import inner_kernel, kernel

@inner_kernel
def item(values, k):
    if k < 0:
        raise ValueError("negative")
    return values[k]

@kernel
def scaled(values, k):
    return FACTOR * item(values, k)

for k in (1, -1):
    try:
        print(scaled(np.ones(3), k))
    except ValueError as error:
        print(error)
"""


def test_kernel_cache_links_what_it_holds_into_new_kernels(tmp_path):
    where = {"HOME": str(tmp_path), "CAROM_CACHE_DIR": str(tmp_path / "cache")}
    for factor in (2.0, 3.0):
        out, _ = python(NESTED.replace("FACTOR", str(factor)), **where)
        assert out.split() == [str(factor), "negative"]
    assert len(entries(tmp_path / "cache" / "entries")) == 3  # one inner kernel, two outer ones
