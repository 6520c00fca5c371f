"""Readers of a few lines for OBJ, OFF and STL: polygons as arrays of corners, or None where they make no sense of a file."""

from __future__ import annotations

import struct
from collections.abc import Sequence
from typing import Any

import numpy as np


def areas_of_polygons(polygons: Any) -> np.ndarray:
    """Vector areas (n, 3): half the sum of cross products of neighbouring corners, about the first."""
    found = []
    for polygon in polygons:
        around = np.asarray(polygon, float) - np.asarray(polygon, float)[0]
        found.append(0.5 * np.cross(around, np.roll(around, -1, axis=0)).sum(axis=0))
    return np.array(found).reshape(-1, 3)


def read_plainly(name: str, data: bytes) -> list[np.ndarray] | None:
    """The polygons of an OBJ, OFF or STL file; None for other formats, and for whatever looks unusual."""
    try:
        with np.errstate(all="ignore"):
            match name.rpartition(".")[2]:
                case "obj":
                    return _checked(_obj(data))
                case "off":
                    return _checked(_off(data))
                case "stl":
                    return _checked(_stl(data))
    except (ArithmeticError, LookupError, UnicodeDecodeError, ValueError, struct.error):
        pass
    return None


def _checked(polygons: Sequence[Any]) -> list[np.ndarray] | None:
    found = [np.array(polygon, float) for polygon in polygons]
    return found if found and all(np.isfinite(one).all() and len(one) >= 3 for one in found) else None


def _obj(data: bytes) -> list[Any]:
    points, faces = [], []
    for line in data.decode("ascii").replace("\\\n", " ").splitlines():
        words = line.partition("#")[0].split()
        if words[:1] == ["v"]:
            points.append([float(word) for word in words[1:4]])
        elif words[:1] == ["f"]:
            rows = [int(word.split("/")[0]) for word in words[1:]]
            faces.append([row - 1 if row > 0 else len(points) + row for row in rows])
    if min(min(face) for face in faces) < 0:
        raise ValueError
    return [[points[row] for row in face] for face in faces]


def _off(data: bytes) -> list[Any]:
    lines = [line.partition("#")[0].split() for line in data.decode("ascii").splitlines()]
    words = [line for line in lines if line]
    if words[0] != ["OFF"]:
        words[0] = words[0][1:]
    else:
        words = words[1:]
    n = int(words[0][0])
    points = [[float(word) for word in line[:3]] for line in words[1 : n + 1]]
    faces = [[int(word) for word in line[1 : int(line[0]) + 1]] for line in words[n + 1 :]]
    if min(min(face) for face in faces) < 0:
        raise ValueError
    return [[points[row] for row in face] for face in faces]


def _stl(data: bytes) -> list[Any]:
    (count,) = struct.unpack_from("<I", data, 80) if len(data) >= 84 else (-1,)
    if len(data) == 84 + 50 * count:
        return [
            np.frombuffer(data, "<f4", 9, 84 + 50 * k + 12).reshape(3, 3).astype(float).tolist() for k in range(count)
        ]
    corners = [
        [float(word) for word in line.split()[1:]]
        for line in data.decode("ascii").splitlines()
        if line.split()[:1] == ["vertex"]
    ]
    return [corners[k : k + 3] for k in range(0, len(corners), 3)]
