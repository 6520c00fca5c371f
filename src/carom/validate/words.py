"""Values, counts and names as they are shown in messages."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Sequence

LONGEST = 200
"""Largest number of characters of a wrong value in an error."""


def shown(value: object) -> str:
    """Return a value for an error: its repr on one line, shortened if it is long, or its type if it has no repr."""
    try:
        words = repr(value)
    except Exception:  # a foreign object's own method
        return f"a {type(value).__name__}"
    words = " ".join(words[: 2 * LONGEST].split())
    return words if len(words) <= LONGEST else f"{words[: LONGEST - 4]} ..."


def unknown_name(kind: str, name: str, known: Iterable[str], otherwise: str = "") -> str:
    """Return the error for an unknown name: the known ones and the most similar. otherwise: other allowed values."""
    words = list(known)
    nearest = difflib.get_close_matches(name, words, n=1)
    hint = f"; did you mean {nearest[0]}?" if nearest else ""
    return f"no {kind} is called {name!r}; expected {', '.join(words)}{otherwise and f', or {otherwise}'}{hint}"


def counted(n: int, one: str, many: str = "") -> str:
    """Return a count with its noun: 1 row, 1,000 rows. many: an irregular plural."""
    return f"{n:,} {one if n == 1 else many or f'{one}s'}"


def with_article(noun: str) -> str:
    """Return a noun after its indefinite article: a Box, an Ellipsoid."""
    return f"{'an' if noun[:1] in 'AEIOUaeiou' else 'a'} {noun}"


def few(words: Sequence[str], most: int, total: int | None = None) -> str:
    """Return the first words and the number of the others: a, b, c and 4 more. total: the number of all, if more."""
    more = (len(words) if total is None else total) - min(len(words), most)
    return ", ".join(words[:most]) + (f" and {more:,} more" if more else "")


def printable(text: str) -> str:
    """Return the text on one line, with control characters and unprintable ones escaped."""
    return text if text.isprintable() else "".join(c if c.isprintable() else repr(c)[1:-1] for c in text)


def dimensions(shape: tuple[int | None, ...]) -> str:
    """Return a shape as text, with n for any length."""
    return "(" + ", ".join("n" if k is None else str(k) for k in shape) + ("," if len(shape) == 1 else "") + ")"
