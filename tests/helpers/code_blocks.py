"""Code blocks of a Markdown page, and what the page says they print."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

_FENCED = re.compile(r"^```(\w+)\n(.*?)^```$", re.DOTALL | re.MULTILINE)


@dataclass(frozen=True)
class Block:
    """One fenced block. line: its first line in the page; shown: the `text` block right after it, if there is one."""

    language: str
    code: str
    line: int
    shown: str | None


def blocks_of(page: Path) -> list[Block]:
    text = page.read_text(encoding="utf-8")
    found = list(_FENCED.finditer(text))
    out = []
    for k, match in enumerate(found):
        after = found[k + 1] if k + 1 < len(found) else None
        follows = after is not None and after[1] == "text" and not text[match.end() : after.start()].strip()
        shown = after[2] if after is not None and follows else None
        out.append(Block(match[1], match[2], text.count("\n", 0, match.start()) + 2, shown))
    return out
