"""From a place in a parsed TOML document back to its line, so that errors can say where."""

from __future__ import annotations

import re
from collections.abc import Sequence

_HEADER = re.compile(r"^\s*(\[\[?)\s*([^\[\]]+?)\s*\]\]?\s*(#.*)?$")
_KEY = re.compile(r"""^\s*(?:"([^"]*)"|'([^']*)'|([A-Za-z0-9_-]+))\s*[.=]""")


def line_of(text: str, place: Sequence[str | int]) -> int | None:
    """Line (from 1) of the longest part of `place` that has a header or key line of its own; None if nothing has.

    Follows [table], [[array of tables]] and key = value lines; what is inside an inline table or a list belongs to the
    line of its key.
    """
    best: tuple[int, int] | None = None
    counts: dict[str, int] = {}
    table: list[str | int] = []
    for number, line in enumerate(text.splitlines(), start=1):
        if header := _HEADER.match(line):
            name = header.group(2)
            table = [part.strip().strip("\"'") for part in name.split(".")]
            if header.group(1) == "[[":
                table.append(counts.get(name, 0))
                counts[name] = counts.get(name, 0) + 1
            candidate = table
        elif key := _KEY.match(line):
            candidate = [*table, next(group for group in key.groups() if group is not None)]
        else:
            continue
        depth = len(candidate)
        if list(place[:depth]) == candidate and (best is None or depth > best[0]):
            best = (depth, number)
    return None if best is None else best[1]
