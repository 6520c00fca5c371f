"""Rows of numbers in text files, with their line numbers."""

from __future__ import annotations

import codecs
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
    """Split a text into lines with any line ends, without the byte order mark before UTF-8. Other non-ASCII bytes are replaced
    by marks that are neither numbers nor spaces: Python would accept digits of other scripts as numbers.
    """
    text = data.removeprefix(codecs.BOM_UTF8).decode("ascii", errors="replace")
    return text.replace("\r\n", "\n").replace("\r", "\n").split("\n")


def rows_of(lines: Sequence[str], after: int = 0) -> list[Row]:
    """Return the lines that are not empty; the first line of the text is line `after` + 1 of its file."""
    return [Row(k, words) for k, line in enumerate(lines, start=after + 1) if (words := line.split())]


def wrong_line(path: Path, line: int, words: Sequence[str], expected: str) -> InvalidInputError:
    """Return the error for a line; long ones are shortened."""
    shown = " ".join(words)
    return InvalidInputError(
        f"{path}: line {line} is {shown if len(shown) <= 60 else shown[:57] + '...'!r}; expected {expected}"
    )


def number_table(path: Path, rows: Sequence[Row], width: int, expected: str) -> NDArray[np.float64]:
    """Return the first `width` words of every row as numbers (rows, width); InvalidInputError names a line with others."""
    words = [row.words[:width] for row in rows]
    try:
        if any("_" in word for row in words for word in row):  # Python accepts 1_000 as a number
            raise ValueError
        return np.array(words, dtype=np.float64).reshape(len(rows), width)
    except ValueError:
        for row in rows:
            try:
                if len([numeral(word) for word in row.words[:width]]) == width:
                    continue
            except ValueError:
                pass
            raise wrong_line(path, row.line, row.words, expected) from None
        raise


def numeral(word: str) -> float:
    """Return the number that a word is; ValueError if it is none."""
    if "_" in word:
        raise ValueError
    return float(word)


def whole_numbers(path: Path, row: Row, words: Sequence[str], expected: str) -> list[int]:
    """Return words of a row as whole numbers that fit an array; InvalidInputError names the line otherwise."""
    try:
        numbers = [int(word) for word in words if "_" not in word]
    except ValueError:
        numbers = []
    if len(numbers) != len(words) or any(abs(number) >= 1 << 62 for number in numbers):
        raise wrong_line(path, row.line, row.words, expected)
    return numbers


def index_lists(path: Path, rows: Sequence[Row], expected: str) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return (sizes (m,), corners (sum of sizes,)) of rows that each begin with a length and as many whole numbers.

    InvalidInputError names the line that does not; the rest of a line is ignored.
    """
    size = rows[0].words[0] if rows else "0"
    if size.isdecimal() and int(size[:9]) < 100:  # most files have faces of one size only
        try:
            words = [row.words[: int(size) + 1] for row in rows]
            table = np.array(words, dtype=np.int64)
            whole = table.shape == (len(rows), int(size) + 1) and (table[:, 0] == int(size)).all()
            if whole and not any("_" in word for row in words for word in row):
                return table[:, 0].copy(), table[:, 1:].reshape(-1)
        except (ValueError, OverflowError, IndexError):
            pass
    sizes: list[int] = []
    corners: list[int] = []
    for row in rows:
        (count,) = whole_numbers(path, row, row.words[:1], expected)
        if not 0 <= count < len(row.words):
            raise wrong_line(path, row.line, row.words, expected)
        sizes.append(count)
        corners += whole_numbers(path, row, row.words[1 : count + 1], expected)
    return np.array(sizes, dtype=np.int64), np.array(corners, dtype=np.int64)
