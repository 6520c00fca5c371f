"""Finds the line of a place in a parsed TOML document, for errors."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Sequence

_HEADER = re.compile(r"^\s*(\[\[?)\s*(.+?)\s*\]\]?\s*(#.*)?$")
_KEY = re.compile(r"""^\s*(?:("(?:\\.|[^"\\])*")|'([^']*)'|([A-Za-z0-9_-]+))\s*[.=]""")
_BARE = re.compile(r"[A-Za-z0-9_.\s-]+")
_TOKEN = re.compile(r'''"""|\'\'\'|"(?:\\.|[^"\\])*"|'[^']*'|[#\[\]{}]''')


def line_of(text: str, place: Sequence[str | int]) -> int | None:
    """Return the first line (from 1) whose header or key names the longest part of `place`; None if there is none.

    Follows [table], [[array of tables]] and key = value lines; the contents of an inline table or a list belong to the line
    of its key.
    """
    best: tuple[int, int] | None = None
    counts: dict[tuple[str, ...], int] = {}
    table: list[str | int] = []
    for number, line, depth in _lines(text):
        if depth:
            continue
        if header := _HEADER.match(line):
            name = _header_parts(header.group(2))
            table = [*name]
            if header.group(1) == "[[":
                key = tuple(name)
                table.append(counts.get(key, 0))
                counts[key] = counts.get(key, 0) + 1
            candidate = table
        elif found := _KEY.match(line):
            quoted, literal, bare = found.groups()
            candidate = [*table, _unquoted(quoted) if quoted else bare if literal is None else literal]
        else:
            continue
        # A header or key like a.b also names the table a.
        shared = zip(candidate, place, strict=False)
        length = next((k for k, (one, other) in enumerate(shared) if one != other), min(len(candidate), len(place)))
        if length > (best[0] if best else 0):
            best = (length, number)
    return None if best is None else best[1]


def deepest_line(text: str) -> int:
    """Return the line (from 1) with the deepest nesting of lists and inline tables."""
    return max(_lines(f"{text}\n"), key=lambda line: line[2] + line[1].count("[") + line[1].count("{"))[0]


def _lines(text: str) -> Iterator[tuple[int, str, int]]:
    """Yield lines with their numbers, and the number of open lists, inline tables and strings at their beginning."""
    depth, ending = 0, ""
    for number, line in enumerate(text.split("\n"), start=1):
        yield number, line, depth + bool(ending)
        if depth == 0 and not ending and _HEADER.match(line) and "=" not in line.partition("#")[0]:
            continue
        at = 0
        while True:
            if ending:  # in a string of several lines
                at = line.find(ending, at)
                if at < 0:
                    break
                at, ending = at + 3, ""
            token = _TOKEN.search(line, at)
            if token is None or token[0] == "#":
                break
            at = token.end()
            if token[0] in ('"""', "'''"):
                ending = token[0]
            elif token[0] in "[{":
                depth += 1
            elif token[0] in "]}":
                depth = max(depth - 1, 0)


def _header_parts(name: str) -> list[str]:
    """Return the parts of a dotted key."""
    if _BARE.fullmatch(name):
        return [part.strip() for part in name.split(".")]
    try:
        node = tomllib.loads(f"[{name}]")
    except (ValueError, RecursionError):
        return [name]
    parts = []
    while node:
        ((part, node),) = node.items()
        parts.append(part)
    return parts


def _unquoted(key: str) -> str:
    try:
        return next(iter(tomllib.loads(f"{key} = 0")))
    except ValueError:
        return key[1:-1]
