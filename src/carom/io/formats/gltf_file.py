"""The container of glTF 2.0: JSON, buffers, and accessors as arrays."""

from __future__ import annotations

import base64
import binascii
import json
import os
import struct
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import numpy as np
from numpy.typing import NDArray

from carom.errors import InvalidInputError
from carom.files.unpack_limit import check_unpacked
from carom.io.frames import read_bytes

GLB_MAGIC, JSON_CHUNK, BINARY_CHUNK = 0x46546C67, 0x4E4F534A, 0x004E4942

_COMPONENTS = {5120: "i1", 5121: "u1", 5122: "<i2", 5123: "<u2", 5125: "<u4", 5126: "<f4"}
_INDEX_KINDS = {5121: "u1", 5123: "<u2", 5125: "<u4"}
_WIDTHS = {"SCALAR": 1, "VEC2": 2, "VEC3": 3, "VEC4": 4, "MAT2": 4, "MAT3": 9, "MAT4": 16}


class GltfFile:
    """A .gltf or .glb file; `json` is its description. InvalidInputError names the file and the part that is wrong."""

    def __init__(self, path: Path) -> None:
        self.path = path
        data = read_bytes(path)
        self._binary = b""
        if path.suffix.lower() == ".glb":
            text, self._binary = _chunks(path, data)
        else:
            text = data
        self.json = parsed_json(path, text)
        try:
            version = str(self.json["asset"]["version"])
        except (KeyError, TypeError):
            raise InvalidInputError(f"{path}: not a glTF file: its JSON names no version") from None
        if not version.startswith("2."):
            raise InvalidInputError(f"{path}: is glTF {version[:20]}; expected 2.0")
        self._entries: dict[str, list[dict[str, Any]]] = {}
        self._buffers: dict[int, bytes] = {}
        self._length = len(data)
        self._allotted = 0

    def entries(self, kind: str) -> list[dict[str, Any]]:
        """Return the top-level list of that name, empty if there is none; it must not be changed."""
        if kind not in self._entries:
            listed = self.json.get(kind, [])
            if not isinstance(listed, list) or not all(isinstance(entry, dict) for entry in listed):
                raise InvalidInputError(f"{self.path}: its {kind} are damaged; expected a list of objects")
            self._entries[kind] = listed
        return self._entries[kind]

    def entry(self, kind: str, index: int) -> dict[str, Any]:
        """Return an entry of a top-level list; InvalidInputError if there is none."""
        entries = self.entries(kind)
        if type(index) is not int or not 0 <= index < len(entries):
            raise InvalidInputError(f"{self.path}: refers to {kind}[{index!r:.20}], but has {len(entries)} from 0 on")
        return entries[index]

    def allot(self, size: int) -> None:
        """Count memory beyond the size of the file; InvalidInputError if the total is too large."""
        self._allotted += size
        check_unpacked(self.path, self._allotted, self._length)

    @contextmanager
    def faults_in_words(self) -> Iterator[None]:
        """Convert errors about missing or wrong entries of the description into InvalidInputError."""
        try:
            yield
        except InvalidInputError:
            raise
        except (AttributeError, IndexError, KeyError, OverflowError, TypeError, ValueError) as error:
            raise InvalidInputError(f"{self.path}: its description is damaged: {in_words(error)}") from error

    def accessor(self, index: int) -> NDArray[Any]:
        """Return an accessor as (count,) or (count, width): integers unchanged, floats and normalised integers as float64."""
        entry = self.entry("accessors", index)
        try:
            return self._accessor(entry)
        except InvalidInputError:
            raise
        except (AttributeError, KeyError, IndexError, OverflowError, TypeError, ValueError, struct.error) as error:
            raise InvalidInputError(f"{self.path}: accessor {index} is damaged: {in_words(error)}") from None

    def rows(self, index: int) -> NDArray[np.int64]:
        """Return an accessor of indices (count,)."""
        entry = self.entry("accessors", index)
        if entry.get("type") != "SCALAR" or entry.get("componentType") not in _INDEX_KINDS or entry.get("normalized"):
            raise InvalidInputError(f"{self.path}: accessor {index} holds no indices; expected unsigned whole numbers")
        return self.accessor(index).astype(np.int64)

    def kind(self, index: int) -> str:
        """Return the type of the entries of an accessor: SCALAR, VEC3 and so on."""
        return str(self.entry("accessors", index)["type"])

    def _accessor(self, entry: dict[str, Any]) -> NDArray[Any]:
        kind, width, count = (
            np.dtype(_COMPONENTS[entry["componentType"]]),
            _WIDTHS[entry["type"]],
            _size(entry["count"]),
        )
        # Many accessors may share a part of the buffer.
        self.allot(8 * count * width)
        if "bufferView" in entry:
            values = self._view(entry["bufferView"], _size(entry.get("byteOffset", 0)), kind, width, count)
        else:
            values = np.zeros((count, width), dtype=kind)
        if sparse := entry.get("sparse"):
            few, where, what = _size(sparse["count"]), sparse["indices"], sparse["values"]
            row_kind = np.dtype(_INDEX_KINDS[where["componentType"]])
            rows = self._view(where["bufferView"], _size(where.get("byteOffset", 0)), row_kind, 1, few)[:, 0]
            values = values.copy()
            values[rows] = self._view(what["bufferView"], _size(what.get("byteOffset", 0)), kind, width, few)
        if kind.kind == "f":
            values = values.astype(np.float64)
        elif entry.get("normalized"):
            values = np.maximum(values / np.iinfo(kind).max, -1.0)
        return values[:, 0] if width == 1 else values

    def _view(self, index: int, offset: int, kind: np.dtype[Any], width: int, count: int) -> NDArray[Any]:
        """Return rows (count, width) of a buffer view of any stride."""
        view = self.entry("bufferViews", index)
        row = kind.itemsize * width
        stride = _size(view.get("byteStride") or row)
        begin, length = _size(view.get("byteOffset", 0)), _size(view["byteLength"])
        end = offset + (stride * (count - 1) + row if count else 0)
        data = self._buffer(view["buffer"])
        if stride < row:
            raise InvalidInputError(
                f"{self.path}: buffer view {index} has a stride of {stride} for entries of {row} bytes"
            )
        if end > length:
            raise InvalidInputError(
                f"{self.path}: an accessor reaches beyond buffer view {index}: to byte {end} of {length}"
            )
        if begin + length > len(data):
            raise InvalidInputError(
                f"{self.path}: buffer view {index} reaches beyond its buffer: bytes {begin} to {begin + length} of {len(data)}"
            )
        return np.ndarray(
            (count, width), dtype=kind, buffer=data, offset=begin + offset, strides=(stride, kind.itemsize)
        )

    def _buffer(self, index: int) -> bytes:
        if index not in self._buffers:
            buffer = self.entry("buffers", index)
            uri = buffer.get("uri")
            if uri is None:
                self._buffers[index] = self._binary
            elif uri.startswith("data:"):
                try:
                    self._buffers[index] = base64.b64decode(uri.partition(",")[2], validate=True)
                except binascii.Error:
                    raise InvalidInputError(f"{self.path}: buffer {index} is damaged: it is not base64") from None
            else:
                file = self.path.parent / unquote(uri)
                if not os.path.isfile(file):
                    raise InvalidInputError(
                        f"{self.path}: its buffer {index} should be in {file}, but there is no such file"
                    )
                self._buffers[index] = read_bytes(file)
                self._length += len(self._buffers[index])
            if (stored := len(self._buffers[index])) < _size(buffer["byteLength"]):
                raise InvalidInputError(
                    f"{self.path}: buffer {index} should have {buffer['byteLength']} bytes, but has {stored}: it is cut off"
                )
        return self._buffers[index]


def parsed_json(path: Path, text: bytes) -> dict[str, Any]:
    """Parse a JSON object; InvalidInputError names the line if it is invalid, or if a key occurs twice."""
    try:
        found = json.loads(text, parse_constant=_no_number, object_pairs_hook=_distinct)
    except json.JSONDecodeError as error:
        raise InvalidInputError(
            f"{path}: not a glTF file: its JSON is damaged at line {error.lineno}, column {error.colno}"
        ) from None
    except UnicodeDecodeError as error:
        line = text.count(b"\n", 0, error.start) + 1
        raise InvalidInputError(
            f"{path}: not a glTF file: its JSON is damaged at line {line}: byte {error.start} is not UTF-8"
        ) from None
    except RecursionError:
        raise InvalidInputError(f"{path}: not a glTF file: its JSON is nested too deeply") from None
    except ValueError as error:
        raise InvalidInputError(
            f"{path}: not a glTF file: its JSON is damaged: {str(error).partition(';')[0]}"
        ) from None
    if not isinstance(found, dict):
        raise InvalidInputError(f"{path}: not a glTF file: its JSON is no object")
    return found


def _no_number(word: str) -> float:
    raise ValueError(f"{word} is no number of JSON")


def _distinct(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    held = dict(pairs)
    if len(held) < len(pairs):
        twice = next(key for key, count in Counter(key for key, _ in pairs).items() if count > 1)
        raise ValueError(f"the key {twice!r:.60} comes twice in one object")
    return held


def _size(value: Any) -> int:
    """Return a count or an offset; TypeError unless it is a whole number of 0 or more."""
    if type(value) is not int or value < 0:
        raise TypeError
    return value


def in_words(error: Exception) -> str:
    """Return what is wrong with a description that lacks an entry."""
    match error:
        case KeyError():
            return f"{error.args[0]!r} is missing or unknown"
        case IndexError():
            return "it refers to an entry that is not there"
        case _:
            return "a value in it is of the wrong kind"


def _chunks(path: Path, data: bytes) -> tuple[bytes, bytes]:
    """Return the JSON and the binary chunk of a .glb file."""
    if len(data) < 20 or struct.unpack_from("<I", data)[0] != GLB_MAGIC:
        raise InvalidInputError(f"{path}: not a GLB file: it does not begin with glTF")
    length = struct.unpack_from("<I", data, 8)[0]
    if length != len(data):
        raise InvalidInputError(f"{path}: says that it is {length} bytes long, but has {len(data)}: it is cut off")
    text, binary, at = b"", b"", 12
    while at + 8 <= length:
        size, kind = struct.unpack_from("<II", data, at)
        if at + 8 + size > length:
            raise InvalidInputError(f"{path}: a chunk of {size} bytes reaches beyond the end of the file")
        if kind == JSON_CHUNK:
            text = data[at + 8 : at + 8 + size]
        elif kind == BINARY_CHUNK:
            binary = data[at + 8 : at + 8 + size]
        at += 8 + size
    return text, binary


def write_glb(path: Path, description: dict[str, Any], binary: bytes) -> None:
    """Write a .glb file from the JSON description and its one buffer."""
    text = json.dumps(description, separators=(",", ":")).encode("utf-8")
    text += b" " * (-len(text) % 4)
    binary += b"\0" * (-len(binary) % 4)
    length = 12 + 8 + len(text) + 8 + len(binary)
    path.write_bytes(
        struct.pack("<III", GLB_MAGIC, 2, length)
        + struct.pack("<II", len(text), JSON_CHUNK) + text
        + struct.pack("<II", len(binary), BINARY_CHUNK) + binary
    )  # fmt: skip
