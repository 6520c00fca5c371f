"""Logs and answers depend on the input alone: the same bits for every processor and library. record.json holds their hashes.

Where a change is meant to alter a log, `PYTHONPATH=tests python -m golden.scenes > tests/golden/record.json` records it
anew, and CHANGELOG says why. whole.json is the record of `golden.whole`, made likewise and compared by `make test-long`.
"""

from __future__ import annotations

import json
import os
import platform
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import carom
from golden.scenes import RECORDED, hashes
from golden.whole import CASES, hashed, scene_of

pytestmark = pytest.mark.compiled
RECORD = json.loads(Path(__file__).with_name("record.json").read_text(encoding="utf-8"))
WHOLE_RECORD = json.loads(Path(__file__).with_name("whole.json").read_text(encoding="utf-8"))
TESTS = Path(__file__).parents[1]
X86 = platform.machine() in ("x86_64", "AMD64") and sys.platform == "linux"
OLD_LIBRARIES = {
    "NPY_DISABLE_CPU_FEATURES": "X86_V3 X86_V4 AVX512_ICL AVX512_SPR",
    "OPENBLAS_CORETYPE": "Prescott",
    "GLIBC_TUNABLES": "glibc.cpu.hwcaps=-AVX2,-FMA,-FMA4,-AVX512F",
}
"""What makes NumPy, BLAS and the C library compute as on a processor of 2009."""


def hashes_elsewhere(**environment):
    """The hashes that a process of its own finds under other settings."""
    path = os.pathsep.join([str(Path(carom.__file__).parents[1]), str(TESTS)])
    environment = {**os.environ, "PYTHONPATH": path, "CAROM_QUIET": "1", **environment}
    command = [sys.executable, "-W", "ignore", "-m", "golden.scenes"]
    return json.loads(subprocess.run(command, env=environment, capture_output=True, text=True, check=True).stdout)


@pytest.mark.parametrize("name", RECORDED)
def test_log_is_the_recorded_one(name):
    assert hashes([name])[name] == RECORD[name]


@pytest.mark.skipif(not X86, reason="the settings are those of glibc and OpenBLAS on x86-64")
def test_log_does_not_depend_on_numpy_blas_or_the_c_library():
    assert hashes_elsewhere(**OLD_LIBRARIES) == RECORD


def compiled_library(source, folder):
    """A C file as a shared library; the test is skipped where there is no compiler."""
    if not (compiler := shutil.which("cc")):
        pytest.skip("needs a C compiler")
    library = folder / "library.so"
    subprocess.run(
        [compiler, "-O1", "-fno-builtin", "-shared", "-fPIC", "-o", library, source, "-ldl", "-lm"], check=True
    )
    return library


@pytest.mark.skipif(not X86, reason="the settings are those of glibc and OpenBLAS on x86-64")
def test_log_does_not_depend_on_the_last_bits_of_the_c_library_and_blas(tmp_path):
    other = compiled_library(Path(__file__).with_name("other_libraries.c"), tmp_path)
    assert hashes_elsewhere(**OLD_LIBRARIES, LD_PRELOAD=str(other)) == RECORD


@pytest.mark.skipif(not X86, reason="the settings are those of glibc and OpenBLAS on x86-64")
def test_other_libraries_round_differently(tmp_path):
    other = compiled_library(Path(__file__).with_name("other_libraries.c"), tmp_path)
    program = (
        "import math; import numpy as np; v = np.sqrt(np.arange(30.));"
        "print(math.sin(.3), np.exp(.3), v[:7] @ v[7:14], v[3] ** .3)"
    )
    answers = [
        subprocess.run(
            [sys.executable, "-c", program], env={**os.environ, **OLD_LIBRARIES, **preload}, capture_output=True, text=True,
            check=True,
        ).stdout.split()
        for preload in ({}, {"LD_PRELOAD": str(other)})
    ]  # fmt: skip
    assert all(a != b for a, b in zip(*answers, strict=True))


@pytest.mark.long
@pytest.mark.skipif(not X86, reason="the levels are those of x86-64")
@pytest.mark.parametrize("level", ["x86-64-v2", "x86-64-v3"])
def test_log_does_not_depend_on_the_processor_that_kernels_are_compiled_for(level):
    assert hashes_elsewhere(NUMBA_CPU_NAME=level, NUMBA_CPU_FEATURES="", **OLD_LIBRARIES) == RECORD


@pytest.mark.long
@pytest.mark.parametrize("name", CASES)
def test_whole_record_is_unchanged(name):
    assert hashed(name) == WHOLE_RECORD[scene_of(name)]
