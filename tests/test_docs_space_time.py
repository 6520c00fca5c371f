"""The examples of docs/space-time-bounds.md print what the page says they print."""

from __future__ import annotations

import contextlib
import io
import re
from pathlib import Path

TEXT = (Path(__file__).parent.parent / "docs" / "space-time-bounds.md").read_text(encoding="utf-8")
EXAMPLES = re.findall(r"```python\n(.*?)```\s+```text\n(.*?)```", TEXT, re.DOTALL)


def test_docs_space_time_examples_print_the_output_shown():
    assert len(EXAMPLES) == 2
    names: dict[str, object] = {}
    for code, shown in EXAMPLES:
        out = io.StringIO()
        with contextlib.redirect_stdout(out):
            exec(compile(code, "space-time-bounds.md", "exec"), names)
        assert out.getvalue() == shown
