"""Random polygon meshes and deforming ones, as the bytes of files of each format. Shares no code with carom."""

from __future__ import annotations

import base64
import io
import json
import struct
import zipfile
from typing import Any

import numpy as np

from fuzz.cases.generate import pick

Rng = np.random.Generator


def polygons(rng: Rng, triangles: bool) -> dict[str, Any]:
    """Planar simple polygons with corners of their own, in random planes: {"points": float32 rows, "faces": lists of rows}."""
    points: list[list[float]] = []
    faces: list[list[int]] = []
    scale = float(10.0 ** rng.uniform(-3.0, 3.0))
    for _ in range(int(rng.integers(1, 8))):
        n = 3 if triangles else int(pick(rng, (3, 3, 4, 5, 6, 9, 14, 40)))
        flat = _star(rng, n) if rng.random() < 0.7 else _comb(rng, n)
        turn, _ = np.linalg.qr(rng.normal(size=(3, 3)))
        placed = np.column_stack([flat, np.zeros(len(flat))])
        if rng.random() < 0.7:
            placed = placed @ turn.T
        placed = (placed + rng.normal(size=3) * pick(rng, (0.0, 1.0, 30.0))) * scale
        first = int(rng.integers(len(flat)))
        rows = [len(points) + (first + k) % len(flat) for k in range(len(flat))]
        points += placed.astype(np.float32).astype(float).tolist()
        faces.append(rows[::-1] if rng.random() < 0.3 else rows)
    return {"points": points, "faces": faces}


def _star(rng: Rng, n: int) -> np.ndarray:
    """A polygon that its middle sees all of, often concave."""
    angles = (np.arange(n) + rng.uniform(0.1, 0.6, n)) * 2.0 * np.pi / n
    radii = rng.uniform(0.2, 1.0, n) if rng.random() < 0.7 else np.ones(n)
    return np.column_stack([radii * np.cos(angles), radii * np.sin(angles)])


def _comb(rng: Rng, n: int) -> np.ndarray:
    """A staircase of n corners, some in line: x runs on, a lower side closes it."""
    if n < 4:
        return _star(rng, n)
    x = np.arange(n - 2)
    top = np.column_stack([x, rng.integers(1, 4, n - 2)]).astype(float)
    return np.concatenate([[[0.0, 0.0], [n - 3.0, 0.0]], top[::-1]]) if n > 4 else _star(rng, n)


def numeral(rng: Rng, value: float) -> str:
    """A number as one of many programs writes it, exactly."""
    return pick(rng, (repr(value), f"{value:.17g}", f"{value:+.17e}", f"{value:.20E}"))


def obj(rng: Rng, mesh: dict[str, Any]) -> bytes:
    lines = ["# made by a fuzzer", "mtllib none.mtl", "o thing"]
    lines += ["v " + " ".join(numeral(rng, x) for x in point) for point in mesh["points"]]
    style = pick(rng, ("{0}", "{0}/1", "{0}//2", "{0}/1/2", "{1}"))
    n = len(mesh["points"])
    for face in mesh["faces"]:
        lines.append("f " + " ".join(style.format(k + 1, k - n) for k in face))
    return (pick(rng, ("\n", "\r\n")).join(lines) + "\n").encode()


def off(rng: Rng, mesh: dict[str, Any]) -> bytes:
    lines = [f"{len(mesh['points'])} {len(mesh['faces'])} 0"]
    lines += [" ".join(numeral(rng, x) for x in point) for point in mesh["points"]]
    colour = pick(rng, ("", " 255 0 0"))
    lines += [" ".join(map(str, (len(face), *face))) + colour for face in mesh["faces"]]
    return (pick(rng, ("OFF\n", "OFF ", "# text\nOFF\n")) + "\n".join(lines) + "\n").encode()


def ply(rng: Rng, mesh: dict[str, Any]) -> bytes:
    form = pick(rng, ("ascii", "binary_little_endian", "binary_big_endian"))
    kind, length, flag = pick(rng, (("float", "uchar", False), ("double", "int", True), ("float", "ushort", False)))
    head = [f"format {form} 1.0", "comment made by a fuzzer", f"element vertex {len(mesh['points'])}"]
    head += [f"property {kind} {axis}" for axis in "xyz"] + ["property uchar red"] * flag
    head += [f"element face {len(mesh['faces'])}", f"property list {length} int vertex_indices"]
    data = ("ply\n" + "\n".join(head) + "\nend_header\n").encode()
    if form == "ascii":
        lines = [" ".join(numeral(rng, x) for x in point) + " 7" * flag for point in mesh["points"]]
        lines += [" ".join(map(str, (len(face), *face))) for face in mesh["faces"]]
        return data + ("\n".join(lines) + "\n").encode()
    order = "<" if "little" in form else ">"
    number, size = kind[0], {"uchar": "B", "int": "i", "ushort": "H"}[length]
    for point in mesh["points"]:
        data += struct.pack(f"{order}3{number}{'B' * flag}", *point, *[7] * flag)
    for face in mesh["faces"]:
        data += struct.pack(f"{order}{size}{len(face)}i", len(face), *face)
    return data


def stl(rng: Rng, mesh: dict[str, Any]) -> bytes:
    corners = [[mesh["points"][k] for k in face] for face in mesh["faces"]]
    if rng.random() < 0.5:
        body = b"".join(
            struct.pack("<12fH", 0, 0, pick(rng, (1, float("nan"))), *(x for point in face for x in point), 0)
            for face in corners
        )
        return pick(rng, (b"solid binary", b"")).ljust(80, b" ") + struct.pack("<I", len(corners)) + body
    text = "solid a thing\n"
    for face in corners:
        text += "facet normal 0 0 1\n  outer loop\n"
        text += "".join("    vertex " + " ".join(numeral(rng, x) for x in point) + "\n" for point in face)
        text += "  endloop\nendfacet\n"
    return (text + "endsolid a thing\n").encode()


def gltf(rng: Rng, mesh: dict[str, Any], ending: str, keys: int = 0) -> bytes:
    """Triangles in one node that moves and scales them; with keys, a morph target lifts them by 1 in z at odd keys."""
    points = np.array(mesh["points"], "<f4")
    rows = np.array(mesh["faces"], "<u2").reshape(-1)
    parts = [points, rows]
    if keys:
        weights = (np.arange(keys) % 2).astype("<f4")
        parts += [np.tile(np.array([0, 0, 1], "<f4"), (len(points), 1)), np.arange(keys).astype("<f4"), weights]
    data, views = b"", []
    for part in parts:
        data += b"\0" * (-len(data) % 4)
        views.append({"buffer": 0, "byteOffset": len(data), "byteLength": part.nbytes})
        data += part.tobytes()
    kinds = [("VEC3", 5126), ("SCALAR", 5123), ("VEC3", 5126), ("SCALAR", 5126), ("SCALAR", 5126)]
    made: dict[str, Any] = {
        "asset": {"version": "2.0"},
        "scene": 0,
        "scenes": [{"nodes": [0]}],
        "nodes": [{"mesh": 0, "name": "thing", "translation": [1.0, -2.0, 0.5], "scale": [2.0, 2.0, 2.0]}],
        "meshes": [{"primitives": [{"attributes": {"POSITION": 0}, "indices": 1}]}],
        "accessors": [
            {"bufferView": k, "componentType": kinds[k][1], "type": kinds[k][0], "count": len(part)}
            for k, part in enumerate(parts)
        ],
        "bufferViews": views,
        "buffers": [{"byteLength": len(data)}],
    }
    if keys:
        made["meshes"][0]["primitives"][0]["targets"] = [{"POSITION": 2}]
        made["animations"] = [
            {
                "channels": [{"sampler": 0, "target": {"node": 0, "path": "weights"}}],
                "samplers": [{"input": 3, "output": 4}],
            }
        ]
    if ending == "gltf":
        made["buffers"][0]["uri"] = "data:application/octet-stream;base64," + base64.b64encode(data).decode()
        return json.dumps(made).encode()
    text = json.dumps(made).encode()
    text += b" " * (-len(text) % 4)
    data += b"\0" * (-len(data) % 4)
    chunks = struct.pack("<II", len(text), 0x4E4F534A) + text + struct.pack("<II", len(data), 0x004E4942) + data
    return struct.pack("<III", 0x46546C67, 2, 12 + len(chunks)) + chunks


def npz(rng: Rng, mesh: dict[str, Any], frames: np.ndarray) -> bytes:
    held = io.BytesIO()
    save = np.savez_compressed if rng.random() < 0.5 else np.savez
    kind = pick(rng, (np.int32, np.int64, np.float64))
    save(held, faces=np.array(mesh["faces"], kind), vertices=frames, times=np.arange(len(frames), dtype=float))
    return held.getvalue()


def pc2(frames: np.ndarray) -> bytes:
    head = struct.pack("<12siiffi", b"POINTCACHE2\0", 1, frames.shape[1], 0.0, 24.0, len(frames))
    return head + frames.astype("<f4").tobytes()


def mdd(frames: np.ndarray) -> bytes:
    times = np.arange(len(frames)).astype(">f4")
    return struct.pack(">ii", len(frames), frames.shape[1]) + times.tobytes() + frames.astype(">f4").tobytes()


def zipped(name: str, data: bytes) -> bytes:
    held = io.BytesIO()
    with zipfile.ZipFile(held, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(name, data)
    return held.getvalue()
