"""Parsing of a scene file, without its meaning. Every fault is one SceneError."""

from __future__ import annotations

import os
import re
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from carom.errors import SceneError
from carom.scenes.toml.lines import deepest_line

_BYTE_ORDER_MARK = "\ufeff"
_MANY_DIGITS = re.compile(r"[0-9A-Fa-f_]{1000}")  # Python refuses numbers of 4300 digits, without a position
_PART = r"""(?:[A-Za-z0-9_-]++|"[^"\n]*+"|'[^'\n]*+')[ \t]*+\.[ \t]*+"""
_LONG_KEY = re.compile(rf"(?<![A-Za-z0-9_-]){_PART}(?:{_PART}){{31}}")
"""A key of 32 parts or more: no scene has one, and the time to parse a key grows with the square of its parts."""


def read_document(path: Path) -> tuple[str, dict[str, Any]]:
    """Return the text of the file and its tables; SceneError names the file and the line, if it is a text."""
    text = _read_text(path)
    if long := _LONG_KEY.search(text):
        raise SceneError(f"{path}, line {_line(text, long.start())}: a key has too many parts")
    try:
        return text, tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        end = f"(at line {_line(text, len(text.rstrip()))}, the end of the document)"
        raise SceneError(f"{path}: not valid TOML: {str(error).replace('(at end of document)', end)}") from None
    except RecursionError:
        raise SceneError(f"{path}, line {deepest_line(text)}: lists or tables are nested too deeply") from None
    except ValueError:
        number = _MANY_DIGITS.search(text)
        place = f", line {_line(text, number.start())}" if number else ""
        raise SceneError(f"{path}{place}: a number has too many digits") from None


def beyond_64_bits(document: dict[str, Any]) -> Iterator[tuple[str | int, ...]]:
    """Yield the places of whole numbers beyond 64 bits, which neither TOML nor pydantic nor arrays support."""
    pending: list[tuple[tuple[str | int, ...], Any]] = [((), document)]
    while pending:
        place, node = pending.pop()
        if isinstance(node, dict):
            pending += [((*place, key), value) for key, value in node.items()]
        elif isinstance(node, list):
            pending += [((*place, k), value) for k, value in enumerate(node) if not isinstance(value, float)]
        elif isinstance(node, int) and not -(1 << 63) <= node < 1 << 63:
            yield place


def _read_text(path: Path) -> str:
    try:
        data = path.read_bytes()
    except FileNotFoundError:
        raise SceneError(f"{path}: no such scene file") from None
    except OSError as error:
        raise SceneError(f"{path}: cannot be read: {error.strerror or os.strerror(error.errno or 0)}") from None
    except ValueError:
        raise SceneError(f"{path}: no such scene file") from None
    try:
        return data.decode("utf-8").removeprefix(_BYTE_ORDER_MARK).replace("\r\n", "\n")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise SceneError(f"{path}: not a text file in UTF-8 (line {line}, byte {error.start})") from None


def _line(text: str, position: int) -> int:
    return text.count("\n", 0, position) + 1
