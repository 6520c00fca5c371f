"""The README's examples print what the README says they print."""

from __future__ import annotations

import contextlib
import io
import re
from pathlib import Path

import pytest

TEXT = (Path(__file__).parent.parent / "README.md").read_text(encoding="utf-8")
EXAMPLES = re.findall(r"```python\n(.*?)```\s+```text\n(.*?)```", TEXT, re.DOTALL)


def test_readme_has_its_examples():
    assert len(EXAMPLES) == 3


@pytest.mark.parametrize(("code", "shown"), EXAMPLES, ids=["world", "pair", "cloth"])
def test_readme_example_prints_the_output_shown(code, shown):
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        exec(compile(code, "README.md", "exec"), {})
    assert out.getvalue() == shown
