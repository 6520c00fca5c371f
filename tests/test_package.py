"""What is shipped: the wheel holds the library and its page, the sdist what is needed to test it."""

from __future__ import annotations

import importlib
import tarfile
import zipfile
from pathlib import Path

import pytest

import carom

ROOT = Path(__file__).parent.parent


def test_wheel_holds_the_library_its_page_and_nothing_else(tmp_path):
    wheel = pytest.importorskip("hatchling.builders.wheel", reason="needs hatchling: pip install 'carom[dev]'")
    (built,) = wheel.WheelBuilder(str(ROOT)).build(directory=str(tmp_path), versions=["standard"])
    names = zipfile.ZipFile(built).namelist()
    scripts = {"carom/view/assets/viewer.js", "carom/view/assets/vendor/three.js"}
    assert {"carom/py.typed", "carom/__main__.py", *scripts} <= set(names)
    assert {name.split("/")[0].split("-")[0] for name in names} == {"carom", "carom_command.py"}
    assert not [name for name in names if "__pycache__" in name or name.endswith((".nbc", ".nbi"))]
    sources = {path.relative_to(ROOT / "src").as_posix() for path in (ROOT / "src").rglob("*.py")}
    assert sources <= set(names)


def test_sdist_holds_sources_tests_and_what_they_read(tmp_path):
    sdist = pytest.importorskip("hatchling.builders.sdist", reason="needs hatchling: pip install 'carom[dev]'")
    (built,) = sdist.SdistBuilder(str(ROOT)).build(directory=str(tmp_path), versions=["standard"])
    with tarfile.open(built) as archive:
        tops = {name.split("/")[1] for name in archive.getnames()}
    assert {"src", "tests", "web", "docs", "examples", "README.md", "LICENSE", "pyproject.toml"} <= tops
    assert not tops & {"out", ".cache-kernels", ".venv", ".git"}


def test_package_says_where_a_name_went_that_moved_to_a_submodule():
    moved = [(module, name) for module, names in carom._MOVED.items() for name in names.split()]
    assert len(moved) > 30
    for module, name in moved:
        with pytest.raises(ImportError, match=rf"^carom\.{name} is now carom\.{module}\.{name}$"):
            getattr(carom, name)
        assert getattr(importlib.import_module(f"carom.{module}"), name)
    with pytest.raises(ImportError, match=r"^carom\.Horn is now carom\.time_critical\.Horn$"):
        from carom import Horn  # noqa: F401
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        carom.nothing  # noqa: B018
