"""The container of glTF 2.0: its JSON, its buffers, and accessors as arrays."""

from __future__ import annotations

import base64
import binascii
import json
import struct
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import numpy as np
from numpy.typing import NDArray

from carom.errors import InvalidInputError
from carom.io.frames import read_bytes

GLB_MAGIC, JSON_CHUNK, BINARY_CHUNK = 0x46546C67, 0x4E4F534A, 0x004E4942

_COMPONENTS = {5120: "i1", 5121: "u1", 5122: "<i2", 5123: "<u2", 5125: "<u4", 5126: "<f4"}
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
        try:
            self.json: dict[str, Any] = json.loads(text)
            version = str(self.json["asset"]["version"])
        except (ValueError, KeyError, TypeError):
            raise InvalidInputError(f"{path}: not a glTF file: its JSON is damaged or names no version") from None
        if not version.startswith("2."):
            raise InvalidInputError(f"{path}: is glTF {version}; expected 2.0")
        self._buffers: dict[int, bytes] = {}

    def entries(self, kind: str) -> list[dict[str, Any]]:
        """The list of that name at the top of the file, empty where there is none."""
        return list(self.json.get(kind, []))

    def accessor(self, index: int) -> NDArray[Any]:
        """An accessor as (count,) or (count, width): integers as they are, or float64 where they are floats or normalised."""
        entries = self.entries("accessors")
        if not (isinstance(index, int) and 0 <= index < len(entries)):
            raise InvalidInputError(f"{self.path}: refers to accessor {index!r}, but has {len(entries)} from 0 on")
        try:
            return self._accessor(entries[index])
        except InvalidInputError:
            raise
        except (KeyError, IndexError, TypeError, ValueError, struct.error) as error:
            raise InvalidInputError(f"{self.path}: accessor {index} is damaged: {in_words(error)}") from None

    def kind(self, index: int) -> str:
        """SCALAR, VEC3 and so on: what the entries of an accessor are."""
        return str(self.json["accessors"][index]["type"])

    def _accessor(self, entry: dict[str, Any]) -> NDArray[Any]:
        kind, width, count = np.dtype(_COMPONENTS[entry["componentType"]]), _WIDTHS[entry["type"]], entry["count"]
        if "bufferView" in entry:
            values = self._view(entry["bufferView"], entry.get("byteOffset", 0), kind, width, count)
        else:
            values = np.zeros((count, width), dtype=kind)
        if sparse := entry.get("sparse"):
            few, where, what = sparse["count"], sparse["indices"], sparse["values"]
            row_kind = np.dtype(_COMPONENTS[where["componentType"]])
            rows = self._view(where["bufferView"], where.get("byteOffset", 0), row_kind, 1, few)[:, 0]
            values = values.copy()
            values[rows] = self._view(what["bufferView"], what.get("byteOffset", 0), kind, width, few)
        if kind.kind == "f":
            values = values.astype(np.float64)
        elif entry.get("normalized"):
            values = np.maximum(values / np.iinfo(kind).max, -1.0)
        return values[:, 0] if width == 1 else values

    def _view(self, index: int, offset: int, kind: np.dtype[Any], width: int, count: int) -> NDArray[Any]:
        """Rows (count, width) of a buffer view, whatever their stride."""
        view = self.json["bufferViews"][index]
        row = kind.itemsize * width
        stride = view.get("byteStride") or row
        begin = view.get("byteOffset", 0) + offset
        end = begin + (stride * (count - 1) + row if count else 0)
        data = self._buffer(view["buffer"])
        if min(offset, begin, count) < 0 or end > len(data):
            raise InvalidInputError(
                f"{self.path}: buffer view {index} reaches beyond its buffer: bytes {begin} to {end} of {len(data)}"
            )
        return np.ndarray((count, width), dtype=kind, buffer=data, offset=begin, strides=(stride, kind.itemsize))

    def _buffer(self, index: int) -> bytes:
        if index not in self._buffers:
            uri = self.json["buffers"][index].get("uri")
            if uri is None:
                self._buffers[index] = self._binary
            elif uri.startswith("data:"):
                try:
                    self._buffers[index] = base64.b64decode(uri.partition(",")[2], validate=True)
                except binascii.Error:
                    raise InvalidInputError(f"{self.path}: buffer {index} is damaged: it is not base64") from None
            else:
                file = self.path.parent / unquote(uri)
                if not file.is_file():
                    raise InvalidInputError(
                        f"{self.path}: its buffer {index} should be in {file}, but there is no such file"
                    )
                self._buffers[index] = read_bytes(file)
        return self._buffers[index]


def in_words(error: Exception) -> str:
    """What was wrong with a description that did not hold what was looked for."""
    match error:
        case KeyError():
            return f"{error.args[0]!r} is missing or unknown"
        case IndexError():
            return "it refers to an entry that is not there"
        case _:
            return "a value in it is of the wrong kind"


def _chunks(path: Path, data: bytes) -> tuple[bytes, bytes]:
    """JSON and binary chunk of a .glb file."""
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
    """Write a .glb file of the JSON description and its one buffer."""
    text = json.dumps(description, separators=(",", ":")).encode("utf-8")
    text += b" " * (-len(text) % 4)
    binary += b"\0" * (-len(binary) % 4)
    length = 12 + 8 + len(text) + 8 + len(binary)
    path.write_bytes(
        struct.pack("<III", GLB_MAGIC, 2, length)
        + struct.pack("<II", len(text), JSON_CHUNK) + text
        + struct.pack("<II", len(binary), BINARY_CHUNK) + binary
    )  # fmt: skip
