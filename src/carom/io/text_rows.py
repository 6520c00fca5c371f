"""Rows of numbers in text files, with the line that each stands in."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from carom.errors import InvalidInputError


class Row(NamedTuple):
    """The words of a line that is not empty."""

    line: int
    words: list[str]


def text_lines(data: bytes) -> list[str]:
    """The lines of a text, whatever they end in; bytes that are no text become marks that are no number."""
    return data.decode("utf-8", errors="replace").replace("\r\n", "\n").replace("\r", "\n").split("\n")


def rows_of(lines: Sequence[str], after: int = 0) -> list[Row]:
    """The lines that hold anything; the first of them is line `after` + 1 of its file."""
    return [Row(k, words) for k, line in enumerate(lines, start=after + 1) if (words := line.split())]


def wrong_line(path: Path, line: int, words: Sequence[str], expected: str) -> InvalidInputError:
    """What to raise about a line; long ones are shown by their beginning."""
    shown = " ".join(words)
    return InvalidInputError(
        f"{path}: line {line} is {shown if len(shown) <= 60 else shown[:57] + '...'!r}; expected {expected}"
    )


def number_table(path: Path, rows: Sequence[Row], width: int, expected: str) -> NDArray[np.float64]:
    """The first `width` words of every row as numbers (rows, width); InvalidInputError names the line that has none."""
    try:
        return np.array([row.words[:width] for row in rows], dtype=np.float64).reshape(len(rows), width)
    except ValueError:
        for row in rows:
            try:
                if len([float(word) for word in row.words[:width]]) == width:
                    continue
            except ValueError:
                pass
            raise wrong_line(path, row.line, row.words, expected) from None
        raise


def whole_numbers(path: Path, row: Row, words: Sequence[str], expected: str) -> list[int]:
    """Words of a row as whole numbers; InvalidInputError names the line where they are none."""
    try:
        return [int(word) for word in words]
    except ValueError:
        raise wrong_line(path, row.line, row.words, expected) from None
