"""The digest that kernels are cached under changes with all that shapes their machine code, and with nothing else."""

from __future__ import annotations

import importlib.util
import subprocess
import sys
from pathlib import Path

import pytest
from numba.core.dispatcher import Dispatcher

import carom
from carom._compile import fingerprint as _fingerprint
from carom._compile.fingerprint import fingerprint
from carom._compile.jit import inline_kernel, inner_kernel, kernel

CALLEE = """
from carom._compile.jit import inner_kernel
LIMIT = {limit}
{comment}
@inner_kernel
def callee(x):
    '''{docstring}'''
    return x * LIMIT + {constant}
"""
CALLER = """
from carom._compile.jit import kernel
from carom_test_callee import callee
def made(factor):
    @kernel
    def inside(x):
        return callee(x) * factor
    return inside
@kernel
def caller(x):
    return callee(x)
@kernel
def bystander(x):
    return x
@kernel
def recursive(n):
    return 1 if n < 2 else n * recursive(n - 1) + callee(n)
"""


@pytest.fixture
def module(tmp_path, monkeypatch):
    """Imports the two texts above, with parts of the first replaced, as modules of their own."""

    def load(**parts):
        parts = {"limit": "3", "comment": "", "docstring": "One.", "constant": "1.0"} | parts
        for name, text in (("callee", CALLEE.format(**parts)), ("caller", CALLER)):
            path = tmp_path / f"{name}.py"
            path.write_text(text)
            spec = importlib.util.spec_from_file_location(f"carom_test_{name}", path)
            found = importlib.util.module_from_spec(spec)
            monkeypatch.setitem(sys.modules, spec.name, found)
            exec(compile(text, path, "exec"), vars(found))
        return found

    return load


def test_fingerprint_forgets_comments_docstrings_and_lines(module):
    plain = module()
    told = module(comment="# a comment\n\n\n", docstring="Another text.")
    for name in ("caller", "bystander", "recursive"):
        assert fingerprint(getattr(plain, name)) == fingerprint(getattr(told, name))


@pytest.mark.compiled
@pytest.mark.parametrize("change", [{"limit": "4"}, {"limit": "3.0"}, {"constant": "2.0"}, {"constant": "-0.0"}])
def test_fingerprint_of_callers_changes_with_what_they_call_and_of_others_does_not(module, change):
    before, after = module(), module(**change)
    assert fingerprint(before.caller) != fingerprint(after.caller)
    assert fingerprint(before.recursive) != fingerprint(after.recursive)
    assert fingerprint(before.made(2)) != fingerprint(after.made(2))
    assert fingerprint(before.bystander) == fingerprint(after.bystander)


def test_fingerprint_tells_closures_apart(module):
    made = module().made
    assert fingerprint(made(2)) == fingerprint(made(2))
    assert fingerprint(made(2)) != fingerprint(made(3))
    assert fingerprint(made(2)) != fingerprint(made(2.0))


@pytest.mark.compiled
def test_fingerprint_tells_decorators_apart():
    def plain(x):
        return x

    assert len({fingerprint(decorate(plain)) for decorate in (inline_kernel, inner_kernel, kernel)}) == 3


LIST = """
import sys
import carom.engine.kinetic_grid.loop, carom.narrow.toi.turning_contact
from numba.core.dispatcher import Dispatcher
from carom._compile.fingerprint import fingerprint
for name, module in sorted(sys.modules.items()):
    if name.startswith("carom"):
        for key, value in sorted(vars(module).items(), key=lambda item: item[0]):
            if isinstance(value, Dispatcher):
                print(name, key, fingerprint(value))
"""


@pytest.mark.compiled
def test_fingerprint_is_the_same_in_every_process():
    source = str(Path(carom.__file__).parents[1])
    said = []
    for seed in ("1", "2"):
        environment = {"PYTHONHASHSEED": seed, "PYTHONPATH": source, "PATH": ""}
        run = subprocess.run([sys.executable, "-c", LIST], env=environment, capture_output=True, text=True, check=True)
        said.append(run.stdout)
    assert said[0] == said[1]
    assert said[0].count("\n") > 200


@pytest.mark.compiled
def test_fingerprint_of_an_engine_reaches_a_tolerance_of_the_narrow_phase(monkeypatch):
    from carom.maths import quadratic
    from carom.narrow.toi import turning_contact

    kernels = [value for value in vars(turning_contact).values() if isinstance(value, Dispatcher)]
    assert kernels
    before = [fingerprint(kernel) for kernel in kernels]
    for name, value in vars(quadratic).items():
        if isinstance(value, float):
            monkeypatch.setattr(quadratic, name, value + 1.0)
    monkeypatch.setattr(_fingerprint, "_described", _fingerprint._described.__wrapped__)
    after = [fingerprint(kernel) for kernel in kernels]
    assert before != after
